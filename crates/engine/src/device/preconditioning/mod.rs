//! A drive before its first request, without simulated time: laid out, filled and overwritten, in turn or domain by domain, with its
//! caches as a load leaves them, in the middle of its life.

mod by_domain;
mod in_turn;
mod overwriting;
mod phases;
mod places;
mod untimed;
mod used_caches;
mod used_map;

pub use overwriting::Overwriting;
pub(in crate::device) use untimed::Untimed;
