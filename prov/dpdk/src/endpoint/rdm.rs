//! FI_EP_RDM: the message layer's endpoint, driven by a port. Packets are written straight from the application's memory
//! into frames, and from frames into the application's memory.

#![forbid(unsafe_code)]

#[cfg(test)]
mod tests;

use super::outcome::{Outcome, failure};
use crate::lane::Frame;
use crate::neighbour::Nanos;
use crate::port::link::{Link, Route, Sent};
use crate::port::{Station, Waiter};
use kit::{
    Completion, Context, Error, Failure, Kind, RecvAct, RecvKind, RecvOp, Result, SendOp, Token, UserIov,
};
use semantics::{Body, Driver, Found, Ready, SendError, SessionId, Time};
use std::hash::{BuildHasher, Hasher};
use std::net::SocketAddr;

/// The application's memory as the message layer sees it.
pub struct Memory(UserIov);

impl semantics::SendBuffer for Memory {
    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline]
    fn read(&self, offset: usize, out: &mut [u8]) {
        self.0.read(offset, out);
    }
    #[inline]
    fn append_to(&self, out: &mut Vec<u8>) {
        self.0.append_to(out);
    }
}

impl semantics::RecvBuffer for Memory {
    #[inline]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline]
    fn write(&mut self, offset: usize, data: &[u8]) {
        self.0.write(offset, data);
    }
}

/// Stations with a route each; more share by being looked up again.
type Messages = semantics::Endpoint<Memory, Memory, Token>;

/// A reliable endpoint.
pub struct Rdm {
    key: u32,
    udp_port: u16,
    messages: Messages,
    /// Prepared headers by session.
    routes: Vec<Route>,
    /// Peers that no way leads to, found while sending.
    lost: Vec<SocketAddr>,
}

/// What an endpoint is made with.
pub struct RdmConfig {
    pub tx_size: usize,
    pub rx_size: usize,
    pub max_udp_payload: usize,
    pub peer_timeout: Nanos,
    pub eager: usize,
    pub unexpected: usize,
    /// Names this host where the port is its memory; 0 elsewhere.
    pub host: u64,
}

impl Rdm {
    pub fn new(key: u32, udp_port: u16, config: &RdmConfig) -> Self {
        let delivery = delivery::Config {
            max_payload: config.max_udp_payload,
            host: config.host,
            peer_timeout: config.peer_timeout,
            ..delivery::Config::default()
        };
        let config = semantics::Config {
            delivery,
            tx_size: config.tx_size,
            rx_size: config.rx_size,
            eager: config.eager,
            unexpected: config.unexpected,
            ..semantics::Config::default()
        };
        Rdm { key, udp_port, messages: Messages::new(config, random()), routes: Vec::new(), lost: Vec::new() }
    }

    /// Starts a send and sends what may be sent. Errors: `FI_EAGAIN`.
    #[inline]
    pub fn send<F: Frame>(&mut self, op: SendOp, link: &mut Link<F>) -> Result<()> {
        let send = semantics::Send {
            kind: match op.kind {
                Kind::Msg => semantics::Kind::Msg,
                Kind::Tagged { tag } => semantics::Kind::Tagged(tag),
            },
            buf: Memory(op.buf),
            data: op.data,
            inject: op.inject,
            delivered: op.delivered,
            quiet: !op.token.report,
            context: op.token,
        };
        let now = Time(link.now);
        let (messages, mut driver) = self.split(link);
        messages.send(now, op.dest, send, &mut driver).map_err(refused)?;
        if !self.lost.is_empty() {
            self.give_up_lost(now.0);
        }
        Ok(())
    }

    /// Posts a receive, or looks at messages that wait for one. Errors: `FI_EAGAIN`, `FI_EINVAL` when no message was claimed
    /// with this context.
    #[inline]
    pub fn recv<F: Frame>(&mut self, op: RecvOp, link: &mut Link<F>) -> Result<()> {
        let recv = semantics::Recv {
            kind: match op.kind {
                RecvKind::Msg => semantics::RecvKind::Msg,
                RecvKind::Tagged { tag, ignore } => semantics::RecvKind::Tagged { tag, ignore },
            },
            buf: Memory(op.buf),
            from: op.from,
            context: op.token,
        };
        if op.act != RecvAct::Post {
            return self.look(Time(link.now), op.act, recv);
        }
        self.messages.recv(Time(link.now), recv).map_err(refused)
    }

