//! The message header: what follows the delivery header in a DATA packet.
//!
//! Layouts (network byte order), described bit by bit in the provider's PROTOCOL.md. Tag and immediate data take room only
//! where the flags say so:
//!
//! ```text
//! WHOLE (8 bytes and options, then payload)     RTS (24 bytes and options)
//!  0  kind                                       0  kind
//!  1  flags: 1 tagged, 2 immediate data          1  flags
//!  2  message length (16 bits)                   2  reserved, zero (16 bits)
//!  4  message number (32 bits)                   4  message number (32 bits)
//!  8  tag (64 bits), immediate data (64 bits)    8  message length (64 bits)
//!                                               16  sender's handle (32 bits)
//! EAGER (16 bytes and options, then payload)    20  reserved, zero (32 bits)
//!  0  kind                                      24  tag (64 bits), immediate data (64 bits)
//!  1  flags
//!  2  reserved, zero (16 bits)                  CTS (24 bytes)
//!  4  message number (32 bits)                   0  kind
//!  8  message length (32 bits)                   1  flags: 1 last grant
//! 12  offset of the payload (32 bits)            4  sender's handle (32 bits)
//! 16  tag (64 bits), immediate data (64 bits)    8  receiver's handle (32 bits)
//!                                               12  reserved, zero (32 bits)
//! DATA (16 bytes, then payload)                 16  bytes granted, from the start of the message (64 bits)
//!  0  kind
//!  1  reserved, zero (24 bits)
//!  4  receiver's handle (32 bits)
//!  8  offset of the payload (64 bits)
//! ```
//!
//! A WHOLE message knows its length, and another one may follow it in the same packet. All others fill their packet.

use crate::bytes::{get_u16, get_u32, get_u64, put_u16, put_u32, put_u64};

/// Bytes of a header without tag and immediate data; each of these adds [`OPTION_LEN`].
pub const WHOLE_LEN: usize = 8;
pub const EAGER_LEN: usize = 16;
pub const RTS_LEN: usize = 24;
pub const CTS_LEN: usize = 24;
pub const DATA_LEN: usize = 16;
/// Bytes of a tag, and of immediate data.
pub const OPTION_LEN: usize = 8;
/// Bytes of the longest message header.
pub const MAX_LEN: usize = RTS_LEN + 2 * OPTION_LEN;
/// Longest message that is sent as WHOLE.
pub const MAX_WHOLE: usize = u16::MAX as usize;

const EAGER: u8 = 1;
const RTS: u8 = 2;
const CTS: u8 = 3;
const DATA: u8 = 4;
const WHOLE: u8 = 5;

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

impl Envelope {
    #[inline(always)]
    fn flags(&self) -> u8 {
        (u8::from(self.tag.is_some()) * TAGGED) | (u8::from(self.data.is_some()) * IMMEDIATE)
    }

    /// Bytes that tag and immediate data take.
    #[inline(always)]
    pub fn options_len(&self) -> usize {
        options_len(self.flags())
    }
}

#[inline(always)]
fn options_len(flags: u8) -> usize {
    (usize::from(flags & TAGGED) + usize::from(flags & IMMEDIATE) / 2) * OPTION_LEN
}

/// A parsed message header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message {
    /// A message that is sent in one piece before it is known whether a receive is posted for it.
    Whole { envelope: Envelope },
    /// A piece of such a message that takes several packets. Every piece carries the envelope, so that pieces may arrive in
    /// any order.
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
    /// A piece that reaches beyond its message or its packet.
    Length,
}

/// A header and the payload behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parsed<'a> {
    pub message: Message,
    pub payload: &'a [u8],
    /// What follows in the packet: further messages, or nothing.
    pub rest: &'a [u8],
}

