//! The parser of port lists. DEVICE may itself contain commas and `=` (virtual devices), so the address is found
//! from the right: it is the last `=` that an IP/prefix follows and that no option of ours precedes.

use super::*;
use std::net::IpAddr;

const OPTIONS: [&str; 6] = ["gw", "vlan", "mtu", "mac", "neigh", "drv"];
/// Longest interface name of Linux (IFNAMSIZ without the terminator).
const INTERFACE_NAME_MAX: usize = 15;
/// Beginnings of names that make a DEVICE one of DPDK's virtual network devices.
const VDEV_PREFIXES: [&str; 3] = ["net_", "eth_", "virtio_user"];

/// Reads a list whose entries are separated by `;` or line ends. The first mistake ends it.
pub fn parse_list(text: &str) -> Result<Vec<PortConfig>, ConfigError> {
    collect(text.split([';', '\n']))
}

/// Reads a configuration file: as a list, and a `#` at the start of a line or after a blank begins a comment.
pub fn parse_file(text: &str) -> Result<Vec<PortConfig>, ConfigError> {
    collect(text.lines().map(without_comment).flat_map(|line| line.split(';')))
}

fn without_comment(line: &str) -> &str {
    let mut after_blank = true;
    for (at, c) in line.char_indices() {
        if c == '#' && after_blank {
            return &line[..at];
        }
        after_blank = c.is_whitespace();
    }
    line
}

fn collect<'a>(entries: impl Iterator<Item = &'a str>) -> Result<Vec<PortConfig>, ConfigError> {
    let mut ports: Vec<PortConfig> = Vec::new();
    for text in entries.map(str::trim).filter(|t| !t.is_empty()) {
        let fail = |problem| ConfigError { entry: text.into(), problem };
        let port = parse_entry(text).map_err(fail)?;
        for other in &ports {
            if other.device.name() == port.device.name() {
                return Err(fail(Problem::DuplicateDevice(port.device.name().into())));
            }
            if let (Some(a), Some(b)) = (other.address, port.address) {
                // The same address on two VLANs is two networks.
                if a.ip == b.ip && other.vlan == port.vlan {
                    return Err(fail(Problem::DuplicateAddress(a.ip.to_string())));
                }
            }
        }
        ports.push(port);
    }
    Ok(ports)
}

fn parse_entry(text: &str) -> Result<PortConfig, Problem> {
    let (device, address, options) = match split_at_address(text) {
        Some((device, address, options)) => (device, Some(parse_cidr(address)?), options),
        None => {
            let (device, options) = split_without_address(text)?;
            (device, None, options)
        }
    };
    let device = parse_device(device.trim())?;
    let driver = matches!(device, Device::Kernel { .. }).then(KernelDriver::default);
    let mut port = PortConfig {
        text: text.into(),
        device,
        address,
        gateway: None,
        vlan: None,
        mtu: None,
        mac: None,
        neighbours: Vec::new(),
        driver,
    };
    let mut driver_given = false;
    for option in options.split(',').map(str::trim).filter(|o| !o.is_empty()) {
        let (key, value) = option.split_once('=').ok_or_else(|| match OPTIONS.contains(&option) {
            true => Problem::NoValue(option.into()),
            false => Problem::UnknownOption(option.into()),
        })?;
        let value = value.trim();
        match key.trim() {
            "gw" => {
                set("gw", &mut port.gateway, value.parse().map_err(|_| Problem::BadGateway(value.into())))?
            }
            "vlan" => set("vlan", &mut port.vlan, parse_vlan(value))?,
            "mtu" => set("mtu", &mut port.mtu, parse_mtu(value, address))?,
            "mac" if driver.is_some() => return Err(Problem::MacNotForDevice),
            "mac" => set("mac", &mut port.mac, parse_mac(value))?,
            "neigh" => port.neighbours.push(parse_neighbour(value, address)?),
            "drv" => {
                if driver.is_none() {
                    return Err(Problem::DriverNotForDevice);
                }
                if driver_given {
                    return Err(Problem::Repeated("drv"));
                }
                driver_given = true;
                port.driver = Some(parse_driver(value)?);
            }
            other => return Err(Problem::UnknownOption(other.into())),
        }
    }
    if let Some(cidr) = address {
        check_host(cidr)?;
        if let Some(gw) = port.gateway {
            check_gateway(cidr, gw)?;
        }
    }
    Ok(port)
}

