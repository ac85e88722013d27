//! The message header: what follows the delivery header in a DATA packet.
//!
//! Layouts (network byte order), described bit by bit in the provider's PROTOCOL.md:
//!
//! ```text
//! EAGER (40 bytes, then payload)                RTS (40 bytes, no payload)
//!  0  kind                                       0  kind
//!  1  flags: 1 tagged, 2 immediate data          1  flags
//!  2  reserved, zero (16 bits)                   2  reserved, zero (16 bits)
//!  4  message number (32 bits)                   4  message number (32 bits)
//!  8  message length (32 bits)                   8  sender's handle (32 bits)
//! 12  offset of the payload (32 bits)           12  reserved, zero (32 bits)
//! 16  tag (64 bits)                             16  tag (64 bits)
//! 24  immediate data (64 bits)                  24  immediate data (64 bits)
//! 32  reserved, zero (64 bits)                  32  message length (64 bits)
//!
//! CTS (24 bytes)                                DATA (16 bytes, then payload)
//!  0  kind                                       0  kind
//!  1  flags: 1 last grant                        1  reserved, zero (24 bits)
//!  4  sender's handle (32 bits)                  4  receiver's handle (32 bits)
//!  8  receiver's handle (32 bits)                8  offset of the payload (64 bits)
//! 12  reserved, zero (32 bits)
//! 16  bytes granted, counted from the start of the message (64 bits)
//! ```

use crate::bytes::{get_u32, get_u64, put_u32, put_u64};

/// Bytes of the longest message header.
pub const MAX_LEN: usize = 40;
pub const EAGER_LEN: usize = 40;
pub const RTS_LEN: usize = 40;
pub const CTS_LEN: usize = 24;
pub const DATA_LEN: usize = 16;

const EAGER: u8 = 1;
const RTS: u8 = 2;
const CTS: u8 = 3;
const DATA: u8 = 4;

const TAGGED: u8 = 1;
const IMMEDIATE: u8 = 2;
const LAST: u8 = 1;

/// What the receiver matches, and what the application sees of a message beside its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Envelope {
    /// Numbers the messages of a session in sending order, modulo 2^32.
    pub number: u32,
    /// None: an untagged message.
    pub tag: Option<u64>,
    /// Immediate data.
    pub data: Option<u64>,
    /// Bytes of the whole message.
    pub len: u64,
}

/// A parsed message header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message {
    /// A piece of a message that is sent before it is known whether a receive is posted for it. Every piece carries the
    /// envelope, so that pieces may arrive in any order.
    Eager { envelope: Envelope, offset: u32 },
    /// Announces a message that waits for a matching receive.
    Rts { envelope: Envelope, sender: u32 },
    /// Answers an announcement: the first `granted` bytes may be sent. After the last grant nothing more is wanted, even
    /// if the message is longer: the receive has no room for it.
    Cts { sender: u32, receiver: u32, granted: u64, last: bool },
    /// A piece of an announced message.
    Data { receiver: u32, offset: u64 },
}

/// Why a message header was not understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malformed {
    Truncated,
    Kind(u8),
    /// A piece that reaches beyond its message.
    Length,
}

/// A message header ready to be sent.
#[derive(Clone, Copy)]
pub struct MessageBytes {
    buf: [u8; MAX_LEN],
    len: usize,
}

impl AsRef<[u8]> for MessageBytes {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &self.buf[..self.len]
    }
}

impl Message {
    /// Reads a header; the second value is its length: what follows is payload.
    #[inline]
    pub fn parse(b: &[u8]) -> Result<(Message, usize), Malformed> {
        let kind = *b.first().ok_or(Malformed::Truncated)?;
        let len = match kind {
            EAGER => EAGER_LEN,
            RTS => RTS_LEN,
            CTS => CTS_LEN,
            DATA => DATA_LEN,
            k => return Err(Malformed::Kind(k)),
        };
        if b.len() < len {
            return Err(Malformed::Truncated);
        }
        let payload = (b.len() - len) as u64;
        let envelope = |len: u64| Envelope {
            number: get_u32(b, 4),
            tag: (b[1] & TAGGED != 0).then(|| get_u64(b, 16)),
            data: (b[1] & IMMEDIATE != 0).then(|| get_u64(b, 24)),
            len,
        };
        let m = match kind {
            EAGER => {
                let (total, offset) = (get_u32(b, 8), get_u32(b, 12));
                // Only an empty message has an empty piece, or no piece could be told from a lost one.
                let end = offset as u64 + payload;
                if end > total as u64 || (payload == 0 && total != 0) {
                    return Err(Malformed::Length);
                }
                Message::Eager { envelope: envelope(total as u64), offset }
            }
            RTS => Message::Rts { envelope: envelope(get_u64(b, 32)), sender: get_u32(b, 8) },
            CTS => Message::Cts {
                sender: get_u32(b, 4),
                receiver: get_u32(b, 8),
                granted: get_u64(b, 16),
                last: b[1] & LAST != 0,
            },
            _ => {
                let offset = get_u64(b, 8);
                if payload == 0 || offset.checked_add(payload).is_none() {
                    return Err(Malformed::Length);
                }
                Message::Data { receiver: get_u32(b, 4), offset }
            }
        };
        Ok((m, len))
    }

