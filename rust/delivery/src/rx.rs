//! The receive side of a session: which packets of the window have been accepted.

use crate::config::MAX_WINDOW;
use wire::pds::SACK_WORDS;

/// Accepted packets from `next` on. Bit 0 of word 0 is `next + 1`: `next` itself is always missing.
#[derive(Clone, Debug)]
pub(crate) struct RxWindow {
    next: u32,
    bits: [u64; SACK_WORDS],
}

/// What a PSN is to the receiver.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arrival {
    Fresh,
    Duplicate,
    /// Beyond what was ever allowed: an error or an attack.
    Beyond,
}

impl RxWindow {
    pub(crate) fn new(first: u32) -> RxWindow {
        RxWindow { next: first, bits: [0; SACK_WORDS] }
    }

    /// The lowest PSN that has not been accepted.
    #[inline]
    pub(crate) fn next(&self) -> u32 {
        self.next
    }

    pub(crate) fn bits(&self) -> [u64; SACK_WORDS] {
        self.bits
    }

    #[inline]
    pub(crate) fn has_holes(&self) -> bool {
        self.bits != [0; SACK_WORDS]
    }

    #[inline]
    pub(crate) fn check(&self, psn: u32) -> Arrival {
        let ahead = psn.wrapping_sub(self.next);
        if ahead == 0 {
            Arrival::Fresh
        } else if ahead <= MAX_WINDOW {
            let i = ahead as usize - 1;
            if self.bits[i / 64] >> (i % 64) & 1 == 1 { Arrival::Duplicate } else { Arrival::Fresh }
        } else if ahead > u32::MAX / 2 {
            Arrival::Duplicate
        } else {
            Arrival::Beyond
        }
    }

    /// Marks a fresh PSN as accepted.
    #[inline]
    pub(crate) fn accept(&mut self, psn: u32) {
        let ahead = psn.wrapping_sub(self.next);
        if ahead != 0 {
            let i = ahead as usize - 1;
            self.bits[i / 64] |= 1 << (i % 64);
            return;
        }
        self.next = self.next.wrapping_add(1);
        if self.has_holes() {
            // Bit 0 told of the packet that is `next` now: as long as it is set, go on.
            loop {
                let accepted = self.bits[0] & 1 == 1;
                self.shift();
                if !accepted {
                    return;
                }
                self.next = self.next.wrapping_add(1);
            }
        }
    }

    fn shift(&mut self) {
        for w in 0..SACK_WORDS {
            let carry = if w + 1 < SACK_WORDS { self.bits[w + 1] << 63 } else { 0 };
            self.bits[w] = self.bits[w] >> 1 | carry;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn agrees_with_a_set_of_numbers(first: u32, steps in proptest::collection::vec(0u32..300, 0..600)) {
            let mut w = RxWindow::new(first);
            // Distances from `first`, so that the model knows no wrap.
            let (mut next, mut held) = (0u64, BTreeSet::new());
            for s in steps {
                let d = next.saturating_sub(20) + s as u64;
                let psn = first.wrapping_add(d as u32);
                let want = if d < next || held.contains(&d) {
                    Arrival::Duplicate
                } else if d - next > MAX_WINDOW as u64 {
                    Arrival::Beyond
                } else {
                    Arrival::Fresh
                };
                prop_assert_eq!(w.check(psn), want);
                if want == Arrival::Fresh {
                    w.accept(psn);
                    held.insert(d);
                    while held.remove(&next) {
                        next += 1;
                    }
                }
                prop_assert_eq!(w.next(), first.wrapping_add(next as u32));
                prop_assert_eq!(w.has_holes(), !held.is_empty());
                for i in 0..MAX_WINDOW as u64 {
                    let bit = w.bits()[i as usize / 64] >> (i % 64) & 1 == 1;
                    prop_assert_eq!(bit, held.contains(&(next + 1 + i)));
                }
            }
        }
    }
}
