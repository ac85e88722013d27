//! One peer: both directions of the conversation, its timers and its identity.

use crate::config::{Config, MIN_PAYLOAD};
use crate::law::Law;
use crate::rtt::Rtt;
use crate::rx::RxWindow;
use crate::time::Time;
use crate::tx::TxRing;
use std::net::SocketAddr;
use wire::pds::{FIXED, HELLO_LEN, Header, Hello, Kind, SACK_WORDS, VERSION, flag};

/// UDP payload of an Ethernet frame of 1500 bytes, which every link carries: the limit until the peer told its own.
const SAFE_PAYLOAD: usize = 1500 - 40 - 8;

/// Questions that a peer must leave unanswered before it counts as dead.
pub(crate) const ASKED: u32 = 5;

pub(crate) struct Session<T> {
    pub(crate) peer: SocketAddr,
    /// Our random name for this session; its low half is our first PSN.
    pub(crate) local_epoch: u64,
    /// The peer's; 0 before it was heard.
    pub(crate) peer_epoch: u64,
    /// The peer has shown that it knows `local_epoch`.
    pub(crate) confirmed: bool,
    pub(crate) peer_max_payload: usize,
    /// Packets to the peer do not leave this host's memory.
    pub(crate) in_memory: bool,

    pub(crate) tx: TxRing<T>,
    pub(crate) law: Box<dyn Law>,
    pub(crate) rtt: Rtt,
    pub(crate) peer_window: u32,

    pub(crate) rx: RxWindow,
    /// Accepted and not yet acknowledged.
    pub(crate) unacked: u32,
    pub(crate) ack_pending: bool,
    pub(crate) ack_urgent: bool,
    /// Something was refused since the last acknowledgement.
    pub(crate) not_ready: bool,
    /// The peer's latest timestamp, and when it came.
    pub(crate) echo: Option<(u32, Time)>,

    pub(crate) timers: Timers,
    /// The upper layer waits for this peer.
    pub(crate) watched: u32,
    /// Places in the table's lists.
    pub(crate) in_acks: bool,
    pub(crate) in_lossy: bool,
    pub(crate) in_timed: bool,
    pub(crate) dead: bool,
}

/// When what is due. `Time::NEVER`: not at all.
pub(crate) struct Timers {
    /// Retransmission timeout.
    pub(crate) rto: Time,
    /// Probe of the tail; not again before an acknowledgement.
    pub(crate) probe: Time,
    pub(crate) probed: bool,
    /// A packet may turn out as lost.
    pub(crate) rack: Time,
    /// The receiver is not ready before.
    pub(crate) hold: Time,
    pub(crate) hold_step: u64,
    /// A header-only probe to a watched peer.
    pub(crate) keepalive: Time,
    /// Last sign of life, or when something was expected first.
    pub(crate) heard: Time,
    /// Times that the peer was asked since: a peer is not dead because we were away and asked nothing.
    pub(crate) silent: u32,
    /// When the last timeout struck, until it proved right or wrong.
    pub(crate) timed_out: Option<Time>,
    /// Losses before this PSN belong to a reduction that was already made.
    pub(crate) recover: Option<u32>,
    pub(crate) want_probe: bool,
    pub(crate) want_tail: bool,
}

impl<T: Copy> Session<T> {
    pub(crate) fn new(peer: SocketAddr, epoch: u64, law: Box<dyn Law>, c: &Config, now: Time) -> Session<T> {
        Session {
            peer,
            local_epoch: epoch,
            peer_epoch: 0,
            confirmed: false,
            peer_max_payload: SAFE_PAYLOAD,
            in_memory: false,
            tx: TxRing::new(epoch as u32),
            law,
            rtt: Rtt::new(),
            peer_window: c.window,
            rx: RxWindow::new(0),
            unacked: 0,
            ack_pending: false,
            ack_urgent: false,
            not_ready: false,
            echo: None,
            timers: Timers {
                rto: Time::NEVER,
                probe: Time::NEVER,
                probed: false,
                rack: Time::NEVER,
                hold: Time::NEVER,
                hold_step: c.min_not_ready,
                keepalive: Time::NEVER,
                heard: now,
                silent: 0,
                timed_out: None,
                recover: None,
                want_probe: false,
                want_tail: false,
            },
            watched: 0,
            in_acks: false,
            in_lossy: false,
            in_timed: false,
            dead: false,
        }
    }

