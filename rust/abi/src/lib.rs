//! The public C ABI of libfabric as Rust types: structs, constants, op tables.
