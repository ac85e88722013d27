//! Bindings to the installed libdpdk, made at build time, and a C shim for its inline functions.
