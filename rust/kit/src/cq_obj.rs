//! The C object of a completion queue: reads drive the endpoints bound to it.

use crate::cq::{Cq, Format};
use crate::domain::{self, Shared};
use crate::ffi::{self, guard, nosys};
use crate::provider::{Endpoint, Provider};
use crate::{Error, Result};
use libc::{c_char, c_int, c_void};
use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

#[repr(C)]
pub(crate) struct CqObj<P: Provider> {
    fid: abi::fid_cq,
    shared: Arc<Shared<P>>,
    key: usize,
}

impl<P: Provider> CqObj<P> {
    const FI_OPS: abi::fi_ops = abi::fi_ops {
        size: size_of::<abi::fi_ops>(),
        close: Some(close::<P>),
        bind: nosys!(3),
        control: nosys!(3),
        ops_open: nosys!(5),
        tostr: None,
        ops_set: nosys!(5),
    };
    const OPS: abi::fi_ops_cq = abi::fi_ops_cq {
        size: size_of::<abi::fi_ops_cq>(),
        read: Some(read::<P>),
        readfrom: Some(readfrom::<P>),
        readerr: Some(readerr::<P>),
        sread: Some(sread::<P>),
        sreadfrom: Some(sreadfrom::<P>),
        signal: Some(signal::<P>),
        strerror: Some(strerror),
    };
}

/// The key of a queue that is being bound, and whether it belongs to this domain.
///
/// # Safety
/// An open completion queue of this provider.
pub(crate) unsafe fn key<P: Provider>(fid: *mut abi::fid, domain: &Arc<Shared<P>>) -> Result<usize> {
    // SAFETY: by contract.
    let obj = unsafe { &*(fid as *mut CqObj<P>) };
    if Arc::ptr_eq(&obj.shared, domain) { Ok(obj.key) } else { Err(Error::INVAL) }
}

