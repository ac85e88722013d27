//! All sessions of an endpoint: opening, finding, sending and closing.

use crate::config::{Config, MAX_WINDOW, MIN_PAYLOAD};
use crate::event::{Event, SessionError};
use crate::law;
use crate::session::Session;
use crate::stats::Stats;
use crate::time::Time;
use rustc_hash::FxSeededState;
use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use wire::pds::{Header, HeaderBytes, Kind, flag};

/// Names a session; a dense index, so that a driver can keep its own table by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct SessionId(pub u32);

impl SessionId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Sessions with all peers of one endpoint. `T` is the upper layer's token for a packet.
pub struct Delivery<T: Copy> {
    pub(crate) config: Config,
    law: law::Choice,
    pub(crate) sessions: Vec<Option<Session<T>>>,
    free: Vec<u32>,
    by_peer: HashMap<SocketAddr, u32, FxSeededState>,
    /// The peer that was looked up last: bursts come from one peer.
    recent: Option<(SocketAddr, u32)>,
    /// Epochs of peers' earlier incarnations, whose late packets are not taken for a restart.
    retired: HashMap<SocketAddr, u64, FxSeededState>,
    random: u64,
    pub(crate) events: VecDeque<Event<T>>,
    /// Sessions with an acknowledgement to send, with packets to send again, and with a timer.
    pub(crate) acks: VecDeque<u32>,
    pub(crate) urgent: u32,
    pub(crate) lossy: VecDeque<u32>,
    pub(crate) timed: Vec<u32>,
    /// No timer is due before.
    pub(crate) timer_floor: Time,
    /// Answers to peers without a session.
    pub(crate) replies: VecDeque<(SocketAddr, HeaderBytes)>,
    pub(crate) stats: Stats,
}

/// Probes of a silent peer within its timeout.
pub(crate) const KEEPALIVES: u64 = 8;
/// Earlier incarnations that are remembered.
const MAX_RETIRED: usize = 4096;

impl<T: Copy> Delivery<T> {
    /// `seed` makes the epochs: give a number that nobody can guess.
    pub fn new(config: Config, seed: u64) -> Delivery<T> {
        Delivery::with_law(config, seed, law::Choice::default())
    }

    /// As [`Delivery::new`], with a congestion control law for all sessions.
    pub fn with_law(mut config: Config, seed: u64, law: law::Choice) -> Delivery<T> {
        config.window = config.window.clamp(1, MAX_WINDOW);
        config.max_payload = config.max_payload.max(MIN_PAYLOAD);
        let hasher = FxSeededState::with_seed((seed ^ seed >> 32) as usize);
        Delivery {
            config,
            law,
            sessions: Vec::new(),
            free: Vec::new(),
            by_peer: HashMap::with_hasher(hasher.clone()),
            recent: None,
            retired: HashMap::with_hasher(hasher),
            random: seed,
            events: VecDeque::new(),
            acks: VecDeque::new(),
            urgent: 0,
            lossy: VecDeque::new(),
            timed: Vec::new(),
            timer_floor: Time::NEVER,
            replies: VecDeque::new(),
            stats: Stats::default(),
        }
    }

