//! Round-trip time and the retransmission timeout (RFC 6298 sections 2 and 5).

use crate::config::Config;

/// Smoothed round-trip time, its variation, and the backoff of the timeout.
#[derive(Clone, Debug)]
pub(crate) struct Rtt {
    /// None before the first sample.
    smoothed: Option<u64>,
    variation: u64,
    pub(crate) latest: u64,
    backoff: u32,
}

impl Rtt {
    pub(crate) fn new() -> Rtt {
        Rtt { smoothed: None, variation: 0, latest: 0, backoff: 0 }
    }

    pub(crate) fn sample(&mut self, rtt: u64) {
        self.latest = rtt;
        self.backoff = 0;
        match self.smoothed {
            None => {
                self.smoothed = Some(rtt);
                self.variation = rtt / 2;
            }
            Some(s) => {
                self.variation = (3 * self.variation + s.abs_diff(rtt)) / 4;
                self.smoothed = Some((7 * s + rtt) / 8);
            }
        }
    }

    /// None before the first sample.
    pub(crate) fn smoothed(&self) -> Option<u64> {
        self.smoothed
    }

    pub(crate) fn rto(&self, c: &Config) -> u64 {
        let base = match self.smoothed {
            None => c.initial_rto,
            Some(s) => s + 4 * self.variation,
        };
        let base = base.clamp(c.min_rto, c.max_rto);
        base.saturating_mul(1 << self.backoff.min(16)).min(c.max_rto)
    }

    /// After which a tail that nobody acknowledged is sent again (RFC 8985 section 7.2: two round trips).
    pub(crate) fn probe_after(&self, c: &Config) -> u64 {
        let Some(s) = self.smoothed else { return c.initial_rto };
        (2 * s + 2 * self.variation).max(c.min_probe).min(self.rto(c))
    }

    pub(crate) fn back_off(&mut self) {
        self.backoff += 1;
    }

    pub(crate) fn reset_backoff(&mut self) {
        self.backoff = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::MS;

    #[test]
    fn timeouts_follow_samples_within_bounds_and_back_off() {
        let c = Config::default();
        let mut r = Rtt::new();
        assert_eq!(r.rto(&c), c.initial_rto);
        r.sample(10_000);
        assert_eq!(r.rto(&c), c.min_rto);
        r.back_off();
        assert_eq!(r.rto(&c), 2 * c.min_rto);
        (0..40).for_each(|_| r.back_off());
        assert_eq!(r.rto(&c), c.max_rto);
        for _ in 0..100 {
            r.sample(20 * MS);
        }
        assert!((20 * MS..22 * MS).contains(&r.rto(&c)));
    }
}
