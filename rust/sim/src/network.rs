//! Endpoints, links and the clock.

use crate::chance::Chance;
use crate::memory::Memory;
use delivery::{Time, US};
use semantics::{Body, Completion, Config, Driver, Endpoint, Found, Ready, Recv, Send, SendError, SessionId};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// What links do to packets. Probabilities from 0 to 1, times in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    pub loss: f64,
    pub duplication: f64,
    /// A packet that is reordered is late by up to `late`.
    pub reordering: f64,
    pub late: u64,
    /// One bit of a packet is turned. UDP's checksum would drop it: so does the network here, as loss.
    pub corruption: f64,
    /// One way.
    pub delay: u64,
}

impl Faults {
    /// A clean link of 5 µs.
    pub const NONE: Faults =
        Faults { loss: 0.0, duplication: 0.0, reordering: 0.0, late: 0, corruption: 0.0, delay: 5 * US };
}

/// What `Network::step` came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Progressed,
    /// Nothing is under way and nobody waits for a time.
    Idle,
}

/// Outcomes of one endpoint's operations.
pub type Completions = Vec<Completion<Memory, u64>>;

struct Node {
    ep: Endpoint<Memory, Memory, u64>,
    addr: SocketAddr,
    done: Completions,
    /// Does not run: neither receives nor sends.
    paused: bool,
    inbox: Vec<(SocketAddr, Vec<u8>)>,
}

/// A set of endpoints.
pub struct Network {
    pub now: Time,
    nodes: Vec<Node>,
    air: BTreeMap<(Time, u64), (usize, SocketAddr, Vec<u8>)>,
    count: u64,
    pub faults: Faults,
    chance: Chance,
    config: Config,
}

/// Collects what an endpoint emits.
struct Outbox<'a> {
    packets: &'a mut Vec<(SocketAddr, Vec<u8>)>,
}

impl Driver<Memory> for Outbox<'_> {
    fn ready(&mut self, _: SessionId, _: SocketAddr) -> Ready {
        Ready::Yes
    }

    fn emit(
        &mut self,
        _: Option<SessionId>,
        to: SocketAddr,
        head: usize,
        write: impl FnOnce(&mut [u8]),
        body: Body<'_, Memory>,
        _: bool,
    ) {
        let mut p = vec![0; head];
        write(&mut p);
        match body {
            Body::None => {}
            Body::Bytes(b) => p.extend_from_slice(b),
            Body::Buffer { buf, offset, len, .. } => p.extend_from_slice(&buf.0[offset..offset + len]),
        }
        self.packets.push((to, p));
    }
}

impl Network {
    /// `n` endpoints with one configuration.
    pub fn new(n: usize, config: Config, faults: Faults, seed: u64) -> Network {
        let mut net = Network {
            now: Time(1_000),
            nodes: Vec::new(),
            air: BTreeMap::new(),
            count: 0,
            faults,
            chance: Chance::new(seed ^ 0x5eed),
            config,
        };
        for i in 0..n {
            let seed = net.chance.draw();
            let addr = SocketAddr::from(([10, (i >> 16) as u8, (i >> 8) as u8, i as u8], 7000));
            let ep = Endpoint::new(net.config.clone(), seed);
            net.nodes.push(Node { ep, addr, done: Vec::new(), paused: false, inbox: Vec::new() });
        }
        net
    }

    pub fn addr(&self, node: usize) -> SocketAddr {
        self.nodes[node].addr
    }

    pub fn endpoint(&self, node: usize) -> &Endpoint<Memory, Memory, u64> {
        &self.nodes[node].ep
    }

    pub fn send(&mut self, node: usize, to: usize, op: Send<Memory, u64>) -> Result<(), SendError> {
        let (now, to) = (self.now, self.nodes[to].addr);
        let mut sent = Vec::new();
        let node = &mut self.nodes[node];
        let result = node.ep.send(now, to, op, &mut Outbox { packets: &mut sent });
        let addr = node.addr;
        for (to, p) in sent {
            self.put(addr, to, p);
        }
        result
    }

    pub fn recv(&mut self, node: usize, op: Recv<Memory, u64>) -> Result<(), SendError> {
        let now = self.now;
        self.nodes[node].ep.recv(now, op)
    }

    pub fn peek(&mut self, node: usize, op: Recv<Memory, u64>, found: Found) {
        self.nodes[node].ep.peek(op, found);
    }

