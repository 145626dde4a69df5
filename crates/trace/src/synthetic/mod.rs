//! Generates requests from a description.

mod address;
mod arrivals;
mod generator;
mod law;
mod permutation;
mod region;
mod sizes;
mod zipf;

pub(crate) use generator::Generator;
pub(crate) use law::law;
pub(crate) use permutation::Permutation;
pub(crate) use sizes::SizeDrawer;
pub(crate) use zipf::Zipf;
