//! The endpoints of the provider, and how the kit drives them.

pub mod dgram;
pub mod outcome;
