//! Our frames against smoltcp's reading of them, the other way round, and random bytes.

use super::*;
use proptest::prelude::*;
use smoltcp::phy::ChecksumCapabilities;
use smoltcp::wire::*;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

const OUR_MAC: Mac = [2, 0, 0, 0, 0, 1];
const PEER_MAC: Mac = [2, 0, 0, 0, 0, 2];

fn v4() -> Host {
    Host { mac: OUR_MAC, ip: "10.0.0.1".parse().unwrap(), vlan: None }
}

fn v6() -> Host {
    Host { mac: OUR_MAC, ip: "fd00::1".parse().unwrap(), vlan: None }
}

fn peer(host: &Host) -> Host {
    let ip = if host.ip.is_ipv4() { "10.0.0.2" } else { "fd00::2" };
    Host { mac: PEER_MAC, ip: ip.parse().unwrap(), vlan: host.vlan }
}

fn datagram(host: &Host, to: &Host, payload: &[u8]) -> Vec<u8> {
    let t = Template::new(host, 4000, to.mac, SocketAddr::new(to.ip, 5000)).unwrap();
    let mut frame = vec![0; t.header_len() + payload.len()];
    t.emit(payload.len(), &mut frame).unwrap();
    let (head, body) = frame.split_at_mut(t.header_len());
    body.copy_from_slice(payload);
    t.set_udp_checksum(head, body);
    frame
}

#[test]
fn datagrams_are_right_in_smoltcps_eyes() {
    let caps = ChecksumCapabilities::default();
    for len in [0, 1, 2, 7, 8, 31, 32, 33, 1472, 8972] {
        let payload: Vec<u8> = (0..len).map(|i| (i * 31) as u8).collect();
        let frame = datagram(&v4(), &peer(&v4()), &payload);
        let ethernet = EthernetFrame::new_checked(&frame[..]).unwrap();
        assert_eq!(ethernet.ethertype(), EthernetProtocol::Ipv4);
        assert_eq!(ethernet.dst_addr().0, PEER_MAC);
        let ip = Ipv4Packet::new_checked(ethernet.payload()).unwrap();
        assert!(ip.verify_checksum() && ip.dont_frag());
        let repr = Ipv4Repr::parse(&ip, &caps).unwrap();
        let udp = UdpPacket::new_checked(ip.payload()).unwrap();
        assert!(udp.verify_checksum(&repr.src_addr.into(), &repr.dst_addr.into()), "{len}");
        assert_eq!((udp.src_port(), udp.dst_port(), udp.payload()), (4000, 5000, &payload[..]));

        let frame = datagram(&v6(), &peer(&v6()), &payload);
        let ethernet = EthernetFrame::new_checked(&frame[..]).unwrap();
        let ip = Ipv6Packet::new_checked(ethernet.payload()).unwrap();
        let udp = UdpPacket::new_checked(ip.payload()).unwrap();
        assert!(udp.verify_checksum(&ip.src_addr().into(), &ip.dst_addr().into()), "{len}");
    }
}

#[test]
fn datagrams_come_back_as_sent() {
    for vlan in [None, Some(7)] {
        for host in [v4(), v6()] {
            let host = Host { vlan, ..host };
            let frame = datagram(&peer(&host), &host, b"hello");
            let Ok(Received::Udp(udp)) = parse(&frame, &host, Checks::default()) else { panic!() };
            assert_eq!(udp.src, SocketAddr::new(peer(&host).ip, 4000));
            assert_eq!((udp.dst_port, udp.src_mac), (5000, PEER_MAC));
            assert_eq!(&frame[udp.payload], b"hello");
            // Short frames are padded by the link.
            let mut padded = frame.clone();
            padded.resize(80, 0);
            assert!(matches!(parse(&padded, &host, Checks::default()), Ok(Received::Udp(_))));
        }
    }
}

