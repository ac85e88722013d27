//! Time passed: what is to be sent again, probed, acknowledged or given up.

use crate::event::SessionError;
use crate::table::{Delivery, KEEPALIVES, SessionId};
use crate::time::Time;
use std::net::SocketAddr;
use wire::pds::{Header, HeaderBytes, Kind};

impl<T: Copy> Delivery<T> {
    /// Acts on all timers that are due. Call it before asking what is to be sent.
    #[inline]
    pub fn tick(&mut self, now: Time) {
        if now >= self.timer_floor {
            self.run_timers(now);
        }
    }

    #[cold]
    fn run_timers(&mut self, now: Time) {
        self.timer_floor = Time::NEVER;
        let list = std::mem::take(&mut self.timed);
        let mut keep = Vec::with_capacity(list.len());
        for id in list {
            let due = {
                let c = &self.config;
                match self.sessions[id as usize].as_ref() {
                    Some(s) if !s.dead => s.deadline(c),
                    _ => continue,
                }
            };
            let due = if now >= due { self.session_timers(now, id) } else { due };
            if due == Time::NEVER {
                if let Some(s) = self.get(id) {
                    s.in_timed = false;
                }
            } else {
                self.timer_floor = self.timer_floor.min(due);
                keep.push(id);
            }
        }
        // Sessions that were touched meanwhile stand in the new list already.
        keep.append(&mut self.timed);
        self.timed = keep;
    }

    /// Gives the session's next deadline.
    fn session_timers(&mut self, now: Time, id: u32) -> Time {
        let c = &self.config;
        let Some(s) = self.sessions[id as usize].as_mut() else { return Time::NEVER };
        if s.is_silent(now, c) {
            self.fail(id, SessionError::TimedOut);
            return Time::NEVER;
        }
        if now >= s.timers.hold {
            // What was refused is not told one by one: all that was not acknowledged goes out again.
            s.timers.hold = Time::NEVER;
            s.tx.lose_all();
            s.timers.probed = true;
            s.arm(now, c);
        }
        let rack = now >= s.timers.rack;
        if now >= s.timers.rto {
            self.stats.timeouts += 1;
            if s.timers.timed_out.is_none() {
                s.law.on_timeout(now);
            }
            s.timers.timed_out = Some(now);
            s.timers.silent += 1;
            s.tx.lose_all();
            s.rtt.back_off();
            s.timers.probed = false;
            s.timers.recover = Some(s.tx.next());
            s.arm(now, c);
        } else if now >= s.timers.probe {
            s.timers.probed = true;
            s.timers.probe = Time::NEVER;
            s.timers.want_tail = true;
        }
        if now >= s.timers.keepalive {
            s.timers.keepalive = now + c.peer_timeout / KEEPALIVES;
            s.timers.silent += 1;
            s.timers.want_probe = true;
            if !s.in_acks {
                s.in_acks = true;
                self.acks.push_back(id);
            }
            self.urgent += u32::from(!std::mem::replace(&mut s.ack_urgent, true));
        }
        if rack {
            self.losses(now, id);
        }
        self.mark_lossy(id);
        let c = &self.config;
        self.sessions[id as usize].as_ref().map_or(Time::NEVER, |s| s.deadline(c))
    }

    /// True when some session may have packets to send again.
    #[inline]
    pub fn has_lost(&self) -> bool {
        !self.lossy.is_empty()
    }

    /// The session that [`Delivery::next_retransmit`] looks at first.
    pub fn next_lost(&self) -> Option<SessionId> {
        self.lossy.front().map(|id| SessionId(*id))
    }

    /// The next packet to send again now: its session, token and length, and a fresh header for the same PSN.
    pub fn next_retransmit(&mut self, now: Time) -> Option<(SessionId, T, Header)> {
        while let Some(&id) = self.lossy.front() {
            let c = &self.config;
            let s = self.sessions[id as usize].as_mut()?;
            let tail = std::mem::take(&mut s.timers.want_tail);
            let held = s.timers.hold != Time::NEVER;
            let may = !held && (s.tx.flying() < s.law.window() || s.tx.flying() == 0);
            let found = if tail {
                self.stats.resent_by_probe += 1;
                s.tx.take_tail(now)
            } else if may {
                s.tx.take_lost(now)
            } else {
                None
            };
            let Some((psn, token, len)) = found else {
                s.in_lossy = false;
                self.lossy.pop_front();
                continue;
            };
            if !tail {
                if s.timers.timed_out.is_some() {
                    self.stats.resent_by_timeout += 1;
                } else {
                    self.stats.resent_by_ack += 1;
                }
            }
            let urgent = s.ack_urgent;
            let h = s.header(now, Kind::Data, psn, len as usize, c);
            self.urgent -= u32::from(urgent && !s.ack_urgent);
            if s.timers.rto == Time::NEVER {
                s.arm(now, c);
                self.touch(id);
            }
            return Some((SessionId(id), token, h));
        }
        None
    }

    /// The next header to send without data: an acknowledgement, a probe, or an answer to a stranger. With `all`, also
    /// acknowledgements that could wait for data to ride on.
    #[inline]
    pub fn next_control(
        &mut self,
        now: Time,
        all: bool,
    ) -> Option<(Option<SessionId>, SocketAddr, HeaderBytes)> {
        if self.acks.is_empty() && self.replies.is_empty()
            || !all && self.urgent == 0 && self.replies.is_empty()
        {
            return None;
        }
        self.make_control(now, all)
    }

    fn make_control(&mut self, now: Time, all: bool) -> Option<(Option<SessionId>, SocketAddr, HeaderBytes)> {
        for _ in 0..self.acks.len() {
            let id = self.acks.pop_front()?;
            let c = &self.config;
            let Some(s) = self.sessions[id as usize].as_mut().filter(|s| !s.dead) else { continue };
            let probe = std::mem::take(&mut s.timers.want_probe);
            if !s.ack_pending && !probe {
                // The acknowledgement rode on data.
                s.in_acks = false;
                if std::mem::take(&mut s.ack_urgent) {
                    self.urgent -= 1;
                }
                continue;
            }
            if !all && !s.ack_urgent && !probe {
                self.acks.push_back(id);
                continue;
            }
            s.in_acks = false;
            if s.ack_urgent {
                self.urgent -= 1;
            }
            let psn = s.tx.next();
            let kind = if probe { Kind::Probe } else { Kind::Ack };
            let peer = s.peer;
            let h = s.header(now, kind, psn, 0, c).emit();
            s.ack_urgent = false;
            if probe {
                self.stats.probes_sent += 1;
            } else {
                self.stats.acks_sent += 1;
            }
            return Some((Some(SessionId(id)), peer, h));
        }
        let (to, h) = self.replies.pop_front()?;
        self.stats.resets_sent += 1;
        Some((None, to, h))
    }

    /// When to call again at the latest. None: nothing is waited for.
    pub fn next_deadline(&self) -> Option<Time> {
        if !self.replies.is_empty() || !self.lossy.is_empty() || !self.acks.is_empty() {
            return Some(Time(0));
        }
        (self.timer_floor != Time::NEVER).then_some(self.timer_floor)
    }
}
