//! A lane that loses, doubles, reorders and corrupts what is sent through it, by seeded chance. For testing only
//! (`FI_DPDK_FAULTS`).

#![forbid(unsafe_code)]

use super::fate::{Fate, Fates};
use super::{FaultConfig, Frame, Lane};

/// Most frames held back at a time; more pass undelayed.
const MOST_HELD: usize = 64;

/// Wraps a lane; reception is left as it is.
pub struct FaultInjector<F, L> {
    inner: L,
    fates: Fates,
    /// Frames held back, with the number of frames that still overtake each.
    held: Vec<(u8, F)>,
    /// Receive calls since a frame was last sent: what nothing overtakes goes out by and by.
    idle: u32,
    batch: Vec<F>,
}

/// Receive calls without a send after which held frames are let go.
const IDLE_LIMIT: u32 = 1000;

impl<F: Frame, L: Lane<F>> FaultInjector<F, L> {
    pub fn new(inner: L, config: FaultConfig) -> Self {
        FaultInjector { inner, fates: Fates::new(config), held: Vec::new(), idle: 0, batch: Vec::new() }
    }

    /// Appends a frame to the batch, and after it those that have been overtaken often enough.
    fn push(&mut self, frame: F) {
        self.batch.push(frame);
        let mut at = 0;
        while at < self.held.len() {
            self.held[at].0 -= 1;
            if self.held[at].0 == 0 {
                let (_, overtaken) = self.held.swap_remove(at);
                self.batch.push(overtaken);
            } else {
                at += 1;
            }
        }
    }

    fn copy(&mut self, frame: &F) -> Option<F> {
        let mut copy = self.inner.alloc()?;
        copy.resize(frame.bytes().len())?.copy_from_slice(frame.bytes());
        Some(copy)
    }

    fn send_batch(&mut self) {
        // What the device does not take is lost: this lane has promised it already.
        self.inner.transmit(&mut self.batch);
        self.batch.clear();
    }
}

impl<F: Frame, L: Lane<F>> Lane<F> for FaultInjector<F, L> {
    fn alloc(&mut self) -> Option<F> {
        self.inner.alloc()
    }

    fn receive(&mut self, into: &mut Vec<F>) {
        if !self.held.is_empty() {
            self.idle += 1;
            if self.idle > IDLE_LIMIT {
                self.batch.extend(self.held.drain(..).map(|(_, frame)| frame));
                self.send_batch();
                self.idle = 0;
            }
        }
        self.inner.receive(into);
    }

    fn transmit(&mut self, frames: &mut Vec<F>) {
        self.idle = 0;
        for mut frame in frames.drain(..) {
            match self.fates.draw() {
                Fate::Lose => {}
                Fate::Double => {
                    // The copy is of the frame as it stands; checksums left to the device are missing in it, which
                    // is one more corruption to be detected.
                    let copy = self.copy(&frame);
                    self.push(frame);
                    if let Some(copy) = copy {
                        self.push(copy);
                    }
                }
                Fate::Delay(by) if self.held.len() < MOST_HELD => self.held.push((by, frame)),
                Fate::Corrupt(bit) if !frame.bytes().is_empty() => {
                    let bytes = frame.bytes_mut();
                    let bit = bit as usize % (bytes.len() * 8);
                    bytes[bit / 8] ^= 1 << (bit % 8);
                    self.push(frame);
                }
                _ => self.push(frame),
            }
        }
        self.send_batch();
    }
}

#[cfg(test)]
mod tests {
    use super::super::memory::{BytesFrame, pair};
    use super::*;

    fn run(config: FaultConfig, count: u16) -> Vec<Vec<u8>> {
        let (a, mut b) = pair();
        let mut lane = FaultInjector::new(a, config);
        for i in 0..count {
            lane.transmit(&mut vec![BytesFrame(i.to_be_bytes().to_vec())]);
        }
        for _ in 0..=IDLE_LIMIT {
            lane.receive(&mut Vec::new());
        }
        let mut out = Vec::new();
        loop {
            let mut burst = Vec::new();
            b.receive(&mut burst);
            if burst.is_empty() {
                return out;
            }
            out.extend(burst.into_iter().map(|f| f.0));
        }
    }

    fn sent(count: u16) -> Vec<Vec<u8>> {
        (0..count).map(|i| i.to_be_bytes().to_vec()).collect()
    }

    #[test]
    fn without_faults_everything_passes_in_order() {
        assert_eq!(run(FaultConfig::default(), 100), sent(100));
    }

    #[test]
    fn reordering_loses_nothing() {
        let mut got = run(FaultConfig { reorder: 0.3, seed: 3, ..FaultConfig::default() }, 1000);
        assert_ne!(got, sent(1000));
        got.sort();
        assert_eq!(got, sent(1000));
    }

    #[test]
    fn loss_and_duplication_happen_as_often_as_asked() {
        let lost = run(FaultConfig { loss: 0.5, seed: 5, ..FaultConfig::default() }, 1000).len();
        assert!((400..600).contains(&lost), "{lost}");
        let doubled = run(FaultConfig { dup: 1.0, ..FaultConfig::default() }, 100);
        assert_eq!(doubled.len(), 200);
        assert_eq!(doubled[0], doubled[1]);
    }

    #[test]
    fn corruption_inverts_one_bit() {
        let got = run(FaultConfig { corrupt: 1.0, ..FaultConfig::default() }, 50);
        for (was, is) in sent(50).iter().zip(&got) {
            let bits: u32 = was.iter().zip(is).map(|(a, b)| (a ^ b).count_ones()).sum();
            assert_eq!(bits, 1);
        }
    }
}