fn set<T>(name: &'static str, slot: &mut Option<T>, value: Result<T, Problem>) -> Result<(), Problem> {
    match slot.replace(value?) {
        None => Ok(()),
        Some(_) => Err(Problem::Repeated(name)),
    }
}

/// Splits at the last `=` that an IP/prefix follows: device, address, options.
fn split_at_address(text: &str) -> Option<(&str, &str, &str)> {
    for (at, _) in text.rmatch_indices('=') {
        let before = &text[..at];
        let after = &text[at + 1..];
        let (value, options) = after.split_once(',').unwrap_or((after, ""));
        let is_option = before.rsplit_once(',').is_some_and(|(_, key)| OPTIONS.contains(&key.trim()));
        if !is_option && looks_like_cidr(value.trim()) {
            return Some((before, value.trim(), options));
        }
    }
    None
}

fn looks_like_cidr(value: &str) -> bool {
    value.split_once('/').is_some_and(|(ip, prefix)| {
        ip.parse::<IpAddr>().is_ok() && !prefix.is_empty() && prefix.bytes().all(|c| c.is_ascii_digit())
    })
}

/// An entry in which no address was found: either it has none, or it is malformed, which is told from the shape.
fn split_without_address(text: &str) -> Result<(&str, &str), Problem> {
    let (head, rest) = text.split_once(',').unwrap_or((text, ""));
    if let Some((device, value)) = head.split_once('=') {
        return Err(match device.trim().is_empty() {
            true => Problem::NoDevice,
            false => bad_address(value.trim()),
        });
    }
    match parse_device(head.trim())? {
        Device::Kernel { .. } => Ok((head, rest)),
        // `key=value=ADDRESS` inside a virtual device's arguments: the second part was meant to be the address.
        _ => Err(rest
            .split(',')
            .filter_map(|arg| arg.split_once('=')?.1.rsplit_once('='))
            .map(|(_, value)| value.trim())
            .find(|value| value.contains(['.', ':', '/']))
            .map_or(Problem::NoAddress, bad_address)),
    }
}

fn bad_address(value: &str) -> Problem {
    match value.parse::<IpAddr>() {
        Ok(_) => Problem::NoPrefix(value.into()),
        Err(_) => Problem::BadAddress(value.into()),
    }
}

fn parse_cidr(text: &str) -> Result<Cidr, Problem> {
    let bad = || Problem::BadAddress(text.into());
    let (ip, prefix) = text.split_once('/').ok_or_else(bad)?;
    let ip: IpAddr = ip.parse().map_err(|_| bad())?;
    let limit = if ip.is_ipv4() { 32 } else { 128 };
    match prefix.parse::<u8>() {
        Ok(prefix) if prefix <= limit => Ok(Cidr { ip, prefix }),
        _ => Err(Problem::BadPrefix(text.into())),
    }
}

fn check_host(cidr: Cidr) -> Result<(), Problem> {
    let ip = cidr.ip;
    let host_bits = if ip.is_ipv4() { 32 } else { 128 } - cidr.prefix;
    // A /31, /127 (RFC 3021, RFC 6164) or single address has no network address of its own.
    let is_network = host_bits > 1 && cidr.network() == ip;
    if ip.is_unspecified() || ip.is_multicast() || ip.is_loopback() || is_network || cidr.is_broadcast(ip) {
        return Err(Problem::NotAHost(cidr.to_string()));
    }
    Ok(())
}

