//! Packet formats without state: Ethernet, ARP and neighbour discovery, IP and UDP ([`frame`]), and above UDP the delivery
//! header ([`pds`]) and the message headers ([`msg`]). Every length is held against the packet; nothing here panics on
//! any input.
// One function of the checksum alone: see there.
#![deny(unsafe_code)]

mod bytes;

pub mod frame;
pub mod msg;
pub mod pds;
