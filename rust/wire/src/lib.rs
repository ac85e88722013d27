//! Packet formats: Ethernet, ARP/ND, IP, UDP and our delivery and message headers. No state.
