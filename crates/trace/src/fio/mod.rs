//! Job files of fio, the flexible I/O tester: the part of their language that describes load.
//!
//! Written after fio's own documentation (fio(1), "Job file format" and "Job file parameters"). What is modelled, what is ignored
//! and what is refused stands in `docs/generators.md`.

mod access;
mod checks;
mod commands;
mod cover;
mod depth;
mod distribution;
mod ends;
mod engines;
mod file;
mod files;
mod given;
mod iolog;
mod job;
mod keys;
mod latency;
mod lengths;
mod load;
mod options;
mod place;
mod rates;
mod sequence;
mod sizes;
mod source;
mod steady;
mod turns;
mod values;
mod way;
mod workload;
mod zone_keys;
mod zones;
mod zones_of_job;

pub use crate::config::{Access, Direction, FioConfig, JobPlace, JobSetting, Zone};
pub use given::Given;
pub(crate) use source::FioSource;
pub use workload::{Imported, import};
