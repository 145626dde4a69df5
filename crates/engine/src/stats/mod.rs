//! What a run measures: response times and their blame, flash operations by class, occupancy of dies and channels.

pub mod batches;
pub mod blame;
pub mod chips;
pub mod clock;
pub mod collisions;
pub mod copies;
pub mod disturb;
pub mod energy;
mod histogram;
pub mod latency;
pub mod lean;
pub mod mapping;
pub mod measured;
pub mod notes;
pub mod precision;
pub mod reclaim;
pub mod recorder;
pub mod redundancy;
pub mod report;
pub mod samples;
pub mod series;
pub mod settled;
pub mod slc_cache;
pub mod sparse;
pub mod table;
pub mod tally;
pub mod tenants;
