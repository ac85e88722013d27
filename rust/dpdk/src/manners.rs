//! What EAL's start might change in the caller's process is put back: the thread's affinity and signal mask, and the
//! handlers of signals.

use std::mem::MaybeUninit;

/// Signals whose handlers are compared before and after; EAL has used some of them in some version.
const WATCHED: [i32; 6] =
    [libc::SIGBUS, libc::SIGSEGV, libc::SIGINT, libc::SIGTERM, libc::SIGPIPE, libc::SIGHUP];

/// Signals that tell of a thread's own fault: they are never blocked, since EAL catches one while it tries hugepages.
const FAULTS: [i32; 5] = [libc::SIGBUS, libc::SIGSEGV, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];

/// All signals that may be kept from a thread.
fn blockable() -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: fills and edits a set of our own.
    unsafe {
        libc::sigfillset(set.as_mut_ptr());
        // Real-time signals stay open to EAL's threads: see `RestartSignals`.
        for signal in FAULTS.into_iter().chain(libc::SIGRTMIN()..=libc::SIGRTMAX()) {
            libc::sigdelset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// Keeps the application's signals from the calling thread, for good: a library's threads are not where its handlers run.
pub fn block_signals() {
    let set = blockable();
    // SAFETY: a set of our own; only this thread's mask changes.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) };
}

/// While it lives, a write to a socket whose other end is gone fails in this thread instead of ending the process. Drivers
/// (virtio_user, memif) write to sockets of their peers without asking for that.
pub(crate) struct NoSigpipe {
    old: libc::sigset_t,
    pending: bool,
}

fn only_sigpipe() -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: fills a set of our own.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGPIPE);
        set.assume_init()
    }
}

fn sigpipe_pending() -> bool {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: the kernel fills the set; it is valid when zero.
    unsafe { libc::sigpending(set.as_mut_ptr()) == 0 && libc::sigismember(set.as_ptr(), libc::SIGPIPE) == 1 }
}

impl NoSigpipe {
    pub(crate) fn new() -> Self {
        let pending = sigpipe_pending();
        let mut old = MaybeUninit::<libc::sigset_t>::zeroed();
        // SAFETY: sets of our own; only this thread's mask changes.
        unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, &only_sigpipe(), old.as_mut_ptr());
            NoSigpipe { old: old.assume_init(), pending }
        }
    }
}

impl Drop for NoSigpipe {
    fn drop(&mut self) {
        // SAFETY: takes a pending signal, which came to this thread by a write of its own, and puts the mask back.
        unsafe {
            if !self.pending && sigpipe_pending() {
                let none = libc::timespec { tv_sec: 0, tv_nsec: 0 };
                libc::sigtimedwait(&only_sigpipe(), std::ptr::null_mut(), &none);
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.old, std::ptr::null_mut());
        }
    }
}

/// Real-time signals get handlers while a device is attached or starts (tap has packets announced by one). They are kept from the calling
/// thread, so that EAL's gets them, and system calls of other threads that they interrupt are restarted. Compares on drop with
/// what was there before.
pub(crate) struct RestartSignals {
    before: Vec<(i32, libc::sighandler_t)>,
}

fn action(signal: i32) -> Option<libc::sigaction> {
    let mut old = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the kernel fills the structure, which is valid when zero.
    unsafe { (libc::sigaction(signal, std::ptr::null(), old.as_mut_ptr()) == 0).then(|| old.assume_init()) }
}

impl RestartSignals {
    pub(crate) fn new() -> Self {
        let signals = libc::SIGRTMIN()..=libc::SIGRTMAX();
        RestartSignals { before: signals.filter_map(|s| Some((s, action(s)?.sa_sigaction))).collect() }
    }
}

impl Drop for RestartSignals {
    fn drop(&mut self) {
        for (signal, handler) in &self.before {
            let Some(mut now) = action(*signal) else { continue };
            if now.sa_sigaction != *handler {
                now.sa_flags |= libc::SA_RESTART;
                let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
                // SAFETY: the handler that is there already, with one more flag; a set of our own.
                unsafe {
                    libc::sigaction(*signal, &now, std::ptr::null_mut());
                    libc::sigemptyset(set.as_mut_ptr());
                    libc::sigaddset(set.as_mut_ptr(), *signal);
                    libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), std::ptr::null_mut());
                }
            }
        }
    }
}

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
            // EAL's threads inherit this: signals are the application's affair.
            libc::pthread_sigmask(libc::SIG_BLOCK, &blockable(), mask.as_mut_ptr());
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
