//! Fabric, domain, queues and an endpoint, opened as one, for programs that have one of each.

use crate::info::Info;
use crate::{Failed, check};
use libc::{c_int, c_void};
use std::ptr;
use std::time::{Duration, Instant};

/// Closes any object.
///
/// # Safety
/// An open object that is not used again.
pub(crate) unsafe fn close(fid: *mut abi::fid) {
    // SAFETY: by contract; every object has the operation.
    unsafe {
        if let Some(f) = (*fid).ops.as_ref().and_then(|o| o.close) {
            f(fid);
        }
    }
}

/// Calls a member of an op table that every provider fills.
macro_rules! call {
    ($table:expr, $member:ident ( $($arg:expr),* )) => {{
        match (*$table).$member {
            Some(f) => f($($arg),*),
            None => (-abi::FI_ENOSYS) as _,
        }
    }};
}
pub(crate) use call;

/// A completion queue.
pub struct Cq(*mut abi::fid_cq);

/// An address vector.
pub struct Av(*mut abi::fid_av);

/// Untagged or tagged transfers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EndpointKind {
    Msg,
    Tagged,
}

/// Which queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transfer {
    Send,
    Receive,
}

/// An enabled endpoint with everything below it.
pub struct Endpoint {
    pub(crate) fabric: *mut abi::fid_fabric,
    domain: *mut abi::fid_domain,
    pub(crate) ep: *mut abi::fid_ep,
    /// Of connected endpoints only: the events of connections, and what listens for them.
    pub(crate) eq: *mut abi::fid_eq,
    pub(crate) pep: *mut abi::fid_pep,
    tx: Cq,
    rx: Cq,
    av: Av,
    kind: EndpointKind,
    pub max_msg_size: usize,
    pub inject_size: usize,
    contexts: [Box<abi::fi_context2>; 2],
}

const TAG: u64 = 0x5049;

impl Endpoint {
    /// Opens and enables an endpoint by one result of `fi_getinfo`.
    pub fn open(info: Info<'_>, kind: EndpointKind) -> Result<Endpoint, Failed> {
        let mut e = Endpoint::on_fabric(info, kind)?;
        e.open_domain(info)?;
        e.open_av()?;
        e.enable()?;
        Ok(e)
    }

    /// The fabric alone.
    pub(crate) fn on_fabric(info: Info<'_>, kind: EndpointKind) -> Result<Endpoint, Failed> {
        let context = || Box::new(abi::fi_context2 { internal: [ptr::null_mut(); 8] });
        let mut e = Endpoint {
            fabric: ptr::null_mut(),
            domain: ptr::null_mut(),
            ep: ptr::null_mut(),
            eq: ptr::null_mut(),
            pep: ptr::null_mut(),
            tx: Cq(ptr::null_mut()),
            rx: Cq(ptr::null_mut()),
            av: Av(ptr::null_mut()),
            kind,
            max_msg_size: info.ep().map_or(0, |a| a.max_msg_size),
            inject_size: info.tx().map_or(0, |a| a.inject_size),
            contexts: [context(), context()],
        };
        // SAFETY: the info is valid.
        let ret = unsafe { abi::fi_fabric(info.0.fabric_attr, &mut e.fabric, ptr::null_mut()) };
        check("fi_fabric", ret)?;
        Ok(e)
    }

    /// Domain, completion queues and the endpoint, bound to the queues.
    pub(crate) fn open_domain(&mut self, info: Info<'_>) -> Result<(), Failed> {
        let i = info.0 as *const abi::fi_info as *mut abi::fi_info;
        // SAFETY: the info is valid; each object is used only after it was opened, and closed in `drop`.
        unsafe {
            let ret = call!((*self.fabric).ops, domain(self.fabric, i, &mut self.domain, ptr::null_mut()));
            check("fi_domain", ret)?;
            let ops = (*self.domain).ops;
            let size = |n: usize| if n == 0 { 64 } else { n };
            let mut attr: abi::fi_cq_attr = std::mem::zeroed();
            attr.format = abi::FI_CQ_FORMAT_CONTEXT;
            attr.wait_obj = abi::FI_WAIT_NONE;
            attr.size = size((*i).tx_attr.as_ref().map_or(0, |a| a.size));
            check(
                "fi_cq_open",
                call!(ops, cq_open(self.domain, &mut attr, &mut self.tx.0, ptr::null_mut())),
            )?;
            attr.size = size((*i).rx_attr.as_ref().map_or(0, |a| a.size));
            check(
                "fi_cq_open",
                call!(ops, cq_open(self.domain, &mut attr, &mut self.rx.0, ptr::null_mut())),
            )?;
            check("fi_endpoint", call!(ops, endpoint(self.domain, i, &mut self.ep, ptr::null_mut())))?;
        }
        self.bind(self.tx.0 as *mut abi::fid, abi::FI_TRANSMIT)?;
        self.bind(self.rx.0 as *mut abi::fid, abi::FI_RECV)
    }

