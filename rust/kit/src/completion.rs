//! Where the outcomes of operations go: from a provider's endpoint into the bound completion queues.

use crate::av::Av;
use crate::cq::Cq;
use crate::provider::Token;
use std::net::SocketAddr;

/// A finished operation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Completion {
    pub token: Token,
    /// Bytes received (receives only).
    pub len: usize,
    /// Start of the receive buffer as the application knows it.
    pub buf: usize,
    /// Immediate data, when it came with the message.
    pub data: Option<u64>,
    pub tag: u64,
}

/// Why an operation failed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Failure {
    /// Positive `FI_E*` number.
    pub err: i32,
    /// The provider's own number, which its `fi_cq_strerror` explains; 0 for none.
    pub prov_errno: i32,
    /// Bytes of the message that did not fit (`FI_ETRUNC`).
    pub olen: usize,
}

/// The completion queues of one endpoint during one call.
pub struct Sink<'a> {
    pub(crate) tx: Option<&'a mut Cq>,
    pub(crate) rx: Option<&'a mut Cq>,
    /// The endpoint's transmit and receive queue are the same one: it stands in `tx`.
    pub(crate) shared: bool,
    pub(crate) av: Option<&'a Av>,
}

impl Sink<'_> {
    /// A send is complete: the buffer is the application's again.
    #[inline]
    pub fn sent(&mut self, c: Completion) {
        if c.token.report
            && let Some(cq) = &mut self.tx
        {
            cq.push(&c, abi::FI_ADDR_NOTAVAIL);
        }
    }

    /// A send failed.
    #[cold]
    pub fn send_failed(&mut self, c: Completion, failure: Failure) {
        if let Some(cq) = &mut self.tx {
            cq.push_error(&c, failure, abi::FI_ADDR_NOTAVAIL);
        }
    }

    /// A message arrived whole. `from` is looked up in the endpoint's address vector.
    #[inline]
    pub fn received(&mut self, c: Completion, from: Option<SocketAddr>) {
        if c.token.report {
            let src = self.source(from);
            if let Some(cq) = self.rx_queue() {
                cq.push(&c, src);
            }
        }
    }

    /// A receive failed, was cut short (`FI_ETRUNC`) or was cancelled.
    #[cold]
    pub fn receive_failed(&mut self, c: Completion, failure: Failure, from: Option<SocketAddr>) {
        let src = self.source(from);
        if let Some(cq) = self.rx_queue() {
            cq.push_error(&c, failure, src);
        }
    }

    fn rx_queue(&mut self) -> Option<&mut Cq> {
        if self.shared { self.tx.as_deref_mut() } else { self.rx.as_deref_mut() }
    }

    fn source(&self, from: Option<SocketAddr>) -> abi::fi_addr_t {
        match (self.av, from) {
            (Some(av), Some(a)) => av.find(&a).unwrap_or(abi::FI_ADDR_NOTAVAIL),
            _ => abi::FI_ADDR_NOTAVAIL,
        }
    }
}
