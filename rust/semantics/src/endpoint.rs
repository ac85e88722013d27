//! The endpoint's state, and the calls that only look after it.

use crate::completion::Completion;
use crate::config::{Config, Stats};
use crate::driver::{Body, Driver};
use crate::matching::{Posted, PostedQueue, UnexpectedQueue};
use crate::op::{Recv, RecvBuffer, RxMsg, SendBuffer, SendError, Token, TxOp};
use crate::peer::Peer;
use crate::send::Acks;
use delivery::{Delivery, Event, SessionId, Time};
use slab::Slab;
use std::collections::VecDeque;
use std::net::SocketAddr;

/// One endpoint: sends, receives and everything between them and packets. `S` and `R` are the application's buffers, `C`
/// its word for an operation.
pub struct Endpoint<S: SendBuffer, R: RecvBuffer, C: Copy> {
    pub(crate) config: Config,
    pub(crate) delivery: Delivery<Token>,
    /// By session.
    pub(crate) peers: Vec<Option<Peer>>,
    /// Sessions with something to send, in turn.
    pub(crate) ready: VecDeque<SessionId>,
    pub(crate) tx: Slab<TxOp<S, C>>,
    pub(crate) rx: Slab<RxMsg<R, C>>,
    pub(crate) posted: PostedQueue<R, C>,
    pub(crate) unexpected: UnexpectedQueue,
    /// Messages that were set aside, by the context of who did it.
    pub(crate) claimed: Vec<(C, u32)>,
    /// Bytes held for messages without a receive.
    pub(crate) held: usize,
    /// Buffers for copies of injected messages, and for held ones.
    pub(crate) pool: Vec<Vec<u8>>,
    pub(crate) completions: VecDeque<Completion<R, C>>,
    pub(crate) stats: Stats,
}

/// Buffers that are kept for reuse, as many as sends may be outstanding by default, and the largest one kept.
const POOL: usize = 1024;
const POOLED: usize = 4 * 1024;

impl<S: SendBuffer, R: RecvBuffer, C: Copy> Endpoint<S, R, C> {
    /// `seed` names this incarnation of the endpoint: give a number that nobody can guess.
    pub fn new(config: Config, seed: u64) -> Self {
        let config = config.within_bounds();
        Endpoint {
            delivery: Delivery::new(config.delivery.clone(), seed),
            peers: Vec::new(),
            ready: VecDeque::new(),
            tx: Slab::with_capacity(config.tx_size.min(1024)),
            rx: Slab::new(),
            posted: PostedQueue::new(),
            unexpected: UnexpectedQueue::default(),
            claimed: Vec::new(),
            held: 0,
            pool: Vec::new(),
            completions: VecDeque::with_capacity(64),
            stats: Stats::default(),
            config,
        }
    }

    /// The peer of a session, made when the session is new.
    #[inline]
    pub(crate) fn peer(&mut self, s: SessionId, addr: SocketAddr) -> &mut Peer {
        if self.peers.len() <= s.index() {
            self.peers.resize_with(s.index() + 1, || None);
        }
        self.peers[s.index()].get_or_insert_with(|| Peer::new(addr))
    }

    /// Posts a receive; a message that waits for it is taken at once. `Again`: as many are posted as may be.
    pub fn recv(&mut self, now: Time, op: Recv<R, C>) -> Result<(), SendError> {
        if self.posted.len() >= self.config.rx_size {
            return Err(SendError::Again);
        }
        let mut p = Posted::new(op);
        if let Some(rx) = self.find_unexpected(&p) {
            self.claim(now, rx, p);
            return Ok(());
        }
        if let Some(from) = p.from
            && let Some(s) = self.delivery.existing(&from)
        {
            self.delivery.watch(now, s, true);
            p.watched = Some(s);
        }
        self.posted.push(p);
        Ok(())
    }

    /// Cancels the first posted receive whose context is chosen: it completes with `FI_ECANCELED`. False: there is none.
    pub fn cancel(&mut self, now: Time, choose: impl Fn(&C) -> bool) -> bool {
        let Some(p) = self.posted.remove_if(|p| choose(&p.context)) else { return false };
        self.unwatch(now, &p);
        self.fail_posted(p, abi::FI_ECANCELED);
        true
    }

    pub(crate) fn unwatch(&mut self, now: Time, p: &Posted<R, C>) {
        if let Some(s) = p.watched {
            self.delivery.watch(now, s, false);
        }
    }

    pub(crate) fn fail_posted(&mut self, p: Posted<R, C>, err: i32) {
        if err != abi::FI_ECANCELED {
            self.stats.receive_failures += 1;
        }
        self.completions.push_back(Completion::RecvFailed {
            context: p.context,
            buf: p.buf,
            err,
            len: 0,
            olen: 0,
            tag: None,
            data: None,
            from: p.from,
        });
    }

