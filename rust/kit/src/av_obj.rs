//! The C object of an address vector.

use crate::av::Av;
use crate::domain::{self, Shared};
use crate::eq;
use crate::ffi::{self, guard, nosys};
use crate::provider::Provider;
use crate::{Error, Result, addr, param, query};
use libc::{c_char, c_int, c_void};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[repr(C)]
pub(crate) struct AvObj<P: Provider> {
    fid: abi::fid_av,
    shared: Arc<Shared<P>>,
    key: usize,
    /// `FI_EVENT`: insertions are reported to the event queue, and `insert` returns 0.
    events: bool,
}

impl<P: Provider> AvObj<P> {
    const FI_OPS: abi::fi_ops = abi::fi_ops {
        size: size_of::<abi::fi_ops>(),
        close: Some(close::<P>),
        bind: Some(bind::<P>),
        control: nosys!(3),
        ops_open: nosys!(5),
        tostr: None,
        ops_set: nosys!(5),
    };
    const OPS: abi::fi_ops_av = abi::fi_ops_av {
        size: size_of::<abi::fi_ops_av>(),
        insert: Some(insert::<P>),
        insertsvc: Some(insertsvc::<P>),
        insertsym: Some(insertsym::<P>),
        remove: Some(remove::<P>),
        lookup: Some(lookup::<P>),
        straddr: Some(straddr),
        av_set: nosys!(4),
        insert_auth_key: nosys!(5),
        lookup_auth_key: nosys!(4),
        set_user_id: nosys!(4),
    };
}

/// The key of an address vector that is being bound.
///
/// # Safety
/// An open address vector of this provider.
pub(crate) unsafe fn key<P: Provider>(fid: *mut abi::fid, domain: &Arc<Shared<P>>) -> Result<usize> {
    // SAFETY: by contract.
    let obj = unsafe { &*(fid as *mut AvObj<P>) };
    if Arc::ptr_eq(&obj.shared, domain) { Ok(obj.key) } else { Err(Error::INVAL) }
}

pub(crate) unsafe extern "C" fn open<P: Provider>(
    domain: *mut abi::fid_domain,
    attr: *mut abi::fi_av_attr,
    out: *mut *mut abi::fid_av,
    context: *mut c_void,
) -> c_int {
    guard(|| {
        // SAFETY: an open domain and a valid attribute by the API's contract.
        let (shared, attr) = unsafe { (domain::shared::<P>(domain), attr.as_mut()) };
        let attr = attr.ok_or(Error::INVAL)?;
        if attr.r#type > abi::FI_AV_TABLE {
            return Err(Error::INVAL);
        }
        if attr.flags & !(abi::FI_EVENT | abi::FI_READ | abi::FI_SYMMETRIC) != 0 {
            return Err(Error::BADFLAGS);
        }
        if !attr.name.is_null() || attr.flags & abi::FI_READ != 0 {
            log::info!(target: "av", "named (shared) address vectors are not offered; open it without a name");
            return Err(Error::NOSYS);
        }
        if attr.rx_ctx_bits != 0 {
            log::info!(target: "av", "rx_ctx_bits {} needs scalable endpoints, which are not offered; use 0", attr.rx_ctx_bits);
            return Err(Error::INVAL);
        }
        if attr.r#type == abi::FI_AV_UNSPEC {
            attr.r#type = abi::FI_AV_TABLE;
        }
        let count = if attr.count != 0 { attr.count } else { param::universe_size() };
        let key = shared.state.lock().avs.insert(Av::with_capacity(count));
        shared.refs.fetch_add(1, Ordering::Relaxed);
        let obj = Box::new(AvObj::<P> {
            fid: abi::fid_av {
                fid: ffi::fid(abi::FI_CLASS_AV, context, &AvObj::<P>::FI_OPS),
                ops: &raw const *(&AvObj::<P>::OPS as &'static _) as *mut _,
            },
            shared: shared.clone(),
            key,
            events: attr.flags & abi::FI_EVENT != 0,
        });
        // SAFETY: writable by contract.
        unsafe { *out = Box::into_raw(obj) as *mut abi::fid_av };
        Ok(0)
    })
}

unsafe extern "C" fn close<P: Provider>(fid: *mut abi::fid) -> c_int {
    guard(|| {
        // SAFETY: an open address vector by the API's contract.
        let obj = unsafe { &*(fid as *mut AvObj<P>) };
        {
            let mut st = obj.shared.state.lock();
            if st.avs[obj.key].refs != 0 {
                return Err(Error::BUSY);
            }
            if let Some(eq) = st.avs.remove(obj.key).eq {
                eq.refs.fetch_sub(1, Ordering::Release);
            }
        }
        obj.shared.refs.fetch_sub(1, Ordering::Release);
        // SAFETY: made by Box in `open`; nothing refers to it any more.
        drop(unsafe { Box::from_raw(fid as *mut AvObj<P>) });
        Ok(0)
    })
}

