//! Outcomes of operations, from when a round of the port finds them until the application's thread reports them.

#![forbid(unsafe_code)]

use kit::{Completion, Failure, Sink};
use std::net::SocketAddr;

/// One finished operation.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    Sent(Completion),
    SendFailed(Completion, Failure),
    Received(Completion, SocketAddr),
    ReceiveFailed(Completion, Failure, Option<SocketAddr>),
}

impl Outcome {
    /// Hands it to the completion queues.
    #[inline(always)]
    pub fn report(self, sink: &mut Sink<'_>) {
        match self {
            Outcome::Sent(c) => sink.sent(c),
            Outcome::SendFailed(c, failure) => sink.send_failed(c, failure),
            Outcome::Received(c, from) => sink.received(c, Some(from)),
            Outcome::ReceiveFailed(c, failure, from) => sink.receive_failed(c, failure, from),
        }
    }
}

/// A failure by a `FI_E*` number, which is the provider's own too: programs print what `fi_cq_strerror` makes of that.
pub fn failure(err: i32) -> Failure {
    Failure { err, prov_errno: err, olen: 0 }
}
