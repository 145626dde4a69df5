//! Response times of one direction: exact moments, an HDR histogram, and blame.

use serde::{Deserialize, Serialize};

use hdrhistogram::Histogram;

use super::batches::Side;
use super::blame::{BlameRecorder, BlameSum, Part, Parts};
use super::percentiles::Percentiles;
use super::report::{BlameParts, BlameReport, DirectionReport, LatencyReport};
use wordline_base::time::Ns;

/// Takes in requests and reports their distribution.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DirectionRecorder {
    requests: u64,
    bytes: u64,
    /// Requests answered in the window and their bytes, whenever they arrived.
    answered: u64,
    answered_bytes: u64,
    sum: u128,
    sum_of_squares: u128,
    min: u64,
    max: u64,
    #[serde(with = "super::histogram")]
    histogram: Option<Histogram<u64>>,
    /// Where the response times went; `None` where somebody else keeps that.
    blame: Option<BlameRecorder>,
}

/// One that keeps response times only: the parts take some megabytes.
impl Default for DirectionRecorder {
    fn default() -> Self {
        Self {
            requests: 0,
            bytes: 0,
            answered: 0,
            answered_bytes: 0,
            sum: 0,
            sum_of_squares: 0,
            min: u64::MAX,
            max: 0,
            histogram: super::histogram::empty(),
            blame: None,
        }
    }
}

impl DirectionRecorder {
    /// One that keeps response times and their parts.
    pub fn with_blame() -> Self {
        Self { blame: Some(BlameRecorder::default()), ..Self::default() }
    }

    /// One with the parts that takes the place of this one. A table of parts to which nothing was written is taken over: new ones
    /// may come from memory that must be cleared, all of it.
    pub fn begin_anew(&mut self) -> Self {
        let blame = self.blame.take().filter(|_| self.requests == 0);
        Self { blame: Some(blame.unwrap_or_default()), ..Self::default() }
    }

    /// Takes a request in. `inside` are the parts of its time in the drive, `outside` those before and after.
    #[inline]
    pub fn record(&mut self, latency: Ns, bytes: u64, inside: [Option<&Parts>; 2], outside: &[(Part, u64)]) {
        let ns = latency.0;
        self.requests += 1;
        self.bytes += bytes;
        self.sum += u128::from(ns);
        self.sum_of_squares += u128::from(ns) * u128::from(ns);
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        if let Some(histogram) = &mut self.histogram {
            // It grows with the largest value, so recording can't fail.
            histogram.record(ns).ok();
        }
        if let Some(blame) = &mut self.blame {
            blame.record(ns, inside, outside);
        }
    }

    /// A request was answered in the window.
    #[inline]
    pub fn answered(&mut self, bytes: u64) {
        self.answered += 1;
        self.answered_bytes += bytes;
    }

    /// Requests whose response time was recorded.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Requests that were answered in the window.
    pub fn answered_requests(&self) -> u64 {
        self.answered
    }

    /// Mean response time, ns; 0 without any.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.requests.max(1) as f64
    }

    /// The percentiles of what was recorded.
    pub fn percentiles(&self) -> Percentiles {
        Percentiles::new(self.bins(), [self.min, self.max])
    }

    /// The bins that hold something: the longest response time of each, ns, and its requests.
    fn bins(&self) -> impl Iterator<Item = (u64, u64)> {
        let recorded = self.histogram.iter().flat_map(Histogram::iter_recorded);
        recorded.map(|bin| (bin.value_iterated_to(), bin.count_at_value()))
    }

    /// What was counted so far.
    pub fn side(&self) -> Side {
        let levels = self.blame.as_ref().filter(|_| self.requests > 0);
        Side {
            recorded: self.requests,
            latency: self.sum,
            answered: self.answered,
            answered_bytes: self.answered_bytes,
            levels: levels.map_or_else(Vec::new, |blame| blame.levels(self.min, self.max)),
        }
    }

    /// Bytes of the requests that were answered in the window.
    pub fn answered_bytes(&self) -> u64 {
        self.answered_bytes
    }

    /// The figures over a window of this length.
    pub fn report(&self, window: Ns) -> DirectionReport {
        let seconds = window.0 as f64 / 1e9;
        let per_second = |amount: u64| if seconds > 0.0 { amount as f64 / seconds } else { 0.0 };
        let rates = DirectionReport {
            iops: per_second(self.answered),
            bandwidth_bytes_per_s: per_second(self.answered_bytes),
            ..DirectionReport::default()
        };
        if self.requests == 0 {
            // What was answered came before the window.
            return rates;
        }
        let latency = self.latency();
        DirectionReport {
            requests: self.requests,
            bytes: self.bytes,
            blame: self.blame.as_ref().map_or_else(BlameReport::default, |blame| BlameReport {
                mean: named(&blame.between(self.min, self.max)),
                tail: named(&blame.between(latency.p99.min(self.max), self.max)),
            }),
            latency_ns: latency,
            ..rates
        }
    }

    /// The response times of both together; `None` without any.
    pub fn together(&self, other: &Self) -> Option<LatencyReport> {
        let both = self.with(other);
        (both.requests > 0).then(|| both.latency())
    }

    /// The response times of both, without their parts.
    pub fn with(&self, other: &Self) -> Self {
        let mut histogram = self.histogram.clone();
        if let (Some(into), Some(from)) = (&mut histogram, &other.histogram) {
            // It grows with the largest value, so adding can't fail.
            into.add(from).ok();
        }
        Self {
            requests: self.requests + other.requests,
            bytes: self.bytes + other.bytes,
            answered: self.answered + other.answered,
            answered_bytes: self.answered_bytes + other.answered_bytes,
            sum: self.sum + other.sum,
            sum_of_squares: self.sum_of_squares + other.sum_of_squares,
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            histogram,
            ..Self::default()
        }
    }

    fn latency(&self) -> LatencyReport {
        let count = self.requests as f64;
        let mean = self.sum as f64 / count;
        // n Σx² − (Σx)² in whole numbers: exact, and never negative.
        let spread = (u128::from(self.requests).saturating_mul(self.sum_of_squares))
            .saturating_sub(self.sum.saturating_mul(self.sum));
        let histogram: Vec<(u64, u64)> = self.bins().collect();
        let percentiles = Percentiles::new(histogram.iter().copied(), [self.min, self.max]);
        let at = |share: f64| percentiles.at(share);
        LatencyReport {
            mean,
            std: (spread as f64).sqrt() / count,
            min: self.min,
            max: self.max,
            p50: at(0.5),
            p90: at(0.9),
            p95: at(0.95),
            p97: at(0.97),
            p98: at(0.98),
            p99: at(0.99),
            p99_5: at(0.995),
            p99_9: at(0.999),
            p99_99: at(0.9999),
            histogram,
        }
    }
}

