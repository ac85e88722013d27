//! Socket addresses between C and Rust, in every format the kit's providers speak.

use crate::{Error, Result};
use libc::{c_void, sockaddr_in, sockaddr_in6};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};

/// URI-like text form (`FI_ADDR_STR`): `fi_sockaddr_in://10.0.0.1:7000`.
const STR_IN: &str = "fi_sockaddr_in://";
const STR_IN6: &str = "fi_sockaddr_in6://";

/// Bytes that one address of this format takes in an array given to `fi_av_insert`.
pub fn size(format: u32, family_of: Option<&SocketAddr>) -> usize {
    match (format, family_of) {
        (abi::FI_SOCKADDR_IN6, _) | (_, Some(SocketAddr::V6(_))) => std::mem::size_of::<sockaddr_in6>(),
        _ => std::mem::size_of::<sockaddr_in>(),
    }
}

/// Text form to address. None: not such a text.
pub fn parse(text: &str) -> Option<SocketAddr> {
    let rest = text.strip_prefix(STR_IN).or_else(|| text.strip_prefix(STR_IN6)).unwrap_or(text);
    rest.parse().ok().or_else(|| rest.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, 0)))
}

/// Address to text form.
pub fn text(addr: &SocketAddr) -> String {
    match addr {
        SocketAddr::V4(a) => format!("{STR_IN}{a}"),
        SocketAddr::V6(a) => format!("{STR_IN6}{a}"),
    }
}

/// Reads an address of `len` bytes (0: as long as its family says). NULL gives None.
/// `FI_EINVAL` for a family or length that does not fit the format.
///
/// # Safety
/// `p` is NULL, or readable for `len` bytes, or when `len` is 0 for what its family (or text) needs.
pub unsafe fn from_raw(p: *const c_void, len: usize, format: u32) -> Result<Option<SocketAddr>> {
    if p.is_null() {
        return Ok(None);
    }
    if format == abi::FI_ADDR_STR {
        // SAFETY: text addresses are C strings by the API's contract.
        let s = unsafe { std::ffi::CStr::from_ptr(p as *const libc::c_char) };
        return parse(&s.to_string_lossy()).map(Some).ok_or(Error::INVAL);
    }
    if len != 0 && len < std::mem::size_of::<libc::sa_family_t>() {
        return Err(Error::INVAL);
    }
    // SAFETY: at least the family is readable; unaligned, since arrays of addresses may be packed.
    let family = unsafe { std::ptr::read_unaligned(p as *const libc::sa_family_t) } as i32;
    let fits = |size: usize| len == 0 || len >= size;
    match family {
        libc::AF_INET if format != abi::FI_SOCKADDR_IN6 && fits(std::mem::size_of::<sockaddr_in>()) => {
            // SAFETY: the family says what is there and the length allows it.
            let a = unsafe { std::ptr::read_unaligned(p as *const sockaddr_in) };
            let ip = Ipv4Addr::from(u32::from_be(a.sin_addr.s_addr));
            Ok(Some(SocketAddr::new(ip.into(), u16::from_be(a.sin_port))))
        }
        libc::AF_INET6 if format != abi::FI_SOCKADDR_IN && fits(std::mem::size_of::<sockaddr_in6>()) => {
            // SAFETY: as above.
            let a = unsafe { std::ptr::read_unaligned(p as *const sockaddr_in6) };
            let ip = Ipv6Addr::from(a.sin6_addr.s6_addr);
            let v6 = SocketAddrV6::new(ip, u16::from_be(a.sin6_port), 0, a.sin6_scope_id);
            Ok(Some(SocketAddr::V6(v6)))
        }
        _ => Err(Error::INVAL),
    }
}

/// The bytes of the C form.
pub fn to_bytes(addr: &SocketAddr) -> Vec<u8> {
    fn bytes<T: Copy>(v: &T) -> Vec<u8> {
        // SAFETY: T is a C socket address whose padding was zeroed by the caller; reading its bytes is fine.
        unsafe { std::slice::from_raw_parts(v as *const T as *const u8, std::mem::size_of::<T>()) }.to_vec()
    }
    match addr {
        SocketAddr::V4(a) => {
            // SAFETY: plain data.
            let mut s: sockaddr_in = unsafe { std::mem::zeroed() };
            s.sin_family = libc::AF_INET as libc::sa_family_t;
            s.sin_port = a.port().to_be();
            s.sin_addr.s_addr = u32::from(*a.ip()).to_be();
            bytes(&s)
        }
        SocketAddr::V6(a) => {
            // SAFETY: plain data.
            let mut s: sockaddr_in6 = unsafe { std::mem::zeroed() };
            s.sin6_family = libc::AF_INET6 as libc::sa_family_t;
            s.sin6_port = a.port().to_be();
            s.sin6_addr.s6_addr = a.ip().octets();
            s.sin6_scope_id = a.scope_id();
            bytes(&s)
        }
    }
}

/// Bytes of the address in the given format, with the text form's NUL.
pub fn to_format(addr: &SocketAddr, format: u32) -> Vec<u8> {
    if format == abi::FI_ADDR_STR {
        let mut s = text(addr).into_bytes();
        s.push(0);
        s
    } else {
        to_bytes(addr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_survive_the_way_to_c_and_back() {
        for s in ["10.1.2.3:7", "[fe80::1]:65535", "0.0.0.0:0", "[::]:1"] {
            let a: SocketAddr = s.parse().unwrap();
            for format in [abi::FI_SOCKADDR, abi::FI_ADDR_STR] {
                let b = to_format(&a, format);
                // SAFETY: b holds the whole address.
                assert_eq!(unsafe { from_raw(b.as_ptr() as *const c_void, b.len(), format) }, Ok(Some(a)));
            }
        }
    }

    #[test]
    fn short_or_foreign_addresses_are_refused() {
        let b = to_bytes(&"10.1.2.3:7".parse().unwrap());
        for (len, format) in [(1, 0), (8, 0), (16, abi::FI_SOCKADDR_IN6)] {
            // SAFETY: b is longer than each length used.
            assert_eq!(unsafe { from_raw(b.as_ptr() as *const c_void, len, format) }, Err(Error::INVAL));
        }
    }
}
