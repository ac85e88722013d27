//! A completion queue: outcomes in order, written to the application in the format it asked for.

use crate::completion::{Completion, Failure};
use crate::{Error, Result};
use libc::c_void;
use std::collections::VecDeque;

/// Completion entry layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Context,
    Msg,
    Data,
    Tagged,
}

impl Format {
    pub(crate) fn from_c(format: abi::fi_cq_format) -> Result<Format> {
        match format {
            // The provider's choice where the application has none: the smallest.
            abi::FI_CQ_FORMAT_UNSPEC | abi::FI_CQ_FORMAT_CONTEXT => Ok(Format::Context),
            abi::FI_CQ_FORMAT_MSG => Ok(Format::Msg),
            abi::FI_CQ_FORMAT_DATA => Ok(Format::Data),
            abi::FI_CQ_FORMAT_TAGGED => Ok(Format::Tagged),
            _ => Err(Error::INVAL),
        }
    }
}

/// One outcome. The success part is the largest C format, of which the smaller ones are prefixes.
struct Entry {
    c: abi::fi_cq_tagged_entry,
    src: abi::fi_addr_t,
    failure: Option<Failure>,
}

/// The queue. It grows when it must: what may be in it is bounded by the sizes of the endpoints bound to it, since an
/// operation holds its slot there until it completes, so nothing is lost and nothing overruns.
pub(crate) struct Cq {
    entries: VecDeque<Entry>,
    format: Format,
    /// Endpoints that a read drives.
    pub(crate) eps: Vec<usize>,
    /// `fi_cq_signal` was called: the next blocked reader returns.
    pub(crate) signaled: bool,
    /// Reads in a row that found nothing.
    idle: u32,
    /// An application that asks for a wait object; none: `sread` is refused.
    pub(crate) may_wait: bool,
}

/// Reads that find nothing, some tens of microseconds of them, before a spinning reader begins to give its core away, and
/// how often it does then. Where several processes share a core, the one that spins would otherwise keep the one that it
/// waits for from running, for whole time slices of milliseconds.
const PATIENCE: u32 = 1024;
const YIELD_EVERY: u32 = 64;
/// Entries that are made room for at open at most; the rest comes by need.
const INITIAL: usize = 4096;

impl Cq {
    pub(crate) fn new(format: Format, size: usize, may_wait: bool) -> Cq {
        Cq {
            entries: VecDeque::with_capacity(size.clamp(64, INITIAL)),
            format,
            eps: Vec::new(),
            signaled: false,
            idle: 0,
            may_wait,
        }
    }

