//! Flows that end when they are steady: whether they were.

use super::Note;
use crate::report::{Report, SteadyEndReport};

/// What each came to.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    report.steady_ends.iter().map(|end| note(end, report.window.start_ns)).collect()
}

fn note(end: &SteadyEndReport, start_ns: u64) -> Note {
    let names = end.flows.join(", ");
    match end.at_ns {
        Some(at) => Note::new(
            "steady_end",
            format!(
                "{names} ended {:.3} s into the window, steady",
                at.saturating_sub(start_ns) as f64 / 1e9
            ),
            "figures are of the way there, too; the mean of the steady window is in steady_ends",
            "a run without steady_end, with a warm-up (workload.window) of that length",
        ),
        None => Note::new(
            "not_steady",
            match end.distance {
                Some(distance) => {
                    format!("{names} ended at {distance:.6} for a limit of {}, not steady", end.limit)
                }
                None => format!("{names} ended before a window was over in which it could be steady"),
            },
            "its figures are of a load that hasn't settled",
            "a longer run, or a window, intervals or a limit that chance allows",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_told_whether_flows_were_steady_and_when() {
        let told = |at_ns, distance| {
            let flows = vec!["a".to_owned(), "b".to_owned()];
            note(
                &SteadyEndReport { flows, at_ns, distance, limit: 0.01, ..SteadyEndReport::default() },
                500_000_000,
            )
        };
        assert_eq!(
            told(Some(2_000_000_000), Some(0.001)).found,
            "a, b ended 1.500 s into the window, steady"
        );
        assert_eq!(told(None, Some(0.25)).found, "a, b ended at 0.250000 for a limit of 0.01, not steady");
        assert!(told(None, None).found.contains("before a window was over"));
        assert_eq!(told(None, None).kind, "not_steady");
    }
}