    fn open_av(&mut self) -> Result<(), Failed> {
        // SAFETY: zero is a valid attribute; the domain is open.
        let ret = unsafe {
            let mut attr: abi::fi_av_attr = std::mem::zeroed();
            attr.count = 1;
            call!((*self.domain).ops, av_open(self.domain, &mut attr, &mut self.av.0, ptr::null_mut()))
        };
        check("fi_av_open", ret)?;
        self.bind(self.av.0 as *mut abi::fid, 0)
    }

    pub(crate) fn bind(&self, what: *mut abi::fid, flags: u64) -> Result<(), Failed> {
        let fid = self.ep as *mut abi::fid;
        // SAFETY: both are open.
        let ret: c_int = unsafe { call!((*fid).ops, bind(fid, what, flags)) };
        check("fi_ep_bind", ret).map(|_| ())
    }

    pub(crate) fn enable(&self) -> Result<(), Failed> {
        let fid = self.ep as *mut abi::fid;
        // SAFETY: an open endpoint.
        let ret: c_int = unsafe { call!((*fid).ops, control(fid, abi::FI_ENABLE, ptr::null_mut())) };
        check("fi_enable", ret).map(|_| ())
    }

    /// The endpoint's own address; of one that listens, where it is to be connected to.
    pub fn name(&self) -> Result<Vec<u8>, Failed> {
        let mut buf = vec![0u8; 256];
        let mut len = buf.len();
        // SAFETY: an open endpoint; the buffer is as long as said.
        let ret: c_int = unsafe {
            let (fid, cm) = if self.ep.is_null() {
                (self.pep as *mut abi::fid, (*self.pep).cm)
            } else {
                (self.ep as *mut abi::fid, (*self.ep).cm)
            };
            call!(cm, getname(fid, buf.as_mut_ptr() as *mut c_void, &mut len))
        };
        check("fi_getname", ret)?;
        buf.truncate(len);
        Ok(buf)
    }

    /// Inserts a peer's address.
    pub fn insert(&self, name: &[u8]) -> Result<abi::fi_addr_t, Failed> {
        let mut addr = 0;
        // SAFETY: the address is what the peer's fi_getname gave.
        let ret: c_int = unsafe {
            call!(
                (*self.av.0).ops,
                insert(self.av.0, name.as_ptr() as *const c_void, 1, &mut addr, 0, ptr::null_mut())
            )
        };
        match check("fi_av_insert", ret)? {
            1 => Ok(addr),
            _ => Err(Failed { call: "fi_av_insert", code: abi::FI_EINVAL }),
        }
    }

    /// Posts a receive.
    ///
    /// # Safety
    /// The buffer stays valid and untouched until its completion was read.
    pub unsafe fn post_receive(&mut self, buf: *mut u8, len: usize) -> Result<(), Failed> {
        let (ep, b) = (self.ep, buf as *mut c_void);
        let c = &raw mut *self.contexts[1] as *mut c_void;
        // SAFETY: by contract.
        let ret = unsafe {
            match self.kind {
                EndpointKind::Msg => {
                    call!((*ep).msg, recv(ep, b, len, ptr::null_mut(), abi::FI_ADDR_UNSPEC, c))
                }
                EndpointKind::Tagged => {
                    call!((*ep).tagged, recv(ep, b, len, ptr::null_mut(), abi::FI_ADDR_UNSPEC, TAG, 0, c))
                }
            }
        };
        check("fi_recv", ret as i64).map(|_| ())
    }

    /// Sends and waits until the buffer is free again.
    pub fn send(&mut self, buf: &[u8], to: abi::fi_addr_t, limit: Duration) -> Result<(), Failed> {
        let inject = buf.len() <= self.inject_size;
        let mut start = None;
        // SAFETY: the buffer outlives the operation: it is injected, or waited for below.
        while !unsafe { self.try_send(buf.as_ptr(), buf.len(), to) }? {
            self.poll(Transfer::Send)?;
            if start.get_or_insert_with(Instant::now).elapsed() > limit {
                return Err(Failed { call: "fi_send", code: abi::FI_ETIMEDOUT });
            }
        }
        if inject { Ok(()) } else { self.wait(Transfer::Send, limit) }
    }

