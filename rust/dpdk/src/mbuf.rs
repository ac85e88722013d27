//! One packet buffer.

use dpdk_sys::{rte_mbuf, shim_mbuf_free, shim_mbuf_free_bulk};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

/// A packet: one mbuf, or a chain of them, with one owner. Freed on drop.
#[repr(transparent)]
pub struct Mbuf(NonNull<rte_mbuf>);

// SAFETY: an mbuf belongs to its owner, whichever thread that is; pools take them back from any thread.
unsafe impl Send for Mbuf {}

impl Mbuf {
    /// # Safety
    /// NULL, or an mbuf that nobody else owns.
    #[inline]
    pub(crate) unsafe fn from_raw(raw: *mut rte_mbuf) -> Option<Mbuf> {
        NonNull::new(raw).map(Mbuf)
    }

    #[inline]
    fn raw(&self) -> &rte_mbuf {
        // SAFETY: owned, so valid.
        unsafe { self.0.as_ref() }
    }

    #[inline]
    fn raw_mut(&mut self) -> &mut rte_mbuf {
        // SAFETY: owned, and nobody else refers to it.
        unsafe { self.0.as_mut() }
    }

    /// Data of the first segment.
    #[inline]
    pub fn data(&self) -> &[u8] {
        let m = self.raw();
        // SAFETY: DPDK keeps data_off + data_len within buf_len.
        unsafe {
            std::slice::from_raw_parts(
                m.buf_addr.cast::<u8>().add(usize::from(m.data_off)),
                usize::from(m.data_len),
            )
        }
    }

    /// Data of the first segment, writable. Empty when its memory is not the mbuf's own.
    #[inline]
    pub fn data_mut(&mut self) -> &mut [u8] {
        let m = self.raw_mut();
        if m.ol_flags & dpdk_sys::RTE_MBUF_F_EXTERNAL != 0 {
            return &mut [];
        }
        // SAFETY: DPDK keeps data_off + data_len within buf_len; the mbuf owns the memory.
        unsafe {
            std::slice::from_raw_parts_mut(
                m.buf_addr.cast::<u8>().add(usize::from(m.data_off)),
                usize::from(m.data_len),
            )
        }
    }

    /// Makes the data of a single-segment mbuf `len` bytes long, keeping what is there; new bytes are undefined (old
    /// contents of the buffer). `None` when they do not fit.
    #[inline]
    pub fn resize(&mut self, len: usize) -> Option<&mut [u8]> {
        let m = self.raw_mut();
        if m.nb_segs != 1 || len > usize::from(m.buf_len.saturating_sub(m.data_off)) {
            return None;
        }
        m.data_len = len as u16;
        m.pkt_len = len as u32;
        Some(self.data_mut())
    }

    /// Bytes of the whole chain.
    #[inline]
    pub fn packet_len(&self) -> usize {
        self.raw().pkt_len as usize
    }

    /// Segments of the chain.
    #[inline]
    pub fn segments(&self) -> usize {
        usize::from(self.raw().nb_segs)
    }

    /// Copies a chain into its first segment. False, and nothing changed, where that has no room.
    pub fn linearize(&mut self) -> bool {
        // SAFETY: owned and valid.
        unsafe { dpdk_sys::shim_mbuf_linearize(self.0.as_ptr()) == 0 }
    }

    /// Appends another packet's segments. Gives it back when the chain would be too long.
    pub fn chain(&mut self, tail: Mbuf) -> Result<(), Mbuf> {
        // SAFETY: both owned and valid; on success the head owns the tail.
        match unsafe { dpdk_sys::shim_mbuf_chain(self.0.as_ptr(), tail.0.as_ptr()) } {
            0 => {
                std::mem::forget(tail);
                Ok(())
            }
            _ => Err(tail),
        }
    }

    /// Asks the device to compute the UDP and, for IPv4, the header checksum on transmission. Lengths in bytes of the
    /// link header (at most 127) and the IP header (at most 511). The UDP field must hold the pseudo-header's sum.
    #[inline]
    pub fn request_checksums(&mut self, link: usize, ip: usize, ipv4: bool) {
        let m = self.raw_mut();
        m.__bindgen_anon_3.tx_offload = (link as u64 & 0x7f) | ((ip as u64 & 0x1ff) << 7);
        m.ol_flags |= dpdk_sys::RTE_MBUF_F_TX_UDP_CKSUM
            | match ipv4 {
                true => dpdk_sys::RTE_MBUF_F_TX_IPV4 | dpdk_sys::RTE_MBUF_F_TX_IP_CKSUM,
                false => dpdk_sys::RTE_MBUF_F_TX_IPV6,
            };
    }

    /// True when the device found the IP header's checksum right.
    #[inline]
    pub fn ip_checksum_good(&self) -> bool {
        let mask = u64::from(dpdk_sys::RTE_MBUF_F_RX_IP_CKSUM_MASK);
        self.raw().ol_flags & mask == u64::from(dpdk_sys::RTE_MBUF_F_RX_IP_CKSUM_GOOD)
    }

    /// True when the device found the UDP checksum right, or vouches for it because the packet never left the host.
    #[inline]
    pub fn l4_checksum_good(&self) -> bool {
        let flags = self.raw().ol_flags & u64::from(dpdk_sys::RTE_MBUF_F_RX_L4_CKSUM_MASK);
        flags == u64::from(dpdk_sys::RTE_MBUF_F_RX_L4_CKSUM_GOOD)
            || flags == u64::from(dpdk_sys::RTE_MBUF_F_RX_L4_CKSUM_NONE)
    }

    /// The VLAN tag control word that the device took out of the packet.
    #[inline]
    pub fn stripped_vlan(&self) -> Option<u16> {
        let m = self.raw();
        (m.ol_flags & u64::from(dpdk_sys::RTE_MBUF_F_RX_VLAN_STRIPPED) != 0).then_some(m.vlan_tci)
    }

    /// Frees many at once.
    pub fn free_all(mbufs: &mut Vec<Mbuf>) {
        let count = mbufs.len();
        // SAFETY: `Mbuf` is a transparent pointer, so the vector is an array of them; after set_len(0) nobody owns the
        // entries but DPDK.
        unsafe {
            mbufs.set_len(0);
            shim_mbuf_free_bulk(mbufs.as_mut_ptr().cast(), count as u32);
        }
    }

    /// Gives up ownership.
    pub(crate) fn into_raw(self) -> *mut rte_mbuf {
        ManuallyDrop::new(self).0.as_ptr()
    }
}

impl Drop for Mbuf {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: owned; not used afterwards.
        unsafe { shim_mbuf_free(self.0.as_ptr()) }
    }
}

impl fmt::Debug for Mbuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Mbuf({} bytes in {} segments)", self.packet_len(), self.segments())
    }
}
