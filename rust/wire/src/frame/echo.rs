//! Echo requests and replies (`ping`): RFC 792 for IPv4, RFC 4443 for IPv6.

use super::*;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

const ECHO_REQUEST_V4: u8 = 8;
const ECHO_REPLY_V4: u8 = 0;
pub(crate) const ECHO_REQUEST_V6: u8 = 128;
const ECHO_REPLY_V6: u8 = 129;
/// Type, code, checksum, identifier, sequence number.
const ECHO_LEN: usize = 8;

/// An echo request with a right checksum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Echo {
    pub src: IpAddr,
    pub src_mac: Mac,
    /// Where the ICMP message stands in the frame.
    pub message: Range<usize>,
}

pub(crate) fn parse_v4(body: &[u8], at: usize, src_mac: Mac, src: Ipv4Addr) -> Result<Received, Drop> {
    match body {
        [ECHO_REQUEST_V4, 0, ..] if body.len() >= ECHO_LEN => {}
        [_, ..] => return Err(Drop::UnknownProtocol),
        [] => return Err(Drop::Truncated),
    }
    if !Sum::default().bytes(body).is_right() {
        return Err(Drop::BadIpChecksum);
    }
    Ok(Received::Echo(Echo { src: src.into(), src_mac, message: at..at + body.len() }))
}

pub(crate) fn parse_v6(
    body: &[u8],
    at: usize,
    src_mac: Mac,
    src: Ipv6Addr,
    dst: Ipv6Addr,
) -> Result<Received, Drop> {
    if body.len() < ECHO_LEN || body[1] != 0 {
        return Err(Drop::Truncated);
    }
    if src.is_unspecified() {
        return Err(Drop::BadSource);
    }
    let pseudo = Sum::pseudo_header(src.into(), dst.into(), PROTOCOL_ICMPV6).number(body.len() as u16);
    if !pseudo.bytes(body).is_right() {
        return Err(Drop::BadIpChecksum);
    }
    Ok(Received::Echo(Echo { src: src.into(), src_mac, message: at..at + body.len() }))
}

/// Writes the reply to an echo request found in `frame` and gives its length; `None` where `out` has no room.
pub fn emit_echo_reply(frame: &[u8], request: &Echo, host: &Host, out: &mut [u8]) -> Option<usize> {
    let message = frame.get(request.message.clone())?;
    let link = host.link_len();
    let (ip_len, ethertype) = match host.ip {
        IpAddr::V4(_) => (IPV4_LEN, ETHERTYPE_IPV4),
        IpAddr::V6(_) => (IPV6_LEN, ETHERTYPE_IPV6),
    };
    let start = link + ip_len;
    let out = out.get_mut(..start + message.len())?;
    host.emit_link(request.src_mac, ethertype, out);
    let body = &mut out[start..];
    body.copy_from_slice(message);
    body[2..4].fill(0);
    match (host.ip, request.src) {
        (IpAddr::V4(own), IpAddr::V4(peer)) => {
            body[0] = ECHO_REPLY_V4;
            let checksum = Sum::default().bytes(body).checksum();
            body[2..4].copy_from_slice(&checksum.to_be_bytes());
            let header = &mut out[link..start];
            header.fill(0);
            header[0] = 0x45;
            header[2..4].copy_from_slice(&u16::try_from(ip_len + message.len()).ok()?.to_be_bytes());
            header[8] = HOP_LIMIT;
            header[9] = PROTOCOL_ICMP;
            header[12..16].copy_from_slice(&own.octets());
            header[16..20].copy_from_slice(&peer.octets());
            let checksum = Sum::default().bytes(header).checksum();
            header[10..12].copy_from_slice(&checksum.to_be_bytes());
        }
        (IpAddr::V6(own), IpAddr::V6(peer)) => {
            body[0] = ECHO_REPLY_V6;
            let length = u16::try_from(message.len()).ok()?;
            let pseudo = Sum::pseudo_header(host.ip, request.src, PROTOCOL_ICMPV6).number(length);
            let checksum = pseudo.bytes(body).checksum();
            body[2..4].copy_from_slice(&checksum.to_be_bytes());
            let header = &mut out[link..start];
            header.fill(0);
            header[0] = 0x60;
            header[4..6].copy_from_slice(&length.to_be_bytes());
            header[6] = PROTOCOL_ICMPV6;
            header[7] = HOP_LIMIT;
            header[8..24].copy_from_slice(&own.octets());
            header[24..40].copy_from_slice(&peer.octets());
        }
        _ => return None,
    }
    Some(out.len())
}
