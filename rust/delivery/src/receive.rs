//! A packet came in: whose it is, what it acknowledges, and whether its data is new.

use crate::event::{Event, SessionError};
use crate::rx::Arrival;
use crate::session::Session;
use crate::table::{Delivery, SessionId};
use crate::time::Time;
use std::net::SocketAddr;
use wire::pds::{Header, Kind, Malformed, SACK_WORDS, TICK, flag};

/// What became of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Received {
    /// New data, which starts at `body`. The caller answers with [`Delivery::accept`] or [`Delivery::refuse`].
    Data {
        session: SessionId,
        psn: u32,
        body: usize,
    },
    /// Understood, and nothing for the upper layer.
    Control,
    Dropped(Dropped),
}

/// Why a packet was dropped; each is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dropped {
    Malformed(Malformed),
    Duplicate,
    BeyondWindow,
    BadAck,
    WrongEpoch,
    BadReset,
}

/// Answers to strangers that may wait to be sent: more are not made, so that a flood costs nothing.
const MAX_REPLIES: usize = 64;
/// Round trips longer than this are not believed: the peer's echo is garbage.
const MAX_RTT: u64 = 30_000_000_000;

impl<T: Copy> Delivery<T> {
    /// Takes a UDP payload in. The token of each packet that it acknowledges goes to `acked`, once.
    #[inline(always)]
    pub fn receive(
        &mut self,
        now: Time,
        from: SocketAddr,
        packet: &[u8],
        mut acked: impl FnMut(T),
    ) -> Received {
        let (h, body) = match Header::parse(packet) {
            Ok(x) => x,
            Err(m) => {
                match m {
                    Malformed::Version(_) => self.stats.bad_version += 1,
                    _ => self.stats.malformed += 1,
                }
                return Received::Dropped(Dropped::Malformed(m));
            }
        };
        let known = self.find(&from);
        let id = match known {
            Some(id) if self.belongs(id, &h) => id,
            _ => match self.identify(now, from, known, &h, &mut acked) {
                Ok(id) => id,
                Err(r) => return r,
            },
        };
        self.take(now, id, &h, body, &mut acked)
    }

    #[inline]
    fn belongs(&mut self, id: u32, h: &Header) -> bool {
        let Some(s) = self.sessions[id as usize].as_mut() else { return false };
        if h.src_epoch != s.peer_epoch || h.dst_epoch != s.local_epoch || h.kind as u8 >= Kind::Reset as u8 {
            return false;
        }
        s.confirmed = true;
        true
    }

    /// Everything that is not the plain next packet of a session that both sides know.
    #[cold]
    fn identify(
        &mut self,
        now: Time,
        from: SocketAddr,
        known: Option<u32>,
        h: &Header,
        acked: &mut impl FnMut(T),
    ) -> Result<u32, Received> {
        let wrong = |d: &mut Delivery<T>| {
            d.stats.wrong_epoch += 1;
            Err(Received::Dropped(Dropped::WrongEpoch))
        };
        if matches!(h.kind, Kind::Reset | Kind::Bye) {
            return Err(self.ended(now, known, h, acked));
        }
        // What a peer says of itself before it knows us.
        let greeting = h.dst_epoch == 0 && h.kind == Kind::Data && h.hello.is_some() && h.src_epoch != 0;
        if let Some(id) = known
            && let Some(s) = self.sessions.get_mut(id as usize).and_then(|s| s.as_mut())
        {
            let c = &self.config;
            if h.dst_epoch == s.local_epoch && s.peer_epoch == 0 && h.src_epoch != 0 {
                // The first answer.
                s.adopt(h.src_epoch, h.hello, c);
                s.confirmed = true;
                return Ok(id);
            }
            if greeting && s.peer_epoch == 0 {
                // Both sides began at once.
                s.adopt(h.src_epoch, h.hello, c);
                return Ok(id);
            }
            if greeting && s.peer_epoch == h.src_epoch {
                return Ok(id);
            }
            if greeting && !self.is_retired(&from, h.src_epoch) {
                self.fail(id, SessionError::PeerRestarted);
                return Ok(self.welcome(now, from, h));
            }
            if h.dst_epoch != 0 && self.get(id).is_some_and(|s| s.local_epoch != h.dst_epoch) {
                self.reply_reset(now, from, h);
            }
            return wrong(self);
        }
        if greeting {
            if self.is_retired(&from, h.src_epoch) {
                // That incarnation was given up here; the peer may not know it yet.
                self.reply_reset(now, from, h);
                return wrong(self);
            }
            return Ok(self.welcome(now, from, h));
        }
        self.reply_reset(now, from, h);
        wrong(self)
    }

