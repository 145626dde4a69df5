//! Greedy collection.
//!
//! B. Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state drives",
//! SIGMETRICS 2013: each valid unit is overwritten at the same rate, so a superblock of level j (j valid
//! units) falls to j − 1 at rate j. They enter full, at rate f, so the share of level j is f / j, down to a level m where
//! collection takes some. With b units in a superblock and the share ρ of all units valid:
//! Σ f / j + x = 1 over j = m + 1 … b, x being the share of level m, and f (b − m) + m x = ρ b.

/// The shares of the levels.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Levels {
    lowest: u32,
    /// Share of the lowest level.
    at_lowest: f64,
    /// Rate at which superblocks enter: level j above the lowest has the share `entering` / j.
    entering: f64,
}

/// Solves the equations for superblocks of `units` units; `None` where hardly anything is spare.
fn levels(units: u32, share: f64) -> Option<Levels> {
    let all = f64::from(units);
    let mut harmonic = 0.0;
    for level in (0..units).rev() {
        harmonic += 1.0 / f64::from(level + 1);
        let m = f64::from(level);
        let entering = (share * all - m) / (all - m - m * harmonic);
        let at_lowest = 1.0 - entering * harmonic;
        // All that is above the lowest level's own rate is taken when it comes to it.
        if entering > 0.0 && at_lowest >= 0.0 && (level == 0 || at_lowest <= entering / m) {
            return Some(Levels { lowest: level, at_lowest, entering });
        }
    }
    None
}

/// Valid units of each of `superblocks` of `units` units, a `share` of them valid, ascending, which is from the oldest to the
/// youngest.
pub(super) fn counts(superblocks: u32, units: u32, share: f64) -> Option<Vec<u32>> {
    let Levels { lowest, at_lowest, entering } = levels(units, share)?;
    let above = (lowest + 1..=units).map(|level| entering / f64::from(level));
    Some(super::by_shares(superblocks, lowest, std::iter::once(at_lowest).chain(above)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;

    /// What is written is what is freed: at rate f superblocks enter, of which `lowest` units of `units` were moved.
    #[test]
    fn the_shares_make_up_one_and_the_valid_units() {
        for (units, share) in [(64, 0.93), (256, 0.7), (1024, 0.875), (256, 0.1), (4096, 0.02)] {
            let Levels { lowest, at_lowest, entering } = levels(units, share).unwrap();
            let above = || lowest + 1..=units;
            let shares = at_lowest + above().map(|level| entering / f64::from(level)).sum::<f64>();
            let valid = at_lowest * f64::from(lowest) + entering * f64::from(units - lowest);
            assert!((shares - 1.0).abs() < 1e-9, "{units} {share}: {shares}");
            assert!((valid / f64::from(units) - share).abs() < 1e-9, "{units} {share}: {valid}");
        }
    }
}
