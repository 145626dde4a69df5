//! Superblocks that a system keeps open from plan to plan, and for programs of the host.

use crate::work::above::AboveFtl;
use crate::work::collection::collect::check_collection;
use crate::work::plans::start_waiting_plans;
use crate::work::writes::commit::superblock_is_full;
use crate::work::writes::places::release_stalled;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::blocks::BlockState;
use wordline_base::ids::SuperblockId;
use wordline_flash::sched::queue::{NONE, OpId};

/// A superblock that a system keeps open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SystemSuperblock {
    /// Its system.
    system: usize,
    /// The unit behind the last one that a plan pinned something to, or that a program of the host got.
    next: u32,
    /// Whether a plan that fills it has not ended.
    busy: bool,
    /// Whether anything was programmed.
    written: bool,
    /// Head of the program of the host that still takes mapping units, up to the end of its program unit.
    open: OpId,
}

/// Where a program of the host goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// Along with the program of this head, which waits, to this unit.
    Joins(OpId, u32),
    /// To this unit, the first of a new program.
    Begins(u32),
}

/// All of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SystemSuperblocks(BTreeMap<SuperblockId, SystemSuperblock>);

impl SystemSuperblocks {
    /// A plan that is under way opened it, and will fill it up to this unit.
    pub fn keep(&mut self, superblock: SuperblockId, system: usize, next: u32) {
        self.0.insert(superblock, SystemSuperblock { system, next, busy: true, written: false, open: NONE });
    }

    pub fn has(&self, superblock: SuperblockId) -> bool {
        self.0.contains_key(&superblock)
    }

    /// The system that keeps it open.
    pub fn system_of(&self, superblock: SuperblockId) -> Option<usize> {
        self.0.get(&superblock).map(|kept| kept.system)
    }

    /// What this system may fill now; an error if it can't.
    fn free_for(&self, superblock: SuperblockId, system: usize) -> Result<&SystemSuperblock, String> {
        match self.0.get(&superblock).filter(|kept| kept.system == system) {
            Some(kept) if !kept.busy => Ok(kept),
            Some(_) => Err(format!("{superblock:?}, which another plan fills: allowed: when that has ended")),
            None => Err(format!("{superblock:?}: allowed: superblocks that the system keeps open")),
        }
    }

    /// The first unit that a further plan of this system may use, a multiple of `step`; an error if it can't use any.
    pub fn next_of(&self, superblock: SuperblockId, system: usize, step: u32) -> Result<u32, String> {
        self.free_for(superblock, system).map(|kept| kept.next.next_multiple_of(step.max(1)))
    }

    /// The unit that a program of the host would get, in program units of so many; `None` if it is not kept open.
    pub fn next_unit(&self, superblock: SuperblockId, size: u32) -> Option<u32> {
        self.0.get(&superblock).map(|kept| kept.next_free(size))
    }

    /// A program of the host gets its unit: the next one, or this one. `size` units are programmed together, of `capacity`.
    pub fn give(
        &mut self,
        superblock: SuperblockId,
        system: usize,
        unit: Option<u32>,
        size: u32,
        capacity: u32,
    ) -> Result<Given, String> {
        let next = self.free_for(superblock, system)?.next_free(size);
        let Some(kept) = self.0.get_mut(&superblock) else { return Ok(Given::Begins(0)) };
        let unit = unit.unwrap_or(next);
        if unit < next || unit >= capacity {
            let last = capacity.saturating_sub(1);
            return Err(format!("unit {unit} of {superblock:?}: allowed: {next} to {last}"));
        }
        let joins = kept.open != NONE && unit / size == kept.next.saturating_sub(1) / size;
        kept.next = unit + 1;
        kept.written = true;
        Ok(if joins { Given::Joins(kept.open, unit) } else { Given::Begins(unit) })
    }

    /// The unit that was given last begins a program, which takes others as long as it waits.
    pub fn program_waits(&mut self, superblock: SuperblockId, head: OpId) {
        if let Some(kept) = self.0.get_mut(&superblock) {
            kept.open = head;
        }
    }

    /// The die takes this program: nothing joins it any more.
    pub fn program_begins(&mut self, superblock: SuperblockId, head: OpId) {
        if let Some(kept) = self.0.get_mut(&superblock).filter(|kept| kept.open == head) {
            kept.open = NONE;
        }
    }

