//! Which providers there are. Filled once, at the first call that needs it: loadable providers first, then those linked
//! into the library. No lock is held while a provider's code runs, since providers call back (parameters, log, and
//! fi_getinfo for those that sit on others).

use crate::dl::{self, Conflict, Library};
use crate::filter::{self, Names};
use crate::{cmem, log, order, params};
use abi::fi_provider;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a provider is, by its shape and name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Drives a network.
    Core,
    /// Sits on a core provider (`ofi_...`).
    Utility,
    /// Offloads collectives (`off_...`).
    Offload,
    /// Joins several providers (`lnx...`).
    Link,
    /// Intercepts calls; has no getinfo.
    Hook,
}

impl Kind {
    fn of(name: &str, has_getinfo: bool) -> Kind {
        if !has_getinfo {
            Kind::Hook
        } else if filter::is_utility(name) {
            Kind::Utility
        } else if filter::starts_with(name, "off_") {
            Kind::Offload
        } else if filter::starts_with(name, "lnx") {
            Kind::Link
        } else {
            Kind::Core
        }
    }
}

/// A provider's structure: lives until unload, and its function pointers may be called from any thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Handle(pub *mut fi_provider);
// SAFETY: providers are thread-safe by contract of the interface.
unsafe impl Send for Handle {}

/// One registered provider.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub handle: Handle,
    pub name: String,
    pub version: u32,
    pub fi_version: u32,
    pub kind: Kind,
    /// Filtered by `FI_PROVIDER`, or another of the same name won: not asked, but still listed.
    pub hidden: bool,
    /// Loaded by name: wins over others of its name.
    pub preferred: bool,
}

impl Entry {
    fn new(handle: Handle, provider: &fi_provider, name: String) -> Entry {
        Entry {
            handle,
            version: provider.version,
            fi_version: provider.fi_version,
            kind: Kind::of(&name, provider.getinfo.is_some()),
            name,
            hidden: false,
            preferred: false,
        }
    }

    /// An entry that is in no registry.
    #[cfg(test)]
    pub(crate) fn of(provider: &'static mut fi_provider) -> Entry {
        // SAFETY: tests give it a name.
        let name = unsafe { cmem::text(provider.name) }.unwrap();
        Entry::new(Handle(provider), provider, name)
    }
}

#[derive(Default)]
struct Registry {
    /// In the order of results.
    entries: Vec<Entry>,
    libraries: Vec<Library>,
    filter: Names,
}

static REGISTRY: Mutex<Option<Registry>> = Mutex::new(None);

const NEW: u8 = 0;
const READY: u8 = 1;
const GONE: u8 = 2;
static STATE: AtomicU8 = AtomicU8::new(NEW);
/// The process that filled the registry. A child of fork leaves the providers alone when it ends: what they would clean
/// up, such as shared memory and devices, is its parent's.
static OWNER: AtomicU32 = AtomicU32::new(0);
/// The thread that fills the registry, so that a provider's entry point may call the library.
static FILLING: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    /// Entry points of the providers that are linked in, NULL at the end; made by configure.
    static ofi_static_providers: [Option<unsafe extern "C" fn() -> *mut fi_provider>; 0];
}

fn lock() -> MutexGuard<'static, Option<Registry>> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Fills the registry, once per process.
pub(crate) fn init() {
    static ONE: Mutex<()> = Mutex::new(());
    if STATE.load(Ordering::Acquire) != NEW {
        return;
    }
    // SAFETY: no memory is passed.
    let me = unsafe { libc::pthread_self() } as usize;
    if FILLING.load(Ordering::Relaxed) == me {
        return;
    }
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    if STATE.load(Ordering::Acquire) != NEW {
        return;
    }
    FILLING.store(me, Ordering::Relaxed);
    let filter = Names::parse(params::own(c"FI_PROVIDER").as_deref());
    lock().get_or_insert_default().filter = filter;
    let conflict = dl::load(|l, conflict| add(Handle(l.provider), Some(l.library), l.preferred, conflict));
    // SAFETY: the array of the linked library ends with NULL.
    unsafe {
        let mut next =
            (&raw const ofi_static_providers).cast::<Option<unsafe extern "C" fn() -> *mut fi_provider>>();
        while let Some(ini) = *next {
            add(Handle(ini()), None, false, conflict);
            next = next.add(1);
        }
    }
    FILLING.store(0, Ordering::Relaxed);
    OWNER.store(std::process::id(), Ordering::Relaxed);
    STATE.store(READY, Ordering::Release);
}

/// Adds a provider to those that the environment gives: for Rust test programs. Of two with one name the newer is used.
pub fn register(provider: &'static mut fi_provider) {
    init();
    add(Handle(provider), None, false, Conflict::Newest);
}

