//! The flash array: geometry, timing, dies, channels and what the spare area holds.

pub mod binomial;
pub mod bit_errors;
pub mod channel;
pub mod die;
pub mod divisor;
pub mod geometry;
pub mod oob;
pub mod read_counts;
pub mod timing;

pub use geometry::{Geometry, Place};
pub use read_counts::ReadCounts;
pub use timing::Timing;
