//! Pools of mbufs.

use crate::{Eal, Error, HEADROOM, Mbuf};
use dpdk_sys::rte_mempool;
use std::ffi::CString;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Mbufs that a registered thread keeps at hand (at most RTE_MEMPOOL_CACHE_MAX_SIZE, 512).
const CACHE: u32 = 256;

/// A pool, shared by everything that allocates from it. It is freed after its last user, unless mbufs of it still live.
#[derive(Clone, Debug)]
pub struct Mempool(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    raw: NonNull<rte_mempool>,
    room: usize,
}

// SAFETY: mempools are made for concurrent use by all threads.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Mempool {
    /// A pool of `count` mbufs that hold frames of up to `frame` bytes in one piece, on a NUMA node (-1: any).
    pub fn new(_eal: &Eal, count: u32, frame: usize, numa: i32) -> Result<Mempool, Error> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("fi_pool_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let room = HEADROOM + frame.next_multiple_of(64);
        let bytes = count as usize * (room + size_of::<dpdk_sys::rte_mbuf>());
        let room16 = u16::try_from(room).map_err(|_| Error::Pool { bytes, errno: libc::EINVAL })?;
        let name = CString::new(name).map_err(|e| Error::Nul(e.to_string()))?;
        let cache = CACHE.min(count / 4);
        // SAFETY: EAL runs, the name is a C string that DPDK copies.
        let raw = unsafe { dpdk_sys::rte_pktmbuf_pool_create(name.as_ptr(), count, cache, 0, room16, numa) };
        let raw = NonNull::new(raw).ok_or_else(|| Error::Pool { bytes, errno: crate::error::rte_errno() })?;
        Ok(Mempool(Arc::new(Inner { raw, room: room - HEADROOM })))
    }

    /// Takes an mbuf, empty; `None` when all are in use.
    #[inline]
    pub fn alloc(&self) -> Option<Mbuf> {
        // SAFETY: the pool lives; the new mbuf has this owner only.
        unsafe { Mbuf::from_raw(dpdk_sys::shim_mbuf_alloc(self.0.raw.as_ptr())) }
    }

    /// Takes `count` mbufs, appended to `into`, or none when there are fewer. Gives their number.
    pub fn alloc_many(&self, into: &mut Vec<Mbuf>, count: usize) -> usize {
        into.reserve(count);
        // SAFETY: the pool lives and there is room for `count` entries; `Mbuf` is a transparent pointer, so DPDK writes valid
        // ones, owned by nobody else, or leaves all of them alone.
        unsafe {
            let end = into.as_mut_ptr().add(into.len()).cast();
            if dpdk_sys::shim_mbuf_alloc_bulk(self.0.raw.as_ptr(), end, count as u32) != 0 {
                return 0;
            }
            into.set_len(into.len() + count);
        }
        count
    }

    /// Bytes of a frame that one mbuf holds.
    pub fn frame_room(&self) -> usize {
        self.0.room
    }

    /// Mbufs not in use.
    pub fn available(&self) -> u32 {
        // SAFETY: the pool lives.
        unsafe { dpdk_sys::rte_mempool_avail_count(self.0.raw.as_ptr()) }
    }

    /// Mbufs in use.
    pub fn in_use(&self) -> u32 {
        // SAFETY: the pool lives.
        unsafe { dpdk_sys::rte_mempool_in_use_count(self.0.raw.as_ptr()) }
    }

    pub(crate) fn as_ptr(&self) -> *mut rte_mempool {
        self.0.raw.as_ptr()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: no handle is left. While an mbuf is in use its memory must stay: the pool is then given up instead.
        unsafe {
            let used = dpdk_sys::rte_mempool_in_use_count(self.raw.as_ptr());
            if used == 0 {
                dpdk_sys::rte_mempool_free(self.raw.as_ptr());
            } else {
                log::debug!("a pool is kept: {used} of its mbufs are in use");
            }
        }
    }
}
