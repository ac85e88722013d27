//! The frames of the raw measurement: an Ethernet header, a kind and a number. All else in a frame is whatever the
//! buffer held, since a limit is wanted and not a message.

/// For experiments within a site: IEEE 802 Local Experimental EtherType 1.
const ETHER_TYPE: [u8; 2] = [0x88, 0xb5];
/// Bytes that every frame has: Ethernet header, kind, padding, number.
pub const HEADER: usize = 24;
/// Everyone.
pub const BROADCAST: Mac = [0xff; 6];

/// A link address.
pub type Mac = [u8; 6];

/// What a frame is for. `Stop` and `Stopped` end a run, `Hello` and `Welcome` begin it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    Hello = 1,
    Welcome,
    Ping,
    Pong,
    Data,
    Stop,
    Stopped,
}

impl Kind {
    fn from_byte(byte: u8) -> Option<Kind> {
        use Kind::*;
        [Hello, Welcome, Ping, Pong, Data, Stop, Stopped].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub to: Mac,
    pub from: Mac,
    pub kind: Kind,
    pub number: u64,
}

impl Header {
    /// The bytes at the start of the frame.
    #[inline]
    pub fn bytes(&self) -> [u8; HEADER] {
        let mut out = [0; HEADER];
        out[..6].copy_from_slice(&self.to);
        out[6..12].copy_from_slice(&self.from);
        out[12..14].copy_from_slice(&ETHER_TYPE);
        out[14] = self.kind as u8;
        out[16..].copy_from_slice(&self.number.to_be_bytes());
        out
    }

    /// Reads a header; `None` for frames of others, which share a kernel interface or a switch with ours.
    #[inline]
    pub fn parse(frame: &[u8]) -> Option<Header> {
        let bytes: &[u8; HEADER] = frame.first_chunk()?;
        if bytes[12..14] != ETHER_TYPE {
            return None;
        }
        let (to, rest) = bytes.split_first_chunk()?;
        let (from, _) = rest.split_first_chunk()?;
        let number = u64::from_be_bytes(*bytes.last_chunk()?);
        Some(Header { to: *to, from: *from, kind: Kind::from_byte(bytes[14])?, number })
    }
}

/// True for a `Data` frame: the one question that a receiver asks about each frame of a blast.
#[inline]
pub fn is_data(frame: &[u8]) -> bool {
    frame.len() >= HEADER && frame[12..14] == ETHER_TYPE && frame[14] == Kind::Data as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_come_back_and_other_frames_do_not() {
        for kind in
            [Kind::Hello, Kind::Welcome, Kind::Ping, Kind::Pong, Kind::Data, Kind::Stop, Kind::Stopped]
        {
            let header = Header { to: [1; 6], from: [2; 6], kind, number: 0x0102_0304_0506_0708 };
            let bytes = header.bytes();
            assert_eq!(Header::parse(&bytes), Some(header));
            assert_eq!(is_data(&bytes), kind == Kind::Data);
            assert_eq!(Header::parse(&bytes[..HEADER - 1]), None);
            assert!(!is_data(&bytes[..HEADER - 1]));
            let ip = [&bytes[..12], &[8, 0], &bytes[14..]].concat();
            assert_eq!(Header::parse(&ip), None);
            assert!(!is_data(&ip));
        }
        let mut bytes = Header { to: [1; 6], from: [2; 6], kind: Kind::Ping, number: 0 }.bytes();
        bytes[14] = 0;
        assert_eq!(Header::parse(&bytes), None);
    }
}
