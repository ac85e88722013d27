//! Who has which link address: ARP (RFC 826) for IPv4 and neighbour discovery (RFC 4861) for IPv6, as one vocabulary.

use super::*;
use std::net::{Ipv4Addr, Ipv6Addr};

/// ARP for IPv4 over Ethernet: bytes of a packet, operations.
const ARP_LEN: usize = 28;
const ARP_PREFIX: [u8; 6] = [0, 1, 0x08, 0x00, 6, 4];
const ARP_REQUEST: u16 = 1;
const ARP_REPLY: u16 = 2;
/// ICMPv6 types, options and flags of neighbour discovery.
const SOLICITATION: u8 = 135;
const ADVERTISEMENT: u8 = 136;
const NDISC_LEN: usize = 24;
const OPTION_SOURCE: u8 = 1;
const OPTION_TARGET: u8 = 2;
const OPTION_LEN: usize = 8;
const SOLICITED: u8 = 0x40;
const OVERRIDE: u8 = 0x20;
/// Hop limit that proves that no router has passed the packet on (RFC 4861, section 7.1).
const NDISC_HOPS: u8 = 255;

/// What a neighbour says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    pub kind: NeighbourKind,
    /// The address that `mac` belongs to. Unspecified in a request by a station that has none yet, to see whether the
    /// address is free.
    pub ip: IpAddr,
    pub mac: Mac,
}

/// The kinds of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NeighbourKind {
    /// The sender asks for this host's link address.
    RequestForUs,
    /// The answer to a request of this host.
    Reply,
    /// Anything else: announcements, requests for others.
    Other,
}

pub(crate) fn parse_arp(packet: &[u8], own: Ipv4Addr, own_mac: Mac) -> Result<Received, Drop> {
    let packet: &[u8; ARP_LEN] = packet.first_chunk().ok_or(Drop::Truncated)?;
    if packet[..6] != ARP_PREFIX {
        return Err(Drop::UnknownProtocol);
    }
    let ip = |at: usize| Ipv4Addr::new(packet[at], packet[at + 1], packet[at + 2], packet[at + 3]);
    let mac = |at: usize| -> Mac { std::array::from_fn(|i| packet[at + i]) };
    let (sender_mac, sender, target_mac, target) = (mac(8), ip(14), mac(18), ip(24));
    if sender_mac[0] & 1 != 0 || sender_mac == [0; 6] || sender.is_multicast() || sender.is_broadcast() {
        return Err(Drop::BadSource);
    }
    let kind = match u16::from_be_bytes([packet[6], packet[7]]) {
        ARP_REQUEST if target == own && sender != own => NeighbourKind::RequestForUs,
        ARP_REPLY if target == own && target_mac == own_mac => NeighbourKind::Reply,
        ARP_REQUEST | ARP_REPLY => NeighbourKind::Other,
        _ => return Err(Drop::UnknownProtocol),
    };
    Ok(Received::Neighbour(Neighbour { kind, ip: sender.into(), mac: sender_mac }))
}

pub(crate) fn parse_ndisc(
    body: &[u8],
    src: Ipv6Addr,
    dst: Ipv6Addr,
    hops: u8,
    own: Ipv6Addr,
    src_mac: Mac,
) -> Result<Received, Drop> {
    let kind = *body.first().ok_or(Drop::Truncated)?;
    if kind != SOLICITATION && kind != ADVERTISEMENT {
        return Err(Drop::UnknownProtocol);
    }
    let fixed: &[u8; NDISC_LEN] = body.first_chunk().ok_or(Drop::Truncated)?;
    if hops != NDISC_HOPS || fixed[1] != 0 {
        return Err(Drop::Malformed);
    }
    let pseudo = Sum::pseudo_header(src.into(), dst.into(), PROTOCOL_ICMPV6).number(body.len() as u16);
    if !pseudo.bytes(body).is_right() {
        return Err(Drop::BadIpChecksum);
    }
    let target = Ipv6Addr::from(<[u8; 16]>::try_from(&fixed[8..24]).unwrap_or_default());
    if target.is_multicast() {
        return Err(Drop::Malformed);
    }
    let wanted = if kind == SOLICITATION { OPTION_SOURCE } else { OPTION_TARGET };
    let named = link_option(&body[NDISC_LEN..], wanted)?;
    if named.is_some_and(|m| m[0] & 1 != 0) {
        return Err(Drop::BadSource);
    }
    let message = match kind {
        SOLICITATION => {
            let kind = if target == own { NeighbourKind::RequestForUs } else { NeighbourKind::Other };
            // Without the option the frame's own source address has to do.
            Neighbour { kind, ip: src.into(), mac: named.unwrap_or(src_mac) }
        }
        _ => {
            let solicited = fixed[4] & SOLICITED != 0 && dst == own;
            let kind = if solicited { NeighbourKind::Reply } else { NeighbourKind::Other };
            Neighbour { kind, ip: target.into(), mac: named.unwrap_or(src_mac) }
        }
    };
    Ok(Received::Neighbour(message))
}

