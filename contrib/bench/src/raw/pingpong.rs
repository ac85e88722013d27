//! One frame goes to and fro. The frame that comes back is the next one to go, so that the pool takes no part.

use super::frame::{Header, Kind};
use super::link::{Deadline, POLLS, put};
use super::{Amount, Error, Link};
use crate::histogram::Histogram;
use std::time::Duration;

/// Round trips before the measurement, which find caches cold.
const WARM_UP: u64 = 1000;
/// A frame that is not back by now is lost.
const LOST: Duration = Duration::from_millis(100);

/// What a client measured.
#[derive(Clone, Debug, Default)]
pub struct RoundTrips {
    /// Whole round trips in nanoseconds.
    pub times: Histogram,
    pub lost: u64,
}

/// Client: sends frames and waits for each to come back. Errors: [`Error::Silent`] when none does any more.
pub fn ping(link: &mut Link, amount: Amount) -> Result<RoundTrips, Error> {
    let mut result = RoundTrips::default();
    let (frames, end) = match amount {
        Amount::Frames(n) => (n.saturating_add(WARM_UP), u64::MAX),
        Amount::Time(t) => (u64::MAX, link.clock.now().saturating_add(t.as_nanos() as u64)),
    };
    let lost = LOST.as_nanos() as u64;
    let mut deadline = Deadline::new(&link.clock, link.patience);
    let mut mbuf = link.frame(Kind::Ping, 0)?;
    let mut number = 0;
    let mut header = Header { to: link.peer, from: link.port.mac, kind: Kind::Ping, number };
    while number < frames {
        number += 1;
        header.number = number;
        put(&mut mbuf, &header.bytes());
        link.out.push(mbuf);
        let sent = link.clock.now();
        link.flush()?;
        let mut polls = 0u32;
        let back = loop {
            if link.poll() != 0 {
                if let Some(back) = take(link, number) {
                    break Some(back);
                }
            }
            polls += 1;
            if polls % POLLS == 0 && link.clock.now() - sent > lost {
                break None;
            }
        };
        let now = link.clock.now();
        mbuf = match back {
            Some(back) => {
                if number > WARM_UP {
                    result.times.record(now - sent);
                }
                deadline.restart();
                back
            }
            None => {
                result.lost += 1;
                deadline.look(&link.clock, "no frame comes back")?;
                link.frame(Kind::Ping, 0)?
            }
        };
        if now >= end {
            break;
        }
    }
    Ok(result)
}

/// The answer to ping `number` out of what was received.
#[inline]
fn take(link: &mut Link, number: u64) -> Option<dpdk::Mbuf> {
    let mut found = None;
    while let Some(mbuf) = link.got.pop() {
        match Header::parse(mbuf.data()) {
            Some(h) if h.kind == Kind::Pong && h.number == number => found = Some(mbuf),
            _ => {}
        }
    }
    found
}

/// Server: sends frames back until the client's farewell. Gives their number.
pub fn echo(link: &mut Link) -> Result<u64, Error> {
    let mut count = 0;
    let mut deadline = Deadline::new(&link.clock, link.patience);
    loop {
        if link.poll() == 0 {
            deadline.check(&link.clock, "no frame comes")?;
            continue;
        }
        let mut stop = None;
        while let Some(mut mbuf) = link.got.pop() {
            let Some(header) = Header::parse(mbuf.data()) else { continue };
            let kind = match header.kind {
                Kind::Ping => Kind::Pong,
                Kind::Hello => Kind::Welcome,
                Kind::Stop => {
                    stop = Some((mbuf, header));
                    continue;
                }
                _ => continue,
            };
            let reply = Header { to: header.from, from: link.port.mac, kind, number: header.number };
            if put(&mut mbuf, &reply.bytes()) {
                count += u64::from(kind == Kind::Pong);
                link.out.push(mbuf);
            }
        }
        if !link.out.is_empty() {
            link.flush()?;
        }
        if let Some((mbuf, header)) = stop {
            link.farewell(mbuf, &header, count)?;
            return Ok(count);
        }
        deadline.restart();
    }
}
