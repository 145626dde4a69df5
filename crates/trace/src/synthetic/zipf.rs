//! Ranks after Zipf's law, in constant memory and time whatever their number.
//!
//! Rejection-inversion (W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates from monotone
//! discrete distributions", ACM TOMACS 6(3), 1996): draw from the continuous density x^-theta by inversion, round,
//! and reject rarely. The functions come from `libm`, not from the system, so that a seed gives the same ranks on
//! every machine; that is why no library's sampler is used.

use wordline_base::draws::Class;

use crate::rng::{Xoshiro256PlusPlus, unit};

/// Ranks 1 to n with probability proportional to rank^-theta.
#[derive(Clone, Debug)]
pub(crate) struct Zipf {
    n: f64,
    theta: f64,
    /// Integral of the density at the upper end of the last rank.
    top: f64,
    /// Length of the interval that is inverted: from the lower end of the first rank to `top`, negative.
    span: f64,
    /// Distance from a rank within which no check is needed.
    sure: f64,
}

impl Zipf {
    pub(crate) fn new(n: u64, theta: f64) -> Self {
        let n = n as f64;
        let top = integral(n + 0.5, theta);
        Self {
            n,
            theta,
            top,
            span: integral(1.5, theta) - 1.0 - top,
            sure: 2.0 - inverse(integral(2.5, theta) - density(2.0, theta), theta),
        }
    }

    /// A rank, from 0.
    #[inline]
    pub(crate) fn sample(&self, rng: &mut Xoshiro256PlusPlus) -> u64 {
        loop {
            let area = self.top + unit(rng) * self.span;
            let x = inverse(area, self.theta);
            // What is below one counts as one anyway, so that the whole part is the floor.
            let rank = ((x + 0.5) as u64 as f64).clamp(1.0, self.n);
            if rank - x <= self.sure || area >= integral(rank + 0.5, self.theta) - density(rank, self.theta) {
                return rank as u64 - 1;
            }
        }
    }
}

/// Ranks that stand in a class of their own.
const ALONE: u64 = 64;

/// By how much the ranks of a class differ in weight.
const ALIKE: f64 = 0.1;

/// The ranks in classes whose weights differ little, and the share of the draws that goes to each.
pub(crate) fn classes(n: u64, theta: f64) -> Vec<Class> {
    let mut classes = Vec::new();
    let (mut first, mut sum) = (0, 0.0);
    while first < n {
        let more = (first as f64 * ALIKE / theta.max(1.0)) as u64;
        let end = if first < ALONE { first + 1 } else { first + more.max(1) }.min(n);
        let share = if end == first + 1 {
            density(end as f64, theta)
        } else {
            integral(end as f64 + 0.5, theta) - integral(first as f64 + 0.5, theta)
        };
        sum += share;
        classes.push(Class { ranks: end - first, share });
        first = end;
    }
    classes.iter_mut().for_each(|class| class.share /= sum);
    classes
}

/// x^-theta.
fn density(x: f64, theta: f64) -> f64 {
    libm::exp(-theta * libm::log(x))
}

/// Integral of the density from 1 to x: (x^(1-theta) - 1) / (1-theta), or ln x at theta = 1.
fn integral(x: f64, theta: f64) -> f64 {
    let log = libm::log(x);
    let power = (1.0 - theta) * log;
    // Near theta = 1 the quotient loses its digits, and its series does not.
    if power.abs() < 1e-6 { log * (1.0 + power / 2.0) } else { libm::expm1(power) / (1.0 - theta) }
}

/// The x whose integral this is.
fn inverse(area: f64, theta: f64) -> f64 {
    let power = ((1.0 - theta) * area).max(-1.0);
    if power.abs() < 1e-6 {
        libm::exp(area * (1.0 - power / 2.0))
    } else {
        libm::exp(libm::log1p(power) / (1.0 - theta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::stream;

    fn counts(n: u64, theta: f64, draws: u32) -> Vec<u32> {
        let zipf = Zipf::new(n, theta);
        let mut rng = stream(3, "test");
        let mut counts = vec![0; n as usize];
        for _ in 0..draws {
            counts[zipf.sample(&mut rng) as usize] += 1;
        }
        counts
    }

    #[test]
    fn shares_of_ranks_follow_the_law() {
        for theta in [0.0, 0.5, 0.99, 1.0, 1.000_000_1, 1.2, 3.0] {
            let draws = 400_000;
            let counts = counts(20, theta, draws);
            let total: f64 = (1..=20).map(|rank| f64::from(rank).powf(-theta)).sum();
            for (index, count) in counts.iter().enumerate() {
                let expected = f64::from(draws) * ((index + 1) as f64).powf(-theta) / total;
                let slack = 5.0 * expected.sqrt() + 1.0;
                assert!((f64::from(*count) - expected).abs() < slack, "{theta} {index}: {count} {expected}");
            }
        }
    }

    #[test]
    fn the_largest_spaces_stay_in_range_and_keep_the_skew() {
        let n = 1_u64 << 32;
        let zipf = Zipf::new(n, 0.99);
        let mut rng = stream(4, "test");
        let ranks: Vec<u64> = (0..100_000).map(|_| zipf.sample(&mut rng)).collect();
        assert!(ranks.iter().all(|rank| *rank < n));
        // The first million of 2^32 ranks carry H(10^6)/H(2^32) = 15.39/25.41 of the weight (theta = 0.99).
        let hot = ranks.iter().filter(|rank| **rank < 1_000_000).count();
        assert!((58_500..62_500).contains(&hot), "{hot}");
    }

    #[test]
    fn one_slot_and_the_steepest_skew_work() {
        assert_eq!(counts(1, 0.99, 100), [100]);
        assert_eq!(counts(1, 0.0, 100), [100]);
        let zipf = Zipf::new(u64::MAX, 10.0);
        let mut rng = stream(5, "test");
        assert!((0..1000).all(|_| zipf.sample(&mut rng) < 100));
    }
}
