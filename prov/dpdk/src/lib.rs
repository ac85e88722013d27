//! The dpdk provider: RDM and DGRAM endpoints over any DPDK port, in plain UDP/IP.
//!
//! From the bottom up: [`config`] and [`settings`] are what the user wants, [`spec`] is a port with all facts settled,
//! [`lane`] moves frames, [`neighbour`] finds link addresses, [`port`] is a queue pair with all endpoints on it,
//! [`endpoint`] joins message layer and port, [`offers`] and [`provider`] are what the kit sees.

pub mod config;
pub mod counters;
pub mod endpoint;
pub mod ini;
pub mod kernel;
pub mod lane;
pub mod neighbour;
pub mod offers;
pub mod port;
pub mod provider;
pub mod settings;
pub mod spec;

#[cfg(test)]
mod testing;
