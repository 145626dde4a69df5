//! Collection of the superblock that became full longest ago.
//!
//! Every unit is overwritten at the same rate, so a superblock keeps the share e^−s of its units while s overwrites for each
//! unit go by. It is collected at the age S, where the mean over all ages is the share of units that is valid:
//! (1 − e^−S) / S = ρ (J. Menon, "A performance comparison of RAID-5 and log-structured arrays", HPDC 1995; J. T. Robinson,
//! "Analysis of steady-state segment storage utilizations in a log-structured file system with least-utilized segment
//! cleaning", ACM SIGOPS Operating Systems Review 30(4), 1996; P. Desnoyers, "Analytic models of SSD write performance", ACM
//! Transactions on Storage 10(2), 2014).

use wordline_base::rng::{Xoshiro256PlusPlus, below};

/// Steps of the search, each of which halves an interval.
const STEPS: u32 = 100;

/// Age at which a superblock is collected, in overwrites for each unit.
fn age(share: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0 / share);
    for _ in 0..STEPS {
        let middle = 0.5 * (low + high);
        if -libm::expm1(-middle) / middle > share { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Valid units of each of `superblocks` of `units` units, a `share` of them valid, ascending, which is from the oldest to the
/// youngest.
pub(super) fn counts(superblocks: u32, units: u32, share: f64) -> Option<Vec<u32>> {
    if !(share > 0.0 && share < 1.0) {
        return None;
    }
    let step = age(share) / f64::from(superblocks);
    let valid = |rank: u32| (f64::from(units) * libm::exp(-step * (f64::from(rank) + 0.5))).round() as u32;
    Some((0..superblocks).rev().map(valid).collect())
}

/// Uniform numbers whose sum stands for a normally distributed one.
const SUMMED: u32 = 12;

/// The number of valid units of a superblock that holds `mean` of `units` on average: each is still valid or not by itself, so
/// that it is distributed binomially, here by the normal distribution of the same mean and variance.
pub(super) fn by_chance(mean: u32, units: u32, random: &mut Xoshiro256PlusPlus) -> u32 {
    let share = f64::from(mean) / f64::from(units.max(1));
    let unit = |_| f64::from(below(random, u32::MAX)) / f64::from(u32::MAX);
    let deviation = (0..SUMMED).map(unit).sum::<f64>() - f64::from(SUMMED) / 2.0;
    let spread = libm::sqrt(f64::from(mean) * (1.0 - share).max(0.0));
    (f64::from(mean) + deviation * spread).round().clamp(0.0, f64::from(units)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_over_all_ages_is_what_is_valid() {
        for share in [0.1, 0.5, 0.8, 0.93, 0.99] {
            let counts = counts(1000, 1000, share).unwrap_or_default();
            let mean = counts.iter().sum::<u32>() as f64 / 1e6;
            assert!((mean - share).abs() < 1e-3, "{share}: {mean}");
        }
    }
}
