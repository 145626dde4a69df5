//! The flash array: geometry, timing, dies, channels and what the spare area holds.

pub mod binomial;
pub mod bit_errors;
pub mod cache_register;
pub mod cell_mode;
pub mod channel;
pub mod copyback;
pub mod die;
pub mod geometry;
pub mod read_counts;
pub mod timing;

pub use cell_mode::CellMode;
pub use geometry::{Geometry, Place};
pub use read_counts::ReadCounts;
pub use timing::Timing;
