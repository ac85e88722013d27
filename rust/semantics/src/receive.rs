//! Packets come in: messages are matched in their senders' order, and bytes are placed.

use crate::completion::Completion;
use crate::config::OVERHEAD;
use crate::endpoint::Endpoint;
use crate::matching::{Posted, takes};
use crate::op::{Place, RecvBuffer, RxMsg, SendBuffer, Way};
use crate::peer::{self, Grant, Peer};
use delivery::{Received, SessionId, Time};
use std::net::SocketAddr;
use wire::msg::{Envelope, Message};

/// What a message packet came to.
#[derive(PartialEq, Eq)]
enum Verdict {
    Taken,
    /// No room: the peer is to send it again.
    Refused,
}

/// How far ahead of its turn a message may come: more than a window of packets cannot be.
const MAX_AHEAD: u32 = 4096;

impl<S: SendBuffer, R: RecvBuffer, C: Copy> Endpoint<S, R, C> {
    /// Takes one UDP payload in.
    #[inline]
    pub fn handle(&mut self, now: Time, from: SocketAddr, packet: &[u8]) {
        let (delivery, mut acks) = self.acks();
        let received = delivery.receive(now, from, packet, |token| acks.acked(token));
        self.events(now);
        if let Received::Data { session, psn, body } = received {
            match self.message(now, session, from, &packet[body..]) {
                Verdict::Taken => self.delivery.accept(session, psn),
                Verdict::Refused => self.delivery.refuse(session),
            }
        }
    }

    /// The messages of a packet, one after the other. If one is refused, those before it are taken all the same, and are known
    /// by their numbers when the packet comes again.
    #[inline]
    fn message(&mut self, now: Time, s: SessionId, from: SocketAddr, b: &[u8]) -> Verdict {
        let mut rest = b;
        loop {
            let Ok(p) = Message::parse(rest) else {
                // It is acknowledged all the same: sending it again would not mend it.
                self.stats.malformed += 1;
                return Verdict::Taken;
            };
            let verdict = match p.message {
                Message::Whole { envelope } => self.whole(now, s, from, envelope, p.payload),
                other => self.other(now, s, from, other, p.payload),
            };
            rest = p.rest;
            if verdict == Verdict::Refused || rest.is_empty() {
                return verdict;
            }
        }
    }

    fn other(&mut self, now: Time, s: SessionId, from: SocketAddr, m: Message, payload: &[u8]) -> Verdict {
        match m {
            Message::Whole { envelope } => self.whole(now, s, from, envelope, payload),
            Message::Eager { envelope, offset } => self.eager(now, s, from, envelope, offset, payload),
            Message::Rts { envelope, sender } => self.announced(now, s, from, envelope, sender),
            Message::Cts { sender, receiver, granted, last } => {
                self.granted(s, sender, receiver, granted, last);
                Verdict::Taken
            }
            Message::Data { receiver, offset } => {
                self.data(now, s, receiver, offset, payload);
                Verdict::Taken
            }
        }
    }

    /// A message in one piece.
    #[inline]
    fn whole(&mut self, now: Time, s: SessionId, from: SocketAddr, e: Envelope, payload: &[u8]) -> Verdict {
        let ahead = e.number.wrapping_sub(self.peer(s, from).expected);
        if ahead == 0 {
            let Some(p) = self.posted.take(&e, &from) else {
                return self.next_in_order(now, s, from, e, 0, payload);
            };
            // The common case: its receive is posted.
            self.unwatch(now, &p);
            self.deliver(p, &e, from, payload);
            self.advance(now, s, from);
            return Verdict::Taken;
        }
        // One that was taken before: its packet was refused for another one's sake.
        if ahead > u32::MAX / 2 || peer::find(&self.peer(s, from).early, e.number).is_some() {
            return Verdict::Taken;
        }
        self.eager(now, s, from, e, 0, payload)
    }