    /// Writes the header.
    #[inline]
    pub fn emit(&self) -> MessageBytes {
        let mut out = MessageBytes { buf: [0; MAX_LEN], len: 0 };
        let b = &mut out.buf;
        let head = |b: &mut [u8; MAX_LEN], kind: u8, e: &Envelope| {
            b[0] = kind;
            b[1] = if e.tag.is_some() { TAGGED } else { 0 } | if e.data.is_some() { IMMEDIATE } else { 0 };
            put_u32(b, 4, e.number);
            put_u64(b, 16, e.tag.unwrap_or(0));
            put_u64(b, 24, e.data.unwrap_or(0));
        };
        out.len = match *self {
            Message::Eager { envelope, offset } => {
                head(b, EAGER, &envelope);
                put_u32(b, 8, envelope.len as u32);
                put_u32(b, 12, offset);
                EAGER_LEN
            }
            Message::Rts { envelope, sender } => {
                head(b, RTS, &envelope);
                put_u32(b, 8, sender);
                put_u64(b, 32, envelope.len);
                RTS_LEN
            }
            Message::Cts { sender, receiver, granted, last } => {
                b[0] = CTS;
                b[1] = if last { LAST } else { 0 };
                put_u32(b, 4, sender);
                put_u32(b, 8, receiver);
                put_u64(b, 16, granted);
                CTS_LEN
            }
            Message::Data { receiver, offset } => {
                b[0] = DATA;
                put_u32(b, 4, receiver);
                put_u64(b, 8, offset);
                DATA_LEN
            }
        };
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn envelopes() -> impl Strategy<Value = Envelope> {
        (any::<u32>(), any::<Option<u64>>(), any::<Option<u64>>(), 0..u32::MAX as u64)
            .prop_map(|(number, tag, data, len)| Envelope { number, tag, data, len })
    }

    proptest! {
        #[test]
        fn what_is_emitted_is_parsed(e in envelopes(), sender: u32, receiver: u32, granted: u64, at in 0u64..1 << 60) {
            let all = [
                (Message::Eager { envelope: Envelope { len: 7, ..e }, offset: 0 }, 7),
                (Message::Eager { envelope: Envelope { len: 0, ..e }, offset: 0 }, 0),
                (Message::Rts { envelope: e, sender }, 0),
                (Message::Cts { sender, receiver, granted, last: sender % 2 == 0 }, 0),
                (Message::Data { receiver, offset: at }, 1),
            ];
            for (m, payload) in all {
                let mut b = m.emit().as_ref().to_vec();
                let len = b.len();
                b.resize(len + payload, 0);
                prop_assert_eq!(Message::parse(&b), Ok((m, len)));
            }
        }

        #[test]
        fn random_bytes_never_panic(mut b: Vec<u8>, kind in 0u8..6) {
            if let Some(k) = b.first_mut() {
                *k = kind;
            }
            let _ = Message::parse(&b);
        }
    }

    #[test]
    fn pieces_beyond_their_message_are_refused() {
        let e = Envelope { number: 1, tag: None, data: None, len: 10 };
        let piece = |offset, n: usize| {
            let mut b = Message::Eager { envelope: e, offset }.emit().as_ref().to_vec();
            b.resize(b.len() + n, 0);
            Message::parse(&b).map(|_| ())
        };
        assert_eq!(piece(3, 7), Ok(()));
        assert_eq!(piece(3, 8), Err(Malformed::Length));
        assert_eq!(piece(u32::MAX, 1), Err(Malformed::Length));
        assert_eq!(piece(3, 0), Err(Malformed::Length));
    }
}
