//! How often what was read since it was erased: read disturb grows with it, and read reclaim decides by it.

use serde::{Deserialize, Serialize};

use super::Geometry;
use wordline_base::ids::{PlaneId, Ppa};
use wordline_base::memory::Table;

/// Array reads since the erase, by physical block and, where asked for, by flash page. Tables cost memory where they are
/// touched only: 4 bytes for each block, 4 for each flash page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadCounts {
    by_block: Table<u32>,
    by_page: Table<u32>,
    blocks_per_plane: u32,
    units_per_block: u32,
    unit_shift: u32,
    peak: u32,
}

impl ReadCounts {
    /// No reads yet; `pages` asks for counts by flash page as well.
    pub fn new(geometry: &Geometry, pages: bool) -> Self {
        let blocks = geometry.planes() as usize * geometry.blocks_per_plane as usize;
        let flash_pages = if pages { blocks * geometry.pages_per_block as usize } else { 0 };
        Self {
            by_block: Table::zeroed(blocks),
            by_page: Table::zeroed(flash_pages),
            blocks_per_plane: geometry.blocks_per_plane,
            units_per_block: geometry.units_per_block(),
            unit_shift: geometry.unit_shift,
            peak: 0,
        }
    }

    /// The flash page of this unit was read; returns the reads of its block with this one.
    #[inline]
    pub fn note(&mut self, ppa: Ppa) -> u32 {
        let count = &mut self.by_block[(ppa.0 / self.units_per_block) as usize];
        *count = count.saturating_add(1);
        self.peak = self.peak.max(*count);
        if let Some(page) = self.by_page.get_mut((ppa.0 >> self.unit_shift) as usize) {
            *page = page.saturating_add(1);
        }
        *count
    }

    /// Reads of a block of a plane since its erase.
    #[inline]
    pub fn block(&self, plane: PlaneId, block: u32) -> u32 {
        self.by_block[plane.index() * self.blocks_per_plane as usize + block as usize]
    }

    /// Reads, since its erase, of the block that holds this unit.
    #[inline]
    pub fn block_of(&self, ppa: Ppa) -> u32 {
        self.by_block[(ppa.0 / self.units_per_block) as usize]
    }

    /// Reads of the flash page of this unit since the erase; `None` if they are counted by block only.
    #[inline]
    pub fn page(&self, ppa: Ppa) -> Option<u32> {
        self.by_page.get((ppa.0 >> self.unit_shift) as usize).copied()
    }

    /// The block that begins with this unit is erased.
    pub fn erase(&mut self, first: Ppa) {
        let count = &mut self.by_block[(first.0 / self.units_per_block) as usize];
        if std::mem::take(count) == 0 {
            return;
        }
        let start = (first.0 >> self.unit_shift) as usize;
        let pages = (self.units_per_block >> self.unit_shift) as usize;
        if let Some(pages) = self.by_page.get_mut(start..start + pages) {
            pages.fill(0);
        }
    }

    /// The count of every block, plane by plane.
    pub fn blocks(&self) -> &[u32] {
        &self.by_block
    }

    /// The count of every flash page, block by block; empty if they are counted by block only.
    pub fn pages(&self) -> &[u32] {
        &self.by_page
    }

    /// The highest count that any block has ever had.
    pub fn peak(&self) -> u32 {
        self.peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_config::device::GeometryConfig;

    fn geometry() -> Geometry {
        Geometry::new(&GeometryConfig {
            channels: 1,
            ways: 1,
            dies: 1,
            planes: 2,
            blocks: 5,
            pages: 6,
            page_bytes: 8192,
            spare_bytes: 0,
            mapping_unit_bytes: 4096,
            pages_per_program: 1,
        })
    }

    #[test]
    fn an_erase_forgets_the_reads_of_its_block_only() {
        let geometry = geometry();
        let mut counts = ReadCounts::new(&geometry, true);
        let at = |block, page| geometry.first_unit(PlaneId(1), block, page);
        for (block, page) in [(2, 0), (2, 0), (2, 5), (3, 0), (1, 5)] {
            counts.note(Ppa(at(block, page).0 + 1));
        }
        assert_eq!([1, 2, 3].map(|block| counts.block(PlaneId(1), block)), [1, 3, 1]);
        assert_eq!(
            (counts.page(at(2, 0)), counts.page(at(2, 5)), counts.page(at(2, 1))),
            (Some(2), Some(1), Some(0))
        );
        counts.erase(at(2, 0));
        assert_eq!([1, 2, 3].map(|block| counts.block(PlaneId(1), block)), [1, 0, 1]);
        assert_eq!(
            [at(1, 5), at(2, 0), at(2, 5), at(3, 0)].map(|page| counts.page(page)),
            [Some(1), Some(0), Some(0), Some(1)]
        );
        assert_eq!((counts.peak(), counts.blocks().iter().sum::<u32>()), (3, 2));
    }

    #[test]
    fn pages_are_counted_only_when_asked_for() {
        let geometry = geometry();
        let mut counts = ReadCounts::new(&geometry, false);
        assert_eq!([counts.note(Ppa(3)), counts.note(Ppa(0)), counts.block_of(Ppa(11))], [1, 2, 2]);
        assert_eq!((counts.page(Ppa(3)), counts.pages().len()), (None, 0));
    }
}
