//! Safe DPDK: the environment (EAL), devices, ports with their queues, mempools and mbufs.
//!
//! What would be misuse does not compile or is an error value: nothing can be had before [`Eal::init`], a queue has one
//! user, a port is closed when its last queue is gone, a pool outlives its mbufs. The crate knows no protocol.

mod clock;
mod device;
mod eal;
mod error;
mod external;
mod logging;
mod manners;
mod mbuf;
mod mempool;
mod port;
mod thread;

pub use clock::Clock;
pub use device::{Device, DeviceInfo};
pub use eal::{Eal, EalConfig, Memory};
pub use error::Error;
pub use external::{External, ExternalMemory, external_support};
pub use manners::block_signals;
pub use mbuf::Mbuf;
pub use mempool::Mempool;
pub use port::{PortConfig, PortStats, RxQueue, StartedPort, TxQueue};
pub use thread::register_thread;

/// Bytes in front of the data in every mbuf.
pub const HEADROOM: usize = dpdk_sys::RTE_PKTMBUF_HEADROOM as usize;
