//! The flash array: geometry, timing, dies, channels and what the spare area holds.

pub mod channel;
pub mod die;
pub mod divisor;
pub mod geometry;
pub mod oob;
pub mod timing;

pub use geometry::{Geometry, Place};
pub use timing::Timing;
