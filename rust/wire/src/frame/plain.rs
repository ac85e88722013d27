//! The common case by itself: an untagged IPv4 packet without options or fragments that carries UDP to this host. What is
//! recognised here is what [`super::parse`] would say the long way, in a third of the time; everything else, and everything
//! that is wrong, is left to it.

use super::parse::{Checks, Udp};
use super::*;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};

/// All headers before the payload.
const HEADERS: usize = ETHERNET_LEN + IPV4_LEN + UDP_LEN;

#[inline(always)]
fn two(b: &[u8; HEADERS], at: usize) -> u16 {
    u16::from_be_bytes([b[at], b[at + 1]])
}

#[inline(always)]
fn four(b: &[u8; HEADERS], at: usize) -> u32 {
    u32::from_be_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]])
}

/// The datagram in the frame, if it is a plain one and right.
#[inline]
pub(super) fn udp(frame: &[u8], host: &Host, checks: Checks) -> Option<Udp> {
    let h = frame.first_chunk::<HEADERS>()?;
    let IpAddr::V4(own) = host.ip else { return None };
    let (own, src) = (u32::from(own), four(h, 26));
    let total = usize::from(two(h, 16));
    let len = two(h, 38);
    let src_mac: Mac = [h[6], h[7], h[8], h[9], h[10], h[11]];
    let plain = h[..6] == host.mac
        && two(h, 12) == ETHERTYPE_IPV4
        && h[14] == 0x45
        && two(h, 20) & 0x3fff == 0
        && h[23] == PROTOCOL_UDP
        && four(h, 30) == own
        && host.vlan.is_none()
        && checks.stripped_vlan.is_none()
        && total >= IPV4_LEN + UDP_LEN
        && usize::from(len) <= total - IPV4_LEN
        && usize::from(len) >= UDP_LEN
        && ETHERNET_LEN + total <= frame.len();
    // Sources that no host may have: "this network", loopback, multicast and above.
    let network = h[26];
    let from_host = src != own
        && network.wrapping_sub(1) < 223
        && network != 127
        && two(h, 34) != 0
        && src_mac[0] & 1 == 0
        && src_mac != host.mac;
    if !plain || !from_host {
        return None;
    }
    let end = ETHERNET_LEN + IPV4_LEN + usize::from(len);
    let datagram = frame.get(ETHERNET_LEN + IPV4_LEN..end)?;
    let ip_right =
        checks.ip_verified || Sum::default().bytes(&h[ETHERNET_LEN..ETHERNET_LEN + IPV4_LEN]).is_right();
    let udp_right = || {
        let pseudo = Sum::default().bytes(&h[26..34]).number(u16::from(PROTOCOL_UDP)).number(len);
        pseudo.bytes(datagram).is_right()
    };
    if !ip_right || !(checks.udp_verified || two(h, 40) == 0 || udp_right()) {
        return None;
    }
    Some(Udp {
        src: SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::from(src), two(h, 34))),
        dst_port: two(h, 36),
        src_mac,
        payload: HEADERS..end,
    })
}
