//! A long exchange of messages of mixed sizes in both directions, checked for content and order.

use crate::chance::Chance;
use crate::memory::Memory;
use crate::network::{Faults, Network};
use delivery::MS;
use semantics::{Completion, Config, Kind, Recv, RecvKind, Send};

/// What a soak came to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub messages: u64,
    pub bytes: u64,
    /// Simulated nanoseconds.
    pub elapsed: u64,
    pub resent: u64,
    pub timeouts: u64,
    pub duplicates: u64,
    pub packets: u64,
}

/// Receives that each side keeps posted, and sends that it keeps outstanding.
const DEPTH: usize = 32;
const LARGEST: u64 = 100_000;

/// Length and first bytes of message `n` from `side`: the receiver can tell them by itself.
fn content(seed: u64, side: usize, n: u64) -> Vec<u8> {
    let mut c = Chance::new(seed.wrapping_mul(31) ^ (side as u64) << 60 ^ n);
    let len = match c.below(10) {
        0 => 0,
        1..=5 => c.below(256),
        6..=8 => c.below(20_000),
        _ => c.below(LARGEST),
    };
    let first = c.draw() as u8;
    (0..len).map(|i| first.wrapping_add(i as u8).wrapping_add((i >> 8) as u8)).collect()
}

/// Exchanges `messages` each way. An error names the first message that was wrong.
pub fn run(messages: u64, config: Config, faults: Faults, seed: u64) -> Result<Report, String> {
    let mut net = Network::new(2, config, faults, seed);
    let (mut sent, mut acked, mut posted, mut got) = ([0u64; 2], [0u64; 2], [0u64; 2], [0u64; 2]);
    let mut bytes = 0;
    let start = net.now;
    let mut idle_since = (0, net.now);
    while got.iter().chain(&acked).any(|n| *n < messages) {
        for side in 0..2 {
            while posted[side] < messages && posted[side] - got[side] < DEPTH as u64 {
                let kind = RecvKind::Tagged { tag: posted[side], ignore: 0 };
                let buf = Memory(vec![0; LARGEST as usize]);
                net.recv(side, Recv { kind, buf, from: None, context: posted[side] })
                    .map_err(|e| format!("receive {}: {e:?}", posted[side]))?;
                posted[side] += 1;
            }
            while sent[side] < messages && sent[side] - acked[side] < DEPTH as u64 {
                let n = sent[side];
                let buf = Memory(content(seed, side, n));
                let inject = buf.0.len() < 64 && n % 2 == 0;
                let op = Send {
                    kind: Kind::Tagged(n),
                    buf,
                    data: (n % 3 == 0).then_some(n),
                    inject,
                    delivered: n % 5 == 0,
                    quiet: false,
                    context: n,
                };
                net.send(side, 1 - side, op).map_err(|e| format!("send {n}: {e:?}"))?;
                sent[side] += 1;
            }
        }
        net.step();
        for side in 0..2 {
            for c in net.completions(side) {
                match c {
                    Completion::Sent { .. } => acked[side] += 1,
                    Completion::Received { context, buf, len, data, tag, .. } => {
                        let want = content(seed, 1 - side, context);
                        if tag != Some(context)
                            || buf.0[..len] != want
                            || data != (context % 3 == 0).then_some(context)
                        {
                            return Err(format!("message {context} to side {side} is wrong"));
                        }
                        bytes += len as u64;
                        got[side] += 1;
                    }
                    other => return Err(format!("side {side}: {other:?}")),
                }
            }
        }
        let total = got.iter().chain(&acked).sum::<u64>();
        if total != idle_since.0 {
            idle_since = (total, net.now);
        } else if net.now.since(idle_since.1) > 20_000 * MS {
            return Err(format!("stuck: got {got:?}, acknowledged {acked:?} of {messages}"));
        }
    }
    let mut r = Report { messages: 2 * messages, bytes, elapsed: net.now.since(start), ..Report::default() };
    for side in 0..2 {
        let (_, d) = net.endpoint(side).stats();
        r.resent += d.resent_by_ack + d.resent_by_probe + d.resent_by_timeout;
        r.timeouts += d.timeouts;
        r.duplicates += d.duplicates;
        r.packets += d.data_sent;
    }
    Ok(r)
}
