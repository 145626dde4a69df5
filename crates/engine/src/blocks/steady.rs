//! How many units the superblocks of a domain hold when uniformly random overwrites have gone on for long.
//!
//! B. Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state drives",
//! SIGMETRICS 2013, for greedy collection: each valid unit is overwritten at the same rate, so a superblock of level j (j valid
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

/// Valid units of each of `superblocks` of `units` units that hold `valid` together, ascending, which is from the oldest to
/// the youngest. `valid` must not be more than they can hold.
pub fn valid_units(superblocks: u32, units: u32, valid: u32) -> Vec<u32> {
    let room = f64::from(superblocks) * f64::from(units);
    let mut counts = Vec::with_capacity(superblocks as usize);
    if let Some(Levels { lowest, at_lowest, entering }) = levels(units, f64::from(valid) / room.max(1.0)) {
        let mut share = at_lowest;
        for level in lowest..=units {
            if level > lowest {
                share += entering / f64::from(level);
            }
            let up_to = ((share * f64::from(superblocks)).round() as usize).min(superblocks as usize);
            counts.resize(up_to.max(counts.len()), level);
        }
    }
    counts.resize(superblocks as usize, valid.checked_div(superblocks).unwrap_or(0).min(units));
    make_up(&mut counts, units, valid);
    counts.sort_unstable();
    counts
}

/// Changes the counts by one here and there, evenly, until they make up the total.
fn make_up(counts: &mut [u32], units: u32, valid: u32) {
    let mut left = i64::from(valid) - counts.iter().map(|&count| i64::from(count)).sum::<i64>();
    while left != 0 {
        let change = left.signum();
        let fits = |count: u32| if change > 0 { count < units } else { count > 0 };
        let fitting = counts.iter().filter(|&&count| fits(count)).count();
        if fitting == 0 {
            return;
        }
        let step = (fitting as i64 / left.abs()).max(1) as usize;
        for count in counts.iter_mut().filter(|count| fits(**count)).step_by(step) {
            if left == 0 {
                return;
            }
            *count = count.wrapping_add_signed(change as i32);
            left -= change;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_ascend_and_make_up_the_total(superblocks in 1u32..300, units in 1u32..300, share in 0.0..=1.0f64) {
            let valid = (f64::from(superblocks * units) * share) as u32;
            let counts = valid_units(superblocks, units, valid);
            prop_assert_eq!(counts.len(), superblocks as usize);
            prop_assert_eq!(counts.iter().sum::<u32>(), valid);
            prop_assert!(counts.is_sorted() && counts.iter().all(|&count| count <= units));
        }
    }

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

    #[test]
    fn without_spare_units_every_superblock_is_full() {
        assert_eq!(valid_units(10, 64, 640), [64; 10]);
        assert_eq!(valid_units(10, 64, 639), [[63; 1].as_slice(), &[64; 9]].concat());
    }

    #[test]
    fn few_valid_units_leave_superblocks_empty() {
        let counts = valid_units(100, 256, 1280);
        assert!(counts[0] == 0 && counts[99] > 200, "{counts:?}");
    }
}
