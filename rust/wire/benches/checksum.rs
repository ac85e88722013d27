//! The Internet checksum over a small packet, one of 1500 bytes and one of 9000 bytes.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use wire::frame::Sum;

fn benches(c: &mut Criterion) {
    let mut group = c.benchmark_group("checksum");
    for len in [128usize, 1472, 8972] {
        let data = vec![7u8; len];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(format!("{len} bytes"), |b| b.iter(|| Sum::default().bytes(black_box(&data))));
    }
}

criterion_group!(checksum, benches);
criterion_main!(checksum);
