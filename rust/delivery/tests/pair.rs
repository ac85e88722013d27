//! Two endpoints over a link that loses, repeats, delays and reorders, on a virtual clock. Every test runs many seeds, and
//! epochs are random, so that sequence numbers start anywhere and wrap in many of them.

use delivery::{Config, Delivery, Event, MS, Received, SessionError, SessionId, Time, US};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// SplitMix64, as a source of chance for the link.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d049bb133111eb);
        z ^ z >> 31
    }
    fn percent(&mut self, p: u64) -> bool {
        self.next() % 1000 < p * 10
    }
}

#[derive(Clone, Copy)]
struct Link {
    loss: u64,
    twice: u64,
    late: u64,
}

const CLEAN: Link = Link { loss: 0, twice: 0, late: 0 };
const BAD: Link = Link { loss: 5, twice: 5, late: 10 };

struct Side {
    d: Delivery<u32>,
    addr: SocketAddr,
    acked: Vec<u32>,
    unsent: Vec<u32>,
    failed: Vec<SessionError>,
    got: Vec<u32>,
    /// Refuses data while set.
    full: bool,
}

/// Both sides, and what is under way between them.
struct Pair {
    now: Time,
    sides: [Side; 2],
    flight: BTreeMap<(Time, u64), (usize, Vec<u8>)>,
    sent: u64,
    link: Link,
    chance: Chance,
    cut: bool,
}

const DELAY: u64 = 5 * US;

impl Pair {
    fn new(seed: u64, link: Link) -> Pair {
        let side = |n: u64| Side {
            d: Delivery::new(Config::default(), seed * 1000 + n),
            addr: SocketAddr::from(([10, 0, 0, n as u8], 7)),
            acked: vec![],
            unsent: vec![],
            failed: vec![],
            got: vec![],
            full: false,
        };
        Pair {
            now: Time(1),
            sides: [side(1), side(2)],
            flight: BTreeMap::new(),
            sent: 0,
            link,
            chance: Chance(seed),
            cut: false,
        }
    }

    fn restart(&mut self, who: usize, seed: u64) {
        self.sides[who].d = Delivery::new(Config::default(), seed);
        self.sides[who].got.clear();
    }

    fn put(&mut self, to: usize, packet: Vec<u8>) {
        if self.cut || self.chance.percent(self.link.loss) {
            return;
        }
        let copies = 1 + self.chance.percent(self.link.twice) as u32;
        for _ in 0..copies {
            let late = if self.chance.percent(self.link.late) { self.chance.next() % (40 * US) } else { 0 };
            self.sent += 1;
            self.flight.insert((self.now + DELAY + late, self.sent), (to, packet.clone()));
        }
    }

    fn session(&mut self, who: usize) -> SessionId {
        let peer = self.sides[1 - who].addr;
        self.sides[who].d.session(self.now, peer)
    }

    /// Sends as many of the tokens as the window allows.
    fn send(&mut self, who: usize, tokens: &mut impl Iterator<Item = u32>) {
        let s = self.session(who);
        while self.sides[who].d.window(s) > 0 {
            let Some(t) = tokens.next() else { return };
            let mut p = self.sides[who].d.send(self.now, s, t, 4, false).unwrap().emit().as_ref().to_vec();
            p.extend(t.to_be_bytes());
            self.put(1 - who, p);
        }
    }

    fn events(&mut self, who: usize) {
        let side = &mut self.sides[who];
        while let Some(e) = side.d.poll_event() {
            match e {
                Event::Unsent { token, .. } => side.unsent.push(token),
                Event::Failed { error, .. } => side.failed.push(error),
                Event::Opened { .. } | Event::Closed { .. } => {}
            }
        }
    }

    /// One round of a side: acknowledge, time, send again.
    fn turn(&mut self, who: usize) {
        self.sides[who].d.tick(self.now);
        while let Some((_, _, h)) = self.sides[who].d.next_control(self.now, true) {
            self.put(1 - who, h.as_ref().to_vec());
        }
        while let Some((_, t, h)) = self.sides[who].d.next_retransmit(self.now) {
            let mut p = h.emit().as_ref().to_vec();
            p.extend(t.to_be_bytes());
            self.put(1 - who, p);
        }
        self.events(who);
    }

