//! The ports that this process has open. A port is opened by the first domain on it, shared by all, and closed by the last.

#![forbid(unsafe_code)]

use super::alarm::Alarm;
use super::io::{Policy, PortIo};
use super::keeper::Keeper;
use super::link::Link;
use super::udp_ports::UdpPorts;
use super::{Waiter, device};
use crate::config::Mac;
use crate::endpoint::Core;
use crate::kernel::host;
use crate::lane::ethdev::EthdevLane;
use crate::lane::pcap::PcapFile;
use crate::lane::{FaultInjector, Lane, PcapWriter};
use crate::neighbour::{self, Neighbours};
use crate::settings::Settings;
use crate::spec::PortSpec;
use dpdk::{Clock, Eal, Mbuf};
use kit::lock::{Guard, ThreadLock};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use wire::frame::Host;

/// A port's round and endpoints, over mbufs.
pub type Io = PortIo<Mbuf, Core>;

/// An open port.
pub struct Port {
    pub spec: PortSpec,
    /// It outlives its domains, see [`KEPT_DRIVERS`].
    stays_open: bool,
    pub eal: &'static Eal,
    pub clock: Clock,
    /// Calls the keeper.
    pub alarm: Alarm,
    /// Names this host where the port is memory that it shares with another process; 0 elsewhere.
    pub memory_host: u64,
    /// Held for microseconds at a time, by threads that would spin anyway: taking it costs one atomic instruction.
    io: ThreadLock<Io>,
}

impl Port {
    /// The port's one lock. A round that panicked leaves counts and queues that are still good enough.
    #[inline]
    pub fn lock(&self) -> Guard<'_, Io> {
        self.io.lock()
    }

    /// The lock, unless somebody has it.
    pub fn try_lock(&self) -> Option<Guard<'_, Io>> {
        self.io.try_lock()
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        let counters = self.lock().link.counters;
        log::debug!(target: "domain", "port '{}' closed: {counters}", self.spec.name());
    }
}

/// Drivers that leave something of a closed device behind (DPDK 22.11: memif its listening socket, AF_XDP its socket and
/// maps), so that the same process cannot open it again. Their ports stay open until the process ends, and the next domain
/// finds them so.
const KEPT_DRIVERS: [&str; 2] = ["net_memif", "net_af_xdp"];

/// Drivers whose link is memory that two processes share. A process there may be a switch that leads to other hosts, so that
/// the peer's host is asked for too.
const MEMORY_DRIVERS: [&str; 3] = ["net_memif", "net_vhost", "net_virtio_user"];

/// How long a port stays open after its last user, for its peers to take what is in the rings: longer than a keeper's tick.
const PARTING: Duration = Duration::from_millis(25);

struct Open {
    port: Arc<Port>,
    users: usize,
    keeper: Keeper,
}

static OPEN: Mutex<Option<HashMap<String, Open>>> = Mutex::new(None);

/// A share in an open port.
pub struct PortRef {
    port: Arc<Port>,
}

impl std::ops::Deref for PortRef {
    type Target = Port;
    #[inline]
    fn deref(&self) -> &Port {
        &self.port
    }
}

impl Clone for PortRef {
    fn clone(&self) -> Self {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = open.as_mut().and_then(|o| o.get_mut(self.port.spec.name())) {
            entry.users += 1;
        }
        PortRef { port: self.port.clone() }
    }
}

impl Drop for PortRef {
    fn drop(&mut self) {
        // Under the lock to the end, so that who opens the port anew finds the device closed.
        let mut guard = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = guard.as_mut() else { return };
        let name = self.port.spec.name().to_owned();
        let Some(entry) = open.get_mut(&name) else { return };
        entry.users -= 1;
        if entry.users == 0
            && !entry.port.stays_open
            && let Some(Open { port, keeper, .. }) = open.remove(&name)
        {
            // What was sent last (a goodbye, an acknowledgement) may still lie in a ring that goes away with the device.
            std::thread::sleep(PARTING);
            keeper.stop();
            // The last but one reference; the last one is our own, and its memory holds no device any more.
            port.lock().close();
        }
    }
}

/// Opens a port, or gives a share in it where it is open. Errors as for [`device::start`], each logged with its remedy.
pub fn open(spec: &PortSpec, settings: &Settings) -> Result<PortRef, kit::Error> {
    let mut guard = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let open = guard.get_or_insert_default();
    if let Some(entry) = open.get_mut(spec.name()) {
        entry.users += 1;
        return Ok(PortRef { port: entry.port.clone() });
    }
    let port = Arc::new(bring_up(spec, settings)?);
    let keeper = Keeper::start(port.clone())?;
    open.insert(spec.name().to_owned(), Open { port: port.clone(), users: 1, keeper });
    Ok(PortRef { port })
}

fn bring_up(spec: &PortSpec, settings: &Settings) -> Result<Port, kit::Error> {
    let eal = device::eal(settings)?;
    let started = device::start(eal, spec, settings)?;
    let mac = spec.mac.map_or(started.mac, |m| m.0);
    let host = Host { mac, ip: spec.address.ip, vlan: spec.vlan };
    log::info!(
        target: "domain",
        "port '{}': driver {}, address {}, MAC {}, MTU {}, checksums {}",
        spec.name(),
        started.info.driver,
        spec.address,
        Mac(mac),
        spec.mtu,
        if started.tx_checksums { "by the device" } else { "in software" },
    );
    let offload = started.tx_checksums;
    let stays_open = KEPT_DRIVERS.contains(&started.info.driver.as_str());
    // Frames of these devices may come straight from a kernel's stack.
    let near_a_kernel = matches!(started.info.driver.as_str(), "net_af_packet" | "net_af_xdp" | "net_tap");
    // Faults may turn bits, which only a checksum finds.
    let in_memory = MEMORY_DRIVERS.contains(&started.info.driver.as_str())
        && settings.faults.is_none()
        && !settings.memory_checksum;
    let memory_host = if in_memory { host::id() } else { 0 };
    let mut lane: Box<dyn Lane<Mbuf>> = Box::new(EthdevLane::new(started));
    if let Some(path) = &settings.capture {
        match PcapFile::create(path) {
            Ok(file) => lane = Box::new(PcapWriter::new(lane, file)),
            Err(e) => log::warn!(
                target: "domain",
                "FI_DPDK_PCAP: {} cannot be created: {e}; nothing is captured",
                path.display()
            ),
        }
    }
    if let Some(faults) = settings.faults {
        log::warn!(target: "domain", "port '{}': faults are injected ({faults:?})", spec.name());
        lane = Box::new(FaultInjector::new(lane, faults));
    }
    let timeout = settings.arp_timeout.as_nanos() as u64;
    let config = neighbour::Config::with_timeout(timeout);
    let mut neighbours: Neighbours<Waiter> = Neighbours::new(config, spec.address, spec.gateway);
    for (ip, mac) in &spec.neighbours {
        neighbours.add_static(*ip, *mac);
    }
    let seed = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |d| d.as_nanos() as u64)
        .wrapping_add(u64::from(std::process::id()) << 20);
    let udp_ports = UdpPorts::new(spec.address.ip, spec.kernel.map(|k| k.index), seed >> 10);
    let policy = Policy { kernel_answers: spec.kernel_answers(), partial_checksums: near_a_kernel };
    let link = Link::new(lane, host, neighbours, offload, spec.max_udp_payload());
    Ok(Port {
        spec: spec.clone(),
        stays_open,
        eal,
        clock: Clock::start(eal),
        alarm: Alarm::default(),
        memory_host,
        io: ThreadLock::new(PortIo::new(link, udp_ports, policy), false),
    })
}
