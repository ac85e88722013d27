//! The packet delivery header: what every UDP payload of a reliable endpoint begins with.
//!
//! Layout (network byte order), described bit by bit in the provider's PROTOCOL.md:
//!
//! ```text
//!  0  version (4 bits), kind (4 bits)
//!  1  flags
//!  2  header length in bytes, options included (16 bits)
//!  4  PSN of a DATA packet; otherwise the next PSN that will be used (32 bits)
//!  8  acknowledgement: the next PSN expected (32 bits)
//! 12  time of sending, in units of 64 ns, modulo 2^32
//! 16  echo of the peer's time, moved forward by the time it was held (valid with flag ECHO)
//! 20  receive window: packets that may be in flight to the sender of this header (16 bits)
//! 22  backlog of the receiver, reserved: zero (16 bits)
//! 24  epoch of the sender (64 bits)
//! 32  epoch of the receiver as the sender knows it, 0 when it does not (64 bits)
//! 40  options: type, length in bytes with these two, body
//! ```

use crate::bytes::{get_u16, get_u32, get_u64, put_u16, put_u32, put_u64};

/// Version of the format that this code speaks.
pub const VERSION: u8 = 1;
/// Bytes before the options.
pub const FIXED: usize = 40;
/// Words of selective acknowledgement that fit one option.
pub const SACK_WORDS: usize = 4;
/// Bytes of the HELLO option.
pub const HELLO_LEN: usize = 16;
const SACK_HEAD: usize = 4;
/// Bytes of the longest header.
pub const MAX_LEN: usize = FIXED + HELLO_LEN + SACK_HEAD + 8 * SACK_WORDS;

/// Unit of the timestamps, in nanoseconds.
pub const TICK: u64 = 64;

const OPT_HELLO: u8 = 1;
const OPT_SACK: u8 = 2;

/// What a packet is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Carries a message header and payload; takes a PSN.
    Data,
    /// Header only: acknowledges.
    Ack,
    /// Header only: asks for an acknowledgement at once.
    Probe,
    /// The named session is not known here. Epochs are those of the packet that it answers, exchanged.
    Reset,
    /// The endpoint is closing; the acknowledgement is final.
    Bye,
}

/// Bits of the flags byte.
pub mod flag {
    /// `echo` is valid.
    pub const ECHO: u8 = 0x01;
    /// The receiver could not take a packet for lack of memory: wait, then send again.
    pub const NOT_READY: u8 = 0x02;
    /// The sender wants an acknowledgement at once.
    pub const ACK_NOW: u8 = 0x04;
    /// This PSN was sent before.
    pub const AGAIN: u8 = 0x08;
    /// Packets arrived with the congestion mark of IP (RFC 3168); reserved, zero.
    pub const ECN: u8 = 0x10;
}

/// The HELLO option: sent until the peer has shown that it knows our epoch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hello {
    pub min_version: u8,
    pub max_version: u8,
    /// Largest UDP payload that the sender can receive.
    pub max_payload: u16,
    /// Names the host of a sender whose link is memory of that host; 0 for all other links.
    pub host: u64,
}

/// A parsed header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    pub kind: Kind,
    pub flags: u8,
    pub psn: u32,
    pub ack: u32,
    pub time: u32,
    pub echo: u32,
    pub window: u16,
    pub backlog: u16,
    pub src_epoch: u64,
    pub dst_epoch: u64,
    pub hello: Option<Hello>,
    /// Bit i of word w: PSN `ack + 1 + 64 w + i` has been received. All zero: none.
    pub sack: [u64; SACK_WORDS],
}

/// Why a header was not understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Malformed {
    /// Shorter than a header, or than it says that it is.
    Truncated,
    /// A version that this code does not speak.
    Version(u8),
    /// A kind that does not exist.
    Kind(u8),
    /// An option that does not fit the header.
    Option,
}

/// A header ready to be sent.
#[derive(Clone, Copy)]
pub struct HeaderBytes {
    buf: [u8; MAX_LEN],
    len: usize,
}

impl AsRef<[u8]> for HeaderBytes {
    #[inline]
    fn as_ref(&self) -> &[u8] {
        &self.buf[..self.len]
    }
}

