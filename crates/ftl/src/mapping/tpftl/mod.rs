//! A map on flash whose entries are cached by translation page, and fetched ahead: TPFTL (Zhou, Wu, Huang, He, Xie, "An efficient
//! page-level FTL to optimize address translation in flash memory", EuroSys 2015).
//!
//! The cached entries of a translation page are a *TP node*. In a node an entry needs no logical page number, but its offset in the
//! translation page, so that more of them fit. Nodes stand in the order of their page-level hotness, entries of a node in that of
//! their use.
//!
//! - A miss takes in what else of its request lies in the same translation page (*request-level prefetching*), and, while the number
//!   of nodes falls, as many entries behind it as are cached in a row before it (*selective prefetching*).
//! - The coldest node makes room: its least recently used clean entry goes, a dirty one if none is clean (*clean-first*). With a
//!   dirty one all dirty entries of its node are written, and stay as clean ones (*batch update*).
//!
//! Changes of entries that aren't cached are held beside them as with [`Demand`](super::Demand).

mod coldest;
mod nodes;
mod switch;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::capacity::Capacity;
use super::lists::{List, Slots};
use super::{Found, Lookup, MapSizes, MapView, Mapping, Update, WriteBack};
use nodes::Nodes;
use switch::Switch;
use wordline_base::class::Class;
use wordline_base::ids::Lpa;
use wordline_config::scheme::{Eviction, MappingConfig};

/// Bytes of a translation page's place in the global translation directory.
const DIRECTORY_ENTRY: u64 = 4;

/// Nothing was loaded.
const NOTHING: u32 = u32::MAX;

/// The sizes that the memory of the cache is counted with, bytes.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Bytes {
    entry: u32,
    node: u32,
    change: u32,
}

/// Entries cached by translation page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tpftl {
    sizes: MapSizes,
    bytes: Bytes,
    /// Of the cache, in entries without their nodes.
    capacity: Capacity,
    batch: u32,
    in_host: bool,
    waits: bool,
    request_prefetch: bool,
    clean_first: bool,
    batch_update: bool,
    selective: Switch,
    nodes: Nodes,
    /// Changes of entries that aren't cached.
    changes: Slots,
    /// The page whose translation page has just been loaded; known even where nothing is kept.
    just_loaded: u32,
}

/// Entries that would take as much memory as these do with all their nodes.
fn places(entries: u32, sizes: &MapSizes, bytes: &Bytes) -> u32 {
    let nodes = entries.div_ceil(sizes.entries_per_page.max(1));
    entries.saturating_add(nodes.saturating_mul(bytes.node.div_ceil(bytes.entry.max(1))))
}

impl Tpftl {
    /// For a drive with superblocks of so many mapping units.
    pub fn new(config: &MappingConfig, sizes: MapSizes, superblock_units: u32) -> Self {
        let bytes =
            Bytes { entry: config.node_entry_bytes, node: config.node_bytes, change: config.entry_bytes };
        let all = places(sizes.logical_units, &sizes, &bytes);
        Self {
            sizes,
            bytes,
            capacity: Capacity::new(config, all, u64::from(bytes.entry)),
            batch: if config.batch_entries == 0 { superblock_units } else { config.batch_entries },
            in_host: config.host_memory,
            waits: config.eviction == Eviction::Foreground,
            request_prefetch: config.request_prefetch,
            clean_first: config.clean_first,
            batch_update: config.batch_update,
            selective: Switch::new(config.prefetch_threshold),
            nodes: Nodes::new(sizes),
            changes: Slots::new(sizes),
            just_loaded: NOTHING,
        }
    }

    /// Memory of the cache at the moment, bytes.
    fn room(&self, view: &MapView<'_>) -> u64 {
        let occupied = places(view.occupied(), &self.sizes, &self.bytes);
        u64::from(self.capacity.now(occupied)) * u64::from(self.bytes.entry)
    }

    /// Whether the cache has room for an entry at all.
    fn caches(&self, view: &MapView<'_>) -> bool {
        self.room(view) >= u64::from(self.bytes.entry) + u64::from(self.bytes.node)
    }

    /// Whether one more entry of this translation page fits.
    fn has_room(&self, page: u32, room: u64) -> bool {
        let nodes = u64::from(self.nodes.nodes()) + u64::from(self.nodes.len_of(page) == 0);
        let entries = u64::from(self.nodes.len()) + 1;
        nodes * u64::from(self.bytes.node) + entries * u64::from(self.bytes.entry) <= room
    }

    /// How many entries behind this one are to come with it, if they can.
    fn ahead(&self, lookup: &Lookup) -> u32 {
        let of_request = if self.request_prefetch { lookup.units.saturating_sub(1) } else { 0 };
        let selected = if self.selective.is_on() { self.nodes.predecessors(lookup.lpa) } else { 0 };
        of_request.max(selected)
    }

    /// Takes in the entry of a miss.
    fn take_in(&mut self, lpa: Lpa, room: u64, writes: &mut Vec<WriteBack>) {
        let page = self.sizes.page_of(lpa);
        while !self.has_room(page, room)
            && let Some(coldest) = self.nodes.coldest()
        {
            self.evict(coldest, u64::MAX, writes);
        }
        self.insert(lpa);
    }

