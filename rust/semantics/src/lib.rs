//! The message layer, sans-IO: matching, unexpected, eager, rendezvous.
