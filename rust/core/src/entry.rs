//! The Rust half's C functions, which `csrc/symbols.c` gives their public names and versions. Here C's pointers and
//! error numbers meet Rust's; a panic ends here and becomes an error.

use crate::getinfo::{self, Question};
use crate::layout::{self, Layout, Widened};
use crate::{Code, errors, fabric, info, log, open, params, registry, tostr};
use abi::{fi_fabric_attr, fi_info, fi_param, fi_provider, fid, fid_fabric};
use libc::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn guard<T>(on_panic: T, f: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or(on_panic)
}

fn code(f: impl FnOnce() -> Result<(), Code>) -> c_int {
    guard(-abi::FI_EOTHER, || match f() {
        Ok(()) => 0,
        Err(e) => -e,
    })
}

/// fi_getinfo(3) for callers whose `fi_info` is that of node `FABRIC_1.<layout>`.
///
/// # Safety
/// As fi_getinfo(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_getinfo(
    layout: c_int,
    version: u32,
    node: *const c_char,
    service: *const c_char,
    flags: u64,
    hints: *const fi_info,
    out: *mut *mut fi_info,
) -> c_int {
    code(|| {
        if out.is_null() {
            return Err(abi::FI_EINVAL);
        }
        let layout = Layout::of_node(layout);
        let old = !hints.is_null() && layout != layout::NEWEST;
        // SAFETY: hints are in the caller's form.
        let wide = old.then(|| unsafe { Widened::new(hints, layout) });
        let hints = wide.as_ref().map_or(hints, |w| w.as_ptr());
        let question = Question { version, node, service, flags, hints };
        // SAFETY: by contract; `out` is writable.
        unsafe {
            *out = std::ptr::null_mut();
            *out = getinfo::getinfo(&question)?.into_raw();
        }
        Ok(())
    })
}

/// fi_freeinfo(3).
///
/// # Safety
/// As fi_freeinfo(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_freeinfo(list: *mut fi_info) {
    // SAFETY: by contract.
    guard((), || unsafe { info::free_list(list) });
}

/// fi_dupinfo(3) for callers whose `fi_info` is that of node `FABRIC_1.<layout>`.
///
/// # Safety
/// As fi_dupinfo(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_dupinfo(layout: c_int, src: *const fi_info) -> *mut fi_info {
    // SAFETY: by contract.
    guard(std::ptr::null_mut(), || unsafe { info::dup(src, Layout::of_node(layout)) })
}

/// fi_fabric(3); at `layout` 0 the attributes have no API version.
///
/// # Safety
/// As fi_fabric(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_fabric(
    layout: c_int,
    attr: *mut fi_fabric_attr,
    out: *mut *mut fid_fabric,
    context: *mut c_void,
) -> c_int {
    // SAFETY: by contract.
    code(|| unsafe { fabric::open(Layout::of_node(layout), attr, out, context) })
}

/// fi_fabric2(3).
///
/// # Safety
/// As fi_fabric2(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_fabric2(
    info: *mut fi_info,
    out: *mut *mut fid_fabric,
    flags: u64,
    context: *mut c_void,
) -> c_int {
    // SAFETY: by contract.
    code(|| unsafe { fabric::open2(info, out, flags, context) })
}

/// fi_version(3).
#[unsafe(no_mangle)]
pub extern "C" fn ofi_version() -> u32 {
    abi::API_VERSION
}

/// fi_strerror(3). Never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn ofi_strerror(errnum: c_int) -> *const c_char {
    errors::text(errnum)
}

/// fi_tostr(3), in this thread's buffer.
///
/// # Safety
/// As fi_tostr(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_tostr(data: *const c_void, datatype: c_int) -> *mut c_char {
    // SAFETY: by contract.
    guard(std::ptr::null_mut(), || unsafe { tostr::in_thread_buffer(data, datatype as u32) })
}

