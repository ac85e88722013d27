//! One lock per domain, left out when the application promises to call from one thread at a time.
//!
//! The threading level decides once, at `fi_domain`: with `FI_THREAD_DOMAIN` no atomic instruction is spent. Weaker
//! promises do not suffice, since all queues and endpoints of a domain share state.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// A value guarded by a spin-then-yield lock, or by the application's promise.
pub struct ThreadLock<T> {
    elided: bool,
    held: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: access to `value` goes through `lock`, which excludes other threads by `held`, or, when elided, relies on the
// documented contract of FI_THREAD_DOMAIN that only one thread is inside the domain at a time.
unsafe impl<T: Send> Sync for ThreadLock<T> {}
// SAFETY: the lock owns the value.
unsafe impl<T: Send> Send for ThreadLock<T> {}

impl<T> ThreadLock<T> {
    /// With `elided`, the caller's threading level excludes concurrent access.
    pub fn new(value: T, elided: bool) -> Self {
        ThreadLock { elided, held: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Waits until no other thread is inside.
    #[inline]
    pub fn lock(&self) -> Guard<'_, T> {
        if !self.elided
            && self.held.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err()
        {
            self.contended();
        }
        Guard { lock: self }
    }

    /// The value, unless another thread is inside. An elided lock is always free.
    pub fn try_lock(&self) -> Option<Guard<'_, T>> {
        let free = self.elided
            || self.held.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok();
        // Made only when it is ours: dropping one gives the lock back.
        free.then(|| Guard { lock: self })
    }

    #[cold]
    fn contended(&self) {
        let mut tries = 0u32;
        loop {
            while self.held.load(Ordering::Relaxed) {
                tries += 1;
                // The holder may have been descheduled on a machine with few cores: give it the core soon.
                if tries < 64 { std::hint::spin_loop() } else { std::thread::yield_now() }
            }
            if self.held.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return;
            }
        }
    }
}

/// Access to the value until dropped.
pub struct Guard<'a, T> {
    lock: &'a ThreadLock<T>,
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard proves exclusive access, see `ThreadLock`.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard proves exclusive access, see `ThreadLock`.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if !self.lock.elided {
            self.lock.held.store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn threads_exclude_each_other() {
        let l = Arc::new(ThreadLock::new(0u64, false));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let l = l.clone();
                std::thread::spawn(move || {
                    for _ in 0..20_000 {
                        *l.lock() += 1;
                    }
                })
            })
            .collect();
        for t in threads {
            t.join().unwrap();
        }
        assert_eq!(*l.lock(), 80_000);
    }

    #[test]
    fn who_only_tries_does_not_wait() {
        let l = ThreadLock::new((), false);
        let held = l.lock();
        assert!(l.try_lock().is_none());
        assert!(l.try_lock().is_none(), "a vain attempt leaves the lock with its holder");
        drop(held);
        assert!(l.try_lock().is_some());
        assert!(l.try_lock().is_some(), "given back");
    }
}
