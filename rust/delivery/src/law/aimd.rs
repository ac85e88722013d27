//! Additive increase, multiplicative decrease, as RFC 5681 with CUBIC's gentler decrease (RFC 9438: 0.7) and a floor
//! that suits links of microseconds: a lost packet there is rarely a queue that was full for long.

use super::Law;
use crate::time::Time;

/// Window at the start, and the least one after a loss.
const START: u32 = 64;
const FLOOR: u32 = 16;

pub struct Aimd {
    max: u32,
    window: u32,
    /// Slow start ends here.
    threshold: u32,
    /// Acknowledged packets counted towards the next increase by one.
    credit: u32,
    /// Before the last decrease, to undo it.
    before: (u32, u32),
}

impl Aimd {
    pub fn new(max: u32) -> Aimd {
        let window = START.min(max);
        Aimd { max, window, threshold: max, credit: 0, before: (window, max) }
    }
}

impl Law for Aimd {
    fn window(&self) -> u32 {
        self.window
    }

    fn on_ack(&mut self, _: Time, acked: u32, _: Option<u64>, _: bool) {
        if self.window >= self.max {
            return;
        }
        if self.window < self.threshold {
            self.window = (self.window + acked).min(self.max);
            return;
        }
        self.credit += acked;
        if self.credit >= self.window {
            self.credit -= self.window;
            self.window += 1;
        }
    }

    fn on_loss(&mut self, _: Time) {
        self.before = (self.window, self.threshold);
        self.window = (self.window * 7 / 10).max(FLOOR.min(self.max));
        self.threshold = self.window;
        self.credit = 0;
    }

    fn on_timeout(&mut self, _: Time) {
        self.before = (self.window, self.threshold);
        self.threshold = (self.window / 2).max(FLOOR.min(self.max));
        self.window = (FLOOR / 4).min(self.max);
        self.credit = 0;
    }

    fn on_spurious(&mut self) {
        (self.window, self.threshold) = self.before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_to_its_bound_and_recovers_from_loss() {
        let mut l = Aimd::new(256);
        for _ in 0..20 {
            l.on_ack(Time(0), 32, None, false);
        }
        assert_eq!(l.window(), 256);
        l.on_loss(Time(0));
        assert_eq!(l.window(), 179);
        l.on_spurious();
        assert_eq!(l.window(), 256);
        l.on_timeout(Time(0));
        assert_eq!(l.window(), 4);
        for _ in 0..1000 {
            l.on_ack(Time(0), 4, None, false);
        }
        assert!(l.window() > 128);
    }

    #[test]
    fn a_small_bound_is_kept() {
        let mut l = Aimd::new(2);
        l.on_loss(Time(0));
        l.on_timeout(Time(0));
        l.on_ack(Time(0), 100, None, false);
        assert!((1..=2).contains(&l.window()));
    }
}