    #[inline]
    fn entry(c: &Completion) -> abi::fi_cq_tagged_entry {
        abi::fi_cq_tagged_entry {
            op_context: c.token.context.0 as *mut c_void,
            flags: c.token.flags | if c.data.is_some() { abi::FI_REMOTE_CQ_DATA } else { 0 },
            len: c.len,
            buf: c.buf as *mut c_void,
            data: c.data.unwrap_or(0),
            tag: c.tag,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, c: &Completion, src: abi::fi_addr_t) {
        self.entries.push_back(Entry { c: Cq::entry(c), src, failure: None });
    }

    #[cold]
    pub(crate) fn push_error(&mut self, c: &Completion, failure: Failure, src: abi::fi_addr_t) {
        self.entries.push_back(Entry { c: Cq::entry(c), src, failure: Some(failure) });
    }

    /// Notes a read that found nothing. True now and then after many: the caller's core may be what the peer waits for.
    pub(crate) fn idled(&mut self) -> bool {
        self.idle = self.idle.saturating_add(1);
        self.idle > PATIENCE && self.idle % YIELD_EVERY == 0
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Moves up to `count` successes to `buf`, and their sources to `src`. `FI_EAGAIN`: nothing there;
    /// `FI_EAVAIL`: the next outcome is a failure.
    ///
    /// # Safety
    /// `buf` has room for `count` entries of the queue's format, `src` is NULL or has room for `count` addresses.
    pub(crate) unsafe fn read(
        &mut self,
        buf: *mut c_void,
        count: usize,
        src: *mut abi::fi_addr_t,
    ) -> Result<usize> {
        let mut n = 0;
        while n < count {
            match self.entries.front() {
                Some(e) if e.failure.is_none() => {
                    // SAFETY: n < count entries fit, and each format is a prefix of the whole entry.
                    unsafe {
                        self.write(buf, n, &e.c);
                        if !src.is_null() {
                            src.add(n).write(e.src);
                        }
                    }
                    self.entries.pop_front();
                    self.idle = 0;
                    n += 1;
                }
                Some(_) if n == 0 => return Err(Error::new(abi::FI_EAVAIL)),
                _ => break,
            }
        }
        if n == 0 {
            // A read of nothing still tells whether there is something.
            return if count == 0 && !self.entries.is_empty() { Ok(0) } else { Err(Error::AGAIN) };
        }
        Ok(n)
    }

    /// # Safety
    /// `buf` has room for entry `n` of the queue's format.
    #[inline]
    unsafe fn write(&self, buf: *mut c_void, n: usize, e: &abi::fi_cq_tagged_entry) {
        // SAFETY: by contract; the C entry types share their leading members (asserted in the abi crate's layout).
        unsafe {
            match self.format {
                Format::Context => {
                    (buf as *mut abi::fi_cq_entry).add(n).write(abi::fi_cq_entry { op_context: e.op_context })
                }
                Format::Msg => (buf as *mut abi::fi_cq_msg_entry).add(n).write(abi::fi_cq_msg_entry {
                    op_context: e.op_context,
                    flags: e.flags,
                    len: e.len,
                }),
                Format::Data => (buf as *mut abi::fi_cq_data_entry).add(n).write(abi::fi_cq_data_entry {
                    op_context: e.op_context,
                    flags: e.flags,
                    len: e.len,
                    buf: e.buf,
                    data: e.data,
                }),
                Format::Tagged => (buf as *mut abi::fi_cq_tagged_entry).add(n).write(*e),
            }
        }
    }

    /// Takes the failure at the head. None: the head is no failure.
    pub(crate) fn read_error(&mut self) -> Option<abi::fi_cq_err_entry> {
        let f = self.entries.front()?.failure?;
        let e = self.entries.pop_front()?;
        Some(abi::fi_cq_err_entry {
            op_context: e.c.op_context,
            flags: e.c.flags,
            len: e.c.len,
            buf: e.c.buf,
            data: e.c.data,
            tag: e.c.tag,
            olen: f.olen,
            err: f.err,
            prov_errno: f.prov_errno,
            err_data: std::ptr::null_mut(),
            err_data_size: 0,
            src_addr: e.src,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::{Context, Token};

    fn done(n: usize) -> Completion {
        Completion {
            token: Token { context: Context(n), report: true, flags: 0 },
            len: n,
            ..Completion::default()
        }
    }

    fn read(cq: &mut Cq, count: usize) -> Result<Vec<usize>> {
        let mut out = [abi::fi_cq_entry { op_context: std::ptr::null_mut() }; 8];
        // SAFETY: room for 8 entries of the context format.
        let n = unsafe { cq.read(out.as_mut_ptr() as *mut c_void, count, std::ptr::null_mut()) }?;
        Ok(out[..n].iter().map(|e| e.op_context as usize).collect())
    }

    #[test]
    fn failures_keep_their_place_in_the_order() {
        let mut cq = Cq::new(Format::Context, 8, true);
        assert_eq!(read(&mut cq, 8), Err(Error::AGAIN));
        cq.push(&done(1), 0);
        cq.push_error(&done(2), Failure { err: abi::FI_EIO, ..Failure::default() }, 0);
        cq.push(&done(3), 0);
        assert!(cq.read_error().is_none());
        assert_eq!(read(&mut cq, 8), Ok(vec![1]));
        assert_eq!(read(&mut cq, 8).unwrap_err().code(), abi::FI_EAVAIL);
        let e = cq.read_error().unwrap();
        assert_eq!((e.op_context as usize, e.err), (2, abi::FI_EIO));
        assert_eq!(read(&mut cq, 8), Ok(vec![3]));
    }

    #[test]
    fn a_read_of_nothing_takes_nothing() {
        let mut cq = Cq::new(Format::Context, 8, true);
        assert_eq!(read(&mut cq, 0), Err(Error::AGAIN));
        cq.push(&done(1), 0);
        assert_eq!(read(&mut cq, 0), Ok(vec![]));
        assert_eq!(read(&mut cq, 8), Ok(vec![1]));
    }
}
