//! Congestion control laws: how many packets may be in flight. One file a law.

mod aimd;
mod fixed;

pub use aimd::Aimd;
pub use fixed::Fixed;

use crate::time::Time;

/// What a law hears and says. Laws know neither packets nor peers.
pub trait Law: Send {
    /// Packets that may be in flight.
    fn window(&self) -> u32;
    /// `acked` packets were newly acknowledged; `rtt` is the round trip measured with it (ns), if any; `ecn` tells that
    /// the network marked packets.
    fn on_ack(&mut self, now: Time, acked: u32, rtt: Option<u64>, ecn: bool);
    /// Packets were found lost, for the first time in this flight.
    fn on_loss(&mut self, now: Time);
    /// Nothing was acknowledged for a whole timeout.
    fn on_timeout(&mut self, now: Time);
    /// The last loss or timeout was none: the packets had only been late.
    fn on_spurious(&mut self);
}

/// Which law new sessions get.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Choice {
    #[default]
    Aimd,
    Fixed,
}

impl Choice {
    pub(crate) fn make(self, max: u32) -> Box<dyn Law> {
        match self {
            Choice::Aimd => Box::new(Aimd::new(max)),
            Choice::Fixed => Box::new(Fixed::new(max)),
        }
    }
}
