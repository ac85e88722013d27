//! Reliable packet delivery, sans-IO: packets with sequence numbers to many peers, each acknowledged, repeated when lost, and
//! given up when its peer is dead. It knows no socket, no clock, no thread and no message: it is told the time and the
//! packets that came in, and says which headers to send.
//!
//! Packets may be handed up out of order; putting them in order is the upper layer's affair. The upper layer's packets are
//! known by a small token each, from which it can make the same packet again.
//!
//! [`Delivery`] is the whole of one endpoint: `table` finds sessions, `receive` takes packets in, `timers` acts on time,
//! `session`, `tx`, `rx` and `rtt` are one peer, `law` is congestion control.
#![forbid(unsafe_code)]

mod config;
mod event;
pub mod law;
mod receive;
mod rtt;
mod rx;
mod session;
mod stats;
mod table;
mod time;
mod timers;
mod tx;

pub use config::{Config, MAX_WINDOW, MIN_PAYLOAD};
pub use event::{Event, SessionError};
pub use receive::{Dropped, Received};
pub use stats::Stats;
pub use table::{Delivery, SessionId};
pub use time::{MS, Time, US};
pub use wire::pds::{Header, HeaderBytes};
