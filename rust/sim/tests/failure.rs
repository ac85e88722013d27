//! What becomes of operations when a peer falls silent, is restarted or overwhelmed: each ends exactly once, and nobody
//! else is disturbed.

use semantics::{Completion, Config, Kind, MS, Recv, RecvKind, Send};
use sim::{Faults, Memory, Network};

const LARGE: usize = 200_000;

fn network(nodes: usize) -> Network {
    Network::new(nodes, Config::default(), Faults::NONE, 7)
}

fn send(net: &mut Network, from: usize, to: usize, len: usize, context: u64) {
    let op = Send {
        kind: Kind::Msg,
        buf: Memory(vec![context as u8; len]),
        data: None,
        inject: false,
        delivered: false,
        quiet: false,
        context,
    };
    assert!(net.send(from, to, op).is_ok());
}

fn recv(net: &mut Network, at: usize, source: Option<usize>, context: u64) {
    let from = source.map(|s| net.addr(s));
    let buf = Memory(vec![0; LARGE]);
    assert!(net.recv(at, Recv { kind: RecvKind::Msg, buf, from, context }).is_ok());
}

/// Context and outcome (0 or the error) of everything that ended at a node, by context.
fn outcomes(net: &mut Network, node: usize) -> Vec<(u64, i32)> {
    let mut all: Vec<(u64, i32)> = net
        .completions(node)
        .into_iter()
        .map(|c| match c {
            Completion::Sent { context } => (context, 0),
            Completion::SendFailed { context, err } => (context, err),
            Completion::Received { context, .. } => (context, 0),
            Completion::RecvFailed { context, err, .. } => (context, err),
        })
        .collect();
    all.sort_unstable();
    all
}

/// Runs for a while, whatever happens.
fn pass(net: &mut Network, nanoseconds: u64) {
    net.run(nanoseconds, |_| false);
}

/// Exchanges one message from 0 to 1, so that there is a session.
fn acquaint(net: &mut Network, a: usize, b: usize) {
    recv(net, b, None, 1_000);
    send(net, a, b, 8, 1_001);
    pass(net, 100 * MS);
    assert_eq!(outcomes(net, a), [(1_001, 0)]);
    assert_eq!(outcomes(net, b), [(1_000, 0)]);
}

#[test]
fn everything_that_concerns_a_silent_peer_ends_in_a_timeout() {
    let mut net = network(3);
    acquaint(&mut net, 0, 1);
    net.pause(1, true);
    send(&mut net, 0, 1, 10, 1);
    send(&mut net, 0, 1, LARGE, 2);
    recv(&mut net, 0, Some(1), 3);
    // May still be filled by somebody else.
    recv(&mut net, 0, None, 4);
    pass(&mut net, 60_000 * MS);
    let e = abi::FI_ETIMEDOUT;
    assert_eq!(outcomes(&mut net, 0), [(1, e), (2, e), (3, e)]);
    send(&mut net, 2, 0, 10, 5);
    pass(&mut net, 1_000 * MS);
    assert_eq!(outcomes(&mut net, 0), [(4, 0)]);
    assert_eq!(outcomes(&mut net, 2), [(5, 0)]);
}

#[test]
fn a_message_that_stops_halfway_fails_its_receive() {
    let mut net = network(2);
    recv(&mut net, 1, None, 1);
    send(&mut net, 0, 1, LARGE, 2);
    // The grant is there and the window is short: some packets have come, not all.
    let begun = net.run(1_000 * MS, |n| n.endpoint(0).stats().1.data_sent > 10);
    assert!(begun);
    net.pause(0, true);
    pass(&mut net, 60_000 * MS);
    assert_eq!(outcomes(&mut net, 1), [(1, abi::FI_ETIMEDOUT)]);
    assert_eq!(net.endpoint(1).held(), 0);
}

#[test]
fn a_restarted_peer_resets_what_was_outstanding_and_is_talked_to_again() {
    let mut net = network(2);
    acquaint(&mut net, 0, 1);
    net.restart(1);
    send(&mut net, 0, 1, 10, 1);
    recv(&mut net, 0, Some(1), 2);
    pass(&mut net, 60_000 * MS);
    let e = abi::FI_ECONNRESET;
    assert_eq!(outcomes(&mut net, 0), [(1, e), (2, e)]);
    acquaint(&mut net, 0, 1);
    acquaint(&mut net, 1, 0);
}

#[test]
fn whole_messages_of_a_dead_peer_can_still_be_received() {
    let mut net = network(2);
    send(&mut net, 0, 1, 5_000, 1);
    pass(&mut net, 100 * MS);
    assert_eq!(outcomes(&mut net, 0), [(1, 0)]);
    assert!(net.endpoint(1).held() > 5_000);
    net.restart(0);
    // The new incarnation makes the old session end.
    send(&mut net, 0, 1, 6, 2);
    pass(&mut net, 1_000 * MS);
    recv(&mut net, 1, Some(0), 3);
    recv(&mut net, 1, Some(0), 4);
    let got: Vec<(u64, usize)> = net
        .completions(1)
        .into_iter()
        .filter_map(|c| match c {
            Completion::Received { context, len, .. } => Some((context, len)),
            _ => None,
        })
        .collect();
    assert_eq!(got, [(3, 5_000), (4, 6)]);
    assert_eq!(net.endpoint(1).held(), 0);
}

