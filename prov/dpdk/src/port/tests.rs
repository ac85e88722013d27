//! Two ports on one wire, in memory, with a virtual clock.

use super::io::{Policy, PortIo};
use super::link::Link;
use super::udp_ports::UdpPorts;
use super::*;
use crate::config::{Cidr, Mac};
use crate::endpoint::dgram::Dgram;
use crate::endpoint::outcome::Outcome;
use crate::lane::memory::{BytesFrame, MemoryLane, pair};
use crate::neighbour::{Config, Neighbours};
use crate::testing::lend;
use kit::{Context, Kind, RecvAct, RecvKind, RecvOp, SendOp, Token};
use std::net::IpAddr;
use wire::frame::Host;

type TestPort = PortIo<BytesFrame, Dgram>;

const MS: u64 = 1_000_000;

fn address(last: u8) -> IpAddr {
    IpAddr::from([10, 0, 0, last])
}

fn port(lane: MemoryLane, last: u8, policy: Policy) -> TestPort {
    let ip = address(last);
    let host = Host { mac: [2, 0, 0, 0, 0, last], ip, vlan: None };
    let neighbours = Neighbours::new(Config::with_timeout(1000 * MS), Cidr { ip, prefix: 24 }, None);
    let link = Link::new(Box::new(lane), host, neighbours, false, 1472);
    PortIo::new(link, UdpPorts::new(ip, None, 0), policy)
}

fn endpoint(port: &mut TestPort, udp_port: u16) -> u32 {
    port.udp_ports.take(udp_port).unwrap();
    port.add(udp_port, |key| Dgram::new(key, udp_port, 16, 16))
}

fn token(context: usize) -> Token {
    Token { context: Context(context), report: true, flags: 0 }
}

fn send(
    port: &mut TestPort,
    key: u32,
    data: &'static [u8],
    to: SocketAddr,
    context: usize,
) -> kit::Result<()> {
    let (station, link) = port.station(key).unwrap();
    let op = SendOp {
        kind: Kind::Msg,
        buf: lend(data),
        dest: to,
        data: None,
        delivered: false,
        inject: false,
        more: false,
        token: token(context),
    };
    station.send(op, link)
}

fn post(port: &mut TestPort, key: u32, buf: &mut [u8], context: usize) {
    let (station, _) = port.station(key).unwrap();
    let buf = lend(buf);
    station
        .recv(RecvOp { kind: RecvKind::Msg, act: RecvAct::Post, buf, from: None, token: token(context) })
        .unwrap();
}

fn outcome(port: &mut TestPort, key: u32) -> Option<Outcome> {
    port.station(key).unwrap().0.poll_outcome()
}

#[test]
fn first_datagram_asks_for_the_neighbour_and_arrives() {
    let (a, b) = pair();
    let wire = a.outgoing.clone();
    let (mut a, mut b) = (port(a, 1, Policy::default()), port(b, 2, Policy::default()));
    let (from, to) = (endpoint(&mut a, 4000), endpoint(&mut b, 5000));
    let mut buf = [0; 64];
    post(&mut b, to, &mut buf, 7);
    send(&mut a, from, b"hello", SocketAddr::new(address(2), 5000), 1).unwrap();
    assert!(outcome(&mut a, from).is_none(), "it waits");
    a.round(1, Some(from));
    assert_eq!(wire.lock().unwrap().len(), 1, "a request");
    b.round(2, Some(to));
    a.round(3, Some(from));
    assert!(matches!(outcome(&mut a, from), Some(Outcome::Sent(_))));
    b.round(4, Some(to));
    let Some(Outcome::Received(c, source)) = outcome(&mut b, to) else { panic!() };
    assert_eq!((c.len, c.token.context, source), (5, Context(7), SocketAddr::new(address(1), 4000)));
    assert_eq!(&buf[..5], b"hello");
    // The receiver has learnt the way back from the request.
    post(&mut a, from, &mut [0; 8], 2);
    send(&mut b, to, b"back", source, 3).unwrap();
    b.round(5, Some(to));
    a.round(6, Some(from));
    assert!(matches!(outcome(&mut a, from), Some(Outcome::Received(..))));
}

#[test]
fn host_that_does_not_answer_is_unreachable_and_others_are_served() {
    let (a, b) = pair();
    let (mut a, mut b) = (port(a, 1, Policy::default()), port(b, 2, Policy::default()));
    let (from, to) = (endpoint(&mut a, 4000), endpoint(&mut b, 5000));
    let mut buf = [0; 64];
    post(&mut b, to, &mut buf, 0);
    send(&mut a, from, b"lost", SocketAddr::new(address(9), 1), 1).unwrap();
    send(&mut a, from, b"found", SocketAddr::new(address(2), 5000), 2).unwrap();
    for now in 1..5 {
        a.round(now, Some(from));
        b.round(now, Some(to));
    }
    let Some(Outcome::Sent(c)) = outcome(&mut a, from) else { panic!() };
    assert_eq!(c.token.context, Context(2));
    for now in (0..=1100).step_by(50) {
        a.round(now * MS, Some(from));
    }
    let Some(Outcome::SendFailed(c, failure)) = outcome(&mut a, from) else { panic!() };
    assert_eq!((c.token.context, failure.err), (Context(1), abi::FI_EHOSTUNREACH));
}

