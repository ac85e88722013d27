//! The domain object and the state that all objects of a domain share under its one lock.

use crate::av::Av;
use crate::completion::Sink;
use crate::cq::Cq;
use crate::eq::{self, Eq};
use crate::fabric::FabricObj;
use crate::ffi::{self, guard, nosys};
use crate::lock::ThreadLock;
use crate::provider::{Domain, DomainRequest, Endpoint, Provider};
use crate::{Error, Result, addr, av_obj, cq_obj, ep, mr};
use libc::{c_char, c_int, c_void};
use slab::Slab;
use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// An endpoint and what is bound to it.
pub(crate) struct EpSlot<E> {
    pub(crate) ep: E,
    pub(crate) tx_cq: Option<usize>,
    pub(crate) rx_cq: Option<usize>,
    pub(crate) av: Option<usize>,
}

/// Everything of one domain.
pub(crate) struct State<P: Provider> {
    pub(crate) provider: P::Domain,
    pub(crate) eps: Slab<EpSlot<<P::Domain as Domain>::Endpoint>>,
    pub(crate) cqs: Slab<Cq>,
    pub(crate) avs: Slab<Av>,
    pub(crate) mrs: mr::Table,
}

impl<P: Provider> State<P> {
    /// Calls the endpoint with its completion queues at hand.
    #[inline]
    pub(crate) fn with_ep<R>(
        &mut self,
        key: usize,
        f: impl FnOnce(&mut <P::Domain as Domain>::Endpoint, &mut Sink<'_>) -> R,
    ) -> R {
        let slot = &mut self.eps[key];
        let shared = slot.rx_cq.is_some() && slot.tx_cq == slot.rx_cq;
        let (tx, rx) = match (slot.tx_cq, slot.rx_cq) {
            (Some(t), Some(r)) if t != r => match self.cqs.get2_mut(t, r) {
                Some((t, r)) => (Some(t), Some(r)),
                None => (None, None),
            },
            (Some(t), _) => (self.cqs.get_mut(t), None),
            (None, Some(r)) => (None, self.cqs.get_mut(r)),
            (None, None) => (None, None),
        };
        let av = slot.av.and_then(|a| self.avs.get(a));
        f(&mut slot.ep, &mut Sink { tx, rx, shared, av })
    }

    /// Drives the endpoints bound to a completion queue.
    #[inline]
    pub(crate) fn progress_cq(&mut self, cq: usize) {
        for i in 0..self.cqs[cq].eps.len() {
            let ep = self.cqs[cq].eps[i];
            self.with_ep(ep, |e, sink| e.progress(sink));
        }
    }

    /// Drives all endpoints of the domain.
    pub(crate) fn progress_all(&mut self) {
        let keys: Vec<usize> = self.eps.iter().map(|(k, _)| k).collect();
        for k in keys {
            self.with_ep(k, |e, sink| e.progress(sink));
        }
    }
}

/// A domain, held by its own C object and by every object opened on it.
pub(crate) struct Shared<P: Provider> {
    pub(crate) state: ThreadLock<State<P>>,
    /// Objects opened on the domain.
    pub(crate) refs: AtomicUsize,
    pub(crate) api_version: u32,
    /// Where asynchronous operations of the domain's objects are reported.
    pub(crate) eq: Mutex<Option<Arc<Eq>>>,
}

#[repr(C)]
struct DomainObj<P: Provider> {
    fid: abi::fid_domain,
    shared: Arc<Shared<P>>,
    fabric_refs: Arc<AtomicUsize>,
}

impl<P: Provider> DomainObj<P> {
    const FI_OPS: abi::fi_ops = abi::fi_ops {
        size: size_of::<abi::fi_ops>(),
        close: Some(close::<P>),
        bind: Some(bind::<P>),
        control: nosys!(3),
        ops_open: nosys!(5),
        tostr: None,
        ops_set: nosys!(5),
    };
    const OPS: abi::fi_ops_domain = abi::fi_ops_domain {
        size: size_of::<abi::fi_ops_domain>(),
        av_open: Some(av_obj::open::<P>),
        cq_open: Some(cq_obj::open::<P>),
        endpoint: Some(ep::open::<P>),
        scalable_ep: nosys!(4),
        cntr_open: nosys!(4),
        poll_open: nosys!(3),
        stx_ctx: nosys!(4),
        srx_ctx: nosys!(4),
        query_atomic: nosys!(5),
        query_collective: nosys!(4),
        endpoint2: Some(ep::open2::<P>),
    };
    const MR_OPS: abi::fi_ops_mr = abi::fi_ops_mr {
        size: size_of::<abi::fi_ops_mr>(),
        reg: Some(mr::reg::<P>),
        regv: Some(mr::regv::<P>),
        regattr: Some(mr::regattr::<P>),
    };
}

/// A C string as text; NULL gives none.
///
/// # Safety
/// NULL or a C string.
unsafe fn string(p: *const c_char) -> Option<String> {
    // SAFETY: by contract.
    (!p.is_null()).then(|| unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned())
}

/// `fi_domain`.
///
/// # Safety
/// The info and the result pointer are valid.
pub(crate) unsafe fn open<P: Provider>(
    fabric: &FabricObj<P>,
    info: &abi::fi_info,
    out: *mut *mut abi::fid_domain,
    context: *mut c_void,
) -> Result<()> {
    // SAFETY: attribute pointers of an info are NULL or valid.
    let (domain_attr, fabric_attr) = unsafe { (info.domain_attr.as_ref(), info.fabric_attr.as_ref()) };
    let (Some(d), Some(f)) = (domain_attr, fabric_attr) else {
        log::info!(target: "domain", "fi_domain needs an info with domain and fabric attributes: pass one of fi_getinfo");
        return Err(Error::INVAL);
    };
    let request = DomainRequest {
        // SAFETY: names are NULL or C strings.
        name: unsafe { string(d.name) }.ok_or(Error::INVAL)?,
        // SAFETY: as above.
        fabric: unsafe { string(f.name) }.unwrap_or_default(),
        // SAFETY: address and length belong together.
        src: unsafe { addr::from_raw(info.src_addr, info.src_addrlen, info.addr_format) }?,
        threading: d.threading,
        api_version: fabric.api_version(),
    };
    let provider = P::instance().open_domain(&request)?;
    let shared = Arc::new(Shared::<P> {
        // One thread at a time for the whole domain is the one promise that makes the lock needless.
        state: ThreadLock::new(
            State {
                provider,
                eps: Slab::new(),
                cqs: Slab::new(),
                avs: Slab::new(),
                mrs: mr::Table::default(),
            },
            request.threading == abi::FI_THREAD_DOMAIN,
        ),
        refs: AtomicUsize::new(0),
        api_version: request.api_version,
        eq: Mutex::new(None),
    });
    let fabric_refs = fabric.refs();
    fabric_refs.fetch_add(1, Ordering::Relaxed);
    let obj = Box::new(DomainObj::<P> {
        fid: abi::fid_domain {
            fid: ffi::fid(abi::FI_CLASS_DOMAIN, context, &DomainObj::<P>::FI_OPS),
            ops: &raw const *(&DomainObj::<P>::OPS as &'static _) as *mut _,
            mr: &raw const *(&DomainObj::<P>::MR_OPS as &'static _) as *mut _,
        },
        shared,
        fabric_refs,
    });
    // SAFETY: writable by contract.
    unsafe { *out = Box::into_raw(obj) as *mut abi::fid_domain };
    Ok(())
}

/// The domain behind its C object.
///
/// # Safety
/// An open domain of this provider.
pub(crate) unsafe fn shared<'a, P: Provider>(domain: *mut abi::fid_domain) -> &'a Arc<Shared<P>> {
    // SAFETY: by contract.
    unsafe { &(*(domain as *mut DomainObj<P>)).shared }
}

unsafe extern "C" fn close<P: Provider>(fid: *mut abi::fid) -> c_int {
    guard(|| {
        // SAFETY: an open domain by the API's contract.
        let obj = unsafe { &*(fid as *mut DomainObj<P>) };
        if obj.shared.refs.load(Ordering::Acquire) != 0 {
            return Err(Error::BUSY);
        }
        if let Some(eq) = obj.shared.eq.lock().unwrap_or_else(|e| e.into_inner()).take() {
            eq.refs.fetch_sub(1, Ordering::Release);
        }
        let fabric_refs = obj.fabric_refs.clone();
        // SAFETY: made by Box in `open`; nothing refers to it any more.
        drop(unsafe { Box::from_raw(fid as *mut DomainObj<P>) });
        fabric_refs.fetch_sub(1, Ordering::Release);
        Ok(0)
    })
}

unsafe extern "C" fn bind<P: Provider>(fid: *mut abi::fid, bfid: *mut abi::fid, flags: u64) -> c_int {
    guard(|| {
        // SAFETY: open objects by the API's contract.
        let (obj, class) = unsafe { (&*(fid as *mut DomainObj<P>), (*bfid).fclass) };
        if class != abi::FI_CLASS_EQ as usize {
            return Err(Error::INVAL);
        }
        // FI_REG_MR asks for asynchronous registration; ours is synchronous and needs no event.
        if flags & !abi::FI_REG_MR != 0 {
            return Err(Error::BADFLAGS);
        }
        let mut slot = obj.shared.eq.lock().unwrap_or_else(|e| e.into_inner());
        if slot.is_some() {
            return Err(Error::INVAL);
        }
        // SAFETY: its class says that it is an event queue.
        let eq = unsafe { eq::from_fid(bfid) };
        eq.refs.fetch_add(1, Ordering::Relaxed);
        *slot = Some(eq);
        Ok(0)
    })
}
