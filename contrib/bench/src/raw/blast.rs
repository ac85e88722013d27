//! Frames in one direction, in full bursts, as many as the device takes.

use super::frame::{Header, Kind, is_data};
use super::link::{BURST, Deadline, put};
use super::{Amount, Error, Link};
use dpdk::Mbuf;

/// What a client sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub frames: u64,
    pub nanoseconds: u64,
}

/// What a server received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    pub frames: u64,
    pub bytes: u64,
    /// Frames that the client sent and that did not arrive.
    pub lost: u64,
    /// Frames and bytes after the first burst, and the time from the first burst to the last: the rate is of these.
    pub timed_frames: u64,
    pub timed_bytes: u64,
    pub nanoseconds: u64,
}

impl Received {
    /// Frames and bytes per second; zero when all came in one burst.
    pub fn rates(&self) -> (f64, f64) {
        if self.nanoseconds == 0 {
            return (0.0, 0.0);
        }
        let per_second = 1e9 / self.nanoseconds as f64;
        (self.timed_frames as f64 * per_second, self.timed_bytes as f64 * per_second)
    }
}

/// Client: sends frames as fast as the device takes them. Errors: [`Error::Silent`] when it takes none any more.
pub fn send(link: &mut Link, amount: Amount) -> Result<Sent, Error> {
    let start = link.clock.now();
    let (frames, end) = match amount {
        Amount::Frames(n) => (n, u64::MAX),
        Amount::Time(t) => (u64::MAX, start.saturating_add(t.as_nanos() as u64)),
    };
    let header = Header { to: link.peer, from: link.port.mac, kind: Kind::Data, number: 0 }.bytes();
    let mut deadline = Deadline::new(&link.clock, link.patience);
    let mut sent = 0;
    let mut now = start;
    while sent < frames && now < end {
        let want = usize::from(BURST).min(usize::try_from(frames - sent).unwrap_or(usize::MAX));
        while link.out.len() < want {
            let Some(mut mbuf) = link.port.pool.alloc() else { break };
            mbuf.resize(link.size).ok_or(Error::NoMbuf)?;
            put(&mut mbuf, &header);
            link.out.push(mbuf);
        }
        match link.port.tx.burst(&mut link.out) {
            0 => deadline.check(&link.clock, "the device takes no frames")?,
            n => {
                sent += n as u64;
                deadline.restart();
            }
        }
        now = link.clock.now();
    }
    Mbuf::free_all(&mut link.out);
    Ok(Sent { frames: sent, nanoseconds: now - start })
}

/// Server: counts frames until the client's farewell, which says how many there should be.
pub fn receive(link: &mut Link) -> Result<Received, Error> {
    let mut result = Received::default();
    let (mut first, mut last) = (None, 0);
    let (mut first_frames, mut first_bytes) = (0, 0);
    let mut deadline = Deadline::new(&link.clock, link.patience);
    loop {
        if link.poll() == 0 {
            deadline.check(&link.clock, "no frame comes")?;
            continue;
        }
        deadline.restart();
        let mut frames = 0;
        let mut other = None;
        for (index, mbuf) in link.got.iter().enumerate() {
            if is_data(mbuf.data()) {
                frames += 1;
                result.bytes += mbuf.packet_len() as u64;
            } else {
                other = Some(index);
            }
        }
        if frames != 0 {
            result.frames += frames;
            last = link.clock.now();
            if first.is_none() {
                first = Some(last);
                (first_frames, first_bytes) = (result.frames, result.bytes);
            }
        }
        // The farewell is the last frame of its burst that is not data, or it is sent again.
        if let Some(index) = other {
            let mbuf = link.got.swap_remove(index);
            match Header::parse(mbuf.data()) {
                Some(h) if h.kind == Kind::Stop => {
                    result.lost = h.number.saturating_sub(result.frames);
                    result.timed_frames = result.frames - first_frames;
                    result.timed_bytes = result.bytes - first_bytes;
                    result.nanoseconds = last - first.unwrap_or(last);
                    Mbuf::free_all(&mut link.got);
                    link.farewell(mbuf, &h, result.frames)?;
                    return Ok(result);
                }
                Some(h) if h.kind == Kind::Hello => link.answer(mbuf, &h, Kind::Welcome, 0)?,
                _ => {}
            }
        }
        Mbuf::free_all(&mut link.got);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_of_what_came_after_the_first_burst() {
        let received = Received {
            frames: 132,
            timed_frames: 100,
            timed_bytes: 6400,
            nanoseconds: 1000,
            ..Default::default()
        };
        let (frames, bytes) = received.rates();
        assert!((frames - 1e8).abs() < 1.0 && (bytes - 6.4e9).abs() < 1.0, "{frames} {bytes}");
        assert_eq!(Received { frames: 5, ..Default::default() }.rates(), (0.0, 0.0));
    }
}
