//! A deterministic network for tests and studies: any number of endpoints on a virtual clock, over links that lose, repeat,
//! delay, reorder and spoil packets by a seeded choice. The same seed gives the same run, to the bit.
//!
//! [`Network`] is the whole; [`Faults`] says what a link does to packets; [`soak`] and [`fuzz`] are ready-made studies.
#![forbid(unsafe_code)]

mod chance;
pub mod fuzz;
mod memory;
mod network;
pub mod soak;

pub use chance::Chance;
pub use memory::Memory;
pub use network::{Faults, Network, Outcome};
