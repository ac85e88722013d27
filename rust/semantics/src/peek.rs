//! Looking at messages that wait without a receive: seeing whether one is there, setting it aside for a later receive, or
//! throwing it away (FI_PEEK, FI_CLAIM and FI_DISCARD of fi_tagged(3)).

use crate::config::OVERHEAD;
use crate::endpoint::Endpoint;
use crate::matching::{Posted, takes};
use crate::op::{Place, Recv, RecvBuffer, SendBuffer, SendError};
use crate::peer::Grant;
use delivery::Time;

/// What becomes of the message that a look finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// It stays where it is.
    Stays,
    /// It is set aside: only [`Endpoint::recv_claimed`] or [`Endpoint::discard_claimed`] with the same context gets it.
    Claimed,
    /// It is thrown away.
    Discarded,
}

impl<S: SendBuffer, R: RecvBuffer, C: Copy> Endpoint<S, R, C> {
    /// Looks for the first waiting message that the receive would take. Completes at once: with what the message's envelope
    /// says (`len` is its length, no byte is written), or with `FI_ENOMSG`.
    pub fn peek(&mut self, op: Recv<R, C>, found: Found) {
        let tagged = op.kind != crate::op::RecvKind::Msg;
        let rx = &self.rx;
        let choose = |i: u32| {
            let m = &rx[i as usize];
            takes(op.kind, op.from, &m.envelope, &m.from)
        };
        let at = match found {
            Found::Stays => self.unexpected.find(tagged, choose),
            Found::Claimed | Found::Discarded => self.unexpected.take(tagged, choose),
        };
        let Some(at) = at else { return self.fail_posted(Posted::new(op), abi::FI_ENOMSG) };
        let m = &mut self.rx[at as usize];
        if found != Found::Stays {
            m.unexpected = false;
        }
        let (e, from) = (m.envelope, m.from);
        self.tell(op.context, op.buf, e.len as usize, &e, from);
        match found {
            Found::Stays => {}
            Found::Claimed => self.claimed.push((op.context, at)),
            Found::Discarded => self.throw_away(at),
        }
    }

    /// Receives the message that was claimed with a context that `choose` picks. `NotClaimed`: there is none, or its peer was
    /// lost before it had arrived whole.
    pub fn recv_claimed(
        &mut self,
        now: Time,
        op: Recv<R, C>,
        choose: impl Fn(&C) -> bool,
    ) -> Result<(), SendError> {
        let rx = self.take_claimed(choose)?;
        self.claim(now, rx, Posted::new(op));
        Ok(())
    }

    /// Throws away the message that was claimed with a context that `choose` picks, and completes with what its envelope says.
    /// Errors: as for [`Endpoint::recv_claimed`].
    pub fn discard_claimed(&mut self, op: Recv<R, C>, choose: impl Fn(&C) -> bool) -> Result<(), SendError> {
        let rx = self.take_claimed(choose)?;
        let m = &self.rx[rx as usize];
        let (e, from) = (m.envelope, m.from);
        self.tell(op.context, op.buf, e.len as usize, &e, from);
        self.throw_away(rx);
        Ok(())
    }

    fn take_claimed(&mut self, choose: impl Fn(&C) -> bool) -> Result<u32, SendError> {
        let at = self.claimed.iter().position(|(c, _)| choose(c)).ok_or(SendError::NotClaimed)?;
        Ok(self.claimed.remove(at).1)
    }

    /// Nobody wants the message. What is still to come of it is taken and dropped.
    fn throw_away(&mut self, rx: u32) {
        let m = &mut self.rx[rx as usize];
        let whole = m.arrived >= m.wanted;
        match std::mem::replace(&mut m.place, Place::Dropped) {
            Place::Held(bytes) => {
                self.held -= m.envelope.len as usize + OVERHEAD;
                if whole {
                    self.rx.remove(rx as usize);
                }
                self.recycle(bytes);
            }
            Place::Announced { sender } => {
                self.held -= OVERHEAD;
                let (s, from) = (m.session, m.from);
                self.rx.remove(rx as usize);
                self.grant(s, from, Grant { sender, receiver: rx, granted: 0, last: true });
            }
            other => m.place = other,
        }
    }
}
