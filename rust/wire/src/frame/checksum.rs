//! The Internet checksum (RFC 1071): the ones' complement of the ones' complement sum of 16-bit words.
//!
//! The sum does not depend on byte order but for a final swap, and may be taken over wider words.

use super::PROTOCOL_UDP;
use std::net::IpAddr;

/// A sum in progress. Pieces may be added in any order, each with an even length but for the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum(u64);

#[inline]
fn add(a: u64, b: u64) -> u64 {
    let (sum, carry) = a.overflowing_add(b);
    sum + u64::from(carry)
}

#[inline]
fn word(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, u64::from_ne_bytes)
}

#[inline(always)]
fn half(bytes: &[u8]) -> u64 {
    bytes.try_into().map_or(0, |b| u64::from(u32::from_ne_bytes(b)))
}

/// Bytes that are summed at a time.
const BLOCK: usize = 64;
/// From this length on wider vectors pay for the question whether the processor has them.
#[cfg(target_arch = "x86_64")]
const LONG: usize = 512;

/// Sum of whole blocks.
#[inline]
fn sum_blocks(data: &[u8]) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if data.len() >= LONG && std::arch::is_x86_feature_detected!("avx2") {
        #[allow(unsafe_code)]
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { sum_lanes_avx2(data) };
    }
    sum_lanes(data)
}

/// The same code in wider vectors: on a packet of 9000 bytes it takes 0.6 of the time (`cargo bench -p wire`).
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[allow(unsafe_code)]
unsafe fn sum_lanes_avx2(data: &[u8]) -> u64 {
    sum_lanes(data)
}

/// Halves of 32 bits in lanes of 64 need no carry, so that the compiler makes vector code of it: twice as fast as words of
/// 64 bits with their carries.
#[inline(always)]
fn sum_lanes(data: &[u8]) -> u64 {
    let mut lanes = [0u64; 8];
    for block in data.chunks_exact(BLOCK) {
        let (first, second) = block.split_at(BLOCK / 2);
        for (i, lane) in lanes.iter_mut().enumerate() {
            *lane += half(&first[i * 4..i * 4 + 4]) + half(&second[i * 4..i * 4 + 4]);
        }
    }
    lanes.iter().sum()
}

impl Sum {
    /// Adds bytes, at most some gigabytes in one call.
    #[inline]
    #[must_use]
    pub fn bytes(self, data: &[u8]) -> Sum {
        let (blocks, rest) = data.split_at(data.len() & !(BLOCK - 1));
        let mut sum = add(self.0, sum_blocks(blocks));
        let mut words = rest.chunks_exact(8);
        for w in &mut words {
            sum = add(sum, word(w));
        }
        let rest = words.remainder();
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            sum = add(sum, u64::from_ne_bytes(last));
        }
        Sum(sum)
    }

    /// Adds a number as the 16-bit word that stands in the packet.
    #[inline]
    #[must_use]
    pub fn number(self, value: u16) -> Sum {
        Sum(add(self.0, u64::from(value.to_be())))
    }

    /// The pseudo-header of UDP and its like, without the length (RFC 768; RFC 8200, section 8.1). Zero for addresses
    /// of different families.
    pub fn pseudo_header(src: IpAddr, dst: IpAddr, protocol: u8) -> Sum {
        match (src, dst) {
            (IpAddr::V4(a), IpAddr::V4(b)) => Sum::default().bytes(&a.octets()).bytes(&b.octets()),
            (IpAddr::V6(a), IpAddr::V6(b)) => Sum::default().bytes(&a.octets()).bytes(&b.octets()),
            _ => return Sum::default(),
        }
        .number(u16::from(protocol))
    }

    /// The pseudo-header of UDP.
    pub fn udp_pseudo_header(src: IpAddr, dst: IpAddr) -> Sum {
        Sum::pseudo_header(src, dst, PROTOCOL_UDP)
    }

    /// The sum folded to 16 bits, in host order: what a device that completes checksums wants in the field.
    #[inline]
    pub fn folded(self) -> u16 {
        let mut sum = self.0;
        sum = (sum & 0xffff_ffff) + (sum >> 32);
        sum = (sum & 0xffff_ffff) + (sum >> 32);
        sum = (sum & 0xffff) + (sum >> 16);
        sum = (sum & 0xffff) + (sum >> 16);
        u16::from_be(sum as u16)
    }

    /// The checksum to put into a packet, in host order.
    #[inline]
    pub fn checksum(self) -> u16 {
        !self.folded()
    }

    /// The checksum of UDP, where a computed zero is sent as all ones, since zero means "none" (RFC 768).
    #[inline]
    pub fn udp_checksum(self) -> u16 {
        match self.checksum() {
            0 => 0xffff,
            c => c,
        }
    }

    /// True for a sum over data including its right checksum.
    #[inline]
    pub fn is_right(self) -> bool {
        self.folded() == 0xffff
    }
}
