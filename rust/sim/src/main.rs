//! Runs a study and prints its table.

use clap::{Parser, Subcommand};
use semantics::{Config, US};
use sim::{Faults, fuzz, soak};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Studies of the reliable stack on a simulated network.
#[derive(Parser)]
struct Args {
    #[command(subcommand)]
    study: Study,
}

#[derive(Subcommand)]
enum Study {
    /// Messages of mixed sizes both ways, checked for content and order
    Soak {
        #[arg(long, default_value_t = 50_000)]
        messages: u64,
        /// First seed, and how many
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value_t = 1)]
        seeds: u64,
        #[arg(long, default_value_t = 0.01)]
        loss: f64,
        #[arg(long, default_value_t = 0.01)]
        duplication: f64,
        #[arg(long, default_value_t = 0.01)]
        reordering: f64,
    },
    /// Hostile packets in the middle of honest traffic
    Fuzz {
        #[arg(long, default_value_t = 10)]
        minutes: u64,
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

fn main() -> ExitCode {
    let result = match Args::parse().study {
        Study::Soak { messages, seed, seeds, loss, duplication, reordering } => {
            let faults = Faults { loss, duplication, reordering, late: 50 * US, ..Faults::NONE };
            println!(
                "{:>6} {:>10} {:>12} {:>10} {:>9} {:>9} {:>10}",
                "seed", "messages", "bytes", "packets", "resent", "timeouts", "ms"
            );
            (seed..seed + seeds).try_for_each(|seed| {
                let r = soak::run(messages, Config::default(), faults, seed)?;
                println!(
                    "{seed:>6} {:>10} {:>12} {:>10} {:>9} {:>9} {:>10}",
                    r.messages,
                    r.bytes,
                    r.packets,
                    r.resent,
                    r.timeouts,
                    r.elapsed / 1_000_000
                );
                Ok(())
            })
        }
        Study::Fuzz { minutes, seed } => {
            let end = Instant::now() + Duration::from_secs(60 * minutes);
            let (mut hostile, mut exchanged, mut seed) = (0, 0, seed);
            loop {
                match fuzz::run(20_000, seed % 2 == 0, seed) {
                    Ok(r) => (hostile, exchanged) = (hostile + r.hostile, exchanged + r.exchanged),
                    Err(e) => break Err(format!("seed {seed}: {e}")),
                }
                seed += 1;
                if Instant::now() >= end {
                    println!(
                        "{hostile} hostile packets, {exchanged} messages exchanged, last seed {}",
                        seed - 1
                    );
                    break Ok(());
                }
            }
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}
