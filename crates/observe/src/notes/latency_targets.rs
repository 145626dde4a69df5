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
    let outstanding = |depth: u32| match depth {
        1 => "1 request outstanding keeps".to_owned(),
        _ => format!("{depth} requests outstanding keep"),
    };
    let found = match (target.queue_depth, target.is_found) {
        (Some(depth), _) if target.goes_on => {
            format!("flow {name}: {} {within} in the last window in time", outstanding(depth))
        }
        (Some(depth), true) => {
            let more = match target.too_many {
                Some(more) => format!("{more} don't"),
                None => "its queue_depth allows no more".to_owned(),
            };
            format!("flow {name}: {} {within}, {more}", outstanding(depth))
        }
        (Some(depth), false) => {
            let keep = outstanding(depth);
            format!("flow {name}: {keep} {within}; it ended before it knew whether more do")
        }
        (None, true) => format!("flow {name}: not even 1 request outstanding keeps {within}"),
        (None, false) => format!("flow {name} ended before its first window, with {within} to be found"),
    };
    let allowed_late = (1.0 - target.percentile / 100.0) * target.answers as f64;
    let is_short = target.answers > 0 && target.percentile < 100.0 && allowed_late < 1.0;
    let (reason, remedy) = match is_short {
        true => (
            "a window has too few answers to tell such a share: one late answer decides; its other figures are of all numbers tried",
            "a longer window, or a lower percentile",
        ),
        false => (
            "its other figures are of all numbers that were tried",
            "a run without latency_target, with the number found as queue_depth",
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
            too_many: Some(8),
            answers: 100,
            ..Default::default()
        };
        let note = told(target(Some(7), true));
        assert_eq!(
            note.found,
            "flow a: 7 requests outstanding keep 99% of the answers within 500 ns, 8 don't"
        );
        assert!(note.reason.starts_with("its other figures"));
        let capped = told(LatencyTargetReport { too_many: None, ..target(Some(1), true) }).found;
        assert!(
            capped.contains("1 request outstanding keeps")
                && capped.ends_with("its queue_depth allows no more")
        );
        let held = told(LatencyTargetReport { goes_on: true, too_many: None, ..target(Some(7), true) }).found;
        assert!(held.ends_with("in the last window in time"));
        assert!(told(target(Some(7), false)).found.ends_with("it ended before it knew whether more do"));
        assert!(told(target(None, true)).found.contains("not even 1"));
        assert!(told(target(None, false)).found.contains("before its first window"));
        let short = |answers| {
            told(LatencyTargetReport { answers, ..target(Some(7), true) }).reason.contains("too few")
        };
        assert!(short(99) && !short(100) && !short(0));
        assert!(
            !told(LatencyTargetReport { percentile: 100.0, ..target(Some(7), true) })
                .reason
                .contains("too few")
        );
    }
}
