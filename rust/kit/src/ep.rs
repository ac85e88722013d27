//! The C object of an endpoint: bindings, enabling, names, options, cancelling and the orderly end.
//! Data transfer is in `transfer`.

use crate::domain::{self, EpSlot, Shared};
use crate::ffi::{self, Ret, guard, nosys};
use crate::negotiate::with_directions;
use crate::provider::{Context, Domain, Endpoint, EndpointRequest, Provider};
use crate::{Error, Result, addr, av_obj, cq_obj, eq, transfer};
use libc::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// An open endpoint. Members that data transfer reads are set before `fi_enable` and constant from then on.
#[repr(C)]
pub(crate) struct EpObj<P: Provider> {
    fid: abi::fid_ep,
    pub(crate) shared: Arc<Shared<P>>,
    pub(crate) key: usize,
    pub(crate) enabled: AtomicBool,
    pub(crate) caps: u64,
    pub(crate) tx_op_flags: AtomicUsize,
    pub(crate) rx_op_flags: AtomicUsize,
    /// Completions only where `FI_COMPLETION` is asked for.
    pub(crate) tx_selective: AtomicBool,
    pub(crate) rx_selective: AtomicBool,
    pub(crate) inject_size: usize,
    pub(crate) delivery_complete: bool,
    pub(crate) max_msg_size: usize,
    addr_format: u32,
    tx_size: usize,
    rx_size: usize,
    eq: Option<Arc<eq::Eq>>,
}

impl<P: Provider> EpObj<P> {
    const FI_OPS: abi::fi_ops = abi::fi_ops {
        size: size_of::<abi::fi_ops>(),
        close: Some(close::<P>),
        bind: Some(bind::<P>),
        control: Some(control::<P>),
        ops_open: nosys!(5),
        tostr: None,
        ops_set: nosys!(5),
    };
    const OPS: abi::fi_ops_ep = abi::fi_ops_ep {
        size: size_of::<abi::fi_ops_ep>(),
        cancel: Some(cancel::<P>),
        getopt: Some(getopt::<P>),
        setopt: Some(setopt),
        tx_ctx: nosys!(5),
        rx_ctx: nosys!(5),
        rx_size_left: nosys!(1),
        tx_size_left: nosys!(1),
    };
    const CM: abi::fi_ops_cm = abi::fi_ops_cm {
        size: size_of::<abi::fi_ops_cm>(),
        setname: Some(setname::<P>),
        getname: Some(getname::<P>),
        getpeer: nosys!(3),
        connect: nosys!(4),
        listen: nosys!(1),
        accept: nosys!(3),
        reject: nosys!(4),
        shutdown: nosys!(2),
        join: nosys!(5),
    };
    const RMA: abi::fi_ops_rma = abi::fi_ops_rma {
        size: size_of::<abi::fi_ops_rma>(),
        read: nosys!(8),
        readv: nosys!(8),
        readmsg: nosys!(3),
        write: nosys!(8),
        writev: nosys!(8),
        writemsg: nosys!(3),
        inject: nosys!(6),
        writedata: nosys!(9),
        injectdata: nosys!(7),
    };
    const ATOMIC: abi::fi_ops_atomic = abi::fi_ops_atomic {
        size: size_of::<abi::fi_ops_atomic>(),
        write: nosys!(10),
        writev: nosys!(10),
        writemsg: nosys!(3),
        inject: nosys!(8),
        readwrite: nosys!(12),
        readwritev: nosys!(13),
        readwritemsg: nosys!(6),
        compwrite: nosys!(14),
        compwritev: nosys!(16),
        compwritemsg: nosys!(9),
        writevalid: nosys!(4),
        readwritevalid: nosys!(4),
        compwritevalid: nosys!(4),
    };
    const COLLECTIVE: abi::fi_ops_collective = abi::fi_ops_collective {
        size: size_of::<abi::fi_ops_collective>(),
        barrier: nosys!(3),
        broadcast: nosys!(9),
        alltoall: nosys!(10),
        allreduce: nosys!(11),
        allgather: nosys!(10),
        reduce_scatter: nosys!(11),
        reduce: nosys!(12),
        scatter: nosys!(11),
        gather: nosys!(11),
        msg: nosys!(6),
        barrier2: nosys!(4),
    };
}