/// Takes a provider in, or drops it with a message.
fn add(handle: Handle, library: Option<Library>, preferred: bool, conflict: Conflict) {
    // SAFETY: NULL or the provider's structure, which lives until unload.
    let Some(provider) = (unsafe { handle.0.as_ref() }) else { return };
    // SAFETY: NULL or a C string of the provider.
    let Some(name) = (unsafe { cmem::text(provider.name) }) else {
        log::warn!("a provider without a name is dropped");
        return discard(handle, "", library);
    };
    if provider.fabric.is_none() {
        log::warn!("provider {name} is dropped: it cannot open a fabric");
        return discard(handle, &name, library);
    }
    let (major, minor) = (abi::FI_MAJOR(provider.version), abi::FI_MINOR(provider.version));
    if provider.fi_version < abi::FI_VERSION(1, 3) {
        log::info!("provider {name} ({major}.{minor}) is dropped: unsupported FI version before 1.3");
        return discard(handle, &name, library);
    }
    log::info!("registering provider: {name} ({major}.{minor})");
    let entry = Entry { preferred, ..Entry::new(handle, provider, name) };
    let loser = {
        let mut guard = lock();
        let registry = guard.get_or_insert_default();
        registry.libraries.extend(library);
        registry.insert(entry, conflict)
    };
    if let Some((name, version)) = loser {
        let (major, minor) = (abi::FI_MAJOR(version), abi::FI_MINOR(version));
        log::info!("two providers are called {name}: version {major}.{minor} is not used");
    }
}

impl Registry {
    /// Puts a provider in its place. Of two with one name the loser is hidden; its name and version are given.
    fn insert(&mut self, mut entry: Entry, conflict: Conflict) -> Option<(String, u32)> {
        entry.hidden = self.filter.hides(&entry.name, entry.kind == Kind::Core);
        let mut loser = None;
        let rival = self.entries.iter_mut().find(|e| !e.hidden && e.name.eq_ignore_ascii_case(&entry.name));
        if let Some(rival) = rival {
            let wins = match (entry.preferred, rival.preferred) {
                (true, false) => true,
                (false, true) => false,
                _ => conflict == Conflict::Newest && entry.version > rival.version,
            };
            let other = if wins { rival } else { &mut entry };
            other.hidden = true;
            loser = Some((other.name.clone(), other.version));
        }
        let rank = order::rank(&entry.name);
        let at = self.entries.partition_point(|e| order::rank(&e.name) <= rank);
        self.entries.insert(at, entry);
        loser
    }
}

/// Lets a provider go: its parameters, its own state, its code.
fn discard(handle: Handle, name: &str, library: Option<Library>) {
    params::undefine(name);
    // SAFETY: the structure lives as long as its library, which is closed after this.
    if let Some(cleanup) = unsafe { (*handle.0).cleanup } {
        // SAFETY: called once, after the last use of the provider.
        unsafe { cleanup() };
    }
    drop(library);
}

/// All providers, in the order of results.
pub(crate) fn all() -> Vec<Entry> {
    init();
    lock().as_ref().map(|r| r.entries.clone()).unwrap_or_default()
}

/// Whether `FI_PROVIDER` lets results with this full name through.
pub(crate) fn admits_result(full: &str) -> bool {
    lock().as_ref().is_none_or(|r| r.filter.admits_result(full))
}

/// The visible provider of this name.
pub(crate) fn find(name: &str) -> Option<Entry> {
    let all = all();
    let same = |e: &&Entry| e.name.eq_ignore_ascii_case(name);
    all.iter().filter(same).find(|e| !e.hidden).or_else(|| all.iter().find(same)).cloned()
}

/// The hook provider of this name, with or without the prefix that hooks have.
pub(crate) fn find_hook(name: &str) -> Option<Handle> {
    let full = format!("ofi_hook_{name}");
    let named = |e: &&Entry| e.name.eq_ignore_ascii_case(name) || e.name.eq_ignore_ascii_case(&full);
    all().iter().filter(|e| e.kind == Kind::Hook && !e.hidden).find(named).map(|e| e.handle)
}

