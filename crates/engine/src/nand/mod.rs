//! The flash array: geometry, timing, dies, channels and what the spare area holds.

pub mod cache_register;
pub mod cell_mode;
pub mod channel;
pub mod copyback;
pub mod die;
pub mod divisor;
pub mod geometry;
pub mod oob;
pub mod timing;

pub use cell_mode::CellMode;
pub use geometry::{Geometry, Place};
pub use timing::Timing;
