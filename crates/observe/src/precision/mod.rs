//! How certain the figures of one run are: 95% intervals from batch means and order statistics.

mod ranks;
mod ratio;
mod student;

use std::collections::BTreeMap;

use super::batches::{Batches, Milestone, Side};
use super::blame::level_of;
use super::latency::DirectionRecorder;
use super::recorder::Recorder;
use crate::intervals::{Interval, IntervalsReport};
pub use ratio::{Spread, spread};

/// Batches below which nothing is said of certainty.
pub const LEAST_BATCHES: usize = super::batches::MOST / 2;

/// Share of such intervals that hold the expectation, for a window that is stationary.
const CONFIDENCE: f64 = 0.95;

/// Percentiles that have an interval, with their names.
pub const PERCENTILES: [(&str, f64); 9] = [
    ("p50", 0.5),
    ("p90", 0.9),
    ("p95", 0.95),
    ("p97", 0.97),
    ("p98", 0.98),
    ("p99", 0.99),
    ("p99_5", 0.995),
    ("p99_9", 0.999),
    ("p99_99", 0.9999),
];

/// What is to be put in numbers.
pub struct Measured<'a> {
    /// The batches of the window.
    pub batches: &'a Batches,
    /// What was counted in it.
    pub recorder: &'a Recorder,
    /// Bytes of a flash page.
    pub page_bytes: u32,
    /// Length of the window, ns.
    pub window_ns: u64,
    /// Its write amplification.
    pub waf: Option<f64>,
}

impl Measured<'_> {
    /// The intervals.
    pub fn intervals(&self) -> IntervalsReport {
        let mut figures = BTreeMap::new();
        let Recorder { read, write, trim, flush, .. } = self.recorder;
        let kinds = [
            ("read.", Some(read), READ),
            ("write.", Some(write), WRITE),
            ("trim.", trim.get(), TRIM),
            ("flush.", flush.get(), FLUSH),
        ];
        for (name, recorder, side) in kinds {
            if let Some(recorder) = recorder.filter(|recorder| recorder.requests() > 0) {
                self.latencies(name, recorder, |end| side(end).clone(), &mut figures);
                self.rates(name, recorder, side, &mut figures);
            }
        }
        if read.requests() > 0 && write.requests() > 0 {
            self.latencies("", &read.with(write), Milestone::both, &mut figures);
        } else if read.requests() + write.requests() > 0 {
            let only = if read.requests() > 0 { "read." } else { "write." };
            let same = |(path, interval): (&String, &Option<Interval>)| {
                path.strip_prefix(only)
                    .filter(|path| path.starts_with("latency_ns"))
                    .map(|path| (path.to_owned(), *interval))
            };
            let copies: Vec<_> = figures.iter().filter_map(same).collect();
            figures.extend(copies);
        }
        if let Some(waf) = self.waf {
            let page_bytes = f64::from(self.page_bytes);
            let programmed = self.growth(|end| end.programs as f64 * page_bytes);
            let found = self.ratio(&programmed, &self.growth(|end| end.write.answered_bytes as f64));
            let found = found.filter(|_| is_seen(&programmed, waf));
            figures.insert("waf".to_owned(), found.map(|spread| spread.around(waf)));
        }
        IntervalsReport {
            confidence: CONFIDENCE,
            batches: self.batches.ends().len() as u64,
            requests_per_batch: self.batches.every(),
            figures,
        }
    }

    /// What a count grew by in each batch.
    fn growth(&self, count: impl Fn(&Milestone) -> f64) -> Vec<f64> {
        growth(self.batches.ends(), count)
    }

    fn ratio(&self, over: &[f64], under: &[f64]) -> Option<Spread> {
        if over.len() < LEAST_BATCHES { None } else { spread(over, under) }
    }

    fn latencies(
        &self,
        prefix: &str,
        recorder: &DirectionRecorder,
        side: impl Fn(&Milestone) -> Side,
        figures: &mut BTreeMap<String, Option<Interval>>,
    ) {
        let sides: Vec<Side> = self.batches.ends().iter().map(side).collect();
        let sides: Vec<&Side> = sides.iter().collect();
        let grown = |count: fn(&Side) -> f64| -> Vec<f64> {
            let mut before = 0.0;
            sides.iter().map(|&side| count(side) - std::mem::replace(&mut before, count(side))).collect()
        };
        let mean = self.ratio(&grown(|side| side.latency as f64), &grown(|side| side.recorded as f64));
        figures.insert(format!("{prefix}latency_ns.mean"), mean.map(|spread| spread.around(recorder.mean())));
        let percentiles = recorder.percentiles();
        for (name, share) in PERCENTILES {
            let found = (sides.len() >= LEAST_BATCHES)
                .then(|| ranks::ranks(share, recorder.requests(), level_of(percentiles.at(share)), &sides))
                .flatten();
            let interval = found.map(|(low, high, degrees)| {
                let end = |rank| percentiles.at_rank(rank) as f64;
                Interval::of(percentiles.at(share) as f64, end(low), end(high), degrees as u32)
            });
            figures.insert(format!("{prefix}latency_ns.{name}"), interval);
        }
    }

    fn rates(
        &self,
        prefix: &str,
        recorder: &DirectionRecorder,
        side: fn(&Milestone) -> &Side,
        figures: &mut BTreeMap<String, Option<Interval>>,
    ) {
        let seconds = self.growth(|end| end.time as f64 / 1e9);
        let of_window = |amount: u64| {
            if self.window_ns == 0 { 0.0 } else { amount as f64 / (self.window_ns as f64 / 1e9) }
        };
        let answered = self.growth(|end| side(end).answered as f64);
        let bytes = self.growth(|end| side(end).answered_bytes as f64);
        let (requests, in_bytes) =
            (of_window(recorder.answered_requests()), of_window(recorder.answered_bytes()));
        for (name, over, value) in [("iops", answered, requests), ("bandwidth_bytes_per_s", bytes, in_bytes)]
        {
            if name != "iops" && recorder.answered_bytes() == 0 {
                // A flush moves none.
                continue;
            }
            let found = self.ratio(&over, &seconds).filter(|_| is_seen(&over, value));
            figures.insert(format!("{prefix}{name}"), found.map(|spread| spread.around(value)));
        }
    }
}

