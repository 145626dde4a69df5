//! Entries in DRAM: found by logical page, linked by recency of use, and the dirty ones by translation page.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use serde::{Deserialize, Serialize};

use super::MapSizes;
use wordline_base::ids::Lpa;
use wordline_base::memory::{PageHasher, ask_for_huge_pages, in_order};
use wordline_base::slab;

const NONE: u32 = u32::MAX;

/// Where an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum List {
    /// Cached, used once since it came; the only one of a plain LRU.
    Probation,
    /// Cached, used again.
    Protected,
    /// A change of an entry that isn't cached.
    Batch,
}

/// An entry.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Slot {
    pub lpa: u32,
    pub dirty: bool,
    list: List,
    newer: u32,
    older: u32,
    /// Among the dirty entries of its translation page.
    before: u32,
    after: u32,
}

/// The two ends of a list, and its length.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Ends {
    newest: u32,
    oldest: u32,
    len: u32,
}

/// What is known of a translation page.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Page {
    first_dirty: u32,
    cached: u32,
}

/// All entries in DRAM.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Slots {
    sizes: MapSizes,
    /// By logical page, of those that are here: a cache holds a small part of the pages of a drive as sold.
    #[serde(with = "in_order")]
    slot_of: HashMap<u32, u32, BuildHasherDefault<PageHasher>>,
    slots: Vec<Slot>,
    free: Vec<u32>,
    ends: [Ends; 3],
    pages: Vec<Page>,
    dirty: u32,
}

impl Slots {
    pub fn new(sizes: MapSizes) -> Self {
        Self {
            sizes,
            slot_of: HashMap::default(),
            slots: Vec::new(),
            free: Vec::new(),
            ends: [Ends { newest: NONE, oldest: NONE, len: 0 }; 3],
            pages: vec![Page { first_dirty: NONE, cached: 0 }; sizes.translation_pages as usize],
            dirty: 0,
        }
    }

    /// Takes room for so many.
    pub fn expect(&mut self, entries: usize) {
        self.slots.reserve(entries);
        self.slot_of.reserve(entries);
        ask_for_huge_pages(self.slots.spare_capacity_mut());
    }

    #[inline]
    pub fn find(&self, lpa: Lpa) -> Option<u32> {
        self.slot_of.get(&lpa.0).copied()
    }

    pub fn list_of(&self, slot: u32) -> List {
        self[slot].list
    }

    pub fn len(&self, list: List) -> u32 {
        self.ends[list as usize].len
    }

    /// The one that was used longest ago.
    pub fn oldest(&self, list: List) -> Option<u32> {
        Some(self.ends[list as usize].oldest).filter(|&slot| slot != NONE)
    }

    /// Entries of a translation page that are here.
    pub fn cached_of(&self, page: u32) -> u32 {
        self.pages[page as usize].cached
    }

    pub fn total(&self) -> u32 {
        (self.slots.len() - self.free.len()) as u32
    }

    pub fn dirty(&self) -> u32 {
        self.dirty
    }

    /// Takes in an entry that isn't here.
    pub fn insert(&mut self, lpa: Lpa, list: List, dirty: bool) {
        let new =
            Slot { lpa: lpa.0, dirty: false, list, newer: NONE, older: NONE, before: NONE, after: NONE };
        let slot = slab::insert(&mut self.slots, &mut self.free, new);
        self.slot_of.insert(lpa.0, slot);
        self.pages[self.sizes.page_of(lpa) as usize].cached += 1;
        self.link(slot, list);
        if dirty {
            self.make_dirty(slot);
        }
    }

    /// Moves an entry to the newest place of a list.
    pub fn relink(&mut self, slot: u32, list: List) {
        self.unlink(slot);
        self.link(slot, list);
    }

    /// Drops an entry.
    pub fn remove(&mut self, slot: u32) {
        self.make_clean(slot);
        self.unlink(slot);
        let lpa = Lpa(self[slot].lpa);
        self.slot_of.remove(&lpa.0);
        self.pages[self.sizes.page_of(lpa) as usize].cached -= 1;
        self.free.push(slot);
    }

    /// Its translation page on flash is older from now on.
    pub fn make_dirty(&mut self, slot: u32) {
        if self[slot].dirty {
            return;
        }
        let page = &mut self.pages[self.sizes.page_of(Lpa(self.slots[slot as usize].lpa)) as usize];
        let next = std::mem::replace(&mut page.first_dirty, slot);
        let entry = &mut self.slots[slot as usize];
        (entry.dirty, entry.before, entry.after) = (true, NONE, next);
        if next != NONE {
            self.slots[next as usize].before = slot;
        }
        self.dirty += 1;
    }

    fn make_clean(&mut self, slot: u32) {
        let Slot { dirty, before, after, lpa, .. } = self[slot];
        if !dirty {
            return;
        }
        if before == NONE {
            self.pages[self.sizes.page_of(Lpa(lpa)) as usize].first_dirty = after;
        } else {
            self.slots[before as usize].after = after;
        }
        if after != NONE {
            self.slots[after as usize].before = before;
        }
        self.slots[slot as usize].dirty = false;
        self.dirty -= 1;
    }

    /// A translation page is written: its dirty entries are clean, and those of the batch are gone.
    pub fn clean(&mut self, page: u32) {
        loop {
            let slot = self.pages[page as usize].first_dirty;
            if slot == NONE {
                return;
            }
            self.make_clean(slot);
            if self[slot].list == List::Batch {
                self.remove(slot);
            }
        }
    }

    fn link(&mut self, slot: u32, list: List) {
        let ends = &mut self.ends[list as usize];
        let newest = std::mem::replace(&mut ends.newest, slot);
        ends.len += 1;
        if newest == NONE {
            ends.oldest = slot;
        } else {
            self.slots[newest as usize].newer = slot;
        }
        let entry = &mut self.slots[slot as usize];
        (entry.list, entry.newer, entry.older) = (list, NONE, newest);
    }

    fn unlink(&mut self, slot: u32) {
        let Slot { list, newer, older, .. } = self[slot];
        let ends = &mut self.ends[list as usize];
        ends.len -= 1;
        if newer == NONE {
            ends.newest = older;
        } else {
            self.slots[newer as usize].older = older;
        }
        let ends = &mut self.ends[list as usize];
        if older == NONE {
            ends.oldest = newer;
        } else {
            self.slots[older as usize].newer = newer;
        }
    }
}

impl std::ops::Index<u32> for Slots {
    type Output = Slot;
    #[inline]
    fn index(&self, slot: u32) -> &Slot {
        &self.slots[slot as usize]
    }
}
