//! Random programs of sends, receives and cancellations between several endpoints over bad links, held against what the
//! rules of matching allow. What is wrong shrinks to a short program.
//!
//! Which of two peers comes first is left to the network, so a program may have several right outcomes; between two
//! endpoints the rules leave exactly one.

use proptest::prelude::*;
use semantics::{Completion, Config, Kind, MS, Recv, RecvKind, Send, SendError, US};
use sim::{Faults, Memory, Network, Outcome};
use std::collections::HashMap;

/// Steps in which a program that is done with posting comes to its end, many times over.
const STEPS: usize = 300_000;

#[derive(Clone, Debug)]
enum Op {
    Send { from: usize, to: usize, tag: Option<u64>, len: usize, data: bool, inject: bool, delivered: bool },
    Recv { at: usize, kind: Option<(u64, u64)>, source: Option<usize>, room: usize },
    Cancel { which: usize },
    Run { steps: usize },
}

#[derive(Clone, Debug)]
struct Program {
    nodes: usize,
    eager: usize,
    unexpected: usize,
    tx_size: usize,
    window: u32,
    max_payload: usize,
    faults: f64,
    seed: u64,
    ops: Vec<Op>,
}

fn length() -> impl Strategy<Value = usize> {
    prop_oneof![
        2 => Just(0usize),
        4 => 0usize..16,
        4 => 16usize..400,
        3 => 400usize..5_000,
        1 => 5_000usize..60_000,
    ]
}

fn operation(nodes: usize) -> impl Strategy<Value = Op> {
    let tag = prop_oneof![1 => Just(None), 2 => (0u64..4).prop_map(Some)];
    let kind = prop_oneof![
        1 => Just(None),
        2 => (0u64..4, prop_oneof![Just(0u64), Just(1), Just(3), Just(u64::MAX)]).prop_map(Some),
    ];
    let send = (0..nodes, 0..nodes, tag, length(), any::<[bool; 3]>()).prop_map(
        |(from, to, tag, len, [data, inject, delivered])| Op::Send {
            from,
            to,
            tag,
            len,
            data,
            inject,
            delivered,
        },
    );
    let room = prop_oneof![1 => length(), 2 => Just(60_000usize)];
    let recv = (0..nodes, kind, proptest::option::of(0..nodes), room)
        .prop_map(|(at, kind, source, room)| Op::Recv { at, kind, source, room });
    prop_oneof![
        6 => send,
        6 => recv,
        1 => any::<usize>().prop_map(|which| Op::Cancel { which }),
        3 => (0usize..30).prop_map(|steps| Op::Run { steps }),
    ]
}

fn program() -> impl Strategy<Value = Program> {
    let eager = prop_oneof![Just(0usize), Just(100), Just(2_000), Just(16_384)];
    let tx_size = prop_oneof![1 => Just(3usize), 3 => Just(1024usize)];
    (2usize..=4).prop_flat_map(move |nodes| {
        (
            (Just(nodes), eager.clone(), 1usize..8, tx_size.clone()),
            (1u32..64, 200usize..4_000, 0.0f64..0.08, any::<u64>()),
            proptest::collection::vec(operation(nodes), 1..80),
        )
            .prop_map(|((nodes, eager, room, tx_size), (window, max_payload, faults, seed), ops)| {
                Program {
                    nodes,
                    eager,
                    // From less than the least, which is room for two messages, up to plenty.
                    unexpected: (eager + 128) * room,
                    tx_size,
                    window,
                    max_payload,
                    faults,
                    seed,
                    ops,
                }
            })
    })
}

struct Message {
    from: usize,
    to: usize,
    tag: Option<u64>,
    data: Option<u64>,
    content: Vec<u8>,
    sent: bool,
    /// The receive that got it, and when.
    taken: Option<(usize, usize)>,
}

struct Receive {
    at: usize,
    kind: Option<(u64, u64)>,
    source: Option<usize>,
    room: usize,
    got: Option<usize>,
    /// When it was cancelled.
    cancelled: Option<usize>,
    done: bool,
}

impl Receive {
    fn takes(&self, m: &Message) -> bool {
        let kind = match (self.kind, m.tag) {
            (None, None) => true,
            (Some((tag, ignore)), Some(t)) => (tag & !ignore) == (t & !ignore),
            _ => false,
        };
        kind && self.at == m.to && self.source.is_none_or(|s| s == m.from)
    }
}

/// Content that no other message has, where there is room to tell.
fn content(id: usize, len: usize) -> Vec<u8> {
    let mut b: Vec<u8> = (0..len).map(|i| (i.wrapping_mul(7) ^ i >> 8 ^ id.wrapping_mul(31)) as u8).collect();
    let n = len.min(8);
    b[..n].copy_from_slice(&(id as u64).to_be_bytes()[8 - n..]);
    b
}

