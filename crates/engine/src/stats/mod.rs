//! What a run measures: response times and their blame, flash operations by class, occupancy of dies and channels.

pub mod blame;
pub mod disturb;
pub mod latency;
pub mod reclaim;
pub mod recorder;
pub mod report;
