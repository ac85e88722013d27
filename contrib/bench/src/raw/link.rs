//! The port with its clock, and the frames around a measurement: the greeting, by which both sides learn each other's
//! link address, and the farewell, after which both sides leave the device alone before either goes away (memif's
//! driver can crash in a process that polls while its peer leaves).

use super::frame::{BROADCAST, HEADER, Header, Kind, Mac};
use super::{Error, Mode};
use dpdk::{Clock, Device, Eal, Mbuf, PortConfig, StartedPort, register_thread};
use std::time::{Duration, Instant};

/// The least Ethernet frame, without its checksum.
const LEAST_FRAME: usize = 60;
/// The Ethernet header: what a frame has beyond the MTU.
const ETHERNET: usize = 14;
/// How long a greeting or a farewell waits for its answer before it is sent again.
const AGAIN: Duration = Duration::from_millis(10);
/// How long a server answers farewells that are sent again.
const ANSWERING: Duration = Duration::from_millis(100);
/// How long a client leaves the device alone before it goes: longer than the server answers.
const PARTING: Duration = Duration::from_millis(300);
/// How long a device whose other side is not there yet is given before it is tried again.
const RETRY: Duration = Duration::from_millis(50);
/// How long a memif that has started may take to connect before it is opened again.
const CONNECTING: Duration = Duration::from_millis(200);
/// Empty polls between two looks at the clock.
pub(super) const POLLS: u32 = 1 << 12;
/// Most packets taken at once. What drivers are written for.
pub(super) const BURST: u16 = 32;

/// A started port and what both sides need to know to use it.
#[derive(Debug)]
pub struct Link {
    pub(super) port: StartedPort,
    pub(super) clock: Clock,
    pub(super) size: usize,
    pub(super) peer: Mac,
    pub(super) patience: Duration,
    pub(super) got: Vec<Mbuf>,
    pub(super) out: Vec<Mbuf>,
}

impl Link {
    /// Brings up `device` (DPDK's text for it) for frames of `size` bytes, Ethernet header included and checksum not. A
    /// device that does not start because its other side is missing is tried again for `patience`.
    /// Errors: [`Error::Size`], [`Error::Dpdk`].
    pub fn open(eal: &Eal, device: &str, mtu: u16, size: usize, patience: Duration) -> Result<Link, Error> {
        let most = usize::from(mtu) + ETHERNET;
        if !(LEAST_FRAME..=most).contains(&size) {
            return Err(Error::Size { size, least: LEAST_FRAME, most });
        }
        let port = start(eal, device, mtu, Instant::now() + patience)?;
        Ok(Link::over(eal, port, size, patience))
    }

