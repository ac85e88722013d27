//! A configured port with everything settled that can be known without opening the device: its address, MTU and
//! gateway, where the kernel's own were asked for. This is what `fi_getinfo` describes and `fi_domain` opens.

#![forbid(unsafe_code)]

use crate::config::{Cidr, Device, KernelDriver, Mac, PortConfig};
use crate::kernel::LinkFacts;
use std::fmt;
use std::io;
use std::net::IpAddr;

/// MTU of a port for which nothing else is said: Ethernet's (RFC 894).
pub const DEFAULT_MTU: u16 = 1500;
/// Largest IP packet on AF_XDP: a frame shares a page of 4 KiB with the kernel's headroom (256), the mbuf and its headroom
/// (256), and the pool's header and padding (128).
pub const AF_XDP_MTU: u16 = 3400;

/// A port that can be offered and opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSpec {
    pub device: Device,
    /// Present for kernel interfaces.
    pub kernel: Option<KernelPort>,
    pub address: Cidr,
    pub gateway: Option<IpAddr>,
    pub vlan: Option<u16>,
    /// Link MTU in bytes.
    pub mtu: u16,
    /// Link address where it is known or prescribed before the device is open.
    pub mac: Option<Mac>,
    pub neighbours: Vec<(IpAddr, Mac)>,
}

/// What is special about a port on a kernel interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelPort {
    pub driver: KernelDriver,
    pub index: u32,
    /// The interface's MTU in bytes.
    pub mtu: u32,
    /// The kernel has the port's address itself, and so answers ARP, neighbour discovery and echo for it wherever it
    /// sees the frames.
    pub owns_address: bool,
}

/// Why a well-formed entry cannot become a port.
#[derive(Debug)]
pub enum SpecError {
    NoInterface { name: String },
    Down { name: String },
    NotEthernet { name: String },
    NoKernelAddress { name: String },
    MtuTooBig { name: String, mtu: u16, limit: u32 },
    Unusable { entry: String, reason: crate::config::Problem },
    System { name: String, error: io::Error },
}

impl SpecError {
    /// The positive `FI_E*` number for this error.
    pub fn errno(&self) -> i32 {
        match self {
            SpecError::NoInterface { .. } | SpecError::Down { .. } | SpecError::NotEthernet { .. } => {
                abi::FI_ENODEV
            }
            SpecError::NoKernelAddress { .. } | SpecError::MtuTooBig { .. } | SpecError::Unusable { .. } => {
                abi::FI_EINVAL
            }
            SpecError::System { error, .. } => error.raw_os_error().unwrap_or(abi::FI_EIO),
        }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::NoInterface { name } => write!(
                f,
                "port '{name}': no such device: it is no interface of this network namespace (see `ip link`), and a \
                 DPDK vdev would begin with net_; correct FI_DPDK_PORTS"
            ),
            SpecError::Down { name } => {
                write!(f, "port '{name}': the interface is down; run `ip link set {name} up`")
            }
            SpecError::NotEthernet { name } => {
                write!(f, "port '{name}': not an Ethernet interface; name one that has a MAC address")
            }
            SpecError::NoKernelAddress { name } => write!(
                f,
                "port '{name}': the interface has no address; give it one (`ip address add`) or write {name}=IP/prefix"
            ),
            SpecError::MtuTooBig { name, mtu, limit } => write!(
                f,
                "port '{name}': mtu={mtu} exceeds the interface's {limit}; lower it or raise the interface's \
                 (`ip link set {name} mtu {mtu}`)"
            ),
            SpecError::Unusable { entry, reason } => write!(f, "port entry '{entry}': {reason}"),
            SpecError::System { name, error } => {
                write!(f, "port '{name}': the kernel does not describe the interface: {error}")
            }
        }
    }
}

impl std::error::Error for SpecError {}

impl PortSpec {
    /// The name of the port's domain.
    pub fn name(&self) -> &str {
        self.device.name()
    }

    /// Settles an entry; `ask` gives the kernel's facts about an interface.
    pub fn resolve(
        config: &PortConfig,
        ask: impl FnOnce(&str) -> io::Result<Option<LinkFacts>>,
    ) -> Result<PortSpec, SpecError> {
        match (&config.device, config.driver) {
            (Device::Kernel { name }, Some(driver)) => {
                let name = || name.clone();
                let facts = ask(config.device.name())
                    .map_err(|error| SpecError::System { name: name(), error })?
                    .ok_or_else(|| SpecError::NoInterface { name: name() })?;
                Self::on_kernel_interface(config, driver, &facts)
            }
            _ => {
                let address = config.address.ok_or_else(|| SpecError::Unusable {
                    entry: config.text.clone(),
                    reason: crate::config::Problem::NoAddress,
                })?;
                Ok(Self::assemble(config, address, None, config.gateway, DEFAULT_MTU, None))
            }
        }
    }

