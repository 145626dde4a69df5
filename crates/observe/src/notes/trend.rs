//! The window is not stationary: a figure rises or falls through it.

use super::mann_kendall::{has_step, has_trend};
use super::{Note, overload, percent};
use crate::batches::Milestone;
use crate::precision::{growth, spread};
use crate::report::Report;

/// Assumed: halves of a window that differ by less are the same for its reader.
const NOTABLE: f64 = 0.05;

/// Response times and WAF.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let page_bytes = f64::from(report.evidence.page_bytes);
    let read = Figure {
        name: "the mean response time of reads",
        over: |end| end.read.latency as f64,
        under: |end| end.read.recorded as f64,
        scale: 1e-3,
        unit: " µs",
    };
    let write = Figure {
        name: "the mean response time of writes",
        over: |end| end.write.latency as f64,
        under: |end| end.write.recorded as f64,
        ..read
    };
    let waf = Figure {
        name: "the WAF",
        over: |end| end.programs as f64,
        under: |end| end.write.answered_bytes as f64,
        scale: page_bytes,
        unit: "",
    };
    let latencies = [read, write];
    let overloaded = overload::is_overloaded(report);
    let shown = latencies.iter().filter(|_| !overloaded).chain(std::iter::once(&waf));
    shown.filter_map(|figure| figure.note(&report.evidence.ends)).collect()
}

/// A ratio of two counts.
#[derive(Clone, Copy)]
struct Figure {
    name: &'static str,
    over: fn(&Milestone) -> f64,
    under: fn(&Milestone) -> f64,
    scale: f64,
    unit: &'static str,
}

impl Figure {
    fn note(&self, ends: &[Milestone]) -> Option<Note> {
        let (over, under) = (growth(ends, self.over), growth(ends, self.under));
        let half = spread(&over, &under)?.around(0.0).high;
        let of = |range: std::ops::Range<usize>| {
            let sum = |values: &[f64]| values.get(range.clone()).unwrap_or_default().iter().sum::<f64>();
            sum(&over) / sum(&under)
        };
        let middle = ends.len() / 2;
        let (first, second, whole) = (of(0..middle), of(middle..ends.len()), of(0..ends.len()));
        let change = second - first;
        let notable = change.abs() > half && change.abs() > NOTABLE * whole;
        if !notable || !(has_trend(&over, &under) || has_step(&over, &under)) {
            return None;
        }
        let [first, second] = [first, second].map(|value| format!("{:.2}{}", value * self.scale, self.unit));
        Some(Note::new(
            "not_stationary",
            format!(
                "{} is {first} in the first half of the window and {second} in the second, {} of the whole apart",
                self.name,
                percent(change.abs() / whole)
            ),
            "the figures are those of a passage, not of a state, and depend on how long the run is",
            "a warm-up (workload.window), or a start that is steady for this scheme and workload (workload.start)",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{noise, reads};
    use super::*;

    #[test]
    fn a_rising_mean_is_told_with_both_halves() {
        let report = reads(32, 100, |batch| (100_000 + 2_000 * batch + 50 * noise(batch), 1_000_000));
        let found = notes(&report);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].kind, "not_stationary");
        assert!(
            found[0].found.contains("reads is 118.") && found[0].found.contains("149."),
            "{}",
            found[0].found
        );
    }

    #[test]
    fn noise_and_small_drifts_are_quiet() {
        let loud = (0..2000u64).filter(|seed| {
            let report = reads(32, 100, |batch| (50_000 + 1_000 * noise(seed * 100 + batch), 1_000_000));
            !notes(&report).is_empty()
        });
        // One of a thousand is expected.
        assert!(loud.count() <= 8);
        assert!(notes(&reads(32, 100, |batch| (100_000 + 50 * batch, 1_000_000))).is_empty());
        assert!(notes(&reads(5, 100, |batch| (100_000 * (batch + 1), 1_000_000))).is_empty());
        assert!(notes(&Report::default()).is_empty());
    }

    /// Batches of 100 writes of a page, with this WAF.
    fn writes(waf: impl Fn(u64) -> u64) -> Report {
        let mut report = reads(40, 100, |_| (100_000, 1_000_000));
        report.evidence.page_bytes = 4096;
        let mut programs = 0;
        for (end, number) in report.evidence.ends.iter_mut().zip(0..) {
            programs += waf(number);
            (end.programs, end.write.answered_bytes) = (programs, (number + 1) * 100 * 4096);
        }
        report
    }

    #[test]
    fn collection_that_sets_in_is_told_however_it_goes_on() {
        // Nothing to collect at first, then more than in the steady state, which is reached from above.
        let hump = |number| match number {
            0..22 => 100,
            22..30 => 400 + noise(number) / 4,
            _ => 300 + noise(number) / 4,
        };
        assert_eq!(notes(&writes(hump)).len(), 1);
        // Ties of what is exactly 1 hide no rise.
        assert_eq!(notes(&writes(|number| if number < 30 { 100 } else { 130 + noise(number) / 8 })).len(), 1);
        assert!(notes(&writes(|number| 300 + noise(number))).is_empty());
    }

    #[test]
    fn a_falling_waf_is_told() {
        let mut report = reads(32, 100, |_| (100_000, 1_000_000));
        report.evidence.page_bytes = 4096;
        let mut programs = 0;
        for (end, number) in report.evidence.ends.iter_mut().zip(1..) {
            programs += 4_000 - 60 * number;
            (end.programs, end.write.answered_bytes) = (programs, number * 100 * 4096);
        }
        let found = notes(&report);
        assert!(found.len() == 1 && found[0].found.starts_with("the WAF is 34."), "{found:?}");
    }
}
