//! The staticlib that joins core and the enabled providers into libfabric.so.
