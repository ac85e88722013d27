//! The application's memory: a gather or scatter list that belongs to an operation until it completes.
//!
//! The one place where user memory is read and written. Everything above sees offsets and lengths only.

use crate::{Error, Result};
use libc::{c_void, iovec};
use std::io::{IoSlice, IoSliceMut};

/// Segments one operation may name on any endpoint of the kit (`iov_limit`).
pub const IOV_LIMIT: usize = 32;

/// A list of segments of user memory.
///
/// libfabric's contract is that the memory of a posted operation stays valid, and is left alone by the application,
/// until its completion is reported; that contract is what makes the safe methods sound.
pub struct UserIov {
    total: usize,
    segments: Segments,
}

/// One segment is the rule and stays in place; a list is kept beside, so that operations are small to move about: they are
/// copied several times on their way, which for a list of four in place took a tenth of a small send.
enum Segments {
    One(Segment),
    Many(Box<[Segment]>),
}

#[derive(Clone, Copy)]
struct Segment {
    base: *mut u8,
    len: usize,
}

// SAFETY: the memory belongs to the operation, whichever thread drives it; UserIov itself has no thread affinity.
unsafe impl Send for UserIov {}

impl UserIov {
    /// No memory: a zero-length operation.
    pub const fn empty() -> UserIov {
        UserIov { total: 0, segments: Segments::One(Segment { base: std::ptr::null_mut(), len: 0 }) }
    }

    /// One segment.
    ///
    /// # Safety
    /// `buf[..len]` stays valid for the use the operation makes of it (reads for a send, writes for a receive) and is
    /// not touched by anyone else until the operation has completed or been cancelled, or the value is dropped.
    #[inline]
    pub unsafe fn one(buf: *const c_void, len: usize) -> UserIov {
        UserIov { total: len, segments: Segments::One(Segment { base: buf as *mut u8, len }) }
    }

    /// `count` segments. `FI_EINVAL` for too many, for a NULL segment with a length, or if the total overflows.
    ///
    /// # Safety
    /// `iov[..count]` is readable now; each segment as for [`UserIov::one`].
    pub unsafe fn many(iov: *const iovec, count: usize) -> Result<UserIov> {
        if count == 0 {
            return Ok(UserIov::empty());
        }
        if count > IOV_LIMIT || iov.is_null() {
            return Err(Error::INVAL);
        }
        // SAFETY: the caller vouches for `count` readable entries.
        let list = unsafe { std::slice::from_raw_parts(iov, count) };
        let mut total = 0usize;
        for v in list {
            if v.iov_base.is_null() && v.iov_len != 0 {
                return Err(Error::INVAL);
            }
            total = total.checked_add(v.iov_len).filter(|t| *t <= isize::MAX as usize).ok_or(Error::INVAL)?;
        }
        let seg = |v: &iovec| Segment { base: v.iov_base as *mut u8, len: v.iov_len };
        let segments = match list {
            [one] => Segments::One(seg(one)),
            more => Segments::Many(more.iter().map(seg).collect()),
        };
        Ok(UserIov { total, segments })
    }

    /// Bytes in all segments.
    #[inline]
    pub fn len(&self) -> usize {
        self.total
    }

    /// True for a zero-length operation.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Address of the first byte, which `fi_cq_data_entry.buf` reports. 0 for no memory.
    pub fn address(&self) -> usize {
        self.list().first().map_or(0, |s| s.base as usize)
    }

    fn list(&self) -> &[Segment] {
        match &self.segments {
            Segments::One(s) => std::slice::from_ref(s),
            Segments::Many(b) => b,
        }
    }

