//! `fi_fabric`: the provider is found by name and opens the fabric; the hooks that `FI_HOOK` names are put over it.

use crate::layout::{self, Layout};
use crate::registry::Handle;
use crate::{Code, cmem, filter, log, params, registry};
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
    if let Some(names) = params::own(c"FI_HOOK") {
        // SAFETY: `out` is writable and has what the provider opened.
        unsafe { *out = hooked(*out, provider.handle, &names) };
    }
    Ok(())
}

/// Puts hook providers over a fabric, in the order of their names, each over those before it. Each takes over what it is
/// put on and closes it with itself. One that is not there or fails is left out.
///
/// # Safety
/// `fabric` is an open fabric of the provider.
unsafe fn hooked(mut fabric: *mut fid_fabric, provider: Handle, names: &str) -> *mut fid_fabric {
    for name in names.split(';').map(str::trim).filter(|n| !n.is_empty()) {
        // SAFETY: the structure lives until unload.
        let open = registry::find_hook(name).and_then(|h| unsafe { (*h.0).fabric });
        let Some(open) = open else {
            log::warn!("FI_HOOK: there is no hook provider {name}; it is left out");
            continue;
        };
        // A hook looks at the fabric below it and nothing else.
        let mut attr = fi_fabric_attr {
            fabric,
            name: std::ptr::null_mut(),
            prov_name: std::ptr::null_mut(),
            prov_version: 0,
            api_version: 0,
        };
        let mut over = std::ptr::null_mut();
        // SAFETY: the hook's function; the context of a hook is the provider below it.
        match unsafe { open(&mut attr, &mut over, provider.0.cast()) } {
            0 if !over.is_null() => fabric = over,
            e => log::warn!("FI_HOOK: hook provider {name} returned {e}; it is left out"),
        }
    }
    fabric
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

    /// What a hook of these tests opens: a fabric with the fabric below and the provider's structure in its context.
    unsafe extern "C" fn hook(
        attr: *mut fi_fabric_attr,
        out: *mut *mut fid_fabric,
        below: *mut c_void,
    ) -> i32 {
        // SAFETY: the core passes valid attributes and a writable place; the test frees the objects.
        unsafe {
            let over: *mut fid_fabric = cmem::zeroed();
            (*over).fid.context = (*attr).fabric.cast();
            (*over).ops = below.cast();
            *out = over;
        }
        0
    }

    unsafe extern "C" fn failing(_: *mut fi_fabric_attr, _: *mut *mut fid_fabric, _: *mut c_void) -> i32 {
        -abi::FI_ENOMEM
    }

    #[test]
    fn hooks_are_put_over_a_fabric_in_order_and_missing_ones_left_out() {
        type Open = unsafe extern "C" fn(*mut fi_fabric_attr, *mut *mut fid_fabric, *mut c_void) -> i32;
        for (name, open) in [(c"ofi_hook_fab_one", hook as Open), (c"fab_two", hook), (c"fab_bad", failing)] {
            let provider = fake::provider(name);
            (provider.getinfo, provider.fabric) = (None, Some(open));
            registry::register(provider);
        }
        let below = Handle(fake::provider(c"below"));
        // SAFETY: objects are one block of C's memory each, and freed after their last use.
        unsafe {
            let bottom: *mut fid_fabric = cmem::zeroed();
            assert_eq!(hooked(bottom, below, " ;nothing;fab_bad"), bottom);
            let top = hooked(bottom, below, "FAB_one; fab_bad;fab_two");
            assert_eq!((*top).ops.cast(), below.0, "a hook is told the provider below");
            let middle: *mut fid_fabric = (*top).fid.context.cast();
            assert_ne!(middle, bottom);
            assert_eq!((*middle).fid.context.cast(), bottom);
            for f in [top, middle, bottom] {
                cmem::free(f);
            }
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