#[test]
fn every_corrupted_bit_of_ip_and_udp_is_noticed() {
    for host in [v4(), v6()] {
        let frame = datagram(&peer(&host), &host, b"some payload");
        for bit in 0..frame.len() * 8 {
            let mut bad = frame.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            // Traffic class, flow label and hop limit of IPv6 are under no checksum, as is the sender's link address.
            let unprotected =
                (48..96).contains(&bit) || host.ip.is_ipv6() && matches!(bit, 112..116 | 120..144 | 168..176);
            match parse(&bad, &host, Checks::default()) {
                Ok(r) => assert!(unprotected, "bit {bit}: {r:?}"),
                Err(_) => assert!(!unprotected || bit == 48, "bit {bit}"),
            }
        }
    }
}

#[test]
fn reasons_for_dropping_are_told_apart() {
    let host = v4();
    let good = datagram(&peer(&host), &host, b"0123456789");
    let change = |f: &dyn Fn(&mut Vec<u8>)| {
        let mut frame = good.clone();
        f(&mut frame);
        parse(&frame, &host, Checks::default()).unwrap_err()
    };
    let fix_ip = |frame: &mut Vec<u8>| {
        frame[24..26].fill(0);
        let sum = Sum::default().bytes(&frame[14..34]).checksum();
        frame[24..26].copy_from_slice(&sum.to_be_bytes());
    };
    assert_eq!(change(&|f| f.truncate(13)), Drop::Truncated);
    assert_eq!(change(&|f| f.truncate(30)), Drop::Truncated);
    assert_eq!(change(&|f| f.truncate(50)), Drop::Truncated);
    assert_eq!(change(&|f| f[0] = 4), Drop::NotForUs);
    assert_eq!(change(&|f| f[6] = 1), Drop::BadSource);
    assert_eq!(change(&|f| f[12..14].copy_from_slice(&[0x88, 0xcc])), Drop::UnknownProtocol);
    assert_eq!(change(&|f| f[14] = 0x65), Drop::Malformed);
    assert_eq!(change(&|f| f[14] = 0x44), Drop::BadLength);
    assert_eq!(change(&|f| f[22] = 9), Drop::BadIpChecksum);
    assert_eq!(change(&|f| f[33] = 9), Drop::NotForUs);
    let with = |g: &dyn Fn(&mut Vec<u8>)| {
        change(&|f| {
            g(f);
            fix_ip(f);
        })
    };
    assert_eq!(with(&|f| f[20] = 0x20), Drop::Fragment);
    assert_eq!(with(&|f| f[21] = 1), Drop::Fragment);
    assert_eq!(with(&|f| f[23] = 6), Drop::UnknownProtocol);
    assert_eq!(with(&|f| f[26] = 224), Drop::BadSource);
    assert_eq!(with(&|f| f[26..30].copy_from_slice(&[10, 0, 0, 1])), Drop::BadSource);
    assert_eq!(change(&|f| f[39] = 200), Drop::BadLength);
    assert_eq!(change(&|f| f[39] = 7), Drop::BadLength);
    assert_eq!(change(&|f| f[50] ^= 1), Drop::BadUdpChecksum);
    let tagged = Host { vlan: Some(3), ..host };
    assert_eq!(parse(&good, &tagged, Checks::default()), Err(Drop::OtherVlan));
    let on_vlan = datagram(&peer(&tagged), &tagged, b"");
    assert_eq!(parse(&on_vlan, &host, Checks::default()), Err(Drop::OtherVlan));
    let stripped = Checks { stripped_vlan: Some(3), ..Checks::default() };
    assert!(parse(&good, &tagged, stripped).is_ok());
}

