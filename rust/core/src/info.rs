//! `fi_info` objects: made, copied deeply and freed. Applications replace and free members themselves, so everything is
//! C's memory.

use crate::layout::{self, Layout, Widened};
use crate::{cmem, nic};
use abi::fi_info;
use libc::c_void;

/// An empty info with all attributes, zeroed. NULL when memory is out.
pub(crate) fn alloc() -> *mut fi_info {
    let info: *mut fi_info = cmem::zeroed();
    if info.is_null() {
        return info;
    }
    // SAFETY: `info` was just made; `free_list` takes the half made one back.
    unsafe {
        (*info).tx_attr = cmem::zeroed();
        (*info).rx_attr = cmem::zeroed();
        (*info).ep_attr = cmem::zeroed();
        (*info).domain_attr = cmem::zeroed();
        (*info).fabric_attr = cmem::zeroed();
        let whole = !(*info).tx_attr.is_null()
            && !(*info).rx_attr.is_null()
            && !(*info).ep_attr.is_null()
            && !(*info).domain_attr.is_null()
            && !(*info).fabric_attr.is_null();
        if !whole {
            free_list(info);
            return std::ptr::null_mut();
        }
    }
    info
}

/// A deep copy of one info (not of its list) that the caller has in form `layout`. NULL when memory is out.
///
/// # Safety
/// `src` is NULL or an info in that form.
pub(crate) unsafe fn dup(src: *const fi_info, layout: Layout) -> *mut fi_info {
    if src.is_null() {
        return alloc();
    }
    if layout != layout::NEWEST {
        // SAFETY: by contract.
        let wide = unsafe { Widened::new(src, layout) };
        // SAFETY: `wide` is in today's form and outlives the call.
        return unsafe { dup(wide.as_ptr(), layout::NEWEST) };
    }
    let new: *mut fi_info = cmem::zeroed();
    if new.is_null() {
        return new;
    }
    // SAFETY: `src` is valid by contract, `new` is zeroed; on failure `new` holds only copies, never `src`'s pointers.
    unsafe {
        if copy_into(new, &*src).is_err() {
            free_list(new);
            return std::ptr::null_mut();
        }
    }
    new
}

/// # Safety
/// `new` is zeroed.
unsafe fn copy_into(new: *mut fi_info, src: &fi_info) -> Result<(), ()> {
    // SAFETY: members of `src` are valid or NULL; each attribute's own pointers are cleared right after the plain copy,
    // so that an early return leaves nothing that belongs to `src`.
    unsafe {
        (*new).caps = src.caps;
        (*new).mode = src.mode;
        (*new).addr_format = src.addr_format;
        (*new).handle = src.handle;
        (*new).src_addr = cmem::dup_bytes(src.src_addr, src.src_addrlen)?;
        (*new).src_addrlen = src.src_addrlen;
        (*new).dest_addr = cmem::dup_bytes(src.dest_addr, src.dest_addrlen)?;
        (*new).dest_addrlen = src.dest_addrlen;
        (*new).tx_attr = attr(src.tx_attr)?;
        (*new).rx_attr = attr(src.rx_attr)?;

        let ep = attr(src.ep_attr)?;
        (*new).ep_attr = ep;
        if let Some(old) = src.ep_attr.as_ref() {
            (*ep).auth_key = std::ptr::null_mut();
            (*ep).auth_key = key(old.auth_key, old.auth_key_size)?;
        }
        let domain = attr(src.domain_attr)?;
        (*new).domain_attr = domain;
        if let Some(old) = src.domain_attr.as_ref() {
            (*domain).name = std::ptr::null_mut();
            (*domain).auth_key = std::ptr::null_mut();
            (*domain).name = cmem::dup_str(old.name)?;
            (*domain).auth_key = key(old.auth_key, old.auth_key_size)?;
        }
        let fabric = attr(src.fabric_attr)?;
        (*new).fabric_attr = fabric;
        if let Some(old) = src.fabric_attr.as_ref() {
            (*fabric).name = std::ptr::null_mut();
            (*fabric).prov_name = std::ptr::null_mut();
            (*fabric).name = cmem::dup_str(old.name)?;
            (*fabric).prov_name = cmem::dup_str(old.prov_name)?;
        }
        (*new).nic = nic::dup(src.nic)?;
    }
    Ok(())
}

/// An authorisation key. `FI_AV_AUTH_KEY` in place of a size says that keys come from the address vector: no bytes then.
///
/// # Safety
/// `len` bytes are readable, unless it is that mark.
unsafe fn key(src: *const u8, len: usize) -> Result<*mut u8, ()> {
    let len = if len as u64 == abi::FI_AV_AUTH_KEY { 0 } else { len };
    // SAFETY: by contract.
    unsafe { cmem::dup_bytes(src.cast(), len) }.map(<*mut c_void>::cast)
}

/// # Safety
/// `src` is NULL or valid.
unsafe fn attr<T>(src: *const T) -> Result<*mut T, ()> {
    // SAFETY: by contract.
    unsafe { cmem::dup_bytes(src.cast(), size_of::<T>()) }.map(<*mut c_void>::cast)
}

/// Frees a list of infos with everything they point to. NULL is an empty list.
///
/// # Safety
/// Each info and what it points to is C's memory and is not used again.
pub(crate) unsafe fn free_list(mut info: *mut fi_info) {
    while !info.is_null() {
        // SAFETY: by contract.
        unsafe {
            let i = &*info;
            let next = i.next;
            cmem::free(i.src_addr);
            cmem::free(i.dest_addr);
            cmem::free(i.tx_attr);
            cmem::free(i.rx_attr);
            if let Some(ep) = i.ep_attr.as_ref() {
                cmem::free(ep.auth_key);
            }
            cmem::free(i.ep_attr);
            if let Some(domain) = i.domain_attr.as_ref() {
                cmem::free(domain.auth_key);
                cmem::free(domain.name);
            }
            cmem::free(i.domain_attr);
            if let Some(fabric) = i.fabric_attr.as_ref() {
                cmem::free(fabric.name);
                cmem::free(fabric.prov_name);
            }
            cmem::free(i.fabric_attr);
            nic::free(i.nic);
            cmem::free(info);
            info = next;
        }
    }
}
