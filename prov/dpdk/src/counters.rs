//! What a port counts: frames taken and given, and every reason for which one was dropped. The counts are written
//! to the log at debug level when the port closes.

#![forbid(unsafe_code)]

use std::fmt;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counts since the port was opened.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl fmt::Display for Counters {
            /// Those that are not zero, as `name=value`.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut first = true;
                $(if self.$name != 0 {
                    write!(f, "{}{}={}", if first { "" } else { " " }, stringify!($name), self.$name)?;
                    first = false;
                })*
                if first { f.write_str("nothing") } else { Ok(()) }
            }
        }
    };
}

counters! {
    /// Frames received.
    rx_frames,
    /// Frames handed to endpoints.
    rx_delivered,
    /// Frames given to the device.
    tx_frames,
    /// Frames that an endpoint of this port sent to another one of it.
    looped,
    /// Cut short, or a length field that contradicts the frame.
    drop_length,
    /// Ethernet, IP or UDP destination is another host.
    drop_not_for_us,
    /// Another protocol than those spoken here.
    drop_protocol,
    /// Wrong VLAN, or tagged where no tag is used.
    drop_vlan,
    /// IP or UDP checksum wrong.
    drop_checksum,
    /// Part of a fragmented IP packet.
    drop_fragment,
    /// Otherwise malformed.
    drop_malformed,
    /// No endpoint has this UDP port.
    drop_no_endpoint,
    /// The endpoint's inbox was full.
    drop_inbox_full,
    /// The device did not take it.
    drop_tx,
    /// No mbuf was free for sending.
    no_mbuf,
    /// Neighbour requests answered.
    neighbour_answers,
    /// Neighbour requests sent.
    neighbour_requests,
    /// Another station claimed the port's address.
    address_conflicts,
    /// Echo requests answered.
    echo_answers,
    /// Faults injected on purpose: lost, doubled, reordered or corrupted frames.
    faults,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_happened_is_shown() {
        assert_eq!(Counters::default().to_string(), "nothing");
        let counters = Counters { rx_frames: 3, drop_checksum: 1, ..Counters::default() };
        assert_eq!(counters.to_string(), "rx_frames=3 drop_checksum=1");
    }
}
