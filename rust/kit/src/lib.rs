//! What every provider shares: fabric, domain, endpoint, address vector, queues and memory regions as the C API knows
//! them, over the safe traits of [`provider`].
//!
//! A provider implements [`Provider`], [`Domain`] and [`Endpoint`] and exports its entry by [`provider_entry!`]. The kit
//! owns the C objects, their reference counts and locks, negotiates attributes, and calls the provider with checked
//! arguments. It knows no packet, socket or device.

#![allow(clippy::too_many_arguments, reason = "the C API's own signatures")]

pub mod addr;
mod av;
mod av_obj;
pub mod completion;
mod cq;
mod cq_obj;
mod domain;
mod entry;
mod ep;
mod eq;
mod error;
mod fabric;
mod ffi;
mod info;
mod iov;
pub mod lock;
mod log;
mod mr;
pub mod negotiate;
pub mod offer;
pub mod param;
pub mod provider;
pub mod query;
mod transfer;

// Tests find the library's C functions (fi_log and the like) in the core.
#[cfg(test)]
use ofi_core as _;

pub use completion::{Completion, Failure, Sink};
pub use entry::entry;
pub use error::{Error, Result};
pub use iov::{IOV_LIMIT, UserIov};
pub use offer::{Nic, Offer};
pub use provider::*;
pub use query::Query;