    fn welcome(&mut self, now: Time, from: SocketAddr, h: &Header) -> u32 {
        let id = self.open(now, from);
        if let Some(s) = self.sessions[id as usize].as_mut() {
            s.adopt(h.src_epoch, h.hello, &self.config);
        }
        self.events.push_back(Event::Opened { session: SessionId(id) });
        id
    }

    /// RESET or BYE: believed only from someone who knows both epochs.
    fn ended(&mut self, now: Time, known: Option<u32>, h: &Header, acked: &mut impl FnMut(T)) -> Received {
        let ours = known.and_then(|id| {
            let s = self.get(id)?;
            let whole = h.dst_epoch == s.local_epoch && h.src_epoch == s.peer_epoch && s.peer_epoch != 0;
            // The first answer to a greeting may be the last: our epoch, which nobody else saw, proves it. A reset has no
            // epoch of its own to tell then.
            let first = s.peer_epoch == 0 && h.dst_epoch == s.local_epoch;
            let first = first && (h.kind == Kind::Bye) == (h.src_epoch != 0);
            (whole || first).then_some(id)
        });
        let Some(id) = ours else {
            self.stats.bad_reset += 1;
            return Received::Dropped(Dropped::BadReset);
        };
        if h.kind == Kind::Bye {
            self.acknowledged(now, id, h, acked);
            self.fail(id, SessionError::PeerClosed);
        } else {
            self.fail(id, SessionError::Reset);
        }
        Received::Control
    }

    fn reply_reset(&mut self, now: Time, to: SocketAddr, h: &Header) {
        if self.replies.len() >= MAX_REPLIES || h.kind == Kind::Ack && h.dst_epoch == 0 {
            return;
        }
        let reset = Header {
            kind: Kind::Reset,
            flags: 0,
            psn: 0,
            ack: 0,
            time: now.ticks(),
            echo: 0,
            window: 0,
            backlog: 0,
            src_epoch: h.dst_epoch,
            dst_epoch: h.src_epoch,
            hello: None,
            sack: [0; SACK_WORDS],
        };
        self.replies.push_back((to, reset.emit()));
    }

    /// A packet of a live session.
    #[inline(always)]
    fn take(&mut self, now: Time, id: u32, h: &Header, body: usize, acked: &mut impl FnMut(T)) -> Received {
        {
            let Some(s) = self.sessions[id as usize].as_mut() else { return Received::Control };
            s.expect(now);
            if h.kind != Kind::Ack {
                s.echo = Some((h.time, now));
            }
            s.peer_window = h.window as u32;
        }
        if !self.acknowledged(now, id, h, acked) {
            self.stats.bad_ack += 1;
            return Received::Dropped(Dropped::BadAck);
        }
        match h.kind {
            Kind::Data => {
                let Some(s) = self.sessions[id as usize].as_mut() else { return Received::Control };
                let arrival = s.rx.check(h.psn);
                if h.flags & flag::ACK_NOW != 0 || arrival != Arrival::Fresh {
                    self.ack(id, true);
                }
                match arrival {
                    Arrival::Fresh => {
                        self.stats.data_received += 1;
                        Received::Data { session: SessionId(id), psn: h.psn, body }
                    }
                    Arrival::Duplicate => {
                        self.stats.duplicates += 1;
                        Received::Dropped(Dropped::Duplicate)
                    }
                    Arrival::Beyond => {
                        self.stats.beyond_window += 1;
                        Received::Dropped(Dropped::BeyondWindow)
                    }
                }
            }
            Kind::Probe => {
                self.ack(id, true);
                Received::Control
            }
            _ => {
                self.stats.acks_received += 1;
                Received::Control
            }
        }
    }

    /// What the packet acknowledges. False: something that was never sent.
    #[inline(always)]
    fn acknowledged(&mut self, now: Time, id: u32, h: &Header, acked: &mut impl FnMut(T)) -> bool {
        let Some(s) = self.sessions[id as usize].as_mut() else { return true };
        if h.dst_epoch == 0 {
            // A greeting cannot acknowledge: its sender does not know our numbers.
            return true;
        }
        let plain = h.flags & flag::NOT_READY == 0 && !h.has_sack();
        if plain && h.ack == s.tx.una() {
            return true;
        }
        self.acknowledged_some(now, id, h, plain, acked)
    }