    fn on_kernel_interface(
        config: &PortConfig,
        driver: KernelDriver,
        facts: &LinkFacts,
    ) -> Result<PortSpec, SpecError> {
        let name = || config.device.name().to_owned();
        if !facts.up {
            return Err(SpecError::Down { name: name() });
        }
        if facts.mac.is_none() {
            return Err(SpecError::NotEthernet { name: name() });
        }
        let address = config
            .address
            .or_else(|| facts.addresses.first().copied())
            .ok_or_else(|| SpecError::NoKernelAddress { name: name() })?;
        let limit = match driver {
            KernelDriver::AfPacket => facts.mtu.min(u32::from(u16::MAX)),
            KernelDriver::AfXdp => facts.mtu.min(u32::from(AF_XDP_MTU)),
        };
        if let Some(mtu) = config.mtu.filter(|m| u32::from(*m) > limit) {
            return Err(SpecError::MtuTooBig { name: name(), mtu, limit });
        }
        let known = facts.gateways.iter().copied().find(|g| g.is_ipv4() == address.ip.is_ipv4());
        let gateway = match config.gateway {
            Some(gw) => {
                crate::config::check_gateway(address, gw)
                    .map_err(|reason| SpecError::Unusable { entry: config.text.clone(), reason })?;
                Some(gw)
            }
            // A default route belongs to the kernel's own network, not to a foreign address on its interface.
            None => known.filter(|g| crate::config::check_gateway(address, *g).is_ok()),
        };
        let kernel = KernelPort {
            driver,
            index: facts.index,
            mtu: facts.mtu,
            owns_address: facts.addresses.iter().any(|a| a.ip == address.ip),
        };
        Ok(Self::assemble(config, address, Some(kernel), gateway, limit as u16, facts.mac))
    }

    fn assemble(
        config: &PortConfig,
        address: Cidr,
        kernel: Option<KernelPort>,
        gateway: Option<IpAddr>,
        mtu: u16,
        mac: Option<Mac>,
    ) -> PortSpec {
        PortSpec {
            device: config.device.clone(),
            kernel,
            address,
            gateway,
            vlan: config.vlan,
            mtu: config.mtu.unwrap_or(mtu),
            mac: config.mac.or(mac),
            neighbours: config.neighbours.clone(),
        }
    }

    /// True when the kernel answers ARP, neighbour discovery and echo for the port's address, because it sees the
    /// frames and has the address: a second answer would be a duplicate.
    pub fn kernel_answers(&self) -> bool {
        self.kernel.is_some_and(|k| k.owns_address && k.driver == KernelDriver::AfPacket)
            && self.vlan.is_none()
    }

    /// Largest UDP payload of one datagram, in bytes: the MTU less IP and UDP headers (RFC 791, 8200, 768).
    pub fn max_udp_payload(&self) -> usize {
        let headers = if self.address.ip.is_ipv4() { 20 + 8 } else { 40 + 8 };
        usize::from(self.mtu).saturating_sub(headers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse_list;

    fn facts() -> LinkFacts {
        LinkFacts {
            index: 4,
            mac: Mac::parse("02:00:00:00:00:01"),
            mtu: 9000,
            up: true,
            addresses: vec![Cidr { ip: "10.0.0.1".parse().unwrap(), prefix: 24 }],
            gateways: vec!["fd00::ff".parse().unwrap(), "10.0.0.254".parse().unwrap()],
        }
    }

    fn resolve(text: &str, facts: Option<LinkFacts>) -> Result<PortSpec, SpecError> {
        PortSpec::resolve(&parse_list(text).unwrap()[0], |_| Ok(facts))
    }

    #[test]
    fn kernel_interface_lends_what_is_not_given() {
        let spec = resolve("eth0", Some(facts())).unwrap();
        assert_eq!(spec.address.to_string(), "10.0.0.1/24");
        assert_eq!((spec.mtu, spec.mac), (9000, facts().mac));
        assert_eq!(spec.gateway, Some("10.0.0.254".parse().unwrap()));
        assert!(spec.kernel_answers());
    }

    #[test]
    fn what_is_given_wins_over_the_kernel() {
        let spec = resolve("eth0=10.9.0.1/24,mtu=1400", Some(facts())).unwrap();
        assert_eq!((spec.address.to_string().as_str(), spec.mtu), ("10.9.0.1/24", 1400));
        assert_eq!(spec.gateway, None, "the kernel's gateway is not in this network");
        assert!(!spec.kernel_answers(), "the kernel does not have this address");
    }

    #[test]
    fn af_xdp_takes_frames_from_the_kernel_and_limits_the_mtu() {
        let spec = resolve("eth0,drv=af_xdp", Some(facts())).unwrap();
        assert_eq!(spec.mtu, AF_XDP_MTU);
        assert!(!spec.kernel_answers());
    }

    #[test]
    fn mtu_rules_count_headers() {
        let v4 = resolve("net_memif0=10.0.0.1/24,mtu=9000", None).unwrap();
        let v6 = resolve("net_memif0=fd00::1/64", None).unwrap();
        assert_eq!((v4.max_udp_payload(), v6.max_udp_payload()), (8972, 1452));
    }

    #[test]
    fn unusable_interfaces_are_told_apart() {
        let with = |change: fn(&mut LinkFacts)| {
            let mut f = facts();
            change(&mut f);
            Some(f)
        };
        for (text, facts, errno, word) in [
            ("eth9", None, abi::FI_ENODEV, "no such device"),
            ("eth0", with(|f| f.up = false), abi::FI_ENODEV, "ip link set eth0 up"),
            ("eth0", with(|f| f.mac = None), abi::FI_ENODEV, "MAC"),
            ("eth0", with(|f| f.addresses.clear()), abi::FI_EINVAL, "eth0=IP/prefix"),
            ("eth0,mtu=9001", with(|_| {}), abi::FI_EINVAL, "9000"),
            ("eth0,gw=10.1.1.1", with(|_| {}), abi::FI_EINVAL, "10.1.1.1"),
        ] {
            let error = resolve(text, facts).unwrap_err();
            assert_eq!(error.errno(), errno, "{text}: {error}");
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}
