//! The time series: what happened in each interval of simulated time.
//!
//! An interval holds what happens after its start up to and with its end; the first holds its start too. Counters of the
//! recorder are read where an interval ends, so that counting costs nothing.

use serde::{Deserialize, Serialize};

use super::lean::LeanHistogram;
use super::measured::SeriesReport;
use super::recorder::Recorder;
use super::table::Table;
use wordline_base::class::{ByClass, CLASSES, Cause};
use wordline_base::request::HostOp;
use wordline_base::time::Ns;
use wordline_config::MeasureConfig;

pub(super) mod columns;

/// Requests of one direction that were answered in an interval.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Answered {
    requests: u64,
    bytes: u64,
    latency_sum: u128,
    latency_max: u64,
    /// p50 and p99; `None` without requests, and where rows were merged.
    quantiles: Option<[u64; 2]>,
}

/// One interval.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Row {
    duration: u64,
    read: Answered,
    write: Answered,
    others: u64,
    totals: Totals,
    /// Requests inside the drive, integrated over time.
    inside: u128,
    free_min: u32,
}

/// Counters of the recorder, as read at one moment, or their growth.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Totals {
    operations: ByClass<u64>,
    gc_moved_units: u64,
    other_moved_units: u64,
    stalled_units: u64,
    energy: u128,
    /// Flash pages waiting or running on all dies, integrated over time.
    commands: u128,
}

impl Totals {
    fn of(at: &Moment<'_>) -> Self {
        let mut sum = Self::default();
        at.works.iter().for_each(|work| sum.add_growth(&Self::of_drive(work, at.now), &Self::default()));
        sum
    }

    fn of_drive(Work { recorder, outstanding }: &Work<'_>, now: Ns) -> Self {
        Self {
            operations: recorder.operations,
            gc_moved_units: recorder.moves[Cause::Gc.index()].moved_units,
            other_moved_units: Cause::ALL
                .iter()
                .filter(|&&cause| cause != Cause::Gc)
                .map(|cause| recorder.moves[cause.index()].moved_units)
                .sum(),
            stalled_units: recorder.gc.stalled_units,
            energy: recorder.energy.total(),
            commands: recorder.outstanding_area(now, outstanding),
        }
    }

    /// Adds what has come since `before`.
    fn add_growth(&mut self, now: &Self, before: &Self) {
        for class in 0..CLASSES {
            self.operations[class] += now.operations[class] - before.operations[class];
        }
        self.gc_moved_units += now.gc_moved_units - before.gc_moved_units;
        self.other_moved_units += now.other_moved_units - before.other_moved_units;
        self.stalled_units += now.stalled_units - before.stalled_units;
        self.energy += now.energy - before.energy;
        self.commands += now.commands - before.commands;
    }
}

/// Records a time series.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Series {
    start: Ns,
    interval: u64,
    max_rows: usize,
    merges: u32,
    rows: Vec<Row>,
    current: Row,
    read: LeanHistogram,
    write: LeanHistogram,
    inside: u64,
    inside_since: Ns,
    before: Totals,
}

/// What a drive holds where an interval ends.
pub struct Work<'a> {
    /// Counters.
    pub recorder: &'a Recorder,
    /// Flash pages waiting or running on each die.
    pub outstanding: &'a [u32],
}

/// What a drive, or all drives of an array, hold where an interval ends.
pub struct Moment<'a> {
    /// The time.
    pub now: Ns,
    /// Of each drive.
    pub works: Vec<Work<'a>>,
}

impl Moment<'_> {
    /// Flash pages waiting or running on all dies.
    pub fn commands(&self) -> u64 {
        self.works.iter().flat_map(|work| work.outstanding).map(|&count| u64::from(count)).sum()
    }
}

impl Series {
    /// A series that starts now, without requests inside; `None` when none is wanted.
    pub fn begin(config: &MeasureConfig, at: &Moment<'_>) -> Option<Box<Self>> {
        (config.interval_ns > 0).then(|| {
            Box::new(Self {
                start: at.now,
                interval: config.interval_ns,
                max_rows: (config.max_rows & !1) as usize,
                merges: 0,
                rows: Vec::new(),
                current: Row::default(),
                read: LeanHistogram::default(),
                write: LeanHistogram::default(),
                inside: 0,
                inside_since: at.now,
                before: Totals::of(at),
            })
        })
    }

    /// The end of the current interval.
    pub fn end(&self) -> Ns {
        Ns(self.begin_of(self.rows.len() as u64 + 1))
    }

    fn begin_of(&self, row: u64) -> u64 {
        row.saturating_mul(self.interval).saturating_add(self.start.0)
    }

    /// A request entered the drive.
    pub fn submitted(&mut self, now: Ns) {
        self.settle_inside(now);
        self.inside += 1;
    }

