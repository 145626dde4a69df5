//! 95% intervals of the figures of a result.

use std::collections::BTreeMap;

use serde::Serialize;

/// The intervals of a result.
///
/// **Batches.** Dynamic batch means (Y. Yeh, B. W. Schmeiser, Winter Simulation Conference 2000): a batch ends with every 16th
/// answered request. When there are 40, every two become one and those that follow hold twice as many. So there are 20 to 39,
/// each of at least 2.5% of the window; more gain little (B. Schmeiser, Operations Research 30(3), 1982). A window with fewer
/// than 20 batches, that is 320 answered requests, has no intervals.
///
/// **Means, rates, WAF** are ratios of two sums over the *m* batches. With *R* the ratio of the sums of *y* and *x* (W. G.
/// Cochran, "Sampling Techniques", 3rd ed., Wiley 1977, ch. 6):
///
/// `s² = m / (m − 1) · Σ (y − R · x)² / (Σ x)²`, interval = figure ± t(0.975, m − 1) · s.
///
/// As long as residuals depend on those before them, every two are joined, down to 10 (G. S. Fishman, L. S. Yarberry, INFORMS
/// Journal on Computing 9(3), 1997). Von Neumann's test at the 5% level tells (Annals of Mathematical Statistics 12(4), 1941).
///
/// **Percentiles** are response times at two ranks. Of *n* independent requests the number below the *p*-quantile has the
/// standard deviation √(n·p·(1 − p)) (W. J. Conover, "Practical Nonparametric Statistics", 3rd ed., Wiley 1999, §3.2). Requests
/// depend on each other, so that is multiplied with the root of the design effect, at least 1. That is the variance over batches
/// of the share of requests below the border nearest to the percentile, by what it would be for independent ones. The interval of
/// the share becomes one of response times at the ranks where it ends (R. S. Woodruff, JASA 47(260), 1952). Borders are those of
/// levels 6.25% wide. A percentile whose upper rank lies behind the last request has no interval; one that many requests have to
/// the nanosecond has an interval without width.
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
