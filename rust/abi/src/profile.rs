//! Run-time statistics of an object.
//!
//! The C side is `rdma/fi_profile.h`; names, values and layouts are the same.
#[allow(unused_imports)]
use crate::*;
#[allow(unused_imports)]
use libc::{c_char, c_int, c_uint, c_void};

pub type fi_profile_type = u32;
pub const fi_primitive_type: fi_profile_type = 0;
pub const fi_defined_type: fi_profile_type = 1;

pub const FI_VAR_UNEXP_MSG_CNT: c_int = 0;
pub const FI_VAR_UNEXP_MSG_QUEUE: c_int = 1;
pub const FI_VAR_MSG_QUEUE_CNT: c_int = 2;
pub const FI_VAR_CONNECTION_CNT: c_int = 3;
pub const FI_VAR_CONN_REQUEST: c_int = 4;
pub const FI_VAR_CONN_ACCEPT: c_int = 5;
pub const FI_VAR_CONN_REJECT: c_int = 6;
pub const FI_VAR_OFI_MEM: c_int = 7;

pub const FI_EVENT_UNEXP_MSG_RECVD: c_int = 0;
pub const FI_EVENT_UNEXP_MSG_MATCHED: c_int = 1;

/// The union member `datatype` of [`fi_profile_desc`].
#[repr(C)]
#[derive(Clone, Copy)]
pub union fi_profile_desc_datatype {
    pub primitive: fi_datatype,
    pub defined: fi_type,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_profile_desc {
    pub id: u32,
    pub datatype_sel: fi_profile_type,
    pub datatype: fi_profile_desc_datatype,
    pub flags: u64,
    pub size: usize,
    pub name: *const c_char,
    pub desc: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_profile_ops {
    pub size: usize,
    pub reset: Option<unsafe extern "C" fn(prof_fid: *mut fid_profile, flags: u64)>,
    pub query_vars: Option<
        unsafe extern "C" fn(
            prof_fid: *mut fid_profile,
            varlist: *mut fi_profile_desc,
            count: *mut usize,
        ) -> isize,
    >,
    pub query_events: Option<
        unsafe extern "C" fn(
            prof_fid: *mut fid_profile,
            eventlist: *mut fi_profile_desc,
            count: *mut usize,
        ) -> isize,
    >,
    pub read_var: Option<
        unsafe extern "C" fn(
            prof_fid: *mut fid_profile,
            var_id: u32,
            data: *mut c_void,
            size: *mut usize,
        ) -> isize,
    >,
    pub reg_callback: Option<
        unsafe extern "C" fn(
            prof_fid: *mut fid_profile,
            event_id: u32,
            callback: Option<
                unsafe extern "C" fn(
                    *mut fid_profile,
                    *mut fi_profile_desc,
                    *mut c_void,
                    usize,
                    *mut c_void,
                ) -> c_int,
            >,
            context: *mut c_void,
        ) -> c_int,
    >,
    pub start_reads: Option<unsafe extern "C" fn(prof_fid: *mut fid_profile, flags: u64)>,
    pub end_reads: Option<unsafe extern "C" fn(prof_fid: *mut fid_profile, flags: u64)>,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fid_profile {
    pub fid: fid,
    pub ops: *mut fi_profile_ops,
}
