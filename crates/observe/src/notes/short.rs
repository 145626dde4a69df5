//! A window too short for intervals.

use super::Note;
use crate::precision::LEAST_BATCHES;
use crate::report::Report;

/// Batches of the window.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let requests = report.read.requests + report.write.requests;
    let batches = report.intervals.batches;
    if requests == 0 || batches >= LEAST_BATCHES as u64 {
        return Vec::new();
    }
    let least = LEAST_BATCHES as u64 * report.intervals.requests_per_batch;
    vec![Note::new(
        "short_window",
        format!("{requests} requests were measured, fewer than {least}"),
        "the window is too short for intervals: how far chance moves its figures is unknown",
        "more requests, or several seeds (--seeds)",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_few_batches_is_told_and_an_empty_one_is_not() {
        let of = |requests, batches| {
            let mut report = Report::default();
            (report.read.requests, report.intervals.batches) = (requests, batches);
            report.intervals.requests_per_batch = 16;
            notes(&report)
        };
        assert_eq!(of(100, 6)[0].found, "100 requests were measured, fewer than 320");
        assert!(of(320, 20).is_empty() && of(0, 0).is_empty());
    }
}
