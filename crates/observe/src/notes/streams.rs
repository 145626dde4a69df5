//! Flows that name streams which the drive doesn't keep apart, and streams that no load makes use of.

use super::Note;
use crate::report::Report;

/// All that is told of streams.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    together(report).into_iter().chain(unused(report)).collect()
}

/// The drive keeps streams apart, and all writes are of one.
fn unused(report: &Report) -> Option<Note> {
    let (offered, written) = (report.evidence.streams_offered?, report.evidence.streams_written);
    (written.count_ones() == 1).then(|| {
        Note::new(
            "streams_unused",
            format!(
                "all writes are of stream {}, of {offered} that the drive offers",
                written.trailing_zeros()
            ),
            "scheme.blocks.host_write_points has no effect with one stream",
            "flows with a stream each (workload.flow.NAME.stream), or a trace of several devices",
        )
    })
}

/// Several streams write, and all of them go to the same superblocks.
fn together(report: &Report) -> Option<Note> {
    let writing: Vec<String> = report
        .streams
        .iter()
        .filter(|stream| stream.write.requests > 0)
        .map(|stream| stream.stream.to_string())
        .collect();
    if !report.evidence.streams_together || writing.len() < 2 {
        return None;
    }
    Some(Note::new(
        "streams_together",
        format!("flows of streams {} wrote to the same superblocks", writing.join(", ")),
        "the drive offers no streams, so that those of the flows have no effect",
        "as many scheme.blocks.host_write_points as there are streams, with scheme.separation.policy = \"stream\"",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::StreamReport;

    #[test]
    fn streams_of_which_only_one_writes_are_told() {
        let of = |streams_offered, streams_written| {
            let mut report = Report::default();
            report.evidence.streams_offered = streams_offered;
            report.evidence.streams_written = streams_written;
            notes(&report).into_iter().map(|note| note.found).collect::<Vec<_>>()
        };
        assert_eq!(of(Some(4), 0b100), ["all writes are of stream 2, of 4 that the drive offers"]);
        assert!(of(Some(4), 0b101).is_empty(), "two write");
        assert!(of(Some(4), 0).is_empty(), "none writes");
        assert!(of(None, 1).is_empty(), "the drive keeps none apart");
    }

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
