//! The neighbour cache of one port: which link address an IP next hop has (ARP for IPv4, RFC 826; neighbour
//! discovery for IPv6, RFC 4861), when to ask for it and who waits for it.
//!
//! Sans-IO: the port sends the requests that [`Neighbours::next_request`] names and feeds in what it hears. States
//! follow RFC 4861, section 7.3.2, without the delay state.

#![forbid(unsafe_code)]

#[cfg(test)]
mod tests;

use crate::config::{Cidr, Mac};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::IpAddr;

/// Nanoseconds since an arbitrary start.
pub type Nanos = u64;

const MILLISECOND: Nanos = 1_000_000;

/// Times and bounds of a cache.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// How long an address may stay unanswered before those who wait for it are told.
    pub timeout: Nanos,
    /// Distance of two requests for one address. RFC 4861's RETRANS_TIMER is 1 s; links here are short.
    pub retry: Nanos,
    /// Age from which a used entry is confirmed again (REACHABLE_TIME of RFC 4861 is 30 s).
    pub reachable: Nanos,
    /// Unicast requests for an old entry before it is asked for anew (MAX_UNICAST_SOLICIT).
    pub probes: u32,
    /// Most entries kept.
    pub capacity: usize,
}

impl Config {
    /// Values for a given overall timeout.
    pub fn with_timeout(timeout: Nanos) -> Self {
        Config {
            timeout,
            retry: (timeout / 5).clamp(10 * MILLISECOND, 1000 * MILLISECOND),
            reachable: 30_000 * MILLISECOND,
            probes: 3,
            capacity: 4096,
        }
    }
}

/// Least time between two changes of an entry by announcements nobody asked for.
const LOCK_TIME: Nanos = 1000 * MILLISECOND;

/// What is known about a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// Frames go to this link address.
    Known(Mac),
    /// Being asked for; the waiter gets an [`Event`].
    Pending,
    /// Not on the link, and no gateway leads there; or no host address at all; or the cache is full of
    /// addresses that are being asked for.
    Unreachable,
}

/// A request to put on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The address asked for.
    pub target: IpAddr,
    /// The link address to ask, or everybody (broadcast, solicited-node multicast).
    pub to: Option<Mac>,
}

/// What happened to an address that somebody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<W> {
    /// It answered: look it up again.
    Resolved(W),
    /// It did not answer in time.
    Failed(W),
}

/// How a pair of IP and link address was heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// In a reply sent to us.
    Reply,
    /// In a request for our address: its sender is about to talk to us.
    RequestForUs,
    /// Otherwise: announcements, requests for others.
    Other,
}

#[derive(Debug)]
enum State<W> {
    /// Asked for since a time; nothing known.
    Incomplete { since: Nanos, waiters: Vec<W> },
    /// Confirmed at a time.
    Reachable { mac: Mac },
    /// Old, used as it is; the next use has it confirmed.
    Stale { mac: Mac },
    /// Old and in use: being confirmed, used meanwhile.
    Probe { mac: Mac, sent: u32 },
    /// Configured; never changes.
    Static { mac: Mac },
}

#[derive(Debug)]
struct Entry<W> {
    state: State<W>,
    /// When the timer of the state fires, as it stands in `timers`.
    timer: Option<Nanos>,
    /// Time of the last lookup or change, for eviction.
    used: Nanos,
    /// Time of the last change of `mac`.
    changed: Nanos,
}

/// The cache. `W` names who waits.
#[derive(Debug)]
pub struct Neighbours<W> {
    config: Config,
    local: Cidr,
    gateway: Option<IpAddr>,
    entries: HashMap<IpAddr, Entry<W>>,
    timers: BTreeSet<(Nanos, IpAddr)>,
    requests: VecDeque<Request>,
    events: VecDeque<Event<W>>,
    generation: u64,
    conflicts: u64,
}

impl<W: Copy + Eq> Neighbours<W> {
    /// An empty cache for a port with address `local`.
    pub fn new(config: Config, local: Cidr, gateway: Option<IpAddr>) -> Self {
        Neighbours {
            config,
            local,
            gateway,
            entries: HashMap::new(),
            timers: BTreeSet::new(),
            requests: VecDeque::new(),
            events: VecDeque::new(),
            generation: 1,
            conflicts: 0,
        }
    }