    #[cold]
    fn look(&mut self, now: Time, act: RecvAct, op: semantics::Recv<Memory, Token>) -> Result<()> {
        let context = op.context.context;
        let same = |token: &Token| token.context == context;
        match act {
            RecvAct::Post => self.messages.recv(now, op).map_err(refused)?,
            RecvAct::Peek => self.messages.peek(op, Found::Stays),
            RecvAct::PeekAndClaim => self.messages.peek(op, Found::Claimed),
            RecvAct::PeekAndDiscard => self.messages.peek(op, Found::Discarded),
            RecvAct::TakeClaimed => self.messages.recv_claimed(now, op, same).map_err(refused)?,
            RecvAct::DiscardClaimed => self.messages.discard_claimed(op, same).map_err(refused)?,
        }
        Ok(())
    }

    /// Cancels a posted receive. `FI_ENOENT` when there is none with this context.
    pub fn cancel(&mut self, now: Nanos, context: Context) -> Result<()> {
        match self.messages.cancel(Time(now), |token| token.context == context) {
            true => Ok(()),
            false => Err(Error::new(abi::FI_ENOENT)),
        }
    }

    /// Takes the next outcome.
    #[inline(always)]
    pub fn poll_outcome(&mut self) -> Option<Outcome> {
        use semantics::Completion as Done;
        Some(match self.messages.poll_completion()? {
            Done::Sent { context } => Outcome::Sent(Completion { token: context, ..Completion::default() }),
            Done::SendFailed { context, err } => {
                Outcome::SendFailed(Completion { token: context, ..Completion::default() }, failure(err))
            }
            Done::Received { context, buf, len, tag, data, from } => {
                Outcome::Received(received(context, &buf, len, tag, data), from)
            }
            Done::RecvFailed { context, buf, err, len, olen, tag, data, from } => Outcome::ReceiveFailed(
                received(context, &buf, len, tag, data),
                Failure { olen, ..failure(err) },
                from,
            ),
        })
    }

    /// Says goodbye to all peers once everything is sent.
    pub fn close<F: Frame>(&mut self, link: &mut Link<F>) {
        let now = Time(link.now);
        let (messages, mut driver) = self.split(link);
        messages.close(now, &mut driver);
    }

    /// Messages wait to be sent, until something arrives.
    #[inline]
    pub fn waits(&self) -> bool {
        self.messages.waits()
    }

    /// True when nothing waits to be sent or acknowledged.
    pub fn is_drained(&self) -> bool {
        self.messages.is_drained()
    }

    /// What happened, for the log.
    pub fn stats(&self) -> String {
        let (messages, delivery) = self.messages.stats();
        format!("{messages:?} {delivery:?}")
    }

    #[inline]
    fn split<'a, F: Frame>(&'a mut self, link: &'a mut Link<F>) -> (&'a mut Messages, PortDriver<'a, F>) {
        let driver = PortDriver {
            link,
            routes: &mut self.routes,
            lost: &mut self.lost,
            ready: None,
            udp_port: self.udp_port,
            key: self.key,
        };
        (&mut self.messages, driver)
    }

    /// Peers that no way leads to fail.
    #[cold]
    fn give_up_lost(&mut self, now: Nanos) {
        for peer in std::mem::take(&mut self.lost) {
            self.messages.fail_peer(Time(now), peer, abi::FI_EHOSTUNREACH);
        }
    }
}

#[cold]
fn refused(error: SendError) -> Error {
    match error {
        SendError::Again => Error::AGAIN,
        SendError::NotClaimed => Error::INVAL,
    }
}