#[test]
fn checksums_may_be_absent_verified_or_left_to_a_device() {
    let host = v4();
    let mut frame = datagram(&peer(&host), &host, b"payload");
    frame[40..42].fill(0);
    assert!(parse(&frame, &host, Checks::default()).is_ok(), "IPv4 knows \"none\"");

    let p = peer(&host);
    let t = Template::new(&p, 4000, host.mac, SocketAddr::new(host.ip, 5000)).unwrap();
    t.emit(7, &mut frame).unwrap();
    t.set_offload(p.ip, host.ip, 7, &mut frame);
    assert_eq!(frame[24..26], [0, 0]);
    assert_eq!(parse(&frame, &host, Checks::default()), Err(Drop::BadIpChecksum));
    let verified = Checks { ip_verified: true, ..Checks::default() };
    assert_eq!(parse(&frame, &host, verified), Err(Drop::BadUdpChecksum));
    assert!(parse(&frame, &host, Checks { udp_verified: true, ..verified }).is_ok());
    assert!(parse(&frame, &host, Checks { partial_accepted: true, ..verified }).is_ok());

    let mut frame = datagram(&peer(&v6()), &v6(), b"payload");
    let at = frame.len() - 7 - 2;
    frame[at..at + 2].fill(0);
    assert_eq!(parse(&frame, &v6(), Checks::default()), Err(Drop::BadUdpChecksum), "IPv6 does not");
}

#[test]
fn arp_talks_with_smoltcp() {
    let host = v4();
    let mut frame = [0; 64];
    let len = emit_neighbour_request(&host, "10.0.0.2".parse().unwrap(), None, &mut frame).unwrap();
    let ethernet = EthernetFrame::new_checked(&frame[..len]).unwrap();
    assert_eq!(ethernet.dst_addr(), EthernetAddress::BROADCAST);
    let repr = ArpRepr::parse(&ArpPacket::new_checked(ethernet.payload()).unwrap()).unwrap();
    let ArpRepr::EthernetIpv4 { operation, source_protocol_addr, target_protocol_addr, .. } = repr else {
        panic!()
    };
    assert_eq!(operation, ArpOperation::Request);
    assert_eq!(source_protocol_addr, Ipv4Addr::new(10, 0, 0, 1));
    assert_eq!(target_protocol_addr, Ipv4Addr::new(10, 0, 0, 2));

    // The peer reads it as a request, and its answer is a reply to us.
    let Ok(Received::Neighbour(request)) = parse(&frame[..len], &peer(&host), Checks::default()) else {
        panic!()
    };
    assert_eq!(request, Neighbour { kind: NeighbourKind::RequestForUs, ip: host.ip, mac: OUR_MAC });
    let mut answer = [0; 64];
    let len = emit_neighbour_answer(&peer(&host), &request, &mut answer).unwrap();
    let Ok(Received::Neighbour(reply)) = parse(&answer[..len], &host, Checks::default()) else { panic!() };
    assert_eq!(reply, Neighbour { kind: NeighbourKind::Reply, ip: peer(&host).ip, mac: PEER_MAC });
    // A bystander hears an announcement at most.
    let other = Host { ip: "10.0.0.3".parse().unwrap(), mac: PEER_MAC, vlan: None };
    let Ok(Received::Neighbour(heard)) = parse(&frame[..len], &other, Checks::default()) else { panic!() };
    assert_eq!(heard.kind, NeighbourKind::Other);
}

