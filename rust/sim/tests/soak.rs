//! Whole messages over bad links, by many seeds.

use semantics::{Config, US};
use sim::{Faults, fuzz, soak};

fn bad(percent: f64) -> Faults {
    let p = percent / 100.0;
    Faults { loss: p, duplication: p, reordering: p, late: 50 * US, ..Faults::NONE }
}

#[test]
fn messages_arrive_intact_and_in_order_over_a_bad_link() {
    for seed in 0..200 {
        soak::run(60, Config::default(), bad(1.0 + (seed % 5) as f64), seed)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

/// 10^5 messages; in a release build this is a matter of seconds.
#[test]
#[ignore = "long: cargo test --release -p sim -- --ignored"]
fn a_hundred_thousand_messages_arrive() {
    let r = soak::run(50_000, Config::default(), bad(1.0), 1).unwrap();
    assert_eq!(r.messages, 100_000);
}

#[test]
fn little_unexpected_room_slows_down_and_loses_nothing() {
    for seed in 0..20 {
        let config = Config { unexpected: 64 * 1024, eager: 8 * 1024, ..Config::default() };
        soak::run(60, config, bad(1.0), seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

#[test]
fn small_windows_and_packets_change_nothing() {
    for seed in 0..20 {
        let mut config = Config::default();
        config.delivery.window = 1 + seed as u32 % 7;
        config.delivery.max_payload = 200 + 100 * seed as usize;
        soak::run(30, config, bad(2.0), seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

#[test]
fn strangers_disturb_nobody() {
    for seed in 0..6 {
        let r = fuzz::run(6_000, false, seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert!(r.exchanged > 0);
    }
}

#[test]
fn forged_packets_of_the_peer_cause_no_panic_and_no_growth() {
    for seed in 0..6 {
        fuzz::run(6_000, true, seed).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}
