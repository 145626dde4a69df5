//! How far a domain is between two collections: what its open superblocks hold, and what of a victim has been moved.
//!
//! Host and collection fill their open superblocks row by row and have no phase in common, so each is filled to any row with the
//! same chance. Collection by thresholds rests between two host superblocks, with any number free that its thresholds allow.
//! Collection that keeps pace with the host has moved as much of its victim as follows from the space that is free: of
//! the target, the share of the victim that was moved is lacking.

use rand::Rng;
use serde::{Deserialize, Serialize};

use super::{Collection, Parted, fifo};
use crate::blocks::together;
use wordline_base::rng::{self, Xoshiro256PlusPlus, below};

/// Bounds of what a description may ask for.
const MOST_CHOICES: u32 = 1 << 16;
const MOST_ROWS_AT_ONCE: u32 = 1 << 16;
const MOST_TOGETHER: u32 = 1 << 24;

/// What the phases of a drive's domains are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Superblocks of a domain that are in use.
    pub superblocks: u32,
    /// Fewest and most that are free while collection rests.
    pub free: [u32; 2],
    /// Units free of a domain whose collection keeps pace with the host; `None` for one by thresholds.
    pub paced: Option<u32>,
    /// Whether what is open and under way has a phase; else nothing is open.
    pub phased: bool,
    /// Rows that are programmed together.
    pub rows_at_once: u32,
    /// How victims are chosen.
    pub collection: Collection,
    /// What is drawn follows from it.
    pub seed: u64,
    /// Mapping units that one request writes, at multiples of that; 1 where each unit is written alone.
    pub together: u32,
    /// How such requests lie that were moved.
    pub parted: Parted,
}

impl Plan {
    /// Whether a drive of so many blocks in each plane can be laid out by it.
    pub fn is_possible(&self, blocks: u32) -> bool {
        let choices = match self.collection {
            Collection::Choices(choices) => choices,
            Collection::Greedy | Collection::Fifo => 1,
        };
        let bounded = self.rows_at_once <= MOST_ROWS_AT_ONCE && self.together <= MOST_TOGETHER;
        self.superblocks <= blocks && choices <= MOST_CHOICES && bounded
    }
}

/// A superblock that is filled up to a row, or emptied up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenRows {
    /// Its number in the domain.
    pub block: u32,
    /// First row that holds something.
    pub first: u32,
    /// Rows that hold something.
    pub rows: u32,
}

/// The superblocks of a domain in their order: full ones by valid units, then what is open, then free ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// Valid units of each superblock.
    pub valid: Vec<u32>,
    /// What the host fills.
    pub host: Option<OpenRows>,
    /// What collection fills.
    pub moves: Option<OpenRows>,
    /// What is being collected.
    pub victim: Option<OpenRows>,
    /// How many of 2^32 full superblocks the host filled: the others were filled by moves.
    pub by_host: u32,
}

impl Phase {
    /// The rows of a superblock that hold something, of `rows`.
    #[inline]
    pub fn window(&self, block: u32, rows: u32) -> [u32; 2] {
        let open =
            [self.host, self.moves, self.victim].into_iter().flatten().find(|open| open.block == block);
        open.map_or([0, rows], |open| [open.first, open.rows])
    }

    /// Whether the host filled a superblock; those that are full by chance, which the key decides.
    #[inline]
    pub fn is_of_host(&self, block: u32, key: u64) -> bool {
        let is = |open: Option<OpenRows>| open.is_some_and(|open| open.block == block);
        is(self.host) || (!is(self.moves) && (key >> 32) as u32 <= self.by_host)
    }
}

/// Rows filled of what is open, rows moved of the victim, and superblocks that are free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Draw {
    host: u32,
    moves: u32,
    moved: u32,
    free: u32,
}

/// The phases of domains of `rows` rows of `row` units each that hold `units` units; each domain is asked for in turn. Units are
/// written and outdated in groups of `group`, so a superblock holds whole groups.
pub struct Phases {
    plan: Plan,
    rows: u32,
    row: u32,
    group: u32,
    /// Rows that end with a program unit and a group.
    step: u32,
    random: Xoshiro256PlusPlus,
    /// Valid units of the full superblocks of the first domain: the others differ by little.
    shape: Option<Vec<u32>>,
}

/// For domains of `rows` rows of `row` units, in groups that fit in ([`together::group_of_domain`]).
pub fn phases(plan: Plan, [rows, row, group]: [u32; 3]) -> Phases {
    let step = together::whole_rows(group, row, plan.rows_at_once).max(1);
    Phases { plan, rows, row, group, step, random: rng::stream(plan.seed, "phases"), shape: None }
}

