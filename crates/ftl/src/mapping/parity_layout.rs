//! The preconditioned layout where rows hold parity: still a formula.
//!
//! Static placement deals flash pages out over the planes in turn; each lands in the domain of its plane. The j-th flash
//! page of a domain lies in row j div K, on the plane of its (j mod K)-th slot, K being the planes of a row that hold
//! data. So a sequential overwrite meets each domain with as many pages as it holds.

use crate::blocks::Domains;
use crate::blocks::Stripes;
use wordline_base::divisor::Divisor;
use wordline_base::ids::{DomainId, PlaneId};
use wordline_flash::nand::Geometry;

/// Where the flash pages of a sequential fill lie beside their parity.
#[derive(Clone, Debug)]
pub struct ParityLayout {
    stripes: Stripes,
    planes: Divisor,
    width: Divisor,
    data: Divisor,
    pages_per_block: Divisor,
    /// Of each position in the order of placement: the domain, and how many of its planes come before.
    of_position: Vec<(u32, u32)>,
    /// Positions of each domain, ascending, and its planes in the same order.
    positions: Vec<u32>,
    plane_at: Vec<u32>,
    domain_of_plane: Vec<u32>,
}

impl ParityLayout {
    /// Over the planes in the order `plane_at`.
    pub fn new(geometry: &Geometry, plane_at: &[PlaneId], domains: &Domains, stripes: Stripes) -> Self {
        let mut ordered = vec![Vec::new(); domains.len()];
        let mut of_position = Vec::with_capacity(plane_at.len());
        for (position, &plane) in plane_at.iter().enumerate() {
            let domain = domains.of(plane);
            let before = &mut ordered[domain.index()];
            of_position.push((domain.0, before.len() as u32));
            before.push(position as u32);
        }
        let all = (0..domains.len() as u32).map(DomainId);
        Self {
            planes: Divisor::new(geometry.planes()),
            width: Divisor::new(stripes.width()),
            data: Divisor::new(stripes.data_planes()),
            pages_per_block: Divisor::new(geometry.pages_per_block),
            of_position,
            positions: ordered.concat(),
            plane_at: all.flat_map(|domain| domains.planes(domain)).map(|plane| plane.0).collect(),
            domain_of_plane: (0..geometry.planes()).map(|plane| domains.of(PlaneId(plane)).0).collect(),
            stripes,
        }
    }

    /// Plane and row (flash page of the plane) of the `page`-th flash page of the fill.
    pub fn place(&self, page: u32) -> (u32, u32) {
        let (turn, position) = self.planes.div_rem(page);
        let (domain, before) = self.of_position[position as usize];
        let (row, slot) = self.data.div_rem(turn * self.width.value() + before);
        let column = self.stripes.column_at(self.pages_per_block.div_rem(row).1, slot);
        (self.plane_at[(domain * self.width.value() + column) as usize], row)
    }

    /// The reverse: which flash page of an endless fill lies there; `None` where there is parity.
    pub fn page(&self, plane: u32, row: u32) -> Option<u64> {
        let column = self.stripes.column_of(PlaneId(plane));
        let slot = self.stripes.slot_of(self.pages_per_block.div_rem(row).1, column)?;
        let (turn, before) = self.width.div_rem(row * self.data.value() + slot);
        let domain = self.domain_of_plane[plane as usize];
        let position = self.positions[(domain * self.width.value() + before) as usize];
        Some(u64::from(turn) * u64::from(self.planes.value()) + u64::from(position))
    }

    /// How many of the first `pages` flash pages of the fill a domain holds.
    fn pages_of_domain(&self, domain: u32, pages: u32) -> u32 {
        let (turns, rest) = self.planes.div_rem(pages);
        let width = self.width.value();
        let positions = &self.positions[(domain * width) as usize..][..width as usize];
        turns * width + positions.partition_point(|&position| position < rest) as u32
    }

    /// Whether a row of a domain is whole, data and parity, after `pages` flash pages of the fill.
    pub fn is_whole(&self, domain: DomainId, row: u32, pages: u32) -> bool {
        let held = self.pages_of_domain(domain.0, pages);
        u64::from(held) >= (u64::from(row) + 1) * u64::from(self.data.value())
    }

    /// Full flash pages of the first `pages` of the fill in the first `rows` rows of a plane, and whether the flash page
    /// that comes behind them lies there.
    pub fn pages_in_rows(&self, plane: PlaneId, rows: u32, pages: u32) -> (u32, bool) {
        let domain = self.domain_of_plane[plane.index()];
        let column = self.stripes.column_of(plane);
        let held = self.pages_of_domain(domain, pages);
        let (whole, left) = self.data.div_rem(held);
        let (blocks, rest) = self.pages_per_block.div_rem(whole.min(rows));
        let per_block = self.stripes.parity_pages(column, self.pages_per_block.value());
        let parity = blocks * per_block + self.stripes.parity_pages(column, rest);
        let mut found = (whole.min(rows) - parity, false);
        if whole < rows
            && let Some(slot) = self.stripes.slot_of(self.pages_per_block.div_rem(whole).1, column)
        {
            found.0 += u32::from(slot < left);
            let next = self.of_position[self.planes.div_rem(pages).1 as usize].0;
            found.1 = slot == left && next == domain;
        }
        found
    }
}
