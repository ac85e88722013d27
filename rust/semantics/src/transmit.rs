//! What may be sent is sent: again what was lost, grants, new messages and granted ones, fairly over sessions.

use crate::driver::{Body, Driver, Ready};
use crate::endpoint::Endpoint;
use crate::op::{NONE, Payload, RecvBuffer, SendBuffer, Token, TxOp, Way};
use crate::peer::{Grant, MOST_PACKED, MOST_SMALL, Peer};
use delivery::{Header, HeaderBytes, SessionId, Time};
use slab::Slab;
use std::net::SocketAddr;
use wire::msg::{DATA_LEN, EAGER_LEN, Message};

/// Packets that one session sends before the next has its turn.
const TURN: usize = 16;

/// How a session's turn ended.
#[derive(PartialEq, Eq)]
enum Turn {
    /// Nothing left to send, or no window.
    Done,
    /// There is more.
    More,
    Blocked,
    Full,
}

impl<S: SendBuffer, R: RecvBuffer, C: Copy> Endpoint<S, R, C> {
    /// Sends everything that is due and allowed. Call it after packets came in.
    #[inline]
    pub fn transmit(&mut self, now: Time, driver: &mut impl Driver<S>) {
        self.delivery.tick(now);
        self.events(now);
        if self.delivery.has_lost() {
            self.repeat(now, driver);
        }
        if !self.ready.is_empty() {
            self.turns(now, driver);
        }
        while let Some((s, to, h)) = self.delivery.next_control(now, false) {
            emit_control(s, to, &h, driver);
        }
    }

    /// Sends acknowledgements and probes that are due, those too that could wait for data to ride on. Call it once a
    /// round, before packets are taken in: what was received in the last round and got no answer since is told then.
    #[inline]
    pub fn control(&mut self, now: Time, driver: &mut impl Driver<S>) {
        while let Some((s, to, h)) = self.delivery.next_control(now, true) {
            emit_control(s, to, &h, driver);
        }
    }

    #[cold]
    fn repeat(&mut self, now: Time, driver: &mut impl Driver<S>) {
        while let Some(s) = self.delivery.next_lost() {
            let Some(to) = self.delivery.peer(s) else { return };
            let ready = driver.ready(s, to);
            if ready == Ready::Full {
                return;
            }
            // It may skip a session whose window is closed: the packet's own session says where it goes.
            let Some((s, token, h)) = self.delivery.next_retransmit(now) else { return };
            let Some(to) = self.delivery.peer(s) else { return };
            // The way to the peer was lost meanwhile: the packet is as good as lost once more, its timer runs.
            if ready == Ready::Yes {
                self.emit(s, to, &h, token, false, driver);
            }
        }
    }

    pub(crate) fn turns(&mut self, now: Time, driver: &mut impl Driver<S>) {
        for _ in 0..self.ready.len() {
            let Some(s) = self.ready.pop_front() else { return };
            let turn = self.turn(now, s, driver);
            let Some(Some(p)) = self.peers.get_mut(s.index()) else { continue };
            match turn {
                Turn::Done => p.ready = false,
                Turn::Blocked => (p.ready, p.blocked) = (false, true),
                Turn::More => self.ready.push_back(s),
                Turn::Full => {
                    self.ready.push_front(s);
                    return;
                }
            }
            // Work without a window stays ready: the window opens with the next acknowledgement.
            if turn == Turn::Done && p.has_work() {
                p.ready = true;
                self.ready.push_back(s);
            }
        }
    }

    /// The session has something to send: it stands in line, unless its way is not known.
    #[inline]
    pub(crate) fn make_ready(&mut self, s: SessionId) {
        if let Some(Some(p)) = self.peers.get_mut(s.index())
            && !p.ready
            && !p.blocked
        {
            p.ready = true;
            self.ready.push_back(s);
        }
    }

    /// True when a packet of the session could be sent now.
    #[inline]
    pub(crate) fn may_send(&self, s: SessionId) -> bool {
        let Some(Some(p)) = self.peers.get(s.index()) else { return false };
        p.has_work() && self.delivery.window(s) != 0 && !p.waits_for_company(self.delivery.max_payload(s))
    }

