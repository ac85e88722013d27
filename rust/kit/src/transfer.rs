//! Message and tagged-message calls: arguments are checked once and become a [`SendOp`] or [`RecvOp`].

use crate::domain::State;
use crate::ep::EpObj;
use crate::ffi::guard;
use crate::iov::UserIov;
use crate::provider::{Context, Endpoint, Kind, Provider, RecvAct, RecvKind, RecvOp, SendOp, Token};
use crate::{Error, Result};
use libc::{c_void, iovec};
use std::net::SocketAddr;
use std::sync::atomic::Ordering;

/// Flags that may be an endpoint's default (`op_flags`).
pub(crate) const DEFAULT_FLAGS: u64 = abi::FI_COMPLETION
    | abi::FI_INJECT
    | abi::FI_INJECT_COMPLETE
    | abi::FI_TRANSMIT_COMPLETE
    | abi::FI_DELIVERY_COMPLETE
    | abi::FI_MORE;
/// Flags of one `fi_sendmsg` or `fi_tsendmsg`.
const SEND_FLAGS: u64 = DEFAULT_FLAGS | abi::FI_REMOTE_CQ_DATA;
/// Flags of one `fi_recvmsg` or `fi_trecvmsg`.
const RECV_FLAGS: u64 = abi::FI_COMPLETION | abi::FI_MORE;
/// Flags of one `fi_trecvmsg` beside these.
const LOOK_FLAGS: u64 = abi::FI_PEEK | abi::FI_CLAIM | abi::FI_DISCARD;

/// The arguments that all sends share.
struct Send {
    dest: abi::fi_addr_t,
    data: Option<u64>,
    /// Flags of this call: the endpoint's defaults, or those of a `…msg` call.
    flags: u64,
    context: *mut c_void,
    /// `fi_inject` and its kind: the buffer is copied and success is not reported.
    injected: bool,
}

impl<P: Provider> EpObj<P> {
    #[inline]
    fn ready(&self) -> Result<()> {
        if self.enabled.load(Ordering::Acquire) { Ok(()) } else { Err(Error::OPBADSTATE) }
    }

    #[inline]
    fn peer(&self, st: &State<P>, addr: abi::fi_addr_t) -> Result<SocketAddr> {
        let av = st.eps[self.key].av.and_then(|a| st.avs.get(a));
        av.and_then(|a| a.get(addr)).ok_or(Error::INVAL)
    }

    #[inline]
    fn send(&self, kind: Kind, buf: UserIov, s: Send) -> Result<isize> {
        self.ready()?;
        let (cap, tagged) = match kind {
            Kind::Msg => (abi::FI_MSG, abi::FI_MSG),
            Kind::Tagged { .. } => (abi::FI_TAGGED, abi::FI_TAGGED),
        };
        if self.caps & cap == 0 || self.caps & abi::FI_SEND == 0 {
            return Err(Error::NOSYS);
        }
        if s.flags & abi::FI_DELIVERY_COMPLETE != 0 && !self.delivery_complete {
            return Err(Error::BADFLAGS);
        }
        let inject = s.injected || s.flags & abi::FI_INJECT != 0;
        if buf.len() > if inject { self.inject_size } else { self.max_msg_size } {
            return Err(Error::MSGSIZE);
        }
        let report =
            !s.injected && (!self.tx_selective.load(Ordering::Relaxed) || s.flags & abi::FI_COMPLETION != 0);
        let mut st = self.shared.state.lock();
        let op = SendOp {
            kind,
            buf,
            dest: self.peer(&st, s.dest)?,
            data: s.data,
            inject,
            delivered: s.flags & abi::FI_DELIVERY_COMPLETE != 0,
            more: s.flags & abi::FI_MORE != 0,
            token: Token { context: Context(s.context as usize), report, flags: abi::FI_SEND | tagged },
        };
        st.with_ep(self.key, |e, sink| e.send(op, sink)).map(|()| 0)
    }