    /// Takes in what lies behind it in the same translation page, as far as there is room or one node, the coldest before the miss,
    /// makes some: at most one translation page is written for it.
    fn prefetch(
        &mut self,
        behind: Lpa,
        count: u32,
        from: Option<u32>,
        until: u64,
        room: u64,
        writes: &mut Vec<WriteBack>,
    ) {
        let page = self.sizes.page_of(behind);
        let (_, end) = self.sizes.entries(page);
        for lpa in (behind.0 + 1..end).take(count as usize).map(Lpa) {
            if self.nodes.find(lpa).is_some() || self.changes.find(lpa).is_some() {
                continue;
            }
            while !self.has_room(page, room) {
                let evicted = from.is_some_and(|from| self.evict(from, until, writes));
                if !evicted {
                    return;
                }
            }
            self.insert(lpa);
        }
    }

    fn insert(&mut self, lpa: Lpa) {
        let before = self.nodes.nodes();
        self.nodes.insert(lpa);
        if self.nodes.nodes() > before {
            self.selective.node_came();
        }
    }

    /// Lets an entry of a node go that was used no later than at `until`; whether there was one.
    fn evict(&mut self, page: u32, until: u64, writes: &mut Vec<WriteBack>) -> bool {
        let clean = if self.clean_first { self.nodes.oldest(page, true, until) } else { None };
        let Some(entry) = clean.or_else(|| self.nodes.oldest(page, false, until)) else { return false };
        if self.nodes.is_dirty(entry) {
            self.write_back(page, writes);
        }
        let before = self.nodes.nodes();
        self.nodes.remove(entry);
        if self.nodes.nodes() < before {
            self.selective.node_went();
        }
        true
    }

    /// Has a translation page written, and with it all its dirty entries and what is held of it.
    fn write_back(&mut self, page: u32, writes: &mut Vec<WriteBack>) {
        let (first, end) = self.sizes.entries(page);
        let known = self.nodes.len_of(page) + self.changes.cached_of(page);
        writes.push(WriteBack { page, whole: known == end - first });
        if self.batch_update {
            self.nodes.clean(page);
        }
        self.changes.clean(page);
    }

    /// Holds a change of an entry that isn't cached; the oldest ones are written when there are too many.
    fn hold(&mut self, lpa: Lpa, writes: &mut Vec<WriteBack>) {
        if self.changes.find(lpa).is_none() {
            self.changes.insert(lpa, List::Batch, true);
        }
        while self.changes.len(List::Batch) > self.batch {
            let Some(oldest) = self.changes.oldest(List::Batch) else { return };
            self.write_back(self.sizes.page_of(Lpa(self.changes[oldest].lpa)), writes);
        }
    }
}

impl Mapping for Tpftl {
    fn name(&self) -> &str {
        "tpftl"
    }

    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        let just_loaded = std::mem::replace(&mut self.just_loaded, NOTHING);
        if just_loaded != lookup.lpa.0 {
            if !self.caches(view) {
                return Found::Load(self.sizes.page_of(lookup.lpa));
            }
            match self.nodes.find(lookup.lpa) {
                Some(entry) => self.nodes.touch(entry),
                None if self.changes.find(lookup.lpa).is_some() => {}
                None => return Found::Load(self.sizes.page_of(lookup.lpa)),
            }
        }
        Found::Known(view.find(lookup.lpa))
    }

    fn loaded(&mut self, _page: u32, lookup: &Lookup, view: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        let lpa = lookup.lpa;
        self.just_loaded = lpa.0;
        if !self.caches(view) || self.nodes.find(lpa).is_some() || self.changes.find(lpa).is_some() {
            return;
        }
        let (ahead, room) = (self.ahead(lookup), self.room(view));
        let (coldest, until) = (self.nodes.coldest(), self.nodes.uses());
        self.take_in(lpa, room, writes);
        self.prefetch(lpa, ahead, coldest, until, room, writes);
    }

    fn updated(&mut self, update: &Update, view: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        let &Update { lpa, new, cause, .. } = update;
        let held = self.changes.find(lpa).is_some();
        if self.nodes.find(lpa).is_none() {
            let of_write = new.is_some() && !Class::read_for(cause).is_move();
            if held || !of_write || !self.caches(view) {
                return self.hold(lpa, writes);
            }
            // It was cached when the write came, and made room for others since: the write knows it still.
            self.take_in(lpa, self.room(view), writes);
        }
        if let Some(entry) = self.nodes.find(lpa) {
            self.nodes.make_dirty(entry);
        }
    }

    fn waits_for_evictions(&self) -> bool {
        self.waits
    }

    fn keeps_map_on_flash(&self) -> bool {
        true
    }

    fn is_dirty(&self, lpa: Lpa) -> bool {
        self.nodes.find(lpa).is_some_and(|entry| self.nodes.is_dirty(entry))
            || self.changes.find(lpa).is_some()
    }

    fn cached_entries(&self) -> u64 {
        u64::from(self.nodes.len()) + u64::from(self.changes.total())
    }

    fn dirty_entries(&self) -> u64 {
        u64::from(self.nodes.dirty()) + u64::from(self.changes.dirty())
    }

    fn expect(&mut self, entries: u64) {
        self.nodes.expect(entries as usize);
    }

    fn bytes(&self) -> u64 {
        let cache = u64::from(self.capacity.most()) * u64::from(self.bytes.entry);
        let held = cache + u64::from(self.batch) * u64::from(self.bytes.change);
        let held = if self.in_host { 0 } else { held };
        held + u64::from(self.sizes.translation_pages) * DIRECTORY_ENTRY
    }
}
