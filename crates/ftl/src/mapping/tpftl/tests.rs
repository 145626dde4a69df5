//! Each rule of the cache by an example worked out by hand: translation pages of 8 entries, 4 bytes for an entry and none for a
//! node unless it is said.

use super::*;
use crate::mapping::{Layout, PageMap};
use wordline_base::class::Cause;
use wordline_base::ids::{PlaneId, Ppa};
use wordline_config::device::GeometryConfig;
use wordline_flash::nand::Geometry;

const SIZES: MapSizes = MapSizes {
    logical_units: 80,
    physical_units: 160,
    translation_pages: 10,
    entries_per_page: 8,
    journal_pages: 0,
    pages_together: 1,
};

/// A cache of so many entries.
fn config(entries: u64) -> MappingConfig {
    MappingConfig { cache_bytes: 4 * entries, node_entry_bytes: 4, node_bytes: 0, ..MappingConfig::default() }
}

/// The policy and what it has had written.
struct Bench {
    tpftl: Tpftl,
    writes: Vec<WriteBack>,
    map: PageMap,
    layout: Layout,
}

impl Bench {
    fn new(config: &MappingConfig) -> Self {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 1,
            ways: 1,
            dies: 1,
            planes: 1,
            blocks: 10,
            pages: 16,
            page_bytes: 512,
            spare_bytes: 0,
            mapping_unit_bytes: 512,
            pages_per_program: 1,
        });
        let (map, layout) = (PageMap::new(80), Layout::new(&geometry, &[PlaneId(0)], 0));
        Self { tpftl: Tpftl::new(config, SIZES, 100), writes: Vec::new(), map, layout }
    }

    /// A look-up of the first of so many pages of a request; whether it missed.
    fn ask(&mut self, lpa: u32, units: u32, write: bool) -> bool {
        let view = MapView { map: &self.map, layout: &self.layout, occupied: 80, sizes: SIZES };
        let lookup = Lookup { units, ..Lookup::alone(Lpa(lpa), write) };
        let found = self.tpftl.find(&lookup, &view);
        if let Found::Load(page) = found {
            self.tpftl.loaded(page, &lookup, &view, &mut self.writes);
            assert!(matches!(self.tpftl.find(&lookup, &view), Found::Known(_)));
        }
        if write {
            let update = Update { lpa: lookup.lpa, old: Ppa::NONE, new: Ppa(1), cause: Cause::Host };
            self.tpftl.updated(&update, &view, &mut self.writes);
        }
        matches!(found, Found::Load(_))
    }

    fn read(&mut self, lpa: u32) -> bool {
        self.ask(lpa, 1, false)
    }

    fn write(&mut self, lpa: u32) -> bool {
        self.ask(lpa, 1, true)
    }

    fn moved(&mut self, lpa: u32) {
        let view = MapView { map: &self.map, layout: &self.layout, occupied: 80, sizes: SIZES };
        let update = Update { lpa: Lpa(lpa), old: Ppa(1), new: Ppa(2), cause: Cause::Gc };
        self.tpftl.updated(&update, &view, &mut self.writes);
    }

    fn cached(&self) -> Vec<u32> {
        (0..80).filter(|&lpa| self.tpftl.nodes.find(Lpa(lpa)).is_some()).collect()
    }

    fn dirty(&self) -> Vec<u32> {
        (0..80).filter(|&lpa| self.tpftl.is_dirty(Lpa(lpa))).collect()
    }
}

#[test]
fn a_miss_takes_in_what_else_of_its_request_lies_in_the_translation_page() {
    let mut bench = Bench::new(&config(40));
    assert!(bench.ask(5, 6, false));
    assert_eq!(bench.cached(), [5, 6, 7]);
    // The rest of the request lies in the next one.
    assert!(!bench.ask(6, 5, false) && !bench.ask(7, 4, false) && bench.ask(8, 3, false));
    assert_eq!(bench.cached(), [5, 6, 7, 8, 9, 10]);
    let mut bench = Bench::new(&MappingConfig { request_prefetch: false, ..config(40) });
    assert!(bench.ask(5, 6, false));
    assert_eq!(bench.cached(), [5]);
}

#[test]
fn while_nodes_become_fewer_as_many_entries_are_taken_in_as_are_cached_before_the_missed_one() {
    // Six nodes of an entry each; then entries of one translation page push four of them out.
    let mut bench = Bench::new(&config(6));
    for page in 1..=6 {
        bench.read(8 * page);
    }
    for lpa in 0..4 {
        assert!(bench.read(lpa), "{lpa}");
    }
    // One node came and four went. What comes with entry 4 is limited to what one node makes room for, here none: it was an entry.
    assert!(bench.tpftl.selective.is_on());
    bench.read(4);
    assert_eq!(bench.cached(), [0, 1, 2, 3, 4, 48]);

    // With room, or one node that holds enough, all come that have a predecessor, and none of the next translation page.
    let mut bench = Bench::new(&MappingConfig { prefetch_threshold: 1, ..config(11) });
    bench.ask(16, 8, false);
    for page in [3, 4, 5] {
        bench.read(8 * page);
    }
    // Full; from now on the coldest node, of eight entries, makes room.
    for lpa in [0, 1, 2] {
        bench.read(lpa);
    }
    assert_eq!(bench.cached(), [0, 1, 2, 19, 20, 21, 22, 23, 24, 32, 40]);
    bench.tpftl.selective = on();
    assert!(bench.read(3));
    assert_eq!(bench.cached(), [0, 1, 2, 3, 4, 5, 6, 23, 24, 32, 40]);
    // Entry 8 has no predecessor in its translation page.
    bench.tpftl.selective = on();
    assert!(bench.read(8));
    assert_eq!(bench.cached(), [0, 1, 2, 3, 4, 5, 6, 8, 24, 32, 40]);
}

