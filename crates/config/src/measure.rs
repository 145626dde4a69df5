//! What is recorded beside the totals of the window: a time series and samples of the drive's state.
//! A workload description holds it as `[measure]`, beside `[window]`.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// What is recorded beside the totals. Everything is off by default, and costs nothing then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureConfig {
    /// Where the run and its window end: `"last_answer"`, or `"idle"`: when the drive has nothing more to do. What it writes
    /// back, folds and collects behind the last answer then counts too, and rates are of that longer time.
    #[serde(default)]
    pub until: Until,
    /// Length of an interval of the time series, ns; 0 = no series.
    #[serde(default)]
    pub interval_ns: u64,
    /// Most rows of the series. When a run needs more, pairs of rows are merged and the interval doubles.
    #[serde(default = "default_rows")]
    pub max_rows: u32,
    /// Time between two samples of the dies' and channels' state, ns; 0 = no samples.
    #[serde(default)]
    pub sample_ns: u64,
    /// Whether each sample is kept as a row, beside the distributions.
    #[serde(default)]
    pub sample_table: bool,
    /// Whether the result has a row for each superblock.
    #[serde(default)]
    pub block_table: bool,
    /// Whether the result has the queues of each chip, and how long its arrays worked and its data moved.
    #[serde(default)]
    pub chips: bool,
    /// Whether read collisions are analysed as Jun et al. do (papers/000, §II), with samples every `sample_ns`, or every
    /// 10 µs where that is 0.
    #[serde(default)]
    pub collisions: bool,
    /// Whether the result has a row for each superblock that read reclaim moved.
    #[serde(default)]
    pub reclaims: bool,
}

/// Where a run and its window end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// With the last answer.
    #[default]
    LastAnswer,
    /// When the drive has nothing more to do.
    Idle,
}

fn default_rows() -> u32 {
    1_000_000
}

impl Default for MeasureConfig {
    fn default() -> Self {
        Self {
            until: Until::default(),
            interval_ns: 0,
            max_rows: default_rows(),
            sample_ns: 0,
            sample_table: false,
            block_table: false,
            chips: false,
            collisions: false,
            reclaims: false,
        }
    }
}

/// Longest interval, ns: eleven days.
const LONGEST_NS: u64 = 1_000_000_000_000_000;

impl MeasureConfig {
    /// What each drive of an array records by itself, where the array records the rest of all of them together.
    #[must_use]
    pub fn of_member(&self) -> Self {
        Self { interval_ns: 0, sample_ns: 0, sample_table: false, ..self.clone() }
    }

    /// Refuses what can't be recorded.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("interval_ns", self.interval_ns, 0, LONGEST_NS)?;
        check_range("max_rows", self.max_rows, 2, 10_000_000)?;
        check_range("sample_ns", self.sample_ns, 0, LONGEST_NS)?;
        if self.sample_table && self.sample_ns == 0 {
            return Err(ConfigError::new("sample_table", true, "true only with sample_ns above 0"));
        }
        Ok(())
    }
}
