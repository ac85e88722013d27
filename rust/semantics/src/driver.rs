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

/// The part of a packet behind its headers.
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

    /// Takes one packet, whose UDP payload is `delivery`, `message` and `body` one after the other. Without a session it
    /// is an answer to a stranger, which may be dropped.
    fn emit(
        &mut self,
        session: Option<SessionId>,
        to: SocketAddr,
        delivery: &[u8],
        message: &[u8],
        body: Body<'_, S>,
    );
}
