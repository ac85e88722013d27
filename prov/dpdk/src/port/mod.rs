//! A running port.

pub mod udp_ports;
