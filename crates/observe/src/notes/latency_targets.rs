//! Flows that look for how many of their requests may be outstanding: what they found, and what their figures are of.

use super::Note;
use crate::report::{LatencyTargetReport, Report};

/// What each such flow found.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    report.latency_targets.iter().map(note).collect()
}

fn note(target: &LatencyTargetReport) -> Note {
    let name = &target.flow;
    let within = format!("{}% of the answers within {} ns", target.percentile, target.ns);
    let found = match (target.queue_depth, target.is_found) {
        (Some(depth), true) => format!("flow {name}: {depth} requests outstanding, no more, keep {within}"),
        (Some(depth), false) => {
            format!(
                "flow {name}: {depth} requests outstanding keep {within}; it ended before it knew whether more do"
            )
        }
        (None, true) => format!("flow {name}: not even 1 request outstanding keeps {within}"),
        (None, false) => format!("flow {name} ended before its first window, with {within} to be found"),
    };
    let allowed_late = (1.0 - target.percentile / 100.0) * target.answers as f64;
    let (reason, remedy) = match target.percentile < 100.0 && allowed_late < 1.0 {
        true => (
            "a window has too few answers to tell such a share: one late answer decides; its other figures are of all numbers tried",
            "a longer window, or a lower percentile",
        ),
        false => (
            "its other figures are of all numbers that were tried",
            "a run with the number found as its queue_depth",
        ),
    };
    Note::new("latency_target", found, reason, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(target: LatencyTargetReport) -> Note {
        note(&LatencyTargetReport { flow: "a".into(), ..target })
    }

    #[test]
    fn what_was_found_is_told_and_windows_too_short_for_their_percentile() {
        let target = |queue_depth, is_found| LatencyTargetReport {
            ns: 500,
            percentile: 99.0,
            queue_depth,
            is_found,
            answers: 100,
            ..Default::default()
        };
        let note = told(target(Some(7), true));
        assert_eq!(
            note.found,
            "flow a: 7 requests outstanding, no more, keep 99% of the answers within 500 ns"
        );
        assert!(note.reason.starts_with("its other figures"));
        assert!(told(target(Some(7), false)).found.ends_with("it ended before it knew whether more do"));
        assert!(told(target(None, true)).found.contains("not even 1"));
        assert!(told(target(None, false)).found.contains("before its first window"));
        assert!(
            told(LatencyTargetReport { answers: 99, ..target(Some(7), true) })
                .reason
                .contains("too few answers")
        );
        assert!(
            !told(LatencyTargetReport { percentile: 100.0, ..target(Some(7), true) })
                .reason
                .contains("too few")
        );
    }
}
