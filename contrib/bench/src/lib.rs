//! The measuring programs behind `make bench`: what the provider is compared with, and how figures are gathered.
//! The programs are in `src/bin`; what they share is here. Nothing here is part of the library.

// One instruction in `ticks` alone.
#![deny(unsafe_code)]

pub mod histogram;
pub mod raw;
pub mod ticks;
