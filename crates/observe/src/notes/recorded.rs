//! What was left out of tables.

use super::Note;
use crate::report::Report;

/// Rows of the series were merged.
pub(super) fn merged(report: &Report) -> Vec<Note> {
    let series = report.series.iter().filter(|series| series.merges > 0);
    series
        .map(|series| {
            Note::new(
                "series_merged",
                format!("the time series' interval is now {} ns", series.interval_ns),
                "the series grew beyond workload.measure.max_rows, and percentiles of merged rows are unknown",
                "a longer workload.measure.interval_ns, or more max_rows",
            )
        })
        .collect()
}

/// Samples have no row.
pub(super) fn dropped(report: &Report) -> Vec<Note> {
    let samples = report.samples.iter().filter(|samples| samples.dropped > 0);
    samples
        .map(|samples| {
            Note::new(
                "samples_dropped",
                format!("{} samples have no row", samples.dropped),
                "the table of samples is full; the distributions have all of them",
                "a longer workload.measure.sample_ns",
            )
        })
        .collect()
}
