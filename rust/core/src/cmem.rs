//! Memory that C frees: everything here comes from C's allocator.

use libc::{c_char, c_void};

/// A zeroed `T`, or NULL when memory is out.
pub(crate) fn zeroed<T>() -> *mut T {
    // SAFETY: calloc takes any sizes.
    unsafe { libc::calloc(1, size_of::<T>()) }.cast()
}

/// A copy of `len` bytes. `Err` when memory is out; NULL for nothing to copy.
///
/// # Safety
/// `src` is NULL or has `len` readable bytes.
pub(crate) unsafe fn dup_bytes(src: *const c_void, len: usize) -> Result<*mut c_void, ()> {
    if src.is_null() || len == 0 {
        return Ok(std::ptr::null_mut());
    }
    // SAFETY: `len` bytes are readable by contract and were just allocated.
    unsafe {
        let p = libc::malloc(len);
        if p.is_null() {
            return Err(());
        }
        std::ptr::copy_nonoverlapping(src.cast::<u8>(), p.cast::<u8>(), len);
        Ok(p)
    }
}

/// A copy of a C string. `Err` when memory is out; NULL for NULL.
///
/// # Safety
/// `src` is NULL or a C string.
pub(crate) unsafe fn dup_str(src: *const c_char) -> Result<*mut c_char, ()> {
    if src.is_null() {
        return Ok(std::ptr::null_mut());
    }
    // SAFETY: a C string by contract.
    let p = unsafe { libc::strdup(src) };
    if p.is_null() { Err(()) } else { Ok(p) }
}

/// A Rust text as a C string from C's allocator; NULL when memory is out. Zero bytes are left out.
pub(crate) fn c_string(s: &str) -> *mut c_char {
    let mut bytes: Vec<u8> = s.bytes().filter(|b| *b != 0).collect();
    bytes.push(0);
    // SAFETY: `bytes` is readable for its whole length.
    unsafe { dup_bytes(bytes.as_ptr().cast(), bytes.len()) }.unwrap_or(std::ptr::null_mut()).cast()
}

/// Frees a block of C's allocator; NULL is fine.
///
/// # Safety
/// `p` is NULL or was allocated by C's allocator and is not used again.
pub(crate) unsafe fn free<T>(p: *mut T) {
    // SAFETY: by contract.
    unsafe { libc::free(p.cast()) }
}

/// Text of a C string for comparison and printing; `None` for NULL. Bytes that are no UTF-8 become U+FFFD.
///
/// # Safety
/// `p` is NULL or a C string.
pub(crate) unsafe fn text(p: *const c_char) -> Option<String> {
    // SAFETY: by contract.
    (!p.is_null()).then(|| unsafe { std::ffi::CStr::from_ptr(p) }.to_string_lossy().into_owned())
}
