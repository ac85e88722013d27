//! Raw frames between two processes over one device, as fast as the device goes: the limit that the provider is
//! measured against. One thread polls one queue pair; there is no protocol beyond a greeting and a farewell.

mod blast;
pub mod frame;
mod link;
mod pingpong;

pub use blast::{Received, Sent, receive, send};
pub use link::Link;
pub use pingpong::{RoundTrips, echo, ping};

use std::fmt;
use std::time::Duration;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    Frames(u64),
    Time(Duration),
}

/// What is measured. Both sides must mean the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Mode {
    Pingpong = 1,
    Blast,
}

/// Why there is no figure.
#[derive(Debug)]
pub enum Error {
    Dpdk(dpdk::Error),
    /// The frame size is below what every frame carries, or above what the port does.
    Size {
        size: usize,
        least: usize,
        most: usize,
    },
    /// The other side is not there, or went away.
    Silent {
        what: &'static str,
        seconds: u64,
    },
    /// The other side measures something else.
    OtherMode,
    /// The pool stayed empty.
    NoMbuf,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Dpdk(e) => e.fmt(f),
            Error::Size { size, least, most } => {
                write!(
                    f,
                    "frames of {size} bytes cannot be sent, only {least} to {most}: see --size and --mtu"
                )
            }
            Error::Silent { what, seconds } => {
                write!(f, "{what} for {seconds} s: is the other side running?")
            }
            Error::OtherMode => {
                f.write_str("the client measures something else: give both sides the same --mode")
            }
            Error::NoMbuf => f.write_str("the device gives no mbufs back"),
        }
    }
}

impl std::error::Error for Error {}

impl From<dpdk::Error> for Error {
    fn from(e: dpdk::Error) -> Self {
        Error::Dpdk(e)
    }
}
