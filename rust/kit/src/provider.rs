//! What a provider implements. All of it is safe Rust; the C objects around it are the kit's.
//!
//! A domain's objects are called one at a time (the kit holds the domain's lock), so implementations are plain
//! `&mut self` state machines without locks of their own for what belongs to one domain.

use crate::completion::Sink;
use crate::iov::UserIov;
use crate::offer::Offer;
use crate::query::Query;
use crate::{Error, Result};
use std::ffi::CStr;
use std::net::SocketAddr;
use std::os::fd::RawFd;
use std::time::Duration;

/// A provider: the source of infos and domains.
pub trait Provider: Send + Sync + Sized + 'static {
    /// Name in `fi_info`, in `FI_PROVIDER` and in the parameters' names.
    const NAME: &'static CStr;
    /// Version of the provider itself, as `FI_VERSION` packs it.
    const VERSION: u32;
    type Domain: Domain;

    /// The one instance; made at first use (`OnceLock` inside).
    fn instance() -> &'static Self;

    /// Everything that can be had for this query, best first; the kit holds it against the hints. Opens no device.
    /// Errors: `FI_ENODATA` where nothing is configured or nothing reaches the destination; `FI_EINVAL` for a
    /// configuration that cannot be read.
    fn offers(&self, query: &Query) -> Result<Vec<Offer>>;

    /// Opens the resources behind a domain. Errors: `FI_ENODEV` unknown device, `FI_EBUSY` in use, ...
    fn open_domain(&self, request: &DomainRequest) -> Result<Self::Domain>;
}

/// What `fi_domain` was asked for.
#[derive(Debug, Clone)]
pub struct DomainRequest {
    /// Domain name from the info, as the offer named it.
    pub name: String,
    /// Fabric name from the info.
    pub fabric: String,
    /// Source address from the info.
    pub src: Option<SocketAddr>,
    pub threading: abi::fi_threading,
    /// API version that the application asked the fabric for.
    pub api_version: u32,
}

/// An open domain of a provider.
pub trait Domain: Send {
    type Endpoint: Endpoint;

    /// Makes an endpoint; no resources that others see (such as its address) are taken before
    /// [`Endpoint::enable`], except an address that the request names, which may be claimed here.
    fn open_endpoint(&mut self, request: &EndpointRequest) -> Result<Self::Endpoint>;

    /// The application registered memory: the provider may prepare it for direct access by the device.
    fn memory_registered(&mut self, _key: u64, _memory: &UserIov) {}
    /// The registration ends; the device must not touch the memory any more when this returns.
    fn memory_closed(&mut self, _key: u64) {}
}

/// What `fi_endpoint` was asked for: the negotiated info.
#[derive(Debug, Clone)]
pub struct EndpointRequest {
    pub ep_type: abi::fi_ep_type,
    pub caps: u64,
    /// Where to be reachable. Port 0, or none: the provider picks.
    pub src: Option<SocketAddr>,
    pub dest: Option<SocketAddr>,
    /// Operations that may be outstanding.
    pub tx_size: usize,
    pub rx_size: usize,
    pub tx_op_flags: u64,
    pub rx_op_flags: u64,
    pub msg_order: u64,
    pub inject_size: usize,
}

/// The caller's operation context: given back in the completion, never looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Context(pub usize);

/// Untagged or tagged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Msg,
    Tagged { tag: u64 },
}

/// A send in any of its forms.
pub struct SendOp {
    pub kind: Kind,
    pub buf: UserIov,
    pub dest: SocketAddr,
    /// Immediate data (`FI_REMOTE_CQ_DATA`).
    pub data: Option<u64>,
    /// The buffer is the application's again when the call returns: copy it. `buf.len()` is at most the offer's
    /// `inject_size`.
    pub inject: bool,
    /// Complete only when the message is in the peer application's buffer (`FI_DELIVERY_COMPLETE`). Asked for only where
    /// [`Endpoint::delivery_complete`] is true.
    pub delivered: bool,
    /// More operations follow at once (`FI_MORE`): the doorbell may wait for them.
    pub more: bool,
    pub token: Token,
}

