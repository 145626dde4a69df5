//! A map on flash whose translation pages are cached whole: S-FTL without its compression (Jiang, Zhang, Yuan, Hu, Chen,
//! "S-FTL: an efficient address translation for flash memory by exploiting spatial locality", MSST 2011). Drives without DRAM
//! keep such segments of their map in the host's memory (K. Kim, T. Kim, "HMB in DRAM-less NVMe SSDs: their usage and effects
//! on performance", PLOS ONE 15(3), 2020).
//!
//! What moves, TRIMs and write-backs change in pages that aren't cached is held beside them, and written with all that is held
//! of the same page.

use serde::{Deserialize, Serialize};

use super::capacity::Capacity;
use super::changes::Changes;
use super::page_order::PageOrder;
use super::{Found, Keeping, Lookup, MapSizes, MapView, Mapping, Update, WriteBack};
use wordline_base::ids::Lpa;
use wordline_config::scheme::{Eviction, MappingConfig};

/// Bytes of a translation page's place in the directory.
const DIRECTORY_ENTRY: u64 = 4;

/// What of a translation page is in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Held {
    No,
    Clean,
    Dirty,
}

/// Translation pages cached whole, the least recently used giving way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Segments {
    sizes: MapSizes,
    /// Controller memory, bytes.
    bytes: u64,
    /// Pages that the cache holds.
    capacity: Capacity,
    batch: u32,
    waits: bool,
    /// By translation page; apart from the order, since every update asks this and few ask more.
    held: Vec<Held>,
    /// The cached pages by their last use.
    by_use: PageOrder,
    cached: u32,
    dirty: u32,
    /// Changes of entries of other pages.
    changes: Changes,
}

impl Segments {
    /// For a drive with superblocks of so many mapping units.
    pub fn new(config: &MappingConfig, sizes: MapSizes, superblock_units: u32) -> Self {
        let page = u64::from(sizes.entries_per_page) * u64::from(config.translation_entry_bytes);
        let capacity = Capacity::new(config, sizes.translation_pages, page).at_least_one();
        let batch = if config.batch_entries == 0 { superblock_units } else { config.batch_entries };
        let held = u64::from(capacity.most()) * page + u64::from(batch) * u64::from(config.entry_bytes);
        let held = if config.host_memory { 0 } else { held };
        Self {
            sizes,
            bytes: held + u64::from(sizes.translation_pages) * DIRECTORY_ENTRY,
            capacity,
            batch,
            waits: config.eviction == Eviction::Foreground,
            held: vec![Held::No; sizes.translation_pages as usize],
            by_use: PageOrder::new(sizes.translation_pages),
            cached: 0,
            dirty: 0,
            changes: Changes::new(sizes),
        }
    }

    #[inline]
    fn held(&self, page: u32) -> Held {
        self.held.get(page as usize).copied().unwrap_or(Held::No)
    }

    fn hold(&mut self, page: u32, held: Held) {
        if let Some(page) = self.held.get_mut(page as usize) {
            *page = held;
        }
    }

    fn make_dirty(&mut self, page: u32) {
        self.dirty += u32::from(self.held(page) == Held::Clean);
        self.hold(page, Held::Dirty);
    }

    /// Takes a page in, with what is held of it.
    fn take_in(&mut self, page: u32, view: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        self.hold(page, Held::Clean);
        self.by_use.push(page);
        self.cached += 1;
        if self.changes.of(page) > 0 {
            self.changes.clear(page);
            self.make_dirty(page);
        }
        // As many as the occupied entries would fill, were they together.
        let occupied = view.occupied().div_ceil(self.sizes.entries_per_page.max(1));
        let capacity = self.capacity.now(occupied).max(1);
        while self.cached > capacity {
            let Some(oldest) = self.by_use.oldest() else { return };
            if self.held(oldest) == Held::Dirty {
                self.dirty -= 1;
                writes.push(WriteBack { page: oldest, whole: true });
            }
            self.by_use.remove(oldest);
            self.hold(oldest, Held::No);
            self.cached -= 1;
        }
    }

    /// Holds a change of an entry whose page isn't cached; the oldest ones are written when there are too many.
    fn hold_change(&mut self, lpa: Lpa, page: u32, writes: &mut Vec<WriteBack>) {
        self.changes.add(lpa, page);
        while self.changes.total() > self.batch {
            let Some(page) = self.changes.oldest_page() else { return };
            let (first, end) = self.sizes.entries(page);
            writes.push(WriteBack { page, whole: self.changes.of(page) == end - first });
            self.changes.clear(page);
        }
    }
}

