//! What delivery tells the upper layer.

use crate::SessionId;

/// Why a session ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionError {
    /// Nothing was heard of the peer for the configured time.
    TimedOut,
    /// The peer does not know the session: it was restarted, or gave it up.
    Reset,
    /// The peer began anew at the same address.
    PeerRestarted,
    /// The peer closed its endpoint.
    PeerClosed,
    /// The upper layer gave the peer up, e.g. because its link address is not found.
    GivenUp,
}

/// In the order in which it happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event<T> {
    /// The peer opened the session.
    Opened {
        session: SessionId,
    },
    /// The session ended; `Unsent` for everything that was not acknowledged and `Closed` follow.
    Failed {
        session: SessionId,
        error: SessionError,
    },
    Unsent {
        session: SessionId,
        token: T,
    },
    /// The identifier may be used for another session from now on.
    Closed {
        session: SessionId,
    },
}
