//! What can be set.

use crate::time::{MS, US};

/// Parameters of all sessions of an endpoint. Times are nanoseconds.
#[derive(Clone, Debug)]
pub struct Config {
    /// Largest UDP payload that this side's link carries; at least [`MIN_PAYLOAD`].
    pub max_payload: usize,
    /// Names this host where the link is its memory, and packets to a peer of the same name need no checksum; 0 elsewhere.
    pub host: u64,
    /// Packets that may be in flight to one peer; at most [`MAX_WINDOW`].
    pub window: u32,
    /// Bounds of the retransmission timeout. The lower one leaves room for a peer that was descheduled.
    pub min_rto: u64,
    pub max_rto: u64,
    /// Timeout before the first round trip was measured.
    pub initial_rto: u64,
    /// Least time before the tail of a flight is sent again to provoke an acknowledgement (RFC 8985, section 7).
    pub min_probe: u64,
    /// A peer that is waited for and from which nothing was heard for this long is dead, when it was asked often enough
    /// meanwhile.
    pub peer_timeout: u64,
    /// Accepted packets after which an acknowledgement goes out at once.
    pub ack_every: u32,
    /// How long a sender waits at first after the receiver was not ready, and at most.
    pub min_not_ready: u64,
    pub max_not_ready: u64,
}

/// UDP payload that every side can receive: the headers of both layers and some bytes. A peer that claims less is not
/// believed.
pub const MIN_PAYLOAD: usize = 256;

/// Packets that a selective acknowledgement can describe.
pub const MAX_WINDOW: u32 = 64 * wire::pds::SACK_WORDS as u32;

impl Default for Config {
    fn default() -> Config {
        Config {
            max_payload: 1472,
            host: 0,
            window: MAX_WINDOW,
            min_rto: 5 * MS,
            max_rto: 500 * MS,
            initial_rto: 20 * MS,
            min_probe: 300 * US,
            peer_timeout: 5_000 * MS,
            ack_every: 32,
            min_not_ready: 100 * US,
            max_not_ready: 10 * MS,
        }
    }
}
