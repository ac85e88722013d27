//! What the provider offers on each configured port, and which ports fit a query. Nothing is opened for it.

#![forbid(unsafe_code)]

use crate::config::PortConfig;
use crate::kernel::link_facts;
use crate::spec::PortSpec;
use kit::{Error, Nic, Offer, Query, Result};
use std::net::SocketAddr;

/// Operations that may be outstanding on an endpoint: default and most.
const SIZE: usize = 1024;
const MAX_SIZE: usize = 1 << 16;
/// Longest message. Lengths are 64-bit numbers on the wire; this keeps their sums from overflowing.
const MAX_MESSAGE: usize = 1 << 40;
/// Longest injected message: it is copied, so that a copy should be cheap.
const INJECT: usize = 4096;
/// The delivery protocol over UDP, described in PROTOCOL.md: a number of the provider's own (the top bit says so).
const PROTOCOL: u32 = 1 << 31 | 0x4650;
/// All 64 bits of a tag are the application's (fi_endpoint(3), FI_TAG_GENERIC).
const TAG_FORMAT: u64 = 0xaaaa_aaaa_aaaa_aaaa;
const COMMON_CAPS: u64 =
    abi::FI_MSG | abi::FI_SEND | abi::FI_RECV | abi::FI_SOURCE | abi::FI_LOCAL_COMM | abi::FI_REMOTE_COMM;
const FREE_CAPS: u64 = abi::FI_LOCAL_COMM | abi::FI_REMOTE_COMM;
const TX_FLAGS: u64 =
    abi::FI_COMPLETION | abi::FI_INJECT | abi::FI_INJECT_COMPLETE | abi::FI_TRANSMIT_COMPLETE | abi::FI_MORE;
const RX_FLAGS: u64 = abi::FI_COMPLETION | abi::FI_MORE;

/// A core sets it when it asks for a provider that sits on others (a utility provider).
const CORE_ONLY: u64 = 1 << 59;

/// The offers for all ports that the query's addresses leave. Errors: `FI_ENODATA` where there is none.
pub fn offers(ports: &[PortConfig], query: &Query) -> Result<Vec<Offer>> {
    if query.flags & CORE_ONLY != 0 {
        // ofi_rxd would make slower reliable endpoints of the datagrams here and be listed before the provider's own, so that
        // programs that ask for "dpdk" would get "dpdk;ofi_rxd".
        return Err(Error::NODATA);
    }
    if ports.is_empty() {
        log::info!(
            target: "fabric",
            "no port is configured: set FI_DPDK_PORTS to a list of DEVICE=IP/prefix, for example \
             FI_DPDK_PORTS=0000:03:00.0=10.0.0.1/24 or FI_DPDK_PORTS=eth0"
        );
        return Err(Error::NODATA);
    }
    let specs: Vec<PortSpec> = ports
        .iter()
        .filter_map(|p| {
            PortSpec::resolve(p, link_facts).inspect_err(|e| log::warn!(target: "fabric", "{e}")).ok()
        })
        .collect();
    let found: Vec<Offer> =
        specs.iter().filter(|spec| fits(spec, query)).flat_map(|spec| for_port(spec, query)).collect();
    if found.is_empty() { Err(Error::NODATA) } else { Ok(found) }
}

/// True when the port can be the query's source and leads to its destination.
fn fits(spec: &PortSpec, query: &Query) -> bool {
    let own = spec.address.ip;
    let family = |a: &SocketAddr| a.is_ipv4() == own.is_ipv4();
    let source = kit::query::source_fits(query.src, own) && query.src.as_ref().is_none_or(family);
    let destination = query.dest.as_ref().is_none_or(|to| {
        family(to)
            && (spec.address.contains(to.ip())
                || spec.gateway.is_some()
                || spec.neighbours.iter().any(|(ip, _)| *ip == to.ip()))
    });
    source && destination
}

fn for_port(spec: &PortSpec, query: &Query) -> [Offer; 2] {
    [rdm(spec, query), dgram(spec, query)]
}

/// What both kinds of endpoints have in common.
fn common(ep_type: abi::fi_ep_type, spec: &PortSpec, query: &Query) -> Offer {
    let port = query.src.map_or(0, |s| s.port());
    let mut o = Offer::new(ep_type).with_src(SocketAddr::new(spec.address.ip, port));
    o.caps = COMMON_CAPS;
    o.free_caps = FREE_CAPS;
    o.dest = query.dest;
    (o.tx.size, o.max_tx_size) = (SIZE, MAX_SIZE);
    (o.rx.size, o.max_rx_size) = (SIZE, MAX_SIZE);
    o.tx.iov_limit = kit::IOV_LIMIT;
    o.rx.iov_limit = kit::IOV_LIMIT;
    o.tx_op_flags = TX_FLAGS;
    o.rx_op_flags = RX_FLAGS;
    o.domain.caps = FREE_CAPS;
    o.domain_name = spec.name().to_owned();
    o.fabric_name = spec.address.network_name();
    o.nic = Some(nic(spec));
    o
}

