//! Bindings to the installed libdpdk, generated at build time, and to a C shim for its inline functions.
//!
//! Nothing here is safe; the crate `dpdk` is the only user.

#![allow(non_camel_case_types, non_upper_case_globals, non_snake_case, missing_docs)]
#![allow(clippy::all, unsafe_op_in_unsafe_fn, unnecessary_transmutes)]

include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
