//! Endpoints that are connected before they transfer (`FI_EP_MSG`): one side listens and accepts, the other connects.

use crate::endpoint::{Endpoint, EndpointKind, call};
use crate::info::Info;
use crate::{Failed, check};
use libc::{c_int, c_void};
use std::ptr;
use std::time::{Duration, Instant};

impl Endpoint {
    /// The listening side: `name` is where to connect to, `accept` makes it an endpoint.
    pub fn listen(info: Info<'_>, kind: EndpointKind) -> Result<Endpoint, Failed> {
        let mut e = Endpoint::on_fabric(info, kind)?;
        e.open_eq()?;
        let i = info.0 as *const abi::fi_info as *mut abi::fi_info;
        // SAFETY: the fabric and the queue are open; the info is valid.
        unsafe {
            let ret = call!((*e.fabric).ops, passive_ep(e.fabric, i, &mut e.pep, ptr::null_mut()));
            check("fi_passive_ep", ret)?;
            let fid = e.pep as *mut abi::fid;
            let ret: c_int = call!((*fid).ops, bind(fid, e.eq as *mut abi::fid, 0));
            check("fi_pep_bind", ret)?;
            check("fi_listen", call!((*e.pep).cm, listen(e.pep)))?;
        }
        Ok(e)
    }

    /// Waits for a connection and accepts it.
    pub fn accept(&mut self, limit: Duration) -> Result<(), Failed> {
        let request = Request(self.event(abi::FI_CONNREQ, limit)?.info);
        // SAFETY: the event of a request brings an info.
        let info =
            unsafe { request.0.as_ref() }.ok_or(Failed { call: "FI_CONNREQ", code: abi::FI_EINVAL })?;
        self.open_domain(Info(info))?;
        self.bind(self.eq as *mut abi::fid, 0)?;
        self.enable()?;
        // SAFETY: an enabled endpoint; no private data.
        let ret = unsafe { call!((*self.ep).cm, accept(self.ep, ptr::null(), 0)) };
        check("fi_accept", ret)?;
        self.event(abi::FI_CONNECTED, limit).map(|_| ())
    }

    /// Connects to the name of one that listens.
    pub fn connect(
        info: Info<'_>,
        kind: EndpointKind,
        name: &[u8],
        limit: Duration,
    ) -> Result<Endpoint, Failed> {
        let mut e = Endpoint::on_fabric(info, kind)?;
        e.open_eq()?;
        e.open_domain(info)?;
        e.bind(e.eq as *mut abi::fid, 0)?;
        e.enable()?;
        // SAFETY: an enabled endpoint; the address is what the peer's fi_getname gave; no private data.
        let ret = unsafe { call!((*e.ep).cm, connect(e.ep, name.as_ptr() as *const c_void, ptr::null(), 0)) };
        check("fi_connect", ret)?;
        e.event(abi::FI_CONNECTED, limit)?;
        Ok(e)
    }

    fn open_eq(&mut self) -> Result<(), Failed> {
        // SAFETY: zero is a valid attribute; the fabric is open.
        let ret = unsafe {
            let mut attr: abi::fi_eq_attr = std::mem::zeroed();
            attr.wait_obj = abi::FI_WAIT_UNSPEC;
            call!((*self.fabric).ops, eq_open(self.fabric, &mut attr, &mut self.eq, ptr::null_mut()))
        };
        check("fi_eq_open", ret).map(|_| ())
    }

    /// Waits for an event; another one is an error, as when the peer refuses.
    fn event(&self, wanted: c_int, limit: Duration) -> Result<abi::fi_eq_cm_entry, Failed> {
        let start = Instant::now();
        while start.elapsed() < limit {
            let mut event = 0;
            let mut entry = abi::fi_eq_cm_entry { fid: ptr::null_mut(), info: ptr::null_mut(), data: [] };
            let (buf, len) = (&raw mut entry as *mut c_void, size_of::<abi::fi_eq_cm_entry>());
            // SAFETY: an open queue; room for one entry without private data.
            let ret: isize = unsafe { call!((*self.eq).ops, sread(self.eq, &mut event, buf, len, 100, 0)) };
            match ret as c_int {
                e if e == -abi::FI_EAGAIN || e == -abi::FI_EINTR || e == -abi::FI_ETIMEDOUT => {}
                e if e == -abi::FI_EAVAIL => {
                    // SAFETY: zero is a valid error entry without a buffer for error data.
                    let mut err: abi::fi_eq_err_entry = unsafe { std::mem::zeroed() };
                    // SAFETY: an open queue.
                    let n: isize = unsafe { call!((*self.eq).ops, readerr(self.eq, &mut err, 0)) };
                    check("fi_eq_readerr", n as i64)?;
                    return Err(Failed { call: "connection", code: err.err });
                }
                _ => {
                    check("fi_eq_sread", ret as i64)?;
                    if event as c_int == wanted {
                        return Ok(entry);
                    }
                    return Err(Failed { call: "connection", code: abi::FI_ECONNREFUSED });
                }
            }
        }
        Err(Failed { call: "connection", code: abi::FI_ETIMEDOUT })
    }
}

/// The info of a request, which is the listener's to free.
struct Request(*mut abi::fi_info);

impl Drop for Request {
    fn drop(&mut self) {
        // SAFETY: NULL or given by the event.
        unsafe { abi::fi_freeinfo(self.0) }
    }
}