    /// Sends packets of one session while there are any and it may.
    fn turn(&mut self, now: Time, s: SessionId, driver: &mut impl Driver<S>) -> Turn {
        let Some(to) = self.delivery.peer(s) else { return Turn::Done };
        for _ in 0..TURN {
            // Looked at first: a driver that is asked for room makes some, a packet buffer that would go unused.
            if !self.may_send(s) {
                return Turn::Done;
            }
            match driver.ready(s, to) {
                Ready::Yes => {}
                Ready::Full => return Turn::Full,
                Ready::Blocked => return Turn::Blocked,
            }
            let Some((token, len)) = self.next_packet(s) else { return Turn::Done };
            let ask = matches!(token, Token::Whole { small: true, .. }) && self.asks(s);
            let Some(h) = self.delivery.send(now, s, token, len, ask) else { return Turn::Done };
            self.emit(s, to, &h, token, true, driver);
        }
        Turn::More
    }

    /// A small packet whose acknowledgement is wanted soon, so that others need not wait.
    #[inline]
    pub(crate) fn asks(&self, s: SessionId) -> bool {
        self.peers.get(s.index()).and_then(|p| p.as_ref()).is_some_and(|p| p.small % (MOST_SMALL / 2) == 0)
    }

    /// Chooses the session's next new packet and counts it as sent. Gives its length behind the delivery header.
    #[inline]
    fn next_packet(&mut self, s: SessionId) -> Option<(Token, usize)> {
        let room = self.delivery.max_payload(s);
        let p = self.peers.get_mut(s.index())?.as_mut()?;
        if let Some(Grant { sender, receiver, granted, last }) = p.grants.pop_front() {
            return Some((Token::Cts { sender, receiver, granted, last }, wire::msg::CTS_LEN));
        }
        // New messages and granted ones take turns, so that neither waits for the other.
        let granted_turn = !p.granted.is_empty() && (p.queue.is_empty() || p.turn_granted);
        p.turn_granted = !granted_turn;
        if granted_turn {
            let op = *p.granted.front()?;
            let t = self.tx.get_mut(op as usize)?;
            let Way::Granted { granted, .. } = t.way else { return None };
            let offset = t.next;
            let len = (granted.min(t.envelope.len) - offset).min(room.saturating_sub(DATA_LEN) as u64) as u32;
            t.next += len as u64;
            t.unacked += 1;
            // Messages of one peer share its window packet by packet.
            p.granted.pop_front();
            if t.next < granted.min(t.envelope.len) {
                p.granted.push_back(op);
            }
            return Some((Token::Data { op, len, offset }, DATA_LEN + len as usize));
        }
        let op = *p.queue.front()?;
        let t = self.tx.get_mut(op as usize)?;
        if t.whole_len(room).is_some() {
            return pack(&mut self.tx, p, room);
        }
        t.begun = true;
        t.unacked += 1;
        let options = t.envelope.options_len();
        if t.way != Way::Eager {
            p.dequeue(t.packed);
            return Some((Token::Rts { op }, wire::msg::RTS_LEN + options));
        }
        let head = EAGER_LEN + options;
        let offset = t.next as u32;
        let len = (t.envelope.len - t.next).min(room.saturating_sub(head) as u64) as u32;
        t.next += len as u64;
        if t.next == t.envelope.len {
            p.dequeue(t.packed);
        }
        Some((Token::Eager { op, offset, len }, head + len as usize))
    }