impl Message {
    /// Reads the first message of `b`, the body of a packet or what is left of it.
    #[inline]
    pub fn parse(b: &[u8]) -> Result<Parsed<'_>, Malformed> {
        let Some(head) = b.first_chunk::<WHOLE_LEN>() else { return Err(Malformed::Truncated) };
        let (kind, flags) = (head[0], head[1]);
        if kind != WHOLE {
            return Message::parse_other(b, kind, flags);
        }
        let len = WHOLE_LEN + options_len(flags);
        let end = len + usize::from(get_u16(head, 2));
        if end > b.len() {
            return Err(Malformed::Length);
        }
        let envelope = envelope(b, WHOLE_LEN, flags, (end - len) as u64);
        let (b, rest) = b.split_at(end);
        Ok(Parsed { message: Message::Whole { envelope }, payload: &b[len..], rest })
    }

    fn parse_other(b: &[u8], kind: u8, flags: u8) -> Result<Parsed<'_>, Malformed> {
        let len = match kind {
            EAGER => EAGER_LEN + options_len(flags),
            RTS => RTS_LEN + options_len(flags),
            CTS => CTS_LEN,
            DATA => DATA_LEN,
            k => return Err(Malformed::Kind(k)),
        };
        if b.len() < len {
            return Err(Malformed::Truncated);
        }
        let (b, payload) = b.split_at(len);
        let message = match kind {
            EAGER => {
                let (total, offset) = (get_u32(b, 8), get_u32(b, 12));
                // An empty piece could not be told from a lost one.
                let end = offset as usize + payload.len();
                if end > total as usize || payload.is_empty() {
                    return Err(Malformed::Length);
                }
                Message::Eager { envelope: envelope(b, EAGER_LEN, flags, total as u64), offset }
            }
            RTS => {
                Message::Rts { envelope: envelope(b, RTS_LEN, flags, get_u64(b, 8)), sender: get_u32(b, 16) }
            }
            CTS => Message::Cts {
                sender: get_u32(b, 4),
                receiver: get_u32(b, 8),
                granted: get_u64(b, 16),
                last: flags & LAST != 0,
            },
            _ => {
                let offset = get_u64(b, 8);
                if payload.is_empty() || offset.checked_add(payload.len() as u64).is_none() {
                    return Err(Malformed::Length);
                }
                Message::Data { receiver: get_u32(b, 4), offset }
            }
        };
        Ok(Parsed { message, payload, rest: &[] })
    }

    /// Bytes of the header.
    #[inline]
    pub fn header_len(&self) -> usize {
        match self {
            Message::Whole { envelope } => WHOLE_LEN + envelope.options_len(),
            Message::Eager { envelope, .. } => EAGER_LEN + envelope.options_len(),
            Message::Rts { envelope, .. } => RTS_LEN + envelope.options_len(),
            Message::Cts { .. } => CTS_LEN,
            Message::Data { .. } => DATA_LEN,
        }
    }

    /// Writes the header to the beginning of `b`, which has room for [`Message::header_len`] bytes. A WHOLE message is at
    /// most [`MAX_WHOLE`] bytes long, an EAGER one fits 32 bits.
    #[inline]
    pub fn emit(&self, b: &mut [u8]) {
        match *self {
            Message::Whole { envelope } => {
                // One bounds check for all.
                let (head, options) = b.split_at_mut(WHOLE_LEN);
                let word = u64::from(WHOLE) << 56
                    | u64::from(envelope.flags()) << 48
                    | (envelope.len & 0xffff) << 32
                    | u64::from(envelope.number);
                head.copy_from_slice(&word.to_be_bytes());
                put_options(options, &envelope);
            }
            Message::Eager { envelope, offset } => {
                begin(b, EAGER, &envelope);
                put_u32(b, 8, envelope.len as u32);
                put_u32(b, 12, offset);
                put_options(&mut b[EAGER_LEN..], &envelope);
            }
            Message::Rts { envelope, sender } => {
                begin(b, RTS, &envelope);
                put_u64(b, 8, envelope.len);
                put_u32(b, 16, sender);
                put_u32(b, 20, 0);
                put_options(&mut b[RTS_LEN..], &envelope);
            }
            Message::Cts { sender, receiver, granted, last } => {
                b[0] = CTS;
                b[1] = if last { LAST } else { 0 };
                put_u16(b, 2, 0);
                put_u32(b, 4, sender);
                put_u32(b, 8, receiver);
                put_u32(b, 12, 0);
                put_u64(b, 16, granted);
            }
            Message::Data { receiver, offset } => {
                put_u32(b, 0, u32::from(DATA) << 24);
                put_u32(b, 4, receiver);
                put_u64(b, 8, offset);
            }
        }
    }
}

