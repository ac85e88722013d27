//! `fi_measure`: one figure of a libfabric provider between two processes: half round trips, one-way message rate, or one-way
//! bytes per second. One line of `name=value` words on stdout (client for latency, server for the rest).

use bench::histogram::Histogram;
use bench::ticks::Ticks;
use clap::{Parser, ValueEnum};
use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use utils::{Endpoint, EndpointKind, Hints, InfoList, Transfer, owned_by_c};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Half round trips of messages that go back and forth
    Latency,
    /// Messages one way, as many as go
    Stream,
}

/// Measures a provider between two processes; without SERVER it is the server
#[derive(Parser)]
struct Args {
    #[arg(long, value_enum)]
    what: What,
    #[arg(short)]
    provider: String,
    /// Datagrams instead of reliable tagged messages
    #[arg(long)]
    dgram: bool,
    #[arg(long, default_value_t = 64)]
    size: usize,
    #[arg(long, default_value_t = 100_000)]
    count: u64,
    /// Messages that may be under way one way, as receives that are posted
    #[arg(long, default_value_t = 512)]
    depth: usize,
    /// Control port
    #[arg(short = 'B', default_value_t = 47600)]
    port: u16,
    server: Option<String>,
}

const LIMIT: Duration = Duration::from_secs(60);
/// Empty polls between two looks at the clock, which costs as much as a poll.
const LOOK: u32 = 1024;

/// Says now and then whether too much time has passed.
struct Patience {
    start: Instant,
    polls: u32,
}

impl Patience {
    fn new() -> Patience {
        Patience { start: Instant::now(), polls: 0 }
    }

    #[inline]
    fn is_over(&mut self) -> bool {
        self.polls = self.polls.wrapping_add(1);
        self.polls % LOOK == 0 && self.start.elapsed() > LIMIT
    }
}

struct Control(TcpStream);

impl Control {
    fn open(args: &Args) -> std::io::Result<Control> {
        let s = match &args.server {
            None => TcpListener::bind(("0.0.0.0", args.port))?.accept()?.0,
            Some(server) => TcpStream::connect((server.as_str(), args.port))?,
        };
        s.set_nodelay(true)?;
        Ok(Control(s))
    }

    fn exchange(&mut self, mine: &[u8]) -> std::io::Result<Vec<u8>> {
        self.0.write_all(&[mine.len() as u8])?;
        self.0.write_all(mine)?;
        let mut len = [0];
        self.0.read_exact(&mut len)?;
        let mut theirs = vec![0; len[0] as usize];
        self.0.read_exact(&mut theirs)?;
        Ok(theirs)
    }
}

type Outcome = Result<(), Box<dyn Error>>;

/// Rounds that are not counted: caches and the other side's pages warm up.
const WARM_UP: u64 = 1_000;

fn latency(ep: &mut Endpoint, peer: abi::fi_addr_t, args: &Args, control: &mut Control) -> Outcome {
    let (tx, mut rx) = (vec![1u8; args.size], vec![0u8; args.size]);
    // Two are posted, so that the answer need not wait for the next receive to be posted.
    for _ in 0..2 {
        // SAFETY (all posts): `rx` outlives the endpoint's use of it and is not looked at.
        unsafe { ep.post_receive(rx.as_mut_ptr(), rx.len()) }?;
    }
    control.exchange(b"go")?;
    let client = args.server.is_some();
    let mut times = Histogram::default();
    let run = Ticks::start();
    for n in 0..args.count + WARM_UP {
        let start = Ticks::now();
        if client {
            ep.send(&tx, peer, LIMIT)?;
        }
        ep.wait(Transfer::Receive, LIMIT)?;
        if !client {
            ep.send(&tx, peer, LIMIT)?;
        } else if n >= WARM_UP {
            times.record(Ticks::now().saturating_sub(start));
        }
        // SAFETY: see above.
        unsafe { ep.post_receive(rx.as_mut_ptr(), rx.len()) }?;
    }
    if client {
        let half = |q| times.quantile(q) as f64 * run.nanoseconds() / 2000.0;
        println!("half_rtt_p50_us={:.3} half_rtt_p99_us={:.3} count={}", half(0.5), half(0.99), args.count);
    }
    Ok(())
}