pub(crate) unsafe extern "C" fn open<P: Provider>(
    domain: *mut abi::fid_domain,
    info: *mut abi::fi_info,
    out: *mut *mut abi::fid_ep,
    context: *mut c_void,
) -> c_int {
    guard(|| {
        // SAFETY: an open domain and a valid info by the API's contract; attribute pointers are NULL or valid.
        let (shared, info) = unsafe { (domain::shared::<P>(domain), info.as_ref()) };
        let info = info.ok_or(Error::INVAL)?;
        // SAFETY: as above.
        let (tx, rx, e) = unsafe { (info.tx_attr.as_ref(), info.rx_attr.as_ref(), info.ep_attr.as_ref()) };
        let e = e.ok_or(Error::INVAL)?;
        let request = EndpointRequest {
            ep_type: e.r#type,
            caps: with_directions(info.caps),
            // SAFETY: addresses and lengths belong together.
            src: unsafe { addr::from_raw(info.src_addr, info.src_addrlen, info.addr_format) }?,
            // SAFETY: as above.
            dest: unsafe { addr::from_raw(info.dest_addr, info.dest_addrlen, info.addr_format) }?,
            tx_size: tx.map_or(0, |a| a.size),
            rx_size: rx.map_or(0, |a| a.size),
            tx_op_flags: tx.map_or(0, |a| a.op_flags),
            rx_op_flags: rx.map_or(0, |a| a.op_flags),
            msg_order: tx.map_or(0, |a| a.msg_order),
            inject_size: tx.map_or(0, |a| a.inject_size),
        };
        let (key, delivery_complete) = {
            let mut st = shared.state.lock();
            let ep = st.provider.open_endpoint(&request)?;
            let delivery_complete = ep.delivery_complete();
            let key = st.eps.insert(EpSlot { ep, tx_cq: None, rx_cq: None, av: None });
            (key, delivery_complete)
        };
        shared.refs.fetch_add(1, Ordering::Relaxed);
        let obj = Box::new(EpObj::<P> {
            fid: abi::fid_ep {
                fid: ffi::fid(abi::FI_CLASS_EP, context, &EpObj::<P>::FI_OPS),
                ops: &raw const *(&EpObj::<P>::OPS as &'static _) as *mut _,
                cm: &raw const *(&EpObj::<P>::CM as &'static _) as *mut _,
                msg: &raw const *(&EpObj::<P>::MSG as &'static _) as *mut _,
                rma: &raw const *(&EpObj::<P>::RMA as &'static _) as *mut _,
                tagged: &raw const *(&EpObj::<P>::TAGGED as &'static _) as *mut _,
                atomic: &raw const *(&EpObj::<P>::ATOMIC as &'static _) as *mut _,
                collective: &raw const *(&EpObj::<P>::COLLECTIVE as &'static _) as *mut _,
            },
            shared: shared.clone(),
            key,
            enabled: AtomicBool::new(false),
            caps: request.caps,
            tx_op_flags: AtomicUsize::new(request.tx_op_flags as usize),
            rx_op_flags: AtomicUsize::new(request.rx_op_flags as usize),
            tx_selective: AtomicBool::new(false),
            rx_selective: AtomicBool::new(false),
            inject_size: request.inject_size,
            delivery_complete,
            max_msg_size: if e.max_msg_size == 0 { usize::MAX } else { e.max_msg_size },
            addr_format: info.addr_format,
            tx_size: request.tx_size,
            rx_size: request.rx_size,
            eq: None,
        });
        // SAFETY: writable by contract.
        unsafe { *out = Box::into_raw(obj) as *mut abi::fid_ep };
        Ok(0)
    })
}

pub(crate) unsafe extern "C" fn open2<P: Provider>(
    domain: *mut abi::fid_domain,
    info: *mut abi::fi_info,
    out: *mut *mut abi::fid_ep,
    flags: u64,
    context: *mut c_void,
) -> c_int {
    if flags != 0 {
        return Error::BADFLAGS.ret();
    }
    // SAFETY: same contract.
    unsafe { open::<P>(domain, info, out, context) }
}

unsafe extern "C" fn close<P: Provider>(fid: *mut abi::fid) -> c_int {
    guard(|| {
        // SAFETY: an open endpoint by the API's contract.
        let mut obj = unsafe { Box::from_raw(fid as *mut EpObj<P>) };
        drain(&obj);
        {
            let mut st = obj.shared.state.lock();
            let slot = st.eps.remove(obj.key);
            for cq in [slot.tx_cq, slot.rx_cq].into_iter().flatten() {
                st.cqs[cq].eps.retain(|e| *e != obj.key);
            }
            if let Some(av) = slot.av {
                st.avs[av].refs -= 1;
            }
        }
        if let Some(eq) = obj.eq.take() {
            eq.refs.fetch_sub(1, Ordering::Release);
        }
        obj.shared.refs.fetch_sub(1, Ordering::Release);
        Ok(0)
    })
}

/// Lets what was accepted for sending reach the peers, as a socket's close would, for a bounded time. All endpoints of
/// the domain are driven meanwhile, since the peer may be one of them.
fn drain<P: Provider>(obj: &EpObj<P>) {
    let linger = {
        let mut st = obj.shared.state.lock();
        let ep = &mut st.eps[obj.key].ep;
        ep.begin_close();
        ep.linger()
    };
    let start = Instant::now();
    loop {
        {
            let mut st = obj.shared.state.lock();
            st.progress_all();
            if st.eps[obj.key].ep.is_drained() {
                return;
            }
        }
        if start.elapsed() >= linger {
            log::info!(target: "ep_ctrl", "endpoint closed with data that its peers have not acknowledged");
            return;
        }
        std::thread::yield_now();
    }
}

unsafe extern "C" fn bind<P: Provider>(fid: *mut abi::fid, bfid: *mut abi::fid, flags: u64) -> c_int {
    guard(|| {
        // SAFETY: open objects by the API's contract; binding is never concurrent with other use of the endpoint.
        let (obj, class) = unsafe { (&mut *(fid as *mut EpObj<P>), (*bfid).fclass as c_int) };
        if obj.enabled.load(Ordering::Relaxed) && class != abi::FI_CLASS_EQ {
            return Err(Error::OPBADSTATE);
        }
        match class {
            abi::FI_CLASS_CQ => {
                // SAFETY: its class says what it is.
                let cq = unsafe { cq_obj::key::<P>(bfid, &obj.shared) }?;
                bind_cq(obj, cq, flags)
            }
            abi::FI_CLASS_AV => {
                // SAFETY: its class says what it is.
                let av = unsafe { av_obj::key::<P>(bfid, &obj.shared) }?;
                let mut st = obj.shared.state.lock();
                if st.eps[obj.key].av.is_some() {
                    return Err(Error::INVAL);
                }
                st.eps[obj.key].av = Some(av);
                st.avs[av].refs += 1;
                Ok(0)
            }
            abi::FI_CLASS_EQ => {
                if obj.eq.is_some() {
                    return Err(Error::INVAL);
                }
                // SAFETY: its class says what it is.
                let eq = unsafe { eq::from_fid(bfid) };
                eq.refs.fetch_add(1, Ordering::Relaxed);
                obj.eq = Some(eq);
                Ok(0)
            }
            abi::FI_CLASS_CNTR => Err(Error::NOSYS),
            _ => Err(Error::INVAL),
        }
    })
}

fn bind_cq<P: Provider>(obj: &EpObj<P>, cq: usize, flags: u64) -> Result<c_int> {
    if flags & !(abi::FI_TRANSMIT | abi::FI_RECV | abi::FI_SELECTIVE_COMPLETION) != 0 {
        return Err(Error::BADFLAGS);
    }
    if flags & (abi::FI_TRANSMIT | abi::FI_RECV) == 0 {
        return Err(Error::INVAL);
    }
    let mut st = obj.shared.state.lock();
    let slot = &mut st.eps[obj.key];
    let taken = |c: Option<usize>| c.is_some_and(|c| c != cq);
    if flags & abi::FI_TRANSMIT != 0 && taken(slot.tx_cq) || flags & abi::FI_RECV != 0 && taken(slot.rx_cq) {
        return Err(Error::INVAL);
    }
    let selective = flags & abi::FI_SELECTIVE_COMPLETION != 0;
    if flags & abi::FI_TRANSMIT != 0 {
        slot.tx_cq = Some(cq);
        obj.tx_selective.store(selective, Ordering::Relaxed);
    }
    if flags & abi::FI_RECV != 0 {
        slot.rx_cq = Some(cq);
        obj.rx_selective.store(selective, Ordering::Relaxed);
    }
    if !st.cqs[cq].eps.contains(&obj.key) {
        st.cqs[cq].eps.push(obj.key);
    }
    Ok(0)
}

fn enable<P: Provider>(obj: &EpObj<P>) -> Result<c_int> {
    if obj.enabled.load(Ordering::Acquire) {
        return Ok(0);
    }
    let mut st = obj.shared.state.lock();
    let slot = &mut st.eps[obj.key];
    if slot.av.is_none() {
        return Err(Error::new(abi::FI_ENOAV));
    }
    let lacks = |dir: u64, cq: Option<usize>| obj.caps & dir != 0 && cq.is_none();
    if lacks(abi::FI_SEND, slot.tx_cq) || lacks(abi::FI_RECV, slot.rx_cq) {
        return Err(Error::new(abi::FI_ENOCQ));
    }
    slot.ep.enable()?;
    obj.enabled.store(true, Ordering::Release);
    Ok(0)
}

unsafe extern "C" fn control<P: Provider>(fid: *mut abi::fid, command: c_int, arg: *mut c_void) -> c_int {
    guard(|| {
        // SAFETY: an open endpoint by the API's contract.
        let obj = unsafe { &*(fid as *mut EpObj<P>) };
        match command {
            abi::FI_ENABLE => enable(obj),
            abi::FI_GETOPSFLAG | abi::FI_SETOPSFLAG => {
                // SAFETY: these commands take a pointer to a flag word.
                let word = unsafe { (arg as *mut u64).as_mut() }.ok_or(Error::INVAL)?;
                let field = match *word & (abi::FI_TRANSMIT | abi::FI_RECV) {
                    abi::FI_TRANSMIT => &obj.tx_op_flags,
                    abi::FI_RECV => &obj.rx_op_flags,
                    _ => return Err(Error::INVAL),
                };
                if command == abi::FI_GETOPSFLAG {
                    *word = field.load(Ordering::Relaxed) as u64;
                } else {
                    let flags = *word & !(abi::FI_TRANSMIT | abi::FI_RECV);
                    if flags & !transfer::DEFAULT_FLAGS != 0 {
                        return Err(Error::BADFLAGS);
                    }
                    field.store(flags as usize, Ordering::Relaxed);
                }
                Ok(0)
            }
            _ => Err(Error::NOSYS),
        }
    })
}

unsafe extern "C" fn cancel<P: Provider>(fid: *mut abi::fid, context: *mut c_void) -> isize {
    guard(|| {
        // SAFETY: an open endpoint by the API's contract.
        let obj = unsafe { &*(fid as *mut EpObj<P>) };
        let mut st = obj.shared.state.lock();
        st.with_ep(obj.key, |e, sink| e.cancel(Context(context as usize), sink)).map(|()| 0)
    })
}

unsafe extern "C" fn getname<P: Provider>(fid: *mut abi::fid, buf: *mut c_void, len: *mut usize) -> c_int {
    guard(|| {
        // SAFETY: an open endpoint by the API's contract.
        let obj = unsafe { &*(fid as *mut EpObj<P>) };
        let name = obj.shared.state.lock().eps[obj.key].ep.local_addr();
        let name = name.ok_or(Error::new(abi::FI_EADDRNOTAVAIL))?;
        // SAFETY: buffer and length as the API says.
        unsafe { ffi::copy_out(&addr::to_format(&name, obj.addr_format), buf, len, true) }
    })
}

unsafe extern "C" fn setname<P: Provider>(fid: *mut abi::fid, buf: *mut c_void, len: usize) -> c_int {
    guard(|| {
        // SAFETY: an open endpoint by the API's contract.
        let obj = unsafe { &*(fid as *mut EpObj<P>) };
        if obj.enabled.load(Ordering::Acquire) {
            return Err(Error::OPBADSTATE);
        }
        // SAFETY: an address of len bytes in the endpoint's format.
        let a = unsafe { addr::from_raw(buf, len, obj.addr_format) }?.ok_or(Error::INVAL)?;
        obj.shared.state.lock().eps[obj.key].ep.set_local_addr(a)?;
        Ok(0)
    })
}

unsafe extern "C" fn getopt<P: Provider>(
    fid: *mut abi::fid,
    level: c_int,
    name: c_int,
    value: *mut c_void,
    len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: an open endpoint by the API's contract.
        let obj = unsafe { &*(fid as *mut EpObj<P>) };
        if level != abi::FI_OPT_ENDPOINT {
            return Err(Error::new(abi::FI_ENOPROTOOPT));
        }
        let has = |cap: u64, n: usize| if obj.caps & cap != 0 { n } else { 0 };
        let n: usize = match name {
            abi::FI_OPT_CM_DATA_SIZE => 0,
            abi::FI_OPT_TX_SIZE => obj.tx_size,
            abi::FI_OPT_RX_SIZE => obj.rx_size,
            abi::FI_OPT_MAX_MSG_SIZE => has(abi::FI_MSG, obj.max_msg_size),
            abi::FI_OPT_MAX_TAGGED_SIZE => has(abi::FI_TAGGED, obj.max_msg_size),
            abi::FI_OPT_INJECT_MSG_SIZE => has(abi::FI_MSG, obj.inject_size),
            abi::FI_OPT_INJECT_TAGGED_SIZE => has(abi::FI_TAGGED, obj.inject_size),
            abi::FI_OPT_MAX_RMA_SIZE
            | abi::FI_OPT_MAX_ATOMIC_SIZE
            | abi::FI_OPT_INJECT_RMA_SIZE
            | abi::FI_OPT_INJECT_ATOMIC_SIZE => 0,
            _ => return Err(Error::new(abi::FI_ENOPROTOOPT)),
        };
        // SAFETY: value has *len bytes by the API's contract.
        unsafe { ffi::copy_out(ffi::bytes_of(&n), value, len, true) }
    })
}

/// No option can be set: sizes follow from the info that the endpoint was opened with.
unsafe extern "C" fn setopt(
    _fid: *mut abi::fid,
    _level: c_int,
    _name: c_int,
    _value: *const c_void,
    _len: usize,
) -> c_int {
    c_int::error(Error::new(abi::FI_ENOPROTOOPT))
}
