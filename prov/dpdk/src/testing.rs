//! What unit tests need beside the code that they test: memory lent to operations, and the one symbol of the library's core
//! that they would miss without it.

use kit::UserIov;

/// Memory to send from or receive into. The caller keeps it in place and looks at it only after the completion.
pub fn lend(memory: &[u8]) -> UserIov {
    // SAFETY: tests keep to the function's contract.
    unsafe { UserIov::one(memory.as_ptr().cast(), memory.len()) }
}

#[unsafe(no_mangle)]
extern "C" fn fi_strerror(_errnum: libc::c_int) -> *const libc::c_char {
    c"error".as_ptr()
}
