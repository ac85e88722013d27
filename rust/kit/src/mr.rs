//! Memory registration: keys, bounds and access rights of regions, and their C object.

use crate::domain::{self, Shared};
use crate::ffi::{self, guard, nosys};
use crate::iov::UserIov;
use crate::provider::{Domain, Provider};
use crate::{Error, Result};
use libc::{c_int, c_void, iovec};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Access rights that a region may have.
const ACCESS: u64 =
    abi::FI_SEND | abi::FI_RECV | abi::FI_READ | abi::FI_WRITE | abi::FI_REMOTE_READ | abi::FI_REMOTE_WRITE;

/// The regions of a domain by key.
#[derive(Default)]
pub(crate) struct Table {
    regions: FxHashMap<u64, Region>,
}

/// What a remote access is held against.
#[allow(dead_code, reason = "read by the access check of RMA operations")]
pub(crate) struct Region {
    pub(crate) memory: UserIov,
    pub(crate) access: u64,
    pub(crate) offset: u64,
}

#[repr(C)]
struct MrObj<P: Provider> {
    fid: abi::fid_mr,
    shared: Arc<Shared<P>>,
}

impl<P: Provider> MrObj<P> {
    const FI_OPS: abi::fi_ops = abi::fi_ops {
        size: size_of::<abi::fi_ops>(),
        close: Some(close::<P>),
        bind: nosys!(3),
        control: nosys!(3),
        ops_open: nosys!(5),
        tostr: None,
        ops_set: nosys!(5),
    };
}

/// Registers memory under the requested key. `FI_ENOKEY`: the key is in use.
fn register<P: Provider>(
    domain: &Arc<Shared<P>>,
    memory: UserIov,
    access: u64,
    offset: u64,
    key: u64,
    context: *mut c_void,
) -> Result<*mut abi::fid_mr> {
    if access & !ACCESS != 0 {
        return Err(Error::INVAL);
    }
    {
        let mut st = domain.state.lock();
        if st.mrs.regions.contains_key(&key) {
            return Err(Error::new(abi::FI_ENOKEY));
        }
        st.provider.memory_registered(key, &memory);
        st.mrs.regions.insert(key, Region { memory, access, offset });
    }
    domain.refs.fetch_add(1, Ordering::Relaxed);
    let obj = Box::into_raw(Box::new(MrObj::<P> {
        fid: abi::fid_mr {
            fid: ffi::fid(abi::FI_CLASS_MR, context, &MrObj::<P>::FI_OPS),
            mem_desc: std::ptr::null_mut(),
            key,
        },
        shared: domain.clone(),
    }));
    // SAFETY: just made. The descriptor only needs to be recognisable: local access needs no registration here.
    unsafe { (*obj).fid.mem_desc = obj as *mut c_void };
    Ok(obj as *mut abi::fid_mr)
}

unsafe extern "C" fn close<P: Provider>(fid: *mut abi::fid) -> c_int {
    guard(|| {
        // SAFETY: an open region, made by Box in `register`.
        let obj = unsafe { Box::from_raw(fid as *mut MrObj<P>) };
        let key = obj.fid.key;
        {
            let mut st = obj.shared.state.lock();
            st.provider.memory_closed(key);
            st.mrs.regions.remove(&key);
        }
        obj.shared.refs.fetch_sub(1, Ordering::Release);
        Ok(0)
    })
}

/// The domain that a registration call names: the call takes the domain as a bare object.
///
/// # Safety
/// An open object of this provider.
unsafe fn domain_of<'a, P: Provider>(fid: *mut abi::fid) -> Result<&'a Arc<Shared<P>>> {
    // SAFETY: by contract.
    unsafe {
        if (*fid).fclass != abi::FI_CLASS_DOMAIN as usize {
            return Err(Error::INVAL);
        }
        Ok(domain::shared::<P>(fid as *mut abi::fid_domain))
    }
}

pub(crate) unsafe extern "C" fn reg<P: Provider>(
    fid: *mut abi::fid,
    buf: *const c_void,
    len: usize,
    access: u64,
    offset: u64,
    requested_key: u64,
    flags: u64,
    mr: *mut *mut abi::fid_mr,
    context: *mut c_void,
) -> c_int {
    let iov = iovec { iov_base: buf as *mut c_void, iov_len: len };
    // SAFETY: same contract, one segment.
    unsafe { regv::<P>(fid, &iov, 1, access, offset, requested_key, flags, mr, context) }
}

pub(crate) unsafe extern "C" fn regv<P: Provider>(
    fid: *mut abi::fid,
    iov: *const iovec,
    count: usize,
    access: u64,
    offset: u64,
    requested_key: u64,
    flags: u64,
    mr: *mut *mut abi::fid_mr,
    context: *mut c_void,
) -> c_int {
    guard(|| {
        if flags != 0 {
            return Err(Error::BADFLAGS);
        }
        // SAFETY: an open domain, and memory that stays valid until the region is closed, by the API's contract.
        unsafe {
            let memory = UserIov::many(iov, count)?;
            *mr = register(domain_of::<P>(fid)?, memory, access, offset, requested_key, context)?;
        }
        Ok(0)
    })
}

pub(crate) unsafe extern "C" fn regattr<P: Provider>(
    fid: *mut abi::fid,
    attr: *const abi::fi_mr_attr,
    flags: u64,
    mr: *mut *mut abi::fid_mr,
) -> c_int {
    guard(|| {
        if flags != 0 {
            return Err(Error::BADFLAGS);
        }
        // SAFETY: API contract. Only members that every version of the struct has are read.
        unsafe {
            let iov = (*attr).source.mr_iov;
            let memory = UserIov::many(iov, (*attr).iov_count)?;
            let (access, offset, key) = ((*attr).access, (*attr).offset, (*attr).requested_key);
            *mr = register(domain_of::<P>(fid)?, memory, access, offset, key, (*attr).context)?;
        }
        Ok(0)
    })
}
