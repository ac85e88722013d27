//! The UDP ports of one DPDK port: each belongs to at most one endpoint. On kernel interfaces they are reserved in the
//! kernel as well.

#![forbid(unsafe_code)]

use crate::kernel::{PortReservation, reserve_udp_port};
use std::collections::HashMap;
use std::io;
use std::net::IpAddr;

/// Dynamic ports (RFC 6335, section 6).
const EPHEMERAL: std::ops::RangeInclusive<u16> = 49152..=65535;

/// Which UDP ports are taken.
#[derive(Debug)]
pub struct UdpPorts {
    address: IpAddr,
    /// Interface index where the kernel has to be asked too.
    kernel: Option<u32>,
    taken: HashMap<u16, Option<PortReservation>>,
    next: u16,
}

impl UdpPorts {
    /// No port is taken. `start` picks where the search for free ports begins, so that a restarted program does not
    /// reuse at once the one it had.
    pub fn new(address: IpAddr, kernel: Option<u32>, start: u64) -> Self {
        let span = u64::from(EPHEMERAL.end() - EPHEMERAL.start()) + 1;
        UdpPorts { address, kernel, taken: HashMap::new(), next: EPHEMERAL.start() + (start % span) as u16 }
    }

    /// Takes a given port, or any free one for 0. Errors: `AddrInUse`, and the kernel's own.
    pub fn take(&mut self, wanted: u16) -> io::Result<u16> {
        if wanted != 0 {
            if self.taken.contains_key(&wanted) {
                return Err(io::ErrorKind::AddrInUse.into());
            }
            let held = self.kernel.map(|index| reserve_udp_port(self.address, wanted, index)).transpose()?;
            self.taken.insert(wanted, held);
            return Ok(wanted);
        }
        if let Some(index) = self.kernel {
            let held = reserve_udp_port(self.address, 0, index)?;
            let port = held.port();
            self.taken.insert(port, Some(held));
            return Ok(port);
        }
        for _ in EPHEMERAL {
            let port = self.next;
            self.next = if port == *EPHEMERAL.end() { *EPHEMERAL.start() } else { port + 1 };
            if let std::collections::hash_map::Entry::Vacant(free) = self.taken.entry(port) {
                free.insert(None);
                return Ok(port);
            }
        }
        Err(io::ErrorKind::AddrInUse.into())
    }

    /// Gives a port back.
    pub fn release(&mut self, port: u16) {
        self.taken.remove(&port);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_unique_until_released() {
        let mut ports = UdpPorts::new("10.0.0.1".parse().unwrap(), None, 16383);
        assert_eq!(ports.take(7).unwrap(), 7);
        assert_eq!(ports.take(7).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        assert_eq!((ports.take(0).unwrap(), ports.take(0).unwrap()), (65535, 49152));
        ports.release(7);
        assert_eq!(ports.take(7).unwrap(), 7);
    }

    #[test]
    fn exhausted_range_is_an_error() {
        let mut ports = UdpPorts::new("10.0.0.1".parse().unwrap(), None, 0);
        for _ in EPHEMERAL {
            ports.take(0).unwrap();
        }
        assert_eq!(ports.take(0).unwrap_err().kind(), io::ErrorKind::AddrInUse);
    }

    #[test]
    fn kernel_interfaces_are_reserved_in_the_kernel() {
        let lo: IpAddr = "127.0.0.1".parse().unwrap();
        let mut ports = UdpPorts::new(lo, Some(1), 0);
        let port = ports.take(0).unwrap();
        assert!(std::net::UdpSocket::bind((lo, port)).is_err());
        assert_eq!(ports.take(port).unwrap_err().kind(), io::ErrorKind::AddrInUse);
        ports.release(port);
        assert!(std::net::UdpSocket::bind((lo, port)).is_ok());
    }
}
