//! FI_EP_DGRAM: every message is one plain UDP datagram, which any UDP socket understands. Nothing is repeated, nothing is
//! kept for a receive that is not posted.

#![forbid(unsafe_code)]

use super::outcome::{Outcome, failure};
use crate::lane::Frame;
use crate::neighbour::Nanos;
use crate::port::link::{Link, Route, Sent};
use crate::port::{Station, Waiter};
use kit::{
    Completion, Context, Error, Failure, Kind, RecvAct, RecvKind, RecvOp, Result, SendOp, Token, UserIov,
};
use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;

/// Destinations whose prepared headers are kept.
const MOST_ROUTES: usize = 1024;

/// A datagram that waits for its next hop's link address.
struct Parked {
    to: SocketAddr,
    data: Data,
    token: Token,
    failed: bool,
}

enum Data {
    /// The application's memory, until the completion.
    Lent(UserIov),
    /// A copy, of an injected message.
    Copied(Vec<u8>),
}

impl Data {
    fn len(&self) -> usize {
        match self {
            Data::Lent(iov) => iov.len(),
            Data::Copied(bytes) => bytes.len(),
        }
    }

    fn read(&self, out: &mut [u8]) {
        match self {
            Data::Lent(iov) => iov.read(0, out),
            Data::Copied(bytes) => out.copy_from_slice(bytes),
        }
    }
}

/// A datagram endpoint.
pub struct Dgram {
    key: u32,
    udp_port: u16,
    posted: VecDeque<RecvOp>,
    rx_size: usize,
    parked: VecDeque<Parked>,
    tx_size: usize,
    routes: HashMap<SocketAddr, Route>,
    outcomes: VecDeque<Outcome>,
    dropped: u64,
}

impl Dgram {
    pub fn new(key: u32, udp_port: u16, tx_size: usize, rx_size: usize) -> Self {
        Dgram {
            key,
            udp_port,
            posted: VecDeque::with_capacity(rx_size),
            rx_size,
            parked: VecDeque::new(),
            tx_size,
            routes: HashMap::new(),
            outcomes: VecDeque::with_capacity(rx_size),
            dropped: 0,
        }
    }

    /// Takes the next outcome.
    pub fn poll_outcome(&mut self) -> Option<Outcome> {
        self.outcomes.pop_front()
    }

    /// Datagrams for which no receive was posted.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// True when nothing waits to be sent.
    pub fn is_drained(&self) -> bool {
        self.parked.is_empty()
    }

    /// Sends, or parks while the next hop is being asked for. Errors: `FI_EAGAIN`, `FI_EMSGSIZE`, `FI_ENOSYS` for what a
    /// datagram cannot carry.
    pub fn send<F: Frame>(&mut self, op: SendOp, link: &mut Link<F>) -> Result<()> {
        if op.kind != Kind::Msg || op.data.is_some() {
            return Err(Error::NOSYS);
        }
        if op.buf.len() > link.max_payload() {
            return Err(Error::MSGSIZE);
        }
        if self.parked.len() >= self.tx_size {
            return Err(Error::AGAIN);
        }
        match self.try_send(op.dest, op.buf.len(), |out| op.buf.read(0, out), link) {
            Sent::Yes => self.outcomes.push_back(Outcome::Sent(completion(op.token))),
            Sent::Full => return Err(Error::AGAIN),
            Sent::Unreachable => {
                let failure = failure(abi::FI_EHOSTUNREACH);
                self.outcomes.push_back(Outcome::SendFailed(completion(op.token), failure));
            }
            Sent::Pending => {
                let data = match op.inject {
                    true => {
                        let mut copy = vec![0; op.buf.len()];
                        op.buf.read(0, &mut copy);
                        Data::Copied(copy)
                    }
                    false => Data::Lent(op.buf),
                };
                self.parked.push_back(Parked { to: op.dest, data, token: op.token, failed: false });
            }
        }
        Ok(())
    }

