//! The send side of a session: packets in flight, what is known of them, and which of them are lost (RACK, RFC 8985).

use crate::time::Time;
use std::collections::VecDeque;
use wire::pds::SACK_WORDS;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Flying,
    Acked,
    Lost,
}

#[derive(Clone, Copy, Debug)]
struct TxPacket<T> {
    token: T,
    /// Last time it was sent.
    sent: Time,
    len: u32,
    state: State,
    /// Sent more than once.
    again: bool,
}

/// Packets that were sent and not yet acknowledged in sequence; index 0 has PSN `una`.
#[derive(Debug)]
pub(crate) struct TxRing<T> {
    ring: VecDeque<TxPacket<T>>,
    una: u32,
    flying: u32,
    lost: u32,
    /// The packet sent last among those that arrived: its time, PSN, and round trip.
    newest: Option<(Time, u32, u64)>,
    /// Highest PSN acknowledged, for telling reordering.
    highest: u32,
    min_rtt: u64,
    reordering: bool,
    /// Acknowledged out of sequence at the moment.
    sacked: u32,
    last_sent: Time,
}

/// What an acknowledgement did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Acked {
    pub(crate) packets: u32,
    /// It names something that was never sent.
    pub(crate) bad: bool,
    /// It moved `una`.
    pub(crate) advanced: bool,
}

/// Packets sent later that must arrive before an earlier one is taken as lost at once (RFC 8985 section 6.2, step 4).
const DUPLICATES: u32 = 3;

impl<T: Copy> TxRing<T> {
    pub(crate) fn new(first: u32) -> TxRing<T> {
        TxRing {
            ring: VecDeque::new(),
            una: first,
            flying: 0,
            lost: 0,
            newest: None,
            highest: first.wrapping_sub(1),
            min_rtt: u64::MAX,
            reordering: false,
            sacked: 0,
            last_sent: Time(0),
        }
    }

    #[inline]
    pub(crate) fn next(&self) -> u32 {
        self.una.wrapping_add(self.ring.len() as u32)
    }

    #[inline]
    pub(crate) fn una(&self) -> u32 {
        self.una
    }

    #[inline]
    pub(crate) fn flying(&self) -> u32 {
        self.flying
    }

    #[inline]
    pub(crate) fn lost(&self) -> u32 {
        self.lost
    }

