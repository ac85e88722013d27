//! Devices by their DPDK names, attached and detached while the program runs.

use crate::manners::{NoSigpipe, RestartSignals};
use crate::{Eal, Error};
use std::ffi::{CStr, CString};

/// An attached device with one Ethernet port. Detached on drop.
#[derive(Debug)]
pub struct Device {
    port: u16,
    text: String,
}

/// What a driver says about its port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// The driver's name, such as `net_memif`.
    pub driver: String,
    /// Largest and smallest MTU in bytes, as claimed.
    pub max_mtu: u16,
    pub min_mtu: u16,
    /// Largest frame on reception in bytes, as claimed.
    pub max_rx_frame: u32,
    /// Receive: IPv4 header and UDP checksums are verified.
    pub rx_ip_checksum: bool,
    pub rx_udp_checksum: bool,
    /// Receive: a frame may be spread over several mbufs.
    pub rx_scatter: bool,
    /// Transmit: IPv4 header and UDP checksums are computed.
    pub tx_ip_checksum: bool,
    pub tx_udp_checksum: bool,
    /// Transmit: a frame may consist of several mbufs.
    pub tx_multi_segment: bool,
    /// NUMA node, or -1.
    pub numa: i32,
}

impl Device {
    /// Attaches a device: a PCI address or a virtual device, with its arguments.
    /// Errors: [`Error::NotFound`], [`Error::Busy`], [`Error::BadArguments`], [`Error::TooManyPorts`],
    /// [`Error::Driver`].
    pub fn attach(_eal: &Eal, text: &str) -> Result<Device, Error> {
        let name = text.split(',').next().unwrap_or(text);
        let device = || text.to_owned();
        if port_by_name(name).is_some() {
            return Err(Error::Busy { device: device() });
        }
        let c_text = CString::new(text).map_err(|_| Error::Nul(device()))?;
        // Dropped last: the other one puts the signal mask back.
        let _announcements = RestartSignals::new();
        let _quiet = NoSigpipe::new();
        // SAFETY: EAL runs, the text is a C string that DPDK copies.
        let ret = unsafe { dpdk_sys::rte_dev_probe(c_text.as_ptr()) };
        if ret != 0 {
            return Err(attach_error(device(), ret));
        }
        let port = port_by_name(name).ok_or_else(|| Error::NotFound { device: device() })?;
        Ok(Device { port, text: device() })
    }

    /// The text it was attached by.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// What the driver says about the port.
    pub fn info(&self) -> Result<DeviceInfo, Error> {
        let (raw, numa) = self.raw_info()?;
        // SAFETY: drivers' names are static C strings.
        let driver = match raw.driver_name.is_null() {
            true => String::new(),
            false => unsafe { CStr::from_ptr(raw.driver_name) }.to_string_lossy().into_owned(),
        };
        let rx = |flag| raw.rx_offload_capa & flag != 0;
        let tx = |flag| raw.tx_offload_capa & flag != 0;
        Ok(DeviceInfo {
            driver,
            max_mtu: raw.max_mtu,
            min_mtu: raw.min_mtu,
            max_rx_frame: raw.max_rx_pktlen,
            rx_ip_checksum: rx(dpdk_sys::SHIM_RX_IPV4_CKSUM),
            rx_udp_checksum: rx(dpdk_sys::SHIM_RX_UDP_CKSUM),
            rx_scatter: rx(dpdk_sys::SHIM_RX_SCATTER),
            tx_ip_checksum: tx(dpdk_sys::SHIM_TX_IPV4_CKSUM),
            tx_udp_checksum: tx(dpdk_sys::SHIM_TX_UDP_CKSUM),
            tx_multi_segment: tx(dpdk_sys::SHIM_TX_MULTI_SEGS),
            numa,
        })
    }

    pub(crate) fn raw_info(&self) -> Result<(dpdk_sys::rte_eth_dev_info, i32), Error> {
        let mut raw = dpdk_sys::rte_eth_dev_info::default();
        // SAFETY: the port is attached; the structure is writable.
        let (ret, numa) = unsafe {
            (dpdk_sys::rte_eth_dev_info_get(self.port, &mut raw), dpdk_sys::rte_eth_dev_socket_id(self.port))
        };
        match ret {
            0 => Ok((raw, numa)),
            e => Err(Error::Driver { device: self.text.clone(), errno: -e }),
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let Ok((info, _)) = self.raw_info() else { return };
        let _quiet = NoSigpipe::new();
        // SAFETY: the port is ours, and its queues have ended (they keep the device). Closing before removing is what
        // DPDK asks for.
        unsafe {
            dpdk_sys::rte_eth_dev_close(self.port);
            let ret = dpdk_sys::rte_dev_remove(info.device);
            if ret != 0 {
                log::debug!(
                    "device '{}' is closed but stays attached: {}",
                    self.text,
                    crate::error::text(-ret)
                );
            }
        }
    }
}

fn port_by_name(name: &str) -> Option<u16> {
    let name = CString::new(name).ok()?;
    let mut port = 0;
    // SAFETY: EAL runs; the name is a C string, the result writable.
    (unsafe { dpdk_sys::rte_eth_dev_get_port_by_name(name.as_ptr(), &mut port) } == 0).then_some(port)
}

fn attach_error(device: String, ret: i32) -> Error {
    match ret.abs() {
        libc::EBUSY | libc::EADDRINUSE | libc::EEXIST => Error::Busy { device },
        // ENOTSUP: no driver takes it. EFAULT: no bus knows the name.
        libc::ENODEV | libc::ENOENT | libc::ENXIO | libc::ENOTSUP | libc::EFAULT => {
            Error::NotFound { device }
        }
        // Drivers give -1 where they do not understand their arguments.
        1 | libc::EINVAL => Error::BadArguments { device, errno: libc::EINVAL },
        libc::ENOSPC => Error::TooManyPorts { device },
        errno => Error::Driver { device, errno },
    }
}