impl Header {
    /// Reads a header; the second value is its length: what follows is the message layer's.
    #[inline(always)]
    pub fn parse(b: &[u8]) -> Result<(Header, usize), Malformed> {
        let Some(f) = b.first_chunk::<FIXED>() else { return Err(Malformed::Truncated) };
        if f[0] >> 4 != VERSION {
            return Err(Malformed::Version(f[0] >> 4));
        }
        let kind = match f[0] & 15 {
            0 => Kind::Data,
            1 => Kind::Ack,
            2 => Kind::Probe,
            3 => Kind::Reset,
            4 => Kind::Bye,
            k => return Err(Malformed::Kind(k)),
        };
        let len = get_u16(f, 2) as usize;
        if len < FIXED || len > b.len() {
            return Err(Malformed::Truncated);
        }
        let mut h = Header {
            kind,
            flags: f[1],
            psn: get_u32(f, 4),
            ack: get_u32(f, 8),
            time: get_u32(f, 12),
            echo: get_u32(f, 16),
            window: get_u16(f, 20),
            backlog: get_u16(f, 22),
            src_epoch: get_u64(f, 24),
            dst_epoch: get_u64(f, 32),
            hello: None,
            sack: [0; SACK_WORDS],
        };
        if len > FIXED {
            h.options(&b[FIXED..len])?;
        }
        Ok((h, len))
    }

    #[cold]
    fn options(&mut self, mut o: &[u8]) -> Result<(), Malformed> {
        while let [kind, len, ..] = *o {
            let len = len as usize;
            if len < 2 || len > o.len() {
                return Err(Malformed::Option);
            }
            let (body, rest) = o.split_at(len);
            match kind {
                OPT_HELLO if len == HELLO_LEN => {
                    self.hello = Some(Hello {
                        min_version: body[2],
                        max_version: body[3],
                        max_payload: get_u16(body, 4),
                        host: get_u64(body, 8),
                    });
                }
                OPT_SACK if len > SACK_HEAD && (len - SACK_HEAD) % 8 == 0 => {
                    let words = (len - SACK_HEAD) / 8;
                    if words > SACK_WORDS {
                        return Err(Malformed::Option);
                    }
                    for w in 0..words {
                        self.sack[w] = get_u64(body, SACK_HEAD + 8 * w);
                    }
                }
                OPT_HELLO | OPT_SACK => return Err(Malformed::Option),
                // What a later version adds is skipped.
                _ => {}
            }
            o = rest;
        }
        if o.is_empty() { Ok(()) } else { Err(Malformed::Option) }
    }

    /// True when something was selectively acknowledged.
    #[inline]
    pub fn has_sack(&self) -> bool {
        self.sack != [0; SACK_WORDS]
    }

    /// Bytes that the header will take.
    #[inline]
    pub fn emitted_len(&self) -> usize {
        if self.hello.is_none() && !self.has_sack() { FIXED } else { self.long_len() }
    }

    #[cold]
    fn long_len(&self) -> usize {
        let words = self.sack.iter().rposition(|w| *w != 0).map_or(0, |i| i + 1);
        let sack = if words == 0 { 0 } else { SACK_HEAD + 8 * words };
        FIXED + self.hello.map_or(0, |_| HELLO_LEN) + sack
    }

    /// The header by itself.
    pub fn emit(&self) -> HeaderBytes {
        let mut out = HeaderBytes { buf: [0; MAX_LEN], len: self.emitted_len() };
        self.emit_into(&mut out.buf);
        out
    }

    /// Writes the header to the beginning of `out`, which has room for [`Header::emitted_len`] bytes.
    #[inline]
    pub fn emit_into(&self, out: &mut [u8]) {
        let plain = self.hello.is_none() && !self.has_sack();
        let len = if plain { FIXED } else { self.options_into(out) };
        let Some(b) = out.first_chunk_mut::<FIXED>() else { return };
        let kind = match self.kind {
            Kind::Data => 0,
            Kind::Ack => 1,
            Kind::Probe => 2,
            Kind::Reset => 3,
            Kind::Bye => 4,
        };
        put_u32(b, 0, u32::from(VERSION << 4 | kind) << 24 | u32::from(self.flags) << 16 | len as u32);
        put_u32(b, 4, self.psn);
        put_u32(b, 8, self.ack);
        put_u32(b, 12, self.time);
        put_u32(b, 16, self.echo);
        put_u32(b, 20, u32::from(self.window) << 16 | u32::from(self.backlog));
        put_u64(b, 24, self.src_epoch);
        put_u64(b, 32, self.dst_epoch);
    }

