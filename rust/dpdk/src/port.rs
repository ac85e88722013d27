//! A device brought up with one receive and one transmit queue.

use crate::device::DeviceInfo;
use crate::manners::{NoSigpipe, RestartSignals};
use crate::{Device, Eal, Error, Mbuf, Mempool};
use dpdk_sys as sys;
use std::sync::Arc;

/// Bytes around the IP packet that count as the frame for drivers: Ethernet header and FCS.
const FRAME_OVERHEAD: u32 = 14 + 4;
/// Room for one VLAN tag on top.
const VLAN_TAG: usize = 4;
/// Frames larger than this are spread over several buffers by some drivers (e1000 and its like round buffers down to
/// powers of two).
const PLAIN_MTU: u16 = 1500;
/// `max_mtu` of drivers that do not know.
const UNKNOWN_MTU: u16 = u16::MAX;

/// How to bring a port up.
#[derive(Clone, Debug)]
pub struct PortConfig {
    /// Largest IP packet in bytes.
    pub mtu: u16,
    /// Ring sizes wished for; the driver's limits are kept.
    pub rx_descriptors: u16,
    pub tx_descriptors: u16,
    /// Mbufs beyond those that the rings can hold.
    pub spare_mbufs: u32,
    /// Least bytes of data that an mbuf must hold, where the driver wants more than a frame (af_packet: its `framesz`).
    pub least_room: usize,
    /// Use the device's checksum functions where it has them.
    pub checksum_offload: bool,
    /// Receive all multicast frames.
    pub all_multicast: bool,
    /// Receive all frames.
    pub promiscuous: bool,
    /// Link address to use instead of the device's.
    pub mac: Option<[u8; 6]>,
}

impl Default for PortConfig {
    fn default() -> Self {
        PortConfig {
            mtu: PLAIN_MTU,
            rx_descriptors: 1024,
            tx_descriptors: 512,
            spare_mbufs: 1024,
            least_room: 0,
            checksum_offload: true,
            all_multicast: false,
            promiscuous: false,
            mac: None,
        }
    }
}

/// A port that runs: its two queues and its facts.
#[derive(Debug)]
pub struct StartedPort {
    pub rx: RxQueue,
    pub tx: TxQueue,
    pub pool: Mempool,
    pub info: DeviceInfo,
    pub mac: [u8; 6],
    /// The device completes IPv4 header and UDP checksums of packets that ask for it.
    pub tx_checksums: bool,
}

/// Counts of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortStats {
    pub rx_packets: u64,
    pub tx_packets: u64,
    pub rx_bytes: u64,
    pub tx_bytes: u64,
    /// Frames for which the device had no room.
    pub rx_missed: u64,
    pub rx_errors: u64,
    pub tx_errors: u64,
    /// Frames for which the pool had no mbuf.
    pub rx_no_mbuf: u64,
}

/// Stops the port when its queues are gone. Fields drop in order: the device goes before the pool that its rings use.
#[derive(Debug)]
struct Running {
    device: Device,
    _pool: Mempool,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _quiet = NoSigpipe::new();
        // SAFETY: both queues are gone; the device closes the port next.
        unsafe { sys::rte_eth_dev_stop(self.device.port()) };
    }
}

impl Running {
    fn stats(&self) -> PortStats {
        let mut raw = sys::rte_eth_stats::default();
        // SAFETY: the port runs; the structure is writable.
        if unsafe { sys::rte_eth_stats_get(self.device.port(), &mut raw) } != 0 {
            return PortStats::default();
        }
        PortStats {
            rx_packets: raw.ipackets,
            tx_packets: raw.opackets,
            rx_bytes: raw.ibytes,
            tx_bytes: raw.obytes,
            rx_missed: raw.imissed,
            rx_errors: raw.ierrors,
            tx_errors: raw.oerrors,
            rx_no_mbuf: raw.rx_nombuf,
        }
    }

    fn link_up(&self) -> bool {
        let mut speed = 0;
        // SAFETY: the port runs.
        unsafe { sys::shim_link_up(self.device.port(), &mut speed) != 0 }
    }
}

/// The port's receive queue. One user at a time, as the signatures say.
#[derive(Debug)]
pub struct RxQueue {
    port: u16,
    running: Arc<Running>,
}

/// The port's transmit queue.
#[derive(Debug)]
pub struct TxQueue {
    port: u16,
    running: Arc<Running>,
}

impl RxQueue {
    /// Receives up to `most` packets, appended to `into`. Gives their number.
    #[inline]
    pub fn burst(&mut self, into: &mut Vec<Mbuf>, most: u16) -> usize {
        into.reserve(usize::from(most));
        // SAFETY: there is room for `most` entries; `Mbuf` is a transparent pointer, so the driver writes valid ones,
        // owned by nobody else. `&mut self` keeps other users of the queue away.
        unsafe {
            let got = sys::shim_rx_burst(self.port, 0, into.as_mut_ptr().add(into.len()).cast(), most);
            into.set_len(into.len() + usize::from(got));
            usize::from(got)
        }
    }

    /// Counts of the device.
    pub fn stats(&self) -> PortStats {
        self.running.stats()
    }

    /// True when the link is up, or the peer of a virtual device is connected.
    pub fn link_up(&self) -> bool {
        self.running.link_up()
    }
}