    /// Goes to the next thing that happens. False: nothing will.
    fn step(&mut self) -> bool {
        let arrival = self.flight.keys().next().map(|k| k.0);
        let deadline = self.sides.iter().filter_map(|s| s.d.next_deadline()).min();
        let Some(next) = [arrival, deadline].into_iter().flatten().min() else { return false };
        self.now = self.now.max(next);
        while let Some(e) = self.flight.first_entry() {
            if e.key().0 > self.now {
                break;
            }
            let (to, p) = e.remove();
            let from = self.sides[1 - to].addr;
            let side = &mut self.sides[to];
            let acked = &mut side.acked;
            if let Received::Data { session, psn, body } =
                side.d.receive(self.now, from, &p, |token| acked.push(token))
            {
                if side.full {
                    side.d.refuse(session);
                } else {
                    side.got.push(u32::from_be_bytes(p[body..].try_into().unwrap()));
                    side.d.accept(session, psn);
                }
            }
        }
        self.turn(0);
        self.turn(1);
        true
    }

    /// Until nothing is outstanding, at most for so long.
    fn run(&mut self, limit: u64) {
        let end = self.now + limit;
        while self.now < end && (self.sides.iter().any(|s| s.d.has_unacked()) || !self.flight.is_empty()) {
            if !self.step() {
                return;
            }
        }
    }

    fn transfer(&mut self, n: u32) {
        let mut tokens = [0..n, 0..n];
        let end = self.now + 60_000 * MS;
        while self.now < end && self.sides.iter().any(|s| s.acked.len() < n as usize) {
            for (who, tokens) in tokens.iter_mut().enumerate() {
                self.send(who, tokens);
            }
            self.step();
        }
    }
}

fn sorted(v: &[u32]) -> Vec<u32> {
    let mut v = v.to_vec();
    v.sort();
    v
}

#[test]
fn everything_arrives_exactly_once_over_a_bad_link() {
    for seed in 0..150 {
        let n = 600;
        let mut p = Pair::new(seed, BAD);
        p.transfer(n);
        for side in &p.sides {
            assert_eq!(sorted(&side.got), (0..n).collect::<Vec<_>>(), "seed {seed}");
            assert_eq!(sorted(&side.acked), (0..n).collect::<Vec<_>>(), "seed {seed}");
            assert!(side.failed.is_empty() && side.unsent.is_empty());
        }
    }
}

#[test]
fn a_clean_link_sees_no_retransmission_and_few_acknowledgements() {
    let mut p = Pair::new(1, CLEAN);
    let mut tokens = 0..20_000;
    while p.sides[0].acked.len() < 20_000 {
        p.send(0, &mut tokens);
        p.step();
    }
    let (a, b) = (p.sides[0].d.stats().clone(), p.sides[1].d.stats().clone());
    assert_eq!((a.resent_by_ack, a.resent_by_probe, a.resent_by_timeout), (0, 0, 0));
    assert_eq!((b.duplicates, b.data_received), (0, 20_000));
    assert!(b.acks_sent <= 20_000 / 16, "{}", b.acks_sent);
    assert_eq!(p.sides[1].got, (0..20_000).collect::<Vec<_>>());
}

#[test]
fn a_lost_tail_is_probed_before_the_timeout() {
    let mut p = Pair::new(3, CLEAN);
    p.send(0, &mut (0..4));
    p.run(50 * MS);
    let start = p.now;
    p.cut = true;
    p.send(0, &mut (4..6));
    p.cut = false;
    p.run(50 * MS);
    assert_eq!(sorted(&p.sides[0].acked), (0..6).collect::<Vec<_>>());
    assert_eq!(p.sides[0].d.stats().timeouts, 0);
    assert!(p.now.since(start) < Config::default().min_rto);
}

