//! Copies of `fid_nic`. A provider's nic copies and frees itself through its own operations; one without operations (an
//! application's hints, or a simple provider) is copied and freed here.

use crate::cmem;
use abi::{fi_bus_attr, fi_device_attr, fi_link_attr, fid, fid_nic};
use libc::{c_char, c_int, c_void};

static mut OPS: abi::fi_ops = abi::fi_ops {
    size: size_of::<abi::fi_ops>(),
    close: Some(close),
    bind: None,
    control: Some(control),
    ops_open: None,
    tostr: None,
    ops_set: None,
};

/// A copy of `nic`, or NULL where its owner does not let it be copied. `Err` when memory is out.
///
/// # Safety
/// `nic` is NULL or a valid nic.
pub(crate) unsafe fn dup(nic: *const fid_nic) -> Result<*mut fid_nic, ()> {
    if nic.is_null() {
        return Ok(std::ptr::null_mut());
    }
    // SAFETY: valid by contract, and so are its operations.
    unsafe {
        if (*nic).fid.ops.is_null() {
            return copy(nic);
        }
        let Some(control) = (*(*nic).fid.ops).control else { return copy(nic) };
        let mut out: *mut fid_nic = std::ptr::null_mut();
        match control(nic.cast::<fid>().cast_mut(), abi::FI_DUP, (&raw mut out).cast()) {
            0 => Ok(out),
            e if e == -abi::FI_ENOMEM => Err(()),
            // It knows no FI_DUP: its public facts are still worth passing on.
            e if e == -abi::FI_ENOSYS => copy(nic),
            _ => Ok(std::ptr::null_mut()),
        }
    }
}

/// Frees a nic that belongs to an info.
///
/// # Safety
/// `nic` is NULL or valid, and is not used again.
pub(crate) unsafe fn free(nic: *mut fid_nic) {
    if nic.is_null() {
        return;
    }
    // SAFETY: valid by contract; without operations of its own it was made of C's memory like the info around it.
    unsafe {
        let close = (*nic).fid.ops.as_ref().and_then(|ops| ops.close);
        match close {
            Some(close) => {
                close(&raw mut (*nic).fid);
            }
            None => free_parts(nic),
        }
    }
}

/// Every text of a nic, by the address of its pointer.
///
/// # Safety
/// `nic` is valid.
unsafe fn texts(nic: *mut fid_nic) -> impl Iterator<Item = *mut *mut c_char> {
    // SAFETY: only addresses of members are taken, and only where the attribute exists.
    let (device, link) = unsafe {
        let d = (*nic).device_attr;
        let l = (*nic).link_attr;
        let device = (!d.is_null()).then(|| {
            [
                &raw mut (*d).name,
                &raw mut (*d).device_id,
                &raw mut (*d).device_version,
                &raw mut (*d).vendor_id,
                &raw mut (*d).driver,
                &raw mut (*d).firmware,
            ]
        });
        let link = (!l.is_null()).then(|| [&raw mut (*l).address, &raw mut (*l).network_type]);
        (device, link)
    };
    device.into_iter().flatten().chain(link.into_iter().flatten())
}

/// # Safety
/// `nic` is valid.
unsafe fn copy(nic: *const fid_nic) -> Result<*mut fid_nic, ()> {
    let new: *mut fid_nic = cmem::zeroed();
    if new.is_null() {
        return Err(());
    }
    // SAFETY: `new` is a zeroed nic; texts that are not yet copied are cleared before they could be freed.
    unsafe {
        (*new).fid = fid { fclass: (*nic).fid.fclass, context: std::ptr::null_mut(), ops: &raw mut OPS };
        let parts = || -> Result<(), ()> {
            let size = size_of::<fi_bus_attr>();
            (*new).bus_attr = cmem::dup_bytes((*nic).bus_attr.cast(), size)?.cast();
            let size = size_of::<fi_device_attr>();
            (*new).device_attr = cmem::dup_bytes((*nic).device_attr.cast(), size)?.cast();
            let size = size_of::<fi_link_attr>();
            let link = cmem::dup_bytes((*nic).link_attr.cast(), size);
            (*new).link_attr = link.unwrap_or(std::ptr::null_mut()).cast();
            let mut ok = link.is_ok();
            for slot in texts(new) {
                let copied = if ok { cmem::dup_str(*slot) } else { Err(()) };
                ok = copied.is_ok();
                *slot = copied.unwrap_or(std::ptr::null_mut());
            }
            if ok { Ok(()) } else { Err(()) }
        };
        if parts().is_err() {
            // Either the texts were all copied or cleared above, or device_attr itself is missing.
            free_parts(new);
            return Err(());
        }
    }
    Ok(new)
}

/// # Safety
/// `nic` and all it points to is C's memory and is not used again.
unsafe fn free_parts(nic: *mut fid_nic) {
    // SAFETY: by contract.
    unsafe {
        for slot in texts(nic) {
            cmem::free(*slot);
        }
        cmem::free((*nic).device_attr);
        cmem::free((*nic).bus_attr);
        cmem::free((*nic).link_attr);
        cmem::free(nic);
    }
}

unsafe extern "C" fn close(fid: *mut fid) -> c_int {
    // SAFETY: only nics made by `copy` have these operations, and `fid` is their first member.
    unsafe { free_parts(fid.cast()) };
    0
}

unsafe extern "C" fn control(fid: *mut fid, command: c_int, arg: *mut c_void) -> c_int {
    if command != abi::FI_DUP || arg.is_null() {
        return -abi::FI_ENOSYS;
    }
    // SAFETY: only nics made by `copy` have these operations; FI_DUP's argument is where the copy goes.
    unsafe {
        match copy(fid.cast()) {
            Ok(new) => {
                *arg.cast::<*mut fid_nic>() = new;
                0
            }
            Err(()) => -abi::FI_ENOMEM,
        }
    }
}
