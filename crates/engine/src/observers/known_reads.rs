//! The reads of the host at each die, looked up again only where they changed.

use crate::systems::DriveView;
use wordline_base::ids::{DieId, Ppa};
use wordline_base::request::ReadThere;

/// The reads of the host at each die. What is kept of a die holds until its commands change.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownReads {
    dies: Vec<AtDie>,
    /// Dies whose commands changed.
    changed: Vec<u32>,
    total: u32,
}

#[derive(Clone, Debug, Default)]
struct AtDie {
    reads: Vec<ReadThere>,
    changed: bool,
}

impl KnownReads {
    /// The commands of a die change.
    pub fn changes(&mut self, die: usize) {
        // Before the first look nothing is known.
        let Some(at) = self.dies.get_mut(die) else { return };
        if !at.changed {
            at.changed = true;
            self.changed.push(die as u32);
        }
    }

    /// Looks again at the dies that changed.
    pub fn refresh(&mut self, drive: &DriveView<'_>) {
        if self.dies.is_empty() {
            self.dies.resize_with(drive.outstanding().len(), AtDie::default);
            (0..self.dies.len()).for_each(|die| self.changes(die));
        }
        for die in std::mem::take(&mut self.changed) {
            let Some(at) = self.dies.get_mut(die as usize) else { continue };
            self.total -= at.reads.len() as u32;
            at.reads.clear();
            drive.reads_at(DieId(die), &mut at.reads);
            self.total += at.reads.len() as u32;
            at.changed = false;
        }
    }

    /// The reads at a die, in the order in which it takes them.
    pub fn at(&self, die: usize) -> &[ReadThere] {
        self.dies.get(die).map_or(&[], |at| at.reads.as_slice())
    }

    /// Reads at all dies.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// The reads at a die, that of this place, the last of several, behind the others; whether it is there. One that was sent
    /// on keeps its turn and may stand further ahead.
    pub fn with_last(&self, die: usize, place: Ppa, found: &mut Vec<ReadThere>) -> bool {
        let Some(at) = self.dies.get(die) else { return false };
        let Some(index) = at.reads.iter().rposition(|other| other.ppa == place) else { return false };
        found.clear();
        found.extend_from_slice(&at.reads);
        found[index..].rotate_left(1);
        true
    }
}
