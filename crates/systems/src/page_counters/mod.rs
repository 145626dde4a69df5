//! "Page" of papers/001 §4.1 and its coarser forms: counters of the reads of logical pages say which page goes to which block of the
//! fresh superblock. How is not printed: here the pages go by falling count, each to the block with the smallest sum so far that
//! has room.

mod evened;
mod in_superpages;

use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use self::evened::evened;
use self::in_superpages::in_superpages;
use crate::events::WornBlock;
use crate::reclaim::mover::{Order, Shape};
use crate::reclaim::{Decision, ReadReclaim, Routine};
use crate::view::DriveView;
use wordline_base::ids::Lpa;
use wordline_base::rng::{below, next_of, stream};
use wordline_config::reclaim::{CountedPages, PageCountersConfig, PageMoves, Ties};
use wordline_flash::nand::Geometry;

/// Bytes of a counter (papers/001, Figure 16: those of 64 GB of 8 KiB pages fill 32 MB).
const COUNTER_BYTES: u64 = 4;

/// The seed's use for the order of equals.
const TIES: &str = "reclaim: ties";

/// One counter for so many consecutive logical pages.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageCounters {
    group: u32,
    restart: bool,
    bytes: u64,
    counts: Vec<u32>,
    /// `None` where equals go in the order of their logical pages.
    random: Option<Xoshiro256PlusPlus>,
    /// Not state: the run's own.
    #[serde(skip)]
    moves: PageMoves,
}

/// A page to be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    /// Its reads, or those of its group.
    pub(super) reads: u32,
    /// Its place among those with as many.
    tie: u32,
    lpa: Lpa,
    /// Mapping unit of the old superblock.
    pub(super) unit: u32,
}

/// Where pages come from: those that are read most first, each goes to the block with
/// the smallest sum of reads that has room, of equals the first; in a block one after another.
fn regrouped(shape: Shape, mut pages: Vec<Counted>) -> Vec<u32> {
    pages.sort_unstable_by_key(|page| (std::cmp::Reverse(page.reads), page.tie, page.lpa, page.unit));
    let units_of_block = shape.pages * shape.units_per_page;
    let mut sources = vec![u32::MAX; shape.units() as usize];
    let mut filled = vec![(0u64, 0u32); shape.columns as usize];
    for page in pages {
        let open = (0..).zip(&mut filled).filter(|(_, (_, units))| *units < units_of_block);
        let Some((column, (sum, units))) = open.min_by_key(|(column, (sum, _))| (*sum, *column)) else {
            break;
        };
        let place = shape.unit(column, *units / shape.units_per_page) + *units % shape.units_per_page;
        if let Some(source) = sources.get_mut(place as usize) {
            *source = page.unit;
        }
        *sum += u64::from(page.reads);
        *units += 1;
    }
    sources
}

#[cfg(test)]
impl Counted {
    /// A page with so many reads.
    pub(super) fn of(reads: u32, lpa: Lpa, unit: u32) -> Self {
        Self { reads, tie: 0, lpa, unit }
    }
}

impl PageCounters {
    /// For a drive with so many logical pages, in a run with this seed.
    pub fn new(config: PageCountersConfig, geometry: &Geometry, logical_units: u32, seed: u64) -> Self {
        let counters = |pages: u32| u64::from(pages.div_ceil(config.group));
        let counted = match config.for_pages {
            CountedPages::Raw => geometry.physical_units(),
            CountedPages::Logical => logical_units,
        };
        Self {
            group: config.group,
            restart: config.restart,
            bytes: COUNTER_BYTES * counters(counted),
            counts: vec![0; counters(logical_units) as usize],
            random: (config.ties == Ties::Random).then(|| stream(seed, TIES)),
            moves: config.moves,
        }
    }

    /// What its stream gives next; `None` without one.
    pub fn next_drawn(&self) -> Option<u64> {
        self.random.as_ref().map(next_of)
    }

    /// Reads of a page, or of its group.
    fn count(&self, lpa: Lpa) -> u32 {
        self.counts.get((lpa.0 / self.group) as usize).copied().unwrap_or(0)
    }
}

