//! The process environment as C sees it: values are pointers into it, not copies, since that is what `fi_param_get`
//! hands out.

use libc::c_char;
use std::ffi::CStr;

/// Tests of one program set variables while others read them.
#[cfg(test)]
static LOCK: std::sync::RwLock<()> = std::sync::RwLock::new(());

/// The environment's own text of a variable; NULL when it is not set.
pub(crate) fn raw(name: &CStr) -> *const c_char {
    #[cfg(test)]
    let _reading = LOCK.read();
    // SAFETY: a C string. As with any getenv, the application must not change the environment meanwhile.
    unsafe { libc::getenv(name.as_ptr()) }
}

/// A copy of a variable's text.
pub(crate) fn text(name: &CStr) -> Option<String> {
    // SAFETY: NULL or a C string.
    unsafe { crate::cmem::text(raw(name)) }
}

/// True when the program runs with more rights than its caller (set-user-id), who must then not choose what is loaded.
pub(crate) fn is_privileged() -> bool {
    // SAFETY: no memory is passed.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

/// Sets or removes a variable.
#[cfg(test)]
pub(crate) fn set(name: &CStr, value: Option<&CStr>) {
    let _writing = LOCK.write();
    // SAFETY: C strings; the lock keeps this program's readers away. glibc leaves old texts in place.
    unsafe {
        match value {
            Some(v) => libc::setenv(name.as_ptr(), v.as_ptr(), 1),
            None => libc::unsetenv(name.as_ptr()),
        };
    }
}
