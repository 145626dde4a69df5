//! More load than the drive takes: requests come at times of their own, and more and more wait.

use super::Note;
use super::mann_kendall::rises;
use crate::precision::growth;
use crate::report::Report;

/// Assumed: a queue that has not doubled from the first fifth of the window to its last fifth does not run away.
const GROWS: f64 = 2.0;

/// Assumed: fewer requests more in the queue are no overload.
const NOTABLE: f64 = 16.0;

/// Fewest batches that say anything.
const LEAST: usize = 10;

/// The queue.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let Some((first, last)) = queue(report) else { return Vec::new() };
    vec![Note::new(
        "overload",
        format!(
            "{first:.0} requests are under way in the mean of the first fifth of the window, {last:.0} in its last fifth"
        ),
        "more requests come than the drive takes, so they wait ever longer: response times grow with the length of the run",
        "fewer requests a second (workload.host.time_scale, or the rate of the source), or arrivals = \"closed\" for the rate that the drive has",
    )]
}

pub(super) fn is_overloaded(report: &Report) -> bool {
    queue(report).is_some()
}

/// Requests under way in the first and in the last fifth of the window, where they become more and more. By Little's law:
/// response times ÷ time (J. D. C. Little, "A Proof for the Queuing Formula: L = λW", Operations Research 9(3), 1961,
/// pp. 383–387).
fn queue(report: &Report) -> Option<(f64, f64)> {
    let ends = &report.evidence.ends;
    if !report.evidence.open || ends.len() < LEAST {
        return None;
    }
    let waited = growth(ends, |end| (end.read.latency + end.write.latency) as f64);
    let time = growth(ends, |end| end.time as f64);
    let fifth = ends.len() / 5;
    let mean = |range: std::ops::Range<usize>| {
        let sum = |values: &[f64]| values.get(range.clone()).unwrap_or_default().iter().sum::<f64>();
        let time = sum(&time);
        if time > 0.0 { sum(&waited) / time } else { 0.0 }
    };
    let (first, last) = (mean(0..fifth), mean(ends.len() - fifth..ends.len()));
    (last > GROWS * first && last - first > NOTABLE && rises(&waited, &time)).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::super::made::{noise, reads};
    use super::*;

    #[test]
    fn a_queue_that_grows_is_told_in_an_open_loop_only() {
        let grows = |batch| (100_000 * (batch + 1), 1_000_000);
        let mut report = reads(30, 100, grows);
        assert!(notes(&report).is_empty());
        report.evidence.open = true;
        assert!(notes(&report)[0].found.starts_with("35 requests"), "{:?}", notes(&report));
        // The mean response time grows, too, but the queue says why.
        assert_eq!(report.notes().iter().filter(|note| note.kind == "not_stationary").count(), 0);
    }

    #[test]
    fn a_load_that_the_drive_takes_is_quiet() {
        let mut report = reads(30, 100, |batch| (50_000 + 10_000 * noise(batch), 1_000_000));
        report.evidence.open = true;
        assert!(notes(&report).is_empty());
        let mut report = reads(30, 1, |batch| (100_000 * (batch + 1), 1_000_000));
        report.evidence.open = true;
        assert!(notes(&report).is_empty());
    }
}
