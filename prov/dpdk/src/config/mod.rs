//! Which ports the provider offers: the grammar of `FI_DPDK_PORTS` and of the file named by `FI_DPDK_CONFIG`.
//!
//! A configuration is a list of entries `DEVICE[=IP/prefix[,option…]]`. This module turns its text into values and
//! says what is wrong with it; it asks neither the kernel nor DPDK whether a device exists.

#![forbid(unsafe_code)]

mod error;
mod parse;
#[cfg(test)]
mod tests;

use std::fmt;
use std::net::IpAddr;

pub use error::{ConfigError, Problem};
pub(crate) use parse::check_gateway;
pub use parse::{parse_file, parse_list};
pub use wire_types::{Cidr, Mac};

/// Smallest link MTU accepted for IPv4: the datagram that every host must take (RFC 791, section 3.1).
pub const MIN_MTU_V4: u16 = 576;
/// Smallest link MTU accepted for IPv6 (RFC 8200, section 5).
pub const MIN_MTU_V6: u16 = 1280;

/// What an entry's DEVICE names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    /// A PCI function, full form `domain:bus:device.function`, with the device arguments that follow it.
    Pci { address: String, args: String },
    /// A network interface of the kernel, driven through AF_PACKET or AF_XDP.
    Kernel { name: String },
    /// A virtual device of DPDK: its name and its arguments.
    Vdev { name: String, args: String },
}

impl Device {
    /// The short name users see: domain names, log lines.
    pub fn name(&self) -> &str {
        match self {
            Device::Pci { address, .. } => address,
            Device::Kernel { name } | Device::Vdev { name, .. } => name,
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Pci { address: name, args } | Device::Vdev { name, args } if !args.is_empty() => {
                write!(f, "{name},{args}")
            }
            _ => f.write_str(self.name()),
        }
    }
}

/// How a kernel interface is driven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KernelDriver {
    /// AF_PACKET: needs CAP_NET_RAW; the kernel sees every frame too.
    #[default]
    AfPacket,
    /// AF_XDP: needs CAP_NET_ADMIN and CAP_BPF; the frames of the bound queue bypass the kernel.
    AfXdp,
}

/// One configured port, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortConfig {
    /// The entry's own text, for messages.
    pub text: String,
    /// The device to open.
    pub device: Device,
    /// Address and prefix; only a kernel interface may leave it out (it is then read from the kernel).
    pub address: Option<Cidr>,
    /// Next hop of addresses outside the prefix.
    pub gateway: Option<IpAddr>,
    /// 802.1Q VLAN id of all frames.
    pub vlan: Option<u16>,
    /// Link MTU in bytes (largest IP packet).
    pub mtu: Option<u16>,
    /// MAC address to use instead of the device's own.
    pub mac: Option<Mac>,
    /// Neighbours that are never asked for.
    pub neighbours: Vec<(IpAddr, Mac)>,
    /// Driver of a kernel interface; `None` for other devices.
    pub driver: Option<KernelDriver>,
}

mod wire_types {
    use std::fmt;
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

    /// An address with the length of its network prefix.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Cidr {
        pub ip: IpAddr,
        pub prefix: u8,
    }

    impl Cidr {
        /// The network's own address: host bits zero.
        pub fn network(&self) -> IpAddr {
            match self.ip {
                IpAddr::V4(a) => Ipv4Addr::from_bits(a.to_bits() & self.mask_v4()).into(),
                IpAddr::V6(a) => Ipv6Addr::from_bits(a.to_bits() & self.mask_v6()).into(),
            }
        }

        /// True when `ip` is of the same family and in the same network.
        pub fn contains(&self, ip: IpAddr) -> bool {
            match (self.ip, ip) {
                (IpAddr::V4(a), IpAddr::V4(b)) => (a.to_bits() ^ b.to_bits()) & self.mask_v4() == 0,
                (IpAddr::V6(a), IpAddr::V6(b)) => (a.to_bits() ^ b.to_bits()) & self.mask_v6() == 0,
                _ => false,
            }
        }

        /// True for the subnet's broadcast address (IPv4 prefixes up to /30).
        pub fn is_broadcast(&self, ip: IpAddr) -> bool {
            match ip {
                IpAddr::V4(b) if b.is_broadcast() => true,
                IpAddr::V4(b) => {
                    self.prefix <= 30 && self.contains(ip) && b.to_bits() | self.mask_v4() == u32::MAX
                }
                IpAddr::V6(_) => false,
            }
        }

        /// The network in the usual text form, `10.0.0.0/24`.
        pub fn network_name(&self) -> String {
            format!("{}/{}", self.network(), self.prefix)
        }

        fn mask_v4(&self) -> u32 {
            u32::MAX.checked_shl(32 - u32::from(self.prefix.min(32))).unwrap_or(0)
        }

        fn mask_v6(&self) -> u128 {
            u128::MAX.checked_shl(128 - u32::from(self.prefix.min(128))).unwrap_or(0)
        }
    }

    impl fmt::Display for Cidr {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{}/{}", self.ip, self.prefix)
        }
    }

    /// An Ethernet address.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub struct Mac(pub [u8; 6]);

    impl Mac {
        /// Reads `aa:bb:cc:dd:ee:ff`; `None` for anything else.
        pub fn parse(text: &str) -> Option<Mac> {
            let mut out = [0; 6];
            let mut parts = text.split(':');
            for byte in &mut out {
                let part = parts.next()?;
                if part.len() != 2 || !part.bytes().all(|c| c.is_ascii_hexdigit()) {
                    return None;
                }
                *byte = u8::from_str_radix(part, 16).ok()?;
            }
            parts.next().is_none().then_some(Mac(out))
        }

        /// True for an address that one station may own.
        pub fn is_unicast(&self) -> bool {
            self.0[0] & 1 == 0 && self.0 != [0; 6]
        }
    }

    impl fmt::Display for Mac {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let [a, b, c, d, e, g] = self.0;
            write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
        }
    }
}
