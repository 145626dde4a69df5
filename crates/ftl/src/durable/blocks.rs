//! What flash keeps of each block beside its pages: bad marks, cycles and the mode of its cells.

use crate::blocks::BlockTable;
use crate::blocks::bad::BadBlocks;
use wordline_base::ids::{PlaneId, Ppa};
use wordline_flash::nand::{CellMode, Geometry};

/// The blocks as they survive a loss of power. Which physical block is behind a number is said by the table of bad blocks, which
/// firmware keeps on flash as well.
#[derive(Clone, Copy, Debug)]
pub struct DurableBlocks<'a> {
    geometry: &'a Geometry,
    table: &'a BlockTable,
    /// `None` where no block is ever bad.
    bad: Option<&'a BadBlocks>,
}

/// A block by its number in its plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DurableBlock {
    /// Number of the physical block behind it, in the plane.
    pub physical: u32,
    /// Erases of that.
    pub cycles: u32,
    /// Of its cells, since it was opened last.
    pub mode: CellMode,
    first: Ppa,
    units: u32,
}

impl DurableBlock {
    /// Its places that data can lie in: in SLC mode a part of the block has none.
    pub fn places(&self) -> impl Iterator<Item = Ppa> + use<> {
        (self.first.0..self.first.0 + self.units).map(Ppa)
    }
}

impl<'a> DurableBlocks<'a> {
    /// Of these tables.
    pub(crate) fn new(geometry: &'a Geometry, table: &'a BlockTable, bad: Option<&'a BadBlocks>) -> Self {
        Self { geometry, table, bad }
    }

    /// Whether a physical block is marked as bad: from the factory, or since.
    pub fn is_bad(&self, plane: PlaneId, physical: u32) -> bool {
        self.bad.is_some_and(|bad| bad.is_bad(plane, physical))
    }

    /// The block of this number; `None` where no physical block is behind it.
    pub fn get(&self, plane: PlaneId, block: u32) -> Option<DurableBlock> {
        let first = self.geometry.first_unit(plane, block, 0);
        let superblock = self.table.of(self.geometry, first);
        let (physical, cycles) = match self.bad {
            Some(bad) => (bad.backing(plane, block)?, bad.erases(plane, block)),
            None => (block, self.table.erase_counts().get(superblock.index()).copied()?),
        };
        let mode = self.table.mode(superblock);
        let units = self.table.units_in(mode, self.geometry);
        Some(DurableBlock { physical, cycles, mode, first, units })
    }

    /// Those of all planes, in the order of their places.
    pub fn all(self) -> impl Iterator<Item = DurableBlock> {
        let planes = (0..self.geometry.planes()).map(PlaneId);
        planes.flat_map(move |plane| {
            (0..self.geometry.blocks_per_plane).filter_map(move |block| self.get(plane, block))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::bad::Erased;
    use wordline_base::ids::{DomainId, SuperblockId};
    use wordline_config::bad_blocks::BadBlocksConfig;
    use wordline_config::device::GeometryConfig;

    fn geometry() -> Geometry {
        Geometry::new(&GeometryConfig {
            channels: 1,
            ways: 1,
            dies: 1,
            planes: 1,
            blocks: 4,
            pages: 8,
            page_bytes: 4096,
            spare_bytes: 0,
            mapping_unit_bytes: 4096,
            pages_per_program: 1,
        })
    }

    #[test]
    fn a_block_in_slc_mode_has_data_in_fewer_places() {
        let geometry = geometry();
        let mut table = BlockTable::new(&geometry, 1, 1, |_| DomainId(0));
        table.allow_slc_mode(3);
        table.open(SuperblockId(1), CellMode::Slc);
        table.count_erase(SuperblockId(1));
        let blocks: Vec<DurableBlock> = DurableBlocks::new(&geometry, &table, None).all().collect();
        let found: Vec<(u32, u32, usize)> =
            blocks.iter().map(|block| (block.physical, block.cycles, block.places().count())).collect();
        assert_eq!(found, [(0, 0, 8), (1, 1, 3), (2, 0, 8), (3, 0, 8)]);
        assert_eq!(blocks[1].places().next(), Some(Ppa(8)));
    }

    #[test]
    fn a_block_that_failed_is_marked_and_the_spare_behind_its_number_has_cycles_of_its_own() {
        let geometry = geometry();
        let config = BadBlocksConfig {
            factory: vec![[0, 0]],
            spare_blocks_per_plane: 1,
            erase_failures: 1.0,
            ..BadBlocksConfig::default()
        };
        let (plane, table) = (PlaneId(0), BlockTable::new(&geometry, 1, 1, |_| DomainId(0)));
        let mut bad = BadBlocks::new(&config, &geometry, 1);
        bad.set_spares(plane, 2);
        let marks = |bad: &BadBlocks| {
            let blocks = DurableBlocks::new(&geometry, &table, Some(bad));
            (0..4).map(|physical| blocks.is_bad(plane, physical)).collect::<Vec<bool>>()
        };
        assert_eq!(marks(&bad), [true, false, false, false]);
        bad.wear(plane, 1, CellMode::Native);
        assert_eq!(bad.erase(plane, 0, CellMode::Native), Erased::Replaced);
        assert_eq!(marks(&bad), [true, true, false, false]);
        let blocks = DurableBlocks::new(&geometry, &table, Some(&bad));
        let found = |block| blocks.get(plane, block).map(|block| (block.physical, block.cycles));
        assert_eq!([0, 1, 2].map(found), [Some((3, 0)), Some((2, 1)), None]);
        assert_eq!(blocks.all().count(), 2);
    }
}
