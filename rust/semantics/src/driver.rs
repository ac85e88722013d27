//! What drives an endpoint gives it: a way to send packets.

use delivery::SessionId;
use std::net::SocketAddr;

/// May a packet be given to a peer now?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ready {
    Yes,
    /// No room in the device's queue: stop sending for now.
    Full,
    /// The way to this peer is not known yet; the session is left alone until [`crate::Endpoint::unblock`] or
    /// [`crate::Endpoint::fail_peer`].
    Blocked,
}

/// The part of a packet behind what the endpoint writes itself.
pub enum Body<'a, S> {
    None,
    /// Bytes that belong to the endpoint; copy them.
    Bytes(&'a [u8]),
    /// A piece of the application's buffer. A first transmission may be sent from where it is: the buffer stays valid
    /// until the packet is acknowledged, which is after it has left. One that is repeated must be copied, since its
    /// acknowledgement may be for an earlier copy.
    Buffer {
        buf: &'a S,
        offset: usize,
        len: usize,
        first: bool,
    },
}

impl<S> Body<'_, S> {
    /// Bytes of the body.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Body::None => 0,
            Body::Bytes(b) => b.len(),
            Body::Buffer { len, .. } => *len,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Sends packets for an endpoint.
pub trait Driver<S> {
    /// Asked before each packet of a session.
    fn ready(&mut self, session: SessionId, to: SocketAddr) -> Ready;

    /// Takes one packet. Its UDP payload begins with `head` bytes, which `write` writes (all of them, straight to where they
    /// leave from); `body` follows. Without a session it is an answer to a stranger, which may be dropped. With `in_memory` it
    /// does not leave this host's memory, and needs no checksum.
    fn emit(
        &mut self,
        session: Option<SessionId>,
        to: SocketAddr,
        head: usize,
        write: impl FnOnce(&mut [u8]),
        body: Body<'_, S>,
        in_memory: bool,
    );
}
