//! Notes: what keeps a result from being what its reader takes it for, with the numbers found, the reason and a remedy.
//!
//! Each kind is a pure function of the report and the evidence beside it. A sane run in a steady state has none.

mod collections;
mod domains;
mod end;
mod ended_flows;
mod errors;
mod idle_flows;
mod latency_targets;
mod levelling;
mod mann_kendall;
mod overload;
mod recorded;
mod short;
mod start;
mod steady_ends;
mod streams;
mod tail;
mod trend;
mod unfilled;
mod unwritten;
mod waits;
mod whole_dies;

use serde::Serialize;

use super::report::Report;

/// A note.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Note {
    /// A stable name of what was found (`not_stationary`, `overload`, …).
    pub kind: String,
    /// What was found, in numbers.
    pub found: String,
    /// What that does to the result; empty where `found` says it.
    pub reason: String,
    /// What helps; empty where nothing needs help.
    pub remedy: String,
}

impl Note {
    /// With texts of its own.
    pub fn new(kind: &str, found: String, reason: &str, remedy: &str) -> Self {
        Self { kind: kind.to_owned(), found, reason: reason.to_owned(), remedy: remedy.to_owned() }
    }

    /// What the source of a workload has to say.
    pub fn of_workload(text: String) -> Self {
        Self::new("workload", text, "", "")
    }
}

/// All kinds, in the order in which a result has them.
const KINDS: [fn(&Report) -> Vec<Note>; 21] = [
    end::notes,
    errors::notes,
    recorded::merged,
    recorded::dropped,
    idle_flows::notes,
    ended_flows::notes,
    latency_targets::notes,
    steady_ends::notes,
    overload::notes,
    start::notes,
    trend::notes,
    waits::notes,
    collections::notes,
    domains::notes,
    levelling::notes,
    unfilled::notes,
    unwritten::notes,
    streams::notes,
    whole_dies::notes,
    short::notes,
    tail::notes,
];

impl Report {
    /// What its reader should know.
    pub fn notes(&self) -> Vec<Note> {
        KINDS.iter().flat_map(|kind| kind(self)).collect()
    }
}

/// Percent with as many digits as it needs.
fn percent(share: f64) -> String {
    if share < 0.1 { format!("{:.1}%", share * 100.0) } else { format!("{:.0}%", share * 100.0) }
}

#[cfg(test)]
mod made {
    //! Reports for the tests of the kinds.

    use super::*;
    use crate::batches::{Milestone, Side};

    /// Batches of `each` reads; `of(batch)` gives their mean response time and the time that the batch takes, ns.
    pub fn reads(batches: u64, each: u64, of: impl Fn(u64) -> (u64, u64)) -> Report {
        let (mut now, mut latency) = (0, 0u128);
        let mut report = Report::default();
        for batch in 1..=batches {
            let (mean, time) = of(batch - 1);
            now += time;
            latency += u128::from(mean * each);
            let (recorded, answered) = (batch * each, batch * each);
            let read = Side { recorded, latency, answered, ..Side::default() };
            report.evidence.ends.push(Milestone { time: now, read, ..Milestone::default() });
        }
        report.read.requests = batches * each;
        report.intervals.batches = batches;
        report
    }

    /// A number from 0 to 127 that looks random.
    pub fn noise(number: u64) -> u64 {
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40
            & 127
    }
}
