//! A map on flash whose entries are cached on demand: DFTL (Gupta, Kim, Urgaonkar, "DFTL: a flash translation layer
//! employing demand-based selective caching of page-level address mappings", ASPLOS 2009).
//!
//! A miss reads the translation page and takes in the one entry that was wanted. The least recently used entry makes
//! room; if it is dirty its translation page is written, and with it every other dirty entry of that page, which stays
//! as a clean one ("batch updates", §3.2). What moves and TRIMs change of entries that aren't cached is held in a batch
//! and written in the same way ("lazy copying" and "batch updates", §3.3); in DFTL the batch is the valid pages of one
//! block that is collected, which is the default size here, and written within that collection, as here with `erased`.
//!
//! Where nothing is cached the batch answers no look-up: it is what is on its way to flash, and no cache.

use serde::{Deserialize, Serialize};

use super::capacity::Capacity;
use super::lists::{List, Slot, Slots};
use super::{Found, Keeping, Lookup, MapSizes, MapView, Mapping, Update, WriteBack};
use wordline_base::class::Class;
use wordline_base::ids::Lpa;
use wordline_config::scheme::{BatchUntil, Eviction, MappingConfig};

/// Bytes of a translation page's place in the global translation directory.
const DIRECTORY_ENTRY: u64 = 4;

/// Entries cached on demand.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Demand {
    sizes: MapSizes,
    entry_bytes: u32,
    /// Entries that the cache holds, the share of them that may be protected, and changes of the batch.
    capacity: Capacity,
    protected_share: f64,
    batch: u32,
    /// Whether the batch is written with the erase of a superblock.
    until_erased: bool,
    /// Whether all of that is in the host's memory.
    in_host: bool,
    waits: bool,
    slots: Slots,
    /// The page whose translation page has just been loaded; known even where nothing is kept.
    just_loaded: u32,
}

/// Nothing was loaded.
const NOTHING: u32 = u32::MAX;

impl Demand {
    /// For a drive with superblocks of so many mapping units.
    pub fn new(config: &MappingConfig, sizes: MapSizes, superblock_units: u32) -> Self {
        Self {
            sizes,
            entry_bytes: config.entry_bytes,
            capacity: Capacity::new(config, sizes.logical_units, u64::from(config.entry_bytes)),
            protected_share: config.protected_share,
            in_host: config.host_memory,
            batch: if config.batch_entries == 0 { superblock_units } else { config.batch_entries },
            until_erased: config.batch_until == BatchUntil::Erased,
            waits: config.eviction == Eviction::Foreground,
            slots: Slots::new(sizes),
            just_loaded: NOTHING,
        }
    }

    /// Uses an entry: to the front, or among the protected ones when it is used again.
    fn touch(&mut self, slot: u32, view: &MapView<'_>) {
        let protected = (f64::from(self.capacity.now(view.occupied())) * self.protected_share) as u32;
        match self.slots.list_of(slot) {
            List::Batch => {}
            List::Protected => self.slots.relink(slot, List::Protected),
            List::Probation if protected == 0 => self.slots.relink(slot, List::Probation),
            List::Probation => {
                self.slots.relink(slot, List::Protected);
                if self.slots.len(List::Protected) > protected
                    && let Some(oldest) = self.slots.oldest(List::Protected)
                {
                    self.slots.relink(oldest, List::Probation);
                }
            }
        }
    }

    /// Takes an entry in, and lets the least recently used ones go.
    fn cache(&mut self, lpa: Lpa, dirty: bool, view: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        self.slots.insert(lpa, List::Probation, dirty);
        let capacity = self.capacity.now(view.occupied());
        while self.slots.len(List::Probation) + self.slots.len(List::Protected) > capacity {
            let oldest = self.slots.oldest(List::Probation).or_else(|| self.slots.oldest(List::Protected));
            let Some(oldest) = oldest else { return };
            let Slot { lpa, dirty, .. } = self.slots[oldest];
            if dirty {
                self.write_back(self.sizes.page_of(Lpa(lpa)), writes);
            }
            self.slots.remove(oldest);
        }
    }

