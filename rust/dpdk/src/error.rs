//! What can go wrong, told apart by what its user can do about it.

use std::ffi::CStr;
use std::fmt;

/// An error of EAL, a device or a port. Numbers are positive `errno` values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// EAL did not start; it cannot be tried again in this process.
    Eal { args: String, errno: i32 },
    /// A text for DPDK contains a NUL byte.
    Nul(String),
    /// No such device, or no driver for it.
    NotFound { device: String },
    /// Somebody else uses the device.
    Busy { device: String },
    /// The driver does not take the device's arguments.
    BadArguments { device: String, errno: i32 },
    /// The driver failed otherwise.
    Driver { device: String, errno: i32 },
    /// DPDK's table of ports is full.
    TooManyPorts { device: String },
    /// The device cannot carry packets of this size.
    Mtu { device: String, mtu: u16, limit: u16 },
    /// A step of bringing the port up failed.
    Start { device: String, step: &'static str, errno: i32 },
    /// No memory for a pool.
    Pool { bytes: usize, errno: i32 },
}

impl Error {
    /// The system's number behind the error, where there is one.
    pub fn errno(&self) -> Option<i32> {
        match self {
            Error::Eal { errno, .. }
            | Error::BadArguments { errno, .. }
            | Error::Driver { errno, .. }
            | Error::Start { errno, .. }
            | Error::Pool { errno, .. } => Some(*errno),
            _ => None,
        }
    }
}

/// DPDK's text for an error number.
pub(crate) fn text(errno: i32) -> String {
    // SAFETY: rte_strerror accepts any number and returns a string in thread-local or static storage, copied at once.
    unsafe { CStr::from_ptr(dpdk_sys::rte_strerror(errno)) }.to_string_lossy().into_owned()
}

/// `rte_errno` of this thread.
pub(crate) fn rte_errno() -> i32 {
    // SAFETY: reads a thread-local number.
    unsafe { dpdk_sys::shim_errno() }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Eal { args, errno } => write!(f, "EAL does not start with '{args}': {}", text(*errno)),
            Error::Nul(what) => write!(f, "{what:?} contains a NUL byte"),
            Error::NotFound { device } => write!(f, "device '{device}' does not exist or has no driver"),
            Error::Busy { device } => write!(f, "device '{device}' is in use"),
            Error::BadArguments { device, errno } => {
                write!(f, "the driver refuses the arguments of '{device}': {}", text(*errno))
            }
            Error::Driver { device, errno } => {
                write!(f, "device '{device}' cannot be opened: {}", text(*errno))
            }
            Error::TooManyPorts { device } => {
                write!(f, "no room for '{device}': {} ports are open", dpdk_sys::RTE_MAX_ETHPORTS)
            }
            Error::Mtu { device, mtu, limit } => {
                write!(f, "device '{device}' carries at most {limit} bytes, not {mtu}")
            }
            Error::Start { device, step, errno } => {
                write!(f, "device '{device}' does not start ({step}): {}", text(*errno))
            }
            Error::Pool { bytes, errno } => write!(f, "no pool of {bytes} bytes: {}", text(*errno)),
        }
    }
}

impl std::error::Error for Error {}
