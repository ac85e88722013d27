//! Time as the caller tells it: nanoseconds since any fixed start.

use std::ops::{Add, Sub};

/// A point in time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Time(pub u64);

/// Nanoseconds in a microsecond and a millisecond.
pub const US: u64 = 1_000;
pub const MS: u64 = 1_000_000;

impl Time {
    /// Further away than any deadline.
    pub const NEVER: Time = Time(u64::MAX);

    /// Nanoseconds from `earlier` to this point; 0 when it is not earlier.
    #[inline]
    pub fn since(self, earlier: Time) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// In units of the header's timestamp, modulo 2^32.
    #[inline]
    pub(crate) fn ticks(self) -> u32 {
        (self.0 / wire::pds::TICK) as u32
    }
}

impl Add<u64> for Time {
    type Output = Time;
    #[inline]
    fn add(self, ns: u64) -> Time {
        Time(self.0.saturating_add(ns))
    }
}

impl Sub<u64> for Time {
    type Output = Time;
    #[inline]
    fn sub(self, ns: u64) -> Time {
        Time(self.0.saturating_sub(ns))
    }
}
