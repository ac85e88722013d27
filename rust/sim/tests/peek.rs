//! Looking at messages before they are received: peek, claim and discard, of messages of every way of sending, whole, half
//! arrived or only announced.

use semantics::{Completion, Config, Found, Kind, MS, Recv, RecvKind, Send, SendError};
use sim::{Faults, Memory, Network};

const TAG: u64 = 9;

/// Lengths that are sent whole, in several packets, and by rendezvous.
const LENGTHS: [usize; 4] = [0, 100, 10_000, 200_000];

fn network(faults: Faults) -> Network {
    Network::new(2, Config { eager: 16 * 1024, ..Config::default() }, faults, 21)
}

fn send(net: &mut Network, len: usize, context: u64) {
    let op = Send {
        kind: Kind::Tagged(TAG),
        buf: Memory(vec![context as u8; len]),
        data: Some(context),
        inject: false,
        delivered: false,
        quiet: false,
        context,
    };
    assert!(net.send(0, 1, op).is_ok());
}

fn op(len: usize, context: u64) -> Recv<Memory, u64> {
    Recv { kind: RecvKind::Tagged { tag: TAG, ignore: 0 }, buf: Memory(vec![0; len]), from: None, context }
}

/// The one completion at the receiver: its context, length, immediate data and bytes.
fn one(net: &mut Network) -> (u64, usize, Option<u64>, Vec<u8>) {
    let all = net.completions(1);
    match &all[..] {
        [Completion::Received { context, len, data, tag: Some(TAG), buf, .. }] => {
            (*context, *len, *data, buf.0.clone())
        }
        other => panic!("{other:?}"),
    }
}

fn none(net: &mut Network, context: u64) {
    let all = net.completions(1);
    let [Completion::RecvFailed { context: c, err: abi::FI_ENOMSG, .. }] = &all[..] else {
        panic!("{all:?}")
    };
    assert_eq!(*c, context);
}

fn settle(net: &mut Network) {
    net.run(500 * MS, |_| false);
}

fn all_sent(net: &mut Network, count: usize) {
    settle(net);
    let sent = net.completions(0);
    assert!(sent.iter().all(|c| matches!(c, Completion::Sent { .. })), "{sent:?}");
    assert_eq!(sent.len(), count);
}

#[test]
fn a_look_finds_nothing_where_nothing_is() {
    let mut net = network(Faults::NONE);
    for found in [Found::Stays, Found::Claimed, Found::Discarded] {
        net.peek(1, op(8, 1), found);
        none(&mut net, 1);
    }
    assert_eq!(net.recv_claimed(1, op(8, 1)), Err(SendError::NotClaimed));
    assert_eq!(net.discard_claimed(1, op(8, 1)), Err(SendError::NotClaimed));
}

#[test]
fn a_look_tells_the_envelope_and_leaves_the_message() {
    for len in LENGTHS {
        let mut net = network(Faults::NONE);
        send(&mut net, len, 5);
        settle(&mut net);
        for context in [1, 2] {
            net.peek(1, op(0, context), Found::Stays);
            assert_eq!(one(&mut net), (context, len, Some(5), vec![]));
        }
        assert!(net.recv(1, op(len, 3)).is_ok());
        settle(&mut net);
        assert_eq!(one(&mut net), (3, len, Some(5), vec![5; len]));
        all_sent(&mut net, 1);
    }
}

#[test]
fn a_claimed_message_is_for_its_claimer_alone() {
    for len in LENGTHS {
        let mut net = network(Faults::NONE);
        send(&mut net, len, 5);
        send(&mut net, 3, 6);
        settle(&mut net);
        net.peek(1, op(0, 1), Found::Claimed);
        assert_eq!(one(&mut net), (1, len, Some(5), vec![]));
        // Everybody else sees the next one.
        net.peek(1, op(0, 2), Found::Stays);
        assert_eq!(one(&mut net), (2, 3, Some(6), vec![]));
        assert!(net.recv(1, op(3, 3)).is_ok());
        settle(&mut net);
        assert_eq!(one(&mut net), (3, 3, Some(6), vec![6; 3]));
        assert_eq!(net.recv_claimed(1, op(len, 7)), Err(SendError::NotClaimed));
        assert!(net.recv_claimed(1, op(len, 1)).is_ok());
        settle(&mut net);
        assert_eq!(one(&mut net), (1, len, Some(5), vec![5; len]));
        assert_eq!(net.recv_claimed(1, op(len, 1)), Err(SendError::NotClaimed), "once only");
        all_sent(&mut net, 2);
        assert_eq!(net.endpoint(1).held(), 0);
    }
}

