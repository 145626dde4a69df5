//! Notes: what keeps a result from being what its reader takes it for, with the numbers found, the reason and a remedy.
//!
//! Each kind is a pure function of the report and the evidence beside it. A sane run in a steady state has none.

mod collections;
mod domains;
mod end;
mod ended_flows;
mod idle_flows;
mod overload;
mod recorded;
mod short;
mod start;
mod streams;
mod tail;
mod trend;
mod unfilled;
mod waits;
mod whole_dies;

use serde::{Deserialize, Serialize};

use super::batches::Milestone;
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
    fn new(kind: &str, found: String, reason: &str, remedy: &str) -> Self {
        Self { kind: kind.to_owned(), found, reason: reason.to_owned(), remedy: remedy.to_owned() }
    }

    /// What the source of a workload has to say.
    pub fn of_workload(text: String) -> Self {
        Self::new("workload", text, "", "")
    }
}

/// Superblocks that collection took in a domain during the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collected {
    /// Superblocks.
    pub victims: u64,
    /// Their valid units when they were chosen.
    pub valid: u64,
}

/// What notes are made from, beside the figures of the report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Whether some requests come at times of their own.
    pub open: bool,
    /// Requests of the workload that were answered, those of the warm-up included.
    pub answered: u64,
    /// Requests that the workload has in all, where that is known.
    pub planned: Option<u64>,
    /// What was counted up to the end of each batch.
    pub ends: Vec<Milestone>,
    /// Bytes of a flash page.
    pub page_bytes: u32,
    /// Each domain.
    pub domains: Vec<Collected>,
    /// Mapping units of a superblock in native mode.
    pub superblock_units: u64,
    /// Superblocks that were being collected when the window opened.
    pub collecting_before: u64,
    /// Logical pages that held data then.
    pub mapped_before: u64,
    /// Whether writes of all streams go to the same superblocks, as far as it's up to streams.
    pub streams_together: bool,
    /// Whether reads are rebuilt by parity of pages, and a plane that collects blocks its whole die.
    pub whole_dies_collect: bool,
}

/// All kinds, in the order in which a result has them.
const KINDS: [fn(&Report) -> Vec<Note>; 16] = [
    end::notes,
    recorded::merged,
    recorded::dropped,
    idle_flows::notes,
    ended_flows::notes,
    overload::notes,
    start::notes,
    trend::notes,
    waits::notes,
    collections::notes,
    domains::notes,
    unfilled::notes,
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
    use crate::stats::batches::Side;

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
