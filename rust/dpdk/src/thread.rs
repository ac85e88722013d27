//! Threads that are not EAL's own become known to DPDK, so that mempools keep a cache for them.

use std::cell::Cell;

/// Unregisters the thread when it ends.
struct Registration;

impl Drop for Registration {
    fn drop(&mut self) {
        // SAFETY: this thread was registered by `register_thread`.
        unsafe { dpdk_sys::rte_thread_unregister() };
    }
}

thread_local! {
    static ASKED: Cell<bool> = const { Cell::new(false) };
    static REGISTRATION: Cell<Option<Registration>> = const { Cell::new(None) };
}

/// Registers the calling thread, once; a few instructions on later calls. Where DPDK has no free lcore left the thread
/// works without a cache. Needs EAL.
#[inline]
pub fn register_thread(_eal: &crate::Eal) {
    if !ASKED.with(Cell::get) {
        register_first();
    }
}

#[cold]
fn register_first() {
    ASKED.with(|asked| asked.set(true));
    // SAFETY: EAL runs; the thread is unregistered by the guard at its end.
    unsafe {
        if dpdk_sys::shim_thread_is_registered() == 0 {
            if dpdk_sys::rte_thread_register() == 0 {
                REGISTRATION.with(|r| r.set(Some(Registration)));
            } else {
                log::debug!(
                    "thread works without mempool cache: {}",
                    crate::error::text(crate::error::rte_errno())
                );
            }
        }
    }
}