#[test]
fn neighbour_discovery_talks_with_smoltcp() {
    let host = v6();
    let target: Ipv6Addr = "fd00::2".parse().unwrap();
    let mut frame = [0; 128];
    let len = emit_neighbour_request(&host, target.into(), None, &mut frame).unwrap();
    let ethernet = EthernetFrame::new_checked(&frame[..len]).unwrap();
    assert_eq!(ethernet.dst_addr().0, [0x33, 0x33, 0xff, 0, 0, 2]);
    let ip = Ipv6Packet::new_checked(ethernet.payload()).unwrap();
    assert_eq!((ip.hop_limit(), ip.dst_addr()), (255, "ff02::1:ff00:2".parse().unwrap()));
    let icmp = Icmpv6Packet::new_checked(ip.payload()).unwrap();
    let repr =
        Icmpv6Repr::parse(&ip.src_addr(), &ip.dst_addr(), &icmp, &ChecksumCapabilities::default()).unwrap();
    let Icmpv6Repr::Ndisc(NdiscRepr::NeighborSolicit { target_addr, lladdr }) = repr else { panic!() };
    assert_eq!((target_addr, lladdr.unwrap().as_bytes()), (target, &OUR_MAC[..]));

    let Ok(Received::Neighbour(request)) = parse(&frame[..len], &peer(&host), Checks::default()) else {
        panic!()
    };
    assert_eq!(request.kind, NeighbourKind::RequestForUs);
    let mut answer = [0; 128];
    let len = emit_neighbour_answer(&peer(&host), &request, &mut answer).unwrap();
    let Ok(Received::Neighbour(reply)) = parse(&answer[..len], &host, Checks::default()) else { panic!() };
    assert_eq!(reply, Neighbour { kind: NeighbourKind::Reply, ip: target.into(), mac: PEER_MAC });
}

#[test]
fn echo_is_answered_as_smoltcp_expects() {
    let caps = ChecksumCapabilities::default();
    let host = v4();
    let p = peer(&host);
    let repr = Icmpv4Repr::EchoRequest { ident: 5, seq_no: 6, data: b"ping data" };
    let mut frame = vec![0; 14 + 20 + repr.buffer_len()];
    p.emit_link(host.mac, ETHERTYPE_IPV4, &mut frame);
    let ip = Ipv4Repr {
        src_addr: Ipv4Addr::new(10, 0, 0, 2),
        dst_addr: Ipv4Addr::new(10, 0, 0, 1),
        next_header: IpProtocol::Icmp,
        payload_len: repr.buffer_len(),
        hop_limit: 3,
    };
    ip.emit(&mut Ipv4Packet::new_unchecked(&mut frame[14..]), &caps);
    repr.emit(&mut Icmpv4Packet::new_unchecked(&mut frame[34..]), &caps);
    let Ok(Received::Echo(echo)) = parse(&frame, &host, Checks::default()) else { panic!() };
    let mut out = [0; 128];
    let len = emit_echo_reply(&frame, &echo, &host, &mut out).unwrap();
    let ethernet = EthernetFrame::new_checked(&out[..len]).unwrap();
    let ip = Ipv4Packet::new_checked(ethernet.payload()).unwrap();
    assert!(ip.verify_checksum());
    let icmp = Icmpv4Packet::new_checked(ip.payload()).unwrap();
    let reply = Icmpv4Repr::parse(&icmp, &caps).unwrap();
    assert_eq!(reply, Icmpv4Repr::EchoReply { ident: 5, seq_no: 6, data: b"ping data" });

    let host = v6();
    let p = peer(&host);
    let (IpAddr::V6(from), IpAddr::V6(to)) = (p.ip, host.ip) else { panic!() };
    let repr = Icmpv6Repr::EchoRequest { ident: 5, seq_no: 6, data: b"ping data" };
    let mut frame = vec![0; 14 + 40 + repr.buffer_len()];
    p.emit_link(host.mac, ETHERTYPE_IPV6, &mut frame);
    let ip = Ipv6Repr {
        src_addr: from,
        dst_addr: to,
        next_header: IpProtocol::Icmpv6,
        payload_len: repr.buffer_len(),
        hop_limit: 64,
    };
    ip.emit(&mut Ipv6Packet::new_unchecked(&mut frame[14..]));
    repr.emit(&from, &to, &mut Icmpv6Packet::new_unchecked(&mut frame[54..]), &caps);
    let Ok(Received::Echo(echo)) = parse(&frame, &host, Checks::default()) else { panic!() };
    let len = emit_echo_reply(&frame, &echo, &host, &mut out).unwrap();
    let ip = Ipv6Packet::new_checked(&out[14..len]).unwrap();
    let icmp = Icmpv6Packet::new_checked(ip.payload()).unwrap();
    let reply = Icmpv6Repr::parse(&to, &from, &icmp, &caps).unwrap();
    assert_eq!(reply, Icmpv6Repr::EchoReply { ident: 5, seq_no: 6, data: b"ping data" });
}

