//! Which providers there are. Filled once, at the first call that needs it: loadable providers first, then those linked
//! into the library. No lock is held while a provider's code runs, since providers call back (parameters, log, and
//! fi_getinfo for those that sit on others).

use crate::dl::{self, Conflict, Library};
use crate::filter::{self, Names};
use crate::{cmem, log, order, params};
use abi::fi_provider;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
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
    preferred: bool,
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
    STATE.store(READY, Ordering::Release);
}

/// Adds a provider to those that the environment gives: for Rust test programs. Its name must not be taken.
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
    let kind = Kind::of(&name, provider.getinfo.is_some());
    let mut guard = lock();
    let registry = guard.get_or_insert_default();
    let filtered = registry.filter.hides(&name, kind == Kind::Core);
    let mut entry = Entry {
        handle,
        name,
        version: provider.version,
        fi_version: provider.fi_version,
        kind,
        hidden: filtered,
        preferred,
    };
    let mut loser = None;
    let rival = registry.entries.iter_mut().find(|e| !e.hidden && e.name.eq_ignore_ascii_case(&entry.name));
    if let Some(rival) = rival {
        let wins = match (entry.preferred, rival.preferred) {
            (true, false) => true,
            (false, true) => false,
            _ => conflict == Conflict::Newest && entry.version > rival.version,
        };
        let other = if wins { &mut *rival } else { &mut entry };
        other.hidden = true;
        loser = Some((other.name.clone(), other.version));
    }
    let rank = order::rank(&entry.name);
    let at = registry.entries.partition_point(|e| order::rank(&e.name) <= rank);
    registry.entries.insert(at, entry);
    registry.libraries.extend(library);
    drop(guard);
    if let Some((name, version)) = loser {
        let (major, minor) = (abi::FI_MAJOR(version), abi::FI_MINOR(version));
        log::info!("two providers are called {name}: version {major}.{minor} is not used");
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

/// Lets all providers go, at unload.
pub(crate) fn fini() {
    if STATE.swap(GONE, Ordering::AcqRel) != READY {
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

    #[test]
    fn kind_follows_shape_then_name() {
        assert_eq!(Kind::of("ofi_hook_x", false), Kind::Hook);
        assert_eq!(Kind::of("OFI_rxm", true), Kind::Utility);
        assert_eq!(Kind::of("off_coll", true), Kind::Offload);
        assert_eq!(Kind::of("lnx", true), Kind::Link);
        assert_eq!(Kind::of("dpdk", true), Kind::Core);
    }
}