    /// The peer told its epoch.
    pub(crate) fn adopt(&mut self, epoch: u64, hello: Option<Hello>, c: &Config) {
        self.peer_epoch = epoch;
        self.rx = RxWindow::new(epoch as u32);
        if let Some(h) = hello {
            self.peer_max_payload = (h.max_payload as usize).max(MIN_PAYLOAD);
            self.in_memory = h.host != 0 && h.host == c.host;
        }
    }

    /// Bytes that fit one packet behind the delivery header.
    #[inline]
    pub(crate) fn max_payload(&self, c: &Config) -> usize {
        // Room for the greeting is always kept, so that a length that fits once fits again.
        c.max_payload.min(self.peer_max_payload).saturating_sub(FIXED + HELLO_LEN)
    }

    /// Packets that may be sent now.
    #[inline]
    pub(crate) fn window(&self, c: &Config) -> u32 {
        if self.timers.hold != Time::NEVER {
            return 0;
        }
        let room = c.window.min(self.peer_window).saturating_sub(self.tx.len());
        room.min(self.law.window().saturating_sub(self.tx.flying() + self.tx.lost()))
    }

    /// A header with everything that there is to tell the peer, which then counts as told.
    #[inline(always)]
    pub(crate) fn header(&mut self, now: Time, kind: Kind, psn: u32, len: usize, c: &Config) -> Header {
        let mut h = Header {
            kind,
            flags: 0,
            psn,
            ack: self.rx.next(),
            time: now.ticks(),
            echo: 0,
            window: c.window as u16,
            backlog: 0,
            src_epoch: self.local_epoch,
            dst_epoch: self.peer_epoch,
            hello: None,
            sack: [0; SACK_WORDS],
        };
        if let Some((time, at)) = self.echo {
            h.flags |= flag::ECHO;
            h.echo = time.wrapping_add((now.since(at) / wire::pds::TICK) as u32);
        }
        let mut told = true;
        if !self.confirmed || self.rx.has_holes() || self.not_ready {
            told = self.rare_parts(&mut h, len, c);
        }
        if told {
            self.unacked = 0;
            self.ack_pending = false;
            self.ack_urgent = false;
        }
        h
    }

    #[cold]
    fn rare_parts(&mut self, h: &mut Header, len: usize, c: &Config) -> bool {
        if !self.confirmed {
            h.hello = Some(Hello {
                min_version: VERSION,
                max_version: VERSION,
                max_payload: c.max_payload.min(u16::MAX as usize) as u16,
                host: c.host,
            });
        }
        if std::mem::take(&mut self.not_ready) {
            h.flags |= flag::NOT_READY;
        }
        if self.rx.has_holes() {
            h.sack = self.rx.bits();
            // A full data packet has no room for the list: it goes out by itself then.
            if h.emitted_len() + len > c.max_payload.min(self.peer_max_payload) {
                h.sack = [0; SACK_WORDS];
                return false;
            }
        }
        true
    }

    /// Sets the timers that something in flight needs.
    pub(crate) fn arm(&mut self, now: Time, c: &Config) {
        if self.tx.is_empty() {
            self.timers.rto = Time::NEVER;
            self.timers.probe = Time::NEVER;
            self.timers.rack = Time::NEVER;
            return;
        }
        self.timers.rto = now + self.rtt.rto(c);
        self.timers.probe = if self.timers.probed || self.tx.flying() == 0 {
            Time::NEVER
        } else {
            self.tx.last_sent().max(now) + self.rtt.probe_after(c)
        };
    }

    /// The earliest of all timers, with the time at which the peer counts as dead.
    pub(crate) fn deadline(&self, c: &Config) -> Time {
        let t = &self.timers;
        let death = if self.waits() && t.silent >= ASKED { t.heard + c.peer_timeout } else { Time::NEVER };
        t.rto.min(t.probe).min(t.rack).min(t.hold).min(t.keepalive).min(death)
    }

    /// The peer was asked often enough and did not answer for long enough.
    pub(crate) fn is_silent(&self, now: Time, c: &Config) -> bool {
        self.waits() && self.timers.silent >= ASKED && now >= self.timers.heard + c.peer_timeout
    }

    /// From now on an answer is expected.
    pub(crate) fn expect(&mut self, now: Time) {
        self.timers.heard = now;
        self.timers.silent = 0;
    }

    /// Something is expected of the peer.
    pub(crate) fn waits(&self) -> bool {
        !self.tx.is_empty() || self.watched != 0
    }
}