#[test]
fn an_idle_peer_that_nobody_waits_for_is_left_alone() {
    let mut net = network(2);
    acquaint(&mut net, 0, 1);
    recv(&mut net, 0, None, 1);
    net.pause(1, true);
    pass(&mut net, 60_000 * MS);
    net.pause(1, false);
    send(&mut net, 1, 0, 10, 2);
    pass(&mut net, 1_000 * MS);
    assert_eq!(outcomes(&mut net, 0), [(1, 0)]);
    assert_eq!(outcomes(&mut net, 1), [(2, 0)]);
}

/// Many senders to one receiver that takes nothing for a long time: it holds no more than it may, its peers do not take it
/// for dead, and everything arrives once it looks.
#[test]
fn a_crowd_before_a_busy_receiver_is_held_back_and_served() {
    const CROWD: usize = 20;
    const EACH: usize = 30;
    let config = Config { unexpected: 64 * 1024, longest_eager: 16 * 1024, ..Config::default() };
    let mut net = Network::new(CROWD + 1, config, Faults { loss: 0.01, ..Faults::NONE }, 3);
    for from in 1..=CROWD {
        for i in 0..EACH {
            send(&mut net, from, 0, 1_000, (from * 100 + i) as u64);
        }
    }
    pass(&mut net, 20_000 * MS);
    assert!(net.endpoint(0).held() <= 64 * 1024);
    let mut got = 0;
    for i in 0..CROWD * EACH {
        recv(&mut net, 0, None, i as u64);
    }
    let all = net.run(20_000 * MS, |n| {
        got += n.completions(0).iter().filter(|c| matches!(c, Completion::Received { .. })).count();
        got == CROWD * EACH
    });
    assert!(all, "{got} of {} messages came", CROWD * EACH);
    pass(&mut net, 1_000 * MS);
    for from in 1..=CROWD {
        let sent = outcomes(&mut net, from);
        assert_eq!(sent.len(), EACH);
        assert!(sent.iter().all(|(_, e)| *e == 0), "sender {from}: {sent:?}");
    }
}

/// The longest message that goes unasked finds room however little memory was configured.
#[test]
fn a_message_that_is_sent_unasked_is_kept_whatever_the_bound() {
    let longest = semantics::LONGEST_EAGER;
    let config = Config { unexpected: 1, eager: 2 * longest, ..Config::default() };
    let mut net = Network::new(2, config, Faults::NONE, 5);
    for context in 0..3 {
        send(&mut net, 0, 1, longest, context);
    }
    pass(&mut net, 100 * MS);
    assert!(net.endpoint(1).held() >= longest);
    for context in 0..3 {
        recv(&mut net, 1, None, context);
        pass(&mut net, 100 * MS);
    }
    assert_eq!(outcomes(&mut net, 0), [(0, 0), (1, 0), (2, 0)]);
    assert_eq!(outcomes(&mut net, 1), [(0, 0), (1, 0), (2, 0)]);
}

/// Messages of one packet that its receiver takes in part, and in part refuses for lack of memory, arrive once each and in
/// order.
#[test]
fn a_packet_of_messages_that_is_taken_in_part_is_taken_once() {
    const COUNT: u64 = 300;
    // Room for some tens of them; the receiver looks only now and then.
    let config = Config { unexpected: 10_000, longest_eager: 1_000, eager: 1_000, ..Config::default() };
    for loss in [0.0, 0.05] {
        let mut net = Network::new(2, config.clone(), Faults { loss, ..Faults::NONE }, 11);
        for context in 0..COUNT {
            send(&mut net, 0, 1, 100, context);
        }
        let mut got = Vec::new();
        for context in 0..COUNT {
            pass(&mut net, MS);
            recv(&mut net, 1, None, context);
            net.run(1_000 * MS, |n| {
                got.extend(n.completions(1).into_iter().filter_map(|c| match c {
                    Completion::Received { context, buf, .. } => Some((context, buf.0[0])),
                    _ => None,
                }));
                got.len() as u64 > context
            });
        }
        assert_eq!(got, (0..COUNT).map(|c| (c, c as u8)).collect::<Vec<_>>());
        let (_, sent) = net.endpoint(0).stats();
        assert!(sent.data_sent < COUNT / 2, "{} packets for {COUNT} messages", sent.data_sent);
        let (_, seen) = net.endpoint(1).stats();
        assert!(seen.refused > 0);
    }
}
