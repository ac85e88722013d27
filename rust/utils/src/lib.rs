//! What the tools share: the C interface of libfabric in owned Rust values. Each value closes or frees its object when it is
//! dropped.

mod connected;
mod endpoint;
mod info;

pub use endpoint::{Av, Cq, Endpoint, EndpointKind, Transfer};
pub use info::{Hints, Info, InfoList, flags_from_text, owned_by_c, tostr};

use std::ffi::CStr;
use std::fmt;

/// A negative return value, with the call that gave it.
#[derive(Debug, Clone)]
pub struct Failed {
    pub call: &'static str,
    /// Positive `FI_E*` number.
    pub code: i32,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.call, -self.code, strerror(self.code))
    }
}

impl std::error::Error for Failed {}

/// 0 or more is success.
pub fn check(call: &'static str, ret: impl Into<i64>) -> Result<i64, Failed> {
    let ret = ret.into();
    if ret < 0 { Err(Failed { call, code: -ret as i32 }) } else { Ok(ret) }
}

/// Text of an error number of either sign.
pub fn strerror(code: i32) -> String {
    // SAFETY: accepts any number; the text is static.
    unsafe { CStr::from_ptr(abi::fi_strerror(code)) }.to_string_lossy().into_owned()
}

/// Version of the library that runs, as text with its revision.
pub fn library_version() -> String {
    tostr(&0u32, abi::FI_TYPE_VERSION)
}
