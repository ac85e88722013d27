//! Which host this is.

use std::hash::{DefaultHasher, Hash, Hasher};

/// The kernel's random name for the time since it started (random(4)): the same in all processes and containers of a host, and
/// of no other host.
const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// A number that all processes of this host have in common; 0 where the kernel does not tell. The name itself is kept
/// from peers.
pub fn id() -> u64 {
    let Ok(name) = std::fs::read_to_string(BOOT_ID) else { return 0 };
    let mut hasher = DefaultHasher::new();
    ("fi_dpdk", name.trim()).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_host_has_one_name() {
        assert_ne!(super::id(), 0);
        assert_eq!(super::id(), super::id());
    }
}