#[test]
fn a_discarded_message_is_gone_and_its_send_completes() {
    for len in LENGTHS {
        for claim in [false, true] {
            let mut net = network(Faults::NONE);
            send(&mut net, len, 5);
            settle(&mut net);
            if claim {
                net.peek(1, op(0, 1), Found::Claimed);
                one(&mut net);
                assert!(net.discard_claimed(1, op(0, 1)).is_ok());
            } else {
                net.peek(1, op(0, 1), Found::Discarded);
            }
            assert_eq!(one(&mut net), (1, len, Some(5), vec![]));
            net.peek(1, op(0, 2), Found::Stays);
            none(&mut net, 2);
            all_sent(&mut net, 1);
            assert_eq!(net.endpoint(1).held(), 0);
        }
    }
}

/// A message in pieces is looked at after each of its packets, and kept, claimed or thrown away then.
#[test]
fn a_message_that_is_still_arriving_can_be_looked_at() {
    for found in [Found::Stays, Found::Claimed, Found::Discarded] {
        for steps in 1..60 {
            let mut net = network(Faults { loss: 0.1, reordering: 0.3, late: 50_000, ..Faults::NONE });
            send(&mut net, 10_000, 5);
            send(&mut net, 4, 6);
            for _ in 0..steps {
                net.step();
            }
            net.peek(1, op(0, 1), found);
            let there = match &net.completions(1)[..] {
                [Completion::Received { context: 1, len: 10_000, .. }] => true,
                [Completion::RecvFailed { err: abi::FI_ENOMSG, .. }] => false,
                other => panic!("{other:?}"),
            };
            let first = match (there, found) {
                (true, Found::Claimed) => {
                    assert!(net.recv_claimed(1, op(10_000, 1)).is_ok());
                    true
                }
                (true, Found::Discarded) => false,
                _ => {
                    assert!(net.recv(1, op(10_000, 1)).is_ok());
                    true
                }
            };
            assert!(net.recv(1, op(4, 2)).is_ok());
            all_sent(&mut net, 2);
            let mut got: Vec<(u64, Vec<u8>)> = net
                .completions(1)
                .into_iter()
                .map(|c| match c {
                    Completion::Received { context, buf, .. } => (context, buf.0),
                    other => panic!("{other:?}"),
                })
                .collect();
            got.sort_unstable();
            let second = (2, vec![6; 4]);
            let want = if first { vec![(1, vec![5; 10_000]), second] } else { vec![second] };
            assert_eq!(got, want, "{found:?} after {steps} steps");
            assert_eq!(net.endpoint(1).held(), 0);
        }
    }
}

#[test]
fn what_a_lost_peer_had_not_sent_whole_can_no_longer_be_claimed() {
    let mut net = network(Faults::NONE);
    send(&mut net, 200_000, 5);
    send(&mut net, 10, 6);
    settle(&mut net);
    for context in [1, 2] {
        net.peek(1, op(0, context), Found::Claimed);
        one(&mut net);
    }
    net.restart(0);
    send(&mut net, 1, 7);
    settle(&mut net);
    net.completions(1);
    assert_eq!(net.recv_claimed(1, op(200_000, 1)), Err(SendError::NotClaimed));
    assert!(net.recv_claimed(1, op(10, 2)).is_ok());
    assert_eq!(one(&mut net), (2, 10, Some(6), vec![6; 10]));
}
