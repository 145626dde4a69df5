//! What is to be ordered or reclaimed, in which order, and what waits for a plan that is under way.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::Trigger;
use wordline_base::ids::SuperblockId;

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Due {
    /// Reclaim this superblock.
    Block(SuperblockId),
    /// Order this region.
    Region(u32, Trigger),
}

/// The regions of a superblock's pages, all of which plans were moving when it was held up.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    /// How often the superblock had been erased then.
    erases: u32,
    regions: Vec<u32>,
}

/// All that is due.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Agenda {
    due: VecDeque<Due>,
    /// What can't be done before a plan that is under way has ended.
    held_up: Vec<Due>,
    /// What superblocks wait for; they are looked through again where it isn't known.
    #[serde(skip)]
    held: BTreeMap<SuperblockId, Held>,
}

impl Agenda {
    /// It comes behind all others.
    pub fn push(&mut self, due: Due) {
        self.due.push_back(due);
    }

    /// The next one.
    pub fn pop(&mut self) -> Option<Due> {
        self.due.pop_front()
    }

    /// Nothing can be done about it before a plan has ended.
    pub fn hold_up(&mut self, due: Due) {
        self.held_up.push(due);
    }

    /// The same of a superblock that was erased so often: not before a plan has ended that moves pages of one of these
    /// regions, all that it has pages of.
    pub fn hold_up_for(&mut self, superblock: SuperblockId, erases: u32, mut regions: Vec<u32>) {
        regions.sort_unstable();
        regions.dedup();
        self.held.insert(superblock, Held { erases, regions });
        self.hold_up(Due::Block(superblock));
    }

    /// Whether a superblock still waits for what it was held up for. A full one gets no pages of further regions.
    pub fn still_waits(
        &mut self,
        superblock: SuperblockId,
        erases: u32,
        is_moving: impl Fn(u32) -> bool,
    ) -> bool {
        let Some(held) = self.held.get(&superblock) else { return false };
        let waits = held.erases == erases && held.regions.iter().all(|&region| is_moving(region));
        if !waits {
            self.held.remove(&superblock);
        }
        waits
    }

    /// A plan has ended: what was held up comes behind what is due.
    pub fn release(&mut self) {
        self.due.extend(self.held_up.drain(..));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: SuperblockId = SuperblockId(3);

    #[test]
    fn what_is_held_up_comes_again_behind_what_is_due_when_a_plan_has_ended() {
        let mut agenda = Agenda::default();
        agenda.push(Due::Block(BLOCK));
        agenda.push(Due::Region(1, Trigger::Reads));
        let first = agenda.pop().unwrap();
        agenda.hold_up(first);
        agenda.push(Due::Region(2, Trigger::Updates));
        agenda.release();
        let all: Vec<Due> = std::iter::from_fn(|| agenda.pop()).collect();
        assert_eq!(
            all,
            [Due::Region(1, Trigger::Reads), Due::Region(2, Trigger::Updates), Due::Block(BLOCK)]
        );
    }

    #[test]
    fn a_superblock_waits_while_all_its_regions_move_and_it_is_not_erased() {
        let held = || {
            let mut agenda = Agenda::default();
            agenda.hold_up_for(BLOCK, 7, vec![5, 4, 5]);
            agenda
        };
        assert!(!Agenda::default().still_waits(BLOCK, 7, |_| true), "it isn't held up");
        assert!(held().still_waits(BLOCK, 7, |region| region == 4 || region == 5));
        assert!(!held().still_waits(BLOCK, 8, |_| true), "erased meanwhile");
        let mut agenda = held();
        assert!(!agenda.still_waits(BLOCK, 7, |region| region == 4), "5 has ended");
        assert!(!agenda.still_waits(BLOCK, 7, |_| true), "looked through anew");
    }
}
