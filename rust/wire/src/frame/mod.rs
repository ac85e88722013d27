//! Frames: Ethernet II with at most one 802.1Q tag, IPv4 or IPv6 without options or extension headers on the way out,
//! UDP; and what a host on such a link has to understand besides: ARP, neighbour discovery, echo.
//!
//! No state and no allocation. Every length is held against the frame; nothing here panics on any input.

mod checksum;
mod echo;
mod neighbour;
mod parse;
mod plain;
mod template;
#[cfg(test)]
mod tests;

pub use checksum::Sum;
pub use echo::{Echo, emit_echo_reply};
pub use neighbour::{Neighbour, NeighbourKind, emit_neighbour_answer, emit_neighbour_request};
pub use parse::{Checks, Drop, Received, Udp, parse};
pub use template::{MAX_HEADER, Template};

use std::net::IpAddr;

/// An Ethernet address.
pub type Mac = [u8; 6];

/// Every station on the link.
pub const BROADCAST: Mac = [0xff; 6];

/// EtherTypes (IEEE 802 numbers, IANA).
pub(crate) const ETHERTYPE_IPV4: u16 = 0x0800;
pub(crate) const ETHERTYPE_ARP: u16 = 0x0806;
pub(crate) const ETHERTYPE_VLAN: u16 = 0x8100;
pub(crate) const ETHERTYPE_IPV6: u16 = 0x86dd;
/// IP protocol numbers (IANA).
pub(crate) const PROTOCOL_ICMP: u8 = 1;
pub(crate) const PROTOCOL_UDP: u8 = 17;
pub(crate) const PROTOCOL_FRAGMENT_V6: u8 = 44;
pub(crate) const PROTOCOL_ICMPV6: u8 = 58;
/// Lengths in bytes.
pub(crate) const ETHERNET_LEN: usize = 14;
pub(crate) const VLAN_LEN: usize = 4;
pub(crate) const IPV4_LEN: usize = 20;
pub(crate) const IPV6_LEN: usize = 40;
pub(crate) const UDP_LEN: usize = 8;
/// Hops of packets sent (RFC 1700's recommendation).
pub(crate) const HOP_LIMIT: u8 = 64;

/// A host's own place on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    pub mac: Mac,
    pub ip: IpAddr,
    /// 802.1Q VLAN id of all frames; `None` for untagged frames.
    pub vlan: Option<u16>,
}

impl Host {
    /// Bytes of the link header of frames sent.
    pub(crate) fn link_len(&self) -> usize {
        ETHERNET_LEN + if self.vlan.is_some() { VLAN_LEN } else { 0 }
    }

    /// Writes the link header of a frame to `to`; `out` has room for it.
    pub(crate) fn emit_link(&self, to: Mac, ethertype: u16, out: &mut [u8]) {
        out[..6].copy_from_slice(&to);
        out[6..12].copy_from_slice(&self.mac);
        let mut at = 12;
        if let Some(vlan) = self.vlan {
            out[12..14].copy_from_slice(&ETHERTYPE_VLAN.to_be_bytes());
            out[14..16].copy_from_slice(&(vlan & 0x0fff).to_be_bytes());
            at = 16;
        }
        out[at..at + 2].copy_from_slice(&ethertype.to_be_bytes());
    }
}

/// The link-layer address of an IPv6 multicast group (RFC 2464, section 7).
pub(crate) fn multicast_mac(group: std::net::Ipv6Addr) -> Mac {
    let [.., a, b, c, d] = group.octets();
    [0x33, 0x33, a, b, c, d]
}

/// The solicited-node multicast group of an address (RFC 4291, section 2.7.1).
pub(crate) fn solicited_node(ip: std::net::Ipv6Addr) -> std::net::Ipv6Addr {
    let [.., a, b, c] = ip.octets();
    std::net::Ipv6Addr::new(0xff02, 0, 0, 0, 0, 1, 0xff00 | u16::from(a), u16::from_be_bytes([b, c]))
}

/// Bytes of the longest neighbour message: Ethernet, VLAN tag, IPv6, ICMPv6 with one option.
pub const MAX_NEIGHBOUR: usize = ETHERNET_LEN + VLAN_LEN + IPV6_LEN + 32;
