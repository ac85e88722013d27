//! What can be set, and what is counted.

/// Parameters of an endpoint.
#[derive(Clone, Debug)]
pub struct Config {
    pub delivery: delivery::Config,
    /// Sends that may be outstanding.
    pub tx_size: usize,
    /// Receives that may be posted, untagged and tagged together.
    pub rx_size: usize,
    /// Messages up to this many bytes are sent without asking; at most `longest_eager`.
    pub eager: usize,
    /// Longest message that peers may send without asking: each endpoint has memory for one. It is the same at all endpoints
    /// of a network, [`LONGEST_EAGER`] but for studies.
    pub longest_eager: usize,
    /// Bytes that may be held for messages without a matching receive, with what each takes by itself. Past it peers are
    /// held back. There is room for two of the longest eager messages at least: one whose turn it is, and one before its turn.
    pub unexpected: usize,
}

/// What the protocol allows to be sent without asking.
pub const LONGEST_EAGER: usize = 64 * 1024;

impl Config {
    /// The same with everything within its bounds.
    pub(crate) fn within_bounds(mut self) -> Config {
        self.eager = self.eager.min(self.longest_eager);
        self.unexpected = self.unexpected.max(2 * (self.longest_eager + OVERHEAD));
        self
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            delivery: delivery::Config::default(),
            tx_size: 1024,
            rx_size: 1024,
            eager: 16 * 1024,
            longest_eager: LONGEST_EAGER,
            unexpected: 16 << 20,
        }
    }
}

/// What a message that is held takes beside its bytes.
pub(crate) const OVERHEAD: usize = 128;

/// Counters of the message layer. They start at zero and only grow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub sent: u64,
    pub received: u64,
    /// Messages that found no posted receive when they came.
    pub unexpected: u64,
    /// Messages that did not fit their receive's buffer.
    pub truncated: u64,
    /// Message headers that were not understood, or named an operation that does not exist.
    pub malformed: u64,
    pub send_failures: u64,
    pub receive_failures: u64,
}