/// Selective prefetching is on.
fn on() -> Switch {
    let mut switch = Switch::new(1);
    switch.node_went();
    switch
}

#[test]
fn what_is_fetched_ahead_pushes_out_entries_of_one_node_only() {
    let mut bench = Bench::new(&config(6));
    bench.ask(16, 2, false);
    bench.ask(24, 4, false);
    // Six are wanted, of which the coldest node makes room for two.
    assert!(bench.ask(0, 6, false));
    assert_eq!(bench.cached(), [0, 1, 24, 25, 26, 27]);
    // Its own node may do so, but not with what comes now.
    let mut bench = Bench::new(&config(4));
    bench.ask(0, 4, false);
    assert!(bench.ask(4, 4, false));
    assert_eq!(bench.cached(), [4, 5, 6, 7]);
}

#[test]
fn the_node_goes_first_whose_entries_were_used_longest_ago_in_the_mean() {
    let mut bench = Bench::new(&config(4));
    for lpa in [0, 8, 9, 1] {
        bench.read(lpa);
    }
    // Used at 1 and 4, and at 2 and 3: equal, and the lower number gives way first. Then entry 0 is used again.
    assert_eq!(bench.tpftl.nodes.coldest(), Some(0));
    bench.read(0);
    assert_eq!(bench.tpftl.nodes.coldest(), Some(1));
    bench.read(16);
    assert_eq!(bench.cached(), [0, 1, 9, 16]);
}

#[test]
fn a_clean_entry_of_the_coldest_node_goes_before_a_dirty_one() {
    for (clean_first, left, writes) in
        [(true, vec![0, 2, 8, 16], vec![]), (false, vec![1, 2, 8, 16], vec![0])]
    {
        let mut bench = Bench::new(&MappingConfig { clean_first, ..config(4) });
        bench.write(0);
        for lpa in [1, 2, 8] {
            bench.read(lpa);
        }
        // Entry 0 was used longest ago, but is dirty.
        bench.read(16);
        assert_eq!(bench.cached(), left);
        assert_eq!(bench.writes.iter().map(|write| write.page).collect::<Vec<_>>(), writes);
    }
}

#[test]
fn with_a_dirty_entry_all_of_its_node_are_written_and_stay_as_clean_ones() {
    for (batch_update, dirty, writes) in [(true, vec![], 1), (false, vec![2], 2)] {
        let mut bench = Bench::new(&MappingConfig { batch_update, ..config(4) });
        for lpa in [0, 1, 2] {
            bench.write(lpa);
        }
        bench.read(8);
        bench.read(16);
        assert_eq!(bench.writes, [WriteBack { page: 0, whole: false }]);
        assert_eq!(bench.cached(), [1, 2, 8, 16]);
        bench.read(9);
        assert_eq!(bench.cached(), [2, 8, 9, 16]);
        assert_eq!((bench.dirty(), bench.writes.len()), (dirty, writes));
    }
}

#[test]
fn changes_of_entries_that_are_not_cached_are_held_and_written_with_their_node() {
    let mut bench = Bench::new(&MappingConfig { batch_entries: 2, ..config(2) });
    bench.write(0);
    bench.moved(1);
    bench.moved(8);
    assert_eq!((bench.cached(), bench.dirty()), (vec![0], vec![0, 1, 8]));
    // What is held is known.
    assert!(!bench.read(1));
    bench.moved(9);
    assert_eq!(bench.writes, [WriteBack { page: 0, whole: false }]);
    assert_eq!((bench.cached(), bench.dirty()), (vec![0], vec![8, 9]));
    // It isn't fetched ahead either: flash has an older one.
    bench.ask(7, 1, false);
    assert!(!bench.ask(8, 3, false) && bench.ask(10, 1, false));
    assert_eq!(bench.cached(), [7, 10]);
}

#[test]
fn a_node_takes_memory_besides_its_entries() {
    // 4 bytes each and 4 for a node: 16 bytes hold two nodes of one, or three entries of one node.
    let mut bench = Bench::new(&MappingConfig { node_bytes: 4, cache_bytes: 16, ..config(0) });
    for lpa in [0, 8, 16] {
        bench.read(lpa);
    }
    assert_eq!(bench.cached(), [8, 16]);
    bench.read(17);
    assert_eq!(bench.cached(), [16, 17]);
    bench.read(18);
    assert_eq!(bench.cached(), [16, 17, 18]);
    // Too little for one: nothing is kept.
    let mut bench = Bench::new(&MappingConfig { node_bytes: 4, cache_bytes: 7, ..config(0) });
    assert!(bench.read(5) && bench.read(5) && bench.cached().is_empty());
}

#[test]
fn the_ledger_is_charged_the_cache_the_changes_and_the_directory() {
    let bytes = |config: MappingConfig| Tpftl::new(&config, SIZES, 100).bytes();
    let base = MappingConfig { cache_bytes: 60, batch_entries: 5, ..MappingConfig::default() };
    assert_eq!(bytes(base.clone()), 60 + 5 * 8 + 10 * 4);
    assert_eq!(bytes(MappingConfig { host_memory: true, ..base.clone() }), 40);
    // The whole map, an entry of 6 bytes each, and a node of 4 for each translation page, which takes the place of an entry.
    assert_eq!(bytes(MappingConfig { cache_bytes: 1 << 20, ..base.clone() }), 80 * 6 + 10 * 6 + 40 + 40);
    assert_eq!(bytes(MappingConfig { cache_share: Some(0.1), ..base }), 9 * 6 + 40 + 40);
}