#[test]
fn checksum_of_any_split_is_the_same() {
    let data: Vec<u8> = (0..200u32).map(|i| (i * i) as u8).collect();
    let whole = Sum::default().bytes(&data).checksum();
    for at in (0..=200).step_by(2) {
        assert_eq!(Sum::default().bytes(&data[..at]).bytes(&data[at..]).checksum(), whole);
    }
    // RFC 1071, section 3.
    let sum = Sum::default().bytes(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]);
    assert_eq!(sum.folded(), 0xddf2);
}

proptest! {
    #[test]
    fn random_bytes_never_panic(mut frame in prop::collection::vec(any::<u8>(), 0..160), ipv6: bool, kind in 0..5u8, checks: [bool; 3]) {
        let host = if ipv6 { v6() } else { v4() };
        // Lead some of them past the first tests.
        if frame.len() > 60 && kind > 0 {
            frame[..6].copy_from_slice(&OUR_MAC);
            frame[6] = 2;
            let ethertype = match (ipv6, kind) { (true, _) => 0x86dd, (_, 1) => 0x0806, _ => 0x0800u16 };
            frame[12..14].copy_from_slice(&ethertype.to_be_bytes());
            if ipv6 {
                frame[14] = 0x60;
                frame[18] = 0;
                frame[20] = [17, 58, 44, 6][usize::from(kind) - 1];
                if let IpAddr::V6(ip) = host.ip { if frame.len() >= 54 { frame[38..54].copy_from_slice(&ip.octets()); } }
            } else {
                frame[14] = 0x45;
                frame[23] = if kind == 2 { 1 } else { 17 };
                frame[30..34].copy_from_slice(&[10, 0, 0, 1]);
            }
        }
        let checks = Checks { ip_verified: checks[0], udp_verified: checks[1], partial_accepted: checks[2], stripped_vlan: None };
        match parse(&frame, &host, checks) {
            Ok(Received::Udp(udp)) => prop_assert!(udp.payload.end <= frame.len()),
            Ok(Received::Echo(echo)) => {
                let mut out = [0; 256];
                emit_echo_reply(&frame, &echo, &host, &mut out);
            }
            _ => {}
        }
    }

    /// Both ways through the parser agree on every frame that is nearly right.
    #[test]
    fn the_short_way_says_what_the_long_way_says(
        payload in prop::collection::vec(any::<u8>(), 0..100), padding in 0..20usize,
        spoilt in prop::collection::vec((0..60usize, prop_oneof![Just(0u8), Just(255), Just(127), Just(224), any::<u8>()]), 0..3),
        cut in prop::option::of(0..60usize), checks: [bool; 3], mend: bool,
    ) {
        let host = v4();
        let mut frame = datagram(&peer(&host), &host, &payload);
        for (at, value) in &spoilt {
            if let Some(b) = frame.get_mut(*at) {
                *b = *value;
            }
        }
        if mend {
            frame[24..26].fill(0);
            let sum = Sum::default().bytes(&frame[14..34]).checksum();
            frame[24..26].copy_from_slice(&sum.to_be_bytes());
            frame[40..42].fill(0);
        }
        frame.resize(frame.len() + padding, 0);
        if let Some(cut) = cut {
            frame.truncate(cut);
        }
        let [ip_verified, udp_verified, partial_accepted] = checks;
        let checks = Checks { ip_verified, udp_verified, partial_accepted, stripped_vlan: None };
        prop_assert_eq!(parse(&frame, &host, checks), super::parse::parse_any(&frame, &host, checks));
    }
}
