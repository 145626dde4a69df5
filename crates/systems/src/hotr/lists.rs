//! The R-LRU lists (§III-B, figure 3): the pages of each chip that were read last, and which of them are staged.

use serde::{Deserialize, Serialize};

use crate::events::Distance;
use wordline_base::ids::{DieId, Lpa, Ppa};
use wordline_base::lru::LruMap;

/// An entry. The D-offset of the paper is in the page map, whence a page is found by its logical number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// How often it was read.
    pub count: u32,
    /// Its R-offset isn't empty: it is in the staging space.
    pub staged: bool,
}

/// A page in the staging space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staged {
    /// The chip in whose list its entry is.
    pub chip: u32,
    /// Its R-offset.
    pub place: Ppa,
    /// The die of that.
    pub die: DieId,
}

impl Default for Staged {
    fn default() -> Self {
        Self { chip: 0, place: Ppa::NONE, die: DieId::NONE }
    }
}

/// The lists of all chips, and the staged pages in the order of their last read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReadLists {
    length: usize,
    chips: Vec<LruMap<Lpa, Entry>>,
    staged: LruMap<Lpa, Staged>,
    /// Staged pages by die.
    by_die: Vec<u32>,
}

/// What a read found in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// No entry; there is one now. A staged page that gave way, and its place, is to be dropped.
    Miss(Option<(Lpa, Ppa)>),
    /// An entry with an empty R-offset, and the number of reads before.
    NotStaged(u32),
    /// A staged page.
    Staged,
}

impl ReadLists {
    /// For so many chips and dies, each list of so many entries.
    pub fn new(chips: u32, dies: u32, length: u32) -> Self {
        Self {
            length: length as usize,
            chips: vec![LruMap::default(); chips as usize],
            staged: LruMap::default(),
            by_die: vec![0; dies as usize],
        }
    }

    /// Whether the two are for the same drive.
    pub fn fits(&self, other: &Self) -> bool {
        (self.length, self.chips.len(), self.by_die.len())
            == (other.length, other.chips.len(), other.by_die.len())
    }

    /// Brings what a read of a page of a chip will look up towards the caches: where the searches begin, or, when that had
    /// time, the entry.
    #[inline]
    pub fn prefetch(&self, chip: u32, lpa: Lpa, distance: Distance) {
        let Some(list) = self.chips.get(chip as usize) else { return };
        match distance {
            Distance::Far => {
                list.prefetch(lpa);
                self.staged.prefetch(lpa);
            }
            Distance::Near => list.prefetch_entry(lpa),
        }
    }

    /// A page of a chip is read.
    pub fn read(&mut self, chip: u32, lpa: Lpa) -> Found {
        let Some(list) = self.chips.get_mut(chip as usize) else { return Found::Miss(None) };
        if let Some(entry) = list.touch(lpa) {
            let before = entry.count;
            entry.count = before.saturating_add(1);
            return if entry.staged {
                self.staged.touch(lpa);
                Found::Staged
            } else {
                Found::NotStaged(before)
            };
        }
        list.add(lpa, Entry { count: 1, staged: false });
        if list.len() <= self.length {
            return Found::Miss(None);
        }
        let gone = list.pop_oldest().filter(|(_, entry)| entry.staged);
        Found::Miss(gone.and_then(|(lpa, _)| self.unstage(lpa).map(|staged| (lpa, staged.place))))
    }

    /// A staged page is read from the staging space.
    pub fn redirected(&mut self, lpa: Lpa) {
        if let Some(staged) = self.staged.touch(lpa)
            && let Some(list) = self.chips.get_mut(staged.chip as usize)
            && let Some(entry) = list.touch(lpa)
        {
            entry.count = entry.count.saturating_add(1);
        }
    }

    /// A page is in the staging space from now on. `false` if its entry is gone.
    pub fn stage(&mut self, chip: u32, lpa: Lpa, place: Ppa, die: DieId) -> bool {
        let entry = self.chips.get_mut(chip as usize).and_then(|list| list.get_mut(lpa));
        let Some(entry) = entry else { return false };
        entry.staged = true;
        self.staged.insert(lpa, Staged { chip, place, die });
        self.count(die, 1);
        true
    }

