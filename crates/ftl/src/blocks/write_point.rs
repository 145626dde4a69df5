//! A write point: the open superblock that one kind of writing fills, program unit by program unit.

use serde::{Deserialize, Serialize};

use crate::blocks::Stripes;
use wordline_base::ids::{PlaneId, Ppa, SuperblockId};
use wordline_flash::nand::{CellMode, Geometry};
use wordline_flash::sched::queue::{NONE, OpId};

/// Where writing goes on in one domain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WritePoint {
    /// The open superblock.
    pub superblock: SuperblockId,
    /// Its number in the domain.
    block: u32,
    row: u32,
    column: u32,
    /// Program units of the row that are taken.
    taken: u32,
    rows: u32,
    /// Mode in which the next superblock is opened.
    pub mode: CellMode,
    /// Flash pages that one program of a plane takes.
    rows_at_once: u32,
    /// Head of the program unit that still takes mapping units; [`NONE`] if there is none.
    pub open_unit: OpId,
    /// First mapping unit of that program unit.
    pub place: Ppa,
    /// Mapping units that it has room for.
    pub size: u32,
    /// Mapping units in it.
    pub filled: u32,
    /// Whether it is being filled without simulated time.
    pub untimed: bool,
    /// Program units that wait until their row is complete.
    pub gathered: Vec<OpId>,
}

impl WritePoint {
    /// Nothing open.
    pub fn new() -> Self {
        Self {
            superblock: SuperblockId::NONE,
            block: 0,
            row: 0,
            column: 0,
            taken: 0,
            rows: 0,
            mode: CellMode::Native,
            rows_at_once: 1,
            open_unit: NONE,
            place: Ppa::NONE,
            size: 0,
            filled: 0,
            untimed: false,
            gathered: Vec::new(),
        }
    }

    /// Whether the open superblock has a program unit left.
    #[inline]
    pub fn has_place(&self) -> bool {
        self.row < self.rows
    }

    /// Whether the program unit that was taken last still takes mapping units, being neither full nor on its die.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.open_unit != NONE && self.filled < self.size
    }

    /// Flash pages left in the open superblock, `width` planes of which hold data in each row.
    #[inline]
    pub fn pages_left(&self, width: u32) -> u32 {
        let begun = self.rows_at_once.min(self.rows - self.row.min(self.rows)) * self.taken;
        if self.has_place() { (self.rows - self.row) * width - begun } else { 0 }
    }

    /// Program units of a page each that can be taken one after another while the open superblock stays open and nothing is
    /// being filled.
    #[inline]
    pub fn places_of_a_run(&self, width: u32) -> usize {
        if self.untimed { 0 } else { self.pages_left(width).saturating_sub(1) as usize }
    }

    /// The plane of the next program unit, by its place among those of the domain.
    pub fn column(&self) -> u32 {
        self.column
    }

    /// The flash page of a block with which the row of the next program unit begins.
    pub fn row(&self) -> u32 {
        self.row
    }

    /// Whether the next program unit begins a row of them (a superpage, where a unit is a page).
    pub fn at_row_start(&self) -> bool {
        self.column == 0
    }

    /// Plane of the program unit that comes next, among those of the domain.
    pub fn next_plane(&self, planes: &[PlaneId]) -> PlaneId {
        let column = if self.has_place() { self.column as usize } else { 0 };
        planes.get(column).copied().unwrap_or(PlaneId(0))
    }

    /// Opens a free superblock with so many flash pages in each block, `rows_at_once` of which are programmed together.
    pub fn open(&mut self, superblock: SuperblockId, block: u32, rows: u32, rows_at_once: u32) {
        (self.superblock, self.block, self.row) = (superblock, block, 0);
        (self.column, self.taken) = (0, 0);
        (self.rows, self.rows_at_once) = (rows, rows_at_once.max(1));
    }

    /// The open superblock is filled up to a row already, which begins a program unit.
    pub fn resume_at(&mut self, row: u32) {
        (self.row, self.column, self.taken) = (row.min(self.rows), 0, 0);
    }

    /// Nothing more goes into the open superblock.
    pub fn close(&mut self) {
        (self.row, self.column, self.open_unit) = (self.rows, 0, NONE);
    }

    /// Takes the next program unit: its first mapping unit. `planes` are the domain's; those that hold parity in the row
    /// are passed over.
    #[inline(always)]
    pub fn take(&mut self, geometry: &Geometry, planes: &[PlaneId], stripes: Option<&Stripes>) -> Ppa {
        self.pass_parity(planes, stripes);
        let place = geometry.first_unit(planes[self.column as usize], self.block, self.row);
        let rows = self.rows_at_once.min(self.rows - self.row);
        self.column += 1;
        self.taken += 1;
        self.pass_parity(planes, stripes);
        if self.column as usize == planes.len() {
            (self.column, self.taken) = (0, 0);
            self.row += rows;
        }
        (self.place, self.size, self.filled, self.untimed) = (place, rows << geometry.unit_shift, 0, false);
        place
    }

    /// Takes so many places, no more than [`Self::places_of_a_run`]: each a program unit of one mapping unit that begins and
    /// ends at once. Tells each of them, with its number among them.
    #[inline(always)]
    pub fn take_run(
        &mut self,
        geometry: &Geometry,
        planes: &[PlaneId],
        count: usize,
        mut each: impl FnMut(usize, Ppa),
    ) {
        let block = self.block;
        let (mut row, mut column) = (self.row, self.column as usize);
        for number in 0..count {
            self.place = geometry.first_unit(planes[column], block, row);
            each(number, self.place);
            column += 1;
            if column == planes.len() {
                (row, column) = (row + 1, 0);
            }
        }
        (self.row, self.column, self.taken) = (row, column as u32, column as u32);
        if count > 0 {
            (self.size, self.filled, self.open_unit) = (1, 1, NONE);
        }
    }

    /// The same, plane by plane: tells the number of the plane's first place among them, that place, and how many it has, each
    /// one flash page behind the other.
    #[inline(always)]
    pub fn take_rows(
        &mut self,
        geometry: &Geometry,
        planes: &[PlaneId],
        count: usize,
        mut each: impl FnMut(usize, Ppa, usize),
    ) {
        let (width, first) = (planes.len(), self.column as usize);
        let place_of = |number: usize| {
            let (column, row) = ((first + number) % width, self.row + ((first + number) / width) as u32);
            geometry.first_unit(planes[column], self.block, row)
        };
        (0..width.min(count))
            .for_each(|number| each(number, place_of(number), (count - number).div_ceil(width)));
        if count > 0 {
            self.place = place_of(count - 1);
            (self.size, self.filled, self.open_unit) = (1, 1, NONE);
        }
        let behind = first + count;
        self.row += (behind / width) as u32;
        (self.column, self.taken) = ((behind % width) as u32, (behind % width) as u32);
    }

    #[inline]
    fn pass_parity(&mut self, planes: &[PlaneId], stripes: Option<&Stripes>) {
        if let Some(stripes) = stripes {
            while (self.column as usize) < planes.len() && stripes.is_parity(self.row, self.column) {
                self.column += 1;
            }
        }
    }
}

impl Default for WritePoint {
    fn default() -> Self {
        Self::new()
    }
}