#[test]
fn a_silent_peer_fails_the_session_in_time_and_nothing_is_forgotten() {
    for seed in 0..20 {
        let mut p = Pair::new(seed, CLEAN);
        p.send(0, &mut (0..10));
        p.run(100 * MS);
        p.cut = true;
        let start = p.now;
        p.send(0, &mut (10..30));
        let timeout = Config::default().peer_timeout;
        p.run(2 * timeout);
        assert_eq!(p.sides[0].failed, [SessionError::TimedOut]);
        assert_eq!(p.sides[0].unsent, (10..30).collect::<Vec<_>>());
        assert!(p.now.since(start) >= timeout && p.now.since(start) < timeout + timeout / 8);
        assert!(!p.sides[0].d.has_unacked());
    }
}

#[test]
fn a_watched_peer_that_falls_silent_fails_the_session() {
    let mut p = Pair::new(5, CLEAN);
    p.send(0, &mut (0..3));
    p.run(100 * MS);
    let s = p.session(0);
    let now = p.now;
    p.sides[0].d.watch(now, s, true);
    let timeout = Config::default().peer_timeout;
    // While the peer answers, nothing happens.
    while p.now.since(now) < 3 * timeout {
        assert!(p.step());
    }
    assert!(p.sides[0].failed.is_empty());
    p.cut = true;
    let start = p.now;
    while p.sides[0].failed.is_empty() && p.step() {}
    assert_eq!(p.sides[0].failed, [SessionError::TimedOut]);
    assert!(p.now.since(start) <= timeout + timeout / 4);
}

#[test]
fn our_own_absence_is_not_the_peers_death() {
    let mut p = Pair::new(6, CLEAN);
    p.send(0, &mut (0..3));
    // The process is stopped for a minute with packets in flight that nobody answered.
    p.flight.clear();
    p.now = p.now + 60_000 * MS;
    p.run(1_000 * MS);
    assert!(p.sides[0].failed.is_empty());
    assert_eq!(sorted(&p.sides[0].acked), [0, 1, 2]);
}

#[test]
fn a_restarted_peer_is_told_from_the_old_one() {
    for seed in 0..50 {
        // The restarted side speaks first, or is spoken to first.
        for first in [0, 1] {
            let mut p = Pair::new(seed, CLEAN);
            p.send(0, &mut (0..5));
            p.send(1, &mut (0..5));
            p.run(100 * MS);
            p.restart(1, 77_000 + seed);
            p.send(first, &mut (5..8));
            p.run(200 * MS);
            let want = if first == 1 { SessionError::PeerRestarted } else { SessionError::Reset };
            assert_eq!(p.sides[0].failed, [want], "seed {seed}");
            if first == 0 {
                assert_eq!(p.sides[0].unsent, [5, 6, 7]);
            }
            // From now on they talk as if nothing had been.
            p.send(0, &mut (8..12));
            p.send(1, &mut (8..12));
            p.run(200 * MS);
            assert_eq!(sorted(&p.sides[1].got), [8, 9, 10, 11]);
            assert_eq!(p.sides[0].failed.len(), 1);
        }
    }
}

#[test]
fn late_packets_of_an_old_incarnation_do_no_harm() {
    let mut p = Pair::new(9, CLEAN);
    p.send(1, &mut (0..1));
    let old: Vec<_> = p.flight.values().cloned().collect();
    p.run(100 * MS);
    p.restart(1, 99);
    p.send(1, &mut (1..3));
    p.run(100 * MS);
    assert_eq!(p.sides[0].failed, [SessionError::PeerRestarted]);
    for (to, packet) in old {
        p.put(to, packet);
    }
    p.send(0, &mut (0..3));
    p.run(200 * MS);
    assert_eq!(p.sides[0].failed.len(), 1);
    assert_eq!(p.sides[0].got, [0, 1, 2]);
    assert_eq!(sorted(&p.sides[0].acked), [0, 1, 2]);
}

