//! What may be sent is sent: again what was lost, grants, new messages and granted ones, fairly over sessions.

use crate::driver::{Body, Driver, Ready};
use crate::endpoint::Endpoint;
use crate::op::{Payload, RecvBuffer, SendBuffer, Token, TxOp, Way};
use crate::peer::Grant;
use delivery::{HeaderBytes, SessionId, Time};
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
    /// Sends everything that is due and allowed. Call it after sends and after packets came in.
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
            driver.emit(s, to, h.as_ref(), &[], Body::None);
        }
    }

    /// Sends acknowledgements and probes that are due, those too that could wait for data to ride on. Call it once a
    /// round, before packets are taken in: what was received in the last round and got no answer since is told then.
    #[inline]
    pub fn control(&mut self, now: Time, driver: &mut impl Driver<S>) {
        while let Some((s, to, h)) = self.delivery.next_control(now, true) {
            driver.emit(s, to, h.as_ref(), &[], Body::None);
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

    fn turns(&mut self, now: Time, driver: &mut impl Driver<S>) {
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
            if let Some(Some(p)) = self.peers.get_mut(s.index())
                && turn == Turn::Done
                && p.has_work()
            {
                p.ready = true;
                self.ready.push_back(s);
            }
        }
    }

    /// Sends packets of one session while there are any and it may.
    fn turn(&mut self, now: Time, s: SessionId, driver: &mut impl Driver<S>) -> Turn {
        let Some(to) = self.delivery.peer(s) else { return Turn::Done };
        for _ in 0..TURN {
            // Looked at first: a driver that is asked for room makes some, a packet buffer that would go unused.
            let work = self.peers.get(s.index()).and_then(|p| p.as_ref()).is_some_and(|p| p.has_work());
            if !work || self.delivery.window(s) == 0 {
                return Turn::Done;
            }
            match driver.ready(s, to) {
                Ready::Yes => {}
                Ready::Full => return Turn::Full,
                Ready::Blocked => return Turn::Blocked,
            }
            let Some(token) = self.next_packet(s) else { return Turn::Done };
            let len = self.packet_len(&token);
            let Some(h) = self.delivery.send(now, s, token, len) else { return Turn::Done };
            self.emit(s, to, &h, token, true, driver);
        }
        Turn::More
    }

    /// Chooses the session's next new packet and counts it as sent.
    #[inline]
    fn next_packet(&mut self, s: SessionId) -> Option<Token> {
        let room = self.delivery.max_payload(s);
        let p = self.peers.get_mut(s.index())?.as_mut()?;
        if let Some(Grant { sender, receiver, granted, last }) = p.grants.pop_front() {
            return Some(Token::Cts { sender, receiver, granted, last });
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
            return Some(Token::Data { op, len, offset });
        }
        let op = *p.queue.front()?;
        let t = self.tx.get_mut(op as usize)?;
        t.begun = true;
        t.unacked += 1;
        if t.way != Way::Eager {
            p.queue.pop_front();
            return Some(Token::Rts { op });
        }
        let offset = t.next as u32;
        let len = (t.envelope.len - t.next).min(room.saturating_sub(EAGER_LEN) as u64) as u32;
        t.next += len as u64;
        if t.next == t.envelope.len {
            p.queue.pop_front();
        }
        Some(Token::Eager { op, offset, len })
    }

    fn packet_len(&self, token: &Token) -> usize {
        match token {
            Token::Eager { len, .. } => EAGER_LEN + *len as usize,
            Token::Data { len, .. } => DATA_LEN + *len as usize,
            Token::Rts { .. } => wire::msg::RTS_LEN,
            Token::Cts { .. } => wire::msg::CTS_LEN,
        }
    }

    /// Makes the packet of a token, for the first time or again.
    #[inline]
    fn emit(
        &self,
        s: SessionId,
        to: SocketAddr,
        h: &HeaderBytes,
        token: Token,
        first: bool,
        driver: &mut impl Driver<S>,
    ) {
        match token {
            Token::Eager { op, offset, len } => {
                let Some(t) = self.tx.get(op as usize) else { return };
                let m = Message::Eager { envelope: t.envelope, offset }.emit();
                driver.emit(
                    Some(s),
                    to,
                    h.as_ref(),
                    m.as_ref(),
                    body(t, offset as usize, len as usize, first),
                );
            }
            Token::Rts { op } => {
                let Some(t) = self.tx.get(op as usize) else { return };
                let m = Message::Rts { envelope: t.envelope, sender: op }.emit();
                driver.emit(Some(s), to, h.as_ref(), m.as_ref(), Body::None);
            }
            Token::Cts { sender, receiver, granted, last } => {
                let m = Message::Cts { sender, receiver, granted, last }.emit();
                driver.emit(Some(s), to, h.as_ref(), m.as_ref(), Body::None);
            }
            Token::Data { op, len, offset } => {
                let Some(t) = self.tx.get(op as usize) else { return };
                let Way::Granted { receiver, .. } = t.way else { return };
                let m = Message::Data { receiver, offset }.emit();
                driver.emit(
                    Some(s),
                    to,
                    h.as_ref(),
                    m.as_ref(),
                    body(t, offset as usize, len as usize, first),
                );
            }
        }
    }
}

#[inline]
fn body<S, C>(t: &TxOp<S, C>, offset: usize, len: usize, first: bool) -> Body<'_, S> {
    match &t.payload {
        _ if len == 0 => Body::None,
        Payload::User(buf) => Body::Buffer { buf, offset, len, first },
        Payload::Copied(b) => Body::Bytes(&b[offset..offset + len]),
    }
}
