//! Flows of which the window has no request.

use super::Note;
use crate::report::{FlowReport, Report};

/// Each such flow.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let requests = |flow: &&FlowReport| {
        flow.read.requests + flow.write.requests + flow.trim.requests + flow.flush.requests
    };
    report.flows.iter().filter(|flow| requests(flow) == 0).map(note).collect()
}

fn note(flow: &FlowReport) -> Note {
    Note::new(
        "idle_flow",
        format!("flow {} has no request in the window", flow.name),
        "the figures are those of the other flows without it",
        "more requests of it, less warm-up (workload.window), or an arbitration that lets it in",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_without_any_request_is_named() {
        let flow = |name: &str| FlowReport { name: name.into(), ..FlowReport::default() };
        let flows = ["reads", "trims", "none"].map(flow).into();
        let mut report = Report { flows, ..Report::default() };
        (report.flows[0].read.requests, report.flows[1].trim.requests) = (1, 1);
        let found: Vec<String> = notes(&report).into_iter().map(|note| note.found).collect();
        assert_eq!(found, ["flow none has no request in the window"]);
    }
}
