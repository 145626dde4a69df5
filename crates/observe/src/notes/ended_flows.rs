//! Flows that ended within the window.

use super::{Note, percent};
use crate::report::{FlowReport, Report};

/// Assumed: what happens in a smaller share of the window leaves its figures what they are.
const NOTABLE: f64 = 0.01;

/// Each such flow that has requests in the window.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let window = report.window.end_ns.saturating_sub(report.window.start_ns);
    let share = |flow: &FlowReport| {
        flow.window.end_ns.saturating_sub(flow.window.start_ns) as f64 / window.max(1) as f64
    };
    let ended = |flow: &&FlowReport| share(flow) > 0.0 && share(flow) < 1.0 - NOTABLE;
    report.flows.iter().filter(ended).map(|flow| note(flow, share(flow))).collect()
}

fn note(flow: &FlowReport, share: f64) -> Note {
    Note::new(
        "ended_flow",
        format!("flow {} ended after {} of the window", flow.name, percent(share)),
        "behind its end the others had the drive to themselves: their figures are of two loads, its own rates of the time until then",
        "at_end = \"continue\" of the flow where its source can, a trace that is repeated, or lengths that last equally long",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::FlowWindow;

    #[test]
    fn a_flow_that_ends_within_the_window_is_told_and_one_that_ends_with_it_is_not() {
        let mut report = Report::default();
        (report.window.start_ns, report.window.end_ns) = (1_000, 2_000);
        report.flows = [1_330, 1_989, 1_991, 2_000]
            .map(|end_ns| FlowReport {
                window: FlowWindow { start_ns: 1_000, end_ns },
                ..FlowReport::default()
            })
            .into();
        report.flows[0].name = "first".into();
        let found: Vec<String> = notes(&report).into_iter().map(|note| note.found).collect();
        assert_eq!(
            found,
            ["flow first ended after 33% of the window", "flow  ended after 99% of the window"]
        );
    }
}