/// Sums by name, and their means.
pub(super) fn named(sum: &BlameSum) -> BlameParts {
    let mean = |total: u128| if sum.requests == 0 { 0.0 } else { total as f64 / sum.requests as f64 };
    let parts = || {
        let told = |&(index, &total): &(usize, &u128)| total > 0 || Part::is_common(index);
        Part::names().zip(sum.parts.iter().enumerate()).filter(move |(_, part)| told(part))
    };
    BlameParts {
        requests: sum.requests,
        response_total_ns: sum.response,
        mean_ns: parts().map(|(name, (_, &total))| (name, mean(total))).collect(),
        total_ns: parts().map(|(name, (_, &total))| (name, total)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(latencies: impl Iterator<Item = u64>) -> DirectionReport {
        recorded(latencies).report(Ns(1_000_000_000))
    }

    fn recorded(latencies: impl Iterator<Item = u64>) -> DirectionRecorder {
        let mut recorder = DirectionRecorder::with_blame();
        for latency in latencies {
            let mut parts = Parts::default();
            parts.add(Part::Cell, latency);
            recorder.answered(4096);
            recorder.record(Ns(latency), 4096, [None, Some(&parts)], &[]);
        }
        recorder
    }

    #[test]
    fn two_directions_together_are_one_with_the_requests_of_both() {
        let (odd, even) = ((1..=100_000).step_by(2), (2..=100_000).step_by(2));
        let both = recorded(odd).together(&recorded(even)).unwrap();
        let one = of(1..=100_000).latency_ns;
        assert_eq!((both.mean, both.std, both.min, both.max), (one.mean, one.std, one.min, one.max));
        assert_eq!((both.p50, both.p95, both.p99_5), (one.p50, one.p95, one.p99_5));
        assert_eq!(recorded(5..6).together(&recorded(0..0)).unwrap().p99, 5);
        assert!(recorded(0..0).together(&recorded(0..0)).is_none());
    }

    #[test]
    fn what_takes_no_time_has_percentiles_of_nothing() {
        let latency = of([0, 0, 0, 40].into_iter()).latency_ns;
        assert_eq!((latency.min, latency.p50, latency.p99, latency.max), (0, 0, 40, 40));
    }

    #[test]
    fn moments_are_exact_and_percentiles_have_three_digits() {
        let report = of(1..=100_000);
        let latency = &report.latency_ns;
        assert_eq!((latency.mean, latency.min, latency.max), (50_000.5, 1, 100_000));
        assert!((latency.std - (((100_000f64).powi(2) - 1.0) / 12.0).sqrt()).abs() < 1e-6);
        for (found, exact) in [
            (latency.p50, 50_000),
            (latency.p90, 90_000),
            (latency.p95, 95_000),
            (latency.p97, 97_000),
            (latency.p98, 98_000),
            (latency.p99, 99_000),
            (latency.p99_5, 99_500),
            (latency.p99_9, 99_900),
            (latency.p99_99, 99_990),
        ] {
            assert!(found.abs_diff(exact) * 1000 <= exact, "{found} for {exact}");
        }
        assert_eq!((report.requests, report.iops, report.bandwidth_bytes_per_s), (100_000, 1e5, 4.096e8));
    }

    #[test]
    fn the_tails_blame_is_that_of_the_slowest_percent() {
        let report = of((0..980).map(|_| 1000).chain((0..20).map(|_| 9000)));
        assert_eq!((report.blame.tail.requests, report.blame.tail.response_total_ns), (20, 180_000));
        assert_eq!(report.blame.tail.total_ns["cell"], 180_000);
    }

    #[test]
    fn what_came_before_the_window_has_a_rate_and_no_response_times() {
        let mut recorder = DirectionRecorder::with_blame();
        (0..3).for_each(|_| recorder.answered(4096));
        let report = recorder.report(Ns(500_000_000));
        assert_eq!((report.iops, report.bandwidth_bytes_per_s), (6.0, 6.0 * 4096.0));
        assert_eq!((report.requests, report.latency_ns.max), (0, 0));
    }

    #[test]
    fn nothing_recorded_is_all_zero() {
        assert_eq!(of(std::iter::empty()).latency_ns.max, 0);
    }
}
