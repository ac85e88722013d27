//! `fi_getinfo`: asks the providers in order, joins their results into one list and sets what the core knows about
//! each (provider name and version, API version). Nodes, services and attributes are the providers' business.

use crate::filter::Wanted;
use crate::registry::{Entry, Kind};
use crate::{Code, cmem, diagnose, errors, info, log, registry};
use abi::fi_info;
use libc::c_char;

/// Flag bits between the core and providers that sit on others; applications do not set them.
pub(crate) const INTERNAL: u64 = 1 << 58;
const CORE_ONLY: u64 = 1 << 59;
const WITH_HIDDEN: u64 = 1 << 60;
const OFFLOAD_ONLY: u64 = 1 << 61;

/// What is asked for, as the application's pointers: they are handed to each provider.
#[derive(Clone, Copy)]
pub(crate) struct Question {
    pub version: u32,
    pub node: *const c_char,
    pub service: *const c_char,
    pub flags: u64,
    /// In today's form.
    pub hints: *const fi_info,
}

/// A list under construction; freed when dropped.
pub(crate) struct List {
    head: *mut fi_info,
    tail: *mut fi_info,
}

impl List {
    fn new() -> List {
        List { head: std::ptr::null_mut(), tail: std::ptr::null_mut() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head.is_null()
    }

    /// # Safety
    /// `one` is an info of C's memory that is in no list.
    unsafe fn push(&mut self, one: *mut fi_info) {
        // SAFETY: by contract, and `tail` is the last of this list.
        unsafe {
            (*one).next = std::ptr::null_mut();
            match self.tail.as_mut() {
                Some(tail) => tail.next = one,
                None => self.head = one,
            }
        }
        self.tail = one;
    }

    /// The list, which is the caller's from now on.
    pub(crate) fn into_raw(self) -> *mut fi_info {
        let head = self.head;
        std::mem::forget(self);
        head
    }
}

impl Drop for List {
    fn drop(&mut self) {
        // SAFETY: the list is owned.
        unsafe { info::free_list(self.head) }
    }
}

/// Results of all providers.
///
/// `FI_ENOSYS` when the application wants a newer API than this library has, `FI_ENODATA` when there is no result; a
/// log line of level info then says which attribute stood in the way.
///
/// # Safety
/// The question's pointers are those of fi_getinfo(3).
pub(crate) unsafe fn getinfo(q: &Question) -> Result<List, Code> {
    if q.version > abi::API_VERSION {
        log::warn!(
            "the application wants API {}.{}, this library has {}.{}",
            abi::FI_MAJOR(q.version),
            abi::FI_MINOR(q.version),
            abi::FI_MAJOR_VERSION,
            abi::FI_MINOR_VERSION
        );
        return Err(abi::FI_ENOSYS);
    }
    let providers = registry::all();
    let list = if q.flags == abi::FI_PROV_ATTR_ONLY {
        inventory(&providers)?
    } else {
        // SAFETY: by contract.
        let list = unsafe { collect(&providers, q)? };
        if list.is_empty() && q.flags & INTERNAL == 0 && log::own_enabled(abi::FI_LOG_INFO) {
            // SAFETY: by contract.
            let reason = unsafe { diagnose::reason(&providers, q) };
            log::info!("fi_getinfo: {reason}");
        }
        list
    };
    if list.is_empty() { Err(abi::FI_ENODATA) } else { Ok(list) }
}

/// One result per registered provider, hidden and hooks included, with name and version only.
fn inventory(providers: &[Entry]) -> Result<List, Code> {
    let mut list = List::new();
    for p in providers {
        let one = info::alloc();
        if one.is_null() {
            return Err(abi::FI_ENOMEM);
        }
        // SAFETY: `one` was just made with all attributes.
        unsafe {
            list.push(one);
            let fabric = &mut *(*one).fabric_attr;
            fabric.prov_version = p.version;
            fabric.prov_name = cmem::c_string(&p.name);
            if fabric.prov_name.is_null() {
                return Err(abi::FI_ENOMEM);
            }
        }
    }
    Ok(list)
}

/// Text members of the hints that the core itself looks at.
struct Hints {
    provider: Option<String>,
    fabric: Option<String>,
    domain: Option<String>,
}

impl Hints {
    /// # Safety
    /// `hints` is NULL or valid.
    unsafe fn new(hints: *const fi_info) -> Hints {
        // SAFETY: by contract, attributes are NULL or valid and their texts C strings.
        unsafe {
            let fabric = hints.as_ref().and_then(|h| h.fabric_attr.as_ref());
            let domain = hints.as_ref().and_then(|h| h.domain_attr.as_ref());
            Hints {
                provider: fabric.and_then(|f| cmem::text(f.prov_name)),
                fabric: fabric.and_then(|f| cmem::text(f.name)),
                domain: domain.and_then(|d| cmem::text(d.name)),
            }
        }
    }