unsafe extern "C" fn bind<P: Provider>(fid: *mut abi::fid, bfid: *mut abi::fid, _flags: u64) -> c_int {
    guard(|| {
        // SAFETY: open objects by the API's contract.
        let (obj, class) = unsafe { (&*(fid as *mut AvObj<P>), (*bfid).fclass) };
        if class != abi::FI_CLASS_EQ as usize {
            return Err(Error::INVAL);
        }
        let mut st = obj.shared.state.lock();
        let av = &mut st.avs[obj.key];
        if av.eq.is_some() {
            return Err(Error::INVAL);
        }
        // SAFETY: its class says that it is an event queue.
        let eq = unsafe { eq::from_fid(bfid) };
        eq.refs.fetch_add(1, Ordering::Relaxed);
        av.eq = Some(eq);
        Ok(0)
    })
}

/// One insertion call: what was resolved, and where the results go.
struct Insertion {
    out: *mut abi::fi_addr_t,
    /// `FI_SYNC_ERR`: an array with one error per address.
    errors: *mut c_int,
    done: usize,
    index: usize,
    /// Index and error of each address that was not inserted, kept for the event queue only.
    failed: Option<Vec<(u64, c_int)>>,
}

impl Insertion {
    /// # Safety
    /// The arrays are NULL or have an entry for each address of the call.
    unsafe fn add(&mut self, av: &mut Av, addr: Result<Option<SocketAddr>>) {
        let (value, error) = match addr {
            Ok(Some(a)) => {
                self.done += 1;
                (av.insert(a), 0)
            }
            Ok(None) => (abi::FI_ADDR_NOTAVAIL, abi::FI_EINVAL),
            Err(e) => (abi::FI_ADDR_NOTAVAIL, e.code()),
        };
        // SAFETY: by contract.
        unsafe {
            if !self.out.is_null() {
                *self.out.add(self.index) = value;
            }
            if !self.errors.is_null() {
                *self.errors.add(self.index) = error;
            }
        }
        if error != 0
            && let Some(failed) = &mut self.failed
        {
            failed.push((self.index as u64, error));
        }
        self.index += 1;
    }
}

/// The common part of the insert calls: `addresses` are inserted in order.
///
/// # Safety
/// As [`Insertion::add`]; `av` is open.
unsafe fn insert_all<P: Provider>(
    av: *mut abi::fid_av,
    addresses: impl Iterator<Item = Result<Option<SocketAddr>>>,
    out: *mut abi::fi_addr_t,
    flags: u64,
    context: *mut c_void,
) -> Result<c_int> {
    // SAFETY: an open address vector.
    let obj = unsafe { &*(av as *mut AvObj<P>) };
    if flags & !(abi::FI_MORE | abi::FI_SYNC_ERR) != 0 {
        return Err(Error::BADFLAGS);
    }
    let sync_errors = flags & abi::FI_SYNC_ERR != 0;
    if sync_errors && (context.is_null() || obj.events) {
        return Err(Error::INVAL);
    }
    let errors = if sync_errors { context as *mut c_int } else { std::ptr::null_mut() };
    let mut job = Insertion { out, errors, done: 0, index: 0, failed: obj.events.then(Vec::new) };
    let mut st = obj.shared.state.lock();
    let table = &mut st.avs[obj.key];
    for a in addresses {
        // SAFETY: by contract.
        unsafe { job.add(table, a) };
    }
    if obj.events {
        let eq = table.eq.clone().or_else(|| obj.shared.eq.lock().unwrap_or_else(|e| e.into_inner()).clone());
        let eq = eq.ok_or(Error::new(abi::FI_ENOEQ))?;
        drop(st);
        for (index, err) in job.failed.into_iter().flatten() {
            eq.report_error(av as *mut abi::fid, context, index, err);
        }
        eq.report(abi::FI_AV_COMPLETE as u32, av as *mut abi::fid, context, job.done as u64);
        return Ok(0);
    }
    Ok(job.done as c_int)
}

unsafe extern "C" fn insert<P: Provider>(
    av: *mut abi::fid_av,
    data: *const c_void,
    count: usize,
    out: *mut abi::fi_addr_t,
    flags: u64,
    context: *mut c_void,
) -> c_int {
    guard(|| {
        if data.is_null() && count != 0 {
            return Err(Error::INVAL);
        }
        let mut at = data as *const u8;
        let addresses = (0..count).map(|_| {
            // SAFETY: `count` addresses follow each other; the family of each tells its length.
            let a = unsafe { addr::from_raw(at as *const c_void, 0, abi::FI_SOCKADDR) };
            at = at.wrapping_add(addr::size(abi::FI_SOCKADDR, a.as_ref().ok().and_then(|a| a.as_ref())));
            a
        });
        // SAFETY: arrays as the API says.
        unsafe { insert_all::<P>(av, addresses, out, flags, context) }
    })
}

