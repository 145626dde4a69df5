//! The two levels of the cache: translation page nodes by hotness, and the entries of each by recency of use.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use serde::{Deserialize, Serialize};

use super::coldest::Coldest;
use crate::mapping::MapSizes;
use wordline_base::ids::Lpa;
use wordline_base::memory::{PageHasher, ask_for_huge_pages, in_order};
use wordline_base::slab;

const NONE: u32 = u32::MAX;

/// A cached entry.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct CachedEntry {
    lpa: u32,
    dirty: bool,
    /// When it was used last, counted in uses.
    used: u64,
    /// Among the entries of its node.
    newer: u32,
    older: u32,
}

/// The cached entries of a translation page.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct TpNode {
    newest: u32,
    oldest: u32,
    entries: u32,
    dirty: u32,
    /// Sum of when its entries were used last.
    used: u64,
}

const EMPTY: TpNode = TpNode { newest: NONE, oldest: NONE, entries: 0, dirty: 0, used: 0 };

/// All cached entries, by node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Nodes {
    sizes: MapSizes,
    /// By logical page.
    #[serde(with = "in_order")]
    entry_of: HashMap<u32, u32, BuildHasherDefault<PageHasher>>,
    entries: Vec<CachedEntry>,
    free: Vec<u32>,
    /// Of each translation page.
    nodes: Vec<TpNode>,
    /// Nodes by page-level hotness: when their entries were used last, in the mean.
    by_hotness: Coldest,
    /// Uses until now.
    uses: u64,
    dirty: u32,
}

impl Nodes {
    pub fn new(sizes: MapSizes) -> Self {
        Self {
            sizes,
            entry_of: HashMap::default(),
            entries: Vec::new(),
            free: Vec::new(),
            nodes: vec![EMPTY; sizes.translation_pages as usize],
            by_hotness: Coldest::new(sizes.translation_pages),
            uses: 0,
            dirty: 0,
        }
    }

    /// Takes room for so many entries.
    pub fn expect(&mut self, entries: usize) {
        self.entries.reserve(entries);
        self.entry_of.reserve(entries);
        ask_for_huge_pages(self.entries.spare_capacity_mut());
    }

    #[inline]
    pub fn find(&self, lpa: Lpa) -> Option<u32> {
        self.entry_of.get(&lpa.0).copied()
    }

    /// Nodes that hold an entry.
    pub fn nodes(&self) -> u32 {
        self.by_hotness.len()
    }

    /// Cached entries.
    pub fn len(&self) -> u32 {
        (self.entries.len() - self.free.len()) as u32
    }

    pub fn dirty(&self) -> u32 {
        self.dirty
    }

    /// Entries of a node.
    pub fn len_of(&self, page: u32) -> u32 {
        self.nodes[page as usize].entries
    }

    pub fn is_dirty(&self, entry: u32) -> bool {
        self.entries[entry as usize].dirty
    }

    /// Uses until now.
    pub fn uses(&self) -> u64 {
        self.uses
    }

    /// Translation page of the node whose entries were used longest ago, in the mean.
    pub fn coldest(&self) -> Option<u32> {
        self.by_hotness.first()
    }

    /// The entry of a node that was used longest ago, of all of them or of the clean ones; of those that weren't used later than
    /// at `until`.
    pub fn oldest(&self, page: u32, clean: bool, until: u64) -> Option<u32> {
        let node = &self.nodes[page as usize];
        if clean && node.dirty == node.entries {
            return None;
        }
        let mut entry = node.oldest;
        while entry != NONE && self.entries[entry as usize].used <= until {
            if !(clean && self.entries[entry as usize].dirty) {
                return Some(entry);
            }
            entry = self.entries[entry as usize].newer;
        }
        None
    }

    /// How many entries in a row are cached right before this one, within its translation page.
    pub fn predecessors(&self, lpa: Lpa) -> u32 {
        let (first, _) = self.sizes.entries(self.sizes.page_of(lpa));
        (first..lpa.0).rev().take_while(|&before| self.find(Lpa(before)).is_some()).count() as u32
    }

    /// Takes in an entry that isn't here, as used now.
    pub fn insert(&mut self, lpa: Lpa) {
        self.uses += 1;
        let new = CachedEntry { lpa: lpa.0, dirty: false, used: self.uses, newer: NONE, older: NONE };
        let entry = slab::insert(&mut self.entries, &mut self.free, new);
        self.entry_of.insert(lpa.0, entry);
        let page = self.sizes.page_of(lpa);
        self.nodes[page as usize].entries += 1;
        self.link(page, entry);
        self.reorder(page);
    }

    /// An entry is used.
    pub fn touch(&mut self, entry: u32) {
        let page = self.page_of(entry);
        self.unlink(page, entry);
        self.uses += 1;
        self.entries[entry as usize].used = self.uses;
        self.link(page, entry);
        self.reorder(page);
    }

    /// Drops an entry, and its node with the last one.
    pub fn remove(&mut self, entry: u32) {
        let (page, CachedEntry { lpa, dirty, .. }) = (self.page_of(entry), self.entries[entry as usize]);
        self.unlink(page, entry);
        let node = &mut self.nodes[page as usize];
        node.entries -= 1;
        node.dirty -= u32::from(dirty);
        self.dirty -= u32::from(dirty);
        self.entry_of.remove(&lpa);
        self.free.push(entry);
        self.reorder(page);
    }

    /// Its translation page on flash is older from now on.
    pub fn make_dirty(&mut self, entry: u32) {
        let page = self.page_of(entry) as usize;
        let before = std::mem::replace(&mut self.entries[entry as usize].dirty, true);
        self.nodes[page].dirty += u32::from(!before);
        self.dirty += u32::from(!before);
    }

    /// A translation page is written: the dirty entries of its node are clean.
    pub fn clean(&mut self, page: u32) {
        let node = &mut self.nodes[page as usize];
        self.dirty -= std::mem::take(&mut node.dirty);
        let mut entry = node.oldest;
        while entry != NONE {
            self.entries[entry as usize].dirty = false;
            entry = self.entries[entry as usize].newer;
        }
    }

    fn page_of(&self, entry: u32) -> u32 {
        self.sizes.page_of(Lpa(self.entries[entry as usize].lpa))
    }

    /// Gives a node the place of its hotness.
    fn reorder(&mut self, page: u32) {
        let node = &self.nodes[page as usize];
        match node.used.checked_div(u64::from(node.entries)) {
            Some(hotness) => self.by_hotness.put(page, hotness),
            None => self.by_hotness.remove(page),
        }
    }

    fn link(&mut self, page: u32, entry: u32) {
        let node = &mut self.nodes[page as usize];
        node.used += self.entries[entry as usize].used;
        let newest = std::mem::replace(&mut node.newest, entry);
        if newest == NONE {
            node.oldest = entry;
        } else {
            self.entries[newest as usize].newer = entry;
        }
        let linked = &mut self.entries[entry as usize];
        (linked.newer, linked.older) = (NONE, newest);
    }

    fn unlink(&mut self, page: u32, entry: u32) {
        let CachedEntry { used, newer, older, .. } = self.entries[entry as usize];
        let node = &mut self.nodes[page as usize];
        node.used -= used;
        if newer == NONE {
            node.newest = older;
        } else {
            self.entries[newer as usize].older = older;
        }
        if older == NONE {
            node.oldest = newer;
        } else {
            self.entries[older as usize].newer = newer;
        }
    }
}
