//! The fabric object: opens domains and event queues, and cannot close before them.

use crate::domain;
use crate::eq;
use crate::ffi::{self, guard, nosys};
use crate::provider::Provider;
use crate::{Error, Result};
use libc::{c_int, c_void};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[repr(C)]
pub(crate) struct FabricObj<P: Provider> {
    fid: abi::fid_fabric,
    refs: Arc<AtomicUsize>,
    provider: PhantomData<P>,
}

impl<P: Provider> FabricObj<P> {
    const FI_OPS: abi::fi_ops = abi::fi_ops {
        size: size_of::<abi::fi_ops>(),
        close: Some(close::<P>),
        bind: nosys!(3),
        control: nosys!(3),
        ops_open: nosys!(5),
        tostr: None,
        ops_set: nosys!(5),
    };
    const OPS: abi::fi_ops_fabric = abi::fi_ops_fabric {
        size: size_of::<abi::fi_ops_fabric>(),
        domain: Some(open_domain::<P>),
        passive_ep: nosys!(4),
        eq_open: Some(eq_open::<P>),
        wait_open: nosys!(3),
        trywait: nosys!(3),
        domain2: Some(open_domain2::<P>),
    };

    /// API version that the application asked for; the core wrote it after the fabric was opened.
    pub(crate) fn api_version(&self) -> u32 {
        self.fid.api_version
    }

    pub(crate) fn refs(&self) -> Arc<AtomicUsize> {
        self.refs.clone()
    }
}

/// `fi_fabric` of a provider.
///
/// # Safety
/// As the core calls it.
pub(crate) unsafe extern "C" fn open<P: Provider>(
    attr: *mut abi::fi_fabric_attr,
    fabric: *mut *mut abi::fid_fabric,
    context: *mut c_void,
) -> c_int {
    guard(|| {
        // SAFETY: NULL or valid by the core's contract.
        let attr = unsafe { attr.as_ref() }.ok_or(Error::INVAL)?;
        if attr.name.is_null() || fabric.is_null() {
            return Err(Error::INVAL);
        }
        let obj = Box::new(FabricObj::<P> {
            fid: abi::fid_fabric {
                fid: ffi::fid(abi::FI_CLASS_FABRIC, context, &FabricObj::<P>::FI_OPS),
                ops: &raw const *(&FabricObj::<P>::OPS as &'static _) as *mut _,
                api_version: attr.api_version,
            },
            refs: Arc::default(),
            provider: PhantomData,
        });
        // SAFETY: checked above for NULL, writable by contract.
        unsafe { *fabric = Box::into_raw(obj) as *mut abi::fid_fabric };
        Ok(0)
    })
}

unsafe extern "C" fn close<P: Provider>(fid: *mut abi::fid) -> c_int {
    guard(|| {
        // SAFETY: an open fabric by the API's contract.
        if unsafe { &*(fid as *mut FabricObj<P>) }.refs.load(Ordering::Acquire) != 0 {
            return Err(Error::BUSY);
        }
        // SAFETY: made by Box in `open`; nothing refers to it any more.
        drop(unsafe { Box::from_raw(fid as *mut FabricObj<P>) });
        Ok(0)
    })
}

unsafe extern "C" fn open_domain<P: Provider>(
    fabric: *mut abi::fid_fabric,
    info: *mut abi::fi_info,
    out: *mut *mut abi::fid_domain,
    context: *mut c_void,
) -> c_int {
    guard(|| -> Result<c_int> {
        // SAFETY: an open fabric of this provider, a valid info and a writable result by the API's contract.
        unsafe {
            let fabric = &*(fabric as *mut FabricObj<P>);
            let info = info.as_ref().ok_or(Error::INVAL)?;
            domain::open::<P>(fabric, info, out, context)?;
        }
        Ok(0)
    })
}

unsafe extern "C" fn open_domain2<P: Provider>(
    fabric: *mut abi::fid_fabric,
    info: *mut abi::fi_info,
    out: *mut *mut abi::fid_domain,
    flags: u64,
    context: *mut c_void,
) -> c_int {
    // The one flag of the API shares a domain with a peer provider, which is not offered.
    if flags != 0 {
        return Error::BADFLAGS.ret();
    }
    // SAFETY: same contract.
    unsafe { open_domain::<P>(fabric, info, out, context) }
}

unsafe extern "C" fn eq_open<P: Provider>(
    fabric: *mut abi::fid_fabric,
    attr: *mut abi::fi_eq_attr,
    out: *mut *mut abi::fid_eq,
    context: *mut c_void,
) -> c_int {
    guard(|| {
        // SAFETY: API contract.
        unsafe {
            let fabric = &*(fabric as *mut FabricObj<P>);
            eq::open(attr, out, context, fabric.refs())?;
        }
        Ok(0)
    })
}