fn stream(ep: &mut Endpoint, peer: abi::fi_addr_t, args: &Args, control: &mut Control) -> Outcome {
    let inject = args.size <= ep.inject_size;
    if args.server.is_some() {
        let tx = vec![1u8; args.size];
        control.exchange(b"go")?;
        let (mut sent, mut done) = (0u64, 0u64);
        let mut patience = Patience::new();
        while sent < args.count || (!inject && done < sent) {
            // SAFETY: the buffer outlives all sends.
            if sent < args.count
                && (inject || sent - done < args.depth as u64)
                && unsafe { ep.try_send(tx.as_ptr(), tx.len(), peer) }?
            {
                sent += 1;
                continue;
            }
            done += ep.poll_many(Transfer::Send)? as u64;
            if patience.is_over() {
                return Err("the receiver does not keep up".into());
            }
        }
        // Injected messages may still be under way: drive them until the receiver has all.
        control.0.set_nonblocking(true)?;
        let mut b = [0];
        while !matches!(control.0.read(&mut b), Ok(1)) {
            ep.poll_many(Transfer::Send)?;
            if patience.is_over() {
                return Err("the receiver does not keep up".into());
            }
        }
        return Ok(());
    }
    let mut bufs = vec![0u8; args.size * args.depth.min(64)];
    let slots = args.depth.min(64);
    let mut post = |ep: &mut Endpoint, n: usize| {
        let at = (n % slots) * args.size;
        // SAFETY: inside `bufs`, which outlives the receives. Messages may overwrite each other; nobody reads them.
        unsafe { ep.post_receive(bufs[at..].as_mut_ptr(), args.size) }
    };
    for n in 0..args.depth {
        post(ep, n)?;
    }
    control.exchange(b"go")?;
    let (mut got, mut first) = (0u64, None::<Instant>);
    let mut patience = Patience::new();
    while got < args.count {
        let n = ep.poll_many(Transfer::Receive)?;
        if n == 0 {
            if patience.is_over() {
                return Err(format!("{got} of {} came", args.count).into());
            }
            continue;
        }
        first.get_or_insert_with(Instant::now);
        got += n as u64;
        for i in 0..n {
            post(ep, i)?;
        }
    }
    let secs = first.map_or(0.0, |f| f.elapsed().as_secs_f64());
    control.0.write_all(b"x")?;
    let rate = got as f64 / secs;
    println!("msg_per_s={:.0} bytes_per_s={:.0} count={got}", rate, rate * args.size as f64);
    Ok(())
}

fn run(args: &Args) -> Outcome {
    let mut h = Hints::new();
    h.get().caps = if args.dgram { abi::FI_MSG } else { abi::FI_TAGGED };
    h.get().mode = abi::FI_CONTEXT | abi::FI_CONTEXT2;
    h.ep().r#type = if args.dgram { abi::FI_EP_DGRAM } else { abi::FI_EP_RDM };
    h.domain().threading = abi::FI_THREAD_DOMAIN;
    h.fabric().prov_name = owned_by_c(&args.provider);
    let list = InfoList::query(None, None, 0, Some(&h))?;
    let info = list.iter().next().ok_or("no result")?;
    let kind = if args.dgram { EndpointKind::Msg } else { EndpointKind::Tagged };
    let mut control = Control::open(args)?;
    let mut ep = Endpoint::open(info, kind)?;
    let theirs = control.exchange(&ep.name()?)?;
    let peer = ep.insert(&theirs)?;
    match args.what {
        What::Latency => latency(&mut ep, peer, args, &mut control),
        What::Stream => stream(&mut ep, peer, args, &mut control),
    }
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("fi_measure: {e}");
            ExitCode::FAILURE
        }
    }
}
