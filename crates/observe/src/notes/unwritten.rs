//! Reads of pages that hold no data.

use super::{Note, percent};
use crate::report::Report;

/// Share of the mapping units read from which they move means.
const NOTABLE: f64 = 0.01;

/// Fewest requests: those of a percentile ([`super::tail`]).
const LEAST: u64 = 30;

/// Units that reads of the host asked for.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let unwritten = report.drive.unmapped_reads;
    let whole = report.read.bytes / u64::from(report.drive.mapping_unit_bytes.max(1));
    // Shorter reads ask for a unit each.
    let asked = whole.max(report.read.requests).max(unwritten);
    let share = unwritten as f64 / asked.max(1) as f64;
    if report.evidence.reads_allocate || report.read.requests < LEAST || share < NOTABLE {
        return Vec::new();
    }
    vec![Note::new(
        "unwritten_reads",
        format!(
            "about {} of the mapping units that were read hold no data ({unwritten} of {asked})",
            percent(share)
        ),
        "such a read is answered without the flash: it takes no time there, and makes a drive look as fast as it is empty",
        "start.occupancy = \"all\" or \"footprint\"; or requests to what holds data: source.region.share as large as start.occupancy",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_without_data_are_told_from_a_hundredth_on() {
        let of = |unwritten: u64, requests: u64, bytes: u64| {
            let mut report = Report::default();
            report.drive.mapping_unit_bytes = 4096;
            report.drive.unmapped_reads = unwritten;
            (report.read.requests, report.read.bytes) = (requests, requests * bytes);
            report
        };
        assert!(notes(&of(50, 100, 4096))[0].found.contains("about 50% of the mapping units"));
        assert!(notes(&of(2, 100, 8192))[0].found.contains("1.0%"), "of two units a request");
        assert!(notes(&of(50, 100, 512))[0].found.contains("50%"), "of one for each short request");
        assert!(notes(&of(1, 200, 4096)).is_empty() && notes(&of(29, 29, 4096)).is_empty());
        let mut allocating = of(50, 100, 4096);
        allocating.evidence.reads_allocate = true;
        assert!(notes(&allocating).is_empty() && notes(&Report::default()).is_empty());
    }
}
