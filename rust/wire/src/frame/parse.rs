//! From a received frame to what it says, or to the reason for which it is dropped.

use super::*;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::ops::Range;

/// What need not, or cannot, be checked in software.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// The device has found the IPv4 header's checksum right.
    pub ip_verified: bool,
    /// The device has found the UDP checksum right.
    pub udp_verified: bool,
    /// Accept a UDP checksum field that holds the bare sum of the pseudo-header: so it stands in packets that the kernel
    /// of this host, or of one behind the same virtual link, leaves to a device to complete which does not exist.
    pub partial_accepted: bool,
    /// The VLAN id that the device took out of the frame.
    pub stripped_vlan: Option<u16>,
}

/// A frame for this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    Udp(Udp),
    /// ARP or neighbour discovery.
    Neighbour(Neighbour),
    /// An echo request, to be answered by [`emit_echo_reply`].
    Echo(Echo),
}

/// A UDP datagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Udp {
    pub src: SocketAddr,
    /// Destination port; the address is the host's.
    pub dst_port: u16,
    pub src_mac: Mac,
    /// Where the payload stands in the frame.
    pub payload: Range<usize>,
}

/// Why a frame is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drop {
    /// Shorter than its headers, or than a length field says.
    Truncated,
    /// A length field that contradicts another one.
    BadLength,
    /// Link or IP destination is another host or group.
    NotForUs,
    /// Another VLAN, or a tag where there should be none.
    OtherVlan,
    /// A protocol that is not spoken here, including IP options in the way.
    UnknownProtocol,
    /// An IP version that contradicts the EtherType, and other nonsense.
    Malformed,
    /// A source that no host may have (multicast, broadcast, loopback, our own).
    BadSource,
    Fragment,
    BadIpChecksum,
    BadUdpChecksum,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes)
}

fn mac_at(bytes: &[u8], at: usize) -> Option<Mac> {
    bytes.get(at..at + 6)?.try_into().ok()
}

/// Reads a frame that `host` received.
#[inline]
pub fn parse(frame: &[u8], host: &Host, checks: Checks) -> Result<Received, Drop> {
    match plain::udp(frame, host, checks) {
        Some(udp) => Ok(Received::Udp(udp)),
        None => parse_any(frame, host, checks),
    }
}

pub(super) fn parse_any(frame: &[u8], host: &Host, checks: Checks) -> Result<Received, Drop> {
    let to = mac_at(frame, 0).ok_or(Drop::Truncated)?;
    let from = mac_at(frame, 6).ok_or(Drop::Truncated)?;
    let mut ethertype = u16_at(frame, 12).ok_or(Drop::Truncated)?;
    // Packet sockets see what their own host sends.
    if from[0] & 1 != 0 || from == host.mac {
        return Err(Drop::BadSource);
    }
    let mut at = ETHERNET_LEN;
    let mut vlan = checks.stripped_vlan;
    if ethertype == ETHERTYPE_VLAN && vlan.is_none() {
        vlan = Some(u16_at(frame, at).ok_or(Drop::Truncated)? & 0x0fff);
        ethertype = u16_at(frame, at + 2).ok_or(Drop::Truncated)?;
        at += VLAN_LEN;
    }
    // VLAN 0 is a priority tag on an untagged frame (IEEE 802.1Q).
    if vlan.map(|v| v & 0x0fff).filter(|v| *v != 0) != host.vlan {
        return Err(Drop::OtherVlan);
    }
    let unicast = to == host.mac;
    if !unicast && to[0] & 1 == 0 {
        return Err(Drop::NotForUs);
    }
    let packet = frame.get(at..).ok_or(Drop::Truncated)?;
    match (ethertype, host.ip) {
        (ETHERTYPE_ARP, IpAddr::V4(ip)) => neighbour::parse_arp(packet, ip, host.mac),
        (ETHERTYPE_IPV4, IpAddr::V4(ip)) => parse_ipv4(packet, at, from, ip, unicast, checks),
        (ETHERTYPE_IPV6, IpAddr::V6(ip)) => parse_ipv6(packet, at, from, ip, unicast, checks),
        _ => Err(Drop::UnknownProtocol),
    }
}

