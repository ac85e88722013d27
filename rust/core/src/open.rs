//! `fi_open`: objects of the library itself, by name. There is one, "logging", by which an application brings its own
//! log: `fi_import_log` opens it, binds the application's `fid_logging` to it and closes it again.

use crate::{Code, cmem, log};
use abi::{fid, fid_logging};
use libc::{c_char, c_int, c_void};

static mut OPS: abi::fi_ops = abi::fi_ops {
    size: size_of::<abi::fi_ops>(),
    close: Some(close),
    bind: Some(bind),
    control: None,
    ops_open: None,
    tostr: None,
    ops_set: None,
};

/// Opens an object by name.
///
/// `FI_ENOSYS` for an unknown name; for "logging" `FI_EINVAL` when the version is before 1.13 or there are attributes,
/// `FI_EBADFLAGS` for any flag, `FI_EALREADY` when an application has taken over already.
///
/// # Safety
/// `name` is NULL or a C string; `out` is NULL or writable.
pub(crate) unsafe fn open(
    version: u32,
    name: *const c_char,
    attr_len: usize,
    flags: u64,
    out: *mut *mut fid,
    context: *mut c_void,
) -> Result<(), Code> {
    // SAFETY: by contract.
    let name = unsafe { cmem::text(name) }.ok_or(abi::FI_EINVAL)?;
    if !name.eq_ignore_ascii_case("logging") {
        return Err(abi::FI_ENOSYS);
    }
    if version < abi::FI_VERSION(1, 13) || attr_len != 0 || out.is_null() {
        return Err(abi::FI_EINVAL);
    }
    if flags != 0 {
        return Err(abi::FI_EBADFLAGS);
    }
    if log::is_imported() {
        return Err(abi::FI_EALREADY);
    }
    let made: *mut fid = cmem::zeroed();
    if made.is_null() {
        return Err(abi::FI_ENOMEM);
    }
    // SAFETY: `made` was just allocated, `out` is writable.
    unsafe {
        *made = fid { fclass: abi::FI_CLASS_LOG as usize, context, ops: &raw mut OPS };
        *out = made;
    }
    Ok(())
}

unsafe extern "C" fn close(fid: *mut fid) -> c_int {
    // SAFETY: made by `open`.
    unsafe { cmem::free(fid) };
    0
}

unsafe extern "C" fn bind(_fid: *mut fid, theirs: *mut fid, flags: u64) -> c_int {
    // SAFETY: NULL or the application's object.
    let Some(class) = (unsafe { theirs.as_ref() }).map(|f| f.fclass) else { return -abi::FI_EINVAL };
    if class != abi::FI_CLASS_LOG as usize {
        return -abi::FI_EINVAL;
    }
    if flags != 0 {
        return -abi::FI_EBADFLAGS;
    }
    if log::is_imported() {
        return -abi::FI_EALREADY;
    }
    // SAFETY: the class says that this is a fid_logging.
    let ops = unsafe { (*theirs.cast::<fid_logging>()).ops };
    // SAFETY: NULL or the application's operations.
    match unsafe { ops.as_ref() } {
        Some(o) if o.size >= size_of::<abi::fi_ops_log>() => {
            log::import(ops);
            0
        }
        _ => -abi::FI_EINVAL,
    }
}