    /// Next outcome.
    #[inline]
    pub fn poll_completion(&mut self) -> Option<Completion<R, C>> {
        self.completions.pop_front()
    }

    /// Takes in what delivery has to tell.
    #[inline(always)]
    pub(crate) fn events(&mut self, now: Time) {
        if self.delivery.has_events() {
            self.take_events(now);
        }
    }

    #[cold]
    fn take_events(&mut self, now: Time) {
        while let Some(e) = self.delivery.poll_event() {
            self.session_event(now, e);
        }
    }

    fn session_event(&mut self, now: Time, e: Event<Token>) {
        match e {
            Event::Opened { session } => self.opened(now, session),
            Event::Failed { session, error } => self.session_failed(session, error),
            Event::Closed { session } => {
                if let Some(p) = self.peers.get_mut(session.index()) {
                    *p = None;
                }
            }
            // The operation that the packet belonged to has failed with its session.
            Event::Unsent { .. } => {}
        }
    }

    /// A new session: receives that wait for its peer alone watch it from now on.
    pub(crate) fn opened(&mut self, now: Time, s: SessionId) {
        let Some(addr) = self.delivery.peer(s) else { return };
        self.peer(s, addr);
        for p in self.posted.iter_mut() {
            if p.from == Some(addr) && p.watched.is_none() {
                p.watched = Some(s);
                self.delivery.watch(now, s, true);
            }
        }
    }

    /// The way to the peer is known now.
    pub fn unblock(&mut self, s: SessionId) {
        if let Some(Some(p)) = self.peers.get_mut(s.index())
            && std::mem::take(&mut p.blocked)
            && p.has_work()
        {
            self.make_ready(s);
        }
    }

    /// There is no way to the peer: everything that concerns it fails with `err`, a positive `FI_E*`.
    pub fn fail_peer(&mut self, now: Time, addr: SocketAddr, err: i32) {
        if let Some(s) = self.delivery.existing(&addr) {
            self.peer(s, addr).error = Some(err);
            self.delivery.give_up(s);
            self.events(now);
        }
    }

    /// When to call [`Endpoint::transmit`] again at the latest. None: nothing is waited for.
    pub fn next_deadline(&self) -> Option<Time> {
        // A session with work but no window waits for an acknowledgement.
        if self.ready.iter().any(|s| self.may_send(*s)) {
            return Some(Time(0));
        }
        self.delivery.next_deadline()
    }

    /// Something waits to be sent: for a window, for company, or for its session's turn.
    #[inline]
    pub fn waits(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Nothing that was accepted for sending waits to be sent, granted or acknowledged.
    pub fn is_drained(&self) -> bool {
        self.tx.is_empty() && !self.delivery.has_unacked()
    }

    /// Tells every peer that the endpoint ends. It is not used after that.
    pub fn close(&mut self, now: Time, driver: &mut impl Driver<S>) {
        for (s, to, h) in self.delivery.byes(now) {
            // Twice: nobody is left to repeat it, and a peer that misses it waits for its timeout.
            for _ in 0..2 {
                let h = h.as_ref();
                driver.emit(Some(s), to, h.len(), |out| out.copy_from_slice(h), Body::None, false);
            }
        }
    }

    pub fn stats(&self) -> (&Stats, &delivery::Stats) {
        (&self.stats, self.delivery.stats())
    }

    /// Bytes held for messages that no receive was posted for.
    pub fn held(&self) -> usize {
        self.held
    }

    /// A buffer of `len` bytes, zeroed where it was not written before.
    pub(crate) fn buffer(&mut self, len: usize) -> Vec<u8> {
        let mut b = self.pool.pop().unwrap_or_default();
        b.clear();
        b.resize(len, 0);
        b
    }

    pub(crate) fn recycle(&mut self, b: Vec<u8>) {
        recycle(&mut self.pool, b);
    }

    /// The state with acknowledgements in mind.
    #[inline]
    pub(crate) fn acks(&mut self) -> (&mut Delivery<Token>, Acks<'_, S, R, C>) {
        let Endpoint { delivery, tx, peers, pool, completions, stats, .. } = self;
        (delivery, Acks { tx, peers, pool, completions, stats })
    }
}

/// Keeps a buffer for reuse.
#[inline]
pub(crate) fn recycle(pool: &mut Vec<Vec<u8>>, b: Vec<u8>) {
    if pool.len() < POOL && b.capacity() <= POOLED {
        pool.push(b);
    }
}
