//! Which pages form a stripe, as formulas.
//!
//! A row of a superblock is one program unit of each of its planes. In row r of a block the die of rank r mod D holds
//! parity, of the D dies of the superblock. A stripe is the program units of a row on the planes of one number: one for
//! each die, so that a stripe never needs one die twice.

use serde::{Deserialize, Serialize};

use crate::blocks::Domains;
use wordline_base::ids::{DomainId, PlaneId, Ppa};
use wordline_flash::nand::Geometry;

/// Stands for "holds parity" in the tables of slots.
const PARITY: u32 = u32::MAX;

/// The stripes of a drive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stripes {
    dies: u32,
    width: u32,
    data: u32,
    pages_per_program: u32,
    /// Of each plane of the drive, its number in the order of its domain.
    column_of_plane: Vec<u32>,
    /// Of each column, the rank of its die in the domain (by first appearance).
    rank_of: Vec<u32>,
    /// For each rank of the parity: the column of each slot for data, and the slot of each column.
    column_at: Vec<u32>,
    slot_of: Vec<u32>,
}

impl Stripes {
    /// Over domains of whole dies. The planes of every domain come in the same pattern, that of the first.
    pub fn new(geometry: &Geometry, domains: &Domains) -> Self {
        let width = domains.width();
        let per_die = geometry.planes_per_die.min(width).max(1);
        let (mut dies, mut rank_of) = (Vec::new(), Vec::new());
        for &plane in domains.planes(DomainId(0)) {
            let die = geometry.die_of(plane).0;
            let rank = dies.iter().position(|&other| other == die).unwrap_or(dies.len());
            if rank == dies.len() {
                dies.push(die);
            }
            rank_of.push(rank as u32);
        }
        let mut column_of_plane = vec![0; geometry.planes() as usize];
        for domain in (0..domains.len() as u32).map(DomainId) {
            for (column, plane) in domains.planes(domain).iter().enumerate() {
                column_of_plane[plane.index()] = column as u32;
            }
        }
        let (mut column_at, mut slot_of) = (Vec::new(), Vec::new());
        for parity in 0..dies.len() as u32 {
            let mut slot = 0;
            for (column, &rank) in rank_of.iter().enumerate() {
                if rank == parity {
                    slot_of.push(PARITY);
                } else {
                    slot_of.push(slot);
                    column_at.push(column as u32);
                    slot += 1;
                }
            }
        }
        Self {
            dies: dies.len() as u32,
            width,
            data: width - per_die,
            pages_per_program: geometry.pages_per_program,
            column_of_plane,
            rank_of,
            column_at,
            slot_of,
        }
    }

    /// Dies of a stripe, that of the parity included.
    pub fn dies(&self) -> u32 {
        self.dies
    }

    /// Planes of a superblock.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Planes of each row that hold data.
    pub fn data_planes(&self) -> u32 {
        self.data
    }

    /// Number of a plane in the order of its domain.
    pub fn column_of(&self, plane: PlaneId) -> u32 {
        self.column_of_plane[plane.index()]
    }

    /// Rank of the die that holds the parity of this flash page's row.
    #[inline]
    pub fn parity_rank(&self, page: u32) -> u32 {
        page / self.pages_per_program % self.dies
    }

    /// Whether a column holds parity in the row of this flash page.
    #[inline]
    pub fn is_parity(&self, page: u32, column: u32) -> bool {
        self.rank_of[column as usize] == self.parity_rank(page)
    }

    /// Whether a physical page holds parity.
    pub fn holds_parity(&self, geometry: &Geometry, ppa: Ppa) -> bool {
        let place = geometry.place(ppa);
        self.is_parity(place.page, self.column_of(place.plane))
    }

    /// Column of the data that comes as number `slot` in the row of this flash page.
    #[inline]
    pub fn column_at(&self, page: u32, slot: u32) -> u32 {
        self.column_at[(self.parity_rank(page) * self.data + slot) as usize]
    }

    /// The reverse; `None` for parity.
    #[inline]
    pub fn slot_of(&self, page: u32, column: u32) -> Option<u32> {
        let slot = self.slot_of[(self.parity_rank(page) * self.width + column) as usize];
        (slot != PARITY).then_some(slot)
    }

    /// Columns that hold the parity of the row of this flash page.
    pub fn parity_columns(&self, page: u32) -> impl Iterator<Item = u32> + use<'_> {
        let rank = self.parity_rank(page);
        (0..self.width).filter(move |&column| self.rank_of[column as usize] == rank)
    }

    /// Flash pages among the first `pages` of a block in which a column holds parity.
    pub fn parity_pages(&self, column: u32, pages: u32) -> u32 {
        let at_once = self.pages_per_program;
        let cycle = at_once * self.dies;
        let begin = self.rank_of[column as usize] * at_once;
        pages / cycle * at_once + (pages % cycle).saturating_sub(begin).min(at_once)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::planes_in_order;
    use wordline_config::device::GeometryConfig;
    use wordline_config::scheme::{PlacementOrder, SuperblockSpan};

    #[test]
    fn each_row_has_one_die_of_parity_and_every_domain_the_same_pattern() {
        for pages_per_program in [1, 3] {
            let geometry = Geometry::new(&GeometryConfig {
                channels: 4,
                ways: 3,
                dies: 3,
                planes: 2,
                blocks: 4,
                pages: 30,
                page_bytes: 4096,
                spare_bytes: 0,
                mapping_unit_bytes: 4096,
                pages_per_program,
            });
            for order in PlacementOrder::all() {
                for span in [SuperblockSpan::Chip, SuperblockSpan::Channels, SuperblockSpan::Drive] {
                    let domains = Domains::new(&geometry, span, &planes_in_order(&geometry, order));
                    let stripes = Stripes::new(&geometry, &domains);
                    assert_eq!(stripes.dies() * 2, domains.width());
                    for domain in (0..domains.len() as u32).map(DomainId) {
                        for page in 0..30 {
                            let parity: Vec<_> = stripes.parity_columns(page).collect();
                            let dies: Vec<_> = parity
                                .iter()
                                .map(|&column| geometry.die_of(domains.planes(domain)[column as usize]))
                                .collect();
                            assert_eq!(dies.len(), 2);
                            assert!(dies[0].0 == dies[1].0 && dies[0].1 != dies[1].1);
                        }
                    }
                    for page in 0..30 {
                        let slots: Vec<_> =
                            (0..stripes.width()).filter_map(|column| stripes.slot_of(page, column)).collect();
                        assert_eq!(slots, (0..stripes.data_planes()).collect::<Vec<_>>());
                        for &slot in &slots {
                            assert_eq!(stripes.slot_of(page, stripes.column_at(page, slot)), Some(slot));
                        }
                    }
                    for column in 0..stripes.width() {
                        for pages in 0..=30 {
                            let counted = (0..pages).filter(|&page| stripes.is_parity(page, column)).count();
                            assert_eq!(stripes.parity_pages(column, pages), counted as u32);
                        }
                    }
                }
            }
        }
    }
}
