//! The lane over a DPDK queue pair: frames are mbufs.

#![forbid(unsafe_code)]

use super::{BURST, BURST_BYTES, Frame, Lane, STOCK, Verified};
use dpdk::{Mbuf, Mempool, RxQueue, StartedPort, TxQueue};

impl Frame for Mbuf {
    #[inline]
    fn bytes(&self) -> &[u8] {
        self.data()
    }

    #[inline]
    fn bytes_mut(&mut self) -> &mut [u8] {
        self.data_mut()
    }

    #[inline]
    fn resize(&mut self, len: usize) -> Option<&mut [u8]> {
        Mbuf::resize(self, len)
    }

    #[inline]
    fn request_checksums(&mut self, ethernet: usize, ip: usize, ipv4: bool) {
        Mbuf::request_checksums(self, ethernet, ip, ipv4);
    }

    #[inline]
    fn verified(&self) -> Verified {
        Verified { ip: self.ip_checksum_good(), udp: self.l4_checksum_good() }
    }

    #[inline]
    fn stripped_vlan(&self) -> Option<u16> {
        Mbuf::stripped_vlan(self)
    }
}

/// A queue pair and the pool for what is sent.
pub struct EthdevLane {
    rx: RxQueue,
    tx: TxQueue,
    pool: Mempool,
    /// Frames to ask for at a time.
    burst: u16,
}

impl EthdevLane {
    pub fn new(port: StartedPort) -> Self {
        EthdevLane { rx: port.rx, tx: port.tx, pool: port.pool, burst: BURST as u16 }
    }
}

impl Lane<Mbuf> for EthdevLane {
    #[inline]
    fn alloc(&mut self) -> Option<Mbuf> {
        self.pool.alloc()
    }

    fn fill(&mut self, into: &mut Vec<Mbuf>) {
        if self.pool.alloc_many(into, STOCK) == 0 {
            into.extend(self.pool.alloc());
        }
    }

    #[inline]
    fn receive(&mut self, into: &mut Vec<Mbuf>) {
        let before = into.len();
        let got = self.rx.burst(into, self.burst);
        if got != 0 {
            // As many as are worth it if the next ones are like the last.
            let bytes = into.last().map_or(0, Mbuf::packet_len).max(1);
            self.burst = (BURST_BYTES / bytes).clamp(2, BURST) as u16;
        }
        if into[before..].iter().any(|m| m.segments() != 1) {
            gather(into, before);
        }
    }

    #[inline]
    fn transmit(&mut self, frames: &mut Vec<Mbuf>) {
        self.tx.burst(frames);
    }
}

impl Drop for EthdevLane {
    fn drop(&mut self) {
        log::debug!(target: "ep_data", "device counts: {:?}", self.rx.stats());
    }
}

/// Brings frames that a driver spread over several mbufs into one piece; those that do not fit are dropped.
#[cold]
fn gather(frames: &mut Vec<Mbuf>, from: usize) {
    let mut at = from;
    while at < frames.len() {
        if frames[at].segments() == 1 || frames[at].linearize() {
            at += 1;
        } else {
            frames.remove(at);
        }
    }
}