    /// Makes the packet of a token, for the first time or again.
    #[inline]
    fn emit(
        &self,
        s: SessionId,
        to: SocketAddr,
        h: &Header,
        token: Token,
        first: bool,
        driver: &mut impl Driver<S>,
    ) {
        let in_memory = self.delivery.in_memory(s);
        match token {
            Token::Whole { op, count, .. } => self.emit_whole(s, to, h, op, count, driver),
            Token::Eager { op, offset, len } => {
                let Some(t) = self.tx.get(op as usize) else { return };
                let m = Message::Eager { envelope: t.envelope, offset };
                emit_message(s, to, h, &m, body(t, offset as usize, len as usize, first), in_memory, driver);
            }
            Token::Rts { op } => {
                let Some(t) = self.tx.get(op as usize) else { return };
                let m = Message::Rts { envelope: t.envelope, sender: op };
                emit_message(s, to, h, &m, Body::None, in_memory, driver);
            }
            Token::Cts { sender, receiver, granted, last } => {
                let m = Message::Cts { sender, receiver, granted, last };
                emit_message(s, to, h, &m, Body::None, in_memory, driver);
            }
            Token::Data { op, len, offset } => {
                let Some(t) = self.tx.get(op as usize) else { return };
                let Way::Granted { receiver, .. } = t.way else { return };
                let m = Message::Data { receiver, offset };
                emit_message(s, to, h, &m, body(t, offset as usize, len as usize, first), in_memory, driver);
            }
        }
    }

    /// A packet of messages that begins with `op`; each names the one that follows it.
    #[inline]
    pub(crate) fn emit_whole(
        &self,
        s: SessionId,
        to: SocketAddr,
        h: &Header,
        op: u32,
        count: u16,
        driver: &mut impl Driver<S>,
    ) {
        let ops = || {
            let mut next = op;
            (0..count).map_while(move |_| {
                let t = self.tx.get(next as usize)?;
                next = t.follows;
                Some(t)
            })
        };
        let delivery = h.emitted_len();
        let len: usize = ops().map(|t| t.packed_len()).sum();
        let write = |out: &mut [u8]| {
            h.emit_into(out);
            let mut rest = &mut out[delivery..];
            for t in ops() {
                let (here, after) = rest.split_at_mut(t.packed_len());
                t.write_whole(here);
                rest = after;
            }
        };
        driver.emit(Some(s), to, delivery + len, write, Body::None, self.delivery.in_memory(s));
    }
}

/// As many of the messages that wait first as fit one packet.
fn pack<S: SendBuffer, C>(tx: &mut Slab<TxOp<S, C>>, p: &mut Peer, room: usize) -> Option<(Token, usize)> {
    let first = *p.queue.front()?;
    let (mut len, mut count, mut last) = (0, 0, NONE);
    // Only what more would have fitted makes a packet a small one.
    let mut small = true;
    while let Some(&op) = p.queue.front() {
        let Some(t) = tx.get_mut(op as usize) else { break };
        let Some(n) = t.whole_len(room) else {
            small = false;
            break;
        };
        if len + n > room || count == MOST_PACKED {
            small = false;
            break;
        }
        len += n;
        count += 1;
        t.begun = true;
        t.next = t.envelope.len;
        t.follows = NONE;
        p.dequeue(t.packed);
        if let Some(l) = tx.get_mut(last as usize) {
            l.follows = op;
        }
        last = op;
    }
    p.small += u32::from(small);
    Some((Token::Whole { op: first, count: count as u16, small }, len))
}

fn emit_control<S>(s: Option<SessionId>, to: SocketAddr, h: &HeaderBytes, driver: &mut impl Driver<S>) {
    let h = h.as_ref();
    driver.emit(s, to, h.len(), |out| out.copy_from_slice(h), Body::None, false);
}

#[inline]
fn emit_message<S>(
    s: SessionId,
    to: SocketAddr,
    h: &Header,
    m: &Message,
    body: Body<'_, S>,
    in_memory: bool,
    driver: &mut impl Driver<S>,
) {
    let delivery = h.emitted_len();
    let write = |out: &mut [u8]| {
        h.emit_into(out);
        m.emit(&mut out[delivery..]);
    };
    driver.emit(Some(s), to, delivery + m.header_len(), write, body, in_memory);
}

#[inline]
fn body<S, C>(t: &TxOp<S, C>, offset: usize, len: usize, first: bool) -> Body<'_, S> {
    match &t.payload {
        _ if len == 0 => Body::None,
        Payload::User(buf) => Body::Buffer { buf, offset, len, first },
        Payload::Short(b, _) => Body::Bytes(&b[offset..offset + len]),
        Payload::Copied(b) => Body::Bytes(&b[offset..offset + len]),
    }
}
