//! fi_pingpong: a message goes back and forth between two processes, by size, with its time.
//!
//! The two find each other over a TCP connection, on which they exchange the addresses of their endpoints and agree on each
//! size before it is measured.

use clap::{Parser, ValueEnum};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use utils::{Endpoint, EndpointKind, Hints, InfoList, Transfer, owned_by_c};

type Error = Box<dyn std::error::Error>;

/// Port of the control connection.
const CONTROL_PORT: u16 = 47592;
/// Nothing of a ping-pong takes longer, unless the peer is gone.
const LIMIT: Duration = Duration::from_secs(30);
/// A datagram that has not come by then is lost.
const DATAGRAM_LIMIT: Duration = Duration::from_secs(1);
const SIZES: [usize; 6] = [64, 256, 1 << 10, 4 << 10, 64 << 10, 1 << 20];

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum EpType {
    Msg,
    Rdm,
    Dgram,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    Msg,
    Tagged,
}

/// Ping-pong client and server: without SRV_ADDR it is the server, with it the client
#[derive(Parser)]
#[command(name = "fi_pingpong")]
struct Args {
    /// Source control port (server: 47592, client: any)
    #[arg(short = 'B', value_name = "src_port")]
    src_port: Option<u16>,
    /// Destination control port (client: 47592)
    #[arg(short = 'P', value_name = "dst_port", default_value_t = CONTROL_PORT)]
    dst_port: u16,
    /// Domain name
    #[arg(short)]
    domain: Option<String>,
    /// Provider
    #[arg(short)]
    provider: Option<String>,
    /// Endpoint type
    #[arg(short, value_name = "ep_type", default_value = "dgram")]
    ep_type: EpType,
    /// Number of iterations
    #[arg(short = 'I', value_name = "number", default_value_t = 10)]
    iterations: u64,
    /// Transfer size in bytes, or 'all'
    #[arg(short = 'S', value_name = "size", default_value = "all")]
    size: String,
    /// Check the data
    #[arg(short)]
    check: bool,
    /// Kind of messages
    #[arg(short, value_name = "transmit mode", default_value = "msg")]
    mode: Mode,
    /// Tell what is done
    #[arg(short)]
    verbose: bool,
    /// Use IPv6 for the control connection
    #[arg(short = '6')]
    v6: bool,
    /// Name or address of the server
    srv_addr: Option<String>,
}

/// The control connection.
struct Control(TcpStream);

impl Control {
    fn open(args: &Args) -> Result<Control, Error> {
        let any = if args.v6 { "::" } else { "0.0.0.0" };
        let stream = match &args.srv_addr {
            None => {
                let port = args.src_port.unwrap_or(CONTROL_PORT);
                TcpListener::bind((any, port)).map_err(|e| format!("control port {port}: {e}"))?.accept()?.0
            }
            Some(server) => Control::connect(server, args.dst_port)?,
        };
        stream.set_nodelay(true)?;
        Ok(Control(stream))
    }

    /// The server may still be starting.
    fn connect(server: &str, port: u16) -> Result<TcpStream, Error> {
        let start = Instant::now();
        loop {
            match TcpStream::connect((server, port)) {
                Ok(s) => return Ok(s),
                Err(e) if start.elapsed() > Duration::from_secs(10) => {
                    return Err(format!("control connection to {server} port {port}: {e}").into());
                }
                Err(_) => std::thread::sleep(Duration::from_millis(100)),
            }
        }
    }

    /// Both sides send their bytes and get the other's.
    fn exchange(&mut self, mine: &[u8]) -> Result<Vec<u8>, Error> {
        self.0.write_all(&(mine.len() as u32).to_be_bytes())?;
        self.0.write_all(mine)?;
        let mut len = [0; 4];
        self.0.read_exact(&mut len).map_err(|e| format!("the peer is gone: {e}"))?;
        let len = u32::from_be_bytes(len) as usize;
        if len > 4096 {
            return Err("the peer is no fi_pingpong of this kind".into());
        }
        let mut theirs = vec![0; len];
        self.0.read_exact(&mut theirs)?;
        Ok(theirs)
    }
}

fn sizes(args: &Args, max: usize) -> Result<Vec<usize>, Error> {
    if args.size == "all" {
        return Ok(SIZES.into_iter().filter(|s| *s <= max).collect());
    }
    let (digits, unit) = match args.size.to_lowercase() {
        s if s.ends_with('k') => (s[..s.len() - 1].to_string(), 1 << 10),
        s if s.ends_with('m') => (s[..s.len() - 1].to_string(), 1 << 20),
        s => (s, 1),
    };
    let n = digits.parse::<usize>().map_err(|_| format!("-S {}: a number or 'all'", args.size))? * unit;
    if n > max {
        Err(format!("-S {n}: the endpoint carries at most {max} bytes").into())
    } else {
        Ok(vec![n])
    }
}

/// Byte `i` of message `n`.
fn pattern(n: u64, i: usize) -> u8 {
    (n as usize).wrapping_mul(7).wrapping_add(i).wrapping_add(i >> 8) as u8
}

fn short(n: u64) -> String {
    match n {
        _ if n >= 1 << 30 => format!("{}g", n >> 30),
        _ if n >= 1 << 20 => format!("{}m", n >> 20),
        _ if n >= 1 << 10 => format!("{}k", n >> 10),
        _ => n.to_string(),
    }
}

struct PingPong {
    ep: Endpoint,
    peer: abi::fi_addr_t,
    args: Args,
    tx: Vec<u8>,
    rx: Vec<u8>,
}

impl PingPong {
    fn limit(&self) -> Duration {
        if self.args.ep_type == EpType::Dgram { DATAGRAM_LIMIT } else { LIMIT }
    }