struct Run {
    net: Network,
    nodes: usize,
    messages: Vec<Message>,
    /// In posting order.
    receives: Vec<Receive>,
    clock: usize,
    unexpected: usize,
    /// Receives with too little room to tell a message by its content.
    small_rooms: bool,
}

impl Run {
    fn send(&mut self, op: &Op) {
        let Op::Send { from, to, tag, len, data, inject, delivered } = *op else { return };
        let id = self.messages.len();
        let content = content(id, len);
        let data = (data || len < 8 || self.small_rooms).then_some(id as u64);
        let kind = tag.map_or(Kind::Msg, Kind::Tagged);
        let buf = Memory(content.clone());
        match self.net.send(
            from,
            to,
            Send { kind, buf, data, inject, delivered, quiet: false, context: id as u64 },
        ) {
            Ok(()) => self.messages.push(Message { from, to, tag, data, content, sent: false, taken: None }),
            // Not taken: it must leave no trace.
            Err(SendError::Again | SendError::NotClaimed) => {}
        }
    }

    fn recv(&mut self, at: usize, kind: Option<(u64, u64)>, source: Option<usize>, room: usize) {
        let context = self.receives.len() as u64;
        let from = source.map(|s| self.net.addr(s));
        let tagged = kind.map_or(RecvKind::Msg, |(tag, ignore)| RecvKind::Tagged { tag, ignore });
        let buf = Memory(vec![0xee; room]);
        let posted = self.net.recv(at, Recv { kind: tagged, buf, from, context });
        assert!(posted.is_ok(), "there is room for all receives");
        self.receives.push(Receive { at, kind, source, room, got: None, cancelled: None, done: false });
    }

    fn cancel(&mut self, r: usize) -> Result<(), TestCaseError> {
        self.collect()?;
        self.clock += 1;
        if self.net.cancel(self.receives[r].at, r as u64) {
            prop_assert!(!self.receives[r].done, "receive {r} was cancelled after it had completed");
            self.receives[r].cancelled = Some(self.clock);
        }
        self.net.step();
        self.collect()
    }

    fn run(&mut self, steps: usize) -> Result<(), TestCaseError> {
        for _ in 0..steps {
            self.net.step();
            self.collect()?;
        }
        Ok(())
    }

    /// Takes completions, and holds each against its operation.
    fn collect(&mut self) -> Result<(), TestCaseError> {
        for node in 0..self.nodes {
            let held = self.net.endpoint(node).held();
            prop_assert!(held <= self.unexpected, "{held} bytes held, {} allowed", self.unexpected);
            for c in self.net.completions(node) {
                self.clock += 1;
                match c {
                    Completion::Sent { context } => {
                        let m = &mut self.messages[context as usize];
                        prop_assert_eq!(m.from, node);
                        prop_assert!(!m.sent, "send {} completed twice", context);
                        m.sent = true;
                    }
                    Completion::Received { context, buf, len, tag, data, from } => {
                        self.received(node, context as usize, (&buf, len, 0), tag, data, from)?;
                    }
                    Completion::RecvFailed { context, err, .. } if err == abi::FI_ECANCELED => {
                        let r = &mut self.receives[context as usize];
                        prop_assert!(r.cancelled.is_some(), "receive {} was not cancelled by us", context);
                        prop_assert!(!r.done, "receive {} completed twice", context);
                        r.done = true;
                    }
                    Completion::RecvFailed { context, buf, err, len, olen, tag, data, from } => {
                        prop_assert_eq!(err, abi::FI_ETRUNC, "receive {}", context);
                        prop_assert!(olen > 0);
                        prop_assert_eq!(len, self.receives[context as usize].room);
                        let Some(from) = from else {
                            return Err(TestCaseError::fail("a cut message without a source"));
                        };
                        self.received(node, context as usize, (&buf, len, olen), tag, data, from)?;
                    }
                    Completion::SendFailed { context, err } => {
                        return Err(TestCaseError::fail(format!("send {context} failed with {err}")));
                    }
                }
            }
        }
        Ok(())
    }

    fn received(
        &mut self,
        node: usize,
        receive: usize,
        (buf, len, olen): (&Memory, usize, usize),
        tag: Option<u64>,
        data: Option<u64>,
        from: std::net::SocketAddr,
    ) -> Result<(), TestCaseError> {
        let r = &mut self.receives[receive];
        prop_assert_eq!(r.at, node);
        prop_assert!(!r.done, "receive {} completed twice", receive);
        prop_assert!(r.cancelled.is_none(), "receive {} got a message after it was cancelled", receive);
        r.done = true;
        let id = match data {
            Some(d) => d as usize,
            None => {
                u64::from_be_bytes(buf.0[..8].try_into().map_err(|_| TestCaseError::fail("short"))?) as usize
            }
        };
        prop_assert!(id < self.messages.len(), "receive {} got what nobody sent", receive);
        prop_assert!(
            self.receives[receive].takes(&self.messages[id]),
            "receive {} got message {}",
            receive,
            id
        );
        let m = &mut self.messages[id];
        prop_assert!(m.taken.is_none(), "message {} came twice", id);
        prop_assert_eq!(m.data, data);
        prop_assert_eq!(m.tag, tag);
        prop_assert_eq!(self.net.addr(m.from), from);
        prop_assert_eq!(m.content.len(), len + olen);
        prop_assert!(m.content[..len] == buf.0[..len], "message {} was altered", id);
        prop_assert!(buf.0[len..].iter().all(|b| *b == 0xee), "message {} wrote past its end", id);
        m.taken = Some((receive, self.clock));
        self.receives[receive].got = Some(id);
        Ok(())
    }

