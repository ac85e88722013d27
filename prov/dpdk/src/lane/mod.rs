//! Lanes carry frames between a port and its peers. A lane is small, so that lanes wrap lanes: fault injection and
//! capture files are wrappers that nothing else knows of. Frames are abstract too: [`ethdev`] has mbufs, tests have
//! plain bytes.

#![forbid(unsafe_code)]

pub mod ethdev;
pub mod fate;
pub mod faults;
#[cfg(test)]
pub mod memory;
pub mod pcap;

pub use fate::FaultConfig;
pub use faults::FaultInjector;
pub use pcap::PcapWriter;

/// Most frames that one call to a device moves.
pub const BURST: usize = 32;
/// Empty frames that are taken from the pool at a time. Few, so that the same ones are used again while their memory is still
/// in the processor's caches.
pub const STOCK: usize = 8;
/// Frames from this length on are taken from the pool one by one: the one that was given back last, and is still in the nearest
/// cache, is worth more than the time that taking several at once saves.
pub const LARGE: usize = 2048;
/// Bytes after which a burst is complete, whatever its number of frames: more would not stay in the nearest caches between
/// being written and being copied by a driver, or between being received and being copied to the application.
pub const BURST_BYTES: usize = 32 * 1024;

/// A buffer with one Ethernet frame in contiguous memory.
pub trait Frame: Send {
    /// The frame from its destination address on, without FCS.
    fn bytes(&self) -> &[u8];

    /// The same, writable.
    fn bytes_mut(&mut self) -> &mut [u8];

    /// Makes an empty frame `len` bytes long, contents undefined, and gives its memory. `None` when the buffer is
    /// too small.
    fn resize(&mut self, len: usize) -> Option<&mut [u8]>;

    /// Asks the device to complete the checksums on transmission: lengths in bytes of Ethernet and IP header.
    fn request_checksums(&mut self, _ethernet: usize, _ip: usize, _ipv4: bool) {}

    /// What the device says about a received frame.
    fn verified(&self) -> Verified {
        Verified::default()
    }

    /// The VLAN id that the device took out of a received frame.
    fn stripped_vlan(&self) -> Option<u16> {
        None
    }
}

/// Checksums that a device has found right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    pub ip: bool,
    pub udp: bool,
}

/// A way for frames to travel.
pub trait Lane<F: Frame>: Send {
    /// An empty frame to fill; `None` when all are in use.
    fn alloc(&mut self) -> Option<F>;

    /// Appends up to [`STOCK`] empty frames to `into`; none when all are in use.
    fn fill(&mut self, into: &mut Vec<F>) {
        into.extend(self.alloc());
    }

    /// Receives up to [`BURST`] frames, appended to `into`.
    fn receive(&mut self, into: &mut Vec<F>);

    /// Sends frames in order. Those that the device did not take stay in `frames`.
    fn transmit(&mut self, frames: &mut Vec<F>);
}

impl<F: Frame, L: Lane<F> + ?Sized> Lane<F> for Box<L> {
    fn alloc(&mut self) -> Option<F> {
        (**self).alloc()
    }
    fn fill(&mut self, into: &mut Vec<F>) {
        (**self).fill(into)
    }
    fn receive(&mut self, into: &mut Vec<F>) {
        (**self).receive(into)
    }
    fn transmit(&mut self, frames: &mut Vec<F>) {
        (**self).transmit(frames)
    }
}