impl Phases {
    /// The next domain, which holds `units` units, in whole groups.
    pub fn next(&mut self, units: u32) -> Phase {
        let all = u64::from(self.rows) * u64::from(self.row);
        let capacity = all as u32;
        let needed = |units: u64| units.div_ceil(all.max(1)) as u32;
        let draw =
            if self.plan.phased { self.draw() } else { Draw { free: self.plan.free[1], ..Draw::default() } };
        let open = u64::from(draw.host + draw.moves) * u64::from(self.row);
        let opened = u32::from(draw.host > 0) + u32::from(draw.moves > 0);
        let full = self.plan.superblocks.saturating_sub(draw.free + opened);
        // A drive that holds little, or can hold no more, has no cycle of collections.
        let draw = if open * 4 > u64::from(units) || full <= needed(u64::from(units) - open) {
            let free = self.plan.superblocks.saturating_sub(needed(u64::from(units)));
            Draw { free: self.plan.free[1].min(free), ..Draw::default() }
        } else {
            draw
        };
        self.lay_out(draw, units, capacity)
    }

    /// Whole rows of program units, so many that the superblock isn't full.
    fn some_rows(&mut self) -> u32 {
        below(&mut self.random, self.rows.div_ceil(self.step)) * self.step
    }

    fn draw(&mut self) -> Draw {
        let Plan { free: [least, most], paced, .. } = self.plan;
        // The same number of draws whatever they are for.
        let (host, moves) = (self.some_rows(), self.some_rows());
        let free = least + below(&mut self.random, most.saturating_sub(least) + 1);
        let moved = below(&mut self.random, self.rows.max(1));
        let Some(target) = paced else { return Draw { host, moves, free, moved: 0 } };
        // Units free, in rows: those of the target, but for what is lacking. They are in free superblocks and in the open ones.
        let lacking = moved + if host > 0 { self.rows - host } else { 0 };
        let rows = (target / self.row.max(1)).saturating_sub(lacking).max(1);
        let free = (rows - 1) / self.rows.max(1);
        let moves = (self.rows - (rows - free * self.rows)) / self.step * self.step;
        // What nothing was moved to yet isn't open.
        Draw { host, moves, moved, free: free + u32::from(moves == 0) }
    }

    fn lay_out(&mut self, draw: Draw, units: u32, capacity: u32) -> Phase {
        let opened = u32::from(draw.host > 0) + u32::from(draw.moves > 0);
        let full = self.plan.superblocks.saturating_sub(draw.free + opened);
        // In groups from here on: what holds them, and what is full of them.
        let inside = (units - (draw.host + draw.moves) * self.row) / self.group;
        let capacity = capacity / self.group;
        let victim = (draw.moved > 0 && full > 0).then(|| self.victim(full));
        let mut valid = self.shaped(full, capacity, inside);
        let by_host = self.by_host(&valid, capacity);
        // One that holds nothing counts as free.
        let victim = victim.filter(|&victim| valid.get(victim as usize).is_some_and(|&valid| valid > 0));
        if let Some(victim) = victim {
            let victim = victim as usize;
            let held = valid.remove(victim);
            let moved = u64::from(held) * u64::from(draw.moved) / u64::from(self.rows.max(1));
            // What is left of it lies in the rows that are left.
            let room = (self.rows - draw.moved) * self.row / self.group;
            let left = (held - moved as u32).min(room);
            super::make_up(&mut valid, capacity, inside - left);
            valid.insert(victim, left);
        }
        valid.iter_mut().for_each(|valid| *valid *= self.group);
        let mut next = full;
        let mut open = |rows: u32| {
            (rows > 0).then(|| {
                valid.push(rows * self.row);
                next += 1;
                OpenRows { block: next - 1, first: 0, rows }
            })
        };
        let (host, moves) = (open(draw.host), open(draw.moves));
        valid.resize(self.plan.superblocks as usize, 0);
        let left = |block| OpenRows { block, first: draw.moved, rows: self.rows - draw.moved };
        Phase { valid, host, moves, victim: victim.map(left), by_host }
    }

    /// Of 2^32 superblocks that become full those that the host filled: as many as victims win.
    fn by_host(&self, valid: &[u32], capacity: u32) -> u32 {
        let all = valid.len() as f64;
        let moved = match self.plan.collection {
            Collection::Greedy | Collection::Fifo => f64::from(valid.first().copied().unwrap_or(0)),
            Collection::Choices(choices) => {
                // The fewest of so many drawn has this rank or a higher one.
                let from = |rank: usize| libm::pow((all - rank as f64) / all, f64::from(choices.max(1)));
                let of_rank = |(rank, &valid)| (from(rank) - from(rank + 1)) * f64::from(valid);
                valid.iter().enumerate().map(of_rank).sum()
            }
        };
        ((1.0 - moved / f64::from(capacity.max(1))).clamp(0.0, 1.0) * f64::from(u32::MAX)) as u32
    }

