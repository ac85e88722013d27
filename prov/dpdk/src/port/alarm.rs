//! The keeper's clock: it sleeps long while nothing waits, and is called to shorter sleeps when something does.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// What ended a sleep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wake {
    Time,
    /// Something waits: see [`Alarm::call`].
    Called,
    Stop,
}

#[derive(Default)]
struct State {
    stop: bool,
    called: bool,
}

/// Wakes one thread.
#[derive(Default)]
pub struct Alarm {
    state: Mutex<State>,
    changed: Condvar,
    /// The thread is in a sleep that a call would end.
    sleeps_long: AtomicBool,
}

impl Alarm {
    /// Sleeps that long at most. Only a long sleep is ended by a call.
    pub fn sleep(&self, time: Duration, long: bool) -> Wake {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.sleeps_long.store(long, Ordering::Release);
        let (mut state, _) = self
            .changed
            .wait_timeout_while(state, time, |s| !(s.stop || long && s.called))
            .unwrap_or_else(PoisonError::into_inner);
        self.sleeps_long.store(false, Ordering::Release);
        match (state.stop, std::mem::take(&mut state.called)) {
            (true, _) => Wake::Stop,
            (_, true) => Wake::Called,
            _ => Wake::Time,
        }
    }

    /// Ends a long sleep. Costs a look at a flag, and a system call once a sleep.
    #[inline]
    pub fn call(&self) {
        if self.sleeps_long.load(Ordering::Relaxed) && self.sleeps_long.swap(false, Ordering::AcqRel) {
            self.wake();
        }
    }

    #[cold]
    fn wake(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).called = true;
        self.changed.notify_all();
    }

    /// Ends this sleep and all later ones.
    pub fn stop(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stop = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const LONG: Duration = Duration::from_secs(3600);

    /// Starts a sleeper and gives it time to fall asleep; calls until it is heard.
    fn woken(act: impl Fn(&Alarm)) -> Wake {
        let alarm = Arc::new(Alarm::default());
        let sleeper = std::thread::spawn({
            let alarm = alarm.clone();
            move || alarm.sleep(LONG, true)
        });
        while !sleeper.is_finished() {
            act(&alarm);
            std::thread::yield_now();
        }
        sleeper.join().unwrap()
    }

    #[test]
    fn a_long_sleep_ends_by_a_call_or_for_good() {
        assert_eq!(woken(Alarm::call), Wake::Called);
        assert_eq!(woken(Alarm::stop), Wake::Stop);
    }

    #[test]
    fn nobody_is_called_who_does_not_sleep() {
        let alarm = Alarm::default();
        alarm.call();
        assert_eq!(alarm.sleep(Duration::ZERO, true), Wake::Time);
        alarm.stop();
        assert_eq!(alarm.sleep(LONG, false), Wake::Stop);
        assert_eq!(alarm.sleep(LONG, true), Wake::Stop);
    }
}
