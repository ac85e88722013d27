//! Reliable endpoints on two ports with a bad wire between them, and on one port.

use super::*;
use crate::config::Cidr;
use crate::lane::memory::{BytesFrame, MemoryLane, pair};
use crate::lane::{FaultConfig, FaultInjector, Lane};
use crate::neighbour::{Config, Neighbours};
use crate::port::io::{Policy, PortIo};
use crate::port::udp_ports::UdpPorts;
use crate::testing::lend;
use std::net::IpAddr;
use wire::frame::Host;

type TestPort = PortIo<BytesFrame, Rdm>;

const MS: u64 = 1_000_000;

fn port(lane: MemoryLane, last: u8, faults: Option<FaultConfig>) -> TestPort {
    let ip = IpAddr::from([10, 0, 0, last]);
    let host = Host { mac: [2, 0, 0, 0, 0, last], ip, vlan: None };
    let neighbours = Neighbours::new(Config::with_timeout(1000 * MS), Cidr { ip, prefix: 24 }, None);
    let lane: Box<dyn Lane<BytesFrame>> = match faults {
        Some(faults) => Box::new(FaultInjector::new(lane, faults)),
        None => Box::new(lane),
    };
    PortIo::new(Link::new(lane, host, neighbours, false, 1472), UdpPorts::new(ip, None, 0), Policy::default())
}

fn endpoint(port: &mut TestPort, udp_port: u16) -> u32 {
    endpoint_on(port, udp_port, 0)
}

fn endpoint_on(port: &mut TestPort, udp_port: u16, host: u64) -> u32 {
    port.udp_ports.take(udp_port).unwrap();
    let config = RdmConfig {
        tx_size: 64,
        rx_size: 64,
        max_udp_payload: 1472,
        peer_timeout: 2000 * MS,
        eager: 8192,
        unexpected: 1 << 20,
        host,
    };
    port.add(udp_port, |key| Rdm::new(key, udp_port, &config))
}

fn token(context: usize) -> Token {
    Token { context: Context(context), report: true, flags: 0 }
}

fn send(port: &mut TestPort, key: u32, data: &[u8], to: SocketAddr, tag: u64, context: usize) -> Result<()> {
    let (station, link) = port.station(key).unwrap();
    let buf = lend(data);
    let kind = Kind::Tagged { tag };
    let op = SendOp {
        kind,
        buf,
        dest: to,
        data: Some(tag),
        inject: false,
        delivered: false,
        more: false,
        token: token(context),
    };
    station.send(op, link)
}

fn post(port: &mut TestPort, key: u32, buf: &mut [u8], tag: u64, context: usize) {
    let (station, link) = port.station(key).unwrap();
    let buf = lend(buf);
    let kind = RecvKind::Tagged { tag, ignore: 0 };
    station.recv(RecvOp { kind, act: RecvAct::Post, buf, from: None, token: token(context) }, link).unwrap();
}

fn outcome(port: &mut TestPort, key: u32) -> Option<Outcome> {
    port.station(key).unwrap().0.poll_outcome()
}

