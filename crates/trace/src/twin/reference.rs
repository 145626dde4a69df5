//! A reference queue: which of several profiles of a trace keeps its waiting times best.
//!
//! No drive of the simulator: dies that serve page after page, striped at 16 KiB, with cell times of today's TLC and nothing else.
//! A request waits for the slowest of its pages; what waits for the same page at the same die is served with it.

use hdrhistogram::Histogram;
use wordline_engine::host::request::{HostOp, HostRequest, RequestSource, SourceError};

use super::shapes::ALIGNMENT;

const DIES: u64 = 64;
const READ_NS: u64 = 55_000;
const WRITE_NS: u64 = 450_000;

/// Pages of one request that are served.
const MOST_PAGES: usize = 1 << 16;

/// Percentiles that are compared, and their weights; the mean counts 1.
const PERCENTILES: [(f64, f64); 4] = [(0.95, 0.2), (0.98, 0.3), (0.99, 0.4), (0.995, 0.3)];

#[derive(Clone, Copy, Default)]
struct Die {
    free_ns: u64,
    /// The last page queued, when its service begins, and whether it is written.
    page: u64,
    begins_ns: u64,
    writes: bool,
}

/// Waiting times of a trace.
pub(super) struct Waits {
    mean: f64,
    percentiles: [f64; PERCENTILES.len()],
}

/// Plays a source on the reference.
pub(super) fn waits(source: &mut dyn RequestSource) -> Result<Waits, SourceError> {
    let fail = |error: &dyn std::fmt::Display| SourceError(format!("histogram of waits: {error}"));
    let mut times = Histogram::<u64>::new_with_bounds(1, 1 << 50, 3).map_err(|error| fail(&error))?;
    let mut dies = [Die::default(); DIES as usize];
    let (mut batch, mut sum, mut count) = (Vec::new(), 0.0, 0_u64);
    loop {
        batch.clear();
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        for request in batch.iter().filter(|request| request.op == HostOp::Read || request.op.is_write()) {
            let wait = served(&mut dies, request);
            times.saturating_record(wait.max(1));
            sum += wait as f64;
            count += 1;
        }
    }
    let percentiles = PERCENTILES.map(|(percentile, _)| times.value_at_quantile(percentile) as f64);
    Ok(Waits { mean: sum / count.max(1) as f64, percentiles })
}

fn served(dies: &mut [Die; DIES as usize], request: &HostRequest) -> u64 {
    let now = request.time.0;
    let writes = request.op.is_write();
    let cell = if writes { WRITE_NS } else { READ_NS };
    let last = (request.offset + request.length.max(1) - 1) / ALIGNMENT;
    let mut wait = 0;
    for page in (request.offset / ALIGNMENT..=last).take(MOST_PAGES) {
        let Some(die) = dies.get_mut((page % DIES) as usize) else { continue };
        let joins = die.page == page && die.writes == writes && die.begins_ns > now;
        if !joins {
            let begins_ns = die.free_ns.max(now);
            *die = Die { free_ns: begins_ns + cell, page, begins_ns, writes };
        }
        wait = wait.max(die.free_ns - now);
    }
    wait
}

impl Waits {
    /// How far others are from these: logarithms of the ratios, weighted.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        let apart = |a: f64, b: f64| libm::log((a + 1.0) / (b + 1.0)).abs();
        let pairs = self.percentiles.iter().zip(&other.percentiles).zip(&PERCENTILES);
        let tails: f64 = pairs.map(|((a, b), (_, weight))| apart(*a, *b) * weight).sum();
        apart(self.mean, other.mean) + tails
    }
}
