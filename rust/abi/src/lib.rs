//! The public C ABI of libfabric (API 2.6) as Rust types.
//!
//! One module per public C header, all re-exported here under their C names, so that Rust code reads like
//! the manual pages. Nothing here has behaviour: objects are opened and called through op tables, whose
//! members are `Option`s because a provider may leave any of them out. Layouts are proved in `layout`.

#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals, clippy::type_complexity)]

mod atomic;
mod cm;
mod collective;
mod domain;
mod endpoint;
mod eq;
mod errno;
mod ext;
mod fabric;
mod imports;
mod layout;
mod log;
mod peer;
mod profile;
mod prov;
mod rma;
mod tagged;
mod trigger;

pub use atomic::*;
pub use cm::*;
pub use collective::*;
pub use domain::*;
pub use endpoint::*;
pub use eq::*;
pub use errno::*;
pub use ext::*;
pub use fabric::*;
pub use imports::*;
pub use log::*;
pub use peer::*;
pub use profile::*;
pub use prov::*;
pub use rma::*;
pub use tagged::*;
pub use trigger::*;
