//! Addresses in hints, and whether results keep them.

use libc::{c_void, sockaddr_in, sockaddr_in6};
use std::net::{IpAddr, SocketAddr};

/// What is put where an address belongs: texts of sockets become socket addresses, others stay texts.
pub const ADDRESSES: &[&str] = &[
    "127.0.0.1:0",
    "127.0.0.1:7471",
    "10.77.9.1:5",
    "10.77.9.200:3",
    "0.0.0.0:9",
    "255.255.255.255:1",
    "[::1]:7",
    "[fd00:77::1]:0",
    "[fd00:77::2]:9",
    "[::]:0",
    "fi_sockaddr_in://127.0.0.1:7471",
    "fi_sockaddr_in://10.77.9.1:0",
    "fi_sockaddr_in6://[fd00:77::2]:9",
    "fi_sockaddr_in://",
    "",
];
/// Any length that a test gives is readable.
const ROOM: usize = 256;

/// An address as C's memory, with its length or the one that is forced on it.
pub fn for_c(at: usize, len: Option<usize>) -> (*mut c_void, usize) {
    let text = ADDRESSES[at];
    let bytes = text.parse().map_or_else(|_| text.as_bytes().to_vec(), |a: SocketAddr| bytes(&a));
    // SAFETY: there is room for every address, and zeros follow it.
    unsafe {
        let p: *mut u8 = libc::calloc(1, ROOM).cast();
        assert!(!p.is_null(), "out of memory");
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), p, bytes.len());
        (p.cast(), len.unwrap_or(bytes.len()))
    }
}

fn bytes(a: &SocketAddr) -> Vec<u8> {
    let mut out = match a {
        SocketAddr::V4(_) => vec![0; size_of::<sockaddr_in>()],
        SocketAddr::V6(_) => vec![0; size_of::<sockaddr_in6>()],
    };
    let family = if a.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    out[..2].copy_from_slice(&(family as libc::sa_family_t).to_ne_bytes());
    out[2..4].copy_from_slice(&a.port().to_be_bytes());
    match a.ip() {
        IpAddr::V4(ip) => out[4..8].copy_from_slice(&ip.octets()),
        IpAddr::V6(ip) => out[8..24].copy_from_slice(&ip.octets()),
    }
    out
}

/// Reads what [`bytes`] writes, and text addresses.
///
/// # Safety
/// `p` is NULL or an address in this format.
unsafe fn read(p: *const c_void, format: u32) -> Option<SocketAddr> {
    if p.is_null() {
        return None;
    }
    // SAFETY: by contract; the family says how long a socket address is.
    unsafe {
        if format == abi::FI_ADDR_STR {
            let text = std::ffi::CStr::from_ptr(p.cast()).to_str().ok()?;
            return text.rsplit("//").next()?.parse().ok();
        }
        let b: *const u8 = p.cast();
        let at = |from: usize, n: usize| std::slice::from_raw_parts(b.add(from), n);
        let family = i32::from(u16::from_ne_bytes(at(0, 2).try_into().ok()?));
        let port = u16::from_be_bytes(at(2, 2).try_into().ok()?);
        let ip: IpAddr = match family {
            libc::AF_INET => <[u8; 4]>::try_from(at(4, 4)).ok()?.into(),
            libc::AF_INET6 => <[u8; 16]>::try_from(at(8, 16)).ok()?.into(),
            _ => return None,
        };
        Some(SocketAddr::new(ip, port))
    }
}

/// A result's source is the one that was asked for; where that leaves the address open, its port is.
pub fn source_kept(hints: &abi::fi_info, r: &abi::fi_info) -> bool {
    // SAFETY: addresses of hints have room for every format, those of results are in theirs.
    let (asked, got) = unsafe { (read(hints.src_addr, hints.addr_format), read(r.src_addr, r.addr_format)) };
    asked.is_none_or(|a| {
        got.is_some_and(|g| g.port() == a.port() && (a.ip().is_unspecified() || g.ip() == a.ip()))
    })
}

/// A result's destination is the one that was asked for, and none where none was.
pub fn destination_kept(hints: &abi::fi_info, r: &abi::fi_info) -> bool {
    // SAFETY: as above.
    unsafe { read(hints.dest_addr, hints.addr_format) == read(r.dest_addr, r.addr_format) }
}
