//! When requests arrive: gaps, burstiness, and load over time.

use hdrhistogram::Histogram;
use wordline_base::request::{HostRequest, SourceError};

use super::{ArrivalInfo, Dispersion, LoadPoint, Quantiles};

/// Spans of time over which requests are counted, ns.
const WINDOWS: [u64; 3] = [10_000_000, 1_000_000_000, 60_000_000_000];

/// Fewest windows for a figure about them.
const LEAST_WINDOWS: u64 = 10;

/// Points of the load over time, at most.
const BINS: usize = 512;

/// Follows arrivals.
pub(super) struct ArrivalTally {
    gaps: Histogram<u64>,
    /// The largest, which the histogram has in its bucket only.
    longest: u64,
    first: Option<u64>,
    last: Option<u64>,
    count: u64,
    /// Mean of the gaps and the sum of squared distances from it (Welford 1962), ns.
    mean: f64,
    squares: f64,
    windows: [Window; 3],
    load: Load,
}

/// Requests in windows of one length.
#[derive(Clone, Copy, Default)]
struct Window {
    ns: u64,
    current: u64,
    count: u64,
    sum: f64,
    squares: f64,
    peak: u64,
}

/// Bytes and requests in bins that grow wider with the trace.
struct Load {
    width: u64,
    bins: Vec<LoadPoint>,
}

impl ArrivalTally {
    pub(super) fn new() -> Result<Self, SourceError> {
        let gaps = Histogram::new_with_bounds(1, 1 << 50, 3)
            .map_err(|error| SourceError(format!("histogram of gaps: {error}")))?;
        Ok(Self {
            gaps,
            longest: 0,
            first: None,
            last: None,
            count: 0,
            mean: 0.0,
            squares: 0.0,
            windows: WINDOWS.map(|ns| Window { ns, ..Window::default() }),
            load: Load { width: 1 << 10, bins: Vec::new() },
        })
    }

    pub(super) fn add(&mut self, request: &HostRequest) {
        let time = request.time.0;
        if let Some(last) = self.last {
            let gap = time.saturating_sub(last);
            self.gaps.saturating_record(gap);
            self.longest = self.longest.max(gap);
            self.count += 1;
            let distance = gap as f64 - self.mean;
            self.mean += distance / self.count as f64;
            self.squares += distance * (gap as f64 - self.mean);
        }
        self.first.get_or_insert(time);
        self.last = Some(time);
        self.windows.iter_mut().for_each(|window| window.add(time));
        self.load.add(request);
    }

    /// From the first arrival to the last.
    pub(super) fn span_ns(&self) -> u64 {
        self.last.unwrap_or(0).saturating_sub(self.first.unwrap_or(0))
    }

    pub(super) fn finish(mut self) -> ArrivalInfo {
        let deviation = if self.count > 0 { (self.squares / self.count as f64).sqrt() } else { 0.0 };
        let longest = self.longest;
        let at = |share| if self.count == 0 { 0 } else { self.gaps.value_at_quantile(share).min(longest) };
        let gaps_ns = Quantiles { mean: self.mean, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: longest };
        let ratio = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let (first, last) = (self.first.unwrap_or(0), self.last.unwrap_or(0));
        ArrivalInfo {
            iops: ratio(1e9, self.mean),
            variation: ratio(deviation, self.mean),
            burstiness: ratio(deviation - self.mean, deviation + self.mean),
            simultaneous_share: ratio(self.gaps.count_at(0) as f64, self.count as f64),
            gaps_ns,
            dispersion: self.windows.iter_mut().filter_map(|window| window.finish(first, last)).collect(),
            load: self.load.finish(),
        }
    }
}

impl Window {
    fn add(&mut self, time: u64) {
        let number = time / self.ns;
        if number != self.current {
            self.close();
            self.current = number;
        }
        self.count += 1;
    }

    fn close(&mut self) {
        let count = std::mem::take(&mut self.count);
        self.sum += count as f64;
        self.squares += count as f64 * count as f64;
        self.peak = self.peak.max(count);
    }

    /// Of the windows from that of the `first` arrival to that of the `last`.
    fn finish(&mut self, first: u64, last: u64) -> Option<Dispersion> {
        self.close();
        let windows = last / self.ns - first / self.ns + 1;
        let mean = self.sum / windows as f64;
        let variance = self.squares / windows as f64 - mean * mean;
        (windows >= LEAST_WINDOWS && mean > 0.0).then(|| Dispersion {
            window_ns: self.ns,
            index: variance / mean,
            peak_to_mean: self.peak as f64 / mean,
        })
    }
}