    /// The whole list for a vectored write of the system.
    pub fn with_slices<R>(&self, f: impl FnOnce(&[IoSlice<'_>]) -> R) -> R {
        let mut out = [IoSlice::new(&[]); IOV_LIMIT];
        let list = self.list();
        for (o, s) in out.iter_mut().zip(list) {
            // SAFETY: the constructor's contract keeps the segment readable while the operation has it; an empty
            // segment may be NULL and is left out.
            *o = IoSlice::new(if s.len == 0 {
                &[]
            } else {
                unsafe { std::slice::from_raw_parts(s.base, s.len) }
            });
        }
        f(&out[..list.len()])
    }

    /// The whole list for a vectored read of the system. The segments of one operation must not overlap, which the
    /// API's contract for receives demands.
    pub fn with_slices_mut<R>(&mut self, f: impl FnOnce(&mut [IoSliceMut<'_>]) -> R) -> R {
        let mut out: [IoSliceMut<'_>; IOV_LIMIT] = std::array::from_fn(|_| IoSliceMut::new(&mut []));
        let list = self.list();
        for (o, s) in out.iter_mut().zip(list) {
            if s.len != 0 {
                // SAFETY: as above, writable for a receive; nobody else touches it while the operation has it.
                *o = IoSliceMut::new(unsafe { std::slice::from_raw_parts_mut(s.base, s.len) });
            }
        }
        f(&mut out[..list.len()])
    }

    /// The range as one piece of memory, where it does not cross a segment: what a device can be pointed at.
    pub fn contiguous(&self, offset: usize, len: usize) -> Option<*const u8> {
        let mut at = offset;
        for s in self.list() {
            if at < s.len || (at == s.len && len == 0) {
                return (len <= s.len - at).then(|| s.base.wrapping_add(at) as *const u8);
            }
            at -= s.len;
        }
        None
    }

    /// Copies `out.len()` bytes from `offset` on into `out`. Bytes past the end are left as they are.
    #[inline]
    pub fn read(&self, offset: usize, out: &mut [u8]) {
        let dst = out.as_mut_ptr();
        self.walk(offset, out.len(), |base, at, n| {
            // SAFETY: `walk` gives ranges inside a segment, which the constructor's contract keeps valid, and inside
            // `out`; user memory and `out` do not overlap, as `out` is ours.
            unsafe { std::ptr::copy_nonoverlapping(base as *const u8, dst.add(at), n) }
        });
    }

    /// Appends all bytes to `out`.
    #[inline]
    pub fn append_to(&self, out: &mut Vec<u8>) {
        out.reserve(self.total);
        self.walk(0, self.total, |base, _, n| {
            // SAFETY: `walk` gives ranges inside a segment, which the constructor's contract keeps valid.
            out.extend_from_slice(unsafe { std::slice::from_raw_parts(base, n) });
        });
    }

    /// Copies `data` to `offset`. Bytes past the end are not written.
    #[inline]
    pub fn write(&mut self, offset: usize, data: &[u8]) {
        let src = data.as_ptr();
        self.walk(offset, data.len(), |base, at, n| {
            // SAFETY: as in `read`; `&mut self` and the contract exclude other writers.
            unsafe { std::ptr::copy_nonoverlapping(src.add(at), base, n) }
        });
    }

    /// Calls `f(address, offset in the range, length)` for each piece of the range.
    #[inline]
    fn walk(&self, offset: usize, len: usize, mut f: impl FnMut(*mut u8, usize, usize)) {
        if let Segments::One(s) = &self.segments {
            if offset < s.len {
                f(s.base.wrapping_add(offset), 0, len.min(s.len - offset));
            }
            return;
        }
        let (mut skip, mut done) = (offset, 0);
        for s in self.list() {
            if done == len {
                return;
            }
            if skip >= s.len {
                skip -= s.len;
                continue;
            }
            let n = (s.len - skip).min(len - done);
            f(s.base.wrapping_add(skip), done, n);
            done += n;
            skip = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iov(parts: &mut [Vec<u8>]) -> UserIov {
        let list: Vec<iovec> = parts
            .iter_mut()
            .map(|p| iovec { iov_base: p.as_mut_ptr() as *mut c_void, iov_len: p.len() })
            .collect();
        // SAFETY: the parts outlive the value in these tests.
        unsafe { UserIov::many(list.as_ptr(), list.len()).unwrap() }
    }

    #[test]
    fn every_range_of_every_split_reads_and_writes_the_right_bytes() {
        for sizes in [vec![10], vec![3, 7], vec![1, 0, 4, 5], vec![2, 2, 2, 2, 2], vec![0, 0, 10, 0, 0, 0]] {
            let mut next = 0u8;
            let mut parts: Vec<Vec<u8>> = sizes
                .iter()
                .map(|n| {
                    (0..*n)
                        .map(|_| {
                            next += 1;
                            next
                        })
                        .collect()
                })
                .collect();
            let mut v = iov(&mut parts);
            assert_eq!(v.len(), 10);
            for from in 0..=10 {
                for to in from..=10 {
                    let mut out = vec![0; to - from];
                    v.read(from, &mut out);
                    let mut whole = vec![0xff];
                    v.append_to(&mut whole);
                    assert_eq!(whole[1..], (1..=10).collect::<Vec<u8>>());
                    assert_eq!(out, ((from + 1) as u8..=to as u8).collect::<Vec<_>>());
                    v.write(from, &out);
                    if let Some(p) = v.contiguous(from, to - from)
                        && to > from
                    {
                        // SAFETY: contiguous vouches for the range.
                        assert_eq!(unsafe { std::slice::from_raw_parts(p, to - from) }, &out[..]);
                    }
                }
            }
            let mut all = vec![0; 12];
            v.write(5, &[9; 20]);
            v.read(0, &mut all);
            assert_eq!(all, [1, 2, 3, 4, 5, 9, 9, 9, 9, 9, 0, 0]);
        }
    }

    #[test]
    fn bad_lists_are_refused() {
        let null = iovec { iov_base: std::ptr::null_mut(), iov_len: 4 };
        let mut b = [0u8; 4];
        let huge = iovec { iov_base: b.as_mut_ptr() as *mut c_void, iov_len: isize::MAX as usize };
        for list in [vec![null], vec![huge, huge], vec![huge; IOV_LIMIT + 1]] {
            // SAFETY: the list is readable; the segments are never touched.
            assert_eq!(unsafe { UserIov::many(list.as_ptr(), list.len()) }.err(), Some(Error::INVAL));
        }
    }
}
