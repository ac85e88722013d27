//! Operations as the caller gives them, and as the endpoint keeps them.

use crate::matching::Posted;
use delivery::SessionId;
use std::net::SocketAddr;
use wire::msg::{Envelope, MAX_WHOLE, Message, WHOLE_LEN};

/// Memory that a message is sent from.
pub trait SendBuffer {
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Copies `out.len()` bytes from `offset` on; they are all inside.
    fn read(&self, offset: usize, out: &mut [u8]);
    /// Appends all bytes to `out`.
    fn append_to(&self, out: &mut Vec<u8>) {
        let at = out.len();
        out.resize(at + self.len(), 0);
        self.read(0, &mut out[at..]);
    }
}

/// Memory that a message is received into.
pub trait RecvBuffer {
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Copies `data` to `offset`; it is all inside.
    fn write(&mut self, offset: usize, data: &[u8]);
}

/// Untagged or tagged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Msg,
    Tagged(u64),
}

/// A send.
pub struct Send<S, C> {
    pub kind: Kind,
    pub buf: S,
    /// Immediate data.
    pub data: Option<u64>,
    /// Copy the buffer now: it is the caller's again when the call returns.
    pub inject: bool,
    /// Complete only when the bytes are in the buffer of a receive at the peer (delivery complete).
    pub delivered: bool,
    /// Success is not told, only failure.
    pub quiet: bool,
    /// Comes back in the completion.
    pub context: C,
}

/// What a receive matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecvKind {
    Msg,
    /// Bits set in `ignore` need not be the same.
    Tagged {
        tag: u64,
        ignore: u64,
    },
}

/// A receive.
pub struct Recv<R, C> {
    pub kind: RecvKind,
    pub buf: R,
    /// Only from this peer.
    pub from: Option<SocketAddr>,
    pub context: C,
}

/// Why an operation was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SendError {
    /// The queue is full; there is room after completions.
    Again,
    /// No message was claimed with this context.
    NotClaimed,
}

/// Bytes that are kept with the operation itself when they are copied.
pub(crate) const SHORT: usize = 64;

/// Where a message's bytes are.
pub(crate) enum Payload<S> {
    User(S),
    /// A copy of a few bytes.
    Short([u8; SHORT], u8),
    /// A copy, in a buffer that goes back to the pool.
    Copied(Vec<u8>),
}

/// How far an announced message has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Eager,
    /// Announced; the grant is still to come.
    Announced,
    Granted {
        receiver: u32,
        granted: u64,
        last: bool,
    },
}

/// A send that has not completed.
pub(crate) struct TxOp<S, C> {
    pub(crate) session: SessionId,
    pub(crate) payload: Payload<S>,
    pub(crate) envelope: Envelope,
    pub(crate) context: C,
    pub(crate) way: Way,
    /// Next byte to be sent.
    pub(crate) next: u64,
    /// The first packet (or the announcement) has been given to delivery.
    pub(crate) begun: bool,
    /// Packets given to delivery and not acknowledged.
    pub(crate) unacked: u32,
    pub(crate) quiet: bool,
    /// While it is queued: what it takes in a packet that it may share.
    pub(crate) packed: Option<usize>,
    /// The send that follows in the same packet.
    pub(crate) follows: u32,
}

/// No send.
pub(crate) const NONE: u32 = u32::MAX;

impl<S: SendBuffer, C> TxOp<S, C> {
    /// Bytes that the message takes as a whole one among others in a packet.
    #[inline]
    pub(crate) fn packed_len(&self) -> usize {
        WHOLE_LEN + self.envelope.options_len() + self.envelope.len as usize
    }

    /// The same, where the message can be sent so: it is short enough for `room` and has not been begun otherwise.
    #[inline]
    pub(crate) fn whole_len(&self, room: usize) -> Option<usize> {
        let fits = self.way == Way::Eager
            && self.next == 0
            && self.envelope.len <= MAX_WHOLE as u64
            && self.packed_len() <= room;
        fits.then(|| self.packed_len())
    }

    /// Writes the message with its header, which fill `out`.
    #[inline]
    pub(crate) fn write_whole(&self, out: &mut [u8]) {
        let head = WHOLE_LEN + self.envelope.options_len();
        Message::Whole { envelope: self.envelope }.emit(out);
        match &self.payload {
            Payload::User(buf) => buf.read(0, &mut out[head..]),
            Payload::Short(bytes, len) => out[head..].copy_from_slice(&bytes[..usize::from(*len)]),
            Payload::Copied(bytes) => out[head..].copy_from_slice(bytes),
        }
    }

    /// Everything was sent and has arrived.
    pub(crate) fn is_done(&self) -> bool {
        let all = match self.way {
            Way::Eager => self.begun && self.next == self.envelope.len,
            Way::Announced => false,
            Way::Granted { granted, last, .. } => last && self.next >= granted.min(self.envelope.len),
        };
        all && self.unacked == 0
    }
}

/// Where an arriving message goes.
pub(crate) enum Place<R, C> {
    /// The receive that it matched.
    Matched(Posted<R, C>),
    /// Held until a receive matches.
    Held(Vec<u8>),
    /// Announced only: nothing is held.
    Announced { sender: u32 },
    /// Nowhere: it was thrown away while it was arriving.
    Dropped,
}

/// A message that is arriving, or waits for its receive.
pub(crate) struct RxMsg<R, C> {
    pub(crate) session: SessionId,
    pub(crate) from: SocketAddr,
    pub(crate) envelope: Envelope,
    pub(crate) place: Place<R, C>,
    /// Bytes that have arrived.
    pub(crate) arrived: u64,
    /// Bytes that will arrive: all, or what was granted.
    pub(crate) wanted: u64,
    /// It is on the list of unexpected messages.
    pub(crate) unexpected: bool,
    /// The peer is watched on its account.
    pub(crate) watched: bool,
}

/// A packet, as delivery knows it: enough to make it again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Token {
    /// `count` whole messages, `op` the first, the others by [`TxOp::follows`]. `small`: there was room for more.
    Whole {
        op: u32,
        count: u16,
        small: bool,
    },
    Eager {
        op: u32,
        offset: u32,
        len: u32,
    },
    Rts {
        op: u32,
    },
    /// Carries all that it says: the receive may be complete before it is acknowledged.
    Cts {
        sender: u32,
        receiver: u32,
        granted: u64,
        last: bool,
    },
    Data {
        op: u32,
        len: u32,
        offset: u64,
    },
}
