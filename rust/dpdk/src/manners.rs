//! What EAL's start might change in the caller's process is put back: the thread's affinity and signal mask, and the
//! handlers of signals.

use std::mem::MaybeUninit;

/// Signals whose handlers are compared before and after; EAL has used some of them in some version.
const WATCHED: [i32; 6] =
    [libc::SIGBUS, libc::SIGSEGV, libc::SIGINT, libc::SIGTERM, libc::SIGPIPE, libc::SIGHUP];

/// The caller's state, put back on drop.
pub(crate) struct Manners {
    affinity: Option<libc::cpu_set_t>,
    mask: libc::sigset_t,
    handlers: [Option<libc::sigaction>; WATCHED.len()],
}

impl Manners {
    pub(crate) fn remember() -> Self {
        let mut affinity = MaybeUninit::<libc::cpu_set_t>::zeroed();
        let mut mask = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: the kernel fills structures of the given size; both are valid when zero.
        unsafe {
            let known = libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), affinity.as_mut_ptr()) == 0;
            libc::pthread_sigmask(libc::SIG_SETMASK, std::ptr::null(), mask.as_mut_ptr());
            Manners {
                affinity: known.then(|| affinity.assume_init()),
                mask: mask.assume_init(),
                handlers: WATCHED.map(|signal| {
                    let mut old = MaybeUninit::<libc::sigaction>::zeroed();
                    (libc::sigaction(signal, std::ptr::null(), old.as_mut_ptr()) == 0)
                        .then(|| old.assume_init())
                }),
            }
        }
    }

    /// The CPUs that the thread may use, as DPDK writes lists of them.
    pub(crate) fn cpus(&self) -> Option<String> {
        let set = self.affinity.as_ref()?;
        let limit = libc::CPU_SETSIZE as usize;
        let cpus: Vec<String> = (0..limit)
            // SAFETY: `cpu` is below CPU_SETSIZE.
            .filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, set) })
            .map(|cpu| cpu.to_string())
            .collect();
        (!cpus.is_empty()).then(|| cpus.join(","))
    }
}

impl Drop for Manners {
    fn drop(&mut self) {
        // SAFETY: puts back what the kernel gave.
        unsafe {
            if let Some(affinity) = &self.affinity {
                libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), affinity);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.mask, std::ptr::null_mut());
            for (signal, old) in WATCHED.iter().zip(&self.handlers) {
                if let Some(old) = old {
                    libc::sigaction(*signal, old, std::ptr::null_mut());
                }
            }
        }
    }
}
