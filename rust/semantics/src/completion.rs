//! Outcomes.

use std::net::SocketAddr;

/// The outcome of one operation. Each operation that was taken has exactly one. Receives give their buffer back.
#[derive(Debug)]
pub enum Completion<R, C> {
    /// The message is with the peer's endpoint; the buffer is the caller's again.
    Sent {
        context: C,
    },
    /// `err` is a positive `FI_E*`: `FI_ETIMEDOUT` no sign of life, `FI_ECONNRESET` restarted or closed,
    /// `FI_EHOSTUNREACH` and others as the driver said.
    SendFailed {
        context: C,
        err: i32,
    },
    Received {
        context: C,
        buf: R,
        len: usize,
        tag: Option<u64>,
        data: Option<u64>,
        from: SocketAddr,
    },
    /// `FI_ETRUNC`: `len` bytes are in the buffer, `olen` more did not fit. `FI_ECANCELED`: cancelled. Otherwise as for
    /// sends.
    RecvFailed {
        context: C,
        buf: R,
        err: i32,
        len: usize,
        olen: usize,
        tag: Option<u64>,
        data: Option<u64>,
        from: Option<SocketAddr>,
    },
}