    /// Holds a change of an entry that isn't cached; the oldest ones are written when there are too many.
    fn hold(&mut self, lpa: Lpa, writes: &mut Vec<WriteBack>) {
        self.slots.insert(lpa, List::Batch, true);
        while self.slots.len(List::Batch) > self.batch {
            let Some(oldest) = self.slots.oldest(List::Batch) else { return };
            self.write_back(self.sizes.page_of(Lpa(self.slots[oldest].lpa)), writes);
        }
    }

    /// Has a translation page written, and with it all its dirty entries.
    fn write_back(&mut self, page: u32, writes: &mut Vec<WriteBack>) {
        let (first, end) = self.sizes.entries(page);
        writes.push(WriteBack { page, whole: self.slots.cached_of(page) == end - first });
        self.slots.clean(page);
    }
}

impl Mapping for Demand {
    fn name(&self) -> &str {
        "demand"
    }

    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        let just_loaded = std::mem::replace(&mut self.just_loaded, NOTHING);
        if just_loaded != lookup.lpa.0 {
            // Asking again for what was just loaded is no second use of it.
            let cached = self.capacity.now(view.occupied()) > 0;
            let Some(slot) = self.slots.find(lookup.lpa).filter(|_| cached) else {
                return Found::Load(self.sizes.page_of(lookup.lpa));
            };
            self.touch(slot, view);
        }
        Found::Known(view.find(lookup.lpa))
    }

    fn loaded(&mut self, _page: u32, lookup: &Lookup, view: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        let lpa = lookup.lpa;
        self.just_loaded = lpa.0;
        if self.capacity.now(view.occupied()) > 0 && self.slots.find(lpa).is_none() {
            self.cache(lpa, false, view, writes);
        }
    }

    fn updated(&mut self, update: &Update, view: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        let &Update { lpa, new, cause, .. } = update;
        if let Some(slot) = self.slots.find(lpa) {
            self.slots.make_dirty(slot);
        } else if self.capacity.now(view.occupied()) > 0 && new.is_some() && !Class::read_for(cause).is_move()
        {
            // It was cached when the write came, and made room for others since: the write knows it still.
            self.cache(lpa, true, view, writes);
        } else {
            self.hold(lpa, writes);
        }
    }

    fn erased(&mut self, writes: &mut Vec<WriteBack>) {
        while self.until_erased
            && let Some(oldest) = self.slots.oldest(List::Batch)
        {
            self.write_back(self.sizes.page_of(Lpa(self.slots[oldest].lpa)), writes);
        }
    }

    fn waits_for_evictions(&self) -> bool {
        self.waits
    }

    fn keeps_map_on_flash(&self) -> bool {
        true
    }

    fn is_dirty(&self, lpa: Lpa) -> bool {
        self.slots.find(lpa).is_some_and(|slot| self.slots[slot].dirty)
    }

    fn cached_entries(&self) -> u64 {
        u64::from(self.slots.total())
    }

    fn dirty_entries(&self) -> u64 {
        u64::from(self.slots.dirty())
    }

    fn keeping(&self, occupied: u32) -> Option<Keeping> {
        let room = self.capacity.now(occupied);
        Some(Keeping {
            pages: false,
            room,
            protected: (f64::from(room) * self.protected_share) as u32,
            takes_in_changes: room > 0,
            held_changes: self.batch,
        })
    }

    fn expect(&mut self, entries: u64) {
        self.slots.expect(entries as usize);
    }

    fn bytes(&self) -> u64 {
        let entries = if self.in_host { 0 } else { u64::from(self.capacity.most()) + u64::from(self.batch) };
        entries * u64::from(self.entry_bytes) + u64::from(self.sizes.translation_pages) * DIRECTORY_ENTRY
    }
}
