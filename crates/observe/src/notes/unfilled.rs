//! Writes that waste much of each flash page.

use super::{Note, percent};
use crate::report::Report;

/// Bytes programmed for the host by bytes written, from which its flash pages are a third empty: beyond what chance leaves
/// open at the edges of requests.
const NOTABLE: f64 = 1.5;

/// Fewest requests: those of a percentile ([`super::tail`]).
const LEAST: u64 = 30;

/// Programs of the host, and of its data cache.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let programmed = programmed(report);
    if programmed < NOTABLE || report.write.requests < LEAST {
        return Vec::new();
    }
    vec![Note::new(
        "unfilled_pages",
        format!(
            "the host's flash pages were filled to {} in the mean: {programmed:.2} bytes were programmed for each byte written, before any \
             collection",
            percent(1.0 / programmed)
        ),
        "a write that is smaller than a flash page, or than a mapping unit, programs a whole one: write amplification, wear and collection \
         count what stays empty",
        "a drive with mapping units no larger than the writes and a write buffer that joins them (scheme.cache), as drives are sold, such as \
         enterprise-tlc; or writes as large as a flash page",
    )]
}

/// Bytes programmed for each that was written. The drives of an array are written what they get of its requests: mirrors and
/// parity leave no page empty.
fn programmed(report: &Report) -> f64 {
    let alone = std::slice::from_ref(report);
    let drives = if report.members.is_empty() { alone } else { report.members.as_slice() };
    let of = |drive: &Report| -> f64 {
        ["host", "write_back"].iter().filter_map(|cause| drive.waf_by_cause.get(*cause)).sum()
    };
    match drives {
        [drive] => of(drive),
        _ => {
            let written: f64 = drives.iter().map(|drive| drive.write.bytes as f64).sum();
            let all: f64 = drives.iter().map(|drive| of(drive) * drive.write.bytes as f64).sum();
            if written > 0.0 { all / written } else { 0.0 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_a_third_empty_or_more_are_told() {
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
        // Writes of half a flash page each, and the least that is told.
        assert!(of(2.0, 0.0, 100)[0].found.contains("filled to 50%"));
        assert_eq!((of(0.0, 2.5, 100).len(), of(1.0, 0.5, 100).len()), (1, 1));
        assert!(of(1.0, 0.49, 100).is_empty() && of(4.0, 0.0, 29).is_empty());
        assert!(notes(&Report::default()).is_empty());
    }

    #[test]
    fn copies_on_the_drives_of_an_array_leave_no_page_empty() {
        let array = |of_each: f64| {
            let drive = |bytes: u64, waf: f64| {
                let mut report = Report::default();
                (report.write.requests, report.write.bytes) = (100, bytes);
                report.waf_by_cause = [("host".to_owned(), waf)].into();
                report
            };
            Report { members: vec![drive(4096, of_each), drive(4096, of_each)], ..drive(4096, 2.0 * of_each) }
        };
        assert_eq!(notes(&array(1.0)), Vec::new());
        assert!(notes(&array(2.0))[0].found.contains("filled to 50%"));
    }
}
