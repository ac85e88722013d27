//! The sending side of a port: from a datagram to a frame in the next burst. Finds the next hop's link address, puts
//! prebuilt headers in front, has checksums computed or computes them. Datagrams to the port's own address never leave.

#![forbid(unsafe_code)]

use super::Waiter;
use crate::config::Mac;
use crate::counters::Counters;
use crate::lane::{BURST, BURST_BYTES, Frame, LARGE, Lane, STOCK};
use crate::neighbour::{Lookup, Nanos, Neighbours};
use std::collections::VecDeque;
use std::net::SocketAddr;
use wire::frame::{self, Host, Template};

/// Datagrams on their way from one endpoint of the port to another.
const MOST_LOOPED: usize = 256;

/// What became of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Sent {
    /// It is in the next burst.
    Yes,
    /// No room now.
    Full,
    /// The next hop's link address is being asked for; the waiter is told.
    Pending,
    /// No way leads to the destination.
    Unreachable,
}

/// The prepared way to one destination, kept by who sends there again and again.
#[derive(Clone, Debug, Default)]
pub struct Route {
    generation: u64,
    known: Option<(SocketAddr, u16, Template)>,
}

/// A datagram from the port to itself.
pub struct Looped<F> {
    pub from: SocketAddr,
    pub to_port: u16,
    /// The payload alone.
    pub payload: F,
}

/// The sending side.
pub struct Link<F: Frame> {
    pub lane: Box<dyn Lane<F>>,
    pub host: Host,
    pub neighbours: Neighbours<Waiter>,
    pub counters: Counters,
    /// The time of the current round.
    pub now: Nanos,
    /// The device completes checksums.
    offload: bool,
    /// Largest UDP payload.
    max_payload: usize,
    batch: Vec<F>,
    batch_bytes: usize,
    /// Empty frames at hand.
    stock: Vec<F>,
    looped: VecDeque<Looped<F>>,
}

impl<F: Frame> Link<F> {
    pub fn new(
        lane: Box<dyn Lane<F>>,
        host: Host,
        neighbours: Neighbours<Waiter>,
        offload: bool,
        max_payload: usize,
    ) -> Self {
        Link {
            lane,
            host,
            neighbours,
            counters: Counters::default(),
            now: 0,
            offload,
            max_payload,
            batch: Vec::with_capacity(BURST),
            batch_bytes: 0,
            stock: Vec::with_capacity(STOCK),
            looped: VecDeque::new(),
        }
    }

    /// Largest UDP payload in bytes.
    pub fn max_payload(&self) -> usize {
        self.max_payload
    }

    /// May a datagram be sent to the destination now: is there a way, room in the burst, and a frame?
    #[inline]
    pub fn ready(&mut self, route: &mut Route, from_port: u16, to: SocketAddr, waiter: Waiter) -> Sent {
        if !self.knows(route, from_port, to) {
            if to.ip() == self.host.ip {
                return self.ready_to_loop();
            }
            if let Err(reason) = self.find(route, from_port, to, waiter) {
                return reason;
            }
        }
        if self.batch.len() >= BURST || self.batch_bytes >= BURST_BYTES {
            self.flush();
            if self.batch.len() >= BURST {
                return Sent::Full;
            }
        }
        self.has_frame()
    }

    /// The route leads to the destination.
    #[inline(always)]
    fn knows(&self, route: &Route, from_port: u16, to: SocketAddr) -> bool {
        route.generation == self.neighbours.generation()
            && route.known.as_ref().is_some_and(|(peer, port, _)| *peer == to && *port == from_port)
    }

    #[cold]
    fn ready_to_loop(&mut self) -> Sent {
        if self.looped.len() >= MOST_LOOPED { Sent::Full } else { self.has_frame() }
    }

    #[inline(always)]
    fn has_frame(&mut self) -> Sent {
        if self.stock.is_empty() { self.restock() } else { Sent::Yes }
    }

    /// A frame for a datagram of `len` bytes.
    #[inline(always)]
    fn frame(&mut self, len: usize) -> Option<F> {
        if len >= LARGE
            && let Some(frame) = self.lane.alloc()
        {
            return Some(frame);
        }
        self.stock.pop()
    }

    /// In an idle moment: takes frames from the pool, so that the next send finds some.
    #[inline]
    pub fn prepare(&mut self) {
        if self.stock.len() < STOCK / 2 {
            self.lane.fill(&mut self.stock);
        }
    }

    #[cold]
    fn restock(&mut self) -> Sent {
        self.lane.fill(&mut self.stock);
        match self.stock.is_empty() {
            false => Sent::Yes,
            true => {
                self.counters.no_mbuf += 1;
                Sent::Full
            }
        }
    }

    /// Sends one datagram of `len` bytes, written by `fill`, from a UDP port of this port. One that is longer than the link
    /// carries is counted and dropped: `Unreachable`.
    #[inline]
    pub fn send(
        &mut self,
        route: &mut Route,
        from_port: u16,
        to: SocketAddr,
        waiter: Waiter,
        len: usize,
        fill: impl FnOnce(&mut [u8]),
    ) -> Sent {
        match self.ready(route, from_port, to, waiter) {
            Sent::Yes => self.send_ready(route, from_port, to, len, fill, false),
            other => other,
        }
    }

