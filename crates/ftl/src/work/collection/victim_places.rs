//! The places of a victim in the order in which collection reads them: row by row, in each row plane by plane.

use crate::work::ftl::Ftl;
use wordline_base::ids::{DomainId, Ppa, SuperblockId};

/// The places of a victim that are still to be looked at.
pub struct VictimPlaces {
    /// First unit of its block on each plane.
    blocks: Vec<Ppa>,
    units_per_page: u32,
    units: u32,
    /// The next one: where its row begins in a block, its plane, and its number in the flash page.
    row: u32,
    column: usize,
    unit: u32,
}

impl VictimPlaces {
    /// Takes the next ones, as many as there is room for; returns how many.
    #[inline]
    pub fn take(&mut self, places: &mut [Ppa]) -> usize {
        let mut count = 0;
        for place in places {
            let Some(block) = self.blocks.get(self.column).filter(|_| self.row < self.units) else { break };
            *place = Ppa(block.0 + self.row + self.unit);
            count += 1;
            self.unit += 1;
            if self.unit < self.units_per_page {
                continue;
            }
            (self.unit, self.column) = (0, self.column + 1);
            if self.column == self.blocks.len() {
                (self.column, self.row) = (0, self.row + self.units_per_page);
            }
        }
        count
    }

    /// The first unit of each of its blocks.
    pub fn blocks(&self) -> &[Ppa] {
        &self.blocks
    }
}

impl Ftl {
    /// Those of a superblock.
    pub(crate) fn victim_places(&self, domain: DomainId, victim: SuperblockId) -> VictimPlaces {
        let block = self.blocks.split(victim).1;
        let planes = self.domains.planes(domain);
        VictimPlaces {
            blocks: planes.iter().map(|&plane| self.geometry.first_unit(plane, block, 0)).collect(),
            units_per_page: self.geometry.units_per_page(),
            units: self.geometry.units_per_block(),
            row: 0,
            column: 0,
            unit: 0,
        }
    }
}
