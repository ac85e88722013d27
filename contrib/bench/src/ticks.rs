//! Times of less than a microsecond: readings of the processor's counter, of which the whole run tells the length. A call to the
//! system's clock would be a visible part of what is measured; the raw programs have DPDK's clock, which does the same.

use std::time::Instant;

/// A run of measurements.
pub struct Ticks {
    begun: Instant,
    first: u64,
}

impl Ticks {
    pub fn start() -> Ticks {
        Ticks { begun: Instant::now(), first: Ticks::now() }
    }

    /// The counter's value. Only differences mean something.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn now() -> u64 {
        // SAFETY: reads a counter, which every x86-64 processor has.
        unsafe { std::arch::x86_64::_rdtsc() }
    }

    /// The counter's value. Only differences mean something.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    pub fn now() -> u64 {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_nanos() as u64
    }

    /// Nanoseconds of one tick, as the run so far tells: call it at the end of a run of some milliseconds at least.
    pub fn nanoseconds(&self) -> f64 {
        let ticks = Ticks::now().saturating_sub(self.first).max(1);
        self.begun.elapsed().as_nanos() as f64 / ticks as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_tells_how_long_a_tick_is() {
        // Pairs of readings may be torn apart by the scheduler: one undisturbed attempt is enough.
        let attempt = || {
            let run = Ticks::start();
            let (begun, first) = (Instant::now(), Ticks::now());
            std::thread::sleep(std::time::Duration::from_millis(5));
            let (ticks, elapsed) = (Ticks::now() - first, begun.elapsed().as_nanos() as f64);
            (ticks as f64 * run.nanoseconds() / elapsed - 1.0).abs() < 0.1
        };
        assert!((0..100).any(|_| attempt()));
    }
}
