//! One round of a port: receive, hand over, answer, send. The endpoints live here, under the port's one lock, so that
//! whoever polls serves all of them, and a frame is handled where it lies.

#![forbid(unsafe_code)]

use super::link::Link;
use super::udp_ports::UdpPorts;
use super::{Station, Waiter};
use crate::config::Mac;
use crate::lane::{BURST, Frame, LARGE};
use crate::neighbour::{Event, Heard, Nanos};
use slab::Slab;
use wire::frame::{self, Checks, Drop, NeighbourKind, Received};

/// UDP ports there are.
const PORTS: usize = 1 << 16;
/// How long an endpoint's acknowledgements may wait for more to acknowledge, or for data to ride on. A packet of its own for
/// each packet received would double the work; a few microseconds are little against any window.
const ACK_DELAY: Nanos = 8_000;
/// No endpoint.
const NOBODY: u32 = u32::MAX;

/// How a port treats what it receives.
#[derive(Clone, Copy, Debug, Default)]
pub struct Policy {
    /// The kernel has the port's address and sees the frames: it answers ARP, neighbour discovery and echo.
    pub kernel_answers: bool,
    /// Frames may come from a kernel that left checksums to a device that does not exist.
    pub partial_checksums: bool,
}

struct Slot<S> {
    station: S,
    /// It is on the list of active endpoints: it received something and may have acknowledgements to send.
    active: bool,
    /// When it came on the list.
    since: Nanos,
}

/// A port's queues, neighbours and endpoints.
pub struct PortIo<F: Frame, S> {
    pub link: Link<F>,
    pub udp_ports: UdpPorts,
    stations: Slab<Slot<S>>,
    /// Endpoint of each UDP port.
    by_port: Box<[u32]>,
    /// Endpoints with something to do or to acknowledge, the caller's among them.
    active: Vec<u32>,
    policy: Policy,
    /// Frames of the last round, which have been dealt with: their memory goes back to the pool in the next one, when nobody
    /// waits for what they brought.
    received: Vec<F>,
    /// Counts rounds, so that the keeper sees whether somebody polls.
    pub rounds: u64,
}

impl<F: Frame, S: Station<F>> PortIo<F, S> {
    pub fn new(link: Link<F>, udp_ports: UdpPorts, policy: Policy) -> Self {
        PortIo {
            link,
            udp_ports,
            stations: Slab::new(),
            by_port: vec![NOBODY; PORTS].into_boxed_slice(),
            active: Vec::new(),
            policy,
            received: Vec::with_capacity(BURST),
            rounds: 0,
        }
    }

    /// Adds an endpoint that has taken `udp_port`; `make` gets its key.
    pub fn add(&mut self, udp_port: u16, make: impl FnOnce(u32) -> S) -> u32 {
        let entry = self.stations.vacant_entry();
        let key = entry.key() as u32;
        entry.insert(Slot { station: make(key), active: false, since: 0 });
        self.by_port[usize::from(udp_port)] = key;
        key
    }

    /// Removes an endpoint and gives its UDP port back.
    pub fn remove(&mut self, key: u32, udp_port: u16) -> Option<S> {
        self.by_port[usize::from(udp_port)] = NOBODY;
        self.udp_ports.release(udp_port);
        self.active.retain(|k| *k != key);
        self.link.neighbours.forget_waiters(|w| w.station == key);
        self.stations.try_remove(key as usize).map(|slot| slot.station)
    }

    /// An endpoint, with the link to send by.
    #[inline]
    pub fn station(&mut self, key: u32) -> Option<(&mut S, &mut Link<F>)> {
        self.stations.get_mut(key as usize).map(|slot| (&mut slot.station, &mut self.link))
    }

    /// Everything that is due at `now`, for the endpoint that polls and for those that a frame came for.
    #[inline]
    pub fn round(&mut self, now: Nanos, caller: Option<u32>) {
        self.rounds += 1;
        self.link.now = now;
        if let Some(key) = caller {
            self.mark(key);
        }
        // Acknowledgements that nothing has carried go out before anything new comes in.
        let mut i = 0;
        while let Some(&key) = self.active.get(i) {
            let keep = match self.stations.get_mut(key as usize) {
                Some(slot) => {
                    if now.saturating_sub(slot.since) >= ACK_DELAY {
                        slot.station.control(&mut self.link);
                        slot.active = Some(key) == caller;
                        slot.since = now;
                    }
                    slot.active
                }
                None => false,
            };
            // Mostly there is one, and it stays.
            if keep {
                i += 1;
            } else {
                self.active.remove(i);
            }
        }

        if self.link.has_looped() {
            self.deliver_looped();
        }
        self.receive();
        self.serve_neighbours();

        for i in 0..self.active.len() {
            if let Some(slot) = self.stations.get_mut(self.active[i] as usize) {
                slot.station.transmit(&mut self.link);
            }
        }
        self.link.flush();
    }

    /// A round for every endpoint, when nobody else polls.
    pub fn round_for_all(&mut self, now: Nanos) {
        self.round(now, None);
        for slot in self.stations.iter_mut().map(|(_, slot)| slot) {
            slot.station.transmit(&mut self.link);
            slot.station.control(&mut self.link);
        }
        self.link.flush();
    }