    /// Writes the options, and gives the length of the whole header.
    #[cold]
    fn options_into(&self, b: &mut [u8]) -> usize {
        let mut at = FIXED;
        if let Some(h) = self.hello {
            b[at] = OPT_HELLO;
            b[at + 1] = HELLO_LEN as u8;
            b[at + 2] = h.min_version;
            b[at + 3] = h.max_version;
            put_u16(b, at + 4, h.max_payload);
            put_u16(b, at + 6, 0);
            put_u64(b, at + 8, h.host);
            at += HELLO_LEN;
        }
        if let Some(last) = self.sack.iter().rposition(|w| *w != 0) {
            let len = SACK_HEAD + 8 * (last + 1);
            b[at] = OPT_SACK;
            b[at + 1] = len as u8;
            put_u16(b, at + 2, 0);
            for w in 0..=last {
                put_u64(b, at + SACK_HEAD + 8 * w, self.sack[w]);
            }
            at += len;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Header {
        Header {
            kind: Kind::Data,
            flags: flag::ECHO,
            psn: 0x01020304,
            ack: 0x05060708,
            time: 0x090a0b0c,
            echo: 0x0d0e0f10,
            window: 0x1112,
            backlog: 0,
            src_epoch: 0x1314151617181920,
            dst_epoch: 0x2122232425262728,
            hello: None,
            sack: [0; SACK_WORDS],
        }
    }

    #[test]
    fn the_fixed_part_is_laid_out_as_documented() {
        let b = sample().emit();
        assert_eq!(
            b.as_ref(),
            [
                0x10, 0x01, 0, 40, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 0x11, 0x12, 0, 0,
                0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27,
                0x28
            ]
        );
    }

    #[test]
    fn unknown_options_are_skipped_and_broken_ones_refused() {
        let mut b = sample().emit().as_ref().to_vec();
        b.extend([99, 4, 1, 2]);
        b[3] = 44;
        assert_eq!(Header::parse(&b), Ok((sample(), 44)));
        for bad in [[99, 5, 0, 0], [99, 1, 0, 0], [OPT_HELLO, 4, 0, 0], [OPT_SACK, 4, 0, 0], [7, 3, 0, 0]] {
            b[40..].copy_from_slice(&bad);
            assert_eq!(Header::parse(&b), Err(Malformed::Option));
        }
    }

    #[test]
    fn lengths_are_held_against_the_packet() {
        let b = sample().emit().as_ref().to_vec();
        for n in 0..FIXED {
            assert_eq!(Header::parse(&b[..n]), Err(Malformed::Truncated));
        }
        let mut long = b.clone();
        long[3] = 41;
        assert_eq!(Header::parse(&long), Err(Malformed::Truncated));
        let mut short = b.clone();
        short[3] = 39;
        assert_eq!(Header::parse(&short), Err(Malformed::Truncated));
        let mut version = b;
        version[0] = 0x20;
        assert_eq!(Header::parse(&version), Err(Malformed::Version(2)));
    }

    proptest! {
        #[test]
        fn what_is_emitted_is_parsed(psn: u32, ack: u32, echo: u32, window: u16, epochs: (u64, u64), flags: u8,
            hello in proptest::option::of((any::<u8>(), any::<u8>(), any::<u16>(), any::<u64>())), sack: [u64; SACK_WORDS]) {
            let h = Header {
                psn, ack, echo, window, flags, sack, src_epoch: epochs.0, dst_epoch: epochs.1,
                hello: hello.map(|(min_version, max_version, max_payload, host)| Hello {
                    min_version, max_version, max_payload, host
                }),
                ..sample()
            };
            let b = h.emit();
            prop_assert_eq!(b.as_ref().len(), h.emitted_len());
            prop_assert_eq!(Header::parse(b.as_ref()), Ok((h, b.as_ref().len())));
        }

        #[test]
        fn random_bytes_never_panic(mut b: Vec<u8>, fix: bool) {
            if fix && b.len() >= FIXED {
                b[0] = VERSION << 4;
                b[2] = 0;
            }
            let _ = Header::parse(&b);
        }
    }
}
