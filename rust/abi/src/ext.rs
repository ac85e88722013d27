//! Extensions of the API: provider-specific options, memory monitors, logging objects.
//!
//! The C side is `rdma/fi_ext.h`; names, values and layouts are the same.
#[allow(unused_imports)]
use crate::*;
#[allow(unused_imports)]
use libc::{c_char, c_int, c_uint, c_void};

pub const FI_OPT_EFA_RNR_RETRY: c_int = -0xefa0000;
pub const FI_OPT_EFA_EMULATED_READ: c_int = -0xef9ffff;
pub const FI_OPT_EFA_EMULATED_WRITE: c_int = -0xef9fffe;
pub const FI_OPT_EFA_EMULATED_ATOMICS: c_int = -0xef9fffd;
pub const FI_OPT_EFA_USE_DEVICE_RDMA: c_int = -0xef9fffc;
pub const FI_OPT_EFA_SENDRECV_IN_ORDER_ALIGNED_128_BYTES: c_int = -0xef9fffb;
pub const FI_OPT_EFA_WRITE_IN_ORDER_ALIGNED_128_BYTES: c_int = -0xef9fffa;
pub const FI_OPT_EFA_HOMOGENEOUS_PEERS: c_int = -0xef9fff9;
pub const FI_OPT_EFA_USE_UNSOLICITED_WRITE_RECV: c_int = -0xef9fff8;

pub const FI_PROV_SPECIFIC_EFA: c_int = 0xefa0000;
pub const FI_PROV_SPECIFIC_TCP: c_int = 0x7cb0000;

pub const FI_LOG_PROV_FILTERED: u64 = 1;

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_fid_export {
    pub fid: *mut *mut fid,
    pub flags: u64,
    pub context: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_ops_mem_monitor {
    pub size: usize,
    pub start: Option<unsafe extern "C" fn(monitor: *mut fid_mem_monitor) -> c_int>,
    pub stop: Option<unsafe extern "C" fn(monitor: *mut fid_mem_monitor)>,
    pub subscribe:
        Option<unsafe extern "C" fn(monitor: *mut fid_mem_monitor, addr: *const c_void, len: usize) -> c_int>,
    pub unsubscribe:
        Option<unsafe extern "C" fn(monitor: *mut fid_mem_monitor, addr: *const c_void, len: usize)>,
    pub valid:
        Option<unsafe extern "C" fn(monitor: *mut fid_mem_monitor, addr: *const c_void, len: usize) -> bool>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_ops_mem_notify {
    pub size: usize,
    pub notify: Option<unsafe extern "C" fn(monitor: *mut fid_mem_monitor, addr: *const c_void, len: usize)>,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fid_mem_monitor {
    pub fid: fid,
    pub export_ops: *mut fi_ops_mem_monitor,
    pub import_ops: *mut fi_ops_mem_notify,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_ops_log {
    pub size: usize,
    pub enabled: Option<
        unsafe extern "C" fn(
            prov: *const fi_provider,
            level: fi_log_level,
            subsys: fi_log_subsys,
            flags: u64,
        ) -> c_int,
    >,
    pub ready: Option<
        unsafe extern "C" fn(
            prov: *const fi_provider,
            level: fi_log_level,
            subsys: fi_log_subsys,
            flags: u64,
            showtime: *mut u64,
        ) -> c_int,
    >,
    pub log: Option<
        unsafe extern "C" fn(
            prov: *const fi_provider,
            level: fi_log_level,
            subsys: fi_log_subsys,
            func: *const c_char,
            line: c_int,
            msg: *const c_char,
        ),
    >,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fid_logging {
    pub fid: fid,
    pub ops: *mut fi_ops_log,
}
