//! What a provider hands to the core.
//!
//! The C side is `rdma/providers/fi_prov.h`; names, values and layouts are the same.
#[allow(unused_imports)]
use crate::*;
#[allow(unused_imports)]
use libc::{c_char, c_int, c_uint, c_void};

pub const FI_LIB_EXTENSION: &std::ffi::CStr = c"fi";
pub const FI_LIB_SUFFIX: &std::ffi::CStr = c"fi.so";

/// What a provider's entry point returns. Lives in writable memory until the provider is unloaded; `context` belongs to the core.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct fi_provider {
    pub version: u32,
    pub fi_version: u32,
    pub context: fi_context,
    pub name: *const c_char,
    pub getinfo: Option<
        unsafe extern "C" fn(
            version: u32,
            node: *const c_char,
            service: *const c_char,
            flags: u64,
            hints: *const fi_info,
            info: *mut *mut fi_info,
        ) -> c_int,
    >,
    pub fabric: Option<
        unsafe extern "C" fn(
            attr: *mut fi_fabric_attr,
            fabric: *mut *mut fid_fabric,
            context: *mut c_void,
        ) -> c_int,
    >,
    pub cleanup: Option<unsafe extern "C" fn()>,
}
