//! A running port: one queue pair that all endpoints of this process on it share.
//!
//! [`io`] is one round of it and [`link`] its sending side, both over abstract frames; [`running`] opens devices and
//! keeps the process-wide list of what is open; [`keeper`] does what must go on while the application computes.

pub mod alarm;
pub mod device;
pub mod io;
mod keeper;
pub mod link;
pub mod running;
pub mod udp_ports;

#[cfg(test)]
mod tests;

use crate::lane::Frame;
use crate::neighbour::Nanos;
use link::Link;
use std::net::SocketAddr;

/// Who waits for a link address: a session of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// The endpoint's key in its port.
    pub station: u32,
    /// The endpoint's own number for the peer.
    pub session: u32,
    pub peer: SocketAddr,
}

/// An endpoint as its port sees it. It sends by the link, at any time that it has one.
pub trait Station<F: Frame>: Send {
    /// A datagram came for the endpoint.
    fn handle(&mut self, now: Nanos, from: SocketAddr, payload: &[u8]);

    /// Sends acknowledgements and the like that are due; called before reception.
    fn control(&mut self, link: &mut Link<F>);

    /// Sends what may be sent; called after reception.
    fn transmit(&mut self, link: &mut Link<F>);

    /// A link address is known now: look it up again.
    fn resolved(&mut self, waiter: Waiter);

    /// A link address was asked for in vain.
    fn unreachable(&mut self, now: Nanos, waiter: Waiter);
}