impl Load {
    fn add(&mut self, request: &HostRequest) {
        use wordline_base::request::HostOp;
        while request.time.0 / self.width >= 2 * BINS as u64 {
            self.widen();
        }
        let number = (request.time.0 / self.width) as usize;
        if number >= self.bins.len() {
            self.bins.resize(number + 1, LoadPoint::default());
        }
        let Some(bin) = self.bins.get_mut(number) else { return };
        bin.requests += 1;
        match request.op {
            HostOp::Read => bin.read_bytes = bin.read_bytes.saturating_add(request.length),
            HostOp::Write | HostOp::WriteFua => {
                bin.written_bytes = bin.written_bytes.saturating_add(request.length);
            }
            HostOp::Trim | HostOp::Flush => {}
        }
    }

    fn widen(&mut self) {
        self.width = self.width.saturating_mul(2);
        let pairs = self.bins.chunks(2).map(|pair| {
            pair.iter().fold(LoadPoint::default(), |sum, bin| LoadPoint {
                from_ns: 0,
                ns: 0,
                requests: sum.requests + bin.requests,
                read_bytes: sum.read_bytes.saturating_add(bin.read_bytes),
                written_bytes: sum.written_bytes.saturating_add(bin.written_bytes),
            })
        });
        self.bins = pairs.collect();
    }

    fn finish(mut self) -> Vec<LoadPoint> {
        while self.bins.len() > BINS {
            self.widen();
        }
        for (number, bin) in (0..).zip(&mut self.bins) {
            (bin.from_ns, bin.ns) = (number * self.width, self.width);
        }
        self.bins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::request::HostOp;
    use wordline_base::time::Ns;

    fn info(times: impl IntoIterator<Item = u64>) -> ArrivalInfo {
        let mut tally = ArrivalTally::new().unwrap();
        for time in times {
            let request =
                HostRequest { time: Ns(time), op: HostOp::Read, offset: 0, length: 100, flow: 0, stream: 0 };
            tally.add(&request);
        }
        tally.finish()
    }

    #[test]
    fn equal_gaps_have_no_variation_and_burstiness_minus_1() {
        let info = info((0..10_000).map(|index| index * 10_000_000));
        assert!((info.gaps_ns.mean - 1e7).abs() < 1.0 && (info.iops - 100.0).abs() < 1e-6);
        // Not the edge of their bucket.
        assert_eq!((info.gaps_ns.p50, info.gaps_ns.max), (10_000_000, 10_000_000));
        assert!(info.variation < 1e-9 && (info.burstiness + 1.0).abs() < 1e-9);
        let second = info.dispersion.iter().find(|found| found.window_ns == 1_000_000_000).unwrap();
        assert!(second.index < 1e-9 && (second.peak_to_mean - 1.0).abs() < 1e-9, "{second:?}");
    }

    #[test]
    fn bursts_are_seen_at_every_scale() {
        // Ten requests at once, every second.
        let info = info((0..1000).map(|index| index / 10 * 1_000_000_000));
        assert!(info.burstiness > 0.4 && (info.simultaneous_share - 900.0 / 999.0).abs() < 1e-9, "{info:?}");
        let fine = info.dispersion.iter().find(|found| found.window_ns == 10_000_000).unwrap();
        assert!((fine.index - 9.9).abs() < 0.1 && fine.peak_to_mean > 90.0, "{fine:?}");
    }

    #[test]
    fn time_before_the_first_arrival_is_no_window() {
        let late = info((0..1000).map(|index| 5_000_000_000_000 + index * 100_000_000));
        let second = late.dispersion.iter().find(|found| found.window_ns == 1_000_000_000).unwrap();
        assert!(second.index < 1e-9 && (second.peak_to_mean - 1.0).abs() < 1e-9, "{second:?}");
    }

    #[test]
    fn the_load_over_time_loses_nothing() {
        let info = info((0..5000).map(|index| index * 1_234_567));
        assert!(info.load.len() <= BINS && info.load.len() > BINS / 4, "{}", info.load.len());
        assert_eq!(info.load.iter().map(|point| point.requests).sum::<u64>(), 5000);
        assert_eq!(info.load.iter().map(|point| point.read_bytes).sum::<u64>(), 500_000);
        assert!(info.load.windows(2).all(|pair| pair[0].from_ns + pair[0].ns == pair[1].from_ns));
    }

    #[test]
    fn one_request_and_none_give_zeros() {
        assert_eq!(info([]).load, []);
        let one = info([5]);
        assert!(one.iops.abs() < 1e-12 && one.gaps_ns.max == 0 && one.dispersion.is_empty());
    }
}