/// Holds a gateway against the port's address.
pub(crate) fn check_gateway(cidr: Cidr, gw: IpAddr) -> Result<(), Problem> {
    let link_local = matches!((cidr.ip, gw), (IpAddr::V6(_), IpAddr::V6(g)) if g.is_unicast_link_local());
    if gw == cidr.ip || gw.is_multicast() || gw.is_unspecified() || !(cidr.contains(gw) || link_local) {
        return Err(Problem::BadGateway(gw.to_string()));
    }
    Ok(())
}

fn parse_vlan(value: &str) -> Result<u16, Problem> {
    match value.parse() {
        Ok(id @ 1..=4094) => Ok(id),
        _ => Err(Problem::BadVlan(value.into())),
    }
}

fn parse_mtu(value: &str, address: Option<Cidr>) -> Result<u16, Problem> {
    let least = match address {
        Some(cidr) if cidr.ip.is_ipv6() => MIN_MTU_V6,
        _ => MIN_MTU_V4,
    };
    match value.parse() {
        Ok(mtu) if mtu >= least => Ok(mtu),
        _ => Err(Problem::BadMtu(value.into())),
    }
}

fn parse_mac(value: &str) -> Result<Mac, Problem> {
    Mac::parse(value).filter(Mac::is_unicast).ok_or_else(|| Problem::BadMac(value.into()))
}

fn parse_neighbour(value: &str, address: Option<Cidr>) -> Result<(IpAddr, Mac), Problem> {
    let bad = || Problem::BadNeighbour(value.into());
    let (ip, mac) = value.split_once('@').ok_or_else(bad)?;
    let ip: IpAddr = ip.parse().map_err(|_| bad())?;
    let mac = Mac::parse(mac).filter(Mac::is_unicast).ok_or_else(bad)?;
    match address {
        Some(cidr) if cidr.ip.is_ipv4() != ip.is_ipv4() => Err(bad()),
        _ => Ok((ip, mac)),
    }
}

fn parse_driver(value: &str) -> Result<KernelDriver, Problem> {
    match value {
        "af_packet" => Ok(KernelDriver::AfPacket),
        "af_xdp" => Ok(KernelDriver::AfXdp),
        _ => Err(Problem::BadDriver(value.into())),
    }
}

fn parse_device(text: &str) -> Result<Device, Problem> {
    let (name, args) = text.split_once(',').unwrap_or((text, ""));
    let name = name.trim();
    if name.is_empty() {
        return Err(Problem::NoDevice);
    }
    if let Some(address) = pci_address(name) {
        return Ok(Device::Pci { address, args: args.into() });
    }
    if VDEV_PREFIXES.iter().any(|p| name.starts_with(p)) && name.bytes().all(is_name_byte) {
        return Ok(Device::Vdev { name: name.into(), args: args.into() });
    }
    let possible = name.len() <= INTERFACE_NAME_MAX
        && args.is_empty()
        && name != "."
        && name != ".."
        && name.bytes().all(|c| c.is_ascii_graphic() && !b"/:=;,".contains(&c));
    match possible {
        true => Ok(Device::Kernel { name: name.into() }),
        false => Err(Problem::BadDevice(text.into())),
    }
}

fn is_name_byte(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c == b'-'
}

/// The full lower-case form of a PCI address, whose domain may be left out; `None` if it is none.
fn pci_address(text: &str) -> Option<String> {
    let hex = |s: &str, len: usize| -> Option<u32> {
        (s.len() == len && s.bytes().all(|c| c.is_ascii_hexdigit()))
            .then(|| u32::from_str_radix(s, 16).ok())?
    };
    let mut parts = text.rsplit(':');
    let (device, function) = parts.next()?.split_once('.')?;
    let device = hex(device, 2).filter(|d| *d < 32)?;
    let function = hex(function, 1).filter(|f| *f < 8)?;
    let bus = hex(parts.next()?, 2)?;
    let domain = parts.next().map_or(Some(0), |d| hex(d, 4))?;
    parts.next().is_none().then(|| format!("{domain:04x}:{bus:02x}:{device:02x}.{function}"))
}