    /// The host has the answer to a request.
    pub fn answered(&mut self, op: HostOp, bytes: u64, latency: Ns, now: Ns) {
        self.settle_inside(now);
        self.inside = self.inside.saturating_sub(1);
        let (row, histogram) = match op {
            HostOp::Read => (&mut self.current.read, &mut self.read),
            HostOp::Write | HostOp::WriteFua => (&mut self.current.write, &mut self.write),
            HostOp::Trim | HostOp::Flush => {
                self.current.others += 1;
                return;
            }
        };
        row.bytes += bytes;
        histogram.record(latency.0);
    }

    fn settle_inside(&mut self, now: Ns) {
        self.current.inside += u128::from(self.inside) * u128::from(now.since(self.inside_since).0);
        self.inside_since = now;
    }

    /// Takes the counters in as they are now.
    fn settle(&mut self, at: &Moment<'_>) {
        self.settle_inside(at.now);
        let totals = Totals::of(at);
        self.current.totals.add_growth(&totals, &self.before);
        self.before = totals;
    }

    /// The recorder is about to forget its counts.
    pub fn recorder_ends(&mut self, at: &Moment<'_>) {
        self.settle(at);
        self.before = Totals::default();
    }

    /// Ends the current interval, at its end. `lowest_free`: fewest free superblocks in it.
    pub fn end_interval(&mut self, at: &Moment<'_>, lowest_free: u32) {
        self.settle(at);
        let row = self.closed(at.now, lowest_free);
        self.current = Row::default();
        self.read.clear();
        self.write.clear();
        self.push(row);
    }

    /// Ends the intervals before `until`, in which nothing happens while so many `commands` wait or run and superblocks are `free`.
    pub fn pass_unchanged(&mut self, until: Ns, commands: u64, free: u32) {
        while self.end() < until {
            let duration = self.end().since(self.inside_since).0;
            let grown = u128::from(commands) * u128::from(duration);
            self.inside_since = self.end();
            self.before.commands += grown;
            self.push(Row {
                duration,
                inside: u128::from(self.inside) * u128::from(duration),
                totals: Totals { commands: grown, ..Totals::default() },
                free_min: free,
                ..Row::default()
            });
        }
    }

    fn push(&mut self, row: Row) {
        self.rows.push(row);
        if self.rows.len() >= self.max_rows {
            self.merge_pairs();
        }
    }

    fn closed(&self, now: Ns, lowest_free: u32) -> Row {
        let begin = self.begin_of(self.rows.len() as u64);
        Row {
            duration: now.0.saturating_sub(begin),
            read: self.current.read.with(&self.read),
            write: self.current.write.with(&self.write),
            free_min: lowest_free,
            ..self.current
        }
    }

    /// Halves the number of rows.
    fn merge_pairs(&mut self) {
        self.rows = self.rows.chunks(2).map(Row::merged).collect();
        self.interval = self.interval.saturating_mul(2);
        self.merges += 1;
    }

    /// The series up to now. The last interval may be shorter than the others.
    pub fn finish(&self, at: &Moment<'_>, lowest_free: u32, page_bytes: u32) -> (SeriesReport, Table) {
        let mut last = self.clone_without_rows();
        last.settle(at);
        let row = Row {
            duration: at.now.0.saturating_sub(self.begin_of(self.rows.len() as u64)),
            ..last.closed(at.now, lowest_free)
        };
        let tail = (row.duration > 0 || self.rows.is_empty()).then_some(row);
        let rows = || self.rows.iter().chain(tail.as_ref());
        let report =
            SeriesReport { interval_ns: self.interval, rows: rows().count() as u64, merges: self.merges };
        let begin = |row: usize| self.begin_of(row as u64);
        (report, columns::table(rows, begin, page_bytes))
    }

    fn clone_without_rows(&self) -> Self {
        Self { rows: Vec::new(), read: self.read.clone(), write: self.write.clone(), ..*self }
    }
}

impl Answered {
    /// Bytes as counted, the rest from the histogram.
    fn with(self, histogram: &LeanHistogram) -> Self {
        Self {
            requests: histogram.total(),
            bytes: self.bytes,
            latency_sum: histogram.sum(),
            latency_max: histogram.max(),
            quantiles: histogram.quantiles([0.5, 0.99]),
        }
    }

    fn merged(&self, other: &Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            bytes: self.bytes + other.bytes,
            latency_sum: self.latency_sum + other.latency_sum,
            latency_max: self.latency_max.max(other.latency_max),
            // Percentiles of two sets together can't be told from theirs, unless one is empty.
            quantiles: match (self.requests, other.requests) {
                (_, 0) => self.quantiles,
                (0, _) => other.quantiles,
                _ => None,
            },
        }
    }
}

impl Row {
    fn merged(pair: &[Self]) -> Self {
        let [first, second] = pair else { return pair.first().copied().unwrap_or_default() };
        let mut totals = first.totals;
        totals.add_growth(&second.totals, &Totals::default());
        Self {
            duration: first.duration + second.duration,
            read: first.read.merged(&second.read),
            write: first.write.merged(&second.write),
            others: first.others + second.others,
            totals,
            inside: first.inside + second.inside,
            free_min: first.free_min.min(second.free_min),
        }
    }
}
