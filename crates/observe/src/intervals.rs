//! 95% intervals of the figures of a result.

use std::collections::BTreeMap;

use serde::Serialize;

/// The intervals of a result.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct IntervalsReport {
    /// 0.95.
    pub confidence: f64,
    /// Whole batches of the window.
    pub batches: u64,
    /// Answered requests of each.
    pub requests_per_batch: u64,
    /// Path of the figure in the result → its interval; `None` where the window is too small for one.
    pub figures: BTreeMap<String, Option<Interval>>,
}

/// A 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Degrees of freedom of Student's t: batches − 1.
    pub degrees: u32,
    /// Whether it reaches farther from the figure than the figure from nothing: then chance is all that the figure tells. Left out
    /// where it doesn't.
    #[serde(skip_serializing_if = "is_false")]
    pub unsure: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Interval {
    /// That of this figure.
    pub fn of(value: f64, low: f64, high: f64, degrees: u32) -> Self {
        Self { low, high, degrees, unsure: (high - value).max(value - low) > value }
    }
}
