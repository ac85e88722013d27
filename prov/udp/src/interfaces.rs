//! The host's addresses, interface by interface.

use kit::{Error, Result};
use nix::ifaddrs::getifaddrs;
use nix::net::if_::InterfaceFlags;
use std::net::IpAddr;

/// One address of an interface that is up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    pub name: String,
    pub ip: IpAddr,
    pub prefix: u32,
    pub loopback: bool,
}

/// All usable addresses; loopback last, so that the first result reaches other hosts.
pub fn list() -> Result<Vec<Interface>> {
    let mut all: Vec<Interface> = getifaddrs()
        .map_err(|e| Error::new(e as i32))?
        .filter(|i| i.flags.contains(InterfaceFlags::IFF_UP))
        .filter_map(|i| {
            let addr = i.address?;
            let (ip, prefix) = if let Some(a) = addr.as_sockaddr_in() {
                let mask = i.netmask.as_ref().and_then(|m| m.as_sockaddr_in().map(|m| u32::from(m.ip())));
                (IpAddr::V4(a.ip()), mask.map_or(32, u32::count_ones))
            } else {
                let a = addr.as_sockaddr_in6()?;
                // A link-local address is no address without its scope, which socket addresses of peers do not carry.
                if a.ip().is_unicast_link_local() {
                    return None;
                }
                let mask = i.netmask.as_ref().and_then(|m| m.as_sockaddr_in6().map(|m| u128::from(m.ip())));
                (IpAddr::V6(a.ip()), mask.map_or(128, u128::count_ones))
            };
            let loopback = i.flags.contains(InterfaceFlags::IFF_LOOPBACK);
            Some(Interface { name: i.interface_name, ip, prefix, loopback })
        })
        .collect();
    all.sort_by_key(|i| (i.loopback, i.ip.is_ipv6()));
    Ok(all)
}

impl Interface {
    /// The network, as the fabric's name: `10.0.0.0/24`.
    pub fn network(&self) -> String {
        let masked = match self.ip {
            IpAddr::V4(a) => IpAddr::V4((u32::from(a) & mask32(self.prefix)).into()),
            IpAddr::V6(a) => IpAddr::V6((u128::from(a) & mask128(self.prefix)).into()),
        };
        format!("{masked}/{}", self.prefix)
    }
}

fn mask32(prefix: u32) -> u32 {
    u32::MAX.checked_shl(32 - prefix).unwrap_or(0)
}

fn mask128(prefix: u32) -> u128 {
    u128::MAX.checked_shl(128 - prefix).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_named_by_their_masked_address() {
        let i = |ip: &str, prefix| Interface {
            name: "x".into(),
            ip: ip.parse().unwrap(),
            prefix,
            loopback: false,
        };
        assert_eq!(i("10.1.2.3", 8).network(), "10.0.0.0/8");
        assert_eq!(i("10.1.2.3", 32).network(), "10.1.2.3/32");
        assert_eq!(i("10.1.2.3", 0).network(), "0.0.0.0/0");
        assert_eq!(i("fd00::1:2", 64).network(), "fd00::/64");
    }

    #[test]
    fn the_loopback_interface_is_found() {
        assert!(list().unwrap().iter().any(|i| i.loopback && i.ip.is_loopback()));
    }
}