#[inline(always)]
fn envelope(b: &[u8], options: usize, flags: u8, len: u64) -> Envelope {
    let tagged = flags & TAGGED != 0;
    Envelope {
        number: get_u32(b, 4),
        tag: tagged.then(|| get_u64(b, options)),
        data: (flags & IMMEDIATE != 0).then(|| get_u64(b, options + if tagged { OPTION_LEN } else { 0 })),
        len,
    }
}

fn begin(b: &mut [u8], kind: u8, e: &Envelope) {
    b[0] = kind;
    b[1] = e.flags();
    put_u16(b, 2, 0);
    put_u32(b, 4, e.number);
}

#[inline(always)]
fn put_options(b: &mut [u8], e: &Envelope) {
    let mut at = 0;
    if let Some(tag) = e.tag {
        put_u64(b, 0, tag);
        at = OPTION_LEN;
    }
    if let Some(data) = e.data {
        put_u64(b, at, data);
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

    fn bytes(m: Message, payload: usize) -> Vec<u8> {
        let mut b = vec![0xff; m.header_len()];
        m.emit(&mut b);
        b.resize(b.len() + payload, 0xaa);
        b
    }

    proptest! {
        #[test]
        fn what_is_emitted_is_parsed(e in envelopes(), sender: u32, receiver: u32, granted: u64, at in 0u64..1 << 60) {
            let all = [
                (Message::Whole { envelope: Envelope { len: 7, ..e } }, 7),
                (Message::Whole { envelope: Envelope { len: 0, ..e } }, 0),
                (Message::Eager { envelope: Envelope { len: 17, ..e }, offset: 3 }, 9),
                (Message::Rts { envelope: e, sender }, 0),
                (Message::Cts { sender, receiver, granted, last: sender % 2 == 0 }, 0),
                (Message::Data { receiver, offset: at }, 1),
            ];
            for (message, payload) in all {
                let b = bytes(message, payload);
                let (head, body) = b.split_at(message.header_len());
                prop_assert!(head.len() <= MAX_LEN);
                prop_assert_eq!(Message::parse(&b), Ok(Parsed { message, payload: body, rest: &[] }));
            }
        }

        #[test]
        fn whole_messages_follow_each_other(list in proptest::collection::vec((envelopes(), 0usize..200), 0..10)) {
            let list: Vec<Envelope> = list.into_iter().map(|(e, len)| Envelope { len: len as u64, ..e }).collect();
            let packet: Vec<u8> =
                list.iter().flat_map(|e| bytes(Message::Whole { envelope: *e }, e.len as usize)).collect();
            let mut rest = &packet[..];
            for e in &list {
                let p = Message::parse(rest);
                let right = |p: &Parsed| p.message == Message::Whole { envelope: *e } && p.payload.len() as u64 == e.len;
                prop_assert!(p.as_ref().is_ok_and(right));
                rest = p.map_or(&[], |p| p.rest);
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn random_bytes_never_panic(mut b: Vec<u8>, kind in 0u8..7) {
            if let Some(k) = b.first_mut() {
                *k = kind;
            }
            let _ = Message::parse(&b);
        }
    }

    #[test]
    fn pieces_beyond_their_message_are_refused() {
        let envelope = Envelope { number: 1, tag: None, data: None, len: 10 };
        let piece =
            |offset, n: usize| Message::parse(&bytes(Message::Eager { envelope, offset }, n)).map(|_| ());
        assert_eq!(piece(3, 7), Ok(()));
        assert_eq!(piece(3, 8), Err(Malformed::Length));
        assert_eq!(piece(u32::MAX, 1), Err(Malformed::Length));
        assert_eq!(piece(3, 0), Err(Malformed::Length));
        let whole = bytes(Message::Whole { envelope }, 9);
        assert_eq!(Message::parse(&whole), Err(Malformed::Length));
    }
}