    /// A piece of an eager message.
    fn eager(
        &mut self,
        now: Time,
        s: SessionId,
        from: SocketAddr,
        e: Envelope,
        offset: u32,
        payload: &[u8],
    ) -> Verdict {
        let ahead = e.number.wrapping_sub(self.peer(s, from).expected);
        if ahead == 0 {
            return self.next_in_order(now, s, from, e, offset, payload);
        }
        let known = if ahead > u32::MAX / 2 {
            let found = self.peers[s.index()].as_ref().and_then(|p| peer::find(&p.open, e.number));
            if found.is_none() {
                self.stats.malformed += 1;
                return Verdict::Taken;
            }
            found
        } else {
            self.peers[s.index()].as_ref().and_then(|p| peer::find(&p.early, e.number))
        };
        let rx = match known {
            Some(rx) => rx,
            None if ahead > MAX_AHEAD || e.len > self.limit() => {
                self.stats.malformed += 1;
                return Verdict::Taken;
            }
            None => {
                // Half of the room at most goes to messages before their turn, so that the one whose turn it is finds
                // room.
                if self.held + e.len as usize + OVERHEAD > self.config.unexpected / 2 {
                    return Verdict::Refused;
                }
                let rx = self.hold(s, from, e);
                self.peer(s, from).early.push((e.number, rx));
                rx
            }
        };
        self.place(now, rx, &e, offset as u64, payload);
        Verdict::Taken
    }

    /// Longest message that a peer may send without asking.
    fn limit(&self) -> u64 {
        self.config.longest_eager as u64
    }

    /// A message whose turn it is, and which is not done with at once.
    fn next_in_order(
        &mut self,
        now: Time,
        s: SessionId,
        from: SocketAddr,
        e: Envelope,
        offset: u32,
        payload: &[u8],
    ) -> Verdict {
        let rx = match self.posted.take(&e, &from) {
            Some(p) => {
                self.unwatch(now, &p);
                self.rx.insert(RxMsg {
                    session: s,
                    from,
                    envelope: e,
                    place: Place::Matched(p),
                    arrived: 0,
                    wanted: e.len,
                    unexpected: false,
                    watched: false,
                }) as u32
            }
            None => {
                if e.len > self.limit() {
                    self.stats.malformed += 1;
                    self.advance(now, s, from);
                    return Verdict::Taken;
                }
                if self.held + e.len as usize + OVERHEAD > self.config.unexpected {
                    return Verdict::Refused;
                }
                let rx = self.hold(s, from, e);
                self.enqueue_unexpected(rx);
                rx
            }
        };
        if payload.len() as u64 != e.len {
            self.peer(s, from).open.push((e.number, rx));
            self.rx[rx as usize].watched = true;
            self.delivery.watch(now, s, true);
        }
        self.place(now, rx, &e, offset as u64, payload);
        self.advance(now, s, from);
        Verdict::Taken
    }

    fn hold(&mut self, s: SessionId, from: SocketAddr, e: Envelope) -> u32 {
        self.held += e.len as usize + OVERHEAD;
        let buffer = self.buffer(e.len as usize);
        self.rx.insert(RxMsg {
            session: s,
            from,
            envelope: e,
            place: Place::Held(buffer),
            arrived: 0,
            wanted: e.len,
            unexpected: false,
            watched: false,
        }) as u32
    }

    fn enqueue_unexpected(&mut self, rx: u32) {
        let m = &mut self.rx[rx as usize];
        m.unexpected = true;
        self.unexpected.push(m.envelope.tag.is_some(), rx);
        self.stats.unexpected += 1;
    }

    /// One message had its turn; those that came before theirs follow.
    #[inline]
    fn advance(&mut self, now: Time, s: SessionId, from: SocketAddr) {
        let p = self.peer(s, from);
        p.expected = p.expected.wrapping_add(1);
        while let Some(Some(p)) = self.peers.get_mut(s.index())
            && !p.early.is_empty()
        {
            let number = p.expected;
            let Some(rx) = peer::take(&mut p.early, number) else { return };
            p.expected = number.wrapping_add(1);
            self.early_in_order(now, rx);
        }
    }

    /// A message that came too early has its turn now.
    #[cold]
    fn early_in_order(&mut self, now: Time, rx: u32) {
        let m = &self.rx[rx as usize];
        let (s, e, from) = (m.session, m.envelope, m.from);
        let arriving = matches!(m.place, Place::Held(_)) && m.arrived < m.wanted;
        if arriving {
            self.peer(s, from).open.push((e.number, rx));
            self.rx[rx as usize].watched = true;
            self.delivery.watch(now, s, true);
        }
        match self.posted.take(&e, &from) {
            Some(p) => {
                self.unwatch(now, &p);
                self.claim(now, rx, p);
            }
            None => self.enqueue_unexpected(rx),
        }
    }

