//! Hints, results, and texts for them.

use crate::{Failed, check};
use libc::{c_char, c_void};
use std::ffi::{CStr, CString};
use std::ptr;

/// An empty info to be filled as hints.
pub struct Hints(*mut abi::fi_info);

impl Hints {
    pub fn new() -> Hints {
        // SAFETY: NULL asks for an empty info with all attributes.
        let p = unsafe { abi::fi_dupinfo(ptr::null()) };
        assert!(!p.is_null(), "out of memory");
        Hints(p)
    }

    /// For setting members.
    pub fn get(&mut self) -> &mut abi::fi_info {
        // SAFETY: owned and valid.
        unsafe { &mut *self.0 }
    }

    /// Sets the destination. The format is that of the address, which every provider with connections can tell.
    pub fn set_destination(&mut self, name: &[u8]) {
        // SAFETY: the library frees the copy with the hints.
        let copy = unsafe { libc::malloc(name.len()) };
        assert!(!copy.is_null(), "out of memory");
        // SAFETY: the copy is as long.
        unsafe { ptr::copy_nonoverlapping(name.as_ptr(), copy as *mut u8, name.len()) };
        (self.get().dest_addr, self.get().dest_addrlen) = (copy, name.len());
    }

    pub fn ep(&mut self) -> &mut abi::fi_ep_attr {
        // SAFETY: fi_dupinfo(NULL) allocates all attributes.
        unsafe { &mut *self.get().ep_attr }
    }

    pub fn domain(&mut self) -> &mut abi::fi_domain_attr {
        // SAFETY: as above.
        unsafe { &mut *self.get().domain_attr }
    }

    pub fn fabric(&mut self) -> &mut abi::fi_fabric_attr {
        // SAFETY: as above.
        unsafe { &mut *self.get().fabric_attr }
    }
}

impl Default for Hints {
    fn default() -> Self {
        Hints::new()
    }
}

impl Drop for Hints {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { abi::fi_freeinfo(self.0) }
    }
}

/// A copy of a text that the library frees with the info.
pub fn owned_by_c(text: &str) -> *mut c_char {
    let c = CString::new(text).unwrap_or_default();
    // SAFETY: a C string.
    unsafe { libc::strdup(c.as_ptr()) }
}

/// What `fi_getinfo` found.
pub struct InfoList(*mut abi::fi_info);

impl InfoList {
    /// Asks for the newest version that both this program and the library know.
    pub fn query(
        node: Option<&str>,
        service: Option<&str>,
        flags: u64,
        hints: Option<&Hints>,
    ) -> Result<InfoList, Failed> {
        let c = |t: Option<&str>| t.map(|t| CString::new(t).unwrap_or_default());
        let (node, service) = (c(node), c(service));
        let p = |t: &Option<CString>| t.as_ref().map_or(ptr::null(), |t| t.as_ptr());
        let mut out = ptr::null_mut();
        // SAFETY: strings and hints live through the call; the result is owned below.
        let ret = unsafe {
            abi::fi_getinfo(
                abi::API_VERSION.min(abi::fi_version()),
                p(&node),
                p(&service),
                flags,
                hints.map_or(ptr::null(), |h| h.0),
                &mut out,
            )
        };
        check("fi_getinfo", ret)?;
        Ok(InfoList(out))
    }

    pub fn iter(&self) -> impl Iterator<Item = Info<'_>> {
        let mut at = self.0;
        std::iter::from_fn(move || {
            // SAFETY: members of the owned list, which outlives the iterator.
            let i = unsafe { at.as_ref() }?;
            at = i.next;
            Some(Info(i))
        })
    }
}

impl Drop for InfoList {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { abi::fi_freeinfo(self.0) }
    }
}

/// One result.
#[derive(Clone, Copy)]
pub struct Info<'a>(pub &'a abi::fi_info);

/// NULL gives an empty text.
fn text(p: *const c_char) -> String {
    if p.is_null() {
        return String::new();
    }
    // SAFETY: names in an info are C strings.
    unsafe { CStr::from_ptr(p) }.to_string_lossy().into_owned()
}

impl Info<'_> {
    pub fn fabric(&self) -> Option<&abi::fi_fabric_attr> {
        // SAFETY: NULL or valid while the list lives.
        unsafe { self.0.fabric_attr.as_ref() }
    }

    pub fn domain(&self) -> Option<&abi::fi_domain_attr> {
        // SAFETY: as above.
        unsafe { self.0.domain_attr.as_ref() }
    }

    pub fn ep(&self) -> Option<&abi::fi_ep_attr> {
        // SAFETY: as above.
        unsafe { self.0.ep_attr.as_ref() }
    }

    pub fn tx(&self) -> Option<&abi::fi_tx_attr> {
        // SAFETY: as above.
        unsafe { self.0.tx_attr.as_ref() }
    }

    pub fn provider(&self) -> String {
        self.fabric().map_or(String::new(), |f| text(f.prov_name))
    }

    pub fn provider_version(&self) -> u32 {
        self.fabric().map_or(0, |f| f.prov_version)
    }

    pub fn fabric_name(&self) -> String {
        self.fabric().map_or(String::new(), |f| text(f.name))
    }

    pub fn domain_name(&self) -> String {
        self.domain().map_or(String::new(), |d| text(d.name))
    }

    /// The whole of it, as `fi_tostr` writes it.
    pub fn describe(&self) -> String {
        tostr(self.0, abi::FI_TYPE_INFO)
    }
}

/// `fi_tostr` of a value.
pub fn tostr<T>(value: &T, kind: abi::fi_type) -> String {
    // SAFETY: the caller gives the value that the kind says; the text is copied before the next call.
    text(unsafe { abi::fi_tostr(value as *const T as *const c_void, kind) })
}

/// Reads `FI_MSG|FI_RMA` and the like with the help of the library's own texts: the inverse of `fi_tostr`. The value has 64
/// bits for flags, or is an enumeration of small numbers. An error names the word that is not known.
pub fn flags_from_text(list: &str, kind: abi::fi_type, is_flags: bool) -> Result<u64, String> {
    let mut out = 0;
    for word in list.split(['|', ',']).map(str::trim).filter(|w| !w.is_empty()) {
        let known = if is_flags {
            (0..64).map(|b| 1u64 << b).find(|v| tostr(v, kind).eq_ignore_ascii_case(word))
        } else {
            (0..64u64).find(|v| tostr(&(*v as u32), kind).eq_ignore_ascii_case(word))
        };
        out |= known.ok_or_else(|| format!("{word} is not known"))?;
    }
    Ok(out)
}
