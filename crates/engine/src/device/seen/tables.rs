//! The tables of a drive, number by number, for whoever compares two drives.

use crate::device::Device;
use wordline_base::ids::{DomainId, Lpa, Ppa, SuperblockId};
use wordline_flash::disturb::Disturb;
use wordline_flash::nand::bit_errors::BitErrors;

impl Device {
    /// Tells each number of the tables with the name of its table: where each logical page is (`map`), what the spare area of each
    /// physical mapping unit names (`oob`), and of each superblock its state, its valid units and its erases (`blocks`), the free
    /// ones of each domain in the order in which they will be taken (`free`), and what random streams give next (`streams`).
    pub fn tell_tables(&self, tell: &mut dyn FnMut(&'static str, u64)) {
        (0..self.ftl.all_units()).for_each(|lpa| tell("map", u64::from(self.ftl.lookup(Lpa(lpa)).0)));
        let units = self.geometry.units_per_plane() * self.geometry.planes();
        (0..units).for_each(|ppa| tell("oob", u64::from(self.ftl.oob().lpa(Ppa(ppa), self.ftl.layout()).0)));
        for superblock in (0..self.ftl.blocks().len() as u32).map(SuperblockId) {
            tell("blocks", self.ftl.blocks().state(superblock) as u64);
            tell("blocks", u64::from(self.ftl.blocks().valid(superblock)));
            tell("blocks", u64::from(self.ftl.blocks().erase_counts()[superblock.index()]));
        }
        for domain in (0..self.ftl.domain_states().len() as u32).map(DomainId) {
            let free = &self.ftl.domain_states()[domain.index()].free;
            free.coming(free.len() as usize)
                .iter()
                .for_each(|superblock| tell("free", u64::from(superblock.0)));
        }
        let of_flash = self.flash.disturb().and_then(Disturb::errors).map(BitErrors::next_drawn);
        [self.ftl.next_drawn(), self.systems.reclaim().next_drawn(), of_flash]
            .into_iter()
            .flatten()
            .for_each(|drawn| tell("streams", drawn));
    }
}
