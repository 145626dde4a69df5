//! Writes that waste most of a flash page.

use super::{Note, percent};
use crate::stats::report::Report;

/// Bytes programmed for the host by bytes written, from which less than half of a flash page is filled.
const HALF: f64 = 2.0;

/// Fewest requests: those of a percentile ([`super::tail`]).
const LEAST: u64 = 30;

/// Programs of the host, and of its data cache.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let programmed: f64 =
        ["host", "write_back"].iter().filter_map(|cause| report.waf_by_cause.get(*cause)).sum();
    if programmed <= HALF || report.write.requests < LEAST {
        return Vec::new();
    }
    vec![Note::new(
        "unfilled_pages",
        format!("the host's flash pages were filled to {} in the mean", percent(1.0 / programmed)),
        "each write programs a flash page, or several for a program unit, and the rest stays empty: WAF and wear count it",
        "a write buffer (scheme.cache), which joins small writes, or writes as large as a flash page",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_less_than_half_full_are_told() {
        let of = |host: f64, write_back: f64, requests| {
            let mut report = Report::default();
            report.write.requests = requests;
            report.waf_by_cause = [("host", host), ("write_back", write_back), ("gc", 9.0)]
                .into_iter()
                .map(|(cause, waf)| (cause.to_owned(), waf))
                .collect();
            notes(&report)
        };
        assert!(of(4.0, 0.0, 100)[0].found.contains("filled to 25%"));
        assert_eq!(of(0.0, 2.5, 100).len(), 1);
        assert!(of(1.0, 0.9, 100).is_empty() && of(4.0, 0.0, 29).is_empty());
        assert!(notes(&Report::default()).is_empty());
    }
}
