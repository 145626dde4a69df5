//! Parity at work: a row's parity is programmed when the last of its data is in the controller.

use crate::blocks::BlockState;
use crate::blocks::Stripes;
use crate::redundancy::{RedundancyPolicy, Rows};
use crate::work::above::AboveFtl;
use crate::work::ftl::Ftl;
use crate::work::purposes::Purpose;
use crate::work::purposes::new_op;
use wordline_base::class::Class;
use wordline_base::ids::{DomainId, Lpa, PlaneId, Ppa, SuperblockId};
use wordline_base::snapshot::{In, Out, Part, SnapshotError};
use wordline_flash::nand::Geometry;
use wordline_flash::sched::queue::{NONE, Op, OpId};
use wordline_flash::work::submit;

use crate::work::parity::rebuild::Rebuilds;

/// Stripes, how far they are programmed, and the reads that are being rebuilt.
pub struct Redundant {
    pub stripes: Stripes,
    pub rows: Rows,
    pub policy: RedundancyPolicy,
    pub rebuilds: Rebuilds,
    /// Programs of parity that are to be queued.
    ready: Vec<OpId>,
}

impl Part for Redundant {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        let Self { stripes: _, rows, policy, rebuilds, ready } = self;
        out.put(&(rows, rebuilds, ready))?;
        Part::save(policy, out)
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        (self.rows, self.rebuilds, self.ready) = input.take()?;
        Part::restore(&mut self.policy, input)
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        let Self { stripes, rows, policy, rebuilds, ready } = self;
        Ok(Self {
            stripes: stripes.clone(),
            rows: rows.clone(),
            policy: Part::fork(policy)?,
            rebuilds: rebuilds.clone(),
            ready: ready.clone(),
        })
    }
}

impl Redundant {
    pub fn new(
        policy: RedundancyPolicy,
        stripes: Stripes,
        geometry: &Geometry,
        superblocks: usize,
        xor_ns: u64,
    ) -> Self {
        let rows = geometry.pages_per_block.div_ceil(geometry.pages_per_program);
        Self {
            stripes,
            rows: Rows::new(superblocks, rows),
            policy,
            rebuilds: Rebuilds::new(xor_ns),
            ready: Vec::new(),
        }
    }
}

impl Ftl {
    /// Superblock and row (of program units) of a page.
    pub(crate) fn row_of(&self, ppa: Ppa) -> (SuperblockId, u32) {
        let page = self.geometry.place(ppa).page;
        (self.blocks.of(&self.geometry, ppa), page / self.geometry.pages_per_program)
    }

    /// Moves the parity that was made behind the programs of its row, to be queued with them.
    pub(crate) fn take_parity(&mut self, programs: &mut Vec<OpId>) {
        if let Some(redundancy) = &mut self.redundancy {
            programs.append(&mut redundancy.ready);
        }
    }

    /// The program of one plane has ended.
    #[inline]
    pub(crate) fn note_programmed(&mut self, place: Ppa) {
        if self.redundancy.is_some() {
            let (superblock, row) = self.row_of(place);
            if let Some(redundancy) = &mut self.redundancy {
                redundancy.rows.note_programmed(superblock.index(), row);
            }
        }
    }

    /// The rows of a superblock are erased.
    pub(crate) fn erase_rows(&mut self, superblock: SuperblockId) {
        if let Some(redundancy) = &mut self.redundancy {
            redundancy.rows.erase(superblock.index());
        }
    }

    /// Whether a page lies in what a row of its superblock was not given before that was closed.
    pub(crate) fn is_left_out(&self, ppa: Ppa) -> bool {
        let Some(redundancy) = &self.redundancy else { return false };
        let (superblock, row) = self.row_of(ppa);
        let place = self.geometry.place(ppa);
        let slot = redundancy.stripes.slot_of(place.page, redundancy.stripes.column_of(place.plane));
        let filled = redundancy.rows.filled(superblock.index(), row);
        slot.zip(filled).is_some_and(|(slot, filled)| slot >= filled)
    }

    /// Whether all of the row of a page is programmed, its parity included.
    pub(crate) fn row_is_whole(&self, ppa: Ppa) -> bool {
        let Some(redundancy) = &self.redundancy else { return false };
        let (superblock, row) = self.row_of(ppa);
        match redundancy.rows.programmed(superblock.index(), row) {
            Some(programmed) => programmed >= redundancy.stripes.width(),
            None => self.laid_out_whole(superblock, ppa),
        }
    }

    fn laid_out_whole(&self, superblock: SuperblockId, ppa: Ppa) -> bool {
        let (domain, block) = self.blocks.split(superblock);
        let place = self.geometry.place(ppa);
        let at_once = self.geometry.pages_per_program;
        let first = place.page / at_once * at_once;
        let rows = first..(first + at_once).min(self.geometry.pages_per_block);
        let before = block * self.geometry.pages_per_block;
        rows.map(|page| before + page).all(|row| self.layout.is_whole(domain, row))
    }

    /// Planes of a row that hold data.
    #[inline]
    pub(crate) fn data_planes(&self) -> u32 {
        self.redundancy.as_ref().map_or(self.domains.width(), |redundancy| redundancy.stripes.data_planes())
    }

    /// Column of the `slot`-th program unit of data in the row of this flash page.
    pub(crate) fn data_column(&self, page: u32, slot: u32) -> u32 {
        self.redundancy.as_ref().map_or(slot, |redundancy| redundancy.stripes.column_at(page, slot))
    }

