//! Cost of the delivery code for one packet of an undisturbed stream: send, receive, accept, and its share of an
//! acknowledgement. Both sides together.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use delivery::{Config, Delivery, Received, Time};
use std::hint::black_box;
use std::net::SocketAddr;

fn stream(c: &mut Criterion) {
    let (a_addr, b_addr): (SocketAddr, SocketAddr) =
        ("10.0.0.1:1".parse().unwrap(), "10.0.0.2:1".parse().unwrap());
    let (mut a, mut b) =
        (Delivery::<u64>::new(Config::default(), 1), Delivery::<u64>::new(Config::default(), 2));
    let mut now = Time(1_000_000);
    let s = a.session(now, b_addr);
    let mut group = c.benchmark_group("delivery");
    group.throughput(Throughput::Elements(32));
    group.bench_function("burst of 32", |bench| {
        bench.iter(|| {
            now = now + 5_000;
            for i in 0..32 {
                let h = a.send(now, s, i, 64, false).unwrap().emit();
                let Received::Data { session, psn, .. } = b.receive(now, a_addr, h.as_ref(), |_| ()) else {
                    panic!()
                };
                b.accept(session, psn);
            }
            let (_, _, h) = b.next_control(now, true).unwrap();
            a.receive(now, b_addr, h.as_ref(), |token| {
                black_box(token);
            });
            a.tick(now);
            while a.poll_event().is_some() {}
            while b.poll_event().is_some() {}
        })
    });
}

criterion_group!(benches, stream);
criterion_main!(benches);
