//! What the core sees of a provider: the entry point's structure and its `getinfo`.

use crate::ffi::guard;
use crate::provider::Provider;
use crate::query::Query;
use crate::{Error, fabric, info, log as kit_log, negotiate};
use libc::{c_char, c_int};

/// Makes a provider's exported C entry point.
///
/// `provider_entry!(fi_udp_ini, UdpProvider)` defines `extern "C" fn fi_udp_ini() -> *mut fi_provider`, which the core
/// calls once.
#[macro_export]
macro_rules! provider_entry {
    ($name:ident, $provider:ty) => {
        /// The provider's entry point: called once by the library's core.
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> *mut abi::fi_provider {
            $crate::entry::<$provider>(module_path!())
        }
    };
}

/// The structure behind an entry point, made once and kept until the process ends, as the core demands.
pub fn entry<P: Provider>(module: &'static str) -> *mut abi::fi_provider {
    let p = Box::into_raw(Box::new(abi::fi_provider {
        version: P::VERSION,
        fi_version: abi::API_VERSION,
        context: abi::fi_context { internal: [std::ptr::null_mut(); 4] },
        name: P::NAME.as_ptr(),
        getinfo: Some(getinfo::<P>),
        fabric: Some(fabric::open::<P>),
        cleanup: None,
    }));
    kit_log::register(P::NAME, module, p);
    p
}

unsafe extern "C" fn getinfo<P: Provider>(
    version: u32,
    node: *const c_char,
    service: *const c_char,
    flags: u64,
    hints: *const abi::fi_info,
    out: *mut *mut abi::fi_info,
) -> c_int {
    guard(|| {
        // SAFETY: the arguments of fi_getinfo, as the core passes them on.
        let (query, hints) =
            unsafe { (Query::from_c(version, node, service, flags, hints)?, hints.as_ref()) };
        let offers = P::instance().offers(&query)?;
        let mut list = info::List::new();
        for offer in &offers {
            // SAFETY: hints are valid by contract.
            match unsafe { negotiate::negotiate(version, hints, offer) } {
                Ok(result) => list.push(&result, hints)?,
                Err(why) => log::info!(
                    target: "fabric",
                    "{} {}: {why}",
                    P::NAME.to_string_lossy(),
                    offer.domain_name
                ),
            }
        }
        if list.is_empty() {
            return Err(Error::NODATA);
        }
        // SAFETY: writable by contract.
        unsafe { *out = list.into_raw() };
        Ok(0)
    })
}
