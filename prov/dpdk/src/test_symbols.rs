//! The one symbol of the library's core that unit tests need, so that they link without it.

#[unsafe(no_mangle)]
extern "C" fn fi_strerror(_errnum: libc::c_int) -> *const libc::c_char {
    c"error".as_ptr()
}