    /// Starts a send without waiting. False: there is no room now; progress makes some.
    ///
    /// # Safety
    /// A buffer longer than `inject_size` stays valid and unchanged until its completion was read. Shorter ones are
    /// injected and have no completion.
    pub unsafe fn try_send(
        &mut self,
        buf: *const u8,
        len: usize,
        to: abi::fi_addr_t,
    ) -> Result<bool, Failed> {
        let (ep, b) = (self.ep, buf as *const c_void);
        let c = &raw mut *self.contexts[0] as *mut c_void;
        // SAFETY: by contract.
        let ret: isize = unsafe {
            match (self.kind, len <= self.inject_size) {
                (EndpointKind::Msg, true) => call!((*ep).msg, inject(ep, b, len, to)),
                (EndpointKind::Tagged, true) => call!((*ep).tagged, inject(ep, b, len, to, TAG)),
                (EndpointKind::Msg, false) => call!((*ep).msg, send(ep, b, len, ptr::null_mut(), to, c)),
                (EndpointKind::Tagged, false) => {
                    call!((*ep).tagged, send(ep, b, len, ptr::null_mut(), to, TAG, c))
                }
            }
        };
        match ret as i32 {
            e if e == -abi::FI_EAGAIN => Ok(false),
            _ => check("fi_send", ret as i64).map(|_| true),
        }
    }

    /// Reads up to 64 completions; gives how many there were.
    pub fn poll_many(&self, which: Transfer) -> Result<usize, Failed> {
        let cq = match which {
            Transfer::Send => self.tx.0,
            Transfer::Receive => self.rx.0,
        };
        // Not filled before: most polls find nothing.
        let mut entries = std::mem::MaybeUninit::<[abi::fi_cq_entry; 64]>::uninit();
        // SAFETY: an open queue; room for 64 entries of its format, which are not looked at.
        let ret: isize = unsafe { call!((*cq).ops, read(cq, entries.as_mut_ptr() as *mut c_void, 64)) };
        match ret as i32 {
            e if e == -abi::FI_EAGAIN => Ok(0),
            e if e == -abi::FI_EAVAIL => self.poll(which).map(usize::from),
            _ => check("fi_cq_read", ret as i64).map(|n| n as usize),
        }
    }

    /// Reads one completion. False: there is none.
    pub fn poll(&self, which: Transfer) -> Result<bool, Failed> {
        let cq = match which {
            Transfer::Send => self.tx.0,
            Transfer::Receive => self.rx.0,
        };
        let mut entry = abi::fi_cq_entry { op_context: ptr::null_mut() };
        // SAFETY: an open queue; room for one entry of its format.
        let ret: isize = unsafe { call!((*cq).ops, read(cq, &raw mut entry as *mut c_void, 1)) };
        match ret as i32 {
            e if e == -abi::FI_EAGAIN => Ok(false),
            e if e == -abi::FI_EAVAIL => {
                // SAFETY: zero is a valid error entry without a buffer for error data.
                let mut err: abi::fi_cq_err_entry = unsafe { std::mem::zeroed() };
                // SAFETY: an open queue.
                let n: isize = unsafe { call!((*cq).ops, readerr(cq, &mut err, 0)) };
                check("fi_cq_readerr", n as i64)?;
                Err(Failed { call: "completion", code: err.err })
            }
            _ => check("fi_cq_read", ret as i64).map(|_| true),
        }
    }

    /// Waits for one completion.
    pub fn wait(&self, which: Transfer, limit: Duration) -> Result<(), Failed> {
        let mut round = 0u32;
        let mut start = None;
        loop {
            if self.poll(which)? {
                return Ok(());
            }
            round = round.wrapping_add(1);
            // The clock is read now and then only: it costs as much as a poll.
            if round % 1024 == 0 && start.get_or_insert_with(Instant::now).elapsed() > limit {
                return Err(Failed { call: "completion", code: abi::FI_ETIMEDOUT });
            }
        }
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        let objects = [
            self.ep as *mut abi::fid,
            self.pep as *mut abi::fid,
            self.av.0 as *mut abi::fid,
            self.tx.0 as *mut abi::fid,
            self.rx.0 as *mut abi::fid,
            self.domain as *mut abi::fid,
            self.eq as *mut abi::fid,
            self.fabric as *mut abi::fid,
        ];
        for o in objects {
            if !o.is_null() {
                // SAFETY: open objects, closed from the top down.
                unsafe { close(o) };
            }
        }
    }
}