fn parse_ipv4(
    packet: &[u8],
    at: usize,
    src_mac: Mac,
    own: Ipv4Addr,
    unicast: bool,
    checks: Checks,
) -> Result<Received, Drop> {
    let header: &[u8; IPV4_LEN] = packet.first_chunk().ok_or(Drop::Truncated)?;
    if header[0] >> 4 != 4 {
        return Err(Drop::Malformed);
    }
    let header_len = usize::from(header[0] & 0x0f) * 4;
    if header_len < IPV4_LEN {
        return Err(Drop::BadLength);
    }
    let total = usize::from(u16::from_be_bytes([header[2], header[3]]));
    if total < header_len {
        return Err(Drop::BadLength);
    }
    // What follows is padding of short frames.
    let packet = packet.get(..total).ok_or(Drop::Truncated)?;
    let dst = Ipv4Addr::new(header[16], header[17], header[18], header[19]);
    if dst != own || !unicast {
        return Err(Drop::NotForUs);
    }
    if !checks.ip_verified && !Sum::default().bytes(&packet[..header_len]).is_right() {
        return Err(Drop::BadIpChecksum);
    }
    let fragment = u16::from_be_bytes([header[6], header[7]]);
    // All but "don't fragment" and the reserved bit: "more fragments" and the offset.
    if fragment & 0x3fff != 0 {
        return Err(Drop::Fragment);
    }
    let src = Ipv4Addr::new(header[12], header[13], header[14], header[15]);
    if src.is_multicast() || src.is_broadcast() || src.is_loopback() || src.is_unspecified() || src == own {
        return Err(Drop::BadSource);
    }
    let body = &packet[header_len..];
    let at = at + header_len;
    match header[9] {
        PROTOCOL_UDP => parse_udp(body, at, src_mac, src.into(), own.into(), checks),
        PROTOCOL_ICMP => echo::parse_v4(body, at, src_mac, src),
        _ => Err(Drop::UnknownProtocol),
    }
}

fn parse_ipv6(
    packet: &[u8],
    at: usize,
    src_mac: Mac,
    own: Ipv6Addr,
    unicast: bool,
    checks: Checks,
) -> Result<Received, Drop> {
    let header: &[u8; IPV6_LEN] = packet.first_chunk().ok_or(Drop::Truncated)?;
    if header[0] >> 4 != 6 {
        return Err(Drop::Malformed);
    }
    let length = usize::from(u16::from_be_bytes([header[4], header[5]]));
    let body = packet.get(IPV6_LEN..IPV6_LEN + length).ok_or(Drop::Truncated)?;
    let address = |at: usize| -> Ipv6Addr {
        let mut octets = [0; 16];
        octets.copy_from_slice(&header[at..at + 16]);
        octets.into()
    };
    let (src, dst) = (address(8), address(24));
    let to_us = dst == own && unicast;
    if src.is_multicast() || src.is_loopback() || src == own {
        return Err(Drop::BadSource);
    }
    match header[6] {
        PROTOCOL_ICMPV6 if body.first() == Some(&echo::ECHO_REQUEST_V6) => {
            if !to_us {
                return Err(Drop::NotForUs);
            }
            echo::parse_v6(body, at + IPV6_LEN, src_mac, src, dst)
        }
        // Neighbour discovery comes to multicast groups too, and from stations without an address yet.
        PROTOCOL_ICMPV6 => {
            if !to_us && dst != solicited_node(own) && dst != Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1) {
                return Err(Drop::NotForUs);
            }
            neighbour::parse_ndisc(body, src, dst, header[7], own, src_mac)
        }
        _ if !to_us => Err(Drop::NotForUs),
        _ if src.is_unspecified() => Err(Drop::BadSource),
        PROTOCOL_UDP => parse_udp(body, at + IPV6_LEN, src_mac, src.into(), dst.into(), checks),
        PROTOCOL_FRAGMENT_V6 => Err(Drop::Fragment),
        _ => Err(Drop::UnknownProtocol),
    }
}

fn parse_udp(
    body: &[u8],
    at: usize,
    src_mac: Mac,
    src: IpAddr,
    dst: IpAddr,
    checks: Checks,
) -> Result<Received, Drop> {
    let header: &[u8; UDP_LEN] = body.first_chunk().ok_or(Drop::Truncated)?;
    let number = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    let (src_port, dst_port, length, checksum) = (number(0), number(2), number(4), number(6));
    if usize::from(length) < UDP_LEN {
        return Err(Drop::BadLength);
    }
    let datagram = body.get(..usize::from(length)).ok_or(Drop::BadLength)?;
    if checksum == 0 {
        // "None", which IPv6 does not allow (RFC 8200, section 8.1).
        if dst.is_ipv6() {
            return Err(Drop::BadUdpChecksum);
        }
    } else if !checks.udp_verified {
        let pseudo = Sum::udp_pseudo_header(src, dst).number(length);
        let partial = || checks.partial_accepted && pseudo.folded() == checksum;
        if !pseudo.bytes(datagram).is_right() && !partial() {
            return Err(Drop::BadUdpChecksum);
        }
    }
    if src_port == 0 {
        return Err(Drop::BadSource);
    }
    Ok(Received::Udp(Udp {
        src: SocketAddr::new(src, src_port),
        dst_port,
        src_mac,
        payload: at + UDP_LEN..at + usize::from(length),
    }))
}
