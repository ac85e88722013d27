//! The measuring programs behind make bench.
