//! The message layer of one endpoint, sans-IO: messages and tagged messages of any size, matched in order, over the packets
//! of `delivery`. It knows no socket, no device and no clock; the application's memory is behind two small traits.
//!
//! Small messages are sent at once (eager); larger ones are announced and sent when a receive matches (rendezvous), then
//! placed straight into the receive's buffer wherever their packets arrive from. [`Endpoint`] is the whole; `send` and
//! `transmit` are its sending half, `receive` and `matching` its receiving half, `failure` what becomes of operations
//! when a peer is gone.
#![forbid(unsafe_code)]

mod completion;
mod config;
mod driver;
mod endpoint;
mod failure;
mod matching;
mod op;
mod peek;
mod peer;
mod receive;
mod send;
mod transmit;

pub use completion::Completion;
pub use config::{Config, LONGEST_EAGER, Stats};
pub use delivery::{MS, SessionId, Time, US};
pub use driver::{Body, Driver, Ready};
pub use endpoint::Endpoint;
pub use op::{Kind, Recv, RecvBuffer, RecvKind, Send, SendBuffer, SendError};
pub use peek::Found;
