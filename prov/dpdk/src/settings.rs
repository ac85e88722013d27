//! The provider's environment variables, read once, and their help texts for `fi_info -e`.

#![forbid(unsafe_code)]

use crate::config::{self, PortConfig};
use crate::lane::FaultConfig;
use kit::param;
use semantics::LONGEST_EAGER;
use std::ffi::CStr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// The provider's name.
pub const NAME: &CStr = c"dpdk";

/// Everything that can be set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The configured ports, or what is wrong with their list.
    pub ports: Result<Vec<PortConfig>, String>,
    pub eal_args: Vec<String>,
    /// How long a next hop may leave the question for its link address unanswered.
    pub arp_timeout: Duration,
    /// How long a peer may be silent while it is waited for.
    pub peer_timeout: Duration,
    /// How long closing an endpoint waits for what was sent.
    pub linger: Duration,
    /// How long opening a port waits for the peer of a virtual device.
    pub link_timeout: Duration,
    pub rx_ring: u16,
    pub tx_ring: u16,
    pub spare_mbufs: u32,
    pub checksum_offload: bool,
    /// Checksums also where packets do not leave the host's memory.
    pub memory_checksum: bool,
    /// Longest message that goes without asking the receiver first.
    pub eager_size: usize,
    /// Bytes of messages kept for receives that are not posted yet, per endpoint.
    pub unexpected_size: usize,
    pub faults: Option<FaultConfig>,
    pub capture: Option<PathBuf>,
}

impl Settings {
    /// The settings of this process; the first call declares and reads the variables.
    pub fn get() -> &'static Settings {
        static SETTINGS: OnceLock<Settings> = OnceLock::new();
        SETTINGS.get_or_init(read)
    }
}

fn read() -> Settings {
    let ports = param::string(
        NAME,
        "ports",
        "Ports to use, separated by ';': DEVICE[=IP/prefix[,gw=IP][,vlan=ID][,mtu=BYTES][,mac=MAC][,neigh=IP@MAC]\
         [,drv=af_packet|af_xdp]]. DEVICE is a PCI address, a kernel interface (its address is read from the kernel when \
         none is given) or a DPDK vdev such as net_memif0,role=client (default: none)",
    );
    let file = param::string(
        NAME,
        "config",
        "File with a list of ports as in FI_DPDK_PORTS, one a line, # for comments; used when FI_DPDK_PORTS is not set \
         (default: none)",
    );
    let eal_args = param::string(
        NAME,
        "eal_args",
        "Further arguments for DPDK's EAL, separated by blanks; they win over the provider's own (default: none)",
    );
    let faults = param::string(
        NAME,
        "faults",
        "For testing: faults on sent frames, loss=P,dup=P,reorder=P,corrupt=P,seed=N with probabilities P from 0 to 1 \
         (default: none)",
    );
    let capture = param::string(
        NAME,
        "pcap",
        "For testing: file into which all frames of the port are written in pcap format (default: none)",
    );
    Settings {
        ports: read_ports(ports, file),
        eal_args: eal_args.map(|a| a.split_whitespace().map(str::to_owned).collect()).unwrap_or_default(),
        arp_timeout: milliseconds(
            "arp_timeout",
            "Milliseconds after which a send to an address whose ARP or neighbour requests nobody answers fails with \
             FI_EHOSTUNREACH",
            3000,
        ),
        peer_timeout: milliseconds(
            "peer_timeout",
            "Milliseconds of silence after which a peer that is waited for counts as dead; operations with it fail with \
             FI_ETIMEDOUT",
            5000,
        ),
        linger: milliseconds(
            "linger",
            "Milliseconds that closing an endpoint waits at most until what was sent has arrived",
            2000,
        ),
        link_timeout: milliseconds(
            "link_timeout",
            "Milliseconds that opening a domain waits at most for the other side of a virtual device (memif client)",
            10_000,
        ),
        rx_ring: size("rx_ring", "Descriptors of the device's receive ring", 1024) as u16,
        tx_ring: size("tx_ring", "Descriptors of the device's transmit ring", 512) as u16,
        spare_mbufs: size("mbufs", "Packet buffers beyond those that the rings hold", 1024) as u32,
        checksum_offload: param::bool(
            NAME,
            "checksum_offload",
            "Use the device's checksum functions where it has them (default: yes)",
            true,
        ),
        memory_checksum: param::bool(
            NAME,
            "memory_checksum",
            "Compute UDP checksums also between processes of one host that share memory (memif), where IPv4 packets have \
             none otherwise (default: no)",
            false,
        ),
        eager_size: bounded(
            "eager_size",
            "Longest message in bytes that is sent without asking the receiver first, at most 65536",
            LONGEST_EAGER,
            0..=LONGEST_EAGER,
        ),
        unexpected_size: bounded(
            "unexpected_size",
            "Bytes of messages that an endpoint keeps for receives that are not posted yet, at least 262144; past it \
             senders wait",
            16 << 20,
            LEAST_UNEXPECTED..=usize::MAX,
        ),
        faults: faults.filter(|f| !f.trim().is_empty()).and_then(|f| {
            FaultConfig::parse(&f).inspect_err(|e| log::warn!("{e}; no faults are injected")).ok()
        }),
        capture: capture.filter(|c| !c.is_empty()).map(PathBuf::from),
    }
}

fn read_ports(list: Option<String>, file: Option<String>) -> Result<Vec<PortConfig>, String> {
    if let Some(list) = list.filter(|l| !l.trim().is_empty()) {
        return config::parse_list(&list).map_err(|e| format!("FI_DPDK_PORTS: {e}"));
    }
    let Some(path) = file.filter(|f| !f.is_empty()) else { return Ok(Vec::new()) };
    let text = std::fs::read_to_string(&path).map_err(|e| {
        format!("FI_DPDK_CONFIG: {path} cannot be read: {e}; correct the path or its permissions")
    })?;
    config::parse_file(&text).map_err(|e| format!("FI_DPDK_CONFIG, {path}: {e}"))
}

fn milliseconds(name: &str, help: &str, default: i32) -> Duration {
    let value = param::int(NAME, name, &format!("{help} (default: {default})"), default);
    Duration::from_millis(u64::try_from(value).unwrap_or(default as u64))
}

/// Room for what peers may send unasked: the longest message, one before its turn, and what they take beside their bytes.
const LEAST_UNEXPECTED: usize = 4 * LONGEST_EAGER;

/// A size that is brought within its bounds, and the log says so.
fn bounded(name: &str, help: &str, default: usize, bounds: RangeInclusive<usize>) -> usize {
    let asked = size(name, help, default);
    let value = asked.clamp(*bounds.start(), *bounds.end());
    if value != asked {
        log::warn!("FI_DPDK_{}={asked} is out of bounds; {value} is used", name.to_uppercase());
    }
    value
}

fn size(name: &str, help: &str, default: usize) -> usize {
    param::size(NAME, name, &format!("{help} (default: {default})"), default)
}