fn rdm(spec: &PortSpec, query: &Query) -> Offer {
    let mut o = common(abi::FI_EP_RDM, spec, query);
    o.caps |= abi::FI_TAGGED | abi::FI_DIRECTED_RECV;
    o.ep.protocol = PROTOCOL;
    o.ep.protocol_version = u32::from(wire::pds::VERSION);
    o.ep.max_msg_size = MAX_MESSAGE;
    o.ep.mem_tag_format = TAG_FORMAT;
    o.tx.inject_size = INJECT;
    o.tx_op_flags |= abi::FI_DELIVERY_COMPLETE;
    // Messages match in the order in which they were sent, peer by peer.
    o.tx.msg_order = abi::FI_ORDER_SAS;
    o.rx.msg_order = abi::FI_ORDER_SAS;
    o
}

fn dgram(spec: &PortSpec, query: &Query) -> Offer {
    let mut o = common(abi::FI_EP_DGRAM, spec, query);
    let max = spec.max_udp_payload();
    o.ep.protocol = abi::FI_PROTO_UDP;
    o.ep.max_msg_size = max;
    // Every datagram is copied into a packet buffer at once.
    o.tx.inject_size = max;
    // A plain datagram carries no immediate data beside its bytes.
    o.domain.cq_data_size = 0;
    o
}

fn nic(spec: &PortSpec) -> Nic {
    let pci = match &spec.device {
        crate::config::Device::Pci { address, .. } => pci_numbers(address),
        _ => None,
    };
    Nic {
        name: spec.name().to_owned(),
        driver: "dpdk".to_owned(),
        pci,
        address: spec.mac.map(|m| m.to_string()).unwrap_or_default(),
        mtu: usize::from(spec.mtu),
        speed: 0,
        up: spec.kernel.map(|_| true),
    }
}

/// `0000:03:00.0` as numbers.
fn pci_numbers(address: &str) -> Option<(u16, u8, u8, u8)> {
    let mut parts = address.split([':', '.']);
    let mut next = || parts.next().map(|p| u16::from_str_radix(p, 16));
    let (domain, bus, device, function) = (next()?.ok()?, next()?.ok()?, next()?.ok()?, next()?.ok()?);
    Some((domain, bus as u8, device as u8, function as u8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse_list;

    fn names(ports: &str, query: Query) -> Vec<String> {
        let list = offers(&parse_list(ports).unwrap(), &query).unwrap_or_default();
        let mut names: Vec<_> = list.into_iter().map(|o| o.domain_name).collect();
        names.dedup();
        names
    }

    const PORTS: &str = "net_memif0=10.0.0.1/24;net_memif1=10.1.0.1/24,gw=10.1.0.254;net_memif2=fd00::1/64";

    #[test]
    fn every_port_is_offered_with_its_network_as_fabric() {
        assert_eq!(names(PORTS, Query::default()), ["net_memif0", "net_memif1", "net_memif2"]);
        let list = offers(&parse_list(PORTS).unwrap(), &Query::default()).unwrap();
        assert_eq!(list[0].fabric_name, "10.0.0.0/24");
        assert!(list.iter().all(|o| o.src.is_some()));
    }

    #[test]
    fn addresses_choose_the_port() {
        let at = |a: &str| Some(a.parse().unwrap());
        let dest = |a| Query { dest: at(a), ..Query::default() };
        let src = |a| Query { src: at(a), ..Query::default() };
        assert_eq!(names(PORTS, dest("10.0.0.9:1")), ["net_memif0", "net_memif1"]);
        assert_eq!(names(PORTS, dest("192.0.2.1:1")), ["net_memif1"]);
        assert_eq!(names(PORTS, dest("[fd00::2]:1")), ["net_memif2"]);
        assert_eq!(names(PORTS, src("10.0.0.1:1")), ["net_memif0"]);
        assert_eq!(names(PORTS, src("0.0.0.0:1")), ["net_memif0", "net_memif1"]);
        assert!(names(PORTS, src("10.0.0.2:1")).is_empty());
    }

    #[test]
    fn nothing_configured_and_nothing_usable_offer_nothing() {
        assert_eq!(offers(&[], &Query::default()).err(), Some(Error::NODATA));
        assert!(names("no-such-if0", Query::default()).is_empty());
    }

    #[test]
    fn utility_providers_get_nothing_to_sit_on() {
        assert!(names(PORTS, Query { flags: CORE_ONLY, ..Query::default() }).is_empty());
    }

    #[test]
    fn datagrams_are_bounded_by_the_mtu() {
        let list = offers(&parse_list("net_memif0=10.0.0.1/24,mtu=9000").unwrap(), &Query::default());
        let dgram = list.unwrap().into_iter().find(|o| o.ep.r#type == abi::FI_EP_DGRAM).unwrap();
        assert_eq!((dgram.ep.max_msg_size, dgram.tx.inject_size), (8972, 8972));
    }

    #[test]
    fn pci_addresses_are_numbers_for_the_nic() {
        assert_eq!(pci_numbers("0000:af:1f.7"), Some((0, 0xaf, 0x1f, 7)));
    }
}