    /// Adds an entry that is never asked for and never changes.
    pub fn add_static(&mut self, ip: IpAddr, mac: Mac) {
        self.entries.insert(ip, Entry { state: State::Static { mac }, timer: None, used: 0, changed: 0 });
    }

    /// Changes whenever the answer for an address that was [`Lookup::Known`] must be looked up again, because it
    /// changed, failed or grew old: who keeps prepared headers compares it.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// How often another station claimed the port's own address.
    pub fn conflicts(&self) -> u64 {
        self.conflicts
    }

    /// Number of addresses known or being asked for.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when nothing is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The on-link address that frames for `destination` are sent to; `None` when there is none.
    pub fn next_hop(&self, destination: IpAddr) -> Option<IpAddr> {
        let no_host = destination.is_multicast()
            || destination.is_unspecified()
            || destination.is_loopback()
            || self.local.is_broadcast(destination)
            || destination.is_ipv4() != self.local.ip.is_ipv4();
        if no_host {
            None
        } else if self.on_link(destination) || self.is_static(destination) {
            Some(destination)
        } else {
            self.gateway
        }
    }

    fn is_static(&self, ip: IpAddr) -> bool {
        matches!(self.entries.get(&ip), Some(Entry { state: State::Static { .. }, .. }))
    }

    fn on_link(&self, ip: IpAddr) -> bool {
        self.local.contains(ip) || matches!(ip, IpAddr::V6(a) if a.is_unicast_link_local())
    }

    /// The link address for `destination`; when it must be asked for first, `waiter` is told the outcome.
    pub fn lookup(&mut self, now: Nanos, destination: IpAddr, waiter: W) -> Lookup {
        let Some(hop) = self.next_hop(destination) else { return Lookup::Unreachable };
        let Some(entry) = self.entries.get_mut(&hop) else {
            if !self.make_room() {
                return Lookup::Unreachable;
            }
            let state = State::Incomplete { since: now, waiters: vec![waiter] };
            self.entries.insert(hop, Entry { state, timer: None, used: now, changed: now });
            self.requests.push_back(Request { target: hop, to: None });
            self.set_timer(hop, Some(now + self.config.retry));
            return Lookup::Pending;
        };
        entry.used = now;
        match &mut entry.state {
            State::Incomplete { waiters, .. } => {
                if !waiters.contains(&waiter) {
                    waiters.push(waiter);
                }
                Lookup::Pending
            }
            State::Reachable { mac } | State::Probe { mac, .. } | State::Static { mac } => {
                Lookup::Known(*mac)
            }
            State::Stale { mac } => {
                let mac = *mac;
                entry.state = State::Probe { mac, sent: 1 };
                self.requests.push_back(Request { target: hop, to: Some(mac) });
                self.set_timer(hop, Some(now + self.config.retry));
                Lookup::Known(mac)
            }
        }
    }

    /// Forgets a waiter that has gone (its endpoint closed).
    pub fn forget_waiters(&mut self, gone: impl Fn(&W) -> bool) {
        for entry in self.entries.values_mut() {
            if let State::Incomplete { waiters, .. } = &mut entry.state {
                waiters.retain(|w| !gone(w));
            }
        }
        self.events.retain(|e| !matches!(e, Event::Resolved(w) | Event::Failed(w) if gone(w)));
    }

    /// Takes in a pair heard on the link. Entries are made only for those who reply to us or ask for us; other
    /// frames may change a known entry, at most once a second, and what they said is confirmed at the next use.
    pub fn learn(&mut self, now: Nanos, ip: IpAddr, mac: Mac, heard: Heard) {
        if ip == self.local.ip {
            self.conflicts += 1;
            return;
        }
        if !mac.is_unicast() || !self.on_link(ip) || self.local.is_broadcast(ip) {
            return;
        }
        let Some(entry) = self.entries.get_mut(&ip) else {
            if heard == Heard::RequestForUs && self.make_room() {
                self.entries
                    .insert(ip, Entry { state: State::Stale { mac }, timer: None, used: now, changed: now });
            }
            return;
        };
        match (&mut entry.state, heard) {
            (State::Static { .. }, _) => {}
            // Whoever asks for us from the address we wait for has answered as well.
            (State::Incomplete { waiters, .. }, Heard::Reply | Heard::RequestForUs) => {
                self.events.extend(waiters.drain(..).map(Event::Resolved));
                self.reach(now, ip, mac);
            }
            (State::Incomplete { .. }, Heard::Other) => {}
            (State::Probe { .. }, Heard::Reply) => self.reach(now, ip, mac),
            (
                State::Reachable { mac: old } | State::Stale { mac: old } | State::Probe { mac: old, .. },
                _,
            ) => {
                if *old != mac && now >= entry.changed.saturating_add(LOCK_TIME) {
                    entry.state = State::Stale { mac };
                    entry.changed = now;
                    self.generation += 1;
                    self.set_timer(ip, None);
                }
            }
        }
    }