    fn acknowledged_some(
        &mut self,
        now: Time,
        id: u32,
        h: &Header,
        plain: bool,
        done: &mut impl FnMut(T),
    ) -> bool {
        let c = &self.config;
        let Some(s) = self.sessions[id as usize].as_mut() else { return true };
        let sack = (!plain && h.has_sack()).then_some(&h.sack);
        let acked = s.tx.acknowledge(now, h.ack, sack, done);
        if acked.bad {
            return false;
        }
        if acked.packets != 0 {
            let rtt = (h.flags & flag::ECHO != 0)
                .then(|| now.ticks().wrapping_sub(h.echo) as u64 * TICK)
                .filter(|r| *r < MAX_RTT);
            if let Some(r) = rtt {
                s.rtt.sample(r.max(1));
            } else {
                s.rtt.reset_backoff();
            }
            if let Some(at) = s.timers.timed_out.take()
                && s.tx.lost() != 0
                && rtt.is_some_and(|r| now.since(at) < r)
            {
                // What arrived had been sent before the timeout struck (Eifel, RFC 3522): nothing was lost.
                s.tx.undo();
                s.law.on_spurious();
                self.stats.spurious_timeouts += 1;
            }
            s.law.on_ack(now, acked.packets, rtt, h.flags & flag::ECN != 0);
            s.timers.hold_step = c.min_not_ready;
            s.timers.hold = Time::NEVER;
            s.timers.probed = false;
            s.arm(now, c);
        }
        if plain && s.tx.lost() == 0 {
            // Timers only moved on, but for one that had struck.
            if s.timers.rto.min(s.timers.probe) < self.timer_floor {
                self.touch(id);
            }
            return true;
        }
        if h.flags & flag::NOT_READY != 0 {
            hold(s, now, c.max_not_ready);
        } else {
            self.losses(now, id);
        }
        self.touch(id);
        true
    }

    /// Looks for lost packets after something arrived.
    #[cold]
    pub(crate) fn losses(&mut self, now: Time, id: u32) {
        let Some(s) = self.sessions[id as usize].as_mut() else { return };
        let srtt = s.rtt.smoothed().unwrap_or(self.config.initial_rto);
        let (found, again) = s.tx.detect(now, srtt);
        s.timers.rack = again.unwrap_or(Time::NEVER);
        if s.timers.recover.is_some_and(|r| (s.tx.una().wrapping_sub(r) as i32) >= 0) {
            s.timers.recover = None;
        }
        if found != 0 && s.timers.recover.is_none() {
            s.timers.recover = Some(s.tx.next());
            s.law.on_loss(now);
        }
        self.mark_lossy(id);
    }

    pub(crate) fn mark_lossy(&mut self, id: u32) {
        if let Some(s) = self.sessions[id as usize].as_mut()
            && !s.in_lossy
            && (s.tx.lost() != 0 || s.timers.want_tail)
        {
            s.in_lossy = true;
            self.lossy.push_back(id);
        }
    }

    /// The upper layer took the packet: it counts as received from now on.
    #[inline]
    pub fn accept(&mut self, session: SessionId, psn: u32) {
        let every = self.config.ack_every;
        let Some(s) = self.sessions[session.index()].as_mut().filter(|s| !s.dead) else { return };
        let hole = psn != s.rx.next() || s.rx.has_holes();
        s.rx.accept(psn);
        s.unacked += 1;
        let urgent = hole || s.unacked >= every;
        self.ack(session.0, urgent);
    }

    /// The upper layer has no room for the packet: it counts as not received, and the peer is told to wait.
    #[cold]
    pub fn refuse(&mut self, session: SessionId) {
        let Some(s) = self.sessions[session.index()].as_mut().filter(|s| !s.dead) else { return };
        s.not_ready = true;
        self.stats.refused += 1;
        self.ack(session.0, true);
    }

    #[inline]
    fn ack(&mut self, id: u32, urgent: bool) {
        let Some(s) = self.sessions[id as usize].as_mut() else { return };
        s.ack_pending = true;
        if urgent && !s.ack_urgent {
            s.ack_urgent = true;
            self.urgent += 1;
        }
        if !s.in_acks {
            s.in_acks = true;
            self.acks.push_back(id);
        }
    }
}

/// The receiver was not ready: wait, longer each time, then send again what it may have refused.
#[cold]
fn hold<T: Copy>(s: &mut Session<T>, now: Time, max: u64) {
    if s.timers.hold == Time::NEVER && !s.tx.is_empty() {
        s.timers.hold = now + s.timers.hold_step;
        s.timers.hold_step = (s.timers.hold_step * 2).min(max);
        s.timers.rto = Time::NEVER;
        s.timers.probe = Time::NEVER;
        s.timers.rack = Time::NEVER;
    }
}