pub(crate) unsafe extern "C" fn open<P: Provider>(
    domain: *mut abi::fid_domain,
    attr: *mut abi::fi_cq_attr,
    out: *mut *mut abi::fid_cq,
    context: *mut c_void,
) -> c_int {
    guard(|| {
        // SAFETY: an open domain, NULL or valid attributes by the API's contract.
        let (shared, attr) = unsafe { (domain::shared::<P>(domain), attr.as_ref()) };
        let (mut format, mut size, mut may_wait) = (Format::Context, 0, false);
        if let Some(a) = attr {
            if a.flags & !abi::FI_AFFINITY != 0 {
                return Err(Error::BADFLAGS);
            }
            format = Format::from_c(a.format)?;
            size = a.size;
            may_wait = match a.wait_obj {
                abi::FI_WAIT_NONE => false,
                abi::FI_WAIT_UNSPEC | abi::FI_WAIT_YIELD => true,
                other => {
                    log::info!(target: "cq", "wait object {other} is not offered; use FI_WAIT_NONE, FI_WAIT_UNSPEC or FI_WAIT_YIELD");
                    return Err(Error::NOSYS);
                }
            };
            if may_wait && a.wait_cond != abi::FI_CQ_COND_NONE && a.wait_cond != abi::FI_CQ_COND_THRESHOLD {
                return Err(Error::INVAL);
            }
        }
        let key = shared.state.lock().cqs.insert(Cq::new(format, size, may_wait));
        shared.refs.fetch_add(1, Ordering::Relaxed);
        let obj = Box::new(CqObj::<P> {
            fid: abi::fid_cq {
                fid: ffi::fid(abi::FI_CLASS_CQ, context, &CqObj::<P>::FI_OPS),
                ops: &raw const *(&CqObj::<P>::OPS as &'static _) as *mut _,
            },
            shared: shared.clone(),
            key,
        });
        // SAFETY: writable by contract.
        unsafe { *out = Box::into_raw(obj) as *mut abi::fid_cq };
        Ok(0)
    })
}

unsafe extern "C" fn close<P: Provider>(fid: *mut abi::fid) -> c_int {
    guard(|| {
        // SAFETY: an open queue by the API's contract.
        let obj = unsafe { &*(fid as *mut CqObj<P>) };
        {
            let mut st = obj.shared.state.lock();
            if st.eps.iter().any(|(_, e)| e.tx_cq == Some(obj.key) || e.rx_cq == Some(obj.key)) {
                return Err(Error::BUSY);
            }
            st.cqs.remove(obj.key);
        }
        obj.shared.refs.fetch_sub(1, Ordering::Release);
        // SAFETY: made by Box in `open`; nothing refers to it any more.
        drop(unsafe { Box::from_raw(fid as *mut CqObj<P>) });
        Ok(0)
    })
}

unsafe extern "C" fn read<P: Provider>(cq: *mut abi::fid_cq, buf: *mut c_void, count: usize) -> isize {
    // SAFETY: same contract.
    unsafe { readfrom::<P>(cq, buf, count, std::ptr::null_mut()) }
}

unsafe extern "C" fn readfrom<P: Provider>(
    cq: *mut abi::fid_cq,
    buf: *mut c_void,
    count: usize,
    src: *mut abi::fi_addr_t,
) -> isize {
    guard(|| {
        // SAFETY: an open queue by the API's contract.
        let obj = unsafe { &*(cq as *mut CqObj<P>) };
        let mut st = obj.shared.state.lock();
        // While outcomes wait here, nobody needs new ones: progress costs a look at the device.
        if st.cqs[obj.key].is_empty() {
            st.progress_cq(obj.key);
            // The most frequent outcome by far leaves early.
            let cq = &mut st.cqs[obj.key];
            if cq.is_empty() {
                if cq.idled() {
                    drop(st);
                    std::thread::yield_now();
                }
                return Err(Error::AGAIN);
            }
        }
        // SAFETY: buffers are as long as the caller says.
        unsafe { st.cqs[obj.key].read(buf, count, src) }.map(|n| n as isize)
    })
}

unsafe extern "C" fn readerr<P: Provider>(
    cq: *mut abi::fid_cq,
    buf: *mut abi::fi_cq_err_entry,
    _flags: u64,
) -> isize {
    guard(|| {
        // SAFETY: an open queue by the API's contract.
        let obj = unsafe { &*(cq as *mut CqObj<P>) };
        if buf.is_null() {
            return Err(Error::INVAL);
        }
        let mut st = obj.shared.state.lock();
        if st.cqs[obj.key].is_empty() {
            st.progress_cq(obj.key);
        }
        let e = st.cqs[obj.key].read_error().ok_or(Error::AGAIN)?;
        // The entry grew twice; a caller of an older version has less room (see fi_cq(3)).
        let v = obj.shared.api_version;
        let size = match v {
            _ if v < abi::FI_VERSION(1, 5) => std::mem::offset_of!(abi::fi_cq_err_entry, err_data_size),
            _ if v < abi::FI_VERSION(1, 20) => std::mem::offset_of!(abi::fi_cq_err_entry, src_addr),
            _ => size_of::<abi::fi_cq_err_entry>(),
        };
        let mut e = e;
        if v >= abi::FI_VERSION(1, 5) {
            // A buffer that the caller brought for error data stays the caller's; we have none to fill in.
            // SAFETY: the member is there in this version's entry.
            e.err_data = unsafe { (*buf).err_data };
        }
        // SAFETY: `size` bytes are what the caller's version of the entry has.
        unsafe { std::ptr::copy_nonoverlapping(&raw const e as *const u8, buf as *mut u8, size) };
        Ok(1)
    })
}

unsafe extern "C" fn sread<P: Provider>(
    cq: *mut abi::fid_cq,
    buf: *mut c_void,
    count: usize,
    cond: *const c_void,
    timeout: c_int,
) -> isize {
    // SAFETY: same contract.
    unsafe { sreadfrom::<P>(cq, buf, count, std::ptr::null_mut(), cond, timeout) }
}

/// Rounds of polling before a waiter gives its core away, and rounds of giving it away before it sleeps.
const SPINS: u32 = 200;
const YIELDS: u32 = 2000;
/// Sleep of a waiter on a device that has no descriptor to wait on.
const NAP: Duration = Duration::from_micros(50);

unsafe extern "C" fn sreadfrom<P: Provider>(
    cq: *mut abi::fid_cq,
    buf: *mut c_void,
    count: usize,
    src: *mut abi::fi_addr_t,
    _cond: *const c_void,
    timeout: c_int,
) -> isize {
    guard(|| {
        // SAFETY: an open queue by the API's contract.
        let obj = unsafe { &*(cq as *mut CqObj<P>) };
        let deadline = (timeout >= 0).then(|| Instant::now() + Duration::from_millis(timeout as u64));
        let mut round = 0u32;
        let mut fds: Vec<libc::pollfd> = Vec::new();
        loop {
            let mut limit = None;
            {
                let mut st = obj.shared.state.lock();
                if !st.cqs[obj.key].may_wait {
                    log::info!(target: "cq", "fi_cq_sread on a queue opened with FI_WAIT_NONE; open it with FI_WAIT_UNSPEC");
                    return Err(Error::INVAL);
                }
                if st.cqs[obj.key].is_empty() {
                    st.progress_cq(obj.key);
                }
                // SAFETY: buffers are as long as the caller says.
                match unsafe { st.cqs[obj.key].read(buf, count, src) } {
                    Err(e) if e == Error::AGAIN => {}
                    other => return other.map(|n| n as isize),
                }
                if std::mem::take(&mut st.cqs[obj.key].signaled) {
                    return Err(Error::AGAIN);
                }
                if round >= SPINS {
                    limit = waitable(&st, obj.key, &mut fds);
                }
            }
            let now = Instant::now();
            let left = deadline.map(|d| d.saturating_duration_since(now));
            if left.is_some_and(|l| l.is_zero()) {
                return Err(Error::AGAIN);
            }
            match limit {
                Some(limit) => poll(&mut fds, left.map_or(limit, |l| l.min(limit))),
                None if round < SPINS => std::hint::spin_loop(),
                None if round < SPINS + YIELDS => std::thread::yield_now(),
                None => std::thread::sleep(left.map_or(NAP, |l| l.min(NAP))),
            }
            round = round.saturating_add(1);
        }
    })
}

/// Longest sleep in `poll`: bounds how late `fi_cq_signal` of another thread is seen.
const SLICE: Duration = Duration::from_millis(1);

/// The descriptors of all endpoints of the queue, and how long they may be waited on; None when one has none.
fn waitable<P: Provider>(
    st: &crate::domain::State<P>,
    cq: usize,
    fds: &mut Vec<libc::pollfd>,
) -> Option<Duration> {
    fds.clear();
    let mut limit = SLICE;
    for &ep in &st.cqs[cq].eps {
        let ep = &st.eps[ep].ep;
        let fd: RawFd = ep.wait_fd()?;
        fds.push(libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
        limit = ep.wait_limit().map_or(limit, |l| l.min(limit));
    }
    (!fds.is_empty()).then_some(limit)
}

fn poll(fds: &mut [libc::pollfd], limit: Duration) {
    let ts = libc::timespec { tv_sec: limit.as_secs() as _, tv_nsec: limit.subsec_nanos() as _ };
    // SAFETY: the array is ours and as long as said. An error or interruption just ends the wait.
    unsafe { libc::ppoll(fds.as_mut_ptr(), fds.len() as libc::nfds_t, &ts, std::ptr::null()) };
}

unsafe extern "C" fn signal<P: Provider>(cq: *mut abi::fid_cq) -> c_int {
    guard(|| {
        // SAFETY: an open queue by the API's contract.
        let obj = unsafe { &*(cq as *mut CqObj<P>) };
        obj.shared.state.lock().cqs[obj.key].signaled = true;
        Ok(0)
    })
}

unsafe extern "C" fn strerror(
    _cq: *mut abi::fid_cq,
    prov_errno: c_int,
    _err_data: *const c_void,
    buf: *mut c_char,
    len: usize,
) -> *const c_char {
    // SAFETY: buf is NULL or has len bytes.
    unsafe { ffi::error_text(prov_errno, buf, len) }
}
