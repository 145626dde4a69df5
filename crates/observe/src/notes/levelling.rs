//! Static wear levelling that never comes to its turn.

use super::Note;
use crate::report::Report;
use wordline_base::class::Cause;

/// Moves that were wanted when the window ended, where none began in it.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let waiting = report.evidence.levelling_waits;
    if waiting == 0 || report.other_moves.contains_key(Cause::WearLevelling.name()) {
        return Vec::new();
    }
    vec![Note::new(
        "no_wear_levelling",
        format!(
            "static wear levelling moved nothing in the window, and wants to in {waiting} of {} domains",
            report.evidence.domains.len()
        ),
        "space comes first: collection never had as many free superblocks as it keeps, so that erase counts are those of a \
         drive without it",
        "more over-provisioning, or fewer writes at once",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::MoveReport;

    #[test]
    fn moves_that_are_wanted_are_told_where_there_was_none() {
        let of = |waiting, moved| {
            let mut report = Report::default();
            report.evidence.levelling_waits = waiting;
            report.evidence.domains.resize(4, Default::default());
            if moved {
                report.other_moves.insert("wear_levelling".into(), MoveReport { victims: 1, moved_units: 9 });
            }
            notes(&report)
        };
        assert!(of(3, false)[0].found.ends_with("wants to in 3 of 4 domains"));
        assert!(of(3, true).is_empty() && of(0, false).is_empty());
    }
}
