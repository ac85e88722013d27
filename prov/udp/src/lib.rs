//! The udp provider: DGRAM endpoints over kernel UDP.