    #[inline]
    fn recv(
        &self,
        kind: RecvKind,
        buf: UserIov,
        from: abi::fi_addr_t,
        flags: u64,
        context: *mut c_void,
    ) -> Result<isize> {
        self.ready()?;
        let cap = match kind {
            RecvKind::Msg => abi::FI_MSG,
            RecvKind::Tagged { .. } => abi::FI_TAGGED,
        };
        if self.caps & cap == 0 || self.caps & abi::FI_RECV == 0 {
            return Err(Error::NOSYS);
        }
        let report = !self.rx_selective.load(Ordering::Relaxed) || flags & abi::FI_COMPLETION != 0;
        let mut st = self.shared.state.lock();
        // Without FI_DIRECTED_RECV the source address is not looked at (fi_msg(3)).
        let from = if self.caps & abi::FI_DIRECTED_RECV == 0 || from == abi::FI_ADDR_UNSPEC {
            None
        } else {
            Some(self.peer(&st, from)?)
        };
        let token = Token { context: Context(context as usize), report, flags: abi::FI_RECV | cap };
        let op = RecvOp { kind, act: act(flags)?, buf, from, token };
        st.with_ep(self.key, |e, sink| e.recv(op, sink)).map(|()| 0)
    }

    fn tx_flags(&self) -> u64 {
        self.tx_op_flags.load(Ordering::Relaxed) as u64
    }

    fn rx_flags(&self) -> u64 {
        self.rx_op_flags.load(Ordering::Relaxed) as u64
    }

    pub(crate) const MSG: abi::fi_ops_msg = abi::fi_ops_msg {
        size: size_of::<abi::fi_ops_msg>(),
        recv: Some(recv::<P>),
        recvv: Some(recvv::<P>),
        recvmsg: Some(recvmsg::<P>),
        send: Some(send::<P>),
        sendv: Some(sendv::<P>),
        sendmsg: Some(sendmsg::<P>),
        inject: Some(inject::<P>),
        senddata: Some(senddata::<P>),
        injectdata: Some(injectdata::<P>),
    };

    pub(crate) const TAGGED: abi::fi_ops_tagged = abi::fi_ops_tagged {
        size: size_of::<abi::fi_ops_tagged>(),
        recv: Some(trecv::<P>),
        recvv: Some(trecvv::<P>),
        recvmsg: Some(trecvmsg::<P>),
        send: Some(tsend::<P>),
        sendv: Some(tsendv::<P>),
        sendmsg: Some(tsendmsg::<P>),
        inject: Some(tinject::<P>),
        senddata: Some(tsenddata::<P>),
        injectdata: Some(tinjectdata::<P>),
    };
}

/// One buffer of the caller. NULL with a length is refused.
///
/// # Safety
/// As [`UserIov::one`], which the API's contract for posted buffers gives.
#[inline]
unsafe fn one(buf: *const c_void, len: usize) -> Result<UserIov> {
    if (buf.is_null() && len != 0) || len > isize::MAX as usize {
        return Err(Error::INVAL);
    }
    // SAFETY: by contract.
    Ok(unsafe { UserIov::one(buf, len) })
}

/// The endpoint behind its C object.
///
/// # Safety
/// An open endpoint of this provider.
#[inline]
unsafe fn obj<'a, P: Provider>(ep: *mut abi::fid_ep) -> &'a EpObj<P> {
    // SAFETY: by contract.
    unsafe { &*(ep as *mut EpObj<P>) }
}

/// What the flags of a receive ask for.
#[inline]
fn act(flags: u64) -> Result<RecvAct> {
    if flags & LOOK_FLAGS == 0 { Ok(RecvAct::Post) } else { act_of_look(flags & LOOK_FLAGS) }
}

#[cold]
fn act_of_look(flags: u64) -> Result<RecvAct> {
    use abi::{FI_CLAIM, FI_DISCARD, FI_PEEK};
    const CLAIM: u64 = FI_PEEK | FI_CLAIM;
    const DISCARD: u64 = FI_PEEK | FI_DISCARD;
    const DROP: u64 = FI_CLAIM | FI_DISCARD;
    match flags {
        FI_PEEK => Ok(RecvAct::Peek),
        CLAIM => Ok(RecvAct::PeekAndClaim),
        DISCARD => Ok(RecvAct::PeekAndDiscard),
        FI_CLAIM => Ok(RecvAct::TakeClaimed),
        DROP => Ok(RecvAct::DiscardClaimed),
        _ => Err(Error::BADFLAGS),
    }
}

fn checked(flags: u64, allowed: u64) -> Result<u64> {
    if flags & !allowed == 0 { Ok(flags) } else { Err(Error::BADFLAGS) }
}

