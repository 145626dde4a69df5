//! What the requests of a trace do together: bursts and how often they come again, pages by what they get, reads that come back
//! soon, runs of one kind at a page, reads that fall unevenly on groups of pages. [`model`](model::model_of) makes of it a model
//! that does alike.

mod arrivals;
mod bursts;
mod lengths;
mod links;
mod model;
mod places;
mod residues;
mod runs;

use serde::{Deserialize, Serialize};
use wordline_base::request::{HostOp, HostRequest};

use super::model::{BurstOp, Skew};
use super::page_counts::{PAGE, PageCounts, PageKind};
use arrivals::{GapTally, TwoGaps};
use bursts::{Bursts, Chain};
use lengths::Lengths;
pub(super) use model::model_of;
use places::Places;
use residues::Begins;
use runs::Runs;

/// What the requests of a trace do together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Patterns {
    /// Largest gap between two requests of a burst, ns; 0 where requests don't come in bursts.
    pub within_ns: u64,
    /// What comes in a row of bursts and single requests, on average, before there is nothing for longer.
    pub row: f64,
    /// Mean gap within such a row, ns.
    pub row_gap_ns: f64,
    /// Mean gap between rows, ns.
    pub idle_gap_ns: f64,
    /// Bursts, by kind and by length in powers of two.
    pub burst: Vec<BurstPattern>,
    /// Pages by what they get.
    pub class: Vec<ClassPattern>,
    /// Reads that fall unevenly on aligned groups of pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skew: Option<Skew>,
}

/// Bursts of one kind: requests that follow one another at short distances, nothing of the other kind between them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BurstPattern {
    /// Whether their requests read or write.
    pub op: BurstOp,
    /// Pages that most of them go to.
    pub class: PageKind,
    /// Requests of a burst, on average.
    pub requests: f64,
    /// Share of all reads, or of all writes, that come in them.
    pub share: f64,
    /// Mean gap between two requests, ns.
    pub gap_ns: f64,
    /// Requests in a row that go on where the one before ended, on average.
    pub run: f64,
    /// How often two pages come one after the other in a burst before they do no more.
    pub times: f64,
    /// Bursts between one time and the next, on average: as many sequences of pages are in use at a time.
    pub sequences: f64,
    /// Bytes of the aligned groups in which requests begin as the first one does; 0: none do.
    pub aligned_bytes: u64,
    /// Share of the requests behind the first that do so, beyond chance.
    pub aligned_share: f64,
}

/// Pages that get alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassPattern {
    /// What they get.
    pub class: PageKind,
    /// Pages of 4 KiB that were touched.
    pub pages: u64,
    /// Bytes that requests are drawn from, with those that weren't touched yet.
    pub bytes: u64,
    /// Share of the single reads that go to them.
    pub reads: f64,
    /// Share of the single writes.
    pub writes: f64,
    /// Skew of their popularity (Zipf); 0: all alike.
    pub theta: f64,
    /// Share of their single reads that come back to one of the latest, beyond what popularity explains.
    pub recent_share: f64,
    /// How many the latest reads are.
    pub recent_reads: u32,
    /// Requests of one kind in a row at a page, on average.
    pub run: f64,
    /// The same, by what it were if each request were drawn by itself.
    pub run_by_chance: f64,
    /// Requests to pages of this class from the beginning of one such row at a page to the beginning of the next, on average.
    pub turn: f64,
}

/// The first pass over a trace.
#[derive(Default)]
pub(super) struct FirstLook {
    last_ns: Option<u64>,
    last_read: bool,
    gaps: GapTally,
    lengths: [Lengths; 2],
    reads: u64,
    writes: u64,
    begins: Begins,
}

/// The second pass over a trace.
pub(super) struct SecondLook {
    first: FirstLook,
    pages: PageCounts,
    gaps: TwoGaps,
    bursts: Bursts,
    places: Places,
    runs: Runs,
}

/// With five digits, as a profile keeps it: more take room from its pieces.
fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

/// Whether a request reads or writes data, and which.
fn reads(request: &HostRequest) -> Option<bool> {
    match request.op {
        HostOp::Read => Some(true),
        HostOp::Write | HostOp::WriteFua => Some(false),
        HostOp::Trim | HostOp::Flush => None,
    }
}

impl FirstLook {
    pub(super) fn add(&mut self, request: &HostRequest) {
        let Some(read) = reads(request) else { return };
        if let Some(last) = self.last_ns {
            self.gaps.add(request.time.0.saturating_sub(last), read == self.last_read);
        }
        (self.last_ns, self.last_read) = (Some(request.time.0), read);
        let [read_lengths, write_lengths] = &mut self.lengths;
        let (count, lengths) =
            if read { (&mut self.reads, read_lengths) } else { (&mut self.writes, write_lengths) };
        *count += 1;
        lengths.add(request.length);
        if read {
            self.begins.add(request.offset);
        }
    }

    /// Ready for the second pass over the trace with these pages.
    pub(super) fn second(self, pages: PageCounts) -> SecondLook {
        let gaps = self.gaps.two();
        let read_share = self.reads as f64 / (self.reads + self.writes).max(1) as f64;
        let within = if self.gaps.together(gaps.within_ns, read_share) { gaps.within_ns } else { 0 };
        SecondLook {
            first: self,
            pages,
            gaps,
            bursts: Bursts::new(within),
            places: Places::default(),
            runs: Runs::default(),
        }
    }
}

impl SecondLook {
    pub(super) fn add(&mut self, request: &HostRequest) {
        let Some(read) = reads(request) else { return };
        self.runs.add(&self.pages, request.offset, request.length, read);
        if let Some(chain) = self.bursts.add(request, read) {
            take(&mut self.bursts, &mut self.places, &self.pages, chain);
        }
    }

    /// The patterns, and the model of them.
    pub(super) fn finish(mut self) -> (Patterns, super::model::Model) {
        if let Some(chain) = self.bursts.end() {
            take(&mut self.bursts, &mut self.places, &self.pages, chain);
        }
        let Self { first, pages, gaps, bursts, places, runs } = self;
        let (row, row_gap_ns, idle_gap_ns) = bursts.rows(&gaps, &first.gaps);
        let patterns = Patterns {
            within_ns: bursts.within_ns(),
            row: rounded(row),
            row_gap_ns: rounded(row_gap_ns),
            idle_gap_ns: rounded(idle_gap_ns),
            burst: bursts.finish([first.reads, first.writes]),
            class: places.finish(&pages, &runs),
            skew: first.begins.skew(),
        };
        let requests = [first.reads, first.writes];
        let lengths = first.lengths.each_ref().map(Lengths::weights);
        let model = model_of(&patterns, requests, lengths);
        (patterns, model)
    }
}

/// Counts a burst, or a single request.
fn take(bursts: &mut Bursts, places: &mut Places, pages: &PageCounts, chain: Chain) {
    match chain.requests.as_slice() {
        [(offset, _, _)] => places.add(pages.kind(*offset), *offset, chain.read),
        _ => bursts.count(&chain, pages),
    }
}
