//! The fewest valid units of d superblocks drawn at random, the random choice (d = 1) among them.
//!
//! B. Van Houdt, SIGMETRICS 2013, the mean field of d choices: with G_j the share of superblocks of level j or more (j valid
//! units of b), the victim is of level j with the probability G_j^d − G_{j+1}^d. At a rate c of victims, each of which becomes a
//! superblock of level b, levels j and above lose j p_j by overwrites and c G_j^d to collection, and win c, so in the steady
//! state j p_j = c (1 − G_j^d) with G_j = G_{j+1} + p_j. Level by level from b down this gives every share; c follows
//! from Σ j p_j = ρ b.

/// Levels that are told apart. Larger superblocks are described by as many: with so many units a level is as wide as what
/// chance adds to it.
const MOST_LEVELS: u32 = 4096;

/// Steps of each search: each halves an interval, or doubles the digits that are right.
const STEPS: u32 = 60;

/// The shares of levels 1 to `units` for victims at the rate `rate`; level 0 has the rest.
fn shares(choices: f64, units: u32, rate: f64) -> Vec<f64> {
    let mut shares = vec![0.0; units as usize];
    let mut above = 0.0;
    for (share, level) in shares.iter_mut().rev().zip((1..=units).rev()) {
        *share = share_of(choices, f64::from(level), rate, above);
        above += *share;
    }
    shares
}

/// The root p of level · p = rate · (1 − (above + p)^choices). The difference of both sides rises with p, and ever faster, so
/// Newton's steps from the upper end stay above the root and come down to it.
fn share_of(choices: f64, level: f64, rate: f64, above: f64) -> f64 {
    let mut share = 1.0 - above;
    for _ in 0..STEPS {
        let power = libm::pow(above + share, choices - 1.0);
        let value = level * share - rate * (1.0 - power * (above + share));
        let step = value / (level + rate * choices * power);
        share = (share - step).max(0.0);
        if step.abs() <= 1e-15 {
            break;
        }
    }
    share
}

/// The share of all units that is valid at this rate of victims.
fn valid_at(choices: f64, units: u32, rate: f64) -> f64 {
    let weighted = shares(choices, units, rate)
        .into_iter()
        .zip(1..=units)
        .map(|(share, level)| share * f64::from(level));
    weighted.sum::<f64>() / f64::from(units)
}

/// Valid units of each of `superblocks` of `units` units, a `share` of them valid, ascending.
pub(super) fn counts(choices: u32, superblocks: u32, units: u32, share: f64) -> Option<Vec<u32>> {
    let levels = units.min(MOST_LEVELS);
    let choices = f64::from(choices.max(1));
    let (mut low, mut high) = (1e-9, 1e9 * f64::from(levels));
    if levels == 0 || share <= valid_at(choices, levels, low) || share >= valid_at(choices, levels, high) {
        return None;
    }
    for _ in 0..STEPS {
        // The middle of the orders of magnitude.
        let rate = libm::sqrt(low * high);
        if valid_at(choices, levels, rate) < share { low = rate } else { high = rate }
    }
    let shares = shares(choices, levels, libm::sqrt(low * high));
    let lowest = 1.0 - shares.iter().sum::<f64>();
    let counts = super::by_shares(superblocks, 0, std::iter::once(lowest).chain(shares));
    let scaled = |count: u32| (u64::from(count) * u64::from(units) / u64::from(levels)) as u32;
    Some(counts.into_iter().map(scaled).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collecting at random, a victim is as full as the drive: WAF is 1 / (1 − ρ) (Van Houdt 2013, d = 1).
    #[test]
    fn at_random_the_victim_is_as_full_as_the_drive() {
        for (units, share) in [(64, 0.8), (256, 0.93)] {
            let counts = counts(1, 100_000, units, share).unwrap_or_default();
            let mean = counts.iter().map(|&count| f64::from(count)).sum::<f64>() / 1e5 / f64::from(units);
            assert!((mean - share).abs() < 1e-3, "{mean}");
            // The level decays as a geometric age: the standard deviation is that of the mean field, not of a single level.
            assert!(counts.first() < Some(&(units / 2)), "{:?}", counts.first());
        }
    }

    #[test]
    fn many_choices_come_to_greedy() {
        let greedy = super::super::greedy::counts(1000, 128, 0.85).unwrap_or_default();
        let many = counts(1000, 1000, 128, 0.85).unwrap_or_default();
        let off = greedy.iter().zip(&many).map(|(&a, &b)| a.abs_diff(b)).sum::<u32>();
        assert!(off < 1000, "{off}: less than a unit each");
    }
}