    /// As [`Link::open`], and waits until the link is up, as only the side that connects can.
    /// Errors: also [`Error::Silent`] when it stays down for `patience`.
    pub fn connect(
        eal: &Eal,
        device: &str,
        mtu: u16,
        size: usize,
        patience: Duration,
    ) -> Result<Link, Error> {
        let deadline = Instant::now() + patience;
        let mut link = Link::open(eal, device, mtu, size, patience)?;
        loop {
            let opened = Instant::now();
            // memif's server listens before it knows its own interface. A client that comes in between is sent away and
            // its driver does not come back: it has to be opened again. A NIC only needs its time.
            let again = link.driver() == "net_memif";
            while !(again && opened.elapsed() > CONNECTING) {
                if link.port.rx.link_up() {
                    return Ok(link);
                }
                if Instant::now() >= deadline {
                    return Err(Error::Silent { what: "the link is down", seconds: patience.as_secs() });
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            // The device must be gone before it can be attached again.
            drop(link);
            link = Link::over(eal, start(eal, device, mtu, deadline)?, size, patience);
        }
    }

    fn over(eal: &Eal, port: StartedPort, size: usize, patience: Duration) -> Link {
        register_thread(eal);
        Link {
            port,
            clock: Clock::start(eal),
            size,
            peer: BROADCAST,
            patience,
            got: Vec::with_capacity(usize::from(BURST)),
            out: Vec::with_capacity(usize::from(BURST)),
        }
    }

    /// The name of the device's driver.
    pub fn driver(&self) -> &str {
        &self.port.info.driver
    }

    /// Client: greets until the server answers.
    pub fn greet(&mut self, mode: Mode) -> Result<(), Error> {
        let welcome = self.ask(Kind::Hello, mode as u64, Kind::Welcome, "no server answers")?;
        self.peer = welcome.from;
        Ok(())
    }

    /// Client: tells the server that all has been sent, until it answers, and lets it leave. Gives the number in the
    /// server's answer.
    pub fn part(&mut self, number: u64) -> Result<u64, Error> {
        let stopped =
            self.ask(Kind::Stop, number, Kind::Stopped, "the server does not answer the last frame")?;
        // No polling from here on.
        std::thread::sleep(PARTING);
        Ok(stopped.number)
    }

    /// Server: waits for a client's greeting, without answering yet what comes later.
    pub fn welcome(&mut self, mode: Mode) -> Result<(), Error> {
        let mut deadline = Deadline::new(&self.clock, self.patience);
        loop {
            self.poll();
            while let Some(mbuf) = self.got.pop() {
                let Some(header) = Header::parse(mbuf.data()) else { continue };
                if header.kind == Kind::Hello {
                    self.got.clear();
                    return match header.number == mode as u64 {
                        true => self.answer(mbuf, &header, Kind::Welcome, 0),
                        false => Err(Error::OtherMode),
                    };
                }
            }
            deadline.check(&self.clock, "no client greets")?;
        }
    }

    /// Server: answers the farewell `stop`, and again while it is repeated, and then lets the client leave.
    pub(super) fn farewell(&mut self, stop: Mbuf, header: &Header, number: u64) -> Result<(), Error> {
        self.answer(stop, header, Kind::Stopped, number)?;
        let until = self.clock.now() + ANSWERING.as_nanos() as u64;
        while self.clock.now() < until {
            self.poll();
            while let Some(mbuf) = self.got.pop() {
                if let Some(header) = Header::parse(mbuf.data()).filter(|h| h.kind == Kind::Stop) {
                    self.answer(mbuf, &header, Kind::Stopped, number)?;
                }
            }
        }
        Ok(())
    }

    /// Sends a received frame back as `kind`.
    pub(super) fn answer(
        &mut self,
        mut mbuf: Mbuf,
        to: &Header,
        kind: Kind,
        number: u64,
    ) -> Result<(), Error> {
        let header = Header { to: to.from, from: self.port.mac, kind, number };
        if put(&mut mbuf, &header.bytes()) {
            self.out.push(mbuf);
        }
        self.flush()
    }

    /// A new frame to the peer.
    pub(super) fn frame(&self, kind: Kind, number: u64) -> Result<Mbuf, Error> {
        let mut mbuf = self.port.pool.alloc().ok_or(Error::NoMbuf)?;
        mbuf.resize(self.size).ok_or(Error::NoMbuf)?;
        let header = Header { to: self.peer, from: self.port.mac, kind, number };
        put(&mut mbuf, &header.bytes());
        Ok(mbuf)
    }

    /// Receives what there is into `got`, which is empty before.
    #[inline]
    pub(super) fn poll(&mut self) -> usize {
        self.port.rx.burst(&mut self.got, BURST)
    }

    /// Sends all of `out`.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        if self.port.tx.burst(&mut self.out) != 0 && self.out.is_empty() {
            return Ok(());
        }
        let mut deadline = Deadline::new(&self.clock, self.patience);
        while !self.out.is_empty() {
            self.port.tx.burst(&mut self.out);
            deadline.check(&self.clock, "the device takes no frames")?;
        }
        Ok(())
    }

