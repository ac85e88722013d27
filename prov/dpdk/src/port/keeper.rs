//! A thread for each port that does the port's rounds when nobody else does: neighbours are answered, acknowledgements
//! sent and messages taken in while the application computes. It wakes at a low rate and mostly finds nothing to do; while
//! messages wait to be sent it wakes more often, so that an application that sends and then computes does not keep them.

#![forbid(unsafe_code)]

use super::alarm::Wake;
use super::running::Port;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// Time between looks: short against timeouts, long against what a look costs (about a microsecond).
const TICK: Duration = Duration::from_millis(10);
/// The same while messages wait, and for how many looks after that: who sent once sends again.
const HURRY: Duration = Duration::from_micros(500);
const HURRIED: u32 = 40;
/// Bursts taken in one look, so that a flood does not keep the thread.
const MOST_ROUNDS: usize = 64;

/// The thread, until stopped.
pub struct Keeper {
    port: Arc<Port>,
    thread: JoinHandle<()>,
}

impl Keeper {
    /// Starts the thread for a port. Errors: `FI_EAGAIN` where the system has no thread left.
    pub fn start(port: Arc<Port>) -> Result<Keeper, kit::Error> {
        let kept = port.clone();
        let thread = std::thread::Builder::new().name("fi_dpdk_keeper".into()).spawn(move || run(&kept))?;
        Ok(Keeper { port, thread })
    }

    /// Ends the thread; its share in the port is gone when this returns.
    pub fn stop(self) {
        self.port.alarm.stop();
        // A panic in it has been reported by the panic hook.
        let _ = self.thread.join();
    }
}

fn run(port: &Port) {
    dpdk::block_signals();
    dpdk::register_thread(port.eal);
    let (mut seen, mut hurried) = (0, 0u32);
    loop {
        let wake = match hurried {
            0 => port.alarm.sleep(TICK, true),
            _ => port.alarm.sleep(HURRY, false),
        };
        match wake {
            Wake::Stop => return,
            Wake::Called => hurried = HURRIED,
            Wake::Time => hurried = hurried.saturating_sub(1),
        }
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
