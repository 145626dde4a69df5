//! The state at the start still changed when preparation ended.

use super::{Note, percent};
use crate::report::Report;
use crate::settled::Settled;

/// Windows over which the change is told.
const TOLD: usize = 6;

/// Overwrites without simulated time.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let Settled { agrees, waf_of_windows, pages_of_windows, .. } = &report.start;
    if *agrees || waf_of_windows.is_empty() {
        return Vec::new();
    }
    let [waf, pages] = [waf_of_windows, pages_of_windows].map(|windows| change(windows));
    let (what, by) = if waf.abs() >= pages.abs() {
        ("write amplification", waf)
    } else {
        ("the flash pages on which what a request writes had lain", pages)
    };
    let count = waf_of_windows.len();
    let way = if by < 0.0 { "fell" } else { "rose" };
    vec![Note::new(
        "start_not_settled",
        format!(
            "{what} still {way} by {} over the last of {count} windows of overwrites before the first request",
            percent(by.abs())
        ),
        "the drive is on its way to the steady state of this workload, not in it",
        "a warm-up (workload.window), or workload.start.overwrite for uniform overwrites",
    )]
}

/// By which share the last windows differ from the first of them.
fn change(windows: &[f64]) -> f64 {
    let last = windows.get(windows.len().saturating_sub(TOLD)..).unwrap_or(windows);
    match (last.first(), last.last()) {
        (Some(&first), Some(&last)) if first > 0.0 => last / first - 1.0,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_still_changes_more_is_told_unless_it_has_settled() {
        let of = |agrees, waf: &[f64], pages: &[f64]| {
            let (waf_of_windows, pages_of_windows) = (waf.to_vec(), pages.to_vec());
            let start = Settled { agrees, waf_of_windows, pages_of_windows, ..Settled::default() };
            notes(&Report { start, ..Report::default() })
        };
        let falling = [9.0, 4.0, 3.9, 3.8, 3.7, 3.65, 3.6];
        assert!(of(true, &falling, &[]).is_empty() && of(false, &[], &[]).is_empty());
        let told = |pages: &[f64]| of(false, &falling, pages).remove(0).found;
        assert!(
            told(&[]).starts_with("write amplification still fell by 10.0% over the last of 7"),
            "{}",
            told(&[])
        );
        assert!(told(&[0.5, 0.6, 0.7]).starts_with("the flash pages"), "{}", told(&[0.5, 0.6, 0.7]));
    }
}
