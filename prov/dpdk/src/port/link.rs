//! The sending side of a port: from a datagram to a frame in the next burst. Finds the next hop's link address, puts
//! prebuilt headers in front, has checksums computed or computes them. Datagrams to the port's own address never leave.

#![forbid(unsafe_code)]

use super::Waiter;
use crate::config::Mac;
use crate::counters::Counters;
use crate::lane::{BURST, Frame, Lane};
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

impl Route {
    #[inline]
    fn template(&self) -> Option<&Template> {
        self.known.as_ref().map(|(_, _, template)| template)
    }
}

/// Where one datagram goes. Its headers stay in the route: they are too long to be moved about for every packet.
pub struct Place<F> {
    /// To the port itself.
    loops: bool,
    frame: F,
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
            looped: VecDeque::new(),
        }
    }

    /// Largest UDP payload in bytes.
    pub fn max_payload(&self) -> usize {
        self.max_payload
    }

    /// Sends one datagram of `len` bytes, written by `fill`, from a UDP port of this port.
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
        match self.reserve(route, from_port, to, waiter) {
            Ok(place) => match self.put(place, route, from_port, to, len, fill) {
                true => Sent::Yes,
                false => Sent::Unreachable,
            },
            Err(reason) => reason,
        }
    }

    /// A place for one datagram to a destination: a way there, room in the burst, and a frame. Never `Err(Sent::Yes)`.
    #[inline]
    pub fn reserve(
        &mut self,
        route: &mut Route,
        from_port: u16,
        to: SocketAddr,
        waiter: Waiter,
    ) -> Result<Place<F>, Sent> {
        let current = route.generation == self.neighbours.generation();
        let loops = match &route.known {
            Some((peer, port, _)) if current && *peer == to && *port == from_port => false,
            _ if to.ip() == self.host.ip => true,
            _ => {
                self.find(route, from_port, to, waiter)?;
                false
            }
        };
        if loops {
            if self.looped.len() >= MOST_LOOPED {
                return Err(Sent::Full);
            }
        } else if self.batch.len() >= BURST {
            self.flush();
            if self.batch.len() >= BURST {
                return Err(Sent::Full);
            }
        }
        let Some(frame) = self.lane.alloc() else {
            self.counters.no_mbuf += 1;
            return Err(Sent::Full);
        };
        Ok(Place { loops, frame })
    }

    /// Sends a datagram from its place, which was reserved with the same route. False, and it is dropped, when it is longer
    /// than the link carries.
    #[inline]
    pub fn put(
        &mut self,
        place: Place<F>,
        route: &Route,
        from_port: u16,
        to: SocketAddr,
        len: usize,
        fill: impl FnOnce(&mut [u8]),
    ) -> bool {
        let Place { loops, mut frame } = place;
        if len > self.max_payload {
            self.counters.drop_tx += 1;
            return false;
        }
        if loops {
            let Some(bytes) = frame.resize(len) else { return false };
            fill(bytes);
            self.counters.looped += 1;
            let from = SocketAddr::new(self.host.ip, from_port);
            self.looped.push_back(Looped { from, to_port: to.port(), payload: frame });
            return true;
        }
        let Some(template) = route.template() else { return false };
        let head_len = template.header_len();
        let Some(bytes) = frame.resize(head_len + len) else {
            self.counters.drop_tx += 1;
            return false;
        };
        let (head, body) = bytes.split_at_mut(head_len);
        fill(body);
        if template.emit(len, head).is_none() {
            self.counters.drop_tx += 1;
            return false;
        }
        if self.offload {
            template.set_offload(self.host.ip, to.ip(), len, head);
            let (ethernet, ip) = template.link_and_ip_len();
            frame.request_checksums(ethernet, ip, template.is_ipv4());
        } else {
            template.set_udp_checksum(head, len, [&*body]);
        }
        self.batch.push(frame);
        true
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
        let Some(mut frame) = self.lane.alloc() else {
            self.counters.no_mbuf += 1;
            return false;
        };
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
        self.looped.clear();
        self.lane = Box::new(Closed);
    }

    /// Gives the burst to the device. What it does not take stays for the next time.
    #[inline]
    pub fn flush(&mut self) {
        let count = self.batch.len();
        if count != 0 {
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
