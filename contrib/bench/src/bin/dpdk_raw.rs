//! `dpdk_raw`: raw frames between two processes over one DPDK device, in ping-pong or one way, busy polling. One line
//! of `name=value` words on stdout per run; everything else goes to stderr.

#![forbid(unsafe_code)]

use bench::raw::{self, Amount, Error, Link, Mode};
use clap::{ArgGroup, Parser, ValueEnum};
use dpdk::{Eal, EalConfig};
use std::process::ExitCode;
use std::time::Duration;

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Role {
    /// Waits for the client; sends back (pingpong) or counts (blast). To be started first.
    Server,
    Client,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModeArg {
    Pingpong,
    Blast,
}

/// Raw frames between two processes over one DPDK device: the limit for everything that is built on it.
#[derive(Debug, Parser)]
#[command(group(ArgGroup::new("amount").args(["count", "seconds"])))]
struct Args {
    /// Device: a PCI address or a virtual device with its arguments
    #[arg(long, value_name = "DEVARGS")]
    port: String,
    #[arg(long, value_enum)]
    role: Role,
    #[arg(long, value_enum)]
    mode: ModeArg,
    /// Bytes of a frame with its Ethernet header and without its checksum
    #[arg(long, value_name = "BYTES", default_value_t = 64)]
    size: usize,
    /// Frames to send (client) [default: 100000]
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Seconds to send for (client), instead of a number of frames
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// MTU of the port in bytes
    #[arg(long, default_value_t = 1500)]
    mtu: u16,
    /// Seconds to wait for the other side before giving up
    #[arg(long, value_name = "S", default_value_t = 20)]
    patience: u64,
    /// Further arguments of EAL, separated by blanks
    #[arg(long, value_name = "WORDS", default_value = "", allow_hyphen_values = true)]
    eal_args: String,
}

impl Args {
    fn amount(&self) -> Result<Amount, String> {
        match self.seconds {
            None => Ok(Amount::Frames(self.count.unwrap_or(100_000))),
            Some(s) => Duration::try_from_secs_f64(s)
                .map(Amount::Time)
                .map_err(|e| format!("--seconds {s} is not a duration: {e}")),
        }
    }

    fn eal(&self) -> EalConfig {
        let name = self.port.split(',').next().unwrap_or_default();
        EalConfig {
            // Virtual devices have no colon in their names, PCI addresses do.
            pci: name.contains(':'),
            extra_args: self.eal_args.split_whitespace().map(str::to_owned).collect(),
        }
    }
}

/// Half of a round trip of `nanoseconds`, in microseconds.
fn half(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 2000.0
}

fn run(args: &Args, amount: Amount) -> Result<String, Error> {
    let eal = Eal::init(&args.eal())?;
    let patience = Duration::from_secs(args.patience);
    let open = match args.role {
        Role::Server => Link::open,
        Role::Client => Link::connect,
    };
    let mut link = open(eal, &args.port, args.mtu, args.size, patience)?;
    eprintln!("dpdk_raw: {} is ready ({:?})", link.driver(), eal.memory());
    let size = args.size;
    Ok(match (args.mode, args.role) {
        (ModeArg::Pingpong, Role::Server) => {
            link.welcome(Mode::Pingpong)?;
            let frames = raw::echo(&mut link)?;
            format!("dpdk_raw mode=pingpong role=server frames={frames}")
        }
        (ModeArg::Pingpong, Role::Client) => {
            link.greet(Mode::Pingpong)?;
            let trips = raw::ping(&mut link, amount)?;
            link.part(0)?;
            let times = &trips.times;
            format!(
                "dpdk_raw mode=pingpong role=client size={size} frames={} lost={} p50_us={:.3} p99_us={:.3} max_us={:.3}",
                times.count(),
                trips.lost,
                half(times.quantile(0.5)),
                half(times.quantile(0.99)),
                half(times.largest()),
            )
        }
        (ModeArg::Blast, Role::Server) => {
            link.welcome(Mode::Blast)?;
            let received = raw::receive(&mut link)?;
            let (frames, bytes) = received.rates();
            format!(
                "dpdk_raw mode=blast role=server frames={} bytes={} lost={} seconds={:.6} msg_per_s={frames:.0} \
                 bytes_per_s={bytes:.0}",
                received.frames,
                received.bytes,
                received.lost,
                received.nanoseconds as f64 / 1e9,
            )
        }
        (ModeArg::Blast, Role::Client) => {
            link.greet(Mode::Blast)?;
            let sent = raw::send(&mut link, amount)?;
            let received = link.part(sent.frames)?;
            format!(
                "dpdk_raw mode=blast role=client size={size} frames={} received={received} seconds={:.6}",
                sent.frames,
                sent.nanoseconds as f64 / 1e9,
            )
        }
    })
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let args = Args::parse();
    let result = args.amount().and_then(|amount| run(&args, amount).map_err(|e| e.to_string()));
    match result {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            eprintln!("dpdk_raw: {e}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
#[path = "../raw/pair_tests.rs"]
mod pair_tests;
