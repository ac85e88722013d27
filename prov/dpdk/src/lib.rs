//! The dpdk provider: RDM and DGRAM endpoints over any DPDK port.

pub mod config;
pub mod counters;
pub mod endpoint;
pub mod kernel;
pub mod lane;
pub mod neighbour;
pub mod port;
pub mod spec;

#[cfg(test)]
mod test_symbols;
