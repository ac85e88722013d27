//! Event queues: what happens beside data transfer (insertions, connections), and their C object.

use crate::ffi::{self, guard, nosys};
use crate::{Error, Result};
use libc::{c_char, c_int, c_void};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

enum Event {
    Entry(u32, Vec<u8>),
    Error(abi::fi_eq_err_entry),
}

// SAFETY: the pointers in an error entry are opaque to us and only handed back.
unsafe impl Send for Event {}

/// The queue itself, shared by the objects that report to it.
#[derive(Default)]
pub(crate) struct Eq {
    events: Mutex<VecDeque<Event>>,
    arrived: Condvar,
    /// Objects bound to it: it cannot close before they do.
    pub(crate) refs: AtomicUsize,
}

impl Eq {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Event>> {
        self.events.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn push(&self, e: Event) {
        self.lock().push_back(e);
        self.arrived.notify_one();
    }

    /// An event about an object, e.g. `FI_AV_COMPLETE`.
    pub(crate) fn report(&self, event: u32, fid: *mut abi::fid, context: *mut c_void, data: u64) {
        let entry = abi::fi_eq_entry { fid, context, data };
        self.push(Event::Entry(event, ffi::bytes_of(&entry).to_vec()));
    }

    /// One part of an asynchronous operation failed; `data` says which.
    pub(crate) fn report_error(&self, fid: *mut abi::fid, context: *mut c_void, data: u64, err: c_int) {
        self.push(Event::Error(abi::fi_eq_err_entry {
            fid,
            context,
            data,
            err,
            prov_errno: 0,
            err_data: std::ptr::null_mut(),
            err_data_size: 0,
        }));
    }

    /// Copies the next event. `FI_EAGAIN` none; `FI_EAVAIL` the next is an error; `FI_ETOOSMALL` it does not fit.
    fn take(&self, events: &mut VecDeque<Event>, out: &mut [u8], peek: bool) -> Result<(u32, usize)> {
        match events.front() {
            None => Err(Error::AGAIN),
            Some(Event::Error(_)) => Err(Error::new(abi::FI_EAVAIL)),
            Some(Event::Entry(_, data)) if data.len() > out.len() => Err(Error::new(abi::FI_ETOOSMALL)),
            Some(Event::Entry(event, data)) => {
                let (event, n) = (*event, data.len());
                out[..n].copy_from_slice(data);
                if !peek {
                    events.pop_front();
                }
                Ok((event, n))
            }
        }
    }
}

#[repr(C)]
struct EqObj {
    fid: abi::fid_eq,
    eq: Arc<Eq>,
    fabric_refs: Arc<AtomicUsize>,
}

static FI_OPS: abi::fi_ops = abi::fi_ops {
    size: size_of::<abi::fi_ops>(),
    close: Some(close),
    bind: nosys!(3),
    control: nosys!(3),
    ops_open: nosys!(5),
    tostr: None,
    ops_set: nosys!(5),
};

static EQ_OPS: abi::fi_ops_eq = abi::fi_ops_eq {
    size: size_of::<abi::fi_ops_eq>(),
    read: Some(read),
    readerr: Some(readerr),
    write: Some(write),
    sread: Some(sread),
    strerror: Some(strerror),
};

/// Opens a queue. Wait objects other than none and unspecified are not offered: `FI_ENOSYS`.
///
/// # Safety
/// Arguments as `fi_eq_open` has them.
pub(crate) unsafe fn open(
    attr: *mut abi::fi_eq_attr,
    out: *mut *mut abi::fid_eq,
    context: *mut c_void,
    fabric_refs: Arc<AtomicUsize>,
) -> Result<()> {
    // SAFETY: NULL or valid by contract.
    if let Some(a) = unsafe { attr.as_ref() } {
        if a.flags & !(abi::FI_WRITE | abi::FI_AFFINITY) != 0 {
            return Err(Error::BADFLAGS);
        }
        match a.wait_obj {
            abi::FI_WAIT_NONE | abi::FI_WAIT_UNSPEC | abi::FI_WAIT_YIELD => {}
            other => {
                log::info!(target: "eq", "wait object {other} is not offered for event queues; use FI_WAIT_UNSPEC");
                return Err(Error::NOSYS);
            }
        }
    }
    fabric_refs.fetch_add(1, Ordering::Relaxed);
    let obj = Box::new(EqObj {
        fid: abi::fid_eq {
            fid: ffi::fid(abi::FI_CLASS_EQ, context, &FI_OPS),
            ops: &raw const EQ_OPS as *mut _,
        },
        eq: Arc::default(),
        fabric_refs,
    });
    // SAFETY: out is writable by contract.
    unsafe { *out = Box::into_raw(obj) as *mut abi::fid_eq };
    Ok(())
}

/// The queue behind a C object that is being bound to another.
///
/// # Safety
/// `fid` is an open event queue of this library copy.
pub(crate) unsafe fn from_fid(fid: *mut abi::fid) -> Arc<Eq> {
    // SAFETY: by contract.
    unsafe { (*(fid as *mut EqObj)).eq.clone() }
}

unsafe extern "C" fn close(fid: *mut abi::fid) -> c_int {
    guard(|| {
        // SAFETY: an open event queue, by the API's contract.
        let obj = unsafe { &*(fid as *mut EqObj) };
        if obj.eq.refs.load(Ordering::Acquire) != 0 {
            return Err(Error::BUSY);
        }
        obj.fabric_refs.fetch_sub(1, Ordering::Release);
        // SAFETY: made by Box in `open`, and nobody refers to it any more.
        drop(unsafe { Box::from_raw(fid as *mut EqObj) });
        Ok(0)
    })
}

/// # Safety
/// As the C entry points: an open queue, and buffers as long as said.
unsafe fn parts<'a>(eq: *mut abi::fid_eq, buf: *mut c_void, len: usize) -> (&'a Eq, &'a mut [u8]) {
    // SAFETY: by contract.
    unsafe {
        let out =
            if buf.is_null() { &mut [][..] } else { std::slice::from_raw_parts_mut(buf as *mut u8, len) };
        (&(*(eq as *mut EqObj)).eq, out)
    }
}

