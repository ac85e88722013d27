//! Packets whose data lies in the application's memory. Whether a driver may be given such packets is a matter of the
//! driver: it is decided here, in one place, from what has been measured.

use crate::Mbuf;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

/// What a device does with external memory on transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum External {
    /// It must not be given any.
    Never,
    /// The driver copies the data during the transmit call: any memory is right, and free again at once.
    Copied,
    /// The device reads it later, by DMA or from another process: the memory must be registered.
    Registered,
}

/// What is known about a driver (its name as DPDK gives it, and the device's arguments).
pub fn external_support(driver: &str, device: &str) -> External {
    let zero_copy = device.split(',').any(|arg| matches!(arg, "zero-copy=yes" | "zero-copy=y"));
    match driver {
        // With zero-copy the peer is given offsets into memory that it does not have: it crashes.
        "net_memif" if zero_copy => External::Never,
        "net_memif" | "net_af_packet" => External::Copied,
        // The vhost side copies into the guest's buffers.
        "net_vhost" => External::Copied,
        // The peer does not know the memory: nothing arrives.
        "net_virtio_user" => External::Never,
        // Other virtual devices have not been tried with it.
        name if name.starts_with("net_") && !PCI_DRIVERS.iter().any(|p| name.starts_with(p)) => {
            External::Never
        }
        _ => External::Registered,
    }
}

/// Beginnings of names of drivers for hardware.
const PCI_DRIVERS: [&str; 24] = [
    "net_e1000",
    "net_ixgbe",
    "net_i40e",
    "net_ice",
    "net_iavf",
    "net_igc",
    "net_mlx4",
    "net_bnxt",
    "net_bnx2x",
    "net_ena",
    "net_enic",
    "net_ionic",
    "net_qede",
    "net_cxgbe",
    "net_sfc",
    "net_hns3",
    "net_fm10k",
    "net_nfp",
    "net_atlantic",
    "net_txgbe",
    "net_ngbe",
    "net_thunderx",
    "net_octeontx",
    "net_liquidio",
];

/// A range of memory that packets may refer to. It may be dropped at any time: packets keep the bookkeeping alive, and
/// the user keeps the data alive, as promised at [`ExternalMemory::attach`].
#[derive(Debug)]
pub struct ExternalMemory {
    shared: Box<Shared>,
}

/// Bookkeeping that packets share, in the layout that the shim writes.
#[repr(C, align(16))]
#[derive(Debug)]
struct Shared {
    info: [u8; dpdk_sys::SHIM_SHARED_INFO_SIZE as usize],
    busy: AtomicU32,
}

unsafe extern "C" fn released(opaque: *mut c_void) {
    // SAFETY: `opaque` is the Shared of `attach`, which lives while `busy` is not zero.
    unsafe { (*opaque.cast::<Shared>()).busy.store(0, Ordering::Release) };
}

impl Default for ExternalMemory {
    fn default() -> Self {
        Self::new()
    }
}

impl ExternalMemory {
    /// Bookkeeping for one packet at a time; to be used again when [`ExternalMemory::is_free`].
    pub fn new() -> Self {
        ExternalMemory {
            shared: Box::new(Shared {
                info: [0; dpdk_sys::SHIM_SHARED_INFO_SIZE as usize],
                busy: AtomicU32::new(0),
            }),
        }
    }

    /// True when no packet refers to the memory any more. Drivers free late, when a ring slot is used again: this says
    /// when the bookkeeping may be used again, never that something was sent.
    pub fn is_free(&self) -> bool {
        self.shared.busy.load(Ordering::Acquire) == 0
    }

    /// Makes the empty `mbuf` refer to `len` bytes at `data`. Gives the mbuf back where a packet still uses this
    /// bookkeeping, or `len` exceeds 65535.
    ///
    /// # Safety
    /// `data[..len]` stays readable, and for devices with DMA registered, until the packet has been sent and freed.
    pub unsafe fn attach(&mut self, mbuf: Mbuf, data: *const u8, len: usize) -> Result<Mbuf, Mbuf> {
        let Ok(len16) = u16::try_from(len) else { return Err(mbuf) };
        if self.shared.busy.swap(1, Ordering::Acquire) != 0 {
            return Err(mbuf);
        }
        let shared: *mut Shared = &mut *self.shared;
        let raw = mbuf.into_raw();
        // SAFETY: the mbuf is ours and the data is the caller's promise; the bookkeeping lives until `released`, since
        // Drop gives it up while busy.
        unsafe {
            let iova = dpdk_sys::shim_virt2iova(data.cast());
            dpdk_sys::shim_mbuf_attach(
                raw,
                data.cast_mut().cast(),
                iova,
                len16,
                (*shared).info.as_mut_ptr().cast(),
                Some(released),
                shared.cast(),
            );
            (*raw).data_len = len16;
            (*raw).pkt_len = u32::from(len16);
            Mbuf::from_raw(raw).ok_or_else(|| unreachable!("a valid pointer"))
        }
    }
}

impl Drop for ExternalMemory {
    fn drop(&mut self) {
        if !self.is_free() {
            // A packet in some ring still refers to it: given up rather than freed under its feet.
            let kept = Box::new(Shared { info: [0; 64], busy: AtomicU32::new(0) });
            std::mem::forget(std::mem::replace(&mut self.shared, kept));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drivers_that_lose_or_crash_on_external_memory_get_none() {
        assert_eq!(external_support("net_memif", "net_memif0,role=client"), External::Copied);
        assert_eq!(external_support("net_memif", "net_memif0,zero-copy=yes"), External::Never);
        assert_eq!(external_support("net_virtio_user", "virtio_user0"), External::Never);
        assert_eq!(external_support("net_tap", "net_tap0"), External::Never);
        assert_eq!(external_support("net_e1000_em", "0000:00:03.0"), External::Registered);
        assert_eq!(external_support("mlx5_pci", "0000:03:00.0"), External::Registered);
    }
}
