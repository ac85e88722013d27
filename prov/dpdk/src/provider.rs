//! The provider and its domains, as the kit calls them.

#![forbid(unsafe_code)]

use crate::endpoint::DpdkEndpoint;
use crate::kernel::link_facts;
use crate::offers;
use crate::port::running::{self, PortRef};
use crate::settings::{self, Settings};
use crate::spec::PortSpec;
use kit::{Domain, DomainRequest, EndpointRequest, Error, Offer, Provider, Query, Result};
use std::ffi::CStr;

/// The provider. Its state is the process's list of open ports.
pub struct Dpdk;

impl Provider for Dpdk {
    const NAME: &'static CStr = settings::NAME;
    const VERSION: u32 = abi::FI_VERSION(206, 0);
    type Domain = DpdkDomain;

    fn instance() -> &'static Dpdk {
        &Dpdk
    }

    fn offers(&self, query: &Query) -> Result<Vec<Offer>> {
        match &Settings::get().ports {
            Ok(ports) => offers::offers(ports, query),
            Err(why) => {
                log::warn!(target: "fabric", "{why}");
                Err(Error::INVAL)
            }
        }
    }

    fn open_domain(&self, request: &DomainRequest) -> Result<DpdkDomain> {
        let settings = Settings::get();
        let ports = settings.ports.as_ref().map_err(|why| {
            log::warn!(target: "domain", "{why}");
            Error::INVAL
        })?;
        let Some(config) = ports.iter().find(|p| p.device.name().eq_ignore_ascii_case(&request.name)) else {
            log::warn!(
                target: "domain",
                "no port '{}' is configured; fi_info -p dpdk lists those of FI_DPDK_PORTS",
                request.name
            );
            return Err(Error::new(abi::FI_ENODEV));
        };
        let spec = PortSpec::resolve(config, link_facts).map_err(|e| {
            log::warn!(target: "domain", "{e}");
            Error::new(e.errno())
        })?;
        Ok(DpdkDomain { port: running::open(&spec, settings)? })
    }
}

/// A domain: a share in an open port.
pub struct DpdkDomain {
    port: PortRef,
}

impl Domain for DpdkDomain {
    type Endpoint = DpdkEndpoint;

    fn open_endpoint(&mut self, request: &EndpointRequest) -> Result<DpdkEndpoint> {
        DpdkEndpoint::open(self.port.clone(), request)
    }
}
