//! Texts of network addresses, as URLs of their format: `fi_sockaddr_in://192.0.2.1:7471`.

use libc::c_void;
use std::net::{Ipv4Addr, Ipv6Addr};

/// Text of an address; `(null)` for NULL, nothing for a format without a text.
///
/// # Safety
/// `addr` is NULL or has `len` bytes in this format; a string ends with zero.
pub(super) unsafe fn text(format: u32, addr: *const c_void, len: usize) -> String {
    if addr.is_null() {
        return "(null)".into();
    }
    if format == abi::FI_ADDR_STR {
        // SAFETY: a C string by contract.
        return unsafe { crate::cmem::text(addr.cast()) }.unwrap_or_default();
    }
    // SAFETY: `len` bytes by contract.
    let bytes = unsafe { std::slice::from_raw_parts(addr.cast::<u8>(), len) };
    of_bytes(format, bytes).unwrap_or_else(|| format!("({len} bytes are too few)"))
}

/// `None` when the bytes are too few for the format.
fn of_bytes(format: u32, b: &[u8]) -> Option<String> {
    let words = |name: &str, n: usize| {
        let words: Option<Vec<String>> = (0..n).map(|i| Some(format!("{:x}", u64_at(b, 8 * i)?))).collect();
        Some(format!("fi_addr_{name}://{}", words?.join(":")))
    };
    match format {
        abi::FI_SOCKADDR | abi::FI_SOCKADDR_IP => match i32::from(u16_at(b, 0)?) {
            libc::AF_INET => ipv4(b),
            libc::AF_INET6 => ipv6(b),
            libc::AF_IB => infiniband(b),
            _ => Some(String::new()),
        },
        abi::FI_SOCKADDR_IN => ipv4(b),
        abi::FI_SOCKADDR_IN6 => ipv6(b),
        abi::FI_SOCKADDR_IB => infiniband(b),
        abi::FI_ADDR_PSMX => words("psmx", 1),
        abi::FI_ADDR_GNI => words("gni", 1),
        abi::FI_ADDR_OPX => words("opx", 1),
        abi::FI_ADDR_PSMX2 => words("psmx2", 2),
        abi::FI_ADDR_PSMX3 => words("psmx3", 4),
        abi::FI_ADDR_BGQ => Some(format!("fi_addr_bgq://{:p}", b.as_ptr())),
        abi::FI_ADDR_MLX => Some(format!("fi_addr_mlx://{:p}", b.as_ptr())),
        abi::FI_ADDR_CXI => Some(format!("fi_addr_cxi://{:#x}", u32_at(b, 0)?)),
        abi::FI_ADDR_IB_UD => {
            let gid: Option<Vec<String>> =
                (0..8).map(|i| Some(format!("{:x}", u16_at(b, 2 * i)?.to_be()))).collect();
            // After the GID: queue pair, LID, partition key, service level.
            Some(format!(
                "fi_addr_ib_ud://{}:{:x}/{:x}/{:x}/{:x}",
                gid?.join(":"),
                u32_at(b, 16)?,
                u16_at(b, 20)?,
                u16_at(b, 22)?,
                b.get(26)?
            ))
        }
        abi::FI_ADDR_EFA => {
            Some(format!("fi_addr_efa://[{}]:{}:{}", v6(b, 0)?, u16_at(b, 16)?, u32_at(b, 20)?))
        }
        _ => Some(String::new()),
    }
}

fn ipv4(b: &[u8]) -> Option<String> {
    let addr: [u8; 4] = b.get(4..8)?.try_into().ok()?;
    Some(format!("fi_sockaddr_in://{}:{}", Ipv4Addr::from(addr), u16_at(b, 2)?.to_be()))
}

fn ipv6(b: &[u8]) -> Option<String> {
    Some(format!("fi_sockaddr_in6://[{}]:{}", v6(b, 8)?, u16_at(b, 2)?.to_be()))
}

/// GID, partition key, port space and scope of a `sockaddr_ib`.
fn infiniband(b: &[u8]) -> Option<String> {
    let space = (u64_at(b, 24)?.to_be() >> 16) & 0xfff;
    let scope = u64_at(b, 40)?.to_be() & 0xff;
    Some(format!("fi_sockaddr_ib://[{}]:{:#x}:{space:#x}:{scope:#x}", v6(b, 8)?, u16_at(b, 2)?.to_be()))
}

fn v6(b: &[u8], at: usize) -> Option<Ipv6Addr> {
    let addr: [u8; 16] = b.get(at..at + 16)?.try_into().ok()?;
    Some(addr.into())
}

fn u16_at(b: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(b.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(b: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(b.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(b: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(b.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ip_addresses_are_urls() {
        let mut v4 = [0u8; 16];
        v4[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
        v4[2..8].copy_from_slice(&[0x1d, 0x2f, 192, 0, 2, 1]);
        for format in [abi::FI_SOCKADDR_IN, abi::FI_SOCKADDR, abi::FI_SOCKADDR_IP] {
            assert_eq!(of_bytes(format, &v4).unwrap(), "fi_sockaddr_in://192.0.2.1:7471");
        }
        let mut v6 = [0u8; 28];
        v6[..2].copy_from_slice(&(libc::AF_INET6 as u16).to_ne_bytes());
        v6[3] = 9;
        v6[8..10].copy_from_slice(&[0xfe, 0x80]);
        v6[23] = 1;
        assert_eq!(of_bytes(abi::FI_SOCKADDR, &v6).unwrap(), "fi_sockaddr_in6://[fe80::1]:9");
    }

    #[test]
    fn other_formats_show_their_numbers() {
        let b: Vec<u8> = (1..=64).collect();
        let of = |f| of_bytes(f, &b).unwrap();
        if cfg!(target_endian = "little") {
            assert_eq!(of(abi::FI_ADDR_PSMX2), "fi_addr_psmx2://807060504030201:100f0e0d0c0b0a09");
            assert_eq!(of(abi::FI_ADDR_CXI), "fi_addr_cxi://0x4030201");
        }
        assert_eq!(
            of(abi::FI_SOCKADDR_IB),
            "fi_sockaddr_ib://[90a:b0c:d0e:f10:1112:1314:1516:1718]:0x304:0xd1e:0x30"
        );
        assert_eq!(of(abi::FI_ADDR_UCX), "");
    }

    #[test]
    fn too_few_bytes_are_not_read_past() {
        for format in 0..=abi::FI_SOCKADDR_IP {
            for len in 0..8 {
                of_bytes(format, &vec![2u8; len]);
            }
        }
        let b = [2u8; 6];
        // SAFETY: 6 bytes are there.
        let t = unsafe { text(abi::FI_SOCKADDR_IN, b.as_ptr().cast(), 6) };
        assert_eq!(t, "(6 bytes are too few)");
        // SAFETY: NULL is allowed.
        assert_eq!(unsafe { text(abi::FI_SOCKADDR_IN, std::ptr::null(), 16) }, "(null)");
    }
}
