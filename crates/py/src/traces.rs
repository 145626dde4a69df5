//! The traces of a run: when they began, and how long their requests took where they were recorded.

use serde::Serialize;
use wordline_engine::config::host::Arrivals;
use wordline_engine::stats::notes::Note;
use wordline_engine::stats::report::Report;
use wordline_trace::TraceFacts;

/// A trace that was replayed.
#[derive(Serialize)]
pub struct RunTrace {
    /// The flow whose source it is, where the workload has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow: Option<String>,
    #[serde(flatten)]
    facts: TraceFacts,
}

impl RunTrace {
    /// A trace whose requests the host submits so: not in the trace's pace in a closed loop, or with times that are scaled.
    pub fn new(flow: Option<String>, facts: TraceFacts, arrivals: Arrivals, time_scale: f64) -> Self {
        let in_pace = arrivals != Arrivals::Closed && time_scale == 1.0;
        Self { flow, facts: TraceFacts { keeps_pace: facts.keeps_pace && in_pace, ..facts } }
    }
}

/// That response times of traces aren't of the requests whose simulated ones stand beside them, if that is so.
pub fn notes(traces: &[RunTrace], report: &Report) -> Option<Note> {
    let of = |direction: fn(&wordline_trace::MeasuredLatencies) -> u64| {
        traces.iter().filter_map(|trace| trace.facts.measured.as_ref()).map(direction).sum::<u64>()
    };
    let counts = [
        ("reads", of(|measured| measured.read.requests), report.read.requests),
        ("writes", of(|measured| measured.write.requests), report.write.requests),
    ];
    let other = |(_, measured, simulated): &(&str, u64, u64)| *measured > 0 && measured != simulated;
    let differing: Vec<String> = counts
        .into_iter()
        .filter(other)
        .map(|(what, measured, simulated)| format!("{measured} {what} of the trace, {simulated} of the run"))
        .collect();
    (!differing.is_empty()).then(|| {
        Note::new(
            "measured_latencies",
            format!("measured and simulated response times are of different requests: {}", differing.join("; ")),
            "measured ones are of the requests that leading slices and filters keep; simulated ones are of the window, behind all \
             transformations",
            "without a warm-up, and without steps that leave out, split or join requests, they are of the same",
        )
    })
}