/// The link address in an option of the wanted kind. All options are walked: one of length zero makes the packet
/// invalid (RFC 4861, section 4.6).
fn link_option(mut options: &[u8], wanted: u8) -> Result<Option<Mac>, Drop> {
    let mut found = None;
    while !options.is_empty() {
        let [kind, length, ..] = *options else { return Err(Drop::Truncated) };
        let length = usize::from(length) * 8;
        if length == 0 {
            return Err(Drop::BadLength);
        }
        let option = options.get(..length).ok_or(Drop::Truncated)?;
        if kind == wanted && length == OPTION_LEN {
            found = option[2..8].try_into().ok();
        }
        options = &options[length..];
    }
    Ok(found)
}

/// Writes a request for the link address of `target`, to one station or to all, and gives its length. `None` where
/// `out` has no room or the families differ.
pub fn emit_neighbour_request(host: &Host, target: IpAddr, to: Option<Mac>, out: &mut [u8]) -> Option<usize> {
    match (host.ip, target) {
        (IpAddr::V4(own), IpAddr::V4(target)) => {
            emit_arp(host, ARP_REQUEST, to.unwrap_or(BROADCAST), own, [0; 6], target, out)
        }
        (IpAddr::V6(own), IpAddr::V6(target)) => {
            let group = solicited_node(target);
            let (mac, dst) = match to {
                Some(mac) => (mac, target),
                None => (multicast_mac(group), group),
            };
            emit_ndisc(host, own, mac, dst, SOLICITATION, 0, target, OPTION_SOURCE, out)
        }
        _ => None,
    }
}

/// Writes the answer to a [`NeighbourKind::RequestForUs`] and gives its length.
pub fn emit_neighbour_answer(host: &Host, request: &Neighbour, out: &mut [u8]) -> Option<usize> {
    match (host.ip, request.ip) {
        (IpAddr::V4(own), IpAddr::V4(peer)) => {
            emit_arp(host, ARP_REPLY, request.mac, own, request.mac, peer, out)
        }
        (IpAddr::V6(own), IpAddr::V6(peer)) if peer.is_unspecified() => {
            // Somebody probes for our address (RFC 4861, section 7.2.4): all shall know that it is taken.
            let all_nodes = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 0, 1);
            let mac = multicast_mac(all_nodes);
            emit_ndisc(host, own, mac, all_nodes, ADVERTISEMENT, OVERRIDE, own, OPTION_TARGET, out)
        }
        (IpAddr::V6(own), IpAddr::V6(peer)) => {
            let flags = SOLICITED | OVERRIDE;
            emit_ndisc(host, own, request.mac, peer, ADVERTISEMENT, flags, own, OPTION_TARGET, out)
        }
        _ => None,
    }
}

fn emit_arp(
    host: &Host,
    operation: u16,
    to: Mac,
    own: Ipv4Addr,
    target_mac: Mac,
    target: Ipv4Addr,
    out: &mut [u8],
) -> Option<usize> {
    let link = host.link_len();
    let out = out.get_mut(..link + ARP_LEN)?;
    host.emit_link(to, ETHERTYPE_ARP, out);
    let packet = &mut out[link..];
    packet[..6].copy_from_slice(&ARP_PREFIX);
    packet[6..8].copy_from_slice(&operation.to_be_bytes());
    packet[8..14].copy_from_slice(&host.mac);
    packet[14..18].copy_from_slice(&own.octets());
    packet[18..24].copy_from_slice(&target_mac);
    packet[24..28].copy_from_slice(&target.octets());
    Some(out.len())
}

#[allow(clippy::too_many_arguments)]
fn emit_ndisc(
    host: &Host,
    own: Ipv6Addr,
    to: Mac,
    dst: Ipv6Addr,
    kind: u8,
    flags: u8,
    target: Ipv6Addr,
    option: u8,
    out: &mut [u8],
) -> Option<usize> {
    const LENGTH: usize = NDISC_LEN + OPTION_LEN;
    let link = host.link_len();
    let out = out.get_mut(..link + IPV6_LEN + LENGTH)?;
    host.emit_link(to, ETHERTYPE_IPV6, out);
    let (header, body) = out[link..].split_at_mut(IPV6_LEN);
    header.fill(0);
    header[0] = 0x60;
    header[4..6].copy_from_slice(&(LENGTH as u16).to_be_bytes());
    header[6] = PROTOCOL_ICMPV6;
    header[7] = NDISC_HOPS;
    header[8..24].copy_from_slice(&own.octets());
    header[24..40].copy_from_slice(&dst.octets());
    body.fill(0);
    body[0] = kind;
    body[4] = flags;
    body[8..24].copy_from_slice(&target.octets());
    body[24] = option;
    body[25] = (OPTION_LEN / 8) as u8;
    body[26..32].copy_from_slice(&host.mac);
    let pseudo = Sum::pseudo_header(own.into(), dst.into(), PROTOCOL_ICMPV6).number(LENGTH as u16);
    let checksum = pseudo.bytes(body).checksum();
    body[2..4].copy_from_slice(&checksum.to_be_bytes());
    Some(out.len())
}
