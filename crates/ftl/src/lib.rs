//! The translation layer of a drive: map, spare areas (OOB), blocks, write points, victims, placement, copies and parity.
//!
//! Tables and the policies' traits with the small policies. It knows places and logical pages, and nothing of what a die does.

pub mod blocks;
pub mod gc;
pub mod mapping;
pub mod placement;
pub mod redundancy;
pub mod replicate;
pub mod space;