    #[inline]
    pub(crate) fn len(&self) -> u32 {
        self.ring.len() as u32
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    pub(crate) fn last_sent(&self) -> Time {
        self.last_sent
    }

    #[inline]
    pub(crate) fn push(&mut self, now: Time, token: T, len: u32) -> u32 {
        let psn = self.next();
        self.ring.push_back(TxPacket { token, sent: now, len, state: State::Flying, again: false });
        self.flying += 1;
        self.last_sent = now;
        psn
    }

    /// A packet arrived of which nothing was known.
    #[inline(always)]
    fn arrived(&mut self, psn: u32, p: TxPacket<T>, now: Time) {
        match p.state {
            State::Flying => self.flying -= 1,
            State::Lost => self.lost -= 1,
            State::Acked => {}
        }
        let (sent, again) = (p.sent, p.again);
        if (psn.wrapping_sub(self.highest) as i32) > 0 {
            self.highest = psn;
        } else if !again {
            self.reordering = true;
        }
        let rtt = now.since(sent);
        // An acknowledgement that comes sooner than any round trip is of the first transmission, not of this one.
        if again && rtt < self.min_rtt {
            return;
        }
        self.min_rtt = self.min_rtt.min(rtt);
        if self.newest.is_none_or(|(t, n, _)| sent > t || (sent == t && (psn.wrapping_sub(n) as i32) > 0)) {
            self.newest = Some((sent, psn, rtt));
        }
    }

    /// Takes an acknowledgement in; each token that arrived for the first time goes to `done`.
    #[inline(always)]
    pub(crate) fn acknowledge(
        &mut self,
        now: Time,
        ack: u32,
        sack: Option<&[u64; SACK_WORDS]>,
        mut done: impl FnMut(T),
    ) -> Acked {
        let mut out = Acked::default();
        let n = ack.wrapping_sub(self.una);
        if n > self.ring.len() as u32 {
            // Behind `una`: an old packet that was overtaken. Ahead: nonsense.
            out.bad = n <= u32::MAX / 2;
            return out;
        }
        let open = self.flying + self.lost;
        for _ in 0..n {
            let Some(p) = self.ring.pop_front() else { break };
            let psn = self.una;
            self.una = psn.wrapping_add(1);
            if p.state == State::Acked {
                self.sacked -= 1;
            } else {
                self.arrived(psn, p, now);
                done(p.token);
            }
        }
        out.advanced = n != 0;
        if let Some(sack) = sack {
            for (w, word) in sack.iter().enumerate() {
                let mut bits = *word;
                while bits != 0 {
                    let i = 1 + 64 * w + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    if i >= self.ring.len() {
                        out.bad = true;
                        break;
                    }
                    let p = self.ring[i];
                    if p.state != State::Acked {
                        self.sacked += 1;
                        self.ring[i].state = State::Acked;
                        self.arrived(self.una.wrapping_add(i as u32), p, now);
                        done(p.token);
                    }
                }
            }
        }
        out.packets = open - self.flying - self.lost;
        out
    }

    /// Finds packets that must be lost, since others sent later have arrived. Gives how many there are, and when to look
    /// again for one that may only be late.
    pub(crate) fn detect(&mut self, now: Time, srtt: u64) -> (u32, Option<Time>) {
        if self.sacked == 0 && self.newest.is_none() {
            return (0, None);
        }
        let Some((newest, newest_psn, rtt)) = self.newest else { return (0, None) };
        let patience = if !self.reordering && self.sacked >= DUPLICATES { 0 } else { (srtt / 4).max(1) };
        let (mut found, mut next) = (0, None::<Time>);
        // Only packets below one that arrived can be overtaken, and retransmissions of them.
        let end = (self.highest.wrapping_sub(self.una).wrapping_add(1) as i32).max(0) as usize;
        for (i, p) in self.ring.iter_mut().enumerate().take(end) {
            if p.state != State::Flying {
                continue;
            }
            let psn = self.una.wrapping_add(i as u32);
            let overtaken =
                p.sent < newest || (p.sent == newest && (newest_psn.wrapping_sub(psn) as i32) > 0);
            if !overtaken {
                continue;
            }
            let due = p.sent + rtt.saturating_add(patience);
            if now >= due {
                p.state = State::Lost;
                found += 1;
            } else {
                next = Some(next.map_or(due, |n| n.min(due)));
            }
        }
        self.flying -= found;
        self.lost += found;
        (found, next)
    }

    /// Everything in flight counts as lost: a timeout, or a receiver that was not ready.
    pub(crate) fn lose_all(&mut self) {
        for p in &mut self.ring {
            if p.state == State::Flying {
                p.state = State::Lost;
            }
        }
        self.lost += self.flying;
        self.flying = 0;
    }

    /// Nothing was lost after all: what has not been sent again yet is in flight as before.
    pub(crate) fn undo(&mut self) {
        for p in &mut self.ring {
            if p.state == State::Lost {
                p.state = State::Flying;
            }
        }
        self.flying += self.lost;
        self.lost = 0;
    }

    /// The first lost packet, which is in flight again from now on.
    pub(crate) fn take_lost(&mut self, now: Time) -> Option<(u32, T, u32)> {
        if self.lost == 0 {
            return None;
        }
        let i = self.ring.iter().position(|p| p.state == State::Lost)?;
        self.lost -= 1;
        self.flying += 1;
        Some(self.resend(i, now))
    }

    /// The last packet that has not arrived, to be sent once more as a probe.
    pub(crate) fn take_tail(&mut self, now: Time) -> Option<(u32, T, u32)> {
        let i = self.ring.iter().rposition(|p| p.state != State::Acked)?;
        if self.ring[i].state == State::Lost {
            self.lost -= 1;
            self.flying += 1;
        }
        Some(self.resend(i, now))
    }

    fn resend(&mut self, i: usize, now: Time) -> (u32, T, u32) {
        let psn = self.una.wrapping_add(i as u32);
        let p = &mut self.ring[i];
        (p.state, p.sent, p.again) = (State::Flying, now, true);
        self.last_sent = now;
        (psn, p.token, p.len)
    }

    /// All tokens that have not arrived, in order; the ring is empty then.
    pub(crate) fn drain(&mut self, mut f: impl FnMut(T)) {
        self.una = self.next();
        for p in self.ring.drain(..) {
            if p.state != State::Acked {
                f(p.token);
            }
        }
        (self.flying, self.lost, self.sacked) = (0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: u64 = 10_000;

    fn ring(n: u32, first: u32) -> TxRing<u32> {
        let mut r = TxRing::new(first);
        for i in 0..n {
            assert_eq!(r.push(Time(0), i, 100), first.wrapping_add(i));
        }
        r
    }

    fn sack(list: &[usize]) -> [u64; SACK_WORDS] {
        let mut s = [0; SACK_WORDS];
        for i in list {
            s[(i - 1) / 64] |= 1 << ((i - 1) % 64);
        }
        s
    }

    #[test]
    fn each_token_arrives_once() {
        for first in [0, u32::MAX - 2] {
            let mut r = ring(6, first);
            let mut got = vec![];
            let a = r.acknowledge(Time(RTT), first.wrapping_add(1), Some(&sack(&[2])), |t| got.push(t));
            assert_eq!((a.packets, a.bad), (2, false));
            let a = r.acknowledge(Time(RTT), first.wrapping_add(1), Some(&sack(&[2, 3])), |t| got.push(t));
            assert_eq!(a.packets, 1);
            let a = r.acknowledge(Time(RTT), first.wrapping_add(6), None, |t| got.push(t));
            assert_eq!(a.packets, 3);
            assert_eq!(got, [0, 3, 4, 1, 2, 5]);
            assert!(r.is_empty() && r.flying() == 0 && r.lost() == 0);
        }
    }

    #[test]
    fn acknowledgements_of_nothing_are_bad() {
        let mut r = ring(2, 7);
        assert!(r.acknowledge(Time(1), 10, None, |_| panic!()).bad);
        assert!(r.acknowledge(Time(1), 7, Some(&sack(&[2])), |_| panic!()).bad);
        assert!(!r.acknowledge(Time(1), 6, None, |_| panic!()).bad);
    }

    #[test]
    fn a_packet_that_three_others_overtook_is_lost_at_once() {
        let mut r = ring(5, 0);
        r.acknowledge(Time(RTT), 0, Some(&sack(&[1, 2])), |_| ());
        let (lost, again) = r.detect(Time(RTT), RTT);
        assert_eq!((lost, again), (0, Some(Time(RTT + RTT / 4))));
        r.acknowledge(Time(RTT), 0, Some(&sack(&[1, 2, 3])), |_| ());
        assert_eq!(r.detect(Time(RTT), RTT).0, 1);
        assert_eq!(r.take_lost(Time(RTT)), Some((0, 0, 100)));
        assert_eq!(r.take_lost(Time(RTT)), None);
        // Sent again just now: the same acknowledgement does not lose it a second time.
        assert_eq!(r.detect(Time(RTT), RTT).0, 0);
    }

    #[test]
    fn reordering_teaches_patience() {
        let mut r = ring(8, 0);
        r.acknowledge(Time(RTT), 0, Some(&sack(&[4])), |_| ());
        r.acknowledge(Time(RTT), 4, Some(&sack(&[])), |_| ());
        assert!(r.reordering);
        r.acknowledge(Time(RTT), 5, Some(&sack(&[1, 2])), |_| ());
        let (lost, again) = r.detect(Time(RTT), RTT);
        assert_eq!((lost, again), (0, Some(Time(RTT + RTT / 4))));
        assert_eq!(r.detect(Time(RTT + RTT / 4), RTT).0, 1);
    }

    #[test]
    fn a_lost_retransmission_is_found_by_later_ones() {
        let mut r = ring(4, 0);
        r.acknowledge(Time(RTT), 0, Some(&sack(&[1, 2, 3])), |_| ());
        assert_eq!(r.detect(Time(RTT), RTT).0, 1);
        r.take_lost(Time(RTT)).unwrap();
        r.push(Time(RTT + 1), 4, 100);
        r.acknowledge(Time(2 * RTT + 1), 0, Some(&sack(&[1, 2, 3, 4])), |_| ());
        assert_eq!(r.detect(Time(2 * RTT + 1), RTT).0, 1);
    }
}
