//! What a run measures: response times and their blame, flash operations by class, occupancy of dies and channels.

pub mod batches;
pub mod blame;
pub mod chips;
pub mod collisions;
pub mod copies;
pub mod data_cache;
pub mod disturb;
pub mod dram;
pub mod energy;
pub mod evidence;
mod histogram;
pub mod intervals;
pub mod latency;
pub mod lean;
pub mod mapping;
pub mod measured;
pub mod notes;
mod percentiles;
pub mod precision;
pub mod probe;
pub mod reclaim;
pub mod recorder;
pub mod redundancy;
pub mod report;
pub mod samples;
pub mod seldom;
pub mod series;
pub mod settled;
pub mod slc_cache;
pub mod table;
pub mod tally;
pub mod tenants;
pub mod timed;

pub use wordline_ftl::blocks::end_of_life;