/// Whether batches hold anything of a figure that isn't 0: what came behind the last whole one has no spread over them.
fn is_seen(over: &[f64], value: f64) -> bool {
    value <= 0.0 || over.iter().any(|amount| *amount > 0.0)
}

/// What a count grew by from each of these ends to the next, the first one's from nothing.
pub fn growth(ends: &[Milestone], count: impl Fn(&Milestone) -> f64) -> Vec<f64> {
    let mut before = 0.0;
    ends.iter()
        .map(|end| {
            let now = count(end);
            now - std::mem::replace(&mut before, now)
        })
        .collect()
}

const READ: fn(&Milestone) -> &Side = |end| &end.read;
const WRITE: fn(&Milestone) -> &Side = |end| &end.write;
const TRIM: fn(&Milestone) -> &Side = |end| &end.trim;
const FLUSH: fn(&Milestone) -> &Side = |end| &end.flush;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use wordline_base::request::HostOp;
    use wordline_base::time::Ns;

    /// Reads of 100 to 199 µs one after the other, and a write of 10 µs behind each tenth.
    fn recorded(reads: u64) -> Recorder {
        let mut recorder = Recorder::new();
        let mut now = 0;
        for number in 0..reads {
            let slow = 100_000 + 1000 * (number * 37 % 100);
            let quick = (number % 10 == 9).then_some((HostOp::Write, 10_000));
            for (op, latency) in std::iter::once((HostOp::Read, slow)).chain(quick) {
                now += latency;
                recorder.request(op, Ns(latency), 4096, [None, None], &[]);
                if recorder.answered(op, 4096, 0) {
                    recorder.end_batch(Ns(now), 0);
                }
            }
        }
        recorder
    }

    /// A thousand reads of 1 µs one after the other.
    fn alike() -> Recorder {
        let mut recorder = Recorder::new();
        for number in 1..=1000 {
            recorder.request(HostOp::Read, Ns(1000), 512, [None, None], &[]);
            if recorder.answered(HostOp::Read, 512, 0) {
                recorder.end_batch(Ns(1000 * number), 0);
            }
        }
        recorder
    }

    fn of(recorder: &Recorder, window_ns: u64) -> IntervalsReport {
        let batches = &recorder.batches;
        Measured { batches, recorder, page_bytes: 4096, window_ns, waf: Some(0.0) }.intervals()
    }

    #[test]
    fn every_figure_lies_in_its_interval() {
        let recorder = recorded(20_000);
        let window = 20_000 * 149_500 + 2000 * 10_000;
        let found = of(&recorder, window);
        let mean = found.figures["read.latency_ns.mean"].unwrap();
        assert!(mean.low < 149_500.0 && 149_500.0 < mean.high && mean.high - mean.low < 3000.0, "{mean:?}");
        let p99 = found.figures["read.latency_ns.p99"].unwrap();
        assert!(p99.low <= 198_200.0 && 198_000.0 <= p99.high && p99.high - p99.low < 3000.0, "{p99:?}");
        let write = found.figures["write.latency_ns.mean"].unwrap();
        assert_eq!((write.low, write.high), (10_000.0, 10_000.0));
        assert_eq!(found.figures["write.latency_ns.p99_99"], None);
        let iops = found.figures["read.iops"].unwrap();
        let rate = 20_000.0 / (window as f64 / 1e9);
        assert!(iops.low < rate && rate < iops.high, "{iops:?}");
        let both = found.figures["latency_ns.mean"].unwrap();
        assert!(both.low < mean.low && both.high < mean.low, "{both:?}");
        assert_eq!(found.figures["waf"].unwrap().high, 0.0);
    }

    #[test]
    fn a_short_window_has_figures_without_intervals() {
        let found = of(&recorded(200), 1_000_000);
        assert!(found.batches < 20 && found.figures.values().all(Option::is_none));
        assert!(found.figures.contains_key("read.latency_ns.p99_9"));
        assert!(!of(&Recorder::new(), 0).figures.keys().any(|path| path.starts_with("read")));
    }

    #[test]
    fn what_came_only_behind_the_last_whole_batch_has_no_interval() {
        let mut recorder = alike();
        let (whole, batches) = (recorder.batches.ends().len() as u64, recorder.batches.every());
        assert!(whole * batches < 1000, "the last one isn't whole");
        recorder.request(HostOp::Write, Ns(1000), 512, [None, None], &[]);
        assert!(!recorder.answered(HostOp::Write, 512, 0));
        let measured = Measured {
            batches: &recorder.batches,
            recorder: &recorder,
            page_bytes: 4096,
            window_ns: 1_000_000,
            waf: Some(8.0),
        };
        let found = measured.intervals();
        for figure in ["write.iops", "write.bandwidth_bytes_per_s", "write.latency_ns.mean", "waf"] {
            assert_eq!(found.figures[figure], None, "{figure}");
        }
        assert!(found.figures["read.iops"].is_some());
    }

    #[test]
    fn reads_alone_are_all_requests() {
        let recorder = alike();
        let found = of(&recorder, 1_000_000);
        assert_eq!(found.figures["latency_ns.mean"], found.figures["read.latency_ns.mean"]);
    }
}
