//! A drive whose life ended before the workload did.

use super::Note;
use crate::report::Report;

/// The end of its life.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    report.end_of_life.iter().map(|end| note(report, end.time_ns)).collect()
}

fn note(report: &Report, time_ns: u64) -> Note {
    let who = if report.members.is_empty() { "the drive" } else { "a drive of the array" };
    let evidence = &report.evidence;
    let all = evidence.planned.map_or_else(String::new, |planned| format!(" of {planned}"));
    let found =
        format!("{who} died at {:.3} s, after {}{all} requests", time_ns as f64 / 1e9, evidence.answered);
    let dead = report.members.iter().find(|member| member.end_of_life.is_some()).unwrap_or(report);
    let lost = dead.bad_blocks.map_or_else(String::new, |counts| {
        format!(" ({} failed, {} superblocks were retired)", counts.grown, counts.retired_superblocks)
    });
    Note::new(
        "end_of_life",
        found,
        &format!(
            "it has too few good blocks left{lost} for collection to win space, and no write succeeds any more: the run ended there, and every \
             figure is of the time until then"
        ),
        "more spare blocks or endurance (device.bad_blocks), a scheme that erases less, or fewer writes, where the drive is to outlive the \
         workload",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::end_of_life::EndOfLife;
    use wordline_ftl::blocks::bad::BadBlocksReport;

    fn dead(planned: Option<u64>) -> Report {
        let end_of_life = Some(EndOfLife { time_ns: 1_250_000_000, host_bytes_written: 1, erases: 1 });
        let bad_blocks =
            Some(BadBlocksReport { grown: 7, retired_superblocks: 2, ..BadBlocksReport::default() });
        let mut report = Report { end_of_life, bad_blocks, ..Report::default() };
        (report.evidence.answered, report.evidence.planned) = (25, planned);
        report
    }

    #[test]
    fn a_drive_that_died_says_so_before_all_else() {
        let first = dead(Some(100)).notes().into_iter().next().unwrap_or_default();
        assert_eq!(first.kind, "end_of_life");
        assert_eq!(first.found, "the drive died at 1.250 s, after 25 of 100 requests");
        assert!(first.reason.contains("7 failed, 2 superblocks were retired"));
        assert!(!first.remedy.is_empty());
        assert!(notes(&dead(None)).iter().all(|note| note.found.ends_with("after 25 requests")));
        assert_eq!(notes(&Report::default()), Vec::new());
    }

    #[test]
    fn of_an_array_one_of_its_drives_died() {
        let mut array = dead(None);
        array.members = vec![Report::default(), dead(None)];
        assert!(notes(&array).iter().all(|note| note.found.starts_with("a drive of the array died")));
    }
}
