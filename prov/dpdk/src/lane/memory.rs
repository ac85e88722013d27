//! A lane between two ends in one process, for tests: frames are byte vectors, and a test may look at all of them.

use super::*;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

/// A frame in a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BytesFrame(pub Vec<u8>);

/// Largest frame of the lane.
const CAPACITY: usize = 9018;

impl Frame for BytesFrame {
    fn bytes(&self) -> &[u8] {
        &self.0
    }
    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
    fn resize(&mut self, len: usize) -> Option<&mut [u8]> {
        if len > CAPACITY {
            return None;
        }
        self.0.resize(len, 0xee);
        Some(&mut self.0)
    }
}

type Queue = Arc<Mutex<VecDeque<BytesFrame>>>;

/// One end of a pair.
pub struct MemoryLane {
    pub incoming: Queue,
    pub outgoing: Queue,
    /// Frames taken per call; the rest is left with the caller.
    pub room: usize,
}

/// Two connected ends.
pub fn pair() -> (MemoryLane, MemoryLane) {
    let (a, b) = (Queue::default(), Queue::default());
    (
        MemoryLane { incoming: a.clone(), outgoing: b.clone(), room: usize::MAX },
        MemoryLane { incoming: b, outgoing: a, room: usize::MAX },
    )
}

impl Lane<BytesFrame> for MemoryLane {
    fn alloc(&mut self) -> Option<BytesFrame> {
        Some(BytesFrame(Vec::new()))
    }
    fn receive(&mut self, into: &mut Vec<BytesFrame>) {
        let mut queue = self.incoming.lock().unwrap();
        let count = queue.len().min(BURST);
        into.extend(queue.drain(..count));
    }
    fn transmit(&mut self, frames: &mut Vec<BytesFrame>) {
        let count = frames.len().min(self.room);
        self.outgoing.lock().unwrap().extend(frames.drain(..count));
    }
}
