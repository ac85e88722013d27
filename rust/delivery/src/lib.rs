//! Reliable packet delivery, sans-IO: sessions, PSN, SACK, RTT, RTO, windows.
