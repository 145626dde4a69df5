//! Speed and memory of the engine and speed of the readers and generators of traces, each beside its goal.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

pub mod bare;
pub mod bounds;
pub mod callgrind;
pub mod cases;
pub mod clock;
pub mod costs;
pub mod counted;
pub mod described;
pub mod drive;
pub mod embedded;
pub mod generators;
pub mod hot;
pub mod measure;
pub mod mqsim;
pub mod mqsim_files;
mod rooms;
pub mod rows;
pub mod scale;
pub mod schemes;
pub mod soak;
mod sold;
pub mod states;
pub mod traces;
pub mod translation;

/// Why a benchmark gave no result.
pub type Failure = Box<dyn std::error::Error>;
