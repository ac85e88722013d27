//! The headers of all packets from one socket address to another: built once, then copied and patched.

use super::*;
use std::net::SocketAddr;

/// Bytes of the longest header: Ethernet, VLAN tag, IPv6, UDP.
pub const MAX_HEADER: usize = ETHERNET_LEN + VLAN_LEN + IPV6_LEN + UDP_LEN;
/// IPv4 flag "don't fragment" (RFC 791). Without fragments the identification may stay zero (RFC 6864).
const DONT_FRAGMENT: u16 = 0x4000;

/// Prebuilt headers.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    bytes: [u8; MAX_HEADER],
    len: u8,
    link: u8,
    ipv4: bool,
    /// Sum over the IPv4 header without the total length.
    ip: Sum,
    /// Sum over pseudo-header and ports, without the lengths.
    udp: Sum,
}

impl Template {
    /// For packets from `host`, UDP port `from`, to `to` by way of the station `next_hop`. `None` when the address
    /// families differ.
    pub fn new(host: &Host, from: u16, next_hop: Mac, to: SocketAddr) -> Option<Template> {
        let mut bytes = [0; MAX_HEADER];
        let link = host.link_len();
        let (ip, ip_len) = match (host.ip, to.ip()) {
            (IpAddr::V4(src), IpAddr::V4(dst)) => {
                host.emit_link(next_hop, ETHERTYPE_IPV4, &mut bytes);
                let header = &mut bytes[link..link + IPV4_LEN];
                header[0] = 0x45;
                header[6..8].copy_from_slice(&DONT_FRAGMENT.to_be_bytes());
                header[8] = HOP_LIMIT;
                header[9] = PROTOCOL_UDP;
                header[12..16].copy_from_slice(&src.octets());
                header[16..20].copy_from_slice(&dst.octets());
                (Sum::default().bytes(header), IPV4_LEN)
            }
            (IpAddr::V6(src), IpAddr::V6(dst)) => {
                host.emit_link(next_hop, ETHERTYPE_IPV6, &mut bytes);
                let header = &mut bytes[link..link + IPV6_LEN];
                header[0] = 0x60;
                header[6] = PROTOCOL_UDP;
                header[7] = HOP_LIMIT;
                header[8..24].copy_from_slice(&src.octets());
                header[24..40].copy_from_slice(&dst.octets());
                (Sum::default(), IPV6_LEN)
            }
            _ => return None,
        };
        let at = link + ip_len;
        bytes[at..at + 2].copy_from_slice(&from.to_be_bytes());
        bytes[at + 2..at + 4].copy_from_slice(&to.port().to_be_bytes());
        Some(Template {
            bytes,
            len: (at + UDP_LEN) as u8,
            link: link as u8,
            ipv4: host.ip.is_ipv4(),
            ip,
            udp: Sum::udp_pseudo_header(host.ip, to.ip()).number(from).number(to.port()),
        })
    }

    /// Bytes of all headers.
    #[inline]
    pub fn header_len(&self) -> usize {
        usize::from(self.len)
    }

    /// Bytes of the link header, and of the IP header.
    #[inline]
    pub fn link_and_ip_len(&self) -> (usize, usize) {
        (usize::from(self.link), if self.ipv4 { IPV4_LEN } else { IPV6_LEN })
    }

    /// True for IPv4.
    #[inline]
    pub fn is_ipv4(&self) -> bool {
        self.ipv4
    }

    /// Writes the headers of a packet with `payload_len` bytes after the UDP header to the beginning of `out`, and gives their
    /// length. Bytes behind them may be overwritten: the payload is written afterwards. The UDP checksum is left zero:
    /// [`Template::set_udp_checksum`] or [`Template::set_offload`] follows. `None`, and nothing is written, where `out` has no
    /// room or the length fits no packet.
    #[inline]
    pub fn emit(&self, payload_len: usize, out: &mut [u8]) -> Option<usize> {
        let (link, ip_len) = self.link_and_ip_len();
        let udp_len = u16::try_from(payload_len + UDP_LEN).ok()?;
        let total = udp_len.checked_add(IPV4_LEN as u16)?;
        // A copy of fixed length takes a few instructions.
        match out.first_chunk_mut::<MAX_HEADER>() {
            Some(all) => *all = self.bytes,
            None => out.get_mut(..self.header_len())?.copy_from_slice(&self.bytes[..self.header_len()]),
        }
        if self.ipv4 {
            out[link + 2..link + 4].copy_from_slice(&total.to_be_bytes());
            out[link + 10..link + 12].copy_from_slice(&self.ip.number(total).checksum().to_be_bytes());
        } else {
            out[link + 4..link + 6].copy_from_slice(&udp_len.to_be_bytes());
        }
        let udp = link + ip_len;
        out[udp + 4..udp + 6].copy_from_slice(&udp_len.to_be_bytes());
        Some(self.header_len())
    }

    /// Computes the UDP checksum over the payload and writes it into the headers in `header`.
    #[inline]
    pub fn set_udp_checksum(&self, header: &mut [u8], payload: &[u8]) {
        // The length stands in the pseudo-header and in the UDP header.
        let len = (payload.len() + UDP_LEN) as u16;
        self.put_udp(header, self.udp.number(len).number(len).bytes(payload).udp_checksum());
    }

    /// Prepares headers for a device that completes the checksums: the IPv4 one zero, the UDP one the pseudo-header's
    /// sum.
    #[inline]
    pub fn set_offload(&self, src: IpAddr, dst: IpAddr, payload_len: usize, header: &mut [u8]) {
        if self.ipv4 {
            let at = usize::from(self.link) + 10;
            if let Some(field) = header.get_mut(at..at + 2) {
                field.copy_from_slice(&[0, 0]);
            }
        }
        let sum = Sum::udp_pseudo_header(src, dst).number((payload_len + UDP_LEN) as u16);
        self.put_udp(header, sum.folded());
    }

    #[inline]
    fn put_udp(&self, header: &mut [u8], value: u16) {
        let end = self.header_len();
        if let Some(field) = header.get_mut(end - 2..end) {
            field.copy_from_slice(&value.to_be_bytes());
        }
    }
}