/// Messages of mixed sizes over a link with the given faults arrive intact and in order.
fn stream(faults: FaultConfig, count: usize) {
    let (a, b) = pair();
    let mut a = port(a, 1, Some(faults));
    let mut b = port(b, 2, Some(FaultConfig { seed: faults.seed + 1, ..faults }));
    let (from, to) = (endpoint(&mut a, 4000), endpoint(&mut b, 5000));
    let dest: SocketAddr = "10.0.0.2:5000".parse().unwrap();
    let size = |i: usize| [0, 1, 64, 1400, 5000, 20_000][i % 6] + i % 7;
    let messages: Vec<Vec<u8>> =
        (0..count).map(|i| (0..size(i)).map(|j| (i * 31 + j) as u8).collect()).collect();
    let mut buffers: Vec<Vec<u8>> = (0..count).map(|_| vec![0; 32_000]).collect();
    let (mut sent, mut posted, mut done, mut received) = (0, 0, 0, 0);
    let mut now = 0;
    while received < count || done < count {
        now += MS / 20;
        assert!(now < 100_000 * MS, "{sent} {done} {posted} {received}");
        while sent < count && send(&mut a, from, &messages[sent], dest, 7, sent).is_ok() {
            sent += 1;
        }
        while posted < count && posted < received + 16 {
            post(&mut b, to, &mut buffers[posted], 7, posted);
            posted += 1;
        }
        a.round(now, Some(from));
        b.round(now, Some(to));
        while let Some(o) = outcome(&mut a, from) {
            assert!(matches!(o, Outcome::Sent(_)), "{o:?}");
            done += 1;
        }
        while let Some(o) = outcome(&mut b, to) {
            let Outcome::Received(c, source) = o else { panic!("{o:?}") };
            let i = c.token.context.0;
            assert_eq!((c.tag, c.data, source), (7, Some(7), "10.0.0.1:4000".parse().unwrap()));
            assert_eq!(&buffers[i][..c.len], messages[i], "message {i}");
            received += 1;
        }
    }
}

#[test]
fn messages_cross_a_good_link() {
    stream(FaultConfig::default(), 300);
}

#[test]
fn messages_cross_a_bad_link_intact_and_in_order() {
    for seed in 1..6 {
        let faults = FaultConfig { loss: 0.02, dup: 0.02, reorder: 0.02, corrupt: 0.02, seed: seed * 1000 };
        stream(faults, 200);
    }
}

#[test]
fn endpoints_of_one_port_reach_each_other_and_themselves() {
    let (a, _) = pair();
    let mut a = port(a, 1, None);
    let (one, two) = (endpoint(&mut a, 4000), endpoint(&mut a, 5000));
    let data: Vec<u8> = (0..30_000).map(|i| i as u8).collect();
    let (mut x, mut y) = (vec![0; 30_000], vec![0; 30_000]);
    post(&mut a, two, &mut x, 1, 10);
    post(&mut a, one, &mut y, 2, 11);
    send(&mut a, one, &data, "10.0.0.1:5000".parse().unwrap(), 1, 1).unwrap();
    send(&mut a, one, &data, "10.0.0.1:4000".parse().unwrap(), 2, 2).unwrap();
    let mut results = Vec::new();
    for now in 1..200 {
        a.round(now * MS / 10, Some(one));
        a.round(now * MS / 10, Some(two));
        results.extend(outcome(&mut a, one));
        results.extend(outcome(&mut a, two));
    }
    assert_eq!(results.len(), 4, "{results:?}");
    assert!(x == data && y == data);
}

#[test]
fn unreachable_peer_ends_in_an_error_while_others_are_served() {
    let (a, b) = pair();
    let (mut a, mut b) = (port(a, 1, None), port(b, 2, None));
    let (from, to) = (endpoint(&mut a, 4000), endpoint(&mut b, 5000));
    let mut buf = [0; 16];
    post(&mut b, to, &mut buf, 1, 0);
    send(&mut a, from, b"nobody", "10.0.0.77:1".parse().unwrap(), 1, 1).unwrap();
    send(&mut a, from, b"no route", "192.0.2.1:1".parse().unwrap(), 1, 2).unwrap();
    send(&mut a, from, b"somebody", "10.0.0.2:5000".parse().unwrap(), 1, 3).unwrap();
    let mut results = Vec::new();
    for now in 1..3000 {
        a.round(now * MS, Some(from));
        b.round(now * MS, Some(to));
        results.extend(outcome(&mut a, from));
    }
    results.sort_by_key(|o| match o {
        Outcome::Sent(c) | Outcome::SendFailed(c, _) => c.token.context.0,
        _ => 0,
    });
    let [first, second, third] = &results[..] else { panic!("{results:?}") };
    assert!(matches!(first, Outcome::SendFailed(_, f) if f.err == abi::FI_EHOSTUNREACH), "{first:?}");
    assert!(matches!(second, Outcome::SendFailed(_, f) if f.err == abi::FI_EHOSTUNREACH), "{second:?}");
    assert!(matches!(third, Outcome::Sent(_)), "{third:?}");
}