/// Lets all providers go, at unload.
pub(crate) fn fini() {
    let ready = STATE.swap(GONE, Ordering::AcqRel) == READY;
    if !ready || OWNER.load(Ordering::Relaxed) != std::process::id() {
        return;
    }
    let Some(registry) = lock().take() else { return };
    for entry in registry.entries {
        discard(entry.handle, &entry.name, None);
    }
    drop(registry.libraries);
    params::clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, version: u32) -> Entry {
        Entry {
            handle: Handle(std::ptr::null_mut()),
            name: name.into(),
            version,
            fi_version: abi::API_VERSION,
            kind: Kind::of(name, true),
            hidden: false,
            preferred: false,
        }
    }

    fn visible(r: &Registry) -> Vec<(&str, u32)> {
        r.entries.iter().filter(|e| !e.hidden).map(|e| (e.name.as_str(), e.version)).collect()
    }

    #[test]
    fn known_providers_come_first_and_strangers_as_they_register() {
        let mut r = Registry::default();
        for name in ["zeta", "udp", "alpha", "ofi_rxm", "dpdk"] {
            r.insert(entry(name, 1), Conflict::Newest);
        }
        let names: Vec<_> = r.entries.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["dpdk", "ofi_rxm", "udp", "zeta", "alpha"]);
    }

    #[test]
    fn of_one_name_the_newest_is_used() {
        let mut r = Registry::default();
        assert_eq!(r.insert(entry("udp", 2), Conflict::Newest), None);
        assert_eq!(r.insert(entry("UDP", 1), Conflict::Newest), Some(("UDP".into(), 1)));
        assert_eq!(r.insert(entry("udp", 2), Conflict::Newest), Some(("udp".into(), 2)), "the earlier stays");
        assert_eq!(r.insert(entry("Udp", 3), Conflict::Newest), Some(("udp".into(), 2)));
        assert_eq!(visible(&r), [("Udp", 3)]);
        assert_eq!(r.entries.len(), 4, "losers are still listed");
    }

    #[test]
    fn of_one_name_the_first_or_the_preferred_is_used_when_asked_for() {
        let mut r = Registry::default();
        r.insert(entry("udp", 1), Conflict::First);
        r.insert(entry("udp", 9), Conflict::First);
        assert_eq!(visible(&r), [("udp", 1)]);
        r.insert(Entry { preferred: true, ..entry("udp", 0) }, Conflict::Newest);
        r.insert(entry("udp", 99), Conflict::Newest);
        assert_eq!(visible(&r), [("udp", 0)]);
    }

    #[test]
    fn filtered_core_providers_are_hidden() {
        let mut r = Registry { filter: Names::parse(Some("udp")), ..Registry::default() };
        for name in ["udp", "dpdk", "ofi_rxd"] {
            r.insert(entry(name, 1), Conflict::Newest);
        }
        assert_eq!(visible(&r), [("ofi_rxd", 1), ("udp", 1)]);
    }

    #[test]
    fn what_cannot_be_used_is_dropped_and_cleaned_up() {
        static CLEANED: AtomicUsize = AtomicUsize::new(0);
        unsafe extern "C" fn cleanup() {
            CLEANED.fetch_add(1, Ordering::Relaxed);
        }
        unsafe extern "C" fn fabric(
            _: *mut abi::fi_fabric_attr,
            _: *mut *mut abi::fid_fabric,
            _: *mut libc::c_void,
        ) -> libc::c_int {
            -abi::FI_ENOSYS
        }
        let make = |name: &'static std::ffi::CStr, fi_version, with_fabric: bool| {
            let p = Box::leak(Box::new(fi_provider {
                version: 1,
                fi_version,
                context: abi::fi_context { internal: [std::ptr::null_mut(); 4] },
                name: name.as_ptr(),
                getinfo: None,
                fabric: None,
                cleanup: Some(cleanup),
            }));
            p.fabric = with_fabric.then_some(fabric as _);
            p
        };
        register(make(c"reg-no-fabric", abi::API_VERSION, false));
        register(make(c"reg-too-old", abi::FI_VERSION(1, 2), true));
        let nameless = make(c"", abi::API_VERSION, true);
        nameless.name = std::ptr::null();
        register(nameless);
        assert_eq!(CLEANED.load(Ordering::Relaxed), 3);
        register(make(c"reg-old-enough", abi::FI_VERSION(1, 3), true));
        register(make(c"reg-newer", abi::FI_VERSION(9, 0), true));
        assert_eq!(CLEANED.load(Ordering::Relaxed), 3);
        let names: Vec<_> = all().into_iter().map(|e| e.name).filter(|n| n.starts_with("reg-")).collect();
        assert_eq!(names, ["reg-old-enough", "reg-newer"]);
        assert!(find("REG-newer").is_some() && find("reg-too-old").is_none());
    }

    #[test]
    fn kind_follows_shape_then_name() {
        assert_eq!(Kind::of("ofi_hook_x", false), Kind::Hook);
        assert_eq!(Kind::of("OFI_rxm", true), Kind::Utility);
        assert_eq!(Kind::of("off_coll", true), Kind::Offload);
        assert_eq!(Kind::of("lnx", true), Kind::Link);
        assert_eq!(Kind::of("dpdk", true), Kind::Core);
    }
}
