//! What an application asks `fi_getinfo` for, with node and service already resolved to addresses.

use crate::addr;
use crate::{Error, Result};
use libc::{addrinfo, c_char};
use std::ffi::CStr;
use std::net::{IpAddr, SocketAddr};

/// A `fi_getinfo` call as a provider sees it.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// API version that the caller speaks.
    pub version: u32,
    /// Flags of the call.
    pub flags: u64,
    /// Address to be reachable at, from `FI_SOURCE` or `hints->src_addr`. The IP may be unspecified, the port 0.
    pub src: Option<SocketAddr>,
    /// Peer's address.
    pub dest: Option<SocketAddr>,
}

impl Query {
    /// From the arguments of `fi_getinfo`. Errors: `FI_ENODATA` when the node is not known, `FI_EINVAL` for an
    /// address that cannot be read.
    ///
    /// # Safety
    /// `node` and `service` are NULL or C strings; `hints` is NULL or a valid info.
    pub unsafe fn from_c(
        version: u32,
        node: *const c_char,
        service: *const c_char,
        flags: u64,
        hints: *const abi::fi_info,
    ) -> Result<Query> {
        let mut q = Query { version, flags, src: None, dest: None };
        let (mut format, mut hint_src, mut hint_dest) = (abi::FI_FORMAT_UNSPEC, None, None);
        // SAFETY: the caller vouches for the hints and the addresses they point to.
        if let Some(h) = unsafe { hints.as_ref() } {
            format = h.addr_format;
            // SAFETY: address and length belong together by the API's contract.
            hint_src = unsafe { addr::from_raw(h.src_addr, h.src_addrlen, h.addr_format) }?;
            // SAFETY: as above.
            hint_dest = unsafe { addr::from_raw(h.dest_addr, h.dest_addrlen, h.addr_format) }?;
        }
        let given = if node.is_null() && service.is_null() {
            None
        } else if !node.is_null() && format == abi::FI_ADDR_STR {
            // SAFETY: node is a C string.
            Some(addr::parse(&unsafe { CStr::from_ptr(node) }.to_string_lossy()).ok_or(Error::INVAL)?)
        } else {
            // SAFETY: strings by the caller's promise.
            Some(unsafe { resolve(node, service, flags, format) }?)
        };
        if flags & abi::FI_SOURCE != 0 {
            q.src = given.or(hint_src);
            q.dest = hint_dest;
        } else if node.is_null() && given.is_some() {
            // A service alone names the local port.
            q.src = match (hint_src, given) {
                (Some(mut s), Some(g)) => {
                    s.set_port(g.port());
                    Some(s)
                }
                (_, g) => g,
            };
            q.dest = hint_dest;
        } else {
            q.src = hint_src;
            q.dest = given.or(hint_dest);
        }
        Ok(q)
    }
}

/// Resolves by the C library, as users expect of names, services and `/etc/hosts`.
///
/// # Safety
/// NULL or C strings.
pub(crate) unsafe fn resolve(
    node: *const c_char,
    service: *const c_char,
    flags: u64,
    format: u32,
) -> Result<SocketAddr> {
    let family = match format {
        abi::FI_SOCKADDR_IN => libc::AF_INET,
        abi::FI_SOCKADDR_IN6 => libc::AF_INET6,
        _ => libc::AF_UNSPEC,
    };
    // SAFETY: addrinfo is plain data; all-zero means no restriction.
    let mut want: addrinfo = unsafe { std::mem::zeroed() };
    want.ai_family = family;
    want.ai_socktype = libc::SOCK_DGRAM;
    if flags & abi::FI_NUMERICHOST != 0 {
        want.ai_flags |= libc::AI_NUMERICHOST;
    }
    if node.is_null() {
        want.ai_flags |= libc::AI_PASSIVE;
    }
    let mut list: *mut addrinfo = std::ptr::null_mut();
    // SAFETY: strings are valid or NULL (not both), the result is freed below.
    let ret = unsafe { libc::getaddrinfo(node, service, &want, &mut list) };
    if ret != 0 || list.is_null() {
        return Err(Error::NODATA);
    }
    // SAFETY: getaddrinfo succeeded; entries and their addresses are valid until freeaddrinfo.
    let found = unsafe {
        let mut first = None;
        let mut at = list;
        while let Some(ai) = at.as_ref() {
            let a = addr::from_raw(ai.ai_addr as *const _, ai.ai_addrlen as usize, abi::FI_SOCKADDR);
            if let Ok(Some(a)) = a {
                // Where nothing says otherwise, IPv4 first: that is what most ports here have.
                if first.is_none() || (a.is_ipv4() && !matches!(first, Some(SocketAddr::V4(_)))) {
                    first = Some(a);
                }
            }
            at = ai.ai_next;
        }
        libc::freeaddrinfo(list);
        first
    };
    found.ok_or(Error::NODATA)
}

/// True when the query's source fits a local address: unspecified, or the same.
pub fn source_fits(src: Option<SocketAddr>, local: IpAddr) -> bool {
    src.is_none_or(|s| s.ip().is_unspecified() || s.ip() == local)
}
