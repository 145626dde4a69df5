//! Too few collections for a write amplification.

use super::Note;
use crate::batches::MOST;
use crate::report::Report;

/// A WAF rests on superblocks as a mean on batches: the fewest that carry a result (see [`crate::batches`]).
const LEAST: u64 = MOST as u64 / 2;

/// Victims of the window.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let (evidence, drive) = (&report.evidence, &report.drive);
    let written = report.write.bytes / u64::from(drive.mapping_unit_bytes.max(1));
    let copies = u64::from(evidence.copies.max(1));
    let new = drive.mapped_units.saturating_sub(evidence.mapped_before) / copies;
    let taken = report.gc.victims + evidence.collecting_before;
    // What an SLC cache takes in wins nothing back from native blocks.
    let caches = report.members.iter().chain([report]).filter_map(|drive| drive.slc_cache.as_ref());
    let cached = caches.map(|cache| cache.cached_units).sum::<u64>() / copies;
    // A drive that begins in its steady state does any part of its work in the proportion of the whole: how well a window
    // tells it is said by its interval.
    let by_writes = !report.start.waf_of_windows.is_empty();
    let is_sample = (report.start.formula || by_writes) && report.start.agrees && taken > 0;
    if written <= new + cached || taken >= LEAST || is_sample {
        return Vec::new();
    }
    let found = match taken {
        0 => format!("no superblock was collected although {} pages were overwritten", written - new),
        _ => format!("the WAF rests on {taken} collected superblocks, fewer than {LEAST}"),
    };
    vec![Note::new(
        "few_collections",
        found,
        "WAF and the response times of writes are those of a short passage between collections, or of the layout at the start",
        match evidence.merges {
            true => "more requests, smaller blocks, or a warm-up (workload.window)",
            false => "more requests, smaller blocks or superblocks, or workload.start.layout = \"steady\"",
        },
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(victims: u64, before: u64, pages: u64) -> Vec<Note> {
        notes(&overwritten(victims, before, pages))
    }

    fn overwritten(victims: u64, before: u64, pages: u64) -> Report {
        let mut report = Report::default();
        (report.drive.mapping_unit_bytes, report.write.bytes) = (4096, (100 + pages) * 4096);
        (report.drive.mapped_units, report.evidence.mapped_before) = (1100, 1000);
        (report.gc.victims, report.evidence.collecting_before) = (victims, before);
        report
    }

    #[test]
    fn overwrites_with_few_collections_or_none_are_told() {
        assert!(of(0, 0, 5)[0].found.starts_with("no superblock was collected although 5 pages"));
        assert!(of(7, 3, 5)[0].found.contains("rests on 10 collected"));
        assert!(of(15, 5, 5).is_empty() && of(0, 0, 0).is_empty());
    }

    #[test]
    fn a_drive_that_begins_in_its_steady_state_needs_but_one() {
        let steady = |victims| {
            let mut report = overwritten(victims, 0, 5);
            (report.start.formula, report.start.agrees) = (true, true);
            notes(&report).len()
        };
        assert_eq!([0, 1].map(steady), [1, 0]);
    }
}
