//! What the provider asks of the Linux kernel about a network interface: its facts (addresses, MTU, gateway), and
//! the reservation of UDP ports on it. Reads and reserves only; changes nothing.

#![forbid(unsafe_code)]

mod facts;
pub mod host;
mod reserve;

pub use facts::{LinkFacts, link_facts};
pub use reserve::{PortReservation, reserve_udp_port};
