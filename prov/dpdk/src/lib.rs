//! The dpdk provider: RDM and DGRAM endpoints over any DPDK port.

pub mod config;
pub mod neighbour;
