//! Time for protocols: nanoseconds from the CPU's time stamp counter, a few instructions per reading.

use std::time::Instant;

/// A monotonic clock that starts at zero.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: u64,
    /// Nanoseconds per tick, as a fixed-point number with 32 fraction bits; 0: use the system's clock.
    scale: u64,
    start: Instant,
}

impl Clock {
    /// Starts a clock. Needs EAL for the counter's frequency.
    pub fn start(_eal: &crate::Eal) -> Clock {
        // SAFETY: EAL runs; both only read.
        let (origin, hz) = unsafe { (dpdk_sys::shim_tsc(), dpdk_sys::rte_get_tsc_hz()) };
        let scale = match hz {
            0 => 0,
            hz => u64::try_from((1_000_000_000u128 << 32) / u128::from(hz)).unwrap_or(0),
        };
        Clock { origin, scale, start: Instant::now() }
    }

    /// Nanoseconds since the start.
    #[inline]
    pub fn now(&self) -> u64 {
        if self.scale == 0 {
            return self.start.elapsed().as_nanos() as u64;
        }
        // SAFETY: reads the counter.
        let ticks = unsafe { dpdk_sys::shim_tsc() }.wrapping_sub(self.origin);
        // Counters of different sockets may differ by a little: a reading from before the start counts as the start.
        if ticks > i64::MAX as u64 {
            return 0;
        }
        ((u128::from(ticks) * u128::from(self.scale)) >> 32) as u64
    }
}
