//! What can be wrong with a configuration, said so that the user can mend it: entry, value, remedy.

use super::{MIN_MTU_V4, MIN_MTU_V6};
use std::fmt;

/// One entry that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The entry as written.
    pub entry: String,
    /// What is wrong with it.
    pub problem: Problem,
}

/// The kinds of mistakes in an entry. The strings are the values as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Nothing stands where the device should.
    NoDevice,
    /// Neither a PCI address, nor a virtual device, nor a possible interface name.
    BadDevice(String),
    /// A device other than a kernel interface came without an address.
    NoAddress,
    /// What follows `=` is not an address.
    BadAddress(String),
    /// The address came without its prefix length.
    NoPrefix(String),
    /// The prefix length exceeds the address.
    BadPrefix(String),
    /// The address cannot be that of a host (multicast, loopback, network or broadcast address).
    NotAHost(String),
    /// No such option.
    UnknownOption(String),
    /// An option without `=value`.
    NoValue(String),
    /// The same option twice.
    Repeated(&'static str),
    /// The gateway is no address, of the wrong family, outside the prefix, or the port itself.
    BadGateway(String),
    /// The VLAN id is not in 1..=4094.
    BadVlan(String),
    /// The MTU is no number or out of range.
    BadMtu(String),
    /// The MAC address is malformed or not unicast.
    BadMac(String),
    /// The static neighbour is not `IP@MAC` or of the wrong family.
    BadNeighbour(String),
    /// No such driver for kernel interfaces.
    BadDriver(String),
    /// `drv=` on a device that is not a kernel interface.
    DriverNotForDevice,
    /// `mac=` on a kernel interface.
    MacNotForDevice,
    /// Two entries name the same device.
    DuplicateDevice(String),
    /// Two entries have the same address.
    DuplicateAddress(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Problem::*;
        match self {
            NoDevice => write!(
                f,
                "no device before '='; write DEVICE=IP/prefix with a PCI address, an interface or a DPDK vdev"
            ),
            BadDevice(v) => write!(
                f,
                "'{v}' is no device; give a PCI address (0000:03:00.0), a kernel interface (eth0) or a DPDK vdev (net_…)"
            ),
            NoAddress => write!(
                f,
                "no address; append =IP/prefix, for example =10.0.0.1/24 (only kernel interfaces have one to read)"
            ),
            BadAddress(v) => write!(f, "'{v}' is no IP/prefix; write it like 10.0.0.1/24 or fd00::1/64"),
            NoPrefix(v) => {
                write!(f, "address '{v}' has no prefix length; write it like {v}/{}", prefix_hint(v))
            }
            BadPrefix(v) => write!(f, "prefix of '{v}' is too long; IPv4 ends at /32, IPv6 at /128"),
            NotAHost(v) => write!(f, "'{v}' cannot be a port's address; give a unicast host address"),
            UnknownOption(v) => write!(f, "unknown option '{v}'; known are gw, vlan, mtu, mac, neigh, drv"),
            NoValue(v) => write!(f, "option '{v}' has no value; write {v}=VALUE"),
            Repeated(v) => write!(f, "option '{v}' given twice; keep one"),
            BadGateway(v) => {
                write!(
                    f,
                    "gateway '{v}' is not another host inside the port's prefix; write gw=IP, without prefix"
                )
            }
            BadVlan(v) => write!(f, "VLAN id '{v}' is not in 1..4094"),
            BadMtu(v) => {
                write!(f, "MTU '{v}' is not in {MIN_MTU_V4}..65535 bytes (IPv6: {MIN_MTU_V6}..65535)")
            }
            BadMac(v) => write!(f, "MAC '{v}' is not a unicast address like 02:00:00:00:00:01"),
            BadNeighbour(v) => {
                write!(
                    f,
                    "neighbour '{v}' is not IP@MAC of the port's family, like 10.0.0.2@02:00:00:00:00:02"
                )
            }
            BadDriver(v) => write!(f, "driver '{v}' is unknown; use drv=af_packet or drv=af_xdp"),
            DriverNotForDevice => write!(f, "drv= is for kernel interfaces only; remove it"),
            MacNotForDevice => {
                write!(f, "mac= is not for kernel interfaces; use `ip link set DEVICE address MAC` instead")
            }
            DuplicateDevice(v) => write!(f, "device '{v}' is configured twice; keep one entry for it"),
            DuplicateAddress(v) => write!(f, "address '{v}' is configured twice; give each port its own"),
        }
    }
}

fn prefix_hint(address: &str) -> &'static str {
    if address.contains(':') { "64" } else { "24" }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "port entry '{}': {}", self.entry, self.problem)
    }
}

impl std::error::Error for ConfigError {}