/// fi_tostr_r(3).
///
/// # Safety
/// As fi_tostr_r(3): `buf` has `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_tostr_r(
    buf: *mut c_char,
    len: usize,
    data: *const c_void,
    datatype: c_int,
) -> *mut c_char {
    // SAFETY: by contract.
    guard(std::ptr::null_mut(), || unsafe { tostr::in_buffer(buf, len, data, datatype as u32) })
}

/// fi_log_enabled of fi_provider(3).
///
/// # Safety
/// `prov` is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_log_enabled(prov: *const fi_provider, level: c_int, subsys: c_int) -> c_int {
    // SAFETY: by contract.
    guard(0, || unsafe { log::enabled(prov, level as u32, subsys as u32) }.into())
}

/// fi_log_ready of fi_provider(3).
///
/// # Safety
/// `prov` is NULL or valid, `showtime` NULL or the call site's state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_log_ready(
    prov: *const fi_provider,
    level: c_int,
    subsys: c_int,
    showtime: *mut u64,
) -> c_int {
    guard(0, || {
        // SAFETY: by contract.
        match unsafe { showtime.as_mut() } {
            // SAFETY: by contract.
            Some(state) => unsafe { log::ready(prov, level as u32, subsys as u32, state) }.into(),
            None => 0,
        }
    })
}

/// fi_log of fi_provider(3), with the text made.
///
/// # Safety
/// `prov` is NULL or valid; `func` and `text` are NULL or C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_log_text(
    prov: *const fi_provider,
    level: c_int,
    subsys: c_int,
    func: *const c_char,
    line: c_int,
    text: *const c_char,
) {
    // SAFETY: by contract.
    guard((), || unsafe { log::write(prov, level as u32, subsys as u32, func, line, text) });
}

/// fi_param_define of fi_provider(3), with the help made.
///
/// # Safety
/// `provider` is NULL or valid; `name` and `help` are NULL or C strings.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_param_define(
    provider: *const fi_provider,
    name: *const c_char,
    kind: c_int,
    help: *const c_char,
) -> c_int {
    // SAFETY: by contract.
    code(|| unsafe { params::define(provider, name, kind as u32, help) })
}

/// fi_param_get of fi_provider(3).
///
/// # Safety
/// `provider` is NULL or valid, `name` NULL or a C string, `value` NULL or room for the declared type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_param_get(
    provider: *mut fi_provider,
    name: *const c_char,
    value: *mut c_void,
) -> c_int {
    // SAFETY: by contract.
    code(|| unsafe { params::get(provider, name, value) })
}

/// fi_getparams(3). Providers declare theirs when they are loaded, so this loads them.
///
/// # Safety
/// Both pointers are NULL or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_getparams(out: *mut *mut fi_param, count: *mut c_int) -> c_int {
    code(|| {
        if out.is_null() || count.is_null() {
            return Err(abi::FI_EINVAL);
        }
        registry::init();
        let (array, n) = params::list()?;
        // SAFETY: both are writable by contract.
        unsafe {
            *out = array;
            *count = n as c_int;
        }
        Ok(())
    })
}

/// fi_freeparams(3).
///
/// # Safety
/// As fi_freeparams(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_freeparams(array: *mut fi_param) {
    // SAFETY: by contract.
    guard((), || unsafe { params::free_list(array) });
}

/// fi_open(3).
///
/// # Safety
/// As fi_open(3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ofi_open(
    version: u32,
    name: *const c_char,
    _attr: *mut c_void,
    attr_len: usize,
    flags: u64,
    out: *mut *mut fid,
    context: *mut c_void,
) -> c_int {
    // SAFETY: by contract.
    code(|| unsafe { open::open(version, name, attr_len, flags, out, context) })
}

/// The library is unloaded or the process ends: providers are told, their libraries closed.
#[unsafe(no_mangle)]
pub extern "C" fn ofi_fini() {
    guard((), registry::fini);
}
