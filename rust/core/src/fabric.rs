//! `fi_fabric`: the provider is found by name and opens the fabric.

use crate::layout::{self, Layout};
use crate::{Code, cmem, filter, log, registry};
use abi::{fi_fabric_attr, fi_info, fid_fabric};
use libc::c_void;

/// Opens a fabric with the provider that `attr->prov_name` names, the last of its layers.
///
/// `FI_EINVAL` when the attributes or a name in them are missing, `FI_ENODEV` for an unknown provider; otherwise what
/// the provider says.
///
/// # Safety
/// `attr` is NULL or attributes in form `layout`; `out` is NULL or writable.
pub(crate) unsafe fn open(
    layout: Layout,
    attr: *mut fi_fabric_attr,
    out: *mut *mut fid_fabric,
    context: *mut c_void,
) -> Result<(), Code> {
    if attr.is_null() || out.is_null() {
        return Err(abi::FI_EINVAL);
    }
    if layout.fabric < size_of::<fi_fabric_attr>() {
        // SAFETY: by contract the caller's form has this many bytes.
        let mut wide = unsafe { layout::prefix(attr, layout.fabric) };
        wide.api_version = abi::FI_VERSION(1, 0);
        // SAFETY: `wide` is in today's form and outlives the call.
        return unsafe { open(layout::NEWEST, &mut wide, out, context) };
    }
    // SAFETY: by contract; names are NULL or C strings.
    let (full, fabric_name) = unsafe { (cmem::text((*attr).prov_name), cmem::text((*attr).name)) };
    let (Some(full), Some(_)) = (full, fabric_name) else { return Err(abi::FI_EINVAL) };
    let top = filter::layers(&full).last().unwrap_or(&full);
    let Some(provider) = registry::find(top) else {
        log::warn!("fi_fabric: there is no provider {top}; fi_info -l lists those there are");
        return Err(abi::FI_ENODEV);
    };
    // SAFETY: the structure lives until unload; a provider without this function is not registered.
    let Some(open) = (unsafe { (*provider.handle.0).fabric }) else { return Err(abi::FI_ENODEV) };
    // SAFETY: the provider's function with the application's arguments.
    let ret = unsafe { open(attr, out, context) };
    if ret != 0 {
        return Err(ret.saturating_neg());
    }
    // Before 1.5 the object had no such member.
    if provider.fi_version >= abi::FI_VERSION(1, 5) {
        // SAFETY: the provider opened the fabric; `attr` is in today's form.
        unsafe {
            if let Some(fabric) = (*out).as_mut() {
                fabric.api_version = (*attr).api_version;
            }
        }
    }
    log::info!("opened fabric of provider {full}");
    Ok(())
}

/// Opens the fabric of an info; no flag is known.
///
/// # Safety
/// `info` is NULL or valid; `out` is NULL or writable.
pub(crate) unsafe fn open2(
    info: *mut fi_info,
    out: *mut *mut fid_fabric,
    flags: u64,
    context: *mut c_void,
) -> Result<(), Code> {
    // SAFETY: by contract.
    let attr = unsafe { info.as_ref() }.map(|i| i.fabric_attr).ok_or(abi::FI_EINVAL)?;
    if flags != 0 {
        return Err(abi::FI_EINVAL);
    }
    // SAFETY: by contract.
    unsafe { open(layout::NEWEST, attr, out, context) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::getinfo::fake;
    use std::ffi::CStr;
    use std::ptr::null_mut;

    fn attr(name: Option<&'static CStr>, prov: Option<&'static CStr>) -> fi_fabric_attr {
        let p = |s: Option<&'static CStr>| s.map_or(null_mut(), |s| s.as_ptr().cast_mut());
        let api_version = abi::FI_VERSION(1, 17);
        fi_fabric_attr { fabric: null_mut(), name: p(name), prov_name: p(prov), prov_version: 0, api_version }
    }

    /// Opens and frees: the API version of the fabric, or the error.
    fn open_with(layout: Layout, mut a: fi_fabric_attr) -> Result<u32, Code> {
        let mut out = null_mut();
        // SAFETY: valid attributes; the fake provider's object is one block of C's memory.
        unsafe {
            open(layout, &mut a, &mut out, null_mut())?;
            let version = (*out).api_version;
            cmem::free(out);
            Ok(version)
        }
    }

    #[test]
    fn the_last_layer_opens_the_fabric_and_the_core_sets_its_version() {
        registry::register(fake::provider(c"ofi_fab"));
        let api = abi::FI_VERSION(1, 17);
        assert_eq!(open_with(layout::NEWEST, attr(Some(c"net"), Some(c"ofi_fab"))), Ok(api));
        assert_eq!(open_with(layout::NEWEST, attr(Some(c"net"), Some(c"below;OFI_FAB"))), Ok(api));
        let first = Layout::of_node(0);
        assert_eq!(open_with(first, attr(Some(c"net"), Some(c"ofi_fab"))), Ok(abi::FI_VERSION(1, 0)));
    }

    #[test]
    fn what_is_missing_or_unknown_has_its_error() {
        registry::register(fake::provider(c"fab2"));
        let newest = layout::NEWEST;
        assert_eq!(open_with(newest, attr(None, Some(c"fab2"))), Err(abi::FI_EINVAL));
        assert_eq!(open_with(newest, attr(Some(c"net"), None)), Err(abi::FI_EINVAL));
        assert_eq!(open_with(newest, attr(Some(c"net"), Some(c"fab2;nobody"))), Err(abi::FI_ENODEV));
        assert_eq!(open_with(newest, attr(Some(c"other"), Some(c"fab2"))), Err(abi::FI_ENODATA));
        let mut out = null_mut();
        // SAFETY: NULL is allowed.
        unsafe {
            assert_eq!(open(newest, null_mut(), &mut out, null_mut()), Err(abi::FI_EINVAL));
            assert_eq!(open2(null_mut(), &mut out, 0, null_mut()), Err(abi::FI_EINVAL));
            let info = crate::info::alloc();
            assert_eq!(open2(info, &mut out, 1, null_mut()), Err(abi::FI_EINVAL));
            crate::info::free_list(info);
        }
    }
}
