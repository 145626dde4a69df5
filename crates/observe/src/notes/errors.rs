//! What bit errors keep a result from being.

use super::Note;
use crate::report::Report;

/// Data that was lost, and terms that add nothing.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    lost(report).into_iter().chain(unworn(report)).collect()
}

/// Pages that no retry corrected.
fn lost(report: &Report) -> Option<Note> {
    let errors = report.errors.as_ref().filter(|errors| errors.uncorrectable_pages > 0)?;
    let pages: u64 = errors.pages_by_retries.iter().sum();
    Some(Note::new(
        "uncorrectable",
        format!(
            "{} of {pages} flash pages read were corrected by no retry: their data is lost",
            errors.uncorrectable_pages
        ),
        "the run goes on as if it had been read: nobody is told, nothing is rebuilt, and checked mode doesn't count it",
        "fewer bit errors or a stronger code (device.errors), read reclaim or fresher data, where a drive is meant that keeps its data",
    ))
}

/// No block has been erased: what grows with P/E cycles is 0.
fn unworn(report: &Report) -> Option<Note> {
    let read = report.errors.as_ref().is_some_and(|errors| errors.codewords > 0);
    (read && report.evidence.start_cycles == Some(0) && report.erase_counts.max == 0).then(|| {
        Note::new(
            "unworn",
            "no block was ever erased (device.errors.start_cycles = 0)".to_owned(),
            "wear, retention and read disturb all grow with the P/E cycles of a block: none adds a bit error here, whatever its keys \
             and the age of the data",
            "the P/E cycles of the drive that is meant, as device.errors.start_cycles",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disturb::ErrorsReport;

    fn with(errors: ErrorsReport, start_cycles: u32, erases: u32) -> Vec<String> {
        let mut report = Report { errors: Some(errors), ..Report::default() };
        report.evidence.start_cycles = Some(start_cycles);
        report.erase_counts.max = erases;
        notes(&report).into_iter().map(|note| note.found).collect()
    }

    #[test]
    fn pages_whose_data_is_lost_are_told() {
        let errors = |uncorrectable_pages| ErrorsReport {
            codewords: 40,
            uncorrectable_pages,
            pages_by_retries: vec![5, 3, 2],
            ..ErrorsReport::default()
        };
        let found = with(errors(2), 1000, 0);
        assert_eq!(found, ["2 of 10 flash pages read were corrected by no retry: their data is lost"]);
        assert!(with(errors(0), 1000, 0).is_empty());
    }

    #[test]
    fn a_drive_without_p_e_cycles_has_errors_of_fresh_blocks_alone() {
        let read = || ErrorsReport { codewords: 40, ..ErrorsReport::default() };
        assert_eq!(with(read(), 0, 0), ["no block was ever erased (device.errors.start_cycles = 0)"]);
        assert!(with(read(), 1, 0).is_empty() && with(read(), 0, 1).is_empty());
        assert!(with(ErrorsReport::default(), 0, 0).is_empty(), "nothing was read");
        assert!(notes(&Report::default()).is_empty());
    }
}