#[test]
fn blind_resets_and_byes_are_not_believed() {
    let mut p = Pair::new(11, CLEAN);
    p.send(0, &mut (0..5));
    p.run(100 * MS);
    let from = p.sides[1].addr;
    for kind in [3u8, 4] {
        for guess in 0..1000u64 {
            let mut forged = vec![0x10 | kind, 0, 0, 40];
            forged.extend([0; 20]);
            forged.extend((guess % 3).to_be_bytes());
            forged.extend(guess.to_be_bytes());
            let now = p.now;
            assert!(matches!(p.sides[0].d.receive(now, from, &forged, |_| ()), Received::Dropped(_)));
        }
    }
    p.send(0, &mut (5..9));
    p.run(100 * MS);
    assert!(p.sides[0].failed.is_empty());
    assert_eq!(p.sides[0].acked.len(), 9);
    assert_eq!(p.sides[0].d.stats().bad_reset, 2000);
}

#[test]
fn a_receiver_that_is_not_ready_holds_the_sender_back_and_loses_nothing() {
    for seed in 0..20 {
        let mut p = Pair::new(seed, CLEAN);
        p.send(0, &mut (0..1));
        p.run(50 * MS);
        p.sides[1].full = true;
        p.send(0, &mut (1..60));
        let start = p.now;
        // Far longer than a dead peer is given.
        while p.now.since(start) < 3 * Config::default().peer_timeout {
            assert!(p.step());
        }
        let resent = p.sides[0].d.stats().resent_by_ack + p.sides[0].d.stats().resent_by_timeout;
        let rounds = 3 * Config::default().peer_timeout / Config::default().max_not_ready;
        assert!(resent < 150 * rounds, "{resent}");
        assert!(p.sides[0].failed.is_empty());
        p.sides[1].full = false;
        p.run(500 * MS);
        assert_eq!(sorted(&p.sides[1].got), (0..60).collect::<Vec<_>>());
    }
}

#[test]
fn a_closing_side_says_goodbye_and_the_other_learns_it() {
    let mut p = Pair::new(13, CLEAN);
    p.send(0, &mut (0..5));
    p.run(100 * MS);
    let now = p.now;
    for (_, _, h) in p.sides[1].d.byes(now) {
        p.put(0, h.as_ref().to_vec());
    }
    while !p.flight.is_empty() {
        p.step();
    }
    assert_eq!(p.sides[0].failed, [SessionError::PeerClosed]);
    assert_eq!(p.sides[0].acked.len(), 5);
}

#[test]
fn a_goodbye_may_be_the_first_answer_and_acknowledges() {
    let mut p = Pair::new(19, CLEAN);
    p.send(0, &mut (0..3));
    let packets: Vec<_> = std::mem::take(&mut p.flight).into_values().collect();
    let from = p.sides[0].addr;
    for (_, packet) in packets {
        if let Received::Data { session, psn, .. } = p.sides[1].d.receive(p.now, from, &packet, |_| ()) {
            p.sides[1].d.accept(session, psn);
        }
    }
    let now = p.now;
    for (_, _, h) in p.sides[1].d.byes(now) {
        p.put(0, h.as_ref().to_vec());
    }
    while !p.flight.is_empty() {
        p.step();
    }
    assert_eq!(p.sides[0].acked, [0, 1, 2]);
    assert_eq!((p.sides[0].failed.as_slice(), p.sides[0].unsent.len()), (&[SessionError::PeerClosed][..], 0));
}

#[test]
fn garbage_from_strangers_makes_no_session_and_bounded_work() {
    let mut p = Pair::new(17, CLEAN);
    let mut chance = Chance(4);
    for i in 0..20_000u32 {
        let from = SocketAddr::from(([172, 16, (i >> 8) as u8, i as u8], 9));
        let mut b: Vec<u8> = (0..chance.next() % 100).map(|_| chance.next() as u8).collect();
        if b.len() > 4 && chance.percent(70) {
            (b[0], b[2], b[3]) = (0x10 | (b[0] & 7), 0, 40);
        }
        let now = p.now;
        assert!(!matches!(p.sides[0].d.receive(now, from, &b, |_| ()), Received::Data { .. }));
    }
    assert_eq!(p.sides[0].d.stats().sessions_opened, 0);
    let mut replies = 0;
    let now = p.now;
    while p.sides[0].d.next_control(now, true).is_some() {
        replies += 1;
    }
    assert!(replies <= 64);
}