impl ReadReclaim for PageCounters {
    fn reclaim(&mut self, worn: &WornBlock, drive: &DriveView<'_>) -> Decision {
        let shape = Shape::of(drive);
        let counted = |unit: u32| {
            let lpa = drive.valid_lpa(drive.unit_at(worn.superblock, unit))?;
            Some(Counted { reads: self.count(lpa), tie: 0, lpa, unit })
        };
        let mut pages: Vec<Counted> = (0..shape.units()).filter_map(counted).collect();
        if let Some(random) = &mut self.random {
            pages.iter_mut().for_each(|page| page.tie = below(random, u32::MAX));
        }
        if self.restart {
            for page in &pages {
                if let Some(count) = self.counts.get_mut((page.lpa.0 / self.group) as usize) {
                    *count = 0;
                }
            }
        }
        let sources = match self.moves {
            PageMoves::All => regrouped(shape, pages),
            PageMoves::Needed => evened(shape, &pages),
            PageMoves::InSuperpages => in_superpages(shape, &pages),
        };
        Decision::Rearranged(Routine::Regrouped, Order::Permuted(sources))
    }

    fn counts_pages(&self) -> bool {
        true
    }

    fn page_read(&mut self, lpa: Lpa) {
        if let Some(count) = self.counts.get_mut((lpa.0 / self.group) as usize) {
            *count = count.saturating_add(1);
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl wordline_base::snapshot::Stored for PageCounters {
    fn take_up(&mut self, saved: Self) -> Option<()> {
        if saved.counts.len() != self.counts.len() {
            return None;
        }
        *self = Self { moves: self.moves, ..saved };
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_config::device::GeometryConfig;

    const SHAPE: Shape = Shape { columns: 3, units_per_page: 1, pages_per_program: 1, pages: 2 };

    fn pages(reads: &[u32]) -> Vec<Counted> {
        (0..).zip(reads).map(|(unit, &reads)| Counted { reads, tie: 0, lpa: Lpa(unit), unit }).collect()
    }

    #[test]
    fn pages_go_by_falling_count_to_the_block_with_the_smallest_sum_and_room() {
        // 9 to block 0, 7 to 1, 5 to 2, then 4 to 2 (5), 2 to 1 (7), and the last has room in block 0 only.
        let sources = regrouped(SHAPE, pages(&[2, 9, 5, 1, 4, 7]));
        assert_eq!(sources, [1, 5, 2, 3, 0, 4]);
    }

    #[test]
    fn equals_go_in_the_order_of_their_places_among_each_other() {
        let mut equals = pages(&[3, 3, 3]);
        equals[2].tie = 0;
        (equals[0].tie, equals[1].tie) = (2, 1);
        assert_eq!(regrouped(SHAPE, equals)[..3], [2, 1, 0]);
    }

    #[test]
    fn blocks_fill_from_their_first_page_whatever_is_missing() {
        let sources = regrouped(SHAPE, pages(&[3, 3, 3, 1]));
        assert_eq!(sources, [0, 1, 2, 3, u32::MAX, u32::MAX]);
        assert_eq!(regrouped(SHAPE, vec![]), [u32::MAX; 6]);
    }

    #[test]
    fn counters_are_shared_by_groups_and_take_the_memory_of_raw_or_logical_pages() {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 8,
            ways: 4,
            dies: 1,
            planes: 4,
            blocks: 64,
            pages: 1024,
            page_bytes: 8192,
            spare_bytes: 0,
            mapping_unit_bytes: 8192,
            pages_per_program: 1,
        });
        let of = |group, for_pages| {
            let config = PageCountersConfig { group, for_pages, ..PageCountersConfig::default() };
            PageCounters::new(config, &geometry, 6_710_887, 1)
        };
        // 64 GiB of 8 KiB pages.
        let bytes = [1, 8, 64].map(|group| of(group, CountedPages::Raw).bytes());
        assert_eq!(bytes, [32 << 20, 4 << 20, 512 << 10]);
        assert_eq!(of(1, CountedPages::Logical).bytes(), 4 * 6_710_887);
        let mut counters = of(8, CountedPages::Raw);
        [0, 7, 8, 6_710_886, u32::MAX].into_iter().for_each(|lpa| counters.page_read(Lpa(lpa)));
        assert_eq!([3, 15, 6_710_880, 16].map(|lpa| counters.count(Lpa(lpa))), [2, 1, 1, 0]);
    }
}
