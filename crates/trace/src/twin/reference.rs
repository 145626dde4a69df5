//! A reference queue: which pieces press alike on a drive, and which of several profiles of a trace keeps its waiting times best.
//!
//! No drive of the simulator: dies that serve page after page, striped at 16 KiB, with cell times of today's TLC and nothing else.
//! A request waits for the slowest of its pages; what waits for the same page at the same die is served with it.

use hdrhistogram::Histogram;
use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};

use super::shapes::ALIGNMENT;

const DIES: u64 = 64;
const READ_NS: u64 = 55_000;
const WRITE_NS: u64 = 450_000;

/// Pages of one request that are served.
const MOST_PAGES: usize = 1 << 16;

/// Cell times are multiplied by these: how waits compare must not hang on one speed of a drive.
const SLOWNESS: [u64; 3] = [1, 2, 4];

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

/// The dies.
pub(super) struct Queue {
    dies: [Die; DIES as usize],
    slowness: u64,
    /// When all that was asked for so far is done.
    done_ns: u64,
}

impl Default for Queue {
    fn default() -> Self {
        Self::new(1)
    }
}

impl Queue {
    fn new(slowness: u64) -> Self {
        Self { dies: [Die::default(); DIES as usize], slowness, done_ns: 0 }
    }

    /// Whether all that was asked for is done at this time, ns.
    pub(super) fn is_idle(&self, now_ns: u64) -> bool {
        self.done_ns <= now_ns
    }

    /// Serves a request at its time; how long it takes, ns. Nothing is done for trims and flushes.
    pub(super) fn serve(&mut self, request: &HostRequest) -> u64 {
        let writes = request.op.is_write();
        if !writes && request.op != HostOp::Read {
            return 0;
        }
        let now = request.time.0;
        let cell = self.slowness * if writes { WRITE_NS } else { READ_NS };
        let last = (request.offset + request.length.max(1) - 1) / ALIGNMENT;
        let mut wait = 0;
        for page in (request.offset / ALIGNMENT..=last).take(MOST_PAGES) {
            let Some(die) = self.dies.get_mut((page % DIES) as usize) else { continue };
            let joins = die.page == page && die.writes == writes && die.begins_ns > now;
            if !joins {
                let begins_ns = die.free_ns.max(now);
                *die = Die { free_ns: begins_ns + cell, page, begins_ns, writes };
            }
            wait = wait.max(die.free_ns - now);
        }
        self.done_ns = self.done_ns.max(now + wait);
        wait
    }
}

/// Waiting times of a trace at one speed.
struct Wait {
    mean: f64,
    percentiles: [f64; PERCENTILES.len()],
}

/// Waiting times of a trace.
pub(super) struct Waits(Vec<Wait>);

/// Plays a source on the reference.
pub(super) fn waits(source: &mut dyn RequestSource) -> Result<Waits, SourceError> {
    let mut queues = SLOWNESS.iter().map(|slowness| Taken::new(*slowness)).collect::<Result<Vec<_>, _>>()?;
    let mut batch = Vec::new();
    loop {
        batch.clear();
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        for request in batch.iter().filter(|request| request.op == HostOp::Read || request.op.is_write()) {
            queues.iter_mut().for_each(|queue| queue.add(request));
        }
    }
    Ok(Waits(queues.iter().map(Taken::wait).collect()))
}

struct Taken {
    queue: Queue,
    times: Histogram<u64>,
    sum: f64,
    count: u64,
}

impl Taken {
    fn new(slowness: u64) -> Result<Self, SourceError> {
        let times = Histogram::new_with_bounds(1, 1 << 50, 3)
            .map_err(|error| SourceError(format!("histogram of waits: {error}")))?;
        Ok(Self { queue: Queue::new(slowness), times, sum: 0.0, count: 0 })
    }

    fn add(&mut self, request: &HostRequest) {
        let wait = self.queue.serve(request);
        self.times.saturating_record(wait.max(1));
        self.sum += wait as f64;
        self.count += 1;
    }

    fn wait(&self) -> Wait {
        let percentiles = PERCENTILES.map(|(percentile, _)| self.times.value_at_quantile(percentile) as f64);
        Wait { mean: self.sum / self.count.max(1) as f64, percentiles }
    }
}

impl Waits {
    /// How far others are from these: logarithms of the ratios, weighted.
    pub(super) fn distance(&self, other: &Self) -> f64 {
        self.0.iter().zip(&other.0).map(|(a, b)| a.distance(b)).sum()
    }
}

impl Wait {
    fn distance(&self, other: &Self) -> f64 {
        let apart = |a: f64, b: f64| libm::log((a + 1.0) / (b + 1.0)).abs();
        let pairs = self.percentiles.iter().zip(&other.percentiles).zip(&PERCENTILES);
        let tails: f64 = pairs.map(|((a, b), (_, weight))| apart(*a, *b) * weight).sum();
        apart(self.mean, other.mean) + tails
    }
}