    fn wanted(&self) -> Option<Wanted<'_>> {
        self.provider.as_deref().map(Wanted::new)
    }
}

/// # Safety
/// As [`getinfo`].
pub(crate) unsafe fn collect(providers: &[Entry], q: &Question) -> Result<List, Code> {
    // SAFETY: by contract.
    let hints = unsafe { Hints::new(q.hints) };
    let mut list = List::new();
    for p in providers {
        // SAFETY: the structure lives until unload.
        let getinfo = unsafe { (*p.handle.0).getinfo };
        let Some(getinfo) = getinfo.filter(|_| is_asked(p, q.flags, &hints)) else { continue };
        if p.fi_version < q.version {
            log::warn!(
                "provider {} speaks API {}.{} and is skipped: {}.{} is asked for",
                p.name,
                abi::FI_MAJOR(p.fi_version),
                abi::FI_MINOR(p.fi_version),
                abi::FI_MAJOR(q.version),
                abi::FI_MINOR(q.version)
            );
            continue;
        }
        let mut found = std::ptr::null_mut();
        // SAFETY: the provider's function with the application's arguments.
        let ret = unsafe { getinfo(q.version, q.node, q.service, q.flags, q.hints, &mut found) };
        match ret {
            0 => {}
            e if e == -abi::FI_ENODATA => {
                log::info!("fi_getinfo: provider {} has nothing that matches", p.name);
                continue;
            }
            e => {
                log::warn!("fi_getinfo: provider {} returned {e} ({})", p.name, errors::string(e));
                continue;
            }
        }
        // SAFETY: a list that the provider made with this core's memory, and that is ours now.
        unsafe { take(&mut list, found, p, q.version, &hints)? };
    }
    Ok(list)
}

fn is_asked(p: &Entry, flags: u64, hints: &Hints) -> bool {
    let layer = match (flags & CORE_ONLY != 0, flags & OFFLOAD_ONLY != 0) {
        (true, _) => p.kind == Kind::Core,
        (_, true) => p.kind == Kind::Offload,
        _ => p.kind != Kind::Offload,
    };
    layer
        && (!p.hidden || flags & WITH_HIDDEN != 0)
        && hints.wanted().is_none_or(|w| match p.kind {
            Kind::Core | Kind::Utility => w.asks(&p.name),
            _ => true,
        })
}

/// Completes a provider's results and appends those that pass the filters.
///
/// # Safety
/// `found` is a list of C's memory.
unsafe fn take(
    list: &mut List,
    mut found: *mut fi_info,
    p: &Entry,
    version: u32,
    hints: &Hints,
) -> Result<(), Code> {
    while !found.is_null() {
        // SAFETY: by contract; each info is cut from the provider's list before it is kept or freed.
        unsafe {
            let one = found;
            found = (*one).next;
            (*one).next = std::ptr::null_mut();
            let completed = complete(one, p, version);
            if completed.is_ok() && is_kept(one, hints) {
                list.push(one);
            } else {
                info::free_list(one);
            }
            if let Err(e) = completed {
                info::free_list(found);
                return Err(e);
            }
        }
    }
    Ok(())
}

/// Sets what the core knows about a result.
///
/// # Safety
/// `one` is an info of C's memory.
unsafe fn complete(one: *mut fi_info, p: &Entry, version: u32) -> Result<(), Code> {
    // SAFETY: by contract; names are C strings of C's memory.
    unsafe {
        if (*one).fabric_attr.is_null() {
            (*one).fabric_attr = cmem::zeroed();
        }
        let fabric = (*one).fabric_attr.as_mut().ok_or(abi::FI_ENOMEM)?;
        let full = layered(cmem::text(fabric.prov_name).as_deref(), &p.name);
        cmem::free(fabric.prov_name);
        fabric.prov_name = cmem::c_string(&full);
        fabric.prov_version = p.version;
        fabric.api_version = version;
        if fabric.prov_name.is_null() { Err(abi::FI_ENOMEM) } else { Ok(()) }
    }
}

/// Full name of a result. A provider that sits on others leaves theirs there.
fn layered(below: Option<&str>, own: &str) -> String {
    match below {
        None | Some("") => own.to_owned(),
        Some(b) if crate::filter::layers(b).any(|l| l.eq_ignore_ascii_case(own)) => b.to_owned(),
        Some(b) => format!("{b};{own}"),
    }
}

