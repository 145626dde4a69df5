//! Percentiles that rest on few requests.

use super::Note;
use crate::precision::PERCENTILES;
use crate::report::Report;

/// Fewest requests behind a percentile: with 30 the relative standard deviation of their number is 1 / √30, 18%.
const LEAST: f64 = 30.0;

/// The last percentile that is looked at. p99.99 would need 300,000 requests, and its interval says the same.
const LAST: f64 = 0.999;

/// The first such percentile of each kind of request.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let directions = [
        ("reads", &report.read),
        ("writes", &report.write),
        ("TRIMs", &report.trim),
        ("flushes", &report.flush),
    ];
    directions.into_iter().filter_map(|(name, direction)| of(name, direction.requests)).collect()
}

fn of(direction: &str, requests: u64) -> Option<Note> {
    let behind = |share: f64| requests as f64 * (1.0 - share);
    let looked_at = PERCENTILES.iter().filter(|&&(_, share)| share <= LAST && requests > 0);
    // What is lacking by rounding only isn't lacking.
    let (name, share) = looked_at.copied().find(|&(_, share)| behind(share) < LEAST - 1e-6)?;
    let percentile = name.replace('_', ".");
    let needed = (LEAST / (1.0 - share) - 1e-6).ceil();
    Some(Note::new(
        "few_in_tail",
        format!(
            "{percentile} of {direction} rests on {:.0} of {requests} requests, fewer than {LEAST}",
            (behind(share) + 1e-6).floor()
        ),
        "that percentile and those beyond it are single requests, not the tail of a distribution",
        &format!("{needed:.0} {direction} or more in the window for {percentile}"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_percentile_that_rests_on_few_is_told() {
        let of = |requests| of("reads", requests);
        assert!(of(2000).unwrap_or_default().found.starts_with("p99 of reads rests on 20 of 2000"));
        assert!(of(4000).unwrap_or_default().found.starts_with("p99.5 of reads rests on 20"));
        assert!(of(29_999).unwrap_or_default().remedy.starts_with("30000 reads"));
        assert!(of(29_999).unwrap_or_default().found.starts_with("p99.9 of reads rests on 29 of 29999"));
        assert_eq!((of(30_000), of(0)), (None, None));
    }
}