    /// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.random;
        z = (z ^ z >> 30).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d049bb133111eb);
        z ^ z >> 31
    }

    #[inline]
    pub(crate) fn find(&mut self, peer: &SocketAddr) -> Option<u32> {
        if let Some((p, id)) = &self.recent
            && p == peer
        {
            return Some(*id);
        }
        let id = *self.by_peer.get(peer)?;
        self.recent = Some((*peer, id));
        Some(id)
    }

    #[inline]
    pub(crate) fn get(&mut self, id: u32) -> Option<&mut Session<T>> {
        self.sessions.get_mut(id as usize)?.as_mut()
    }

    fn live(&self, s: SessionId) -> Option<&Session<T>> {
        self.sessions.get(s.index())?.as_ref().filter(|s| !s.dead)
    }

    pub(crate) fn open(&mut self, now: Time, peer: SocketAddr) -> u32 {
        // Zero means unknown, and the two halves must not make a PSN predictable from an address.
        let epoch = self.random().max(1);
        let law = self.law.make(self.config.window);
        let s = Session::new(peer, epoch, law, &self.config, now);
        let id = match self.free.pop() {
            Some(id) => {
                self.sessions[id as usize] = Some(s);
                id
            }
            None => {
                self.sessions.push(Some(s));
                self.sessions.len() as u32 - 1
            }
        };
        self.by_peer.insert(peer, id);
        self.recent = None;
        self.stats.sessions_opened += 1;
        id
    }

    /// The session to a peer, opened when there is none. Opening sends nothing.
    pub fn session(&mut self, now: Time, peer: SocketAddr) -> SessionId {
        SessionId(self.find(&peer).unwrap_or_else(|| self.open(now, peer)))
    }

    /// The session to a peer, if there is one.
    pub fn existing(&mut self, peer: &SocketAddr) -> Option<SessionId> {
        self.find(peer).map(SessionId)
    }

    /// The peer of a session that has not been closed.
    pub fn peer(&self, s: SessionId) -> Option<SocketAddr> {
        Some(self.sessions.get(s.index())?.as_ref()?.peer)
    }

    /// Bytes that fit a packet behind the delivery header; 0 for a session that ended.
    #[inline]
    pub fn max_payload(&self, s: SessionId) -> usize {
        self.live(s).map_or(0, |x| x.max_payload(&self.config))
    }

    /// True when packets to the peer do not leave this host's memory: see [`Config::host`].
    #[inline]
    pub fn in_memory(&self, s: SessionId) -> bool {
        self.live(s).is_some_and(|s| s.in_memory)
    }

    /// Packets that may be sent now.
    #[inline]
    pub fn window(&self, s: SessionId) -> usize {
        self.live(s).map_or(0, |x| x.window(&self.config) as usize)
    }

    /// Takes a packet of `len` bytes for delivery and gives the header to send in front of it. With `ask`, its
    /// acknowledgement is wanted at once. The caller checks [`Delivery::window`] before. None for a session that ended.
    #[inline(always)]
    pub fn send(&mut self, now: Time, s: SessionId, token: T, len: usize, ask: bool) -> Option<Header> {
        let c = &self.config;
        let x = self.sessions.get_mut(s.index())?.as_mut().filter(|x| !x.dead)?;
        let first = x.tx.is_empty();
        let psn = x.tx.push(now, token, len as u32);
        if first {
            if x.watched == 0 {
                // Silence counts from now: nothing was expected before.
                x.expect(now);
            }
            x.timers.probed = false;
            x.arm(now, c);
        }
        let urgent = x.ack_urgent;
        let mut h = x.header(now, Kind::Data, psn, len, c);
        if ask {
            h.flags |= flag::ACK_NOW;
        }
        self.urgent -= u32::from(urgent && !x.ack_urgent);
        self.stats.data_sent += 1;
        if first {
            let due = x.timers.rto.min(x.timers.probe);
            if due < self.timer_floor || !x.in_timed {
                self.touch(s.0);
            }
        }
        Some(h)
    }

    /// Puts a session on the list of those with timers.
    #[inline]
    pub(crate) fn touch(&mut self, id: u32) {
        let c = &self.config;
        let Some(x) = self.sessions[id as usize].as_mut() else { return };
        let due = x.deadline(c);
        if due != Time::NEVER && !x.in_timed {
            x.in_timed = true;
            self.timed.push(id);
        }
        self.timer_floor = self.timer_floor.min(due);
    }

    /// The upper layer begins (`true`) or ends to wait for the peer although nothing of ours is outstanding. Calls
    /// count: each `true` wants its `false`.
    pub fn watch(&mut self, now: Time, s: SessionId, on: bool) {
        let pause = self.config.peer_timeout / KEEPALIVES;
        let Some(x) = self.get(s.0).filter(|x| !x.dead) else { return };
        if on {
            if !x.waits() {
                x.expect(now);
            }
            x.watched += 1;
            if x.timers.keepalive == Time::NEVER {
                x.timers.keepalive = now + pause;
            }
        } else {
            x.watched = x.watched.saturating_sub(1);
            if x.watched == 0 {
                x.timers.keepalive = Time::NEVER;
            }
        }
        self.touch(s.0);
    }

    /// True when there is something to tell the upper layer.
    #[inline(always)]
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// Next thing to tell the upper layer.
    pub fn poll_event(&mut self) -> Option<Event<T>> {
        let e = self.events.pop_front()?;
        if let Event::Closed { session } = e
            && self.sessions[session.index()].take().is_some()
        {
            self.free.push(session.0);
        }
        Some(e)
    }

    /// Ends a session with everything in it.
    #[cold]
    pub(crate) fn fail(&mut self, id: u32, error: SessionError) {
        let Some(x) = self.sessions.get_mut(id as usize).and_then(|x| x.as_mut()).filter(|x| !x.dead) else {
            return;
        };
        x.dead = true;
        let session = SessionId(id);
        log::debug!(target: "ep_ctrl", "session with {} ended: {error:?}", x.peer);
        self.events.push_back(Event::Failed { session, error });
        let events = &mut self.events;
        x.tx.drain(|token| events.push_back(Event::Unsent { session, token }));
        self.events.push_back(Event::Closed { session });
        if x.ack_urgent {
            self.urgent -= 1;
        }
        let (peer, epoch) = (x.peer, x.peer_epoch);
        if epoch != 0 {
            if self.retired.len() >= MAX_RETIRED {
                self.retired.clear();
            }
            self.retired.insert(peer, epoch);
        }
        if self.by_peer.get(&peer) == Some(&id) {
            self.by_peer.remove(&peer);
        }
        self.recent = None;
        for list in [&mut self.acks, &mut self.lossy] {
            list.retain(|i| *i != id);
        }
        self.timed.retain(|i| *i != id);
        self.stats.sessions_failed += 1;
    }

    /// The upper layer gives a peer up.
    pub fn give_up(&mut self, s: SessionId) {
        self.fail(s.0, SessionError::GivenUp);
    }

    pub(crate) fn is_retired(&self, peer: &SocketAddr, epoch: u64) -> bool {
        self.retired.get(peer) == Some(&epoch)
    }

    /// Headers that say goodbye to every peer that knows us. No session is used after that.
    pub fn byes(&mut self, now: Time) -> Vec<(SessionId, SocketAddr, HeaderBytes)> {
        let c = &self.config;
        self.sessions
            .iter_mut()
            .enumerate()
            .filter_map(|(i, s)| {
                let s = s.as_mut().filter(|s| !s.dead && s.peer_epoch != 0)?;
                let psn = s.tx.next();
                Some((SessionId(i as u32), s.peer, s.header(now, Kind::Bye, psn, 0, c).emit()))
            })
            .collect()
    }

    /// True while something sent is not acknowledged.
    pub fn has_unacked(&self) -> bool {
        self.sessions.iter().flatten().any(|s| !s.dead && !s.tx.is_empty())
    }

    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    pub fn config(&self) -> &Config {
        &self.config
    }
}
