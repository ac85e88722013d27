//! The address vector's table: index to address in O(1), address to index by hash.

use crate::{Error, Result};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::net::SocketAddr;

/// Addresses by index; an index is what applications hold as `fi_addr_t`.
#[derive(Default)]
pub(crate) struct Av {
    table: Vec<Option<SocketAddr>>,
    /// First index that holds the address: an address inserted twice is reported as its first index.
    reverse: FxHashMap<SocketAddr, u64>,
    free: Vec<u64>,
    /// What was found last: messages come in rows from one peer.
    recent: Cell<Option<(SocketAddr, u64)>>,
    /// Endpoints bound to this address vector.
    pub(crate) refs: usize,
    /// Where asynchronous insertions are reported.
    pub(crate) eq: Option<std::sync::Arc<crate::eq::Eq>>,
}

impl Av {
    pub(crate) fn with_capacity(count: usize) -> Av {
        // The count is a hint of the application, not a promise: reserve with measure.
        Av { table: Vec::with_capacity(count.min(1 << 20)), ..Av::default() }
    }

    /// Takes the lowest slot that a removal left, or the next new one.
    pub(crate) fn insert(&mut self, addr: SocketAddr) -> u64 {
        self.recent.set(None);
        let index = match self.free.pop() {
            Some(i) => {
                self.table[i as usize] = Some(addr);
                i
            }
            None => {
                self.table.push(Some(addr));
                self.table.len() as u64 - 1
            }
        };
        self.reverse.entry(addr).or_insert(index);
        index
    }

    /// `FI_EINVAL` when the index holds nothing.
    pub(crate) fn remove(&mut self, index: u64) -> Result<()> {
        self.recent.set(None);
        let slot = usize::try_from(index).ok().and_then(|i| self.table.get_mut(i)).ok_or(Error::INVAL)?;
        let addr = slot.take().ok_or(Error::INVAL)?;
        self.free.push(index);
        if self.reverse.get(&addr) == Some(&index) {
            self.reverse.remove(&addr);
            // Duplicates are rare; a scan on removal keeps the fast paths free of lists.
            if let Some(other) = self.table.iter().position(|a| *a == Some(addr)) {
                self.reverse.insert(addr, other as u64);
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn get(&self, index: u64) -> Option<SocketAddr> {
        self.table.get(usize::try_from(index).ok()?).copied().flatten()
    }

    #[inline]
    pub(crate) fn find(&self, addr: &SocketAddr) -> Option<u64> {
        if let Some((known, index)) = self.recent.get()
            && known == *addr
        {
            return Some(index);
        }
        let index = self.reverse.get(addr).copied()?;
        self.recent.set(Some((*addr, index)));
        Some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a(port: u16) -> SocketAddr {
        SocketAddr::from(([10, 0, 0, 1], port))
    }

    #[test]
    fn indices_are_dense_and_reused() {
        let mut av = Av::with_capacity(usize::MAX);
        assert_eq!((av.insert(a(1)), av.insert(a(2)), av.insert(a(3))), (0, 1, 2));
        av.remove(1).unwrap();
        assert_eq!(av.get(1), None);
        assert_eq!(av.remove(1), Err(Error::INVAL));
        assert_eq!(av.insert(a(4)), 1);
        assert_eq!((av.get(1), av.find(&a(2)), av.find(&a(4))), (Some(a(4)), None, Some(1)));
        assert_eq!(av.get(u64::MAX), None);
    }

    #[test]
    fn a_duplicate_takes_over_when_the_first_goes() {
        let mut av = Av::default();
        assert_eq!((av.insert(a(1)), av.insert(a(1))), (0, 1));
        assert_eq!(av.find(&a(1)), Some(0));
        av.remove(0).unwrap();
        assert_eq!(av.find(&a(1)), Some(1));
    }
}