    #[inline]
    fn mark(&mut self, key: u32) {
        if let Some(slot) = self.stations.get_mut(key as usize)
            && !slot.active
        {
            slot.active = true;
            slot.since = self.link.now;
            self.active.push(key);
        }
    }

    #[cold]
    fn deliver_looped(&mut self) {
        for looped in self.link.take_looped() {
            let key = self.by_port[usize::from(looped.to_port)];
            match self.stations.get_mut(key as usize) {
                Some(slot) => {
                    slot.station.handle(self.link.now, looped.from, looped.payload.bytes());
                    self.mark(key);
                }
                None => self.link.counters.drop_no_endpoint += 1,
            }
        }
    }

    #[inline]
    fn receive(&mut self) {
        let mut frames = std::mem::take(&mut self.received);
        frames.clear();
        self.link.lane.receive(&mut frames);
        if frames.is_empty() {
            self.link.prepare();
        } else {
            self.link.counters.rx_frames += frames.len() as u64;
            for frame in &frames {
                self.take_in(frame);
            }
            // Large ones are wanted back at once, see `LARGE`.
            if frames.last().is_some_and(|f| f.bytes().len() >= LARGE) {
                frames.clear();
            }
        }
        self.received = frames;
    }

    /// Gives up the device. Nothing can be sent or received any more.
    pub fn close(&mut self) {
        self.received.clear();
        self.link.close();
    }

    #[inline]
    fn take_in(&mut self, frame: &F) {
        let verified = frame.verified();
        let checks = Checks {
            ip_verified: verified.ip,
            udp_verified: verified.udp,
            partial_accepted: self.policy.partial_checksums,
            stripped_vlan: frame.stripped_vlan(),
        };
        match frame::parse(frame.bytes(), &self.link.host, checks) {
            Ok(Received::Udp(udp)) => {
                let key = self.by_port[usize::from(udp.dst_port)];
                let Some(slot) = self.stations.get_mut(key as usize) else {
                    self.link.counters.drop_no_endpoint += 1;
                    return;
                };
                self.link.counters.rx_delivered += 1;
                slot.station.handle(self.link.now, udp.src, &frame.bytes()[udp.payload]);
                if !slot.active {
                    slot.active = true;
                    slot.since = self.link.now;
                    self.active.push(key);
                }
            }
            Ok(Received::Neighbour(message)) => self.hear_neighbour(message),
            Ok(Received::Echo(echo)) => self.answer_echo(frame, &echo),
            Err(reason) => self.count(reason),
        }
    }

    #[cold]
    fn hear_neighbour(&mut self, message: frame::Neighbour) {
        let heard = match message.kind {
            NeighbourKind::RequestForUs => Heard::RequestForUs,
            NeighbourKind::Reply => Heard::Reply,
            NeighbourKind::Other => Heard::Other,
        };
        if message.kind == NeighbourKind::RequestForUs && !self.policy.kernel_answers {
            let sent = self.link.send_frame(frame::MAX_NEIGHBOUR, |host, out| {
                frame::emit_neighbour_answer(host, &message, out)
            });
            self.link.counters.neighbour_answers += u64::from(sent);
        }
        let link = &mut self.link;
        link.neighbours.learn(link.now, message.ip, Mac(message.mac), heard);
        link.counters.address_conflicts = link.neighbours.conflicts();
    }

    #[cold]
    fn answer_echo(&mut self, request: &F, echo: &frame::Echo) {
        if self.policy.kernel_answers {
            return;
        }
        // A tag that the device took out is put in again.
        let room = request.bytes().len() + 4;
        let sent =
            self.link.send_frame(room, |host, out| frame::emit_echo_reply(request.bytes(), echo, host, out));
        self.link.counters.echo_answers += u64::from(sent);
    }

    /// Asks for link addresses, and tells those who wait for them.
    fn serve_neighbours(&mut self) {
        self.link.ask_neighbours();
        while let Some(event) = self.link.neighbours.poll_event() {
            let (Event::Resolved(waiter) | Event::Failed(waiter)) = event;
            let Some(slot) = self.stations.get_mut(waiter.station as usize) else { continue };
            match event {
                Event::Resolved(_) => slot.station.resolved(waiter),
                Event::Failed(_) => {
                    log::info!(
                        target: "ep_data",
                        "{} has no link address: nobody answers; is the host up, on this network and VLAN?",
                        waiter.peer.ip()
                    );
                    slot.station.unreachable(self.link.now, waiter);
                }
            }
            self.mark(waiter.station);
        }
    }

    #[cold]
    fn count(&mut self, reason: Drop) {
        let counters = &mut self.link.counters;
        *match reason {
            Drop::Truncated | Drop::BadLength => &mut counters.drop_length,
            Drop::NotForUs => &mut counters.drop_not_for_us,
            Drop::OtherVlan => &mut counters.drop_vlan,
            Drop::UnknownProtocol => &mut counters.drop_protocol,
            Drop::Malformed | Drop::BadSource => &mut counters.drop_malformed,
            Drop::Fragment => &mut counters.drop_fragment,
            Drop::BadIpChecksum | Drop::BadUdpChecksum => &mut counters.drop_checksum,
        } += 1;
    }
}

/// For tests and the waiters' keys.
impl Waiter {
    /// A waiter of an endpoint for a peer.
    pub fn new(station: u32, session: u32, peer: std::net::SocketAddr) -> Self {
        Waiter { station, session, peer }
    }
}
