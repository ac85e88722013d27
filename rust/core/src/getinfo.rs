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
            unsafe { diagnose::explain(&providers, q) };
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
