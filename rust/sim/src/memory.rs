//! Buffers of simulated applications.

use semantics::{RecvBuffer, SendBuffer};

/// A buffer that is moved into an operation and, for receives, back out with the completion.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Memory(pub Vec<u8>);

impl SendBuffer for Memory {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn read(&self, offset: usize, out: &mut [u8]) {
        out.copy_from_slice(&self.0[offset..offset + out.len()]);
    }
}

impl RecvBuffer for Memory {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn write(&mut self, offset: usize, data: &[u8]) {
        self.0[offset..offset + data.len()].copy_from_slice(data);
    }
}