#[inline(always)]
fn received(token: Token, buf: &Memory, len: usize, tag: Option<u64>, data: Option<u64>) -> Completion {
    Completion { token, len, buf: buf.0.address(), data, tag: tag.unwrap_or(0) }
}

/// A number that nobody can guess: the standard library keys its hashers from the system's random source.
fn random() -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

impl<F: Frame> Station<F> for Rdm {
    #[inline]
    fn handle(&mut self, now: Nanos, from: SocketAddr, payload: &[u8]) {
        self.messages.handle(Time(now), from, payload);
    }

    #[inline]
    fn control(&mut self, link: &mut Link<F>) {
        let now = Time(link.now);
        let (messages, mut driver) = self.split(link);
        messages.control(now, &mut driver);
    }

    #[inline]
    fn transmit(&mut self, link: &mut Link<F>) {
        let now = Time(link.now);
        let (messages, mut driver) = self.split(link);
        messages.transmit(now, &mut driver);
        if !self.lost.is_empty() {
            self.give_up_lost(now.0);
        }
    }

    fn resolved(&mut self, waiter: Waiter) {
        self.messages.unblock(SessionId(waiter.session));
    }

    fn unreachable(&mut self, now: Nanos, waiter: Waiter) {
        self.messages.fail_peer(Time(now), waiter.peer, abi::FI_EHOSTUNREACH);
    }
}

/// A port as the message layer's driver, for one endpoint.
struct PortDriver<'a, F: Frame> {
    link: &'a mut Link<F>,
    routes: &'a mut Vec<Route>,
    lost: &'a mut Vec<SocketAddr>,
    /// The session whose packet may come without another look at its way.
    ready: Option<SessionId>,
    udp_port: u16,
    key: u32,
}

/// The route of a session.
#[inline]
fn route(routes: &mut Vec<Route>, session: SessionId) -> &mut Route {
    let index = session.index();
    if index >= routes.len() {
        routes.resize_with(index + 1, Route::default);
    }
    &mut routes[index]
}

impl<F: Frame> PortDriver<'_, F> {
    /// An answer to a stranger goes only where the way is known.
    #[cold]
    fn answer_stranger(&mut self, to: SocketAddr, len: usize, write: impl FnOnce(&mut [u8])) {
        let waiter = Waiter::new(self.key, u32::MAX, to);
        let _ = self.link.send(&mut Route::default(), self.udp_port, to, waiter, len, write);
    }
}

impl<F: Frame> Driver<Memory> for PortDriver<'_, F> {
    #[inline]
    fn ready(&mut self, session: SessionId, to: SocketAddr) -> Ready {
        let waiter = Waiter::new(self.key, session.0, to);
        match self.link.ready(route(self.routes, session), self.udp_port, to, waiter) {
            Sent::Yes => {
                self.ready = Some(session);
                Ready::Yes
            }
            Sent::Full => Ready::Full,
            Sent::Pending => Ready::Blocked,
            Sent::Unreachable => {
                self.lost.push(to);
                Ready::Blocked
            }
        }
    }

    #[inline]
    fn emit(
        &mut self,
        session: Option<SessionId>,
        to: SocketAddr,
        head: usize,
        write: impl FnOnce(&mut [u8]),
        body: Body<'_, Memory>,
        in_memory: bool,
    ) {
        let Some(session) = session else { return self.answer_stranger(to, head, write) };
        let fill = |out: &mut [u8]| {
            let (front, rest) = out.split_at_mut(head);
            write(front);
            match body {
                Body::None => {}
                Body::Bytes(bytes) => rest.copy_from_slice(bytes),
                Body::Buffer { buf, offset, .. } => buf.0.read(offset, rest),
            }
        };
        let len = head + body.len();
        let route = route(self.routes, session);
        let _ = if self.ready.take() == Some(session) {
            self.link.send_ready(route, self.udp_port, to, len, fill, in_memory)
        } else {
            // Acknowledgements come without a question before them. One that finds no way is lost like any other on the way.
            let waiter = Waiter::new(self.key, session.0, to);
            self.link.send(route, self.udp_port, to, waiter, len, fill)
        };
    }
}
