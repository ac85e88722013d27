//! The staticlib that joins core and the enabled providers into libfabric.so. It has no code of its own: it names the
//! crates, so that their C functions are in the archive, and cargo features say which providers.

use ofi_core as _;
#[cfg(feature = "dpdk")]
use prov_dpdk as _;
#[cfg(feature = "udp")]
use prov_udp as _;
