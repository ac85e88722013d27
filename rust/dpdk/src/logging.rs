//! DPDK's log goes into the `log` crate instead of to standard output, standard error and syslog.

use log::{Level, LevelFilter};
use std::ffi::c_char;

/// DPDK's levels are 1 (emergency) to 8 (debug). Its errors and warnings are about its own affairs (missing hugepages, a peer
/// that closed first): what fails is an error of the call that failed, and these are details for those who ask for them.
fn level(dpdk: u32) -> Level {
    match dpdk {
        0..=dpdk_sys::RTE_LOG_CRIT => Level::Warn,
        dpdk_sys::RTE_LOG_ERR | dpdk_sys::RTE_LOG_WARNING => Level::Info,
        _ => Level::Debug,
    }
}

unsafe extern "C" fn sink(dpdk_level: u32, text: *const c_char, len: usize) {
    // SAFETY: the shim passes a readable text of this length.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines().map(str::trim_end).filter(|l| !l.is_empty()) {
        // A panicking logger must not unwind into C.
        let _ = std::panic::catch_unwind(|| log::log!(level(dpdk_level), "{line}"));
    }
}

/// Redirects DPDK's log; called once, before EAL starts.
pub(crate) fn redirect() {
    let wanted = match log::max_level() {
        LevelFilter::Off => dpdk_sys::RTE_LOG_EMERG,
        LevelFilter::Error | LevelFilter::Warn => dpdk_sys::RTE_LOG_CRIT,
        LevelFilter::Info => dpdk_sys::RTE_LOG_WARNING,
        LevelFilter::Debug | LevelFilter::Trace => dpdk_sys::RTE_LOG_INFO,
    };
    // SAFETY: `sink` has the type that the shim calls, and lives as long as the program.
    unsafe {
        if dpdk_sys::shim_log_redirect(Some(sink)) == 0 {
            dpdk_sys::rte_log_set_global_level(wanted);
        }
    }
}
