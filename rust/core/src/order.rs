//! The order in which providers are asked and their results listed: fixed for known names, so that an application that
//! takes the first result gets the fastest; others follow in the order they registered.

use crate::filter;

/// Known providers, first to last. Names that this tree has no provider for are there for loadable ones.
pub(crate) const KNOWN: &[&str] = &[
    "dpdk",
    "efa",
    "psm2",
    "opx",
    "usnic",
    "verbs",
    "cxi",
    "psm3",
    "ucx",
    "ofi_rxm",
    "ofi_rxd",
    "shm",
    "udp",
    "tcp",
    "sockets",
    "net",
    "ofi_hook_perf",
    "ofi_hook_trace",
    "ofi_hook_profile",
    "ofi_hook_monitor",
    "ofi_hook_debug",
    "ofi_hook_noop",
    "ofi_hook_hmem",
    "ofi_hook_dmabuf_peer_mem",
    "off_coll",
];

/// Place of a provider; unknown names share the last one.
pub(crate) fn rank(name: &str) -> usize {
    KNOWN.iter().position(|k| k.eq_ignore_ascii_case(name)).unwrap_or(KNOWN.len())
}

/// File name that a known provider's library has: without the prefix that tells its kind.
pub(crate) fn library(name: &str) -> String {
    let short =
        ["ofi_", "off_"].iter().find(|p| filter::starts_with(name, p)).map_or(name, |p| &name[p.len()..]);
    format!("lib{short}-fi.so")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flagship_is_first_and_strangers_are_last() {
        assert_eq!(rank("DPDK"), 0);
        assert!(rank("shm") < rank("udp") && rank("udp") < rank("sockets"));
        assert_eq!(rank("mine"), KNOWN.len());
    }

    #[test]
    fn libraries_are_named_without_the_kind() {
        assert_eq!(library("dpdk"), "libdpdk-fi.so");
        assert_eq!(library("ofi_rxm"), "librxm-fi.so");
        assert_eq!(library("off_coll"), "libcoll-fi.so");
    }
}