#[test]
fn silent_peer_ends_in_a_timeout() {
    let (a, b) = pair();
    let (mut a, mut b) = (port(a, 1, None), port(b, 2, None));
    let (from, to) = (endpoint(&mut a, 4000), endpoint(&mut b, 5000));
    send(&mut a, from, b"hello", "10.0.0.2:5000".parse().unwrap(), 1, 1).unwrap();
    for now in 1..20 {
        a.round(now * MS, Some(from));
        b.round(now * MS, Some(to));
    }
    assert!(matches!(outcome(&mut a, from), Some(Outcome::Sent(_))));
    send(&mut a, from, b"anybody there?", "10.0.0.2:5000".parse().unwrap(), 1, 2).unwrap();
    let mut results = Vec::new();
    for now in 20..6000 {
        a.round(now * MS, Some(from));
        results.extend(outcome(&mut a, from));
    }
    assert!(matches!(results[..], [Outcome::SendFailed(_, f)] if f.err == abi::FI_ETIMEDOUT), "{results:?}");
}

#[test]
fn endpoint_drains_and_says_goodbye() {
    let (a, b) = pair();
    let (mut a, mut b) = (port(a, 1, None), port(b, 2, None));
    let (from, to) = (endpoint(&mut a, 4000), endpoint(&mut b, 5000));
    let mut buf = [0; 16];
    post(&mut b, to, &mut buf, 1, 0);
    send(&mut a, from, b"last words", "10.0.0.2:5000".parse().unwrap(), 1, 1).unwrap();
    let mut drained = false;
    for now in 1..100 {
        a.round(now * MS, Some(from));
        b.round(now * MS, Some(to));
        let (station, link) = a.station(from).unwrap();
        if now == 1 {
            station.close(link);
        }
        drained |= station.is_drained();
    }
    assert!(drained);
    assert!(matches!(outcome(&mut b, to), Some(Outcome::Received(c, _)) if c.len == 10));
}

/// Packets have a checksum as long as they may leave the memory of the host that both sides are on.
#[test]
fn only_what_stays_in_memory_goes_without_a_checksum() {
    for (hosts, bare) in [([7, 7], true), ([7, 8], false), ([0, 7], false), ([0, 0], false)] {
        let (a, b) = pair();
        let wire = a.outgoing.clone();
        let (mut a, mut b) = (port(a, 1, None), port(b, 2, None));
        let (from, to) = (endpoint_on(&mut a, 4000, hosts[0]), endpoint_on(&mut b, 5000, hosts[1]));
        let mut sums = Vec::new();
        for n in 0..3 {
            let mut buf = [0; 16];
            post(&mut b, to, &mut buf, 1, n);
            send(&mut a, from, b"hello", "10.0.0.2:5000".parse().unwrap(), 1, n).unwrap();
            for turn in 1..20 {
                a.round((n as u64 * 20 + turn) * MS, Some(from));
                let frames = wire.lock().unwrap();
                // IPv4, UDP, and a delivery header of kind DATA.
                let data =
                    frames.iter().filter(|f| f.0[12..14] == [8, 0] && f.0[23] == 17 && f.0[42] == 0x10);
                sums.extend(data.map(|f| f.0[40..42] != [0, 0]));
                drop(frames);
                b.round((n as u64 * 20 + turn) * MS, Some(to));
            }
            assert!(matches!(outcome(&mut b, to), Some(Outcome::Received(..))));
        }
        // The first one goes to a stranger; later ones may go twice.
        assert!(sums[0] && sums.len() >= 3, "{hosts:?}: {sums:?}");
        assert!(sums[1..].iter().all(|sum| *sum != bare), "{hosts:?}: {sums:?}");
    }
}
