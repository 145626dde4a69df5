//! Superblocks that a system keeps open from plan to plan.

use serde::{Deserialize, Serialize};

use super::Device;
use crate::blocks::BlockState;
use crate::ids::SuperblockId;

/// A superblock that a system keeps open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub superblock: SuperblockId,
    /// Its system.
    system: usize,
    /// The unit behind the last one that a plan pinned something to.
    next: u32,
    /// Whether a plan that fills it has not ended.
    busy: bool,
    /// Whether anything was programmed.
    written: bool,
}

/// All of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct KeptOpen(Vec<Kept>);

impl KeptOpen {
    /// A plan that is under way opened it, and will fill it up to this unit.
    pub fn keep(&mut self, superblock: SuperblockId, system: usize, next: u32) {
        self.0.push(Kept { superblock, system, next, busy: true, written: false });
    }

    pub fn has(&self, superblock: SuperblockId) -> bool {
        self.0.iter().any(|kept| kept.superblock == superblock)
    }

    /// The first unit that a further plan of this system may use; an error if it can't use any.
    pub fn next_of(&self, superblock: SuperblockId, system: usize, superpage: u32) -> Result<u32, String> {
        match self.0.iter().find(|kept| kept.superblock == superblock && kept.system == system) {
            Some(kept) if !kept.busy => Ok(kept.next.next_multiple_of(superpage.max(1))),
            Some(_) => Err(format!("{superblock:?}, which another plan fills: allowed: when that has ended")),
            None => Err(format!("{superblock:?}: allowed: superblocks that the system keeps open")),
        }
    }

    /// A further plan fills it up to this unit.
    pub fn take(&mut self, superblock: SuperblockId, next: u32) {
        if let Some(kept) = self.0.iter_mut().find(|kept| kept.superblock == superblock) {
            (kept.busy, kept.next) = (true, next);
        }
    }

    /// The plan that filled it has ended.
    pub fn give_back(&mut self, superblock: SuperblockId, written: bool) {
        if let Some(kept) = self.0.iter_mut().find(|kept| kept.superblock == superblock) {
            kept.busy = false;
            kept.written |= written;
        }
    }

    /// It is closed; whether anything was programmed.
    fn remove(&mut self, superblock: SuperblockId, system: usize) -> Option<bool> {
        let of_system = |kept: &Kept| kept.superblock == superblock && kept.system == system && !kept.busy;
        let place = self.0.iter().position(of_system)?;
        Some(self.0.remove(place).written)
    }
}

impl Device {
    /// A system closes what it kept open.
    pub(super) fn close_kept(&mut self, system: usize, superblock: SuperblockId) {
        match self.plans.kept.remove(superblock, system) {
            Some(written) => {
                self.close_destination(superblock, written);
                let domain = self.blocks.split(superblock).0;
                self.release_stalled(domain);
                self.check_collection(domain);
            }
            None => {
                let name = self.system_name(system);
                self.fail(format!(
                    "the system {name} closed {superblock:?}: allowed: superblocks that it keeps open and no plan fills"
                ));
            }
        }
    }

    /// What was opened for a plan becomes an ordinary full superblock, or free again if nothing was programmed.
    pub(super) fn close_destination(&mut self, superblock: SuperblockId, written: bool) {
        if written {
            // The last program counts as ended only when all that follows from it is done.
            self.blocks.set_state(superblock, BlockState::Closing);
            if self.blocks.is_settled(superblock) {
                self.superblock_is_full(superblock);
            }
        } else {
            self.blocks.set_state(superblock, BlockState::Free);
            let domain = self.blocks.split(superblock).0;
            let erases = self.blocks.erase_counts()[superblock.index()];
            self.domain[domain.index()].free.put(superblock, erases);
            self.start_waiting_plans();
        }
    }
}
