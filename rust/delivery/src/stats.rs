//! What happened, counted. All counters start at zero and only grow.

/// Counters of one endpoint's delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub data_sent: u64,
    pub data_received: u64,
    pub acks_sent: u64,
    pub acks_received: u64,
    pub probes_sent: u64,
    pub resets_sent: u64,
    /// Packets sent again, by what told that they were missing.
    pub resent_by_ack: u64,
    pub resent_by_probe: u64,
    pub resent_by_timeout: u64,
    /// Retransmission timeouts, and those of them that proved needless.
    pub timeouts: u64,
    pub spurious_timeouts: u64,
    /// Data received more than once.
    pub duplicates: u64,
    /// Data that the upper layer had no room for.
    pub refused: u64,
    /// Packets that were not understood.
    pub malformed: u64,
    pub bad_version: u64,
    /// Data beyond the window.
    pub beyond_window: u64,
    /// Acknowledgements of what was never sent.
    pub bad_ack: u64,
    /// Packets of a session that is not ours, or of an earlier incarnation.
    pub wrong_epoch: u64,
    pub bad_reset: u64,
    pub sessions_opened: u64,
    pub sessions_failed: u64,
}
