//! What an application calls first: fi_getinfo and fi_fabric, parameters, the log, texts, the provider registry and
//! loadable providers. No network, no device and no provider logic: providers are known by `struct fi_provider` alone.
//!
//! # How it becomes a library
//!
//! The Rust half exports functions named `ofi_*` ([`entry`]). The C half, `csrc/`, turns them into the public ones:
//! `symbols.c` gives each its symbol version, `variadic.c` formats the printf arguments of `fi_log` and
//! `fi_param_define`. There are two ways to build it:
//!
//! - **libfabric.so**: the build system compiles `csrc/*.c` and a generated file that defines
//!   `struct fi_provider *(*const ofi_static_providers[])(void)` (entry points, NULL at the end), and links them with
//!   the staticlib of `rust/libfabric` under `libfabric.map`. That staticlib takes this crate without default features.
//!   `OFI_PKGLIBDIR` and `OFI_SYSCONFDIR`, when set while cargo runs, are the directories of loadable providers and of
//!   `libfabric.conf`.
//! - **Rust tests**: with the default feature `plain-symbols`, `build.rs` compiles `csrc/` into this crate under the
//!   plain names, with an empty provider list. A crate whose code calls `abi::fi_log` and the like has `ofi-core` as
//!   dev-dependency and says `#[cfg(test)] use ofi_core as _;`; [`register`] adds a provider.

mod cmem;
mod config;
mod diagnose;
mod dl;
pub mod entry;
mod env;
mod errors;
mod fabric;
mod filter;
mod getinfo;
mod info;
mod layout;
mod log;
mod nic;
mod open;
mod order;
mod params;
mod registry;
mod tostr;

pub use registry::register;

/// A public error number as the C functions return it: negative.
pub(crate) type Code = libc::c_int;
