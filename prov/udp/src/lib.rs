//! The udp provider: unreliable datagrams over the kernel's UDP sockets, on every network interface of the host.
//!
//! One endpoint is one socket. Nothing is buffered here: what no receive was posted for waits in the socket's buffer, and
//! what does not fit there is lost, as datagrams may be.
#![forbid(unsafe_code)]

mod endpoint;
mod interfaces;
mod offer;

// Tests find the library's C functions (fi_log and the like) in the core.
#[cfg(test)]
use ofi_core as _;

use endpoint::UdpEndpoint;
use kit::{Domain, DomainRequest, EndpointRequest, Error, Offer, Provider, Query, Result};
use std::ffi::CStr;

/// The provider. It has no state: sockets belong to endpoints.
pub struct Udp;

impl Provider for Udp {
    const NAME: &'static CStr = c"udp";
    const VERSION: u32 = abi::FI_VERSION(206, 0);
    type Domain = UdpDomain;

    fn instance() -> &'static Udp {
        &Udp
    }

    fn offers(&self, query: &Query) -> Result<Vec<Offer>> {
        offer::offers(&interfaces::list()?, query)
    }

    fn open_domain(&self, request: &DomainRequest) -> Result<UdpDomain> {
        let known = interfaces::list()?.iter().any(|i| i.name == request.name);
        if !known {
            log::warn!(target: "domain", "no network interface named {}; fi_info -p udp lists them", request.name);
            return Err(Error::new(abi::FI_ENODEV));
        }
        Ok(UdpDomain)
    }
}

/// A domain: one network interface's addresses. Sockets are bound by address, so there is nothing to hold.
pub struct UdpDomain;

impl Domain for UdpDomain {
    type Endpoint = UdpEndpoint;

    fn open_endpoint(&mut self, request: &EndpointRequest) -> Result<UdpEndpoint> {
        if request.ep_type != abi::FI_EP_DGRAM {
            log::info!(target: "ep_ctrl", "endpoint type {} is not offered; use FI_EP_DGRAM", request.ep_type);
            return Err(Error::INVAL);
        }
        UdpEndpoint::open(request)
    }
}

mod ini {
    #[cfg(not(feature = "dl"))]
    kit::provider_entry!(fi_udp_ini, crate::Udp);
    #[cfg(feature = "dl")]
    kit::provider_entry!(fi_prov_ini, crate::Udp);
}