/// # Safety
/// `one` is a completed info.
unsafe fn is_kept(one: *const fi_info, hints: &Hints) -> bool {
    // SAFETY: by contract; names are NULL or C strings.
    unsafe {
        let one = Hints::new(one);
        let full = one.provider.unwrap_or_default();
        let same = |asked: &Option<String>, got: &Option<String>| match (asked, got) {
            (Some(a), Some(g)) => a.eq_ignore_ascii_case(g),
            _ => true,
        };
        registry::admits_result(&full)
            && hints.wanted().is_none_or(|w| w.admits(&full))
            && same(&hints.fabric, &one.fabric)
            && same(&hints.domain, &one.domain)
    }
}

/// A provider for tests: two RDM results with caps `FI_MSG`, in domains `eth0` and `eth1` of fabric `net`; none for node
/// `nowhere`, an error for node `broken`, and as if on provider `below` for node `over`.
#[cfg(test)]
pub(crate) mod fake {
    use super::*;
    use abi::fi_provider;
    use libc::{c_int, c_void};
    use std::ffi::CStr;

    pub(crate) fn provider(name: &'static CStr) -> &'static mut fi_provider {
        Box::leak(Box::new(fi_provider {
            version: abi::FI_VERSION(206, 10),
            fi_version: abi::API_VERSION,
            context: abi::fi_context { internal: [std::ptr::null_mut(); 4] },
            name: name.as_ptr(),
            getinfo: Some(answer),
            fabric: Some(fabric),
            cleanup: None,
        }))
    }

    pub(crate) fn entry(name: &'static CStr) -> Entry {
        Entry::of(provider(name))
    }

    unsafe extern "C" fn answer(
        _version: u32,
        node: *const c_char,
        _service: *const c_char,
        _flags: u64,
        hints: *const fi_info,
        out: *mut *mut fi_info,
    ) -> c_int {
        // SAFETY: the core passes what fi_getinfo(3) promises.
        unsafe {
            match cmem::text(node).as_deref() {
                Some("nowhere") => return -abi::FI_ENODATA,
                Some("broken") => return -abi::FI_EIO,
                _ => {}
            }
            if let Some(h) = hints.as_ref() {
                let msg = h.ep_attr.as_ref().is_some_and(|e| e.r#type == abi::FI_EP_MSG);
                if msg || h.caps & !abi::FI_MSG != 0 {
                    return -abi::FI_ENODATA;
                }
            }
            let mut list = List::new();
            for domain in ["eth0", "eth1"] {
                let one = info::alloc();
                (*one).caps = abi::FI_MSG;
                (*(*one).ep_attr).r#type = abi::FI_EP_RDM;
                (*(*one).fabric_attr).name = cmem::c_string("net");
                (*(*one).domain_attr).name = cmem::c_string(domain);
                if cmem::text(node).as_deref() == Some("over") {
                    (*(*one).fabric_attr).prov_name = cmem::c_string("below");
                }
                list.push(one);
            }
            *out = list.into_raw();
        }
        0
    }

    unsafe extern "C" fn fabric(
        attr: *mut abi::fi_fabric_attr,
        out: *mut *mut abi::fid_fabric,
        _context: *mut c_void,
    ) -> c_int {
        // SAFETY: the core passes what fi_fabric(3) promises; the test frees the object.
        unsafe {
            if CStr::from_ptr((*attr).name) != c"net" {
                return -abi::FI_ENODATA;
            }
            *out = cmem::zeroed();
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;
    use std::ptr::null;

    const ANY: Question =
        Question { version: abi::FI_VERSION(1, 17), node: null(), service: null(), flags: 0, hints: null() };

    /// Provider, domain, provider version and API version of each result.
    fn ask(providers: &[Entry], q: &Question) -> Vec<(String, String, u32, u32)> {
        let mut out = Vec::new();
        // SAFETY: questions of these tests point to valid strings and infos; the list is valid while it is read.
        unsafe {
            let list = collect(providers, q).unwrap();
            let mut i = list.head;
            while let Some(info) = i.as_ref() {
                let f = &*info.fabric_attr;
                let domain = cmem::text((*info.domain_attr).name).unwrap();
                out.push((cmem::text(f.prov_name).unwrap(), domain, f.prov_version, f.api_version));
                i = info.next;
            }
        }
        out
    }

    fn names(providers: &[Entry], q: &Question) -> Vec<String> {
        ask(providers, q).into_iter().map(|r| r.0).collect()
    }

    /// Runs `f` with hints that name a provider and a domain.
    fn with_hints<T>(prov: Option<&str>, domain: Option<&str>, f: impl FnOnce(Question) -> T) -> T {
        let hints = info::alloc();
        // SAFETY: just made with all attributes; freed after its last use.
        unsafe {
            (*(*hints).fabric_attr).prov_name = prov.map_or(std::ptr::null_mut(), cmem::c_string);
            (*(*hints).domain_attr).name = domain.map_or(std::ptr::null_mut(), cmem::c_string);
            let result = f(Question { hints, ..ANY });
            info::free_list(hints);
            result
        }
    }

    #[test]
    fn results_follow_the_providers_and_carry_what_the_core_knows() {
        let got = ask(&[fake::entry(c"one"), fake::entry(c"two")], &ANY);
        let (version, api) = (abi::FI_VERSION(206, 10), abi::FI_VERSION(1, 17));
        let want = [("one", "eth0"), ("one", "eth1"), ("two", "eth0"), ("two", "eth1")];
        let want: Vec<_> = want.map(|(p, d)| (p.to_owned(), d.to_owned(), version, api)).into();
        assert_eq!(got, want);
    }

    #[test]
    fn hints_choose_the_provider_and_the_domain() {
        let all = [fake::entry(c"dpdk"), fake::entry(c"udp")];
        assert_eq!(with_hints(Some("UDP"), None, |q| names(&all, &q)), ["udp", "udp"]);
        assert!(with_hints(Some("udp;ofi_rxd"), None, |q| names(&all, &q)).is_empty());
        assert_eq!(with_hints(Some("^udp"), None, |q| names(&all, &q)), ["dpdk", "dpdk"]);
        let got = with_hints(Some("dpdk"), Some("ETH1"), |q| ask(&all, &q));
        assert_eq!(got.len(), 1);
        assert_eq!(got[0].1, "eth1");
    }

    #[test]
    fn providers_that_cannot_answer_do_not_spoil_the_rest() {
        let old = Entry { fi_version: abi::FI_VERSION(1, 16), ..fake::entry(c"old") };
        let hidden = Entry { hidden: true, ..fake::entry(c"hidden") };
        let mut hook = fake::entry(c"hook");
        // SAFETY: this test's own structure.
        unsafe { (*hook.handle.0).getinfo = None };
        hook.kind = Kind::Hook;
        let all = [old, hidden, hook, fake::entry(c"good")];
        assert_eq!(names(&all, &ANY), ["good", "good"]);
        let older = Question { version: abi::FI_VERSION(1, 16), ..ANY };
        assert_eq!(names(&all, &older), ["old", "old", "good", "good"]);
        for node in [c"nowhere", c"broken"] {
            assert!(names(&all, &Question { node: node.as_ptr(), ..ANY }).is_empty());
        }
    }

    #[test]
    fn providers_on_others_ask_for_a_layer() {
        let hidden = Entry { hidden: true, ..fake::entry(c"hidden") };
        let off = Entry { kind: Kind::Offload, ..fake::entry(c"off_x") };
        let all = [hidden, off, fake::entry(c"ofi_rxx"), fake::entry(c"udp")];
        let with = |flags| {
            let mut n = names(&all, &Question { flags, ..ANY });
            n.dedup();
            n
        };
        assert_eq!(with(0), ["ofi_rxx", "udp"]);
        assert_eq!(with(CORE_ONLY), ["udp"]);
        assert_eq!(with(CORE_ONLY | WITH_HIDDEN), ["hidden", "udp"]);
        assert_eq!(with(OFFLOAD_ONLY), ["off_x"]);
    }

    #[test]
    fn a_layered_result_has_both_names() {
        let q = Question { node: c"over".as_ptr(), ..ANY };
        assert_eq!(names(&[fake::entry(c"ofi_rxx")], &q), ["below;ofi_rxx", "below;ofi_rxx"]);
        assert_eq!(layered(Some("udp;ofi_rxd"), "OFI_RXD"), "udp;ofi_rxd");
        assert_eq!(layered(Some(""), "udp"), "udp");
    }

    #[test]
    fn a_newer_api_than_the_librarys_is_refused() {
        let q = Question { version: abi::FI_VERSION(9, 0), ..ANY };
        // SAFETY: nothing is pointed to.
        assert_eq!(unsafe { getinfo(&q) }.err(), Some(abi::FI_ENOSYS));
    }

    #[test]
    fn the_inventory_lists_every_provider() {
        let hidden = Entry { hidden: true, ..fake::entry(c"hidden") };
        let list = inventory(&[hidden, fake::entry(c"udp")]).unwrap();
        // SAFETY: the list is valid while it is read.
        unsafe {
            let first = &*list.head;
            let f = &*first.fabric_attr;
            assert_eq!(CStr::from_ptr(f.prov_name), c"hidden");
            assert_eq!((f.prov_version, f.api_version), (abi::FI_VERSION(206, 10), 0));
            assert!(f.name.is_null());
            let second = &*first.next;
            assert_eq!(CStr::from_ptr((*second.fabric_attr).prov_name), c"udp");
            assert!(second.next.is_null());
        }
    }
}
