//! Objects that two providers share with each other.
//!
//! The C side is `rdma/providers/fi_peer.h`; names, values and layouts are the same.
#[allow(unused_imports)]
use crate::*;
#[allow(unused_imports)]
use libc::{c_char, c_int, c_uint, c_void};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_ops_av_owner {
    pub size: usize,
    pub query: Option<unsafe extern "C" fn(av: *mut fid_peer_av, attr: *mut fi_av_attr) -> c_int>,
    pub ep_addr: Option<unsafe extern "C" fn(av: *mut fid_peer_av, ep: *mut fid_ep) -> fi_addr_t>,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fid_peer_av {
    pub fid: fid,
    pub owner_ops: *mut fi_ops_av_owner,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_peer_av_context {
    pub size: usize,
    pub av: *mut fid_peer_av,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_ops_av_set_owner {
    pub size: usize,
    pub members: Option<
        unsafe extern "C" fn(av: *mut fid_peer_av_set, addr: *mut fi_addr_t, count: *mut usize) -> c_int,
    >,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fid_peer_av_set {
    pub fid: fid,
    pub owner_ops: *mut fi_ops_av_set_owner,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_peer_av_set_context {
    pub size: usize,
    pub av_set: *mut fi_peer_av_set,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_ops_cq_owner {
    pub size: usize,
    pub write: Option<
        unsafe extern "C" fn(
            cq: *mut fid_peer_cq,
            context: *mut c_void,
            flags: u64,
            len: usize,
            buf: *mut c_void,
            data: u64,
            tag: u64,
            src: fi_addr_t,
        ) -> isize,
    >,
    pub writeerr:
        Option<unsafe extern "C" fn(cq: *mut fid_peer_cq, err_entry: *const fi_cq_err_entry) -> isize>,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fid_peer_cq {
    pub fid: fid,
    pub owner_ops: *mut fi_ops_cq_owner,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_peer_cq_context {
    pub size: usize,
    pub cq: *mut fid_peer_cq,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_ops_cntr_owner {
    pub size: usize,
    pub inc: Option<unsafe extern "C" fn(cntr: *mut fid_peer_cntr)>,
    pub incerr: Option<unsafe extern "C" fn(cntr: *mut fid_peer_cntr)>,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fid_peer_cntr {
    pub fid: fid,
    pub owner_ops: *mut fi_ops_cntr_owner,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_peer_cntr_context {
    pub size: usize,
    pub cntr: *mut fid_peer_cntr,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_peer_domain_context {
    pub size: usize,
    pub domain: *mut fid_domain,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_peer_eq_context {
    pub size: usize,
    pub eq: *mut fid_eq,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_peer_rx_entry {
    pub srx: *mut fid_peer_srx,
    pub addr: fi_addr_t,
    pub msg_size: usize,
    pub tag: u64,
    pub cq_data: u64,
    pub flags: u64,
    pub context: *mut c_void,
    pub count: usize,
    pub desc: *mut *mut c_void,
    pub peer_context: *mut c_void,
    pub owner_context: *mut c_void,
    pub iov: *mut libc::iovec,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_peer_match_attr {
    pub addr: fi_addr_t,
    pub msg_size: usize,
    pub tag: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_ops_srx_owner {
    pub size: usize,
    pub get_msg: Option<
        unsafe extern "C" fn(
            srx: *mut fid_peer_srx,
            attr: *mut fi_peer_match_attr,
            entry: *mut *mut fi_peer_rx_entry,
        ) -> c_int,
    >,
    pub get_tag: Option<
        unsafe extern "C" fn(
            srx: *mut fid_peer_srx,
            attr: *mut fi_peer_match_attr,
            entry: *mut *mut fi_peer_rx_entry,
        ) -> c_int,
    >,
    pub queue_msg: Option<unsafe extern "C" fn(entry: *mut fi_peer_rx_entry) -> c_int>,
    pub queue_tag: Option<unsafe extern "C" fn(entry: *mut fi_peer_rx_entry) -> c_int>,
    pub foreach_unspec_addr: Option<
        unsafe extern "C" fn(
            srx: *mut fid_peer_srx,
            get_addr: Option<unsafe extern "C" fn(*mut fi_peer_rx_entry) -> fi_addr_t>,
        ),
    >,
    pub free_entry: Option<unsafe extern "C" fn(entry: *mut fi_peer_rx_entry)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_ops_srx_peer {
    pub size: usize,
    pub start_msg: Option<unsafe extern "C" fn(entry: *mut fi_peer_rx_entry) -> c_int>,
    pub start_tag: Option<unsafe extern "C" fn(entry: *mut fi_peer_rx_entry) -> c_int>,
    pub discard_msg: Option<unsafe extern "C" fn(entry: *mut fi_peer_rx_entry) -> c_int>,
    pub discard_tag: Option<unsafe extern "C" fn(entry: *mut fi_peer_rx_entry) -> c_int>,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fid_peer_srx {
    pub ep_fid: fid_ep,
    pub owner_ops: *mut fi_ops_srx_owner,
    pub peer_ops: *mut fi_ops_srx_peer,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_peer_srx_context {
    pub size: usize,
    pub srx: *mut fid_peer_srx,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_ops_transfer_peer {
    pub size: usize,
    pub complete: Option<
        unsafe extern "C" fn(ep: *mut fid_ep, buf: *mut fi_cq_tagged_entry, src_addr: fi_addr_t) -> isize,
    >,
    pub comperr: Option<unsafe extern "C" fn(ep: *mut fid_ep, buf: *mut fi_cq_err_entry) -> isize>,
}

#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct fi_peer_transfer_context {
    pub size: usize,
    pub info: *mut fi_info,
    pub ep: *mut fid_ep,
    pub peer_ops: *mut fi_ops_transfer_peer,
}

/// Declared but never defined by the C headers.
pub enum fi_peer_av_set {}
