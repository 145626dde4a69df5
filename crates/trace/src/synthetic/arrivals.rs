//! Arrival times.

use wordline_base::request::LATEST_ARRIVAL_NS;
use wordline_base::time::Ns;

use crate::config::InterarrivalConfig;
use crate::rng::{Xoshiro256PlusPlus, stream, unit};

const SECOND: f64 = 1e9;

/// Gives times that never decrease, the first of them 0.
pub(super) enum Arrivals {
    /// All at once: for a closed loop.
    None,
    Poisson {
        mean_ns: f64,
        now: f64,
        rng: Xoshiro256PlusPlus,
    },
    Fixed {
        period_ns: f64,
        index: u64,
    },
    Burst {
        period_ns: f64,
        burst: u64,
        gap_ns: u64,
        start: u64,
        index: u64,
    },
}

impl Arrivals {
    pub(super) fn new(config: Option<&InterarrivalConfig>, seed: u64) -> Self {
        match config {
            None => Self::None,
            Some(InterarrivalConfig::Poisson { iops }) => {
                Self::Poisson { mean_ns: SECOND / iops, now: 0.0, rng: stream(seed, "trace.arrivals") }
            }
            Some(InterarrivalConfig::Fixed { iops }) => Self::Fixed { period_ns: SECOND / iops, index: 0 },
            Some(InterarrivalConfig::Burst { iops, burst_requests, gap_ns }) => Self::Burst {
                period_ns: SECOND / iops,
                burst: *burst_requests,
                gap_ns: *gap_ns,
                start: 0,
                index: 0,
            },
        }
    }

    /// Fills `out` with the next arrivals.
    pub(super) fn fill(&mut self, out: &mut [Ns]) {
        match self {
            Self::None => out.fill(Ns::ZERO),
            Self::Poisson { mean_ns, now, rng } => {
                for place in out {
                    *place = whole(*now);
                    // Not the system's logarithm: the same on every machine.
                    *now -= *mean_ns * libm::log(1.0 - unit(rng));
                }
            }
            Self::Fixed { period_ns, index } => {
                for place in out {
                    *place = whole(*index as f64 * *period_ns);
                    *index += 1;
                }
            }
            Self::Burst { period_ns, burst, gap_ns, start, index } => {
                for place in out {
                    let now =
                        start.saturating_add(whole(*index as f64 * *period_ns).0).min(LATEST_ARRIVAL_NS);
                    *place = Ns(now);
                    *index += 1;
                    if index == burst {
                        (*start, *index) = (now.saturating_add(*gap_ns), 0);
                    }
                }
            }
        }
    }
}

fn whole(ns: f64) -> Ns {
    Ns((ns as u64).min(LATEST_ARRIVAL_NS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(config: InterarrivalConfig, count: usize) -> Vec<u64> {
        let mut out = vec![Ns::ZERO; count];
        let mut arrivals = Arrivals::new(Some(&config), 1);
        out.chunks_mut(3).for_each(|chunk| arrivals.fill(chunk));
        out.iter().map(|time| time.0).collect()
    }

    #[test]
    fn a_fixed_rate_does_not_drift() {
        let found = times(InterarrivalConfig::Fixed { iops: 3.0 }, 7);
        assert_eq!(&found[..3], [0, 333_333_333, 666_666_666]);
        assert_eq!(found[6], 2_000_000_000);
    }

    #[test]
    fn bursts_are_followed_by_the_gap() {
        let config = InterarrivalConfig::Burst { iops: 1e6, burst_requests: 3, gap_ns: 50_000 };
        assert_eq!(times(config, 7), [0, 1000, 2000, 52_000, 53_000, 54_000, 104_000]);
    }

    #[test]
    fn poisson_gaps_have_the_mean_and_deviation_of_the_rate() {
        let found = times(InterarrivalConfig::Poisson { iops: 10_000.0 }, 200_001);
        let gaps: Vec<f64> = found.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean / 100_000.0 - 1.0).abs() < 0.01, "{mean}");
        assert!((variance.sqrt() / 100_000.0 - 1.0).abs() < 0.02, "{variance}");
        assert_eq!(found[0], 0);
    }

    #[test]
    fn times_stay_below_the_latest() {
        let found = times(InterarrivalConfig::Fixed { iops: 1e-6 }, 40_000);
        assert!(found.iter().all(|time| *time <= LATEST_ARRIVAL_NS));
    }
}
