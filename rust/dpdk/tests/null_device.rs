//! EAL and the simplest device, in a process of their own: EAL starts once per process.

use dpdk::{Clock, Device, Eal, EalConfig, Error, Mbuf, Mempool, PortConfig, register_thread};

fn affinity() -> Vec<usize> {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    let line = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    line.split(',')
        .flat_map(|part| {
            let (a, b) = part.split_once('-').unwrap_or((part, part));
            a.parse().unwrap()..=b.parse().unwrap()
        })
        .collect()
}

#[test]
fn a_device_is_attached_started_used_and_detached() {
    let before = affinity();
    let eal = Eal::init(&EalConfig::default()).unwrap();
    assert_eq!(affinity(), before, "the caller's affinity is as before");
    assert!(std::ptr::eq(eal, Eal::init(&EalConfig { pci: true, ..EalConfig::default() }).unwrap()));

    assert_eq!(
        Device::attach(eal, "net_nonsense0").unwrap_err(),
        Error::NotFound { device: "net_nonsense0".into() }
    );
    let refused = Device::attach(eal, "net_null0,nonsense=1").unwrap_err();
    assert!(matches!(refused, Error::BadArguments { .. } | Error::Driver { .. }), "{refused}");

    let device = Device::attach(eal, "net_null0,size=200").unwrap();
    assert!(matches!(Device::attach(eal, "net_null0,size=100"), Err(Error::Busy { .. })));
    assert_eq!(device.info().unwrap().driver, "net_null");
    let mut port = device.start(eal, &PortConfig::default()).unwrap();

    let clock = Clock::start(eal);
    let first = clock.now();
    register_thread(eal);
    let mut received = Vec::new();
    assert_eq!(port.rx.burst(&mut received, 32), 32);
    assert!(received.iter().all(|m| m.data().len() == 200));
    assert_eq!(port.tx.burst(&mut received), 32);
    assert!(received.is_empty());
    assert!(clock.now() > first);

    // Packets may outlive the port: their pool stays as long.
    let mut kept = Vec::new();
    port.rx.burst(&mut kept, 4);
    let pool = port.pool.clone();
    drop(port);
    assert!(pool.in_use() >= 4);
    Mbuf::free_all(&mut kept);
    assert_eq!(pool.in_use(), 0);
    drop(pool);

    for _ in 0..40 {
        let device = Device::attach(eal, "net_null0").unwrap();
        drop(device.start(eal, &PortConfig::default()).unwrap());
    }

    // Threads come and go.
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                register_thread(eal);
                let pool = Mempool::new(eal, 255, 2000, -1).unwrap();
                let mut m = pool.alloc().unwrap();
                assert_eq!(m.resize(2000).unwrap().len(), 2000);
                assert!(m.resize(9000).is_none());
                let mut all: Vec<_> = std::iter::from_fn(|| pool.alloc()).collect();
                assert_eq!(all.len(), 254);
                Mbuf::free_all(&mut all);
            });
        }
    });
}