unsafe extern "C" fn read(
    eq: *mut abi::fid_eq,
    event: *mut u32,
    buf: *mut c_void,
    len: usize,
    flags: u64,
) -> isize {
    // SAFETY: C caller's contract.
    unsafe { sread(eq, event, buf, len, 0, flags) }
}

unsafe extern "C" fn sread(
    eq: *mut abi::fid_eq,
    event: *mut u32,
    buf: *mut c_void,
    len: usize,
    timeout: c_int,
    flags: u64,
) -> isize {
    guard(|| {
        // SAFETY: C caller's contract.
        let (eq, out) = unsafe { parts(eq, buf, len) };
        let deadline = (timeout >= 0).then(|| Instant::now() + Duration::from_millis(timeout as u64));
        let mut events = eq.lock();
        loop {
            match eq.take(&mut events, out, flags & abi::FI_PEEK != 0) {
                Err(e) if e == Error::AGAIN && timeout != 0 => {}
                Err(e) => return Err(e),
                Ok((kind, n)) => {
                    // SAFETY: event is writable by the API's contract.
                    unsafe { *event = kind };
                    return Ok(n as isize);
                }
            }
            events = match deadline {
                None => eq.arrived.wait(events).unwrap_or_else(|e| e.into_inner()),
                Some(d) => {
                    let left = d.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(Error::AGAIN);
                    }
                    eq.arrived.wait_timeout(events, left).unwrap_or_else(|e| e.into_inner()).0
                }
            };
        }
    })
}

unsafe extern "C" fn readerr(eq: *mut abi::fid_eq, buf: *mut abi::fi_eq_err_entry, flags: u64) -> isize {
    guard(|| {
        // SAFETY: C caller's contract.
        let (eq, _) = unsafe { parts(eq, std::ptr::null_mut(), 0) };
        let mut events = eq.lock();
        let Some(Event::Error(e)) = events.front() else { return Err(Error::AGAIN) };
        // SAFETY: buf is writable; error data is not used by this kit, the caller's buffer stays untouched.
        unsafe { *buf = *e };
        if flags & abi::FI_PEEK == 0 {
            events.pop_front();
        }
        Ok(size_of::<abi::fi_eq_err_entry>() as isize)
    })
}

unsafe extern "C" fn write(
    eq: *mut abi::fid_eq,
    event: u32,
    buf: *const c_void,
    len: usize,
    _flags: u64,
) -> isize {
    guard(|| {
        // SAFETY: C caller's contract.
        let (eq, data) = unsafe { parts(eq, buf as *mut c_void, len) };
        eq.push(Event::Entry(event, data.to_vec()));
        Ok(len as isize)
    })
}

unsafe extern "C" fn strerror(
    _eq: *mut abi::fid_eq,
    prov_errno: c_int,
    _err_data: *const c_void,
    buf: *mut c_char,
    len: usize,
) -> *const c_char {
    // SAFETY: buf is NULL or has len bytes.
    unsafe { ffi::error_text(prov_errno, buf, len) }
}