/// A receive.
pub struct RecvOp {
    pub kind: RecvKind,
    pub act: RecvAct,
    pub buf: UserIov,
    /// Only from this peer (`FI_DIRECTED_RECV`).
    pub from: Option<SocketAddr>,
    pub token: Token,
}

/// What a receive does (flags of fi_trecvmsg, see fi_tagged(3)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecvAct {
    /// Takes the first message that matches, now or later.
    Post,
    /// Tells at once about a message that waits, or completes with `FI_ENOMSG` (FI_PEEK).
    Peek,
    /// The same, and sets the message aside for a [`RecvAct::TakeClaimed`] or [`RecvAct::DiscardClaimed`] with the same
    /// context (FI_PEEK | FI_CLAIM).
    PeekAndClaim,
    /// The same, and throws the message away (FI_PEEK | FI_DISCARD).
    PeekAndDiscard,
    /// Receives the message that was set aside (FI_CLAIM).
    TakeClaimed,
    /// Throws it away (FI_CLAIM | FI_DISCARD).
    DiscardClaimed,
}

/// What a receive matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecvKind {
    Msg,
    Tagged { tag: u64, ignore: u64 },
}

/// Belongs to an operation and comes back in its completion.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Token {
    pub context: Context,
    /// False: success is not reported (selective completion, inject); failure always is.
    pub report: bool,
    /// `FI_SEND | FI_MSG` and the like, for the completion's `flags`.
    pub flags: u64,
}

/// An endpoint of a provider.
pub trait Endpoint: Send {
    /// Takes the address and starts to receive. Errors: `FI_EADDRINUSE`, ...
    fn enable(&mut self) -> Result<()>;

    /// The endpoint's address (`fi_getname`); before `enable` the best known.
    fn local_addr(&self) -> Option<SocketAddr>;

    /// Chooses the address before `enable` (`fi_setname`).
    fn set_local_addr(&mut self, _addr: SocketAddr) -> Result<()> {
        Err(Error::NOSYS)
    }

    /// True when sends can complete on delivery.
    fn delivery_complete(&self) -> bool {
        false
    }

    /// Starts a send. `FI_EAGAIN`: no resources now, nothing was taken, call again after progress.
    /// The operation's outcome goes to the sink, now or in a later [`Endpoint::progress`].
    fn send(&mut self, op: SendOp, sink: &mut Sink<'_>) -> Result<()>;

    /// Posts a receive, or does what its act says. `FI_EAGAIN`: the queue is full; `FI_ENOSYS`: an act that is not offered;
    /// `FI_EINVAL`: nothing was claimed with this context.
    fn recv(&mut self, op: RecvOp, sink: &mut Sink<'_>) -> Result<()>;

    /// Cancels a posted operation with this context; its `FI_ECANCELED` goes to the sink. `FI_ENOENT`: none such.
    fn cancel(&mut self, context: Context, sink: &mut Sink<'_>) -> Result<()>;

    /// Receives, sends and times: everything that is due, without blocking.
    fn progress(&mut self, sink: &mut Sink<'_>);

    /// Readable when `progress` has something to do. None: only polling tells.
    fn wait_fd(&self) -> Option<RawFd> {
        None
    }

    /// How long a waiter may sleep at most before calling `progress`, where [`Endpoint::wait_fd`] gives a descriptor.
    fn wait_limit(&self) -> Option<Duration> {
        None
    }

    /// The endpoint is about to close: stop accepting, start to drain what was accepted for sending.
    fn begin_close(&mut self) {}

    /// True when nothing accepted is waiting to be sent or acknowledged. The kit drives progress until then, or until
    /// [`Endpoint::linger`] has passed.
    fn is_drained(&self) -> bool {
        true
    }

    /// How long a close may wait for draining.
    fn linger(&self) -> Duration {
        Duration::ZERO
    }
}