    /// The first unexpected message that the receive takes.
    #[inline]
    pub(crate) fn find_unexpected(&mut self, p: &Posted<R, C>) -> Option<u32> {
        let tagged = p.kind != crate::op::RecvKind::Msg;
        let rx = &self.rx;
        self.unexpected.take(tagged, |i| {
            let m = &rx[i as usize];
            takes(p.kind, p.from, &m.envelope, &m.from)
        })
    }

    /// Gives a waiting message to its receive.
    pub(crate) fn claim(&mut self, now: Time, rx: u32, mut p: Posted<R, C>) {
        let m = &mut self.rx[rx as usize];
        m.unexpected = false;
        let e = m.envelope;
        let (s, from) = (m.session, m.from);
        match std::mem::replace(&mut m.place, Place::Held(Vec::new())) {
            Place::Held(held) => {
                self.held -= e.len as usize + OVERHEAD;
                let n = p.buf.len().min(held.len());
                // Of a message that is still arriving, what is missing is written when it comes.
                p.buf.write(0, &held[..n]);
                self.recycle(held);
                let m = &mut self.rx[rx as usize];
                m.place = Place::Matched(p);
                if m.arrived == m.wanted {
                    self.finish(now, rx);
                }
            }
            Place::Announced { sender } => {
                self.held -= OVERHEAD;
                let granted = e.len.min(p.buf.len() as u64);
                let m = &mut self.rx[rx as usize];
                m.place = Place::Matched(p);
                m.wanted = granted;
                m.watched = granted != 0;
                if granted != 0 {
                    self.delivery.watch(now, s, true);
                }
                self.grant(s, from, Grant { sender, receiver: rx, granted, last: true });
                if granted == 0 {
                    self.finish(now, rx);
                }
            }
            matched => self.rx[rx as usize].place = matched,
        }
    }

    /// Queues a grant.
    pub(crate) fn grant(&mut self, s: SessionId, from: SocketAddr, grant: Grant) {
        self.peer(s, from).grants.push_back(grant);
        self.make_ready(s);
    }

    /// Puts a piece of a message where it belongs, and completes the message when it was the last.
    fn place(&mut self, now: Time, rx: u32, e: &Envelope, offset: u64, payload: &[u8]) {
        let m = &mut self.rx[rx as usize];
        if m.envelope.len != e.len {
            // Pieces that disagree about their message: the peer is broken, the message stays as it was announced first.
            self.stats.malformed += 1;
            return;
        }
        match &mut m.place {
            Place::Matched(p) => write_within(&mut p.buf, offset, payload),
            Place::Held(b) => b[offset as usize..offset as usize + payload.len()].copy_from_slice(payload),
            Place::Announced { .. } | Place::Dropped => {}
        }
        m.arrived += payload.len() as u64;
        if m.arrived >= m.wanted {
            if m.watched {
                m.watched = false;
                let (s, from) = (m.session, m.from);
                self.delivery.watch(now, s, false);
                peer::take(&mut self.peer(s, from).open, e.number);
            }
            if matches!(self.rx[rx as usize].place, Place::Matched(_) | Place::Dropped) {
                self.finish(now, rx);
            }
        }
    }

    /// A message that is one packet goes straight to its receive.
    #[inline]
    fn deliver(&mut self, mut p: Posted<R, C>, e: &Envelope, from: SocketAddr, payload: &[u8]) {
        write_within(&mut p.buf, 0, payload);
        self.complete(p, e, from);
    }

    /// All that was wanted of a matched message has arrived.
    fn finish(&mut self, now: Time, rx: u32) {
        let m = self.rx.remove(rx as usize);
        if m.watched {
            self.delivery.watch(now, m.session, false);
        }
        if let Place::Matched(p) = m.place {
            self.complete(p, &m.envelope, m.from);
        }
    }

    #[inline]
    fn complete(&mut self, p: Posted<R, C>, e: &Envelope, from: SocketAddr) {
        let room = p.buf.len();
        let Posted { buf, context, .. } = p;
        let len = (e.len as usize).min(room);
        if e.len > room as u64 {
            self.stats.truncated += 1;
            self.completions.push_back(Completion::RecvFailed {
                context,
                buf,
                err: abi::FI_ETRUNC,
                len,
                olen: (e.len - room as u64) as usize,
                tag: e.tag,
                data: e.data,
                from: Some(from),
            });
            return;
        }
        self.stats.received += 1;
        self.tell(context, buf, len, e, from);
    }