    pub fn recv_claimed(&mut self, node: usize, op: Recv<Memory, u64>) -> Result<(), SendError> {
        let (now, context) = (self.now, op.context);
        self.nodes[node].ep.recv_claimed(now, op, |c| *c == context)
    }

    pub fn discard_claimed(&mut self, node: usize, op: Recv<Memory, u64>) -> Result<(), SendError> {
        let context = op.context;
        self.nodes[node].ep.discard_claimed(op, |c| *c == context)
    }

    pub fn cancel(&mut self, node: usize, context: u64) -> bool {
        let now = self.now;
        self.nodes[node].ep.cancel(now, |c| *c == context)
    }

    /// Outcomes since the last call, with those of operations that ended as they were posted or cancelled.
    pub fn completions(&mut self, node: usize) -> Completions {
        let node = &mut self.nodes[node];
        while let Some(c) = node.ep.poll_completion() {
            node.done.push(c);
        }
        std::mem::take(&mut node.done)
    }

    /// A paused node neither receives nor sends; what comes for it waits.
    pub fn pause(&mut self, node: usize, paused: bool) {
        self.nodes[node].paused = paused;
    }

    /// The node forgets everything, as a killed and restarted process does. Its operations are gone with it.
    pub fn restart(&mut self, node: usize) {
        let seed = self.chance.draw();
        self.nodes[node].ep = Endpoint::new(self.config.clone(), seed);
        self.nodes[node].done.clear();
        self.nodes[node].inbox.clear();
    }

    /// Puts a packet on its way, as if `from` had sent it.
    pub fn inject(&mut self, from: SocketAddr, to: usize, packet: Vec<u8>) {
        self.put(from, self.nodes[to].addr, packet);
    }

    /// A copy of some packet that is under way, for fuzzing.
    pub fn pick(&mut self) -> Option<(SocketAddr, usize, Vec<u8>)> {
        let n = self.chance.below(self.air.len() as u64) as usize;
        self.air.values().nth(n).map(|(to, from, p)| (*from, *to, p.clone()))
    }

    fn put(&mut self, from: SocketAddr, to: SocketAddr, packet: Vec<u8>) {
        let Some(to) = self.nodes.iter().position(|n| n.addr == to) else { return };
        let f = self.faults;
        if self.chance.happens(f.loss) || self.chance.happens(f.corruption) {
            return;
        }
        let copies = 1 + self.chance.happens(f.duplication) as usize;
        for _ in 0..copies {
            let late = if self.chance.happens(f.reordering) { self.chance.below(f.late.max(1)) } else { 0 };
            self.count += 1;
            self.air.insert((self.now + f.delay + late, self.count), (to, from, packet.clone()));
        }
    }

    /// Goes to the next thing that happens, and lets every endpoint act.
    pub fn step(&mut self) -> Outcome {
        let arrival = self.air.keys().next().map(|k| k.0);
        let deadline = self.nodes.iter().filter(|n| !n.paused).filter_map(|n| n.ep.next_deadline()).min();
        let Some(next) = [arrival, deadline].into_iter().flatten().min() else { return Outcome::Idle };
        self.now = self.now.max(next);
        let now = self.now;
        let mut sent = Vec::new();
        while let Some(e) = self.air.first_entry() {
            if e.key().0 > now {
                break;
            }
            let (to, from, p) = e.remove();
            self.nodes[to].inbox.push((from, p));
        }
        for i in 0..self.nodes.len() {
            let node = &mut self.nodes[i];
            if node.paused {
                continue;
            }
            node.ep.control(now, &mut Outbox { packets: &mut sent });
            for (from, p) in node.inbox.drain(..) {
                node.ep.handle(now, from, &p);
            }
            node.ep.transmit(now, &mut Outbox { packets: &mut sent });
            while let Some(c) = node.ep.poll_completion() {
                node.done.push(c);
            }
            let addr = node.addr;
            for (to, p) in sent.drain(..) {
                self.put(addr, to, p);
            }
        }
        Outcome::Progressed
    }

    /// Steps until `done` says so or nothing happens any more, at most for `limit` nanoseconds. False: it did not come
    /// to `done`.
    pub fn run(&mut self, limit: u64, mut done: impl FnMut(&mut Network) -> bool) -> bool {
        let end = self.now + limit;
        loop {
            if done(self) {
                return true;
            }
            if self.now >= end || self.step() == Outcome::Idle {
                return done(self);
            }
        }
    }
}
