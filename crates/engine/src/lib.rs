//! The simulator of flash SSDs: geometry, timing, translation layer, scheduling and statistics.
//!
//! No I/O, no wall clock and no transport: requests come from a [`host::RequestSource`], results leave as data.

pub mod config;
pub mod host;
pub mod time;
