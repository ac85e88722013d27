//! The endpoints of the provider: the part that lives in its port, under the port's lock, and the part that the kit holds.

#![forbid(unsafe_code)]

pub mod dgram;
pub mod outcome;
pub mod rdm;

use crate::neighbour::Nanos;
use crate::port::link::Link;
use crate::port::running::PortRef;
use crate::port::{Station, Waiter};
use crate::settings::Settings;
use dgram::Dgram;
use dpdk::{Clock, Mbuf};
use kit::{Context, Endpoint, EndpointRequest, Error, RecvOp, Result, SendOp, Sink};
use outcome::Outcome;
use rdm::{Rdm, RdmConfig};
use std::net::SocketAddr;
use std::time::Duration;

/// An endpoint in its port.
pub enum Core {
    Rdm(Box<Rdm>),
    Dgram(Dgram),
}

impl Core {
    fn send(&mut self, op: SendOp, link: &mut Link<Mbuf>) -> Result<()> {
        match self {
            Core::Rdm(e) => e.send(op, link),
            Core::Dgram(e) => e.send(op, link),
        }
    }

    fn recv(&mut self, op: RecvOp, link: &mut Link<Mbuf>) -> Result<()> {
        match self {
            Core::Rdm(e) => e.recv(op, link),
            Core::Dgram(e) => e.recv(op),
        }
    }

    fn cancel(&mut self, context: Context, link: &mut Link<Mbuf>) -> Result<()> {
        match self {
            Core::Rdm(e) => e.cancel(link.now, context),
            Core::Dgram(e) => e.cancel(context),
        }
    }

    #[inline(always)]
    fn poll_outcome(&mut self) -> Option<Outcome> {
        match self {
            Core::Rdm(e) => e.poll_outcome(),
            Core::Dgram(e) => e.poll_outcome(),
        }
    }

    fn close(&mut self, link: &mut Link<Mbuf>) {
        match self {
            Core::Rdm(e) => e.close(link),
            Core::Dgram(_) => {}
        }
    }

    /// Messages wait to be sent, until something arrives.
    #[inline]
    fn waits(&self) -> bool {
        match self {
            Core::Rdm(e) => e.waits(),
            Core::Dgram(_) => false,
        }
    }

    fn is_drained(&self) -> bool {
        match self {
            Core::Rdm(e) => e.is_drained(),
            Core::Dgram(e) => e.is_drained(),
        }
    }
}

impl Station<Mbuf> for Core {
    #[inline]
    fn handle(&mut self, now: Nanos, from: SocketAddr, payload: &[u8]) {
        match self {
            Core::Rdm(e) => Station::<Mbuf>::handle(e.as_mut(), now, from, payload),
            Core::Dgram(e) => Station::<Mbuf>::handle(e, now, from, payload),
        }
    }

    #[inline]
    fn control(&mut self, link: &mut Link<Mbuf>) {
        match self {
            Core::Rdm(e) => e.control(link),
            Core::Dgram(e) => e.control(link),
        }
    }

    #[inline]
    fn transmit(&mut self, link: &mut Link<Mbuf>) {
        match self {
            Core::Rdm(e) => e.transmit(link),
            Core::Dgram(e) => e.transmit(link),
        }
    }

    fn resolved(&mut self, waiter: Waiter) {
        match self {
            Core::Rdm(e) => Station::<Mbuf>::resolved(e.as_mut(), waiter),
            Core::Dgram(e) => Station::<Mbuf>::resolved(e, waiter),
        }
    }

    fn unreachable(&mut self, now: Nanos, waiter: Waiter) {
        match self {
            Core::Rdm(e) => Station::<Mbuf>::unreachable(e.as_mut(), now, waiter),
            Core::Dgram(e) => Station::<Mbuf>::unreachable(e, now, waiter),
        }
    }
}

/// An endpoint as the kit holds it.
pub struct DpdkEndpoint {
    port: PortRef,
    request: EndpointRequest,
    address: SocketAddr,
    /// Its key in the port, once enabled.
    key: Option<u32>,
}

impl DpdkEndpoint {
    /// Prepares an endpoint; it takes its address when enabled. Errors: `FI_EINVAL` for another type than those offered,
    /// `FI_EADDRNOTAVAIL` for an address that is not the port's.
    pub fn open(port: PortRef, request: &EndpointRequest) -> Result<Self> {
        if !matches!(request.ep_type, abi::FI_EP_DGRAM | abi::FI_EP_RDM) {
            log::info!(
                target: "ep_ctrl",
                "endpoint type {} is not offered; use FI_EP_RDM or FI_EP_DGRAM",
                request.ep_type
            );
            return Err(Error::INVAL);
        }
        let own = port.spec.address.ip;
        let mut endpoint =
            DpdkEndpoint { port, request: request.clone(), address: SocketAddr::new(own, 0), key: None };
        if let Some(src) = request.src {
            endpoint.set_local_addr(src)?;
        }
        Ok(endpoint)
    }