    fn reach(&mut self, now: Nanos, ip: IpAddr, mac: Mac) {
        if let Some(entry) = self.entries.get_mut(&ip) {
            if matches!(entry.state, State::Probe { mac: old, .. } if old != mac) {
                self.generation += 1;
                entry.changed = now;
            }
            entry.state = State::Reachable { mac };
            entry.used = now;
            self.set_timer(ip, Some(now + self.config.reachable));
        }
    }

    /// The next request due at `now`, if any.
    pub fn next_request(&mut self, now: Nanos) -> Option<Request> {
        self.run_timers(now);
        self.requests.pop_front()
    }

    /// The next outcome for a waiter.
    pub fn poll_event(&mut self) -> Option<Event<W>> {
        self.events.pop_front()
    }

    /// When [`Neighbours::next_request`] has something to do at the latest.
    pub fn next_deadline(&self) -> Option<Nanos> {
        match self.requests.is_empty() {
            true => self.timers.first().map(|(at, _)| *at),
            false => Some(0),
        }
    }

    fn run_timers(&mut self, now: Nanos) {
        while let Some(&(at, ip)) = self.timers.first() {
            if at > now {
                break;
            }
            self.timers.pop_first();
            if let Some(entry) = self.entries.get_mut(&ip) {
                entry.timer = None;
                self.fire(now, ip);
            }
        }
    }

    fn fire(&mut self, now: Nanos, ip: IpAddr) {
        let Config { timeout, retry, probes, .. } = self.config;
        let Some(entry) = self.entries.get_mut(&ip) else { return };
        match &mut entry.state {
            State::Incomplete { since, waiters } => {
                let end = since.saturating_add(timeout);
                if now >= end {
                    self.events.extend(waiters.drain(..).map(Event::Failed));
                    self.entries.remove(&ip);
                } else {
                    self.requests.push_back(Request { target: ip, to: None });
                    self.set_timer(ip, Some((now + retry).min(end)));
                }
            }
            State::Reachable { mac } => {
                entry.state = State::Stale { mac: *mac };
                self.generation += 1;
            }
            State::Probe { mac, sent } if *sent < probes => {
                *sent += 1;
                self.requests.push_back(Request { target: ip, to: Some(*mac) });
                self.set_timer(ip, Some(now + retry));
            }
            State::Probe { .. } => {
                // Gone from that link address: ask everybody; users come back because the generation changed.
                entry.state = State::Incomplete { since: now, waiters: Vec::new() };
                self.generation += 1;
                self.requests.push_back(Request { target: ip, to: None });
                self.set_timer(ip, Some(now + retry));
            }
            State::Stale { .. } | State::Static { .. } => {}
        }
    }

    fn set_timer(&mut self, ip: IpAddr, at: Option<Nanos>) {
        if let Some(entry) = self.entries.get_mut(&ip) {
            if let Some(old) = entry.timer.take() {
                self.timers.remove(&(old, ip));
            }
            if let Some(at) = at {
                self.timers.insert((at, ip));
            }
            entry.timer = at;
        }
    }

    /// Evicts the entry unused for longest when the cache is full. False when none may go.
    fn make_room(&mut self) -> bool {
        if self.entries.len() < self.config.capacity {
            return true;
        }
        let oldest = self
            .entries
            .iter()
            .filter(|(_, e)| matches!(e.state, State::Stale { .. } | State::Reachable { .. }))
            .min_by_key(|(_, e)| e.used)
            .map(|(ip, _)| *ip);
        let Some(ip) = oldest else { return false };
        self.set_timer(ip, None);
        self.entries.remove(&ip);
        self.generation += 1;
        true
    }
}
