//! Texts of error numbers: the system's below 256, our own for the fabric errors above.

use libc::{c_char, c_int};
use std::ffi::CStr;

/// Texts from `FI_EOTHER` on, in order: those that programs and their users know, word for word.
const FABRIC: [&CStr; (abi::FI_ERRNO_MAX - abi::FI_ERRNO_OFFSET) as usize] = [
    c"Unspecified error",
    c"Provided buffer is too small",
    c"Operation not permitted in current state",
    c"Error available",
    c"Flags not supported",
    c"Missing or unavailable event queue",
    c"Invalid resource domain",
    c"Missing or unavailable completion queue",
    c"CRC error",
    c"Truncation error",
    c"Required key not available",
    c"Missing or unavailable address vector",
    c"Queue has been overrun",
    c"Receiver not ready, no receive buffers available",
    c"No matching memory region",
    c"Address is behind a firewall",
];

/// Text of an error number of either sign. Never NULL.
pub(crate) fn text(errnum: c_int) -> *const c_char {
    let n = errnum.unsigned_abs();
    if n < abi::FI_ERRNO_OFFSET as u32 {
        // SAFETY: strerror takes any number; glibc's text for a known one is constant, as with any strerror.
        return unsafe { libc::strerror(n as c_int) };
    }
    FABRIC.get((n - abi::FI_ERRNO_OFFSET as u32) as usize).unwrap_or(&FABRIC[0]).as_ptr()
}

/// The same as a Rust text, for log lines.
pub(crate) fn string(errnum: c_int) -> String {
    // SAFETY: never NULL.
    unsafe { crate::cmem::text(text(errnum)) }.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_does_not_matter_and_unknown_numbers_have_a_text() {
        assert_eq!(string(-abi::FI_ENOENT), string(abi::FI_ENOENT));
        assert_eq!(string(abi::FI_EINVAL), "Invalid argument");
        assert_eq!(string(0), "Success");
        assert_eq!(string(-abi::FI_ETRUNC), "Truncation error");
        for n in [abi::FI_ERRNO_MAX, 1000, i32::MAX, i32::MIN] {
            assert_eq!(string(n), string(abi::FI_EOTHER));
        }
        assert_ne!(string(abi::FI_EFIREWALLADDR), string(abi::FI_EOTHER));
    }
}