    /// Posts receives for all that is on its way, and waits until everything is done with.
    fn drain(&mut self) -> Result<(), TestCaseError> {
        let mut owed: HashMap<(usize, bool), usize> = HashMap::new();
        for m in self.messages.iter().filter(|m| m.taken.is_none()) {
            *owed.entry((m.to, m.tag.is_some())).or_default() += 1;
        }
        let mut owed: Vec<_> = owed.into_iter().collect();
        owed.sort_unstable();
        for ((at, tagged), n) in owed {
            for _ in 0..n {
                self.recv(at, tagged.then_some((0, u64::MAX)), None, 60_000);
            }
        }
        let end = self.net.now + 60_000 * MS;
        let mut steps = 0;
        self.collect()?;
        while self.messages.iter().any(|m| !m.sent || m.taken.is_none()) {
            steps += 1;
            if self.net.now >= end || steps == STEPS || self.net.step() == Outcome::Idle {
                let missing = self.messages.iter().filter(|m| m.taken.is_none()).count();
                let unsent = self.messages.iter().filter(|m| !m.sent).count();
                let now = self.net.now.0;
                return Err(TestCaseError::fail(format!(
                    "stuck after {steps} steps at {now} ns: {missing} messages missing, {unsent} sends outstanding"
                )));
            }
            self.collect()?;
        }
        let left: Vec<usize> = (0..self.receives.len()).filter(|r| !self.receives[*r].done).collect();
        for r in left {
            self.cancel(r)?;
            prop_assert!(self.receives[r].done, "receive {} is neither posted nor done", r);
        }
        for node in 0..self.nodes {
            prop_assert_eq!(self.net.endpoint(node).held(), 0, "node {} holds bytes of no message", node);
        }
        Ok(())
    }

    /// The two rules of matching. A message goes to the first posted receive that takes it, and a receive gets the first
    /// message of a peer that it takes; with one peer there is one outcome that breaks neither.
    fn check_order(&self) -> Result<(), TestCaseError> {
        for (id, m) in self.messages.iter().enumerate() {
            let Some((mine, at)) = m.taken else { continue };
            for (r, receive) in self.receives.iter().enumerate().take(mine) {
                if !receive.takes(m) {
                    continue;
                }
                match (receive.got, receive.cancelled) {
                    (Some(other), _) => prop_assert!(
                        self.messages[other].from != m.from || other < id,
                        "receive {} got message {} before message {} of the same peer",
                        r,
                        other,
                        id
                    ),
                    (None, Some(when)) => prop_assert!(
                        when < at,
                        "message {} went past the earlier receive {} to {}",
                        id,
                        r,
                        mine
                    ),
                    (None, None) => prop_assert!(false, "receive {} came to no end", r),
                }
            }
        }
        Ok(())
    }
}

fn execute(p: &Program) -> Result<(), TestCaseError> {
    let mut config = Config {
        eager: p.eager,
        longest_eager: p.eager,
        unexpected: p.unexpected,
        tx_size: p.tx_size,
        ..Config::default()
    };
    config.delivery.window = p.window;
    config.delivery.max_payload = p.max_payload;
    let f = p.faults;
    let faults = Faults { loss: f, duplication: f, reordering: f, late: 50 * US, ..Faults::NONE };
    let small_rooms = p.ops.iter().any(|o| matches!(o, Op::Recv { room: 0..8, .. }));
    let mut run = Run {
        net: Network::new(p.nodes, config, faults, p.seed),
        nodes: p.nodes,
        messages: Vec::new(),
        receives: Vec::new(),
        clock: 0,
        unexpected: p.unexpected.max(2 * (p.eager + 128)),
        small_rooms,
    };
    for op in &p.ops {
        match *op {
            Op::Send { .. } => run.send(op),
            Op::Recv { at, kind, source, room } => run.recv(at, kind, source, room),
            Op::Cancel { which } if !run.receives.is_empty() => {
                let r = which % run.receives.len();
                if !run.receives[r].done {
                    run.cancel(r)?;
                }
            }
            Op::Cancel { .. } => {}
            Op::Run { steps } => run.run(steps)?,
        }
    }
    run.drain()?;
    run.check_order()
}

proptest! {
    // `PROPTEST_CASES` asks for more.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn programs_end_as_the_rules_of_matching_allow(p in program()) {
        execute(&p)?;
    }
}