    /// A further plan fills it up to this unit.
    pub fn take(&mut self, superblock: SuperblockId, next: u32) {
        if let Some(kept) = self.0.get_mut(&superblock) {
            (kept.busy, kept.next, kept.open) = (true, next, NONE);
        }
    }

    /// The plan that filled it has ended.
    pub fn give_back(&mut self, superblock: SuperblockId, written: bool) {
        if let Some(kept) = self.0.get_mut(&superblock) {
            kept.busy = false;
            kept.written |= written;
        }
    }

    /// It is closed; whether anything was programmed.
    fn remove(&mut self, superblock: SuperblockId, system: usize) -> Option<bool> {
        self.free_for(superblock, system).ok()?;
        self.0.remove(&superblock).map(|kept| kept.written)
    }
}

impl SystemSuperblock {
    /// The next unit, which begins a program unit unless one waits that has room.
    fn next_free(&self, size: u32) -> u32 {
        if self.open == NONE { self.next.next_multiple_of(size) } else { self.next }
    }
}

/// A system closes what it kept open.
pub fn close_kept<A: AboveFtl>(above: &mut A, system: usize, superblock: SuperblockId) {
    match above.ftl_mut().plans.system_superblocks.remove(superblock, system) {
        Some(written) => {
            close_destination(above, superblock, written);
            let domain = above.ftl().blocks.split(superblock).0;
            release_stalled(above, domain);
            check_collection(above, domain);
        }
        None => {
            let name = above.system_name(system);
            above.fail(format!(
                "the system {name} closed {superblock:?}: allowed: superblocks that it keeps open and no plan fills"
            ));
        }
    }
}

/// What was opened for a plan becomes an ordinary full superblock, or free again if nothing was programmed.
pub(crate) fn close_destination<A: AboveFtl>(above: &mut A, superblock: SuperblockId, written: bool) {
    if written {
        // The last program counts as ended only when all that follows from it is done.
        above.ftl_mut().blocks.set_state(superblock, BlockState::Closing);
        if above.ftl().blocks.has_no_program_under_way(superblock) {
            superblock_is_full(above, superblock);
        }
    } else {
        above.ftl_mut().blocks.set_state(superblock, BlockState::Free);
        let domain = above.ftl().blocks.split(superblock).0;
        let erases = above.ftl().blocks.erase_counts()[superblock.index()];
        above.ftl_mut().domain[domain.index()].free.put(superblock, erases);
        start_waiting_plans(above);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: SuperblockId = SuperblockId(7);

    fn kept() -> SystemSuperblocks {
        let mut kept = SystemSuperblocks::default();
        kept.keep(BLOCK, 0, 0);
        kept.give_back(BLOCK, false);
        kept
    }

    #[test]
    fn units_join_a_program_that_waits_and_begin_anew_behind_one_that_runs() {
        let mut kept = kept();
        assert_eq!(kept.give(BLOCK, 0, None, 4, 16), Ok(Given::Begins(0)));
        kept.program_waits(BLOCK, 31);
        assert_eq!(kept.give(BLOCK, 0, None, 4, 16), Ok(Given::Joins(31, 1)));
        assert_eq!(kept.next_unit(BLOCK, 4), Some(2));
        kept.program_begins(BLOCK, 31);
        // Units 2 and 3 stay unused.
        assert_eq!((kept.next_unit(BLOCK, 4), kept.next_of(BLOCK, 0, 4)), (Some(4), Ok(4)));
        assert_eq!(kept.give(BLOCK, 0, Some(9), 4, 16), Ok(Given::Begins(9)));
        kept.program_waits(BLOCK, 32);
        assert_eq!(kept.give(BLOCK, 0, None, 4, 16), Ok(Given::Joins(32, 10)));
        assert_eq!(kept.give(BLOCK, 0, Some(12), 4, 16), Ok(Given::Begins(12)));
    }

    #[test]
    fn what_is_behind_full_busy_or_anothers_is_refused() {
        let mut kept = kept();
        assert_eq!(kept.give(BLOCK, 0, Some(5), 1, 8), Ok(Given::Begins(5)));
        for unit in [3, 5, 8] {
            let error = kept.give(BLOCK, 0, Some(unit), 1, 8).err().unwrap_or_default();
            assert_eq!(error, format!("unit {unit} of SuperblockId(7): allowed: 6 to 7"));
        }
        assert!(kept.give(BLOCK, 1, None, 1, 8).is_err());
        kept.take(BLOCK, 8);
        assert!(kept.give(BLOCK, 0, None, 1, 8).is_err_and(|error| error.contains("another plan")));
    }
}
