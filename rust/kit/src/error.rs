//! The one error type of providers: a libfabric error number.

use std::ffi::CStr;
use std::fmt;

/// A positive `FI_E*` number. At the C boundary it is returned negated.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(i32);

/// Result of anything a provider does.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// From a positive `FI_E*` constant. A number that is no error becomes `FI_EOTHER`.
    pub const fn new(fi_errno: i32) -> Error {
        if fi_errno > 0 { Error(fi_errno) } else { Error(abi::FI_EOTHER) }
    }
    /// From a negative return value of a C function.
    pub const fn from_ret(ret: i32) -> Error {
        Error::new(-ret)
    }
    /// The positive number.
    pub const fn code(self) -> i32 {
        self.0
    }
    /// The negative number that the C interface returns.
    pub const fn ret(self) -> i32 {
        -self.0
    }
    pub const AGAIN: Error = Error(abi::FI_EAGAIN);
    pub const BUSY: Error = Error(abi::FI_EBUSY);
    pub const INVAL: Error = Error(abi::FI_EINVAL);
    pub const NODATA: Error = Error(abi::FI_ENODATA);
    pub const NOMEM: Error = Error(abi::FI_ENOMEM);
    pub const NOSYS: Error = Error(abi::FI_ENOSYS);
    pub const BADFLAGS: Error = Error(abi::FI_EBADFLAGS);
    pub const OPBADSTATE: Error = Error(abi::FI_EOPBADSTATE);
    pub const MSGSIZE: Error = Error(abi::FI_EMSGSIZE);
}

impl From<std::io::Error> for Error {
    /// The system's number where there is one, since `FI_E*` below 256 are `errno` values.
    fn from(e: std::io::Error) -> Error {
        Error::new(e.raw_os_error().unwrap_or(abi::FI_EIO))
    }
}

/// Text of a provider-specific or libfabric error number.
pub(crate) fn text(code: i32) -> &'static CStr {
    // SAFETY: fi_strerror accepts any number and returns a string that lives as long as the library, except for
    // system errors, whose text lives in static storage of the C library.
    unsafe { CStr::from_ptr(abi::fi_strerror(code)) }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FI error {} ({})", self.0, text(self.0).to_string_lossy())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(self.0).to_string_lossy())
    }
}

impl std::error::Error for Error {}