    /// The endpoint's part in the port.
    fn core(&self, key: u32, udp_port: u16) -> Core {
        let (tx_size, rx_size) = (self.request.tx_size.max(1), self.request.rx_size.max(1));
        if self.request.ep_type == abi::FI_EP_DGRAM {
            return Core::Dgram(Dgram::new(key, udp_port, tx_size, rx_size));
        }
        let settings = Settings::get();
        let config = RdmConfig {
            tx_size,
            rx_size,
            max_udp_payload: self.port.spec.max_udp_payload(),
            peer_timeout: settings.peer_timeout.as_nanos() as u64,
            eager: settings.eager_size,
            unexpected: settings.unexpected_size,
            host: self.port.memory_host,
        };
        Core::Rdm(Box::new(Rdm::new(key, udp_port, &config)))
    }

    /// Calls the endpoint's part in the port, under the port's lock, and reports what has finished. Without a clock it is the
    /// time of the last round: milliseconds ago at most, since the keeper does rounds when nobody else does.
    #[inline]
    fn with_core<R>(
        &mut self,
        clock: Option<Clock>,
        sink: &mut Sink<'_>,
        call: impl FnOnce(&mut Core, &mut Link<Mbuf>) -> Result<R>,
    ) -> Result<R> {
        let key = self.key.ok_or(Error::OPBADSTATE)?;
        dpdk::register_thread(self.port.eal);
        let mut io = self.port.lock();
        if let Some(clock) = clock {
            io.link.now = clock.now();
        }
        let (core, link) = io.station(key).ok_or(Error::OPBADSTATE)?;
        let result = call(core, link);
        while let Some(outcome) = core.poll_outcome() {
            outcome.report(sink);
        }
        result
    }
}

impl Endpoint for DpdkEndpoint {
    fn delivery_complete(&self) -> bool {
        self.request.ep_type == abi::FI_EP_RDM
    }

    fn enable(&mut self) -> Result<()> {
        if self.key.is_some() {
            return Ok(());
        }
        let mut io = self.port.lock();
        let udp_port = io.udp_ports.take(self.address.port()).map_err(|e| {
            log::warn!(
                target: "ep_ctrl",
                "UDP port {} of {} cannot be had: {e}; choose another one (service), or 0 for any",
                self.address.port(),
                self.address.ip()
            );
            match e.kind() {
                std::io::ErrorKind::AddrInUse => Error::new(abi::FI_EADDRINUSE),
                _ => Error::from(e),
            }
        })?;
        let key = io.add(udp_port, |key| self.core(key, udp_port));
        self.address.set_port(udp_port);
        self.key = Some(key);
        Ok(())
    }

    fn local_addr(&self) -> Option<SocketAddr> {
        Some(self.address)
    }

    fn set_local_addr(&mut self, addr: SocketAddr) -> Result<()> {
        if self.key.is_some() {
            return Err(Error::OPBADSTATE);
        }
        let own = self.port.spec.address.ip;
        if !addr.ip().is_unspecified() && addr.ip() != own {
            log::info!(target: "ep_ctrl", "{} is not the address of port '{}' ({own})", addr.ip(), self.port.spec.name());
            return Err(Error::new(abi::FI_EADDRNOTAVAIL));
        }
        self.address = SocketAddr::new(own, addr.port());
        Ok(())
    }

    #[inline]
    fn send(&mut self, op: SendOp, sink: &mut Sink<'_>) -> Result<()> {
        let more = op.more;
        self.with_core(Some(self.port.clock), sink, |core, link| {
            let result = core.send(op, link);
            if !more {
                link.flush();
            }
            result.map(|()| core.waits())
        })
        .map(|waits| {
            if waits {
                self.port.alarm.call();
            }
        })
    }

    #[inline]
    fn recv(&mut self, op: RecvOp, sink: &mut Sink<'_>) -> Result<()> {
        // Nothing is sent, and silence is told by questions, not by this time alone.
        self.with_core(None, sink, |core, link| core.recv(op, link))
    }

    fn cancel(&mut self, context: Context, sink: &mut Sink<'_>) -> Result<()> {
        self.with_core(Some(self.port.clock), sink, |core, link| core.cancel(context, link))
    }

    #[inline]
    fn progress(&mut self, sink: &mut Sink<'_>) {
        let Some(key) = self.key else { return };
        dpdk::register_thread(self.port.eal);
        let mut io = self.port.lock();
        io.round(self.port.clock.now(), Some(key));
        if let Some((core, _)) = io.station(key) {
            while let Some(outcome) = core.poll_outcome() {
                outcome.report(sink);
            }
        }
    }

    fn begin_close(&mut self) {
        let Some(key) = self.key else { return };
        let mut io = self.port.lock();
        io.link.now = self.port.clock.now();
        if let Some((core, link)) = io.station(key) {
            core.close(link);
            link.flush();
        }
    }

    fn is_drained(&self) -> bool {
        let Some(key) = self.key else { return true };
        self.port.lock().station(key).is_none_or(|(core, link)| core.is_drained() && link.is_flushed())
    }

    fn linger(&self) -> Duration {
        Settings::get().linger
    }
}

impl Drop for DpdkEndpoint {
    fn drop(&mut self) {
        if let Some(key) = self.key.take() {
            let core = self.port.lock().remove(key, self.address.port());
            match core {
                Some(Core::Rdm(rdm)) => log::debug!(target: "ep_data", "{}: {}", self.address, rdm.stats()),
                Some(Core::Dgram(dgram)) => log::debug!(
                    target: "ep_data",
                    "{}: {} datagrams came without a posted receive",
                    self.address,
                    dgram.dropped()
                ),
                None => {}
            }
        }
    }
}
