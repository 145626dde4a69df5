//! Flows that name streams which the drive doesn't keep apart.

use super::Note;
use crate::report::Report;

/// Several streams write, and all of them go to the same superblocks.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let writing: Vec<String> = report
        .streams
        .iter()
        .filter(|stream| stream.write.requests > 0)
        .map(|stream| stream.stream.to_string())
        .collect();
    if !report.evidence.streams_together || writing.len() < 2 {
        return Vec::new();
    }
    vec![Note::new(
        "streams_together",
        format!("flows of streams {} wrote to the same superblocks", writing.join(", ")),
        "the drive offers no streams, so that those of the flows have no effect",
        "as many scheme.blocks.host_write_points as there are streams, with scheme.separation.policy = \"stream\"",
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::StreamReport;

    #[test]
    fn streams_that_write_and_have_no_effect_are_told() {
        let of = |streams_together, writes: &[(u16, u64)]| {
            let mut report = Report::default();
            report.evidence.streams_together = streams_together;
            report.streams = writes
                .iter()
                .map(|&(stream, requests)| {
                    let mut report = StreamReport { stream, ..StreamReport::default() };
                    report.write.requests = requests;
                    report
                })
                .collect();
            notes(&report)
        };
        assert!(of(true, &[(0, 5), (3, 0), (7, 9)])[0].found.contains("streams 0, 7 wrote"));
        assert!(of(false, &[(0, 5), (7, 9)]).is_empty(), "the drive keeps them apart");
        assert!(of(true, &[(0, 5), (7, 0)]).is_empty(), "only one writes");
        assert!(notes(&Report::default()).is_empty());
    }
}
