//! A bound on the rate of writes beside reads: units take places as from a bucket of tokens, so that dies have time for the reads.

use serde::{Deserialize, Serialize};

use super::gap::Gap;
use wordline_base::time::Ns;
use wordline_config::cache::RateLimitConfig;

/// When the next unit may take a place.
///
/// The bucket is kept as the moment at which it will be full, as in virtual scheduling (generic cell rate algorithm, ITU-T I.371):
/// each unit moves that on by the gap, and may while it lies less than a bucket ahead.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RateLimit {
    /// Behind a unit.
    pub gap: Gap,
    burst: u64,
    full_at: Ns,
    beside_reads: Ns,
    /// Until when it holds, for the sake of the last read.
    holds_until: Ns,
}

impl RateLimit {
    /// As a scheme describes it, with a full bucket.
    pub fn new(config: &RateLimitConfig) -> Self {
        let &RateLimitConfig { gap_ns, by_moves, burst_units, beside_reads_ns } = config;
        let gap = Gap::new(gap_ns, by_moves);
        let beside_reads = Ns(beside_reads_ns);
        Self { gap, burst: burst_units, full_at: Ns::ZERO, beside_reads, holds_until: Ns::ZERO }
    }

    /// A read of the host has come.
    #[inline]
    pub fn read_came(&mut self, now: Ns) {
        self.holds_until = now + self.beside_reads;
    }

    /// Until when no further unit takes a place, if that is later than `now`.
    #[inline]
    pub fn until(&self, now: Ns) -> Option<Ns> {
        let others = self.gap.part(1, 1).0.saturating_mul(self.burst.saturating_sub(1));
        let has_token = Ns(self.full_at.0.saturating_sub(others));
        Some(has_token.min(self.holds_until)).filter(|&until| until > now)
    }

    /// A unit has taken a place: with a token, while the bound holds.
    pub fn entered(&mut self, now: Ns) {
        if now < self.holds_until {
            self.full_at = self.full_at.max(now) + self.gap.part(1, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(burst_units: u64) -> RateLimit {
        RateLimit::new(&RateLimitConfig {
            gap_ns: 100,
            by_moves: false,
            burst_units,
            beside_reads_ns: 10_000,
        })
    }

    #[test]
    fn a_full_bucket_lets_a_burst_in_and_then_one_unit_a_gap() {
        let mut limit = limit(3);
        limit.read_came(Ns(1_000));
        for _ in 0..3 {
            assert_eq!(limit.until(Ns(1_000)), None);
            limit.entered(Ns(1_000));
        }
        assert_eq!(limit.until(Ns(1_000)), Some(Ns(1_100)));
        assert_eq!(limit.until(Ns(1_100)), None, "at that moment the next enters");
        limit.entered(Ns(1_100));
        assert_eq!(limit.until(Ns(1_150)), Some(Ns(1_200)));
        // It is full again three gaps later, and no fuller.
        for _ in 0..3 {
            assert_eq!(limit.until(Ns(5_000)), None);
            limit.entered(Ns(5_000));
        }
        assert_eq!(limit.until(Ns(5_000)), Some(Ns(5_100)));
    }

    #[test]
    fn it_holds_for_so_long_after_a_read_and_takes_no_tokens_before() {
        let mut limit = limit(1);
        for _ in 0..5 {
            limit.entered(Ns(10));
        }
        assert_eq!(limit.until(Ns(10)), None, "nobody reads");
        limit.read_came(Ns(20));
        assert_eq!(limit.until(Ns(20)), None, "the bucket is full");
        for _ in 0..200 {
            limit.entered(Ns(20));
        }
        assert_eq!(
            limit.until(Ns(20)),
            Some(Ns(10_020)),
            "the last read is forgotten before there is a token"
        );
        assert_eq!(limit.until(Ns(10_020)), None);
    }
}
