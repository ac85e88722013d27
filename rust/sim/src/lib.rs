//! A deterministic network for tests and studies.
