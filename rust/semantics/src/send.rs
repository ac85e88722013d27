//! A send is taken, and acknowledged packets bring it to its end.

use crate::completion::Completion;
use crate::config::Stats;
use crate::driver::{Driver, Ready};
use crate::endpoint::{Endpoint, recycle};
use crate::op::{Kind, NONE, Payload, RecvBuffer, SHORT, Send, SendBuffer, SendError, Token, TxOp, Way};
use crate::peer::{MOST_SMALL, Peer};
use delivery::Time;
use slab::Slab;
use std::collections::VecDeque;
use std::net::SocketAddr;
use wire::msg::Envelope;

impl<S: SendBuffer, R: RecvBuffer, C: Copy> Endpoint<S, R, C> {
    /// Takes a send, and sends what may be sent of it. `Again`: as many are outstanding as may be.
    #[inline]
    pub fn send(
        &mut self,
        now: Time,
        to: SocketAddr,
        op: Send<S, C>,
        driver: &mut impl Driver<S>,
    ) -> Result<(), SendError> {
        if self.tx.len() >= self.config.tx_size {
            return Err(SendError::Again);
        }
        let s = match self.delivery.existing(&to) {
            Some(s) => s,
            None => {
                let s = self.delivery.session(now, to);
                self.opened(now, s);
                s
            }
        };
        let len = op.buf.len();
        let payload = if op.inject && len <= SHORT {
            let mut copy = [0; SHORT];
            op.buf.read(0, &mut copy[..len]);
            Payload::Short(copy, len as u8)
        } else if op.inject {
            let mut copy = self.pool.pop().unwrap_or_default();
            copy.clear();
            op.buf.append_to(&mut copy);
            Payload::Copied(copy)
        } else {
            Payload::User(op.buf)
        };
        // What is granted goes straight into its receive's buffer, so that its acknowledgement means delivery.
        let eager = len <= self.config.eager && !op.delivered;
        let way = if eager { Way::Eager } else { Way::Announced };
        let room = self.delivery.max_payload(s);
        let window = self.delivery.window(s);
        let peer = self.peer(s, to);
        let number = peer.next_number;
        peer.next_number = number.wrapping_add(1);
        let idle = !peer.has_work() && !peer.blocked;
        let may_be_small = peer.small < MOST_SMALL;
        let tag = match op.kind {
            Kind::Msg => None,
            Kind::Tagged(t) => Some(t),
        };
        let entry = self.tx.vacant_entry();
        let key = entry.key() as u32;
        let t = entry.insert(TxOp {
            session: s,
            payload,
            envelope: Envelope { number, tag, data: op.data, len: len as u64 },
            context: op.context,
            way,
            next: 0,
            begun: false,
            unacked: 0,
            quiet: op.quiet,
            packed: None,
            follows: NONE,
        });
        let packed = t.whole_len(room);
        // The common case: nothing waits, and the message is one packet.
        if idle
            && may_be_small
            && window != 0
            && let Some(n) = packed
            && driver.ready(s, to) == Ready::Yes
        {
            t.begun = true;
            t.next = len as u64;
            if let Some(Some(peer)) = self.peers.get_mut(s.index()) {
                peer.small += 1;
            }
            let ask = self.asks(s);
            let token = Token::Whole { op: key, count: 1, small: true };
            if let Some(h) = self.delivery.send(now, s, token, n, ask) {
                self.emit_whole(s, to, &h, key, 1, driver);
            }
            return Ok(());
        }
        t.packed = packed;
        let peer = self.peer(s, to);
        peer.enqueue(key, packed);
        self.make_ready(s);
        // A message that waits for company, or for a window, has nobody to wake.
        if self.may_send(s) {
            self.turns(now, driver);
        }
        Ok(())
    }
}

/// The parts of an endpoint that acknowledgements change, apart from the rest, which is in use while they come in.
pub(crate) struct Acks<'a, S: SendBuffer, R, C> {
    pub(crate) tx: &'a mut Slab<TxOp<S, C>>,
    pub(crate) peers: &'a mut Vec<Option<Peer>>,
    pub(crate) pool: &'a mut Vec<Vec<u8>>,
    pub(crate) completions: &'a mut VecDeque<Completion<R, C>>,
    pub(crate) stats: &'a mut Stats,
}

impl<S: SendBuffer, R, C: Copy> Acks<'_, S, R, C> {
    /// A packet arrived at the peer.
    #[inline]
    pub(crate) fn acked(&mut self, token: Token) {
        let op = match token {
            Token::Whole { op, count, small } => return self.whole(op, count, small),
            Token::Eager { op, .. } | Token::Rts { op } | Token::Data { op, .. } => op,
            Token::Cts { .. } => return,
        };
        let Some(t) = self.tx.get_mut(op as usize) else { return };
        t.unacked -= 1;
        if t.is_done() {
            self.sent(op);
        }
    }

    #[inline]
    fn whole(&mut self, first: u32, count: u16, small: bool) {
        let mut op = first;
        for _ in 0..count {
            let Some(t) = self.tx.get(op as usize) else { return };
            let (session, follows) = (t.session, t.follows);
            if op == first
                && small
                && let Some(Some(p)) = self.peers.get_mut(session.index())
            {
                p.small -= 1;
            }
            self.sent(op);
            op = follows;
        }
    }

    /// A send is complete.
    #[inline]
    pub(crate) fn sent(&mut self, op: u32) {
        let t = self.tx.remove(op as usize);
        self.stats.sent += 1;
        if !t.quiet {
            self.completions.push_back(Completion::Sent { context: t.context });
        }
        if let Payload::Copied(b) = t.payload {
            recycle(self.pool, b);
        }
    }
}
