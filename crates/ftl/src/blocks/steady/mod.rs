//! How many units the superblocks of a domain hold when uniformly random overwrites have gone on for long, by the policy that
//! chooses victims, and how far the domain is between two collections.

mod choices;
mod fifo;
mod greedy;
mod parting;
mod phase;

use serde::{Deserialize, Serialize};

use wordline_config::scheme::{GcConfig, GcKind};

pub use parting::{LEVELS, Parted, QUARTERS, Shape, parted, whole_piece};
pub use phase::{OpenRows, Phase, Plan, phases, seed_of};

/// A policy whose steady state is known as a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Collection {
    /// The fewest valid units.
    Greedy,
    /// The fewest valid units of so many drawn at random; of one: any.
    Choices(u32),
    /// The one that became full longest ago.
    Fifo,
}

impl Collection {
    /// That of a scheme; `None` for a policy without a formula.
    pub fn of(config: &GcConfig) -> Option<Self> {
        match config.policy {
            GcKind::Greedy => Some(Self::Greedy),
            GcKind::DChoices => Some(Self::Choices(config.choices)),
            GcKind::Random => Some(Self::Choices(1)),
            GcKind::Fifo => Some(Self::Fifo),
            GcKind::CostBenefit | GcKind::WindowedGreedy => None,
        }
    }

    /// Valid units of each of `superblocks` of `units` units that hold `valid` together, ascending. `valid` must not be more
    /// than they can hold.
    pub fn valid_units(self, superblocks: u32, units: u32, valid: u32) -> Vec<u32> {
        let room = f64::from(superblocks) * f64::from(units);
        let share = f64::from(valid) / room.max(1.0);
        let counts = match self {
            Self::Greedy => greedy::counts(superblocks, units, share),
            Self::Choices(choices) => choices::counts(choices, superblocks, units, share),
            Self::Fifo => fifo::counts(superblocks, units, share),
        };
        let mut counts =
            counts.unwrap_or_else(|| vec![(valid / superblocks.max(1)).min(units); superblocks as usize]);
        make_up(&mut counts, units, valid);
        counts.sort_unstable();
        counts
    }
}

/// Changes the counts evenly until they make up the total.
pub fn make_up(counts: &mut [u32], units: u32, valid: u32) {
    let mut left = i64::from(valid) - counts.iter().map(|&count| i64::from(count)).sum::<i64>();
    while left != 0 {
        let change = left.signum();
        let room = |count: u32| if change > 0 { units - count } else { count };
        let fitting = counts.iter().filter(|&&count| room(count) > 0).count() as i64;
        if fitting == 0 {
            break;
        }
        let each = (left.abs() / fitting).max(1) as u32;
        let step = (fitting / left.abs()).max(1) as usize;
        for count in counts.iter_mut().filter(|count| room(**count) > 0).step_by(step) {
            if left == 0 {
                break;
            }
            let by = each.min(room(*count)).min(left.unsigned_abs() as u32);
            *count = if change > 0 { *count + by } else { *count - by };
            left -= change * i64::from(by);
        }
    }
}

