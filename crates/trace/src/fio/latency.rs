//! The latency that a job keeps by the number of requests it has outstanding.

use wordline_config::latency_target::{LatencyTarget, WhenFound};

use super::options::Settings;
use super::values::{percent, time_ns, whole};

/// What fio counts a time without a unit in.
const MICROSECOND: u64 = 1_000;

/// The target of a job, for what comes behind its `ramp_time`; of one that has rates there is none.
pub(super) fn latency_target(
    keys: &mut Settings<'_>,
    has_rates: bool,
    ramp_ns: u64,
    notes: &mut Vec<String>,
) -> Option<LatencyTarget> {
    let time = |text: &str| time_ns(text, MICROSECOND);
    let target = keys.take_value("latency_target", time).filter(|ns| *ns > 0);
    let window = keys.take_value("latency_window", time);
    let percentile = keys.take_value("latency_percentile", percent);
    let runs_on = keys.take_value("latency_run", |text| whole(text, 0, 1)).map(|on| on == 1);
    let Some(ns) = target else {
        if window.is_some() || percentile.is_some() || runs_on.is_some() {
            let job = keys.job;
            notes.push(format!("job {job}: latency_window, latency_percentile and latency_run do nothing without latency_target, as in fio"));
        }
        return None;
    };
    if has_rates {
        keys.wrong(
            "latency_target: allowed: in a job without a rate, which says how many requests are outstanding",
        );
    }
    Some(LatencyTarget {
        ns,
        percentile: percentile.unwrap_or(100.0),
        // Without a window fio looks at each answer.
        window_ns: window.unwrap_or(0).max(1),
        ramp_ns,
        when_found: if runs_on == Some(true) { WhenFound::Hold } else { WhenFound::Stop },
    })
}
