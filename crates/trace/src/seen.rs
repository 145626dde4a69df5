//! What a trace tells beside its requests: when it began, and how long they took where it was recorded.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use wordline_base::request::{HostOp, HostRequest};

use crate::format::{Row, moment, since_1970};
use crate::piece::Piece;

/// Ns that a step takes from all times, as far as they are known.
pub(crate) type Shift = Arc<AtomicU64>;

/// How times behind all steps follow from those of the trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunClock {
    pub shifts: Vec<Shift>,
    pub loses_pace: bool,
}

/// What is known of a trace.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceFacts {
    /// The file, as the description names it.
    pub path: PathBuf,
    /// The wall clock at time 0 of the run, in UTC (ISO 8601); `None` where the trace's times don't count from 1970 or
    /// 1601. Of a run without the trace's pace: at the trace's first request.
    pub start: Option<String>,
    /// The same, ns since 1970.
    pub start_unix_ns: Option<u64>,
    /// Whether a second of the run is one of the trace.
    pub keeps_pace: bool,
    /// Response times that the trace holds, of the requests that were read and that slices and filters keep which come before other
    /// steps; `None` where it holds none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredLatencies>,
}

/// Response times of a trace by direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredLatencies {
    /// Of reads.
    pub read: MeasuredDirection,
    /// Of writes.
    pub write: MeasuredDirection,
    /// Of trims.
    pub trim: MeasuredDirection,
    /// Of flushes.
    pub flush: MeasuredDirection,
}

/// Response times of one direction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeasuredDirection {
    /// Requests whose response time the trace holds.
    pub requests: u64,
    /// Their response times; `None` without any.
    pub latency_ns: Option<MeasuredFigures>,
}

/// Mean and percentiles, ns; a percentile to three significant digits, as those of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each is named after what it is")]
pub struct MeasuredFigures {
    pub mean: f64,
    pub min: u64,
    pub max: u64,
    pub p50: u64,
    pub p90: u64,
    pub p95: u64,
    pub p99: u64,
    pub p99_9: u64,
    pub p99_99: u64,
}

/// What was seen of a trace so far.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Empty where there is no trace.
    path: PathBuf,
    /// Time of the first request, as the trace counts, ns.
    first_ns: Option<u128>,
    /// What is kept of its requests, one piece of the other.
    pieces: Vec<Piece>,
    read: Direction,
    write: Direction,
    trim: Direction,
    flush: Direction,
}

#[derive(Debug, Default)]
struct Direction {
    requests: u64,
    sum: u128,
    min: u64,
    max: u64,
    histogram: Option<Histogram<u64>>,
}

impl Seen {
    pub(crate) fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), ..Self::default() }
    }

    /// Only these requests count from now on.
    pub(crate) fn keep(&mut self, piece: Piece) {
        self.pieces.push(piece);
    }

    /// Takes in what the trace tells of a request.
    #[inline]
    pub(crate) fn add(&mut self, row: &Row, request: &HostRequest) {
        self.first_ns.get_or_insert(row.time);
        if !self.pieces.is_empty() && !self.is_kept(*request) {
            return;
        }
        if let Some(ns) = row.latency.ns() {
            match row.op {
                HostOp::Read => self.read.add(ns),
                HostOp::Write | HostOp::WriteFua => self.write.add(ns),
                HostOp::Trim => self.trim.add(ns),
                HostOp::Flush => self.flush.add(ns),
            }
        }
    }

    fn is_kept(&mut self, mut request: HostRequest) -> bool {
        self.pieces.iter_mut().all(|piece| piece.take(&mut request).0)
    }

    /// What is known of the trace, if something of it was read.
    pub(crate) fn facts(&self, clock: &RunClock) -> Option<TraceFacts> {
        let first = self.first_ns?;
        let shifted =
            clock.shifts.iter().map(|shift| u128::from(shift.load(Ordering::Relaxed))).sum::<u128>();
        let at_0 = if clock.loses_pace { first } else { first.saturating_add(shifted) };
        let start = since_1970(at_0);
        let any = [&self.read, &self.write, &self.trim, &self.flush].iter().any(|side| side.requests > 0);
        Some(TraceFacts {
            path: self.path.clone(),
            start: start.map(moment),
            start_unix_ns: start,
            keeps_pace: !clock.loses_pace,
            measured: any.then(|| MeasuredLatencies {
                read: self.read.figures(),
                write: self.write.figures(),
                trim: self.trim.figures(),
                flush: self.flush.figures(),
            }),
        })
    }
}

impl Direction {
    #[inline]
    fn add(&mut self, ns: u64) {
        self.min = if self.requests == 0 { ns } else { self.min.min(ns) };
        self.requests += 1;
        self.sum += u128::from(ns);
        self.max = self.max.max(ns);
        if self.histogram.is_none() {
            // Of bounds that the library takes: this can't fail.
            self.histogram = Histogram::new(3).ok();
        }
        if let Some(histogram) = &mut self.histogram {
            // It grows with the largest value, so recording can't fail.
            histogram.record(ns.max(1)).ok();
        }
    }

    fn figures(&self) -> MeasuredDirection {
        let at = |histogram: &Histogram<u64>, share: f64| histogram.value_at_quantile(share).min(self.max);
        let latency_ns = self.histogram.as_ref().map(|histogram| MeasuredFigures {
            mean: self.sum as f64 / self.requests.max(1) as f64,
            min: self.min,
            max: self.max,
            p50: at(histogram, 0.5),
            p90: at(histogram, 0.9),
            p95: at(histogram, 0.95),
            p99: at(histogram, 0.99),
            p99_9: at(histogram, 0.999),
            p99_99: at(histogram, 0.9999),
        });
        MeasuredDirection { requests: self.requests, latency_ns }
    }
}