/// Superblocks of each level, from the shares of the levels `lowest`, `lowest` + 1 …
fn by_shares(superblocks: u32, lowest: u32, shares: impl Iterator<Item = f64>) -> Vec<u32> {
    let mut counts = Vec::with_capacity(superblocks as usize);
    let (mut sum, mut level) = (0.0, lowest);
    for share in shares {
        sum += share;
        let up_to = ((sum * f64::from(superblocks)).round() as usize).min(superblocks as usize);
        counts.resize(up_to.max(counts.len()), level);
        level += 1;
    }
    counts.resize(superblocks as usize, level.saturating_sub(1));
    counts
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [Collection; 5] = [
        Collection::Greedy,
        Collection::Choices(1),
        Collection::Choices(2),
        Collection::Choices(10),
        Collection::Fifo,
    ];

    proptest! {
        #[test]
        fn counts_ascend_and_make_up_the_total(
            policy in 0..ALL.len(), superblocks in 1u32..300, units in 1u32..300, share in 0.0..=1.0f64,
        ) {
            let valid = (f64::from(superblocks * units) * share) as u32;
            let counts = ALL[policy].valid_units(superblocks, units, valid);
            prop_assert_eq!(counts.len(), superblocks as usize);
            prop_assert_eq!(counts.iter().sum::<u32>(), valid);
            prop_assert!(counts.is_sorted() && counts.iter().all(|&count| count <= units));
        }
    }

    #[test]
    fn without_spare_units_every_superblock_is_full() {
        for policy in ALL {
            assert_eq!(policy.valid_units(10, 64, 640), [64; 10], "{policy:?}");
            assert_eq!(
                policy.valid_units(10, 64, 639),
                [[63; 1].as_slice(), &[64; 9]].concat(),
                "{policy:?}"
            );
        }
    }

    #[test]
    fn few_valid_units_leave_superblocks_empty() {
        let counts = Collection::Greedy.valid_units(100, 256, 1280);
        assert!(counts[0] == 0 && counts[99] > 200, "{counts:?}");
    }

    /// What is won by a victim, of a naive drive overwritten for long with the policy, against what the counts tell.
    #[test]
    fn the_shape_is_that_of_a_naive_drive_after_many_overwrites() {
        for (policy, tolerance) in ALL.into_iter().zip([0.03; ALL.len()]) {
            let simulated = naive::overwritten(policy, 500, 64, 0.85);
            let expected = policy.valid_units(500, 64, simulated.iter().sum());
            let off: f64 = simulated
                .iter()
                .zip(&expected)
                .map(|(&a, &b)| (f64::from(a) - f64::from(b)).abs())
                .sum::<f64>()
                / 500.0
                / 64.0;
            assert!(off < tolerance, "{policy:?}: {off:.4}\n{simulated:?}\n{expected:?}");
        }
    }

    mod naive {
        use super::Collection;
        use wordline_base::rng::{below, stream};

        /// Valid units of each superblock but the one that is being filled, ascending.
        pub fn overwritten(policy: Collection, superblocks: u32, units: u32, share: f64) -> Vec<u32> {
            let pages = (f64::from(superblocks * units) * share) as u32;
            let mut random = stream(5, "naive");
            let mut of_page: Vec<usize> = (0..pages).map(|page| (page / units) as usize).collect();
            let mut valid = vec![0u32; superblocks as usize + 1];
            of_page.iter().for_each(|&superblock| valid[superblock] += 1);
            let mut since = vec![0u64; valid.len()];
            let (mut open, mut filled, mut clock) = (superblocks as usize, 0, 0u64);
            for _ in 0..u64::from(pages) * 12 {
                let page = below(&mut random, pages) as usize;
                valid[of_page[page]] -= 1;
                (of_page[page], filled) = (open, filled + 1);
                valid[open] += 1;
                while filled == units {
                    clock += 1;
                    since[open] = clock;
                    let others = (0..valid.len()).filter(|&number| number != open);
                    let victim = match policy {
                        Collection::Greedy => others.min_by_key(|&number| valid[number]).unwrap(),
                        Collection::Fifo => others.min_by_key(|&number| since[number]).unwrap(),
                        Collection::Choices(choices) => {
                            let others: Vec<usize> = others.collect();
                            let draw = |_| others[below(&mut random, others.len() as u32) as usize];
                            (0..choices).map(draw).min_by_key(|&number| valid[number]).unwrap()
                        }
                    };
                    // Its valid units begin the next one: it is emptied and filled again in place.
                    (open, filled) = (victim, valid[victim]);
                }
            }
            let mut all: Vec<u32> =
                (0..valid.len()).filter(|&number| number != open).map(|number| valid[number]).collect();
            all.sort_unstable();
            all
        }
    }
}
