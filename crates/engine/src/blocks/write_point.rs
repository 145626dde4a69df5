//! A write point: the open superblock that one kind of writing fills, page by page.

use crate::ids::{PlaneId, Ppa, SuperblockId};
use crate::nand::{CellMode, Geometry};
use crate::sched::queue::{NONE, OpId};

/// Where writing goes on in one domain.
#[derive(Clone, Copy, Debug)]
pub struct WritePoint {
    /// The open superblock.
    pub superblock: SuperblockId,
    /// Its number in the domain.
    block: u32,
    row: u32,
    column: u32,
    rows: u32,
    /// Mode in which the next superblock is opened.
    pub mode: CellMode,
    /// Head of the flash page that still takes units; [`NONE`] if there is none.
    pub open_page: OpId,
    /// First unit of that page.
    pub page: Ppa,
    /// Units in it.
    pub filled: u32,
    /// Whether that page is being filled without simulated time.
    pub untimed: bool,
}

impl Default for WritePoint {
    /// Nothing open.
    fn default() -> Self {
        Self {
            superblock: SuperblockId::NONE,
            block: 0,
            row: 0,
            column: 0,
            rows: 0,
            mode: CellMode::Native,
            open_page: NONE,
            page: Ppa::NONE,
            filled: u32::MAX,
            untimed: false,
        }
    }
}

impl WritePoint {
    /// Whether the open superblock has a flash page left.
    #[inline]
    pub fn has_page(&self) -> bool {
        self.row < self.rows
    }

    /// Flash pages left in the open superblock of `width` planes.
    pub fn pages_left(&self, width: u32) -> u32 {
        if self.has_page() { (self.rows - self.row) * width - self.column } else { 0 }
    }

    /// The next page's plane, by its place among those of the domain.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// Whether the next page begins a row (a superpage).
    pub fn at_row_start(&self) -> bool {
        self.column == 0
    }

    /// Opens a free superblock of so many rows (flash pages of a block).
    pub fn open(&mut self, superblock: SuperblockId, block: u32, rows: u32) {
        (self.superblock, self.block, self.rows) = (superblock, block, rows);
        (self.row, self.column) = (0, 0);
    }

    /// Takes the next flash page: its first unit. `planes` are the domain's.
    #[inline]
    pub fn take_page(&mut self, geometry: &Geometry, planes: &[PlaneId]) -> Ppa {
        let page = geometry.first_unit(planes[self.column as usize], self.block, self.row);
        self.column += 1;
        if self.column as usize == planes.len() {
            self.column = 0;
            self.row += 1;
        }
        (self.page, self.filled, self.untimed) = (page, 0, false);
        page
    }
}
