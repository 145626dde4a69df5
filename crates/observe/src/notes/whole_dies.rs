//! Parity of pages on a drive whose collection blocks whole dies.

use super::Note;
use crate::report::Report;

/// Reads are rebuilt when their plane collects, and all planes of a die do when one does.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    if !report.evidence.whole_dies_collect || report.gc.victims == 0 {
        return Vec::new();
    }
    vec![Note::new(
        "whole_dies_collect",
        format!(
            "{} superblocks were collected by commands that block all planes of their dies",
            report.gc.victims
        ),
        "reads of pages beside them are rebuilt or wait too: what TTFlash has copyback in planes for",
        "device.copyback.supported = true, device.copyback.blocks = \"plane\" and scheme.gc.copyback = true",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_where_something_was_collected() {
        let of = |whole_dies_collect, victims| {
            let mut report = Report::default();
            (report.evidence.whole_dies_collect, report.gc.victims) = (whole_dies_collect, victims);
            notes(&report)
        };
        assert!(of(true, 7)[0].found.starts_with("7 superblocks"));
        assert!(of(true, 0).is_empty() && of(false, 7).is_empty());
    }
}