    fn ask(&mut self, kind: Kind, number: u64, answer: Kind, what: &'static str) -> Result<Header, Error> {
        let mut deadline = Deadline::new(&self.clock, self.patience);
        let mut again = 0;
        loop {
            if self.clock.now() >= again {
                let mbuf = self.frame(kind, number)?;
                self.out.push(mbuf);
                self.port.tx.burst(&mut self.out);
                // A memif that is not connected yet takes nothing: the next one is as good.
                self.out.clear();
                again = self.clock.now() + AGAIN.as_nanos() as u64;
            }
            self.poll();
            while let Some(mbuf) = self.got.pop() {
                if let Some(header) = Header::parse(mbuf.data()).filter(|h| h.kind == answer) {
                    self.got.clear();
                    return Ok(header);
                }
            }
            deadline.check(&self.clock, what)?;
        }
    }
}

/// Attaches and starts the device, and again until `deadline` while it does not start.
fn start(eal: &Eal, device: &str, mtu: u16, deadline: Instant) -> Result<StartedPort, Error> {
    let config = PortConfig {
        mtu,
        // Memory beyond what the rings hold would only cool the caches. AF_XDP's driver gives 2048 to the kernel whatever
        // the rings' size.
        spare_mbufs: if device.starts_with("net_af_xdp") { 1024 } else { 512 },
        least_room: frame_size(device),
        // Nothing here has a checksum.
        checksum_offload: false,
        ..PortConfig::default()
    };
    // A virtio_user connects when it is attached, and its driver calls a missing server a bad argument.
    let connects = device.trim_start_matches("net_").starts_with("virtio_user");
    loop {
        let early = Instant::now() < deadline;
        match Device::attach(eal, device).and_then(|d| d.start(eal, &config)) {
            Err(dpdk::Error::Start { .. }) if early => {}
            Err(dpdk::Error::BadArguments { .. }) if early && connects => {}
            result => return Ok(result?),
        }
        std::thread::sleep(RETRY);
    }
}

/// Mbufs of AF_XDP are the kernel's frames, a page each with its headroom: as the provider has them.
const XDP_ROOM: usize = 3400 + 22 + 256;

/// The size of af_packet's ring frames, which its mbufs must hold; 0 for other devices.
fn frame_size(device: &str) -> usize {
    if device.starts_with("net_af_xdp") {
        return XDP_ROOM;
    }
    device.split(',').filter_map(|arg| arg.strip_prefix("framesz=")?.parse().ok()).next_back().unwrap_or(0)
}

/// Writes the header over the start of a frame; false when there is no room.
#[inline]
pub(super) fn put(mbuf: &mut Mbuf, header: &[u8; HEADER]) -> bool {
    match mbuf.data_mut().first_chunk_mut() {
        Some(place) => {
            *place = *header;
            true
        }
        None => false,
    }
}

/// Ends a busy wait. Looks at the clock so rarely that waiting costs what polling costs.
#[derive(Debug)]
pub(super) struct Deadline {
    /// 0: set at the next look at the clock.
    at: u64,
    patience: Duration,
    polls: u32,
}

impl Deadline {
    pub(super) fn new(clock: &Clock, patience: Duration) -> Self {
        Deadline { at: clock.now() + patience.as_nanos() as u64, patience, polls: 0 }
    }

    /// Something happened: patience is fresh again. Does not look at the clock.
    #[inline]
    pub(super) fn restart(&mut self) {
        self.at = 0;
        self.polls = 0;
    }

    /// To be called after each empty poll; `what` is the complaint.
    #[inline]
    pub(super) fn check(&mut self, clock: &Clock, what: &'static str) -> Result<(), Error> {
        self.polls += 1;
        if self.polls % POLLS == 0 { self.look(clock, what) } else { Ok(()) }
    }

    /// As `check`, but looks at the clock.
    #[cold]
    pub(super) fn look(&mut self, clock: &Clock, what: &'static str) -> Result<(), Error> {
        let now = clock.now();
        if self.at == 0 {
            self.at = now + self.patience.as_nanos() as u64;
        }
        if now >= self.at {
            return Err(Error::Silent { what, seconds: self.patience.as_secs() });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn af_packet_gets_mbufs_for_its_ring_frames() {
        assert_eq!(frame_size("net_af_packet0,iface=v0,framesz=9216,blocksz=36864"), 9216);
        assert_eq!(frame_size("net_memif0,role=client"), 0);
        assert_eq!(frame_size("net_af_packet0,framesz=many"), 0);
    }
}