// In all entry points below: the endpoint is open, and buffers, iovs and messages are as the API's contract says; posted
// memory stays the operation's until its completion. That is the safety argument of each unsafe block.

unsafe extern "C" fn recv<P: Provider>(
    ep: *mut abi::fid_ep,
    buf: *mut c_void,
    len: usize,
    _desc: *mut c_void,
    src: abi::fi_addr_t,
    context: *mut c_void,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), one(buf, len)?) };
        ep.recv(RecvKind::Msg, buf, src, ep.rx_flags(), context)
    })
}

unsafe extern "C" fn recvv<P: Provider>(
    ep: *mut abi::fid_ep,
    iov: *const iovec,
    _desc: *mut *mut c_void,
    count: usize,
    src: abi::fi_addr_t,
    context: *mut c_void,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), UserIov::many(iov, count)?) };
        ep.recv(RecvKind::Msg, buf, src, ep.rx_flags(), context)
    })
}

unsafe extern "C" fn recvmsg<P: Provider>(
    ep: *mut abi::fid_ep,
    msg: *const abi::fi_msg,
    flags: u64,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, m, buf) = unsafe { (obj::<P>(ep), &*msg, UserIov::many((*msg).msg_iov, (*msg).iov_count)?) };
        ep.recv(RecvKind::Msg, buf, m.addr, checked(flags, RECV_FLAGS)?, m.context)
    })
}

unsafe extern "C" fn send<P: Provider>(
    ep: *mut abi::fid_ep,
    buf: *const c_void,
    len: usize,
    _desc: *mut c_void,
    dest: abi::fi_addr_t,
    context: *mut c_void,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), one(buf, len)?) };
        ep.send(Kind::Msg, buf, Send { dest, data: None, flags: ep.tx_flags(), context, injected: false })
    })
}

unsafe extern "C" fn sendv<P: Provider>(
    ep: *mut abi::fid_ep,
    iov: *const iovec,
    _desc: *mut *mut c_void,
    count: usize,
    dest: abi::fi_addr_t,
    context: *mut c_void,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), UserIov::many(iov, count)?) };
        ep.send(Kind::Msg, buf, Send { dest, data: None, flags: ep.tx_flags(), context, injected: false })
    })
}

unsafe extern "C" fn sendmsg<P: Provider>(
    ep: *mut abi::fid_ep,
    msg: *const abi::fi_msg,
    flags: u64,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, m, buf) = unsafe { (obj::<P>(ep), &*msg, UserIov::many((*msg).msg_iov, (*msg).iov_count)?) };
        let flags = checked(flags, SEND_FLAGS)?;
        let data = (flags & abi::FI_REMOTE_CQ_DATA != 0).then_some(m.data);
        ep.send(Kind::Msg, buf, Send { dest: m.addr, data, flags, context: m.context, injected: false })
    })
}

unsafe extern "C" fn inject<P: Provider>(
    ep: *mut abi::fid_ep,
    buf: *const c_void,
    len: usize,
    dest: abi::fi_addr_t,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), one(buf, len)?) };
        ep.send(Kind::Msg, buf, injected(dest, None))
    })
}

fn injected(dest: abi::fi_addr_t, data: Option<u64>) -> Send {
    Send { dest, data, flags: 0, context: std::ptr::null_mut(), injected: true }
}

unsafe extern "C" fn senddata<P: Provider>(
    ep: *mut abi::fid_ep,
    buf: *const c_void,
    len: usize,
    _desc: *mut c_void,
    data: u64,
    dest: abi::fi_addr_t,
    context: *mut c_void,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), one(buf, len)?) };
        ep.send(
            Kind::Msg,
            buf,
            Send { dest, data: Some(data), flags: ep.tx_flags(), context, injected: false },
        )
    })
}

unsafe extern "C" fn injectdata<P: Provider>(
    ep: *mut abi::fid_ep,
    buf: *const c_void,
    len: usize,
    data: u64,
    dest: abi::fi_addr_t,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), one(buf, len)?) };
        ep.send(Kind::Msg, buf, injected(dest, Some(data)))
    })
}