    /// Valid groups of so many full superblocks that hold so much together, from the oldest or emptiest on.
    fn shaped(&mut self, full: u32, capacity: u32, units: u32) -> Vec<u32> {
        let collection = self.plan.collection;
        let shape = self.shape.get_or_insert_with(|| collection.valid_units(full, capacity, units));
        // Of as many superblocks as there are, those at the same share of the way.
        let at = |number: u32| u64::from(number) * shape.len() as u64 / u64::from(full.max(1));
        let of_shape = |number: u32| shape.get(at(number) as usize).copied().unwrap_or(0);
        let mut counts: Vec<u32> = (0..full).map(of_shape).collect();
        if collection == Collection::Fifo {
            counts.iter_mut().for_each(|count| *count = fifo::by_chance(*count, capacity, &mut self.random));
        }
        super::make_up(&mut counts, capacity, units);
        counts
    }

    /// Which of the full superblocks the policy would have chosen; they ascend by valid units and by age.
    fn victim(&mut self, full: u32) -> u32 {
        match self.plan.collection {
            Collection::Greedy | Collection::Fifo => 0,
            Collection::Choices(choices) => {
                let drawn = (0..choices.max(1)).map(|_| below(&mut self.random, full)).min();
                drawn.unwrap_or(0)
            }
        }
    }
}

/// A seed for a drive whose run has this one.
pub fn seed_of(seed: u64) -> u64 {
    rng::stream(seed, "steady").next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plan(paced: Option<u32>, seed: u64) -> Plan {
        let collection = Collection::Greedy;
        let (rows_at_once, together) = (3, 1);
        let parted = Parted::default();
        Plan {
            superblocks: 40,
            free: [2, 4],
            paced,
            phased: true,
            rows_at_once,
            collection,
            seed,
            together,
            parted,
        }
    }

    const ROWS: u32 = 30;
    const ROW: u32 = 8;
    const CAPACITY: u32 = ROWS * ROW;

    fn drawn(plan: Plan, count: usize) -> Vec<Phase> {
        let mut phases = phases(plan, [ROWS, ROW, 1]);
        (0..count).map(|_| phases.next(31 * CAPACITY)).collect()
    }

    fn free_units(phase: &Phase) -> u32 {
        let open = |open: Option<OpenRows>| open.map_or(0, |open| CAPACITY - open.rows * ROW);
        let erased = phase.valid.iter().filter(|&&valid| valid == 0).count() as u32;
        erased * CAPACITY + open(phase.host) + open(phase.moves)
    }

    proptest! {
        #[test]
        fn every_phase_holds_the_units_within_its_windows(
            groups in 0u32..=38 * CAPACITY, seed: u64, paced in proptest::option::of(3 * CAPACITY..6 * CAPACITY),
            group in 0usize..6,
        ) {
            let group = [1, 2, 4, 8, 24, 48][group];
            let units = groups / group * group;
            let mut phases = phases(plan(paced, seed), [ROWS, ROW, group]);
            for _ in 0..3 {
                let phase = phases.next(units);
                prop_assert!(phase.valid.iter().all(|valid| valid.is_multiple_of(group)), "{:?}", phase);
                prop_assert_eq!(phase.valid.iter().sum::<u32>(), units);
                prop_assert_eq!(phase.valid.len(), 40);
                for (&valid, block) in phase.valid.iter().zip(0..) {
                    prop_assert!(valid <= phase.window(block, ROWS)[1] * ROW);
                }
            }
        }
    }

    #[test]
    fn what_is_open_is_filled_to_any_row_and_differs_by_domain() {
        let phases = drawn(plan(None, 1), 2000);
        let rows = |open: Option<OpenRows>| open.map_or(0, |open| open.rows);
        for of in [|phase: &Phase| phase.host, |phase: &Phase| phase.moves] {
            let mean = phases.iter().map(|phase| f64::from(rows(of(phase)))).sum::<f64>() / 2000.0;
            assert!((mean / f64::from(ROWS - 3) - 0.5).abs() < 0.02, "{mean}");
            assert!(phases.iter().all(|phase| rows(of(phase)).is_multiple_of(3)), "whole program units");
        }
        let free = |phase: &Phase| phase.valid.iter().rev().take_while(|&&valid| valid == 0).count();
        assert_eq!([2, 3, 4].map(|some| phases.iter().any(|phase| free(phase) == some)), [true; 3]);
        assert!(phases.iter().all(|phase| (2..=4).contains(&free(phase)) && phase.victim.is_none()));
    }

    #[test]
    fn what_is_free_and_what_was_moved_of_a_victim_make_up_the_target() {
        let target = 4 * CAPACITY;
        for phase in drawn(plan(Some(target), 3), 500) {
            let moved = phase.victim.map_or(0, |victim| victim.first * ROW);
            let off = free_units(&phase) + moved;
            assert!((target..target + 3 * ROW).contains(&off), "{off} {target} {phase:?}");
        }
    }

    #[test]
    fn the_same_seed_draws_the_same() {
        assert_eq!(drawn(plan(None, 7), 5), drawn(plan(None, 7), 5));
        assert_ne!(drawn(plan(None, 7), 5), drawn(plan(None, 8), 5));
    }
}
