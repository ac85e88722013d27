//! What the provider offers on an interface, and which interfaces fit a query.

use crate::interfaces::Interface;
use kit::{Error, Offer, Query, Result};
use std::net::{IpAddr, SocketAddr, UdpSocket};

/// Largest datagram: 65535 bytes of IP packet less IP and UDP headers (RFC 768, RFC 791; RFC 8200 does not count its own
/// header).
const MAX_V4: usize = 65_535 - 20 - 8;
const MAX_V6: usize = 65_535 - 8;
/// Receives and sends that may be posted at once.
const MAX_SIZE: usize = 16_384;
const SIZE: usize = 1_024;
const CAPS: u64 =
    abi::FI_MSG | abi::FI_SEND | abi::FI_RECV | abi::FI_SOURCE | abi::FI_LOCAL_COMM | abi::FI_REMOTE_COMM;

/// Offers for all interfaces that the query's addresses leave.
pub fn offers(interfaces: &[Interface], query: &Query) -> Result<Vec<Offer>> {
    let via = query.dest.and_then(local_for);
    let fits = |i: &&Interface| {
        let family = query.dest.or(query.src).is_none_or(|a| a.is_ipv4() == i.ip.is_ipv4());
        let source = kit::query::source_fits(query.src, i.ip);
        family && source && via.is_none_or(|v| v == i.ip)
    };
    let port = query.src.map_or(0, |s| s.port());
    let found: Vec<Offer> =
        interfaces.iter().filter(fits).map(|i| offer(i, SocketAddr::new(i.ip, port), query.dest)).collect();
    if found.is_empty() { Err(Error::NODATA) } else { Ok(found) }
}

/// The local address that the kernel's routes choose for a peer. None: unknown, then any interface may do.
fn local_for(dest: SocketAddr) -> Option<IpAddr> {
    let any: SocketAddr = if dest.is_ipv4() { ([0, 0, 0, 0], 0).into() } else { ([0u16; 8], 0).into() };
    let s = UdpSocket::bind(any).ok()?;
    // Connecting a UDP socket sends nothing; it only picks the route.
    s.connect(SocketAddr::new(dest.ip(), dest.port().max(1))).ok()?;
    s.local_addr().ok().map(|a| a.ip()).filter(|ip| !ip.is_unspecified())
}

fn offer(i: &Interface, src: SocketAddr, dest: Option<SocketAddr>) -> Offer {
    let max = if i.ip.is_ipv4() { MAX_V4 } else { MAX_V6 };
    let mut o = Offer::new(abi::FI_EP_DGRAM).with_src(src);
    o.caps = CAPS;
    o.free_caps = abi::FI_LOCAL_COMM | abi::FI_REMOTE_COMM;
    o.dest = dest;
    o.ep.protocol = abi::FI_PROTO_UDP;
    o.ep.protocol_version = 0;
    o.ep.max_msg_size = max;
    // The kernel copies every datagram at once, so any may be injected.
    o.tx.inject_size = max;
    (o.tx.size, o.max_tx_size) = (SIZE, MAX_SIZE);
    (o.rx.size, o.max_rx_size) = (SIZE, MAX_SIZE);
    o.tx.iov_limit = kit::IOV_LIMIT;
    o.rx.iov_limit = kit::IOV_LIMIT;
    o.tx_op_flags = abi::FI_COMPLETION
        | abi::FI_INJECT
        | abi::FI_INJECT_COMPLETE
        | abi::FI_TRANSMIT_COMPLETE
        | abi::FI_MORE;
    o.rx_op_flags = abi::FI_COMPLETION | abi::FI_MORE;
    // A datagram carries no immediate data beside its bytes.
    o.domain.cq_data_size = 0;
    o.domain.caps = abi::FI_LOCAL_COMM | abi::FI_REMOTE_COMM;
    o.domain_name = i.name.clone();
    o.fabric_name = i.network();
    o
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lo() -> Interface {
        Interface { name: "lo".into(), ip: "127.0.0.1".parse().unwrap(), prefix: 8, loopback: true }
    }

    fn other() -> Interface {
        Interface { name: "x0".into(), ip: "192.0.2.1".parse().unwrap(), prefix: 24, loopback: false }
    }

    fn names(q: &Query) -> Vec<String> {
        offers(&[other(), lo()], q).unwrap_or_default().into_iter().map(|o| o.domain_name).collect()
    }

    #[test]
    fn a_source_or_destination_picks_the_interface() {
        assert_eq!(names(&Query::default()), ["x0", "lo"]);
        let to = |a: &str| Some(a.parse().unwrap());
        assert_eq!(names(&Query { src: to("192.0.2.1:9"), ..Query::default() }), ["x0"]);
        assert_eq!(names(&Query { src: to("0.0.0.0:9"), ..Query::default() }), ["x0", "lo"]);
        assert_eq!(names(&Query { dest: to("127.0.0.1:9"), ..Query::default() }), ["lo"]);
        assert!(names(&Query { src: to("192.0.2.77:9"), ..Query::default() }).is_empty());
        assert!(names(&Query { src: to("[::1]:9"), ..Query::default() }).is_empty());
    }
}
