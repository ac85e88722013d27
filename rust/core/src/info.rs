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

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    /// An info with something in every place that a copy must not share.
    fn full() -> *mut fi_info {
        let p = alloc();
        // SAFETY: just made with all attributes; everything given to it is C's memory.
        unsafe {
            let i = &mut *p;
            i.caps = abi::FI_MSG;
            i.addr_format = abi::FI_ADDR_STR;
            (i.src_addr, i.src_addrlen) = (cmem::c_string("src").cast(), 4);
            (i.dest_addr, i.dest_addrlen) = (cmem::c_string("dest").cast(), 5);
            (*i.tx_attr).tclass = 7;
            (*i.ep_attr).auth_key = cmem::c_string("epkey").cast();
            (*i.ep_attr).auth_key_size = 6;
            (*i.domain_attr).name = cmem::c_string("eth0");
            (*i.domain_attr).auth_key = cmem::c_string("key").cast();
            (*i.domain_attr).auth_key_size = 4;
            (*i.domain_attr).tclass = 9;
            (*i.domain_attr).max_cntr_value = 11;
            (*i.fabric_attr).name = cmem::c_string("net");
            (*i.fabric_attr).prov_name = cmem::c_string("dpdk");
            (*i.fabric_attr).api_version = abi::FI_VERSION(2, 6);
            i.nic = cmem::zeroed();
            (*i.nic).link_attr = cmem::zeroed();
            (*(*i.nic).link_attr).address = cmem::c_string("aa:bb");
            (*(*i.nic).link_attr).mtu = 9000;
        }
        p
    }

    /// # Safety
    /// A C string.
    unsafe fn str_at<'a, T>(p: *const T) -> &'a CStr {
        // SAFETY: by contract.
        unsafe { CStr::from_ptr(p.cast()) }
    }

    #[test]
    fn nothing_gives_an_empty_info_with_all_attributes() {
        // SAFETY: NULL is allowed; the result is valid until it is freed.
        unsafe {
            for node in [0, 1, 2, 3, 7, 8, 9] {
                let p = dup(std::ptr::null(), Layout::of_node(node));
                let i = &*p;
                assert!(!i.tx_attr.is_null() && !i.rx_attr.is_null() && !i.ep_attr.is_null());
                assert!(!i.domain_attr.is_null() && !i.fabric_attr.is_null() && i.nic.is_null());
                assert_eq!((*i.domain_attr).max_err_cntr_value, 0);
                free_list(p);
            }
        }
    }

    #[test]
    fn a_copy_shares_nothing_with_the_original() {
        let p = full();
        // SAFETY: both are valid until freed; the original goes first, so a shared part would be read after free.
        unsafe {
            (*p).next = p;
            let q = dup(p, layout::NEWEST);
            (*p).next = std::ptr::null_mut();
            free_list(p);
            let i = &*q;
            assert!(i.next.is_null(), "one info is copied, not its list");
            assert_eq!((i.caps, i.addr_format), (abi::FI_MSG, abi::FI_ADDR_STR));
            assert_eq!((str_at(i.src_addr), str_at(i.dest_addr)), (c"src", c"dest"));
            assert_eq!((*i.tx_attr).tclass, 7);
            assert_eq!(str_at((*i.ep_attr).auth_key), c"epkey");
            assert_eq!(str_at((*i.domain_attr).name), c"eth0");
            assert_eq!(str_at((*i.domain_attr).auth_key), c"key");
            assert_eq!((*i.domain_attr).max_cntr_value, 11);
            assert_eq!(str_at((*i.fabric_attr).name), c"net");
            assert_eq!(str_at((*i.fabric_attr).prov_name), c"dpdk");
            assert_eq!(str_at((*(*i.nic).link_attr).address), c"aa:bb");
            // The nic of a copy copies itself.
            let r = dup(q, layout::NEWEST);
            free_list(q);
            assert_eq!((*(*(*r).nic).link_attr).mtu, 9000);
            assert_eq!(str_at((*(*(*r).nic).link_attr).address), c"aa:bb");
            free_list(r);
        }
    }

    #[test]
    fn an_old_callers_copy_has_only_what_it_knows() {
        let p = full();
        // SAFETY: both are valid until freed.
        unsafe {
            let old = dup(p, Layout::of_node(0));
            let i = &*old;
            assert!(i.nic.is_null());
            assert!((*i.ep_attr).auth_key.is_null() && (*i.domain_attr).auth_key.is_null());
            assert_eq!(((*i.ep_attr).auth_key_size, (*i.domain_attr).auth_key_size), (0, 0));
            assert_eq!(((*i.tx_attr).tclass, (*i.fabric_attr).api_version), (0, 0));
            assert_eq!(str_at((*i.domain_attr).name), c"eth0");
            free_list(old);
            let debian = dup(p, Layout::of_node(3));
            let d = &*(*debian).domain_attr;
            assert_eq!((d.tclass, d.max_cntr_value), (9, 0));
            assert!(!(*debian).nic.is_null());
            free_list(debian);
            free_list(p);
        }
    }

    #[test]
    fn keys_from_the_address_vector_have_no_bytes() {
        let p = alloc();
        // SAFETY: both are valid until freed.
        unsafe {
            (*(*p).domain_attr).auth_key_size = abi::FI_AV_AUTH_KEY as usize;
            let q = dup(p, layout::NEWEST);
            assert_eq!((*(*q).domain_attr).auth_key_size as u64, abi::FI_AV_AUTH_KEY);
            assert!((*(*q).domain_attr).auth_key.is_null());
            free_list(q);
            free_list(p);
        }
    }
}