    fn post(&mut self, size: usize) -> Result<(), Error> {
        // SAFETY: `rx` lives as long as the endpoint, is not moved, and is looked at after the completion only.
        unsafe { self.ep.post_receive(self.rx.as_mut_ptr(), size.max(1)) }?;
        Ok(())
    }

    fn send(&mut self, n: u64, size: usize) -> Result<(), Error> {
        if self.args.check {
            self.tx[..size].iter_mut().enumerate().for_each(|(i, b)| *b = pattern(n, i));
        }
        let limit = self.limit();
        self.ep.send(&self.tx[..size], self.peer, limit)?;
        Ok(())
    }

    /// False: a datagram was lost.
    fn receive(&mut self, n: u64, size: usize, more: bool) -> Result<bool, Error> {
        match self.ep.wait(Transfer::Receive, self.limit()) {
            Err(e) if e.code == abi::FI_ETIMEDOUT && self.args.ep_type == EpType::Dgram => return Ok(false),
            other => other?,
        }
        if self.args.check
            && let Some(i) = (0..size).find(|i| self.rx[*i] != pattern(n, *i))
        {
            return Err(format!("message {n} of {size} bytes: byte {i} is wrong").into());
        }
        if more {
            self.post(size)?;
        }
        Ok(true)
    }

    /// One size: gives the messages that came back, and the time.
    fn measure(&mut self, size: usize) -> Result<(u64, Duration), Error> {
        let iterations = self.args.iterations;
        let client = self.args.srv_addr.is_some();
        let mut came = 0;
        let start = Instant::now();
        for n in 0..iterations {
            let more = n + 1 < iterations;
            if client {
                self.send(n, size)?;
                came += self.receive(n, size, more)? as u64;
            } else {
                came += self.receive(n, size, more)? as u64;
                self.send(n, size)?;
            }
        }
        Ok((came, start.elapsed()))
    }
}

fn run(args: Args) -> Result<(), Error> {
    let kind = if args.mode == Mode::Tagged { EndpointKind::Tagged } else { EndpointKind::Msg };
    // The server's device is up before anybody can reach it, and the client opens its own when the server is there.
    let mut control = if args.srv_addr.is_some() { Some(Control::open(&args)?) } else { None };
    let mut h = Hints::new();
    h.get().caps = if args.mode == Mode::Tagged { abi::FI_TAGGED } else { abi::FI_MSG };
    h.get().mode = abi::FI_CONTEXT | abi::FI_CONTEXT2;
    h.ep().r#type = match args.ep_type {
        EpType::Msg => abi::FI_EP_MSG,
        EpType::Rdm => abi::FI_EP_RDM,
        EpType::Dgram => abi::FI_EP_DGRAM,
    };
    h.domain().threading = abi::FI_THREAD_DOMAIN;
    let name = |t: &Option<String>| t.as_ref().map_or(std::ptr::null_mut(), |t| owned_by_c(t));
    h.domain().name = name(&args.domain);
    h.fabric().prov_name = name(&args.provider);
    let connects = args.ep_type == EpType::Msg;
    // Where to connect to is asked for, since it chooses the interface.
    let server = match &mut control {
        Some(c) if connects => {
            let name = c.exchange(b"connect")?;
            h.set_destination(&name);
            name
        }
        _ => Vec::new(),
    };
    let list = InfoList::query(None, None, 0, Some(&h))?;
    let info = list.iter().next().ok_or("no result")?;
    if args.verbose {
        eprintln!("provider {}, domain {}", info.provider(), info.domain_name());
    }
    let mut ep = match (connects, &control) {
        (false, _) => Endpoint::open(info, kind)?,
        (true, Some(_)) => Endpoint::connect(info, kind, &server, LIMIT)?,
        (true, None) => Endpoint::listen(info, kind)?,
    };
    let accepts = connects && control.is_none();
    let mut control = match control {
        Some(c) => c,
        None => Control::open(&args)?,
    };
    let peer = if connects {
        if accepts {
            control.exchange(&ep.name()?)?;
            ep.accept(LIMIT)?;
        }
        abi::FI_ADDR_UNSPEC
    } else {
        ep.insert(&control.exchange(&ep.name()?)?)?
    };
    let sizes = sizes(&args, ep.max_msg_size)?;
    let largest = sizes.iter().copied().max().unwrap_or(0).max(1);
    let mut p = PingPong { ep, peer, args, tx: vec![0; largest], rx: vec![0; largest] };
    println!(
        "{:<8}{:<8}{:<9}{:<12}{:<11}{:<10}{:<12}Mxfers/sec",
        "bytes", "#sent", "#ack", "total", "time", "MB/sec", "usec/xfer"
    );
    for size in sizes {
        p.post(size)?;
        // Both have their receive posted before the first message goes.
        let other = control.exchange(&(size as u64).to_be_bytes())?;
        if other != (size as u64).to_be_bytes() {
            return Err("the two sides were started with different -S or -e".into());
        }
        let (came, time) = p.measure(size)?;
        let n = p.args.iterations;
        let bytes = 2 * n * size as u64;
        let (secs, transfers) = (time.as_secs_f64(), 2.0 * n as f64);
        let ack = if came == n { format!("={}", short(n)) } else { came.to_string() };
        println!(
            "{:<8}{:<8}{:<9}{:<12}{:<11}{:<10.2}{:<12.2}{:.2}",
            short(size as u64),
            short(n),
            ack,
            short(bytes),
            format!("{secs:.2}s"),
            bytes as f64 / secs / 1e6,
            secs * 1e6 / transfers,
            transfers / secs / 1e6
        );
    }
    control.exchange(b"end")?;
    Ok(())
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("fi_pingpong: {e}");
            ExitCode::FAILURE
        }
    }
}