    /// Plane of a column of the superblock that holds this page.
    pub(crate) fn plane_of_column(&self, superblock: SuperblockId, column: u32) -> PlaneId {
        self.domains.planes(self.blocks.split(superblock).0)[column as usize]
    }

    /// Checked mode: no logical page lies where parity belongs, and nothing is half made.
    pub(crate) fn audit_parity(&self, valid_at: impl Iterator<Item = Ppa>) -> Result<(), String> {
        let Some(redundancy) = &self.redundancy else { return Ok(()) };
        if let Some(ppa) =
            valid_at.into_iter().find(|&ppa| redundancy.stripes.holds_parity(&self.geometry, ppa))
        {
            return Err(format!("a logical page is mapped to {ppa:?}, a place of parity"));
        }
        if !redundancy.ready.is_empty() || !redundancy.rebuilds.is_at_rest() {
            return Err("parity or a rebuilt read is still under way although the drive is at rest".into());
        }
        for number in 0..self.blocks.len() as u32 {
            let superblock = SuperblockId(number);
            if self.blocks.state(superblock) == BlockState::Free
                && redundancy.rows.programmed(superblock.index(), 0).unwrap_or(0) > 0
            {
                return Err(format!("{superblock:?} is free, but its first row counts as programmed"));
            }
        }
        Ok(())
    }
}

/// Nothing more goes into the program unit that begins here. With the last of a row, its parity is made.
#[inline]
pub(crate) fn unit_is_final<A: AboveFtl>(above: &mut A, place: Ppa) {
    if above.ftl().redundancy.is_some() {
        note_final(above, place, true);
    }
}

fn note_final<A: AboveFtl>(above: &mut A, place: Ppa, timed: bool) {
    let (superblock, row) = above.ftl().row_of(place);
    let Some(redundancy) = &mut above.ftl_mut().redundancy else { return };
    if redundancy.rows.note_final(superblock.index(), row) < redundancy.stripes.data_planes() {
        return;
    }
    make_parity_of_row(above, superblock, row, timed);
}

/// A write point's superblock is closed before it is full: the parity of the row that was begun is made of what the row
/// holds, the rest of it counting as zeros.
pub(crate) fn end_row_early<A: AboveFtl>(above: &mut A, domain: DomainId, number: usize) {
    if above.ftl().redundancy.is_none() {
        return;
    }
    let point = &above.ftl().domain[domain.index()].points[number];
    let (superblock, page, place) = (point.superblock, point.row(), point.place);
    if point.open_unit != NONE {
        unit_is_final(above, place);
    }
    let ftl = above.ftl_mut();
    let Some(redundancy) = &mut ftl.redundancy else { return };
    let (row, data) = (page / ftl.geometry.pages_per_program, redundancy.stripes.data_planes());
    let full = redundancy.rows.filled(superblock.index(), row).is_some_and(|filled| filled >= data);
    if !full && redundancy.rows.leave_out_rest(superblock.index(), row, data) {
        make_parity_of_row(above, superblock, row, true);
    }
    queue_parity(above);
}

fn make_parity_of_row<A: AboveFtl>(above: &mut A, superblock: SuperblockId, row: u32, timed: bool) {
    let (domain, block) = above.ftl().blocks.split(superblock);
    let page = row * above.ftl().geometry.pages_per_program;
    let rows = above.ftl().geometry.pages_per_program.min(above.ftl().geometry.pages_per_block - page);
    for column in 0..above.ftl().domains.width() {
        let Some(redundancy) = &above.ftl().redundancy else { return };
        if redundancy.stripes.is_parity(page, column) {
            let plane = above.ftl().domains.planes(domain)[column as usize];
            let first = above.ftl().geometry.first_unit(plane, block, page);
            let units = rows << above.ftl().geometry.unit_shift;
            make_parity(above, superblock, first, units, row, timed);
        }
    }
}

fn make_parity<A: AboveFtl>(
    above: &mut A,
    superblock: SuperblockId,
    first: Ppa,
    units: u32,
    row: u32,
    timed: bool,
) {
    let mut head = NONE;
    for ppa in (first.0..first.0 + units).map(Ppa) {
        above.ftl_mut().oob.set(ppa, Lpa::PARITY);
        if !timed {
            continue;
        }
        let bytes = above.ftl().geometry.unit_bytes;
        let op = Op { bytes, ..Op::new(Class::ParityProgram, ppa) };
        let unit = new_op(above, op, Purpose::of(Lpa::NONE));
        if head == NONE {
            head = unit;
        } else {
            above.flash_mut().pool.chain(head, unit);
        }
    }
    let Some(redundancy) = &mut above.ftl_mut().redundancy else { return };
    if timed {
        redundancy.ready.push(head);
        above.ftl_mut().blocks.begin(superblock);
    } else {
        redundancy.rows.note_programmed(superblock.index(), row);
    }
}

/// Queues the parity that was made.
#[inline]
pub(crate) fn queue_parity<A: AboveFtl>(above: &mut A) {
    if above.ftl().redundancy.is_some() {
        let mut next = 0;
        while let Some(&head) =
            above.ftl().redundancy.as_ref().and_then(|redundancy| redundancy.ready.get(next))
        {
            submit(above, head);
            next += 1;
        }
        if let Some(redundancy) = &mut above.ftl_mut().redundancy {
            redundancy.ready.clear();
        }
    }
}

/// A program unit was filled without simulated time.
pub(crate) fn untimed_unit_done<A: AboveFtl>(above: &mut A, place: Ppa) {
    if above.ftl().redundancy.is_some() {
        note_final(above, place, false);
        above.ftl_mut().note_programmed(place);
    }
}
