//! Lanes carry frames between a port and its peers.

pub mod fate;
pub mod pcap;
