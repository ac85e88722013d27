//! Hostile packets in the middle of honest traffic: random bytes, and packets of the traffic itself with bits turned, cut or
//! spliced. Nothing may panic, memory stays bounded, and traffic between honest peers goes on.

use crate::chance::Chance;
use crate::memory::Memory;
use crate::network::{Faults, Network};
use semantics::{Completion, Config, Kind, Recv, RecvKind, Send};
use std::net::SocketAddr;

/// What a run came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    pub hostile: u64,
    pub exchanged: u64,
}

/// Throws `packets` hostile packets at two endpoints. A forger that is not in the middle sends from its own address
/// (`spoof` false); one that spoofs the peer's may break the session between them, but nothing else: then only panics
/// and memory are looked at.
pub fn run(packets: u64, spoof: bool, seed: u64) -> Result<Report, String> {
    let config = Config { unexpected: 1 << 20, ..Config::default() };
    let mut net = Network::new(2, config.clone(), Faults { loss: 0.01, ..Faults::NONE }, seed);
    let mut chance = Chance::new(seed);
    let mut report = Report::default();
    let (mut tag, mut rounds) = (0u64, 0u64);
    let stranger = SocketAddr::from(([192, 0, 2, 66], 666));
    while report.hostile < packets {
        // One message a side, or so many that they share packets.
        let count = if chance.below(4) == 0 { 60 } else { 1 };
        for side in (0..2).flat_map(|side| (0..count).map(move |_| side)) {
            tag += 1;
            let len = match chance.below(4) {
                0 if count == 1 => chance.below(40_000),
                _ => chance.below(300),
            } as usize;
            let _ = net.recv(
                1 - side,
                Recv {
                    kind: RecvKind::Tagged { tag, ignore: 0 },
                    buf: Memory(vec![0; 40_000]),
                    // A stranger may send messages of its own, which are not for us.
                    from: (!spoof).then(|| net.addr(side)),
                    context: tag,
                },
            );
            let _ = net.send(
                side,
                1 - side,
                Send {
                    kind: Kind::Tagged(tag),
                    buf: Memory(vec![tag as u8; len]),
                    data: None,
                    inject: false,
                    delivered: false,
                    quiet: false,
                    context: tag,
                },
            );
        }
        let mut pending = 4 * count;
        let mut steps = 0;
        while pending > 0 && steps < 20_000 {
            steps += 1;
            for _ in 0..chance.below(4) {
                report.hostile += 1;
                let (from, to, packet) = hostile(&mut net, &mut chance);
                net.inject(if spoof { from } else { stranger }, to, packet);
            }
            net.step();
            for side in 0..2 {
                for c in net.completions(side) {
                    match c {
                        Completion::Received { buf, len, context, .. } if !spoof => {
                            if buf.0[..len].iter().any(|b| *b != context as u8) {
                                return Err(format!("message {context} was altered"));
                            }
                            report.exchanged += 1;
                        }
                        Completion::RecvFailed { err, .. } | Completion::SendFailed { err, .. } if !spoof => {
                            return Err(format!("operation {tag} failed with {err}"));
                        }
                        _ => {}
                    }
                    pending -= 1;
                }
                let held = net.endpoint(side).held();
                if held > config.unexpected {
                    return Err(format!("{held} bytes held, {} allowed", config.unexpected));
                }
            }
            if spoof && steps > 2_000 {
                break;
            }
        }
        if !spoof && pending > 0 {
            return Err(format!("round {tag} did not complete"));
        }
        rounds += 1;
        if spoof && rounds % 16 == 0 {
            net.restart(0);
            net.restart(1);
        }
    }
    Ok(report)
}

fn hostile(net: &mut Network, chance: &mut Chance) -> (SocketAddr, usize, Vec<u8>) {
    let picked = net.pick();
    let (from, to, mut p) = match picked {
        Some(x) if !chance.happens(0.2) => x,
        _ => {
            let n = chance.below(120);
            let to = chance.below(2) as usize;
            (net.addr(1 - to), to, (0..n).map(|_| chance.draw() as u8).collect())
        }
    };
    match chance.below(5) {
        0 => p.truncate(chance.below(p.len() as u64 + 1) as usize),
        1 => p.extend((0..chance.below(64)).map(|i| i as u8)),
        2 if p.len() > 48 => {
            // The message header, which the delivery layer lets through.
            for _ in 0..1 + chance.below(4) {
                let at = 40 + chance.below(p.len() as u64 - 40) as usize;
                p[at] = chance.draw() as u8;
            }
        }
        _ => {
            for _ in 0..1 + chance.below(8) {
                if !p.is_empty() {
                    let at = chance.below(p.len() as u64) as usize;
                    p[at] ^= 1 << chance.below(8);
                }
            }
        }
    }
    (from, to, p)
}
