//! Generates requests from a description.

mod address;
mod arrivals;
mod generator;
mod permutation;
mod region;
mod sizes;
mod zipf;

pub(crate) use generator::Generator;