    /// A receive, or a look at a message, that succeeded.
    #[inline]
    pub(crate) fn tell(&mut self, context: C, buf: R, len: usize, e: &Envelope, from: SocketAddr) {
        self.completions.push_back(Completion::Received {
            context,
            buf,
            len,
            tag: e.tag,
            data: e.data,
            from,
        });
    }

    /// An announcement.
    fn announced(&mut self, now: Time, s: SessionId, from: SocketAddr, e: Envelope, sender: u32) -> Verdict {
        let ahead = e.number.wrapping_sub(self.peer(s, from).expected);
        if ahead > MAX_AHEAD || peer::find(&self.peer(s, from).early, e.number).is_some() {
            self.stats.malformed += 1;
            return Verdict::Taken;
        }
        let bound = if ahead == 0 { self.config.unexpected } else { self.config.unexpected / 2 };
        let posted = if ahead == 0 { self.posted.take(&e, &from) } else { None };
        if posted.is_none() && self.held + OVERHEAD > bound {
            return Verdict::Refused;
        }
        self.held += OVERHEAD;
        let rx = self.rx.insert(RxMsg {
            session: s,
            from,
            envelope: e,
            place: Place::Announced { sender },
            arrived: 0,
            wanted: e.len,
            unexpected: false,
            watched: false,
        }) as u32;
        if ahead != 0 {
            self.peer(s, from).early.push((e.number, rx));
            return Verdict::Taken;
        }
        match posted {
            Some(p) => {
                self.unwatch(now, &p);
                self.claim(now, rx, p);
            }
            None => self.enqueue_unexpected(rx),
        }
        self.advance(now, s, from);
        Verdict::Taken
    }

    /// A grant for one of our announced messages.
    fn granted(&mut self, s: SessionId, sender: u32, receiver: u32, granted: u64, last: bool) {
        let ours = self.tx.get_mut(sender as usize).filter(|t| t.session == s && t.begun);
        let before = match ours.as_ref().map(|t| t.way) {
            Some(Way::Announced) => 0,
            Some(Way::Granted { receiver: r, granted, last: false }) if r == receiver => granted,
            _ => {
                self.stats.malformed += 1;
                return;
            }
        };
        let Some(t) = ours else { return };
        let granted = granted.max(before).min(t.envelope.len);
        t.way = Way::Granted { receiver, granted, last };
        let more = t.next < granted;
        if t.is_done() {
            self.acks().1.sent(sender);
            return;
        }
        let Some(Some(p)) = self.peers.get_mut(s.index()) else { return };
        if more && !p.granted.contains(&sender) {
            p.granted.push_back(sender);
            self.make_ready(s);
        }
    }

    /// A piece of a message that was granted.
    #[inline]
    fn data(&mut self, now: Time, s: SessionId, receiver: u32, offset: u64, payload: &[u8]) {
        let known = self.rx.get_mut(receiver as usize).filter(|m| {
            m.session == s && offset.checked_add(payload.len() as u64).is_some_and(|end| end <= m.wanted)
        });
        let Some(m) = known else {
            self.stats.malformed += 1;
            return;
        };
        let Place::Matched(p) = &mut m.place else {
            self.stats.malformed += 1;
            return;
        };
        p.buf.write(offset as usize, payload);
        m.arrived += payload.len() as u64;
        if m.arrived >= m.wanted {
            self.finish(now, receiver);
        }
    }
}

/// Writes what fits.
#[inline]
fn write_within<R: RecvBuffer>(buf: &mut R, offset: u64, payload: &[u8]) {
    let room = (buf.len() as u64).saturating_sub(offset).min(payload.len() as u64) as usize;
    if room != 0 {
        buf.write(offset as usize, &payload[..room]);
    }
}

impl Peer {
    /// Every message of the peer that is not done with, by its place in the endpoint's table.
    pub(crate) fn early_messages(&self) -> impl Iterator<Item = u32> + '_ {
        self.early.iter().map(|e| e.1)
    }
}
