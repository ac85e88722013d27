//! The C entry of the provider: what the library's core calls, once, to get to know it.

use crate::provider::Dpdk;
use crate::settings::Settings;

fn entry() -> *mut abi::fi_provider {
    let provider = kit::entry::<Dpdk>(module_path!());
    // Declares the environment variables, so that `fi_info -e` lists them.
    Settings::get();
    provider
}

/// The provider's entry point when it is part of the library. Called once; the result is the library's until the process
/// ends. Starts nothing and opens nothing.
#[cfg(not(feature = "dl"))]
#[unsafe(no_mangle)]
pub extern "C" fn fi_dpdk_ini() -> *mut abi::fi_provider {
    entry()
}

/// The provider's entry point when it is a library of its own.
#[cfg(feature = "dl")]
#[unsafe(no_mangle)]
pub extern "C" fn fi_prov_ini() -> *mut abi::fi_provider {
    entry()
}
