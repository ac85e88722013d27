//! Cost of the message and delivery layers between two endpoints in memory, both sides together: a 64-byte tagged ping
//! (send, receive, match, complete, acknowledge) and a message of 1 MiB over packets of 9000 bytes.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use semantics::*;
use std::hint::black_box;
use std::net::SocketAddr;

struct Buf(Vec<u8>);

impl SendBuffer for Buf {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn read(&self, offset: usize, out: &mut [u8]) {
        out.copy_from_slice(&self.0[offset..offset + out.len()]);
    }
}

impl RecvBuffer for Buf {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn write(&mut self, offset: usize, data: &[u8]) {
        self.0[offset..offset + data.len()].copy_from_slice(data);
    }
}

/// Packets under way, in reused buffers.
#[derive(Default)]
struct Wire {
    packets: Vec<Vec<u8>>,
    used: usize,
}

impl Driver<Buf> for Wire {
    fn ready(&mut self, _: SessionId, _: SocketAddr) -> Ready {
        Ready::Yes
    }
    fn emit(
        &mut self,
        _: Option<SessionId>,
        _: SocketAddr,
        head: usize,
        write: impl FnOnce(&mut [u8]),
        body: Body<'_, Buf>,
        _: bool,
    ) {
        if self.used == self.packets.len() {
            self.packets.push(Vec::with_capacity(9000));
        }
        let p = &mut self.packets[self.used];
        self.used += 1;
        p.clear();
        p.resize(head, 0);
        write(p);
        match body {
            Body::None => {}
            Body::Bytes(b) => p.extend_from_slice(b),
            Body::Buffer { buf, offset, len, .. } => {
                let at = p.len();
                p.resize(at + len, 0);
                buf.read(offset, &mut p[at..]);
            }
        }
    }
}

struct Side {
    ep: Endpoint<Buf, Buf, u64>,
    addr: SocketAddr,
    wire: Wire,
}

fn side(n: u8) -> Side {
    let mut config = Config::default();
    config.delivery.max_payload = 8972;
    Side {
        ep: Endpoint::new(config, n as u64),
        addr: SocketAddr::from(([10, 0, 0, n], 7)),
        wire: Wire::default(),
    }
}

/// What `from` sent reaches `to`; gives the completions of `to`.
fn carry(now: Time, from: &mut Side, to: &mut Side) {
    from.ep.transmit(now, &mut from.wire);
    to.ep.control(now, &mut to.wire);
    for p in &from.wire.packets[..from.wire.used] {
        to.ep.handle(now, from.addr, p);
    }
    from.wire.used = 0;
}

fn message(len: usize, now: &mut Time, a: &mut Side, b: &mut Side, buf: &mut Option<Buf>) {
    let recv = Recv {
        kind: RecvKind::Tagged { tag: 1, ignore: 0 },
        buf: buf.take().unwrap(),
        from: None,
        context: 0,
    };
    b.ep.recv(*now, recv).unwrap();
    let send = Send {
        kind: Kind::Tagged(1),
        buf: Buf(vec![1; len]),
        data: None,
        inject: false,
        delivered: false,
        quiet: false,
        context: 0,
    };
    a.ep.send(*now, b.addr, send, &mut a.wire).unwrap();
    loop {
        *now = *now + 1000;
        carry(*now, a, b);
        carry(*now, b, a);
        if let Some(Completion::Received { buf: done, .. }) = b.ep.poll_completion() {
            *buf = Some(done);
            break;
        }
    }
    while let Some(c) = a.ep.poll_completion() {
        black_box(&c);
    }
}

fn benches(c: &mut Criterion) {
    let mut group = c.benchmark_group("endpoint");
    for len in [64, 1 << 20] {
        let (mut a, mut b) = (side(1), side(2));
        let mut now = Time(1_000_000);
        let mut buf = Some(Buf(vec![0; len]));
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(format!("message of {len}"), |bench| {
            bench.iter(|| message(len, &mut now, &mut a, &mut b, &mut buf))
        });
    }
}

criterion_group!(pair, benches);
criterion_main!(pair);