unsafe extern "C" fn insertsvc<P: Provider>(
    av: *mut abi::fid_av,
    node: *const c_char,
    service: *const c_char,
    out: *mut abi::fi_addr_t,
    flags: u64,
    context: *mut c_void,
) -> c_int {
    guard(|| {
        if node.is_null() && service.is_null() {
            return Err(Error::INVAL);
        }
        // SAFETY: NULL or C strings by the API's contract.
        let a = unsafe { query::resolve(node, service, 0, abi::FI_FORMAT_UNSPEC) };
        // SAFETY: the result array has one entry.
        unsafe { insert_all::<P>(av, std::iter::once(a.map(Some)), out, flags, context) }
    })
}

/// Splits trailing digits off: `node12` is `node` and 12 with two digits.
fn counted(name: &str) -> (&str, u64, usize) {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (base, n) = name.split_at(name.len() - digits);
    (base, n.parse().unwrap_or(0), digits)
}

unsafe extern "C" fn insertsym<P: Provider>(
    av: *mut abi::fid_av,
    node: *const c_char,
    nodecnt: usize,
    service: *const c_char,
    svccnt: usize,
    out: *mut abi::fi_addr_t,
    flags: u64,
    context: *mut c_void,
) -> c_int {
    guard(|| {
        if node.is_null() || service.is_null() {
            return Err(Error::INVAL);
        }
        // SAFETY: C strings by the API's contract.
        let (node, service) = unsafe {
            (
                std::ffi::CStr::from_ptr(node).to_string_lossy(),
                std::ffi::CStr::from_ptr(service).to_string_lossy(),
            )
        };
        let first_port: u16 = service.parse().map_err(|_| Error::INVAL)?;
        // An address counts up in its last part, a name in its trailing number.
        let (base, start, width) = counted(&node);
        let addresses =
            (0..nodecnt as u64).flat_map(|n| (0..svccnt as u64).map(move |s| (n, s))).map(|(n, s)| {
                let host = format!("{base}{:0width$}", start + n);
                let port = u16::try_from(first_port as u64 + s).map_err(|_| Error::INVAL)?.to_string();
                let c = |t: String| std::ffi::CString::new(t).map_err(|_| Error::INVAL);
                let (host, port) = (c(host)?, c(port)?);
                // SAFETY: both are C strings.
                unsafe { query::resolve(host.as_ptr(), port.as_ptr(), 0, abi::FI_FORMAT_UNSPEC) }.map(Some)
            });
        // SAFETY: the result array has nodecnt * svccnt entries.
        unsafe { insert_all::<P>(av, addresses, out, flags, context) }
    })
}

unsafe extern "C" fn remove<P: Provider>(
    av: *mut abi::fid_av,
    addrs: *mut abi::fi_addr_t,
    count: usize,
    flags: u64,
) -> c_int {
    guard(|| {
        if flags != 0 {
            return Err(Error::BADFLAGS);
        }
        // SAFETY: an open address vector.
        let obj = unsafe { &*(av as *mut AvObj<P>) };
        let mut st = obj.shared.state.lock();
        for i in 0..count {
            // SAFETY: count entries are readable.
            st.avs[obj.key].remove(unsafe { *addrs.add(i) })?;
        }
        Ok(0)
    })
}

unsafe extern "C" fn lookup<P: Provider>(
    av: *mut abi::fid_av,
    fi_addr: abi::fi_addr_t,
    buf: *mut c_void,
    len: *mut usize,
) -> c_int {
    guard(|| {
        // SAFETY: an open address vector.
        let obj = unsafe { &*(av as *mut AvObj<P>) };
        let a = obj.shared.state.lock().avs[obj.key].get(fi_addr).ok_or(Error::INVAL)?;
        // SAFETY: buffer and length as the API says; a short buffer gets what fits and the whole length.
        unsafe { ffi::copy_out(&addr::to_bytes(&a), buf, len, false) }
    })
}

unsafe extern "C" fn straddr(
    _av: *mut abi::fid_av,
    a: *const c_void,
    buf: *mut c_char,
    len: *mut usize,
) -> *const c_char {
    // SAFETY: an address in the vector's format.
    let text = match unsafe { addr::from_raw(a, 0, abi::FI_SOCKADDR) } {
        Ok(Some(a)) => addr::text(&a),
        _ => return std::ptr::null(),
    };
    let mut bytes = text.into_bytes();
    bytes.push(0);
    // SAFETY: buf has *len bytes; the text is cut to fit and stays a C string.
    unsafe {
        let room = *len;
        let _ = ffi::copy_out(&bytes, buf as *mut c_void, len, false);
        if room != 0 && room < bytes.len() {
            *buf.add(room - 1) = 0;
        }
    }
    buf
}

#[cfg(test)]
mod tests {
    #[test]
    fn trailing_numbers_count_up_with_their_width() {
        assert_eq!(super::counted("node07"), ("node", 7, 2));
        assert_eq!(super::counted("10.0.0.9"), ("10.0.0.", 9, 1));
        assert_eq!(super::counted("host"), ("host", 0, 0));
    }
}