#[test]
fn no_route_fails_at_once() {
    let (a, _) = pair();
    let mut a = port(a, 1, Policy::default());
    let from = endpoint(&mut a, 4000);
    send(&mut a, from, b"x", "192.0.2.1:1".parse().unwrap(), 1).unwrap();
    assert!(
        matches!(outcome(&mut a, from), Some(Outcome::SendFailed(_, f)) if f.err == abi::FI_EHOSTUNREACH)
    );
}

#[test]
fn datagrams_to_the_own_address_stay_in_the_process() {
    let (a, b) = pair();
    let mut a = port(a, 1, Policy::default());
    let (one, two) = (endpoint(&mut a, 4000), endpoint(&mut a, 5000));
    let mut buf = [0; 8];
    post(&mut a, two, &mut buf, 0);
    post(&mut a, one, &mut [0; 2], 0);
    send(&mut a, one, b"other", SocketAddr::new(address(1), 5000), 1).unwrap();
    send(&mut a, one, b"self", SocketAddr::new(address(1), 4000), 2).unwrap();
    send(&mut a, one, b"none", SocketAddr::new(address(1), 6000), 3).unwrap();
    a.round(1, Some(one));
    assert!(matches!(outcome(&mut a, two), Some(Outcome::Received(c, _)) if c.len == 5));
    let results: Vec<_> = std::iter::from_fn(|| outcome(&mut a, one)).collect();
    let truncated = |o: &Outcome| matches!(o, Outcome::ReceiveFailed(_, f, _) if f.olen == 2);
    assert!(results.len() == 4 && results.iter().any(truncated), "{results:?}");
    assert_eq!(a.link.counters.drop_no_endpoint, 1);
    assert!(b.incoming.lock().unwrap().is_empty());
}

#[test]
fn neighbour_requests_are_left_to_a_kernel_that_has_the_address() {
    for kernel_answers in [false, true] {
        let (a, b) = pair();
        let mut a = port(a, 1, Policy { kernel_answers, ..Policy::default() });
        let mut request = BytesFrame(vec![0; 64]);
        let asking = Host { mac: [2, 0, 0, 0, 0, 2], ip: address(2), vlan: None };
        let len = wire::frame::emit_neighbour_request(&asking, address(1), None, &mut request.0).unwrap();
        request.0.truncate(len);
        b.outgoing.lock().unwrap().push_back(request);
        a.round(1, None);
        assert_eq!(b.incoming.lock().unwrap().len(), usize::from(!kernel_answers));
    }
}

#[test]
fn foreign_frames_are_counted() {
    let (a, b) = pair();
    let mut a = port(a, 1, Policy::default());
    let frames: [Vec<u8>; 4] = [vec![], vec![0; 13], vec![2; 60], vec![0xff; 60]];
    b.outgoing.lock().unwrap().extend(frames.map(BytesFrame));
    a.round(1, None);
    let c = a.link.counters;
    assert_eq!((c.rx_frames, c.drop_length, c.rx_delivered), (4, 2, 0));
    assert_eq!(c.drop_not_for_us + c.drop_malformed, 2);
}

#[test]
fn full_device_holds_the_sender_back() {
    let (mut a, b) = pair();
    a.room = 0;
    let wire = b.incoming.clone();
    let mut a = port(a, 1, Policy::default());
    a.link.neighbours.add_static(address(2), Mac([2, 0, 0, 0, 0, 2]));
    let from = endpoint(&mut a, 4000);
    let mut taken = 0;
    while send(&mut a, from, b"x", SocketAddr::new(address(2), 1), 0).is_ok() {
        taken += 1;
        assert!(taken < 1000);
    }
    assert_eq!(taken, crate::lane::BURST);
    assert!(wire.lock().unwrap().is_empty());
}

#[test]
fn closed_endpoint_receives_nothing() {
    let (a, b) = pair();
    let mut a = port(a, 1, Policy::default());
    let key = endpoint(&mut a, 4000);
    send(&mut a, key, b"x", SocketAddr::new(address(2), 1), 0).unwrap();
    assert!(a.remove(key, 4000).is_some());
    assert!(a.udp_ports.take(4000).is_ok());
    for now in (0..=1100).step_by(50) {
        a.round(now * MS, None);
    }
    assert!(!b.incoming.lock().unwrap().is_empty(), "the request had gone out");
}
