//! Environment parameters of a provider, declared with the core so that `fi_info -e` lists them.

use crate::log::provider_of;
use libc::{c_char, c_int, c_void};
use std::ffi::{CStr, CString};

/// Declares `FI_<PROVIDER>_<NAME>` and reads it into `value`, which is only written when the variable is set well.
///
/// # Safety
/// `value` is what the type says: `*const c_char`, `c_int` or `size_t`.
unsafe fn get(
    provider: &CStr,
    name: &str,
    help: &str,
    kind: abi::fi_param_type,
    value: *mut c_void,
) -> c_int {
    let prov = provider_of(provider);
    let (Ok(name), Ok(help)) = (CString::new(name), CString::new(help.replace('%', "%%"))) else {
        return -abi::FI_EINVAL;
    };
    // SAFETY: strings live through the calls; the format has no conversions; value fits by contract.
    unsafe {
        abi::fi_param_define(prov, name.as_ptr(), kind, help.as_ptr());
        abi::fi_param_get(prov, name.as_ptr(), value)
    }
}

fn complain(provider: &CStr, name: &str, ret: c_int, default: impl std::fmt::Display) {
    if ret != 0 && ret != -abi::FI_ENODATA {
        let p = provider.to_string_lossy().to_uppercase();
        log::warn!("FI_{p}_{}: value not understood, {default} is used", name.to_uppercase());
    }
}

/// A text parameter; None when it is not set.
pub fn string(provider: &CStr, name: &str, help: &str) -> Option<String> {
    let mut v: *const c_char = std::ptr::null();
    // SAFETY: a string parameter gives a pointer to the variable's text.
    let ret = unsafe { get(provider, name, help, abi::FI_PARAM_STRING, (&raw mut v).cast()) };
    if ret != 0 || v.is_null() {
        return None;
    }
    // SAFETY: the core gave a C string.
    Some(unsafe { CStr::from_ptr(v) }.to_string_lossy().into_owned())
}

/// A whole number of either sign.
pub fn int(provider: &CStr, name: &str, help: &str, default: c_int) -> c_int {
    let mut v = default;
    // SAFETY: an int parameter writes an int.
    let ret = unsafe { get(provider, name, help, abi::FI_PARAM_INT, (&raw mut v).cast()) };
    complain(provider, name, ret, default);
    if ret == 0 { v } else { default }
}

/// A size or count.
pub fn size(provider: &CStr, name: &str, help: &str, default: usize) -> usize {
    let mut v = default;
    // SAFETY: a size parameter writes a size_t.
    let ret = unsafe { get(provider, name, help, abi::FI_PARAM_SIZE_T, (&raw mut v).cast()) };
    complain(provider, name, ret, default);
    if ret == 0 { v } else { default }
}

/// Yes or no.
pub fn bool(provider: &CStr, name: &str, help: &str, default: bool) -> bool {
    let mut v = default as c_int;
    // SAFETY: a boolean parameter writes an int.
    let ret = unsafe { get(provider, name, help, abi::FI_PARAM_BOOL, (&raw mut v).cast()) };
    complain(provider, name, ret, default);
    if ret == 0 { v != 0 } else { default }
}

/// How many peers to expect, from the core's `FI_UNIVERSE_SIZE`; 0 when it does not say.
pub(crate) fn universe_size() -> usize {
    let mut v = 0usize;
    // SAFETY: no provider stands for the core, whose parameter this is; it writes a size_t.
    let ret = unsafe {
        abi::fi_param_get(std::ptr::null_mut(), c"universe_size".as_ptr(), (&raw mut v).cast::<c_void>())
    };
    if ret == 0 { v } else { 0 }
}