    fn try_send<F: Frame>(
        &mut self,
        to: SocketAddr,
        len: usize,
        fill: impl FnOnce(&mut [u8]),
        link: &mut Link<F>,
    ) -> Sent {
        if self.routes.len() >= MOST_ROUTES && !self.routes.contains_key(&to) {
            self.routes.clear();
        }
        let route = self.routes.entry(to).or_default();
        link.send(route, self.udp_port, to, Waiter::new(self.key, 0, to), len, fill)
    }

    /// Posts a receive. Errors: `FI_EAGAIN`, `FI_ENOSYS` for tagged ones.
    pub fn recv(&mut self, op: RecvOp) -> Result<()> {
        if op.kind != RecvKind::Msg || op.act != RecvAct::Post || op.from.is_some() {
            return Err(Error::NOSYS);
        }
        if self.posted.len() >= self.rx_size {
            return Err(Error::AGAIN);
        }
        self.posted.push_back(op);
        Ok(())
    }

    /// Cancels a posted receive, or a send that has not left. `FI_ENOENT` when there is none with this context.
    pub fn cancel(&mut self, context: Context) -> Result<()> {
        let canceled = failure(abi::FI_ECANCELED);
        if let Some(at) = self.posted.iter().position(|op| op.token.context == context) {
            if let Some(op) = self.posted.remove(at) {
                let c = Completion { buf: op.buf.address(), ..completion(op.token) };
                self.outcomes.push_back(Outcome::ReceiveFailed(c, canceled, None));
            }
            return Ok(());
        }
        let at = self.parked.iter().position(|p| p.token.context == context);
        let parked = at.and_then(|at| self.parked.remove(at)).ok_or(Error::new(abi::FI_ENOENT))?;
        self.outcomes.push_back(Outcome::SendFailed(completion(parked.token), canceled));
        Ok(())
    }
}

fn completion(token: Token) -> Completion {
    Completion { token, ..Completion::default() }
}

impl<F: Frame> Station<F> for Dgram {
    fn handle(&mut self, _now: Nanos, from: SocketAddr, payload: &[u8]) {
        let Some(mut op) = self.posted.pop_front() else {
            self.dropped += 1;
            return;
        };
        let room = op.buf.len();
        let len = payload.len().min(room);
        op.buf.write(0, &payload[..len]);
        let c = Completion { len, buf: op.buf.address(), ..completion(op.token) };
        self.outcomes.push_back(match payload.len() > room {
            false => Outcome::Received(c, from),
            true => {
                let failure = Failure { olen: payload.len() - room, ..failure(abi::FI_ETRUNC) };
                Outcome::ReceiveFailed(c, failure, Some(from))
            }
        });
    }

    fn control(&mut self, _link: &mut Link<F>) {}

    fn transmit(&mut self, link: &mut Link<F>) {
        for _ in 0..self.parked.len() {
            let Some(parked) = self.parked.pop_front() else { return };
            let Parked { to, data, token, failed } = parked;
            let sent = match failed {
                true => Sent::Unreachable,
                false => self.try_send(to, data.len(), |out| data.read(out), link),
            };
            match sent {
                Sent::Yes => self.outcomes.push_back(Outcome::Sent(completion(token))),
                Sent::Unreachable => {
                    let failure = failure(abi::FI_EHOSTUNREACH);
                    self.outcomes.push_back(Outcome::SendFailed(completion(token), failure));
                }
                // Others go on; this one keeps its place behind them.
                Sent::Full | Sent::Pending => self.parked.push_back(Parked { to, data, token, failed }),
            }
        }
    }

    fn resolved(&mut self, _waiter: Waiter) {
        // The next transmission looks it up.
    }

    fn unreachable(&mut self, _now: Nanos, waiter: Waiter) {
        self.parked.iter_mut().filter(|p| p.to == waiter.peer).for_each(|p| p.failed = true);
    }
}