    /// As [`Link::send`], right after [`Link::ready`] has said yes to the same destination. A packet that stays `in_memory` has
    /// no UDP checksum where IP allows that (IPv4: RFC 768; not IPv6: RFC 8200).
    #[inline]
    pub fn send_ready(
        &mut self,
        route: &Route,
        from_port: u16,
        to: SocketAddr,
        len: usize,
        fill: impl FnOnce(&mut [u8]),
        in_memory: bool,
    ) -> Sent {
        let Some(mut frame) = self.frame(len) else { return Sent::Full };
        if len > self.max_payload {
            self.counters.drop_tx += 1;
            return Sent::Unreachable;
        }
        // A route to the port itself is never found, see `ready`.
        let template = match &route.known {
            Some((peer, _, template)) if *peer == to => template,
            _ => return self.turn_round(frame, from_port, to, len, fill),
        };
        let head_len = template.header_len();
        let bytes = frame.resize(head_len + len).and_then(|b| template.emit(len, b).map(|_| b));
        let Some(bytes) = bytes else {
            self.counters.drop_tx += 1;
            return Sent::Unreachable;
        };
        let (head, body) = bytes.split_at_mut(head_len);
        fill(body);
        if self.offload {
            template.set_offload(self.host.ip, to.ip(), len, head);
            let (ethernet, ip) = template.link_and_ip_len();
            frame.request_checksums(ethernet, ip, template.is_ipv4());
        } else if !(in_memory && template.is_ipv4()) {
            template.set_udp_checksum(head, body);
        }
        self.batch_bytes += len;
        self.batch.push(frame);
        Sent::Yes
    }

    /// A datagram from the port to itself.
    #[cold]
    fn turn_round(
        &mut self,
        mut frame: F,
        from_port: u16,
        to: SocketAddr,
        len: usize,
        fill: impl FnOnce(&mut [u8]),
    ) -> Sent {
        let Some(bytes) = frame.resize(len) else { return Sent::Unreachable };
        fill(bytes);
        self.counters.looped += 1;
        let from = SocketAddr::new(self.host.ip, from_port);
        self.looped.push_back(Looped { from, to_port: to.port(), payload: frame });
        Sent::Yes
    }

    /// Looks the way up anew.
    #[cold]
    fn find(
        &mut self,
        route: &mut Route,
        from_port: u16,
        to: SocketAddr,
        waiter: Waiter,
    ) -> Result<(), Sent> {
        let mac = match self.neighbours.lookup(self.now, to.ip(), waiter) {
            Lookup::Known(Mac(mac)) => mac,
            Lookup::Pending => return Err(Sent::Pending),
            Lookup::Unreachable => return Err(Sent::Unreachable),
        };
        let template = Template::new(&self.host, from_port, mac, to).ok_or(Sent::Unreachable)?;
        *route = Route { generation: self.neighbours.generation(), known: Some((to, from_port, template)) };
        Ok(())
    }

    /// True when endpoints of this port have sent to it.
    #[inline]
    pub fn has_looped(&self) -> bool {
        !self.looped.is_empty()
    }

    /// The datagrams that endpoints of this port have sent to it so far.
    pub fn take_looped(&mut self) -> VecDeque<Looped<F>> {
        std::mem::take(&mut self.looped)
    }

    /// Gives a frame that `write` makes to the next burst; `write` gives its length, or `None` for none.
    pub fn send_frame(&mut self, room: usize, write: impl FnOnce(&Host, &mut [u8]) -> Option<usize>) -> bool {
        if self.batch.len() >= BURST {
            self.flush();
        }
        if self.batch.len() >= BURST {
            self.counters.drop_tx += 1;
            return false;
        }
        if self.has_frame() != Sent::Yes {
            return false;
        }
        let Some(mut frame) = self.stock.pop() else { return false };
        let written = frame.resize(room).and_then(|bytes| write(&self.host, bytes));
        let Some(len) = written else { return false };
        if frame.resize(len).is_none() {
            return false;
        }
        self.batch.push(frame);
        true
    }

    /// Sends the requests for link addresses that are due.
    pub fn ask_neighbours(&mut self) {
        if self.neighbours.next_deadline().is_none_or(|at| at > self.now) {
            return;
        }
        while let Some(request) = self.neighbours.next_request(self.now) {
            let to = request.to.map(|Mac(mac)| mac);
            let sent = self.send_frame(frame::MAX_NEIGHBOUR, |host, out| {
                frame::emit_neighbour_request(host, request.target, to, out)
            });
            self.counters.neighbour_requests += u64::from(sent);
        }
    }

    /// True when the device has taken everything.
    pub fn is_flushed(&self) -> bool {
        self.batch.is_empty() && self.looped.is_empty()
    }

    /// Gives up the device. Nothing can be sent or received any more.
    pub fn close(&mut self) {
        self.batch.clear();
        self.stock.clear();
        self.looped.clear();
        self.lane = Box::new(Closed);
    }

    /// Gives the burst to the device. What it does not take stays for the next time.
    #[inline]
    pub fn flush(&mut self) {
        let count = self.batch.len();
        if count != 0 {
            self.batch_bytes = 0;
            self.lane.transmit(&mut self.batch);
            self.counters.tx_frames += (count - self.batch.len()) as u64;
        }
    }
}

/// What is left of a lane when its port has closed.
struct Closed;

impl<F: Frame> Lane<F> for Closed {
    fn alloc(&mut self) -> Option<F> {
        None
    }
    fn receive(&mut self, _into: &mut Vec<F>) {}
    fn transmit(&mut self, _frames: &mut Vec<F>) {}
}