impl TxQueue {
    /// Sends packets in order; those the device took are gone from `mbufs`. Gives their number.
    #[inline]
    pub fn burst(&mut self, mbufs: &mut Vec<Mbuf>) -> usize {
        let count = mbufs.len().min(usize::from(u16::MAX));
        if count == 0 {
            return 0;
        }
        // SAFETY: an array of `count` owned mbufs; the driver owns the first `sent` afterwards, the rest moves to the
        // front. The length is zero meanwhile, so nothing is freed twice.
        unsafe {
            let length = mbufs.len();
            mbufs.set_len(0);
            let first = mbufs.as_mut_ptr();
            let sent = usize::from(sys::shim_tx_burst(self.port, 0, first.cast(), count as u16));
            if sent < length {
                std::ptr::copy(first.add(sent), first, length - sent);
            }
            mbufs.set_len(length - sent);
            sent
        }
    }

    /// Counts of the device.
    pub fn stats(&self) -> PortStats {
        self.running.stats()
    }
}

impl Device {
    /// Configures and starts the port. Errors: [`Error::Mtu`], [`Error::Pool`], [`Error::Start`] naming the step.
    pub fn start(self, eal: &Eal, config: &PortConfig) -> Result<StartedPort, Error> {
        // Dropped last: the other one puts the signal mask back.
        let _announcements = RestartSignals::new();
        let _quiet = NoSigpipe::new();
        let info = self.info()?;
        let port = self.port();
        let text = self.text().to_owned();
        let step = |step: &'static str, ret: i32| match ret {
            0 => Ok(()),
            e => Err(Error::Start { device: text.clone(), step, errno: e.abs() }),
        };
        if info.max_mtu != UNKNOWN_MTU && config.mtu > info.max_mtu {
            return Err(Error::Mtu { device: text, mtu: config.mtu, limit: info.max_mtu });
        }
        let (rx_offloads, tx_offloads, tx_checksums) = offloads(&info, config);
        let frame = (usize::from(config.mtu) + FRAME_OVERHEAD as usize + VLAN_TAG).max(config.least_room);

        let (mut rx_count, mut tx_count) = (config.rx_descriptors, config.tx_descriptors);
        // SAFETY (all below): the port is attached and ours; arguments are numbers or writable locals.
        unsafe {
            let mtu = mtu_to_ask_for(&info, config.mtu);
            step("configure", sys::shim_eth_configure(port, 1, 1, mtu, rx_offloads, tx_offloads))?;
            step("ring sizes", sys::rte_eth_dev_adjust_nb_rx_tx_desc(port, &mut rx_count, &mut tx_count))?;
        }
        let mbufs = u32::from(rx_count) + u32::from(tx_count) + config.spare_mbufs;
        let pool = Mempool::new(eal, mbufs, frame, info.numa)?;
        let node = u32::try_from(info.numa).unwrap_or(u32::MAX);
        // SAFETY: as above; the pool outlives the queues (see `Running`).
        unsafe {
            let pool = pool.as_ptr();
            step(
                "receive queue",
                sys::rte_eth_rx_queue_setup(port, 0, rx_count, node, std::ptr::null(), pool),
            )?;
            step("transmit queue", sys::rte_eth_tx_queue_setup(port, 0, tx_count, node, std::ptr::null()))?;
            if let Some(mac) = config.mac {
                let mut mac = sys::rte_ether_addr { addr_bytes: mac };
                step("link address", sys::rte_eth_dev_default_mac_addr_set(port, &mut mac))?;
            }
            if needs_set_mtu(&info) {
                step("MTU", sys::rte_eth_dev_set_mtu(port, config.mtu))?;
            }
            step("start", sys::rte_eth_dev_start(port))?;
        }
        let running = Arc::new(Running { device: self, _pool: pool.clone() });
        let mut mac = sys::rte_ether_addr::default();
        // SAFETY: as above. Filters are wishes: drivers without them receive everything anyway.
        unsafe {
            if config.all_multicast {
                sys::rte_eth_allmulticast_enable(port);
            }
            if config.promiscuous {
                sys::rte_eth_promiscuous_enable(port);
            }
            step("link address", sys::rte_eth_macaddr_get(port, &mut mac))?;
        }
        Ok(StartedPort {
            rx: RxQueue { port, running: running.clone() },
            tx: TxQueue { port, running },
            pool,
            info,
            mac: mac.addr_bytes,
            tx_checksums,
        })
    }
}

/// Receive and transmit offloads to switch on, and whether the device then completes all checksums.
fn offloads(info: &DeviceInfo, config: &PortConfig) -> (u64, u64, bool) {
    let (mut rx, mut tx, mut checksums) = (0, 0, false);
    if config.checksum_offload {
        if info.rx_ip_checksum {
            rx |= sys::SHIM_RX_IPV4_CKSUM;
        }
        if info.rx_udp_checksum {
            rx |= sys::SHIM_RX_UDP_CKSUM;
        }
        if info.tx_ip_checksum && info.tx_udp_checksum {
            tx |= sys::SHIM_TX_IPV4_CKSUM | sys::SHIM_TX_UDP_CKSUM;
            checksums = true;
        }
    }
    if info.rx_scatter && config.mtu > PLAIN_MTU {
        rx |= sys::SHIM_RX_SCATTER;
    }
    if info.tx_multi_segment {
        tx |= sys::SHIM_TX_MULTI_SEGS;
    }
    (rx, tx, checksums)
}

/// The MTU to configure. memif and af_packet claim any MTU and frames of 1518 bytes at once, and ethdev then refuses
/// more; what they carry is decided by their buffers, so that they are asked for what they claim.
fn mtu_to_ask_for(info: &DeviceInfo, mtu: u16) -> u32 {
    let mtu = u32::from(mtu);
    match info.max_mtu {
        UNKNOWN_MTU if info.max_rx_frame > FRAME_OVERHEAD => mtu.min(info.max_rx_frame - FRAME_OVERHEAD),
        _ => mtu,
    }
}

/// A tap device is also an interface of the kernel, which has an MTU of its own.
fn needs_set_mtu(info: &DeviceInfo) -> bool {
    info.driver == "net_tap"
}
