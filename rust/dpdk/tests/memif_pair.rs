//! Two processes with a memif between them: this program runs itself again as the other one.

use dpdk::{Device, Eal, EalConfig, Error, ExternalMemory, Mbuf, PortConfig, StartedPort};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ROLE: &str = "DPDK_TEST_MEMIF_SERVER";
const MTU: u16 = 9000;
const DEADLINE: Duration = Duration::from_secs(20);

fn port(role: &str, id: u32) -> StartedPort {
    let eal = Eal::init(&EalConfig::default()).unwrap();
    let text = format!("net_memif0,role={role},socket=memif-test-{id},socket-abstract=yes");
    let device = Device::attach(eal, &text).unwrap();
    let config = PortConfig { mtu: MTU, ..PortConfig::default() };
    device.start(eal, &config).unwrap()
}

fn receive(port: &mut StartedPort) -> Mbuf {
    let start = Instant::now();
    let mut got = Vec::new();
    while port.rx.burst(&mut got, 1) == 0 {
        assert!(start.elapsed() < DEADLINE, "nothing arrives");
        std::thread::yield_now();
    }
    got.remove(0)
}

fn send(port: &mut StartedPort, mbuf: Mbuf) {
    let start = Instant::now();
    let mut out = vec![mbuf];
    while port.tx.burst(&mut out) == 0 {
        assert!(start.elapsed() < DEADLINE, "nothing leaves");
        std::thread::yield_now();
    }
}

/// The other process: sends back what it receives, until the frame that says stop.
fn echo(id: u32) {
    let mut port = port("server", id);
    println!("ready");
    std::io::stdout().flush().unwrap();
    loop {
        let mbuf = receive(&mut port);
        assert_eq!(mbuf.segments(), 1, "a frame comes in one piece");
        let stop = mbuf.data() == b"stop, if you please";
        send(&mut port, mbuf);
        if stop {
            // Leave the peer time to take it before the device goes away.
            std::thread::sleep(Duration::from_millis(100));
            return;
        }
    }
}

#[test]
fn frames_of_all_sizes_cross_a_memif() {
    if let Ok(id) = std::env::var(ROLE) {
        echo(id.parse().unwrap());
        return;
    }
    let id = std::process::id();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "frames_of_all_sizes_cross_a_memif", "--nocapture"])
        .env(ROLE, id.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while !lines.next().expect("the peer starts").unwrap().contains("ready") {}

    let mut port = port("client", id);
    let mut out = Vec::new();
    for size in [60, 1514, 2048, 4096, 9014, 9018] {
        let mut mbuf = port.pool.alloc().unwrap();
        let pattern: Vec<u8> = (0..size).map(|i| (i * 7 + size) as u8).collect();
        mbuf.resize(size).unwrap().copy_from_slice(&pattern);
        send(&mut port, mbuf);
        assert_eq!(receive(&mut port).data(), pattern, "{size} bytes");
    }
    assert!(port.rx.link_up());

    // Headers in the mbuf, data where it lies.
    let data: Vec<u8> = (0..8000u32).map(|i| (i % 251) as u8).collect();
    let mut memory = ExternalMemory::new();
    for _ in 0..3 {
        let mut head = port.pool.alloc().unwrap();
        head.resize(14).unwrap().fill(9);
        // SAFETY: memif copies during the burst; the data lives through it.
        let body = unsafe { memory.attach(port.pool.alloc().unwrap(), data.as_ptr(), data.len()) }.unwrap();
        head.chain(body).unwrap();
        send(&mut port, head);
        let back = receive(&mut port);
        assert_eq!(&back.data()[14..], data);
        drop(back);
        assert!(memory.is_free(), "memif copies at once");
    }

    let mut stop = port.pool.alloc().unwrap();
    let text = b"stop, if you please";
    stop.resize(text.len()).unwrap().copy_from_slice(text);
    out.push(stop);
    port.tx.burst(&mut out);
    receive(&mut port);
    assert!(child.wait().unwrap().success());
}

#[test]
fn client_without_server_does_not_start() {
    if std::env::var(ROLE).is_ok() {
        return;
    }
    let eal = Eal::init(&EalConfig::default()).unwrap();
    let device = Device::attach(eal, "net_memif7,role=client,socket=memif-test-nobody,socket-abstract=yes");
    let error = device.unwrap().start(eal, &PortConfig::default()).unwrap_err();
    assert!(matches!(error, Error::Start { step: "start", .. }), "{error}");
}
