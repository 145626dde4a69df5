//! Flows that began or ended within the window.

use super::{Note, percent};
use crate::report::{FlowReport, Report};

/// Assumed: what happens in a smaller share of the window leaves its figures what they are.
const NOTABLE: f64 = 0.01;

/// Each flow that ended beside others which went on, and the first that began later than the window.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let (start, end) = (report.window.start_ns, report.window.end_ns);
    let window = end.saturating_sub(start).max(1) as f64;
    let passed = |time: u64| time.saturating_sub(start) as f64 / window;
    let ended = |flow: &&FlowReport| {
        let has_any = flow.window.end_ns > flow.window.start_ns;
        let went_on = |other: &FlowReport| {
            let beside = other.window.start_ns < flow.window.end_ns;
            beside && passed(other.window.end_ns) - passed(flow.window.end_ns) > NOTABLE
        };
        has_any && report.flows.iter().any(went_on)
    };
    let later = report.flows.iter().find(|flow| passed(flow.window.start_ns) > NOTABLE);
    let ends = report.flows.iter().filter(ended).map(|flow| note(flow, passed(flow.window.end_ns)));
    later.map(|flow| later_note(flow, passed(flow.window.start_ns))).into_iter().chain(ends).collect()
}

fn later_note(flow: &FlowReport, share: f64) -> Note {
    Note::new(
        "later_flow",
        format!("flow {} began after {} of the window", flow.name, percent(share)),
        "figures of the whole run are of several loads, one after the other; those of each flow are of its own time",
        "the figures of the flows, or one load a run",
    )
}

fn note(flow: &FlowReport, share: f64) -> Note {
    Note::new(
        "ended_flow",
        format!("flow {} ended after {} of the window", flow.name, percent(share)),
        "behind its end the others had the drive to themselves: their figures are of two loads, its own rates of the time until then",
        "at_end = \"continue\" of the flow where its source can, a trace that is repeated, or lengths that last equally long; less priority \
         or weight, where it ended since another got nothing in beside it",
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
    #[test]
    fn flows_one_after_the_other_are_told_once_and_no_end_of_them() {
        let flow = |start_ns, end_ns| {
            let window = FlowWindow { start_ns, end_ns };
            FlowReport { name: format!("from {start_ns}"), window, ..FlowReport::default() }
        };
        let mut report = Report::default();
        report.window.end_ns = 1_000;
        report.flows = vec![flow(0, 200), flow(200, 600), flow(600, 1_000)];
        let found: Vec<String> = notes(&report).into_iter().map(|note| note.found).collect();
        assert_eq!(found, ["flow from 200 began after 20% of the window"]);
        report.flows.push(flow(300, 900));
        let found: Vec<String> = notes(&report).into_iter().map(|note| note.found).collect();
        assert_eq!(
            found[1..],
            ["flow from 200 ended after 60% of the window", "flow from 300 ended after 90% of the window"]
        );
    }
}
