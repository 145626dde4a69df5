//! The memory of the tables that filling a drive in order is going to write, handed out ahead.

use crate::work::above::AboveFtl;
use crate::work::ftl::Ftl;
use std::ops::Range;

use crate::mapping::page::Whole;
use crate::mapping::part::Striping;
use wordline_base::ids::{DomainId, Lpa};
use wordline_base::memory::Handout;

/// Pages from which on it is worth a thread.
const WORTH_A_THREAD: usize = 4 << 20;

/// What is handed out: the tables of physical pages first, all over which the first pages lie, then the map.
#[derive(Default)]
pub struct Memory {
    handout: Handout,
    /// First piece of the map, and its first entry.
    map: Option<(usize, usize)>,
}

impl Memory {
    /// Fills while the memory is handed out.
    pub fn beside(&self, fill: impl FnOnce()) {
        self.handout.beside(fill);
    }

    /// Returns when what logical pages below this one need is handed out.
    pub fn wait_for_pages_below(&self, end: u32) {
        if let Some((piece, first)) = self.map {
            let entries = (end as usize).saturating_sub(first);
            self.handout.wait_for(piece + entries.div_ceil(Handout::ENTRIES));
        }
    }
}

impl Ftl {
    /// Where these pages will probably lie.
    fn coming_places(&self, striping: &Striping, pages: &Range<u32>) -> Vec<Range<u32>> {
        let units = self.geometry.units_per_block();
        let mut places: Vec<Range<u32>> = Vec::new();
        for domain in (0..self.domains.len() as u32).map(DomainId) {
            let planes = self.domains.planes(domain);
            let blocks = striping.entries_of(domain, pages).len().div_ceil(planes.len() * units as usize);
            for superblock in self.domain[domain.index()].free.coming(blocks) {
                let block = self.blocks.split(superblock).1;
                places.extend(planes.iter().map(|&plane| {
                    let first = self.geometry.first_unit(plane, block, 0).0;
                    first..first + units
                }));
            }
        }
        places.sort_unstable_by_key(|run| run.start);
        places.dedup_by(|run, before| {
            let follows = run.start == before.end;
            if follows {
                before.end = run.end;
            }
            follows
        });
        places
    }
}

/// What filling these pages is going to need; nothing if they are few, or don't follow one another.
///
/// # Safety
/// The map and the drive's tables must live until what is returned is dropped.
pub(crate) unsafe fn memory_of_filling<A: AboveFtl>(
    above: &mut A,
    striping: &Striping,
    map: &mut Whole,
    pages: &[Lpa],
) -> Memory {
    let mut memory = Memory::default();
    let (Some(first), Some(last)) = (pages.first(), pages.last()) else { return memory };
    let in_order =
        last.0.checked_sub(first.0) == Some(pages.len() as u32 - 1) && last.0 < above.ftl().logical_units;
    if !in_order || pages.len() < WORTH_A_THREAD {
        return memory;
    }
    for places in above.ftl().coming_places(striping, &(first.0..last.0 + 1)) {
        if let Some(extent) = above.ftl_mut().oob.expect_run(places) {
            // SAFETY: as the caller says.
            unsafe { memory.handout.add(extent) };
        }
    }
    if let Some((first, extent)) = map.0.expect_run(first.0..last.0 + 1) {
        // SAFETY: as the caller says.
        memory.map = Some((unsafe { memory.handout.add(extent) }, first));
    }
    memory
}
