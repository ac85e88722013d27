//! A send is taken, and acknowledged packets bring it to its end.

use crate::completion::Completion;
use crate::endpoint::Endpoint;
use crate::op::{Kind, Payload, RecvBuffer, Send, SendBuffer, SendError, Token, TxOp, Way};
use delivery::Time;
use std::net::SocketAddr;
use wire::msg::Envelope;

impl<S: SendBuffer, R: RecvBuffer, C: Copy> Endpoint<S, R, C> {
    /// Takes a send; [`Endpoint::transmit`] puts it on the wire. `Again`: as many are outstanding as may be.
    #[inline]
    pub fn send(&mut self, now: Time, to: SocketAddr, op: Send<S, C>) -> Result<(), SendError> {
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
        let payload = if op.inject {
            let mut copy = self.buffer(len);
            op.buf.read(0, &mut copy);
            Payload::Copied(copy)
        } else {
            Payload::User(op.buf)
        };
        // What is granted goes straight into its receive's buffer, so that its acknowledgement means delivery.
        let eager = len <= self.config.eager && !op.delivered;
        let way = if eager { Way::Eager } else { Way::Announced };
        let peer = self.peer(s, to);
        let number = peer.next_number;
        peer.next_number = number.wrapping_add(1);
        let tag = match op.kind {
            Kind::Msg => None,
            Kind::Tagged(t) => Some(t),
        };
        let key = self.tx.insert(TxOp {
            session: s,
            payload,
            envelope: Envelope { number, tag, data: op.data, len: len as u64 },
            context: op.context,
            way,
            next: 0,
            begun: false,
            unacked: 0,
        });
        let peer = self.peer(s, to);
        peer.queue.push_back(key as u32);
        if !peer.ready && !peer.blocked {
            peer.ready = true;
            self.ready.push_back(s);
        }
        Ok(())
    }

    /// A packet arrived at the peer.
    #[inline]
    pub(crate) fn acked(&mut self, token: Token) {
        let op = match token {
            Token::Eager { op, .. } | Token::Rts { op } | Token::Data { op, .. } => op,
            Token::Cts { .. } => return,
        };
        let Some(t) = self.tx.get_mut(op as usize) else { return };
        t.unacked -= 1;
        if t.is_done() {
            self.sent(op);
        }
    }

    /// A send is complete.
    pub(crate) fn sent(&mut self, op: u32) {
        let t = self.tx.remove(op as usize);
        self.stats.sent += 1;
        self.completions.push_back(Completion::Sent { context: t.context });
        if let Payload::Copied(b) = t.payload {
            self.recycle(b);
        }
    }
}
