//! `fi_open`: objects of the library itself, by name. There is one, "logging", by which an application brings its own
//! log: `fi_import_log` opens it, binds the application's `fid_logging` to it and closes it again. What was bound has the
//! library's operations from then on: closing it gives the log back.

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

/// Operations of the application's object, once it is bound.
static mut BOUND_OPS: abi::fi_ops = abi::fi_ops {
    size: size_of::<abi::fi_ops>(),
    close: Some(give_back),
    bind: None,
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

/// The application's object is its own memory; the log is the library's again.
unsafe extern "C" fn give_back(fid: *mut fid) -> c_int {
    // SAFETY: `bind` gave these operations to a fid_logging.
    let ops = unsafe { (*fid.cast::<fid_logging>()).ops };
    log::give_back(ops);
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
            // SAFETY: the application's object, which is the library's to fill in while it is bound.
            unsafe { (*theirs).ops = &raw mut BOUND_OPS };
            0
        }
        _ => -abi::FI_EINVAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::{null, null_mut};
    use std::sync::atomic::{AtomicI32, Ordering};

    const NAME: *const c_char = c"Logging".as_ptr();
    const VERSION: u32 = abi::FI_VERSION(1, 13);

    fn try_open(name: *const c_char, version: u32, attr_len: usize, flags: u64) -> Result<*mut fid, Code> {
        let mut out = null_mut();
        // SAFETY: C strings and a writable place.
        unsafe { open(version, name, attr_len, flags, &mut out, null_mut()) }.map(|()| out)
    }

    #[test]
    fn an_application_takes_the_log_over() {
        static LINES: AtomicI32 = AtomicI32::new(0);
        unsafe extern "C" fn wanted(_: *const abi::fi_provider, level: u32, subsys: u32, _: u64) -> c_int {
            (level == abi::FI_LOG_DEBUG && subsys == abi::FI_LOG_CNTR).into()
        }
        unsafe extern "C" fn line(
            _: *const abi::fi_provider,
            _: u32,
            _: u32,
            _: *const c_char,
            line: c_int,
            _: *const c_char,
        ) {
            if line == 4711 {
                LINES.fetch_add(1, Ordering::Relaxed);
            }
        }
        assert_eq!(try_open(null(), VERSION, 0, 0), Err(abi::FI_EINVAL));
        assert_eq!(try_open(c"nothing".as_ptr(), VERSION, 0, 0), Err(abi::FI_ENOSYS));
        assert_eq!(try_open(NAME, abi::FI_VERSION(1, 12), 0, 0), Err(abi::FI_EINVAL));
        assert_eq!(try_open(NAME, VERSION, 8, 0), Err(abi::FI_EINVAL));
        assert_eq!(try_open(NAME, VERSION, 0, 1), Err(abi::FI_EBADFLAGS));

        let ops = Box::leak(Box::new(abi::fi_ops_log {
            size: size_of::<abi::fi_ops_log>(),
            enabled: Some(wanted),
            ready: None,
            log: Some(line),
        }));
        let mut mine = fid_logging {
            fid: fid { fclass: abi::FI_CLASS_UNSPEC as usize, context: null_mut(), ops: null_mut() },
            ops,
        };
        let object = try_open(NAME, VERSION, 0, 0).unwrap();
        // SAFETY: `object` is valid until closed; `ops` live for ever.
        unsafe {
            let bind = (*(*object).ops).bind.unwrap();
            assert_eq!(bind(object, null_mut(), 0), -abi::FI_EINVAL);
            assert_eq!(bind(object, &mut mine.fid, 0), -abi::FI_EINVAL, "it is no log object");
            mine.fid.fclass = abi::FI_CLASS_LOG as usize;
            assert_eq!(bind(object, &mut mine.fid, 1), -abi::FI_EBADFLAGS);
            assert_eq!(bind(object, &mut mine.fid, 0), 0);
            assert_eq!(bind(object, &mut mine.fid, 0), -abi::FI_EALREADY);
            assert_eq!(((*(*object).ops).close.unwrap())(object), 0);
            assert_eq!(try_open(NAME, VERSION, 0, 0), Err(abi::FI_EALREADY));

            assert!(log::enabled(null(), abi::FI_LOG_DEBUG, abi::FI_LOG_CNTR));
            assert!(!log::enabled(null(), abi::FI_LOG_WARN, abi::FI_LOG_CNTR));
            log::write(null(), 0, 0, c"f".as_ptr(), 4711, c"x".as_ptr());
            assert_eq!(LINES.load(Ordering::Relaxed), 1);

            // Functions that the application leaves out stay the library's, which writes nothing without FI_LOG_LEVEL.
            ops.enabled = None;
            assert!(!log::enabled(null(), abi::FI_LOG_DEBUG, abi::FI_LOG_CNTR));
            assert_eq!(((*mine.fid.ops).close.unwrap())(&mut mine.fid), 0);
            assert!(!log::is_imported());
            assert_eq!(((*mine.fid.ops).close.unwrap())(&mut mine.fid), 0, "twice does no harm");
        }
    }
}