impl Mapping for Segments {
    fn name(&self) -> &str {
        "segments"
    }

    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        let page = self.sizes.page_of(lookup.lpa);
        if self.held(page) == Held::No {
            return Found::Load(page);
        }
        self.by_use.remove(page);
        self.by_use.push(page);
        Found::Known(view.find(lookup.lpa))
    }

    fn loaded(&mut self, page: u32, _lookup: &Lookup, view: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        if self.held(page) == Held::No {
            self.take_in(page, view, writes);
        }
    }

    fn updated(&mut self, update: &Update, _view: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        let page = self.sizes.page_of(update.lpa);
        if self.held(page) == Held::No {
            self.hold_change(update.lpa, page, writes);
        } else {
            self.make_dirty(page);
        }
    }

    fn fetch(&self, lpa: Lpa) {
        self.changes.fetch(lpa, self.sizes.page_of(lpa));
    }

    fn waits_for_evictions(&self) -> bool {
        self.waits
    }

    fn keeps_map_on_flash(&self) -> bool {
        true
    }

    fn is_dirty(&self, lpa: Lpa) -> bool {
        self.held(self.sizes.page_of(lpa)) == Held::Dirty || self.changes.has(lpa)
    }

    fn cached_entries(&self) -> u64 {
        u64::from(self.cached) * u64::from(self.sizes.entries_per_page) + u64::from(self.changes.total())
    }

    fn dirty_entries(&self) -> u64 {
        u64::from(self.dirty) * u64::from(self.sizes.entries_per_page) + u64::from(self.changes.total())
    }

    fn keeping(&self, occupied: u32) -> Option<Keeping> {
        let occupied = occupied.div_ceil(self.sizes.entries_per_page.max(1));
        Some(Keeping {
            pages: true,
            room: self.capacity.now(occupied).max(1),
            protected: 0,
            takes_in_changes: false,
            held_changes: self.batch,
        })
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::{Layout, PageMap};
    use wordline_base::class::Cause;
    use wordline_base::ids::{PlaneId, Ppa};
    use wordline_config::device::GeometryConfig;
    use wordline_flash::nand::Geometry;

    const SIZES: MapSizes = MapSizes {
        logical_units: 40,
        physical_units: 80,
        translation_pages: 10,
        entries_per_page: 4,
        journal_pages: 0,
        pages_together: 1,
    };

    fn segments(pages: u64, batch_entries: u32) -> Segments {
        let config = MappingConfig {
            cache_bytes: pages * 16,
            batch_entries,
            host_memory: true,
            ..MappingConfig::default()
        };
        Segments::new(&config, SIZES, 100)
    }

    fn with_view(act: impl FnOnce(&MapView<'_>)) {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 1,
            ways: 1,
            dies: 1,
            planes: 1,
            blocks: 10,
            pages: 8,
            page_bytes: 512,
            spare_bytes: 0,
            mapping_unit_bytes: 512,
            pages_per_program: 1,
        });
        let (map, layout) = (PageMap::new(40), Layout::new(&geometry, &[PlaneId(0)], 0));
        act(&MapView { map: &map, layout: &layout, occupied: 0, sizes: SIZES });
    }

    fn update(lpa: u32) -> Update {
        Update { lpa: Lpa(lpa), old: Ppa::NONE, new: Ppa(1), cause: Cause::Gc }
    }

    #[test]
    fn the_page_that_was_used_longest_ago_gives_way_and_is_written_if_it_changed() {
        with_view(|view| {
            let (mut segments, mut writes) = (segments(2, 8), Vec::new());
            for page in [0, 1] {
                let lookup = Lookup::alone(Lpa(4 * page), false);
                assert_eq!(segments.find(&lookup, view), Found::Load(page));
                segments.loaded(page, &lookup, view, &mut writes);
                assert_eq!(segments.find(&lookup, view), Found::Known(Ppa::NONE));
            }
            // Another entry of the first page: known, and used later than the second page.
            assert_eq!(segments.find(&Lookup::alone(Lpa(3), true), view), Found::Known(Ppa::NONE));
            segments.updated(&update(3), view, &mut writes);
            segments.loaded(5, &Lookup::alone(Lpa(20), false), view, &mut writes);
            assert!(writes.is_empty() && segments.is_dirty(Lpa(3)) && !segments.is_dirty(Lpa(5)));
            assert_eq!(segments.find(&Lookup::alone(Lpa(5), false), view), Found::Load(1));
            segments.loaded(6, &Lookup::alone(Lpa(24), false), view, &mut writes);
            assert_eq!(writes, [WriteBack { page: 0, whole: true }]);
            assert_eq!((segments.cached_entries(), segments.dirty_entries()), (8, 0));
        });
    }

    #[test]
    fn changes_of_other_pages_are_held_and_written_together() {
        with_view(|view| {
            let (mut segments, mut writes) = (segments(1, 3), Vec::new());
            for lpa in [8, 9, 12, 9] {
                segments.updated(&update(lpa), view, &mut writes);
            }
            assert!(writes.is_empty() && segments.is_dirty(Lpa(9)) && !segments.is_dirty(Lpa(10)));
            segments.updated(&update(16), view, &mut writes);
            assert_eq!(writes, [WriteBack { page: 2, whole: false }]);
            assert!(!segments.is_dirty(Lpa(9)) && segments.is_dirty(Lpa(12)));
            // A page that is taken in brings what is held of it.
            segments.loaded(3, &Lookup::alone(Lpa(12), false), view, &mut writes);
            assert!(segments.is_dirty(Lpa(13)) && !segments.changes.has(Lpa(12)));
        });
    }

    #[test]
    fn what_lies_in_the_hosts_memory_takes_none_of_the_controllers() {
        let config = MappingConfig { cache_bytes: 64, batch_entries: 5, ..MappingConfig::default() };
        let bytes =
            |host_memory| Segments::new(&MappingConfig { host_memory, ..config.clone() }, SIZES, 100).bytes();
        assert_eq!((bytes(false), bytes(true)), (64 + 40 + 40, 40));
    }
}