unsafe extern "C" fn trecv<P: Provider>(
    ep: *mut abi::fid_ep,
    buf: *mut c_void,
    len: usize,
    _desc: *mut c_void,
    src: abi::fi_addr_t,
    tag: u64,
    ignore: u64,
    context: *mut c_void,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), one(buf, len)?) };
        ep.recv(RecvKind::Tagged { tag, ignore }, buf, src, ep.rx_flags(), context)
    })
}

unsafe extern "C" fn trecvv<P: Provider>(
    ep: *mut abi::fid_ep,
    iov: *const iovec,
    _desc: *mut *mut c_void,
    count: usize,
    src: abi::fi_addr_t,
    tag: u64,
    ignore: u64,
    context: *mut c_void,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), UserIov::many(iov, count)?) };
        ep.recv(RecvKind::Tagged { tag, ignore }, buf, src, ep.rx_flags(), context)
    })
}

unsafe extern "C" fn trecvmsg<P: Provider>(
    ep: *mut abi::fid_ep,
    msg: *const abi::fi_msg_tagged,
    flags: u64,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, m, buf) = unsafe { (obj::<P>(ep), &*msg, UserIov::many((*msg).msg_iov, (*msg).iov_count)?) };
        let kind = RecvKind::Tagged { tag: m.tag, ignore: m.ignore };
        ep.recv(kind, buf, m.addr, checked(flags, RECV_FLAGS | LOOK_FLAGS)?, m.context)
    })
}

unsafe extern "C" fn tsend<P: Provider>(
    ep: *mut abi::fid_ep,
    buf: *const c_void,
    len: usize,
    _desc: *mut c_void,
    dest: abi::fi_addr_t,
    tag: u64,
    context: *mut c_void,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), one(buf, len)?) };
        let s = Send { dest, data: None, flags: ep.tx_flags(), context, injected: false };
        ep.send(Kind::Tagged { tag }, buf, s)
    })
}

unsafe extern "C" fn tsendv<P: Provider>(
    ep: *mut abi::fid_ep,
    iov: *const iovec,
    _desc: *mut *mut c_void,
    count: usize,
    dest: abi::fi_addr_t,
    tag: u64,
    context: *mut c_void,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), UserIov::many(iov, count)?) };
        let s = Send { dest, data: None, flags: ep.tx_flags(), context, injected: false };
        ep.send(Kind::Tagged { tag }, buf, s)
    })
}

unsafe extern "C" fn tsendmsg<P: Provider>(
    ep: *mut abi::fid_ep,
    msg: *const abi::fi_msg_tagged,
    flags: u64,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, m, buf) = unsafe { (obj::<P>(ep), &*msg, UserIov::many((*msg).msg_iov, (*msg).iov_count)?) };
        let flags = checked(flags, SEND_FLAGS)?;
        let data = (flags & abi::FI_REMOTE_CQ_DATA != 0).then_some(m.data);
        let s = Send { dest: m.addr, data, flags, context: m.context, injected: false };
        ep.send(Kind::Tagged { tag: m.tag }, buf, s)
    })
}

unsafe extern "C" fn tinject<P: Provider>(
    ep: *mut abi::fid_ep,
    buf: *const c_void,
    len: usize,
    dest: abi::fi_addr_t,
    tag: u64,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), one(buf, len)?) };
        ep.send(Kind::Tagged { tag }, buf, injected(dest, None))
    })
}

unsafe extern "C" fn tsenddata<P: Provider>(
    ep: *mut abi::fid_ep,
    buf: *const c_void,
    len: usize,
    _desc: *mut c_void,
    data: u64,
    dest: abi::fi_addr_t,
    tag: u64,
    context: *mut c_void,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), one(buf, len)?) };
        let s = Send { dest, data: Some(data), flags: ep.tx_flags(), context, injected: false };
        ep.send(Kind::Tagged { tag }, buf, s)
    })
}

unsafe extern "C" fn tinjectdata<P: Provider>(
    ep: *mut abi::fid_ep,
    buf: *const c_void,
    len: usize,
    data: u64,
    dest: abi::fi_addr_t,
    tag: u64,
) -> isize {
    guard(|| {
        // SAFETY: API contract.
        let (ep, buf) = unsafe { (obj::<P>(ep), one(buf, len)?) };
        ep.send(Kind::Tagged { tag }, buf, injected(dest, Some(data)))
    })
}
