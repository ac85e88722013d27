//! A thread for each port that does the port's rounds when nobody else does: neighbours are answered, acknowledgements
//! sent and messages taken in while the application computes. It wakes at a low rate and mostly finds nothing to do.

#![forbid(unsafe_code)]

use super::running::Port;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between looks: short against timeouts, long against what a look costs (about a microsecond).
const TICK: Duration = Duration::from_millis(10);
/// Bursts taken in one look, so that a flood does not keep the thread.
const MOST_ROUNDS: usize = 64;

/// The thread, until stopped.
pub struct Keeper {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: JoinHandle<()>,
}

impl Keeper {
    /// Starts the thread for a port. Errors: `FI_EAGAIN` where the system has no thread left.
    pub fn start(port: Arc<Port>) -> Result<Keeper, kit::Error> {
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let told = stop.clone();
        let thread =
            std::thread::Builder::new().name("fi_dpdk_keeper".into()).spawn(move || run(&port, &told))?;
        Ok(Keeper { stop, thread })
    }

    /// Ends the thread; its share in the port is gone when this returns.
    pub fn stop(self) {
        *self.stop.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.1.notify_all();
        // A panic in it has been reported by the panic hook.
        let _ = self.thread.join();
    }
}

fn run(port: &Port, stop: &(Mutex<bool>, Condvar)) {
    dpdk::block_signals();
    dpdk::register_thread(port.eal);
    let mut seen = 0;
    loop {
        let stopped = stop.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (stopped, _) =
            stop.1.wait_timeout_while(stopped, TICK, |s| !*s).unwrap_or_else(PoisonError::into_inner);
        if *stopped {
            return;
        }
        drop(stopped);
        // Who holds the lock is doing a round.
        let Some(mut io) = port.try_lock() else { continue };
        if io.rounds == seen {
            for _ in 0..MOST_ROUNDS {
                let before = io.link.counters.rx_frames;
                io.round_for_all(port.clock.now());
                if io.link.counters.rx_frames == before {
                    break;
                }
            }
        }
        seen = io.rounds;
    }
}