    /// A staged page was moved.
    pub fn relocate(&mut self, lpa: Lpa, old: Ppa, new: Ppa, die: DieId) {
        if let Some(staged) = self.staged.get_mut(lpa)
            && staged.place == old
        {
            let before = staged.die;
            (staged.place, staged.die) = (new, die);
            self.count(before, -1);
            self.count(die, 1);
        }
    }

    /// What was staged there is gone; with `entry` its entry is deleted, as a write does, else its R-offset is empty again.
    pub fn gone(&mut self, lpa: Lpa, place: Ppa, entry: bool) {
        let Some(staged) = self.staged.get(lpa).copied().filter(|staged| staged.place == place) else {
            return;
        };
        self.unstage(lpa);
        if let Some(list) = self.chips.get_mut(staged.chip as usize) {
            if entry {
                list.remove(lpa);
            } else if let Some(entry) = list.get_mut(lpa) {
                entry.staged = false;
            }
        }
    }

    /// Takes the page out of the staging space that was not read for longest; its entry stays.
    pub fn drop_oldest(&mut self) -> Option<(Lpa, Ppa)> {
        let lpa = self.staged.oldest()?;
        let place = self.staged.get(lpa)?.place;
        self.gone(lpa, place, false);
        Some((lpa, place))
    }

    fn unstage(&mut self, lpa: Lpa) -> Option<Staged> {
        let staged = self.staged.remove(lpa)?;
        self.count(staged.die, -1);
        Some(staged)
    }

    fn count(&mut self, die: DieId, change: i32) {
        if let Some(count) = self.by_die.get_mut(die.index()) {
            *count = count.saturating_add_signed(change);
        }
    }

    /// Where a page is staged.
    pub fn staged(&self, lpa: Lpa) -> Option<&Staged> {
        self.staged.get(lpa)
    }

    /// Staged pages.
    pub fn staged_pages(&self) -> usize {
        self.staged.len()
    }

    /// Staged pages on a die.
    pub fn staged_on(&self, die: DieId) -> u32 {
        self.by_die.get(die.index()).copied().unwrap_or(0)
    }

    /// Entries of all lists.
    pub fn entries(&self) -> usize {
        self.chips.iter().map(LruMap::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_known_from_its_first_read_and_staged_in_its_chip_s_list() {
        let mut lists = ReadLists::new(2, 4, 2);
        assert_eq!(lists.read(0, Lpa(7)), Found::Miss(None));
        assert_eq!(lists.read(1, Lpa(7)), Found::Miss(None), "each chip has a list of its own");
        assert_eq!(lists.read(0, Lpa(7)), Found::NotStaged(1));
        assert!(lists.stage(0, Lpa(7), Ppa(70), DieId(3)) && !lists.stage(0, Lpa(8), Ppa(80), DieId(3)));
        assert_eq!(lists.read(0, Lpa(7)), Found::Staged);
        assert_eq!((lists.staged_on(DieId(3)), lists.staged_pages()), (1, 1));
        lists.relocate(Lpa(7), Ppa(70), Ppa(71), DieId(2));
        assert_eq!((lists.staged_on(DieId(3)), lists.staged_on(DieId(2))), (0, 1));
        lists.gone(Lpa(7), Ppa(70), true);
        assert_eq!(lists.staged_pages(), 1, "it is no longer there");
        lists.gone(Lpa(7), Ppa(71), true);
        assert_eq!(lists.read(0, Lpa(7)), Found::Miss(None), "a write deletes the entry");
    }

    #[test]
    fn an_entry_that_falls_off_the_list_takes_its_staged_page_along() {
        let mut lists = ReadLists::new(1, 1, 2);
        lists.read(0, Lpa(1));
        lists.stage(0, Lpa(1), Ppa(10), DieId(0));
        lists.read(0, Lpa(2));
        assert_eq!(lists.read(0, Lpa(3)), Found::Miss(Some((Lpa(1), Ppa(10)))));
        assert_eq!((lists.staged_pages(), lists.entries(), lists.staged_on(DieId(0))), (0, 2, 0));
        lists.stage(0, Lpa(2), Ppa(20), DieId(0));
        assert_eq!(lists.drop_oldest(), Some((Lpa(2), Ppa(20))));
        assert_eq!(lists.read(0, Lpa(2)), Found::NotStaged(1), "the entry stays");
    }
}
