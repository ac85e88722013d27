//! From the `log` crate to the library's log: one backend for all providers of this copy of the code.
//!
//! A record's target names the subsystem (`domain`, `ep_ctrl`, `ep_data`, `cq`, …; anything else is `core`), its crate
//! names the provider. Crates that providers share log under the provider that was registered first.

use libc::c_int;
use log::{Level, LevelFilter, Log, Metadata, Record};
use std::ffi::{CStr, CString};
use std::sync::RwLock;

/// A registered provider, by the crate that implements it.
#[derive(Clone, Copy)]
struct Known {
    name: &'static CStr,
    module: &'static str,
    provider: *mut abi::fi_provider,
}

// SAFETY: the pointer is only handed to the core, which accepts it from any thread.
unsafe impl Send for Known {}
// SAFETY: as above.
unsafe impl Sync for Known {}

static KNOWN: RwLock<Vec<Known>> = RwLock::new(Vec::new());

struct Backend;

/// Makes the provider known and installs the backend. An application in Rust that has its own logger keeps it.
pub(crate) fn register(name: &'static CStr, module: &'static str, provider: *mut abi::fi_provider) {
    let module = module.split("::").next().unwrap_or(module);
    let mut known = KNOWN.write().unwrap_or_else(|e| e.into_inner());
    known.retain(|k| k.name != name);
    known.push(Known { name, module, provider });
    drop(known);
    let _ = log::set_logger(&Backend);
    let any = |level| {
        // SAFETY: the core accepts any level and subsystem.
        (0..=abi::FI_LOG_MR).any(|s| unsafe { abi::fi_log_enabled(provider, level, s) } != 0)
    };
    let max = if any(abi::FI_LOG_DEBUG) {
        LevelFilter::Trace
    } else if any(abi::FI_LOG_INFO) {
        LevelFilter::Info
    } else if any(abi::FI_LOG_WARN) {
        LevelFilter::Warn
    } else {
        LevelFilter::Off
    };
    // Several providers: the most talkative decides, the rest is filtered per record.
    if max > log::max_level() {
        log::set_max_level(max);
    }
}

/// The provider's structure as the core knows it; NULL before it was registered.
pub(crate) fn provider_of(name: &CStr) -> *mut abi::fi_provider {
    let known = KNOWN.read().unwrap_or_else(|e| e.into_inner());
    known.iter().find(|k| k.name == name).map_or(std::ptr::null_mut(), |k| k.provider)
}

fn origin(module: Option<&str>) -> *mut abi::fi_provider {
    let krate = module.and_then(|m| m.split("::").next()).unwrap_or("");
    let known = KNOWN.read().unwrap_or_else(|e| e.into_inner());
    let own = known.iter().find(|k| k.module == krate).or(known.first());
    own.map_or(std::ptr::null_mut(), |k| k.provider)
}

fn subsystem(target: &str) -> abi::fi_log_subsys {
    match target {
        "fabric" => abi::FI_LOG_FABRIC,
        "domain" => abi::FI_LOG_DOMAIN,
        "ep_ctrl" => abi::FI_LOG_EP_CTRL,
        "ep_data" => abi::FI_LOG_EP_DATA,
        "av" => abi::FI_LOG_AV,
        "cq" => abi::FI_LOG_CQ,
        "eq" => abi::FI_LOG_EQ,
        "mr" => abi::FI_LOG_MR,
        "cntr" => abi::FI_LOG_CNTR,
        _ => abi::FI_LOG_CORE,
    }
}

fn level(l: Level) -> abi::fi_log_level {
    match l {
        Level::Error | Level::Warn => abi::FI_LOG_WARN,
        Level::Info => abi::FI_LOG_INFO,
        Level::Debug | Level::Trace => abi::FI_LOG_DEBUG,
    }
}

impl Log for Backend {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, r: &Record<'_>) {
        let (prov, level, subsys) = (origin(r.module_path()), level(r.level()), subsystem(r.target()));
        if prov.is_null() {
            return;
        }
        // SAFETY: a registered provider and valid enums.
        if unsafe { abi::fi_log_enabled(prov, level, subsys) } == 0 {
            return;
        }
        let file = r.module_path().unwrap_or("rust");
        let (Ok(func), Ok(text)) = (CString::new(file), CString::new(format!("{}\n", r.args()))) else {
            return;
        };
        // SAFETY: the strings live through the call and fit the format.
        unsafe {
            abi::fi_log(
                prov,
                level,
                subsys,
                func.as_ptr(),
                r.line().unwrap_or(0) as c_int,
                c"%s".as_ptr(),
                text.as_ptr(),
            )
        };
    }

    fn flush(&self) {}
}
