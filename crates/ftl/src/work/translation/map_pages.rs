//! Pages of the map: read for those who wait for them, written when the policy asks for it, and compared in checked mode
//! with the map that they are pages of.

use crate::mapping::WriteBack;
use crate::placement::ProgramIntent;
use crate::work::above::AboveFtl;
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::preparation::places::write_untimed_for;
use crate::work::purposes::new_op;
use crate::work::purposes::{For, Purpose};
use crate::work::translation::look_ups::Translation;
use crate::work::translation::look_ups::{end_translation_wait, go_on, page_is_here};
use crate::work::writes::places::place;
use crate::work::writes::program::{program_anywhere, program_on};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{Lpa, PlaneId, Ppa};
use wordline_base::slab;
use wordline_flash::sched::queue::{Fifo, Op, OpId};
use wordline_flash::work::submit;

/// What is done about a translation page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Stage {
    /// It is being read.
    Reading,
    /// It was read, and those who waited are served.
    Here,
    /// Its program waits.
    Programming,
    /// Its program has begun: what changes now is not in it.
    Programmed,
}

/// A translation page that is read or programmed.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Work {
    pub(crate) page: u32,
    pub(crate) stage: Stage,
    /// Whether it is to be programmed after this.
    pub(crate) write: bool,
    /// Pages of requests that wait until it is here.
    pub(crate) waiting: Fifo,
    /// Those that wait until it is programmed.
    pub(crate) held: Fifo,
}

impl Translation {
    pub(crate) fn work_of(&self, page: u32) -> Option<usize> {
        match self.work_plus_one.get(page as usize) {
            None | Some(0) => None,
            Some(work) => Some(*work as usize - 1),
        }
    }

    pub(crate) fn begin(&mut self, page: u32, stage: Stage, write: bool) -> usize {
        let work = Work { page, stage, write, waiting: Fifo::default(), held: Fifo::default() };
        let number = slab::insert(&mut self.works, &mut self.free, work);
        self.work_plus_one[page as usize] = number + 1;
        number as usize
    }

    fn end(&mut self, number: usize) {
        self.work_plus_one[self.works[number].page as usize] = 0;
        self.free.push(number as u32);
    }
}

impl Ftl {
    /// The program of a translation page begins: its entries are what they are now.
    pub(crate) fn map_page_stored(&mut self, lpa: Lpa) {
        let page = lpa.0 - self.logical_units;
        if let Some(number) = self.translation.work_of(page) {
            self.translation.works[number].stage = Stage::Programmed;
        }
        self.note_page_on_flash(page);
    }

    fn note_page_on_flash(&mut self, page: u32) {
        let Some(mut entries) = self.translation.on_flash.take() else { return };
        let (first, end) = self.translation.sizes.entries(page);
        for (lpa, entry) in (first..end).zip(entries.iter_mut().skip(first as usize)) {
            *entry = self.lookup(Lpa(lpa));
        }
        self.translation.on_flash = Some(entries);
    }

    /// Audits the map on flash: every entry is there, or newer in DRAM.
    pub(crate) fn audit_translation(&self) -> Result<(), String> {
        let translation = &self.translation;
        if translation.works.len() != translation.free.len() {
            return Err("a translation page is under way although the drive is at rest".into());
        }
        let Some(entries) = &translation.on_flash else { return Ok(()) };
        let policy = translation.policy.get();
        if !policy.keeps_map_on_flash() {
            return Ok(());
        }
        for (&on_flash, lpa) in entries.iter().zip(0..) {
            let (lpa, truth) = (Lpa(lpa), self.lookup(Lpa(lpa)));
            if on_flash != truth && !policy.is_dirty(lpa) {
                return Err(format!("the map on flash has {lpa:?} at {on_flash:?}, but it is at {truth:?}"));
            }
        }
        Ok(())
    }
}

impl Ftl {
    /// Before the first request the map on flash is complete.
    pub fn note_map_on_flash(&mut self) {
        if self.translation.on_flash.is_some() {
            (0..self.translation.sizes.translation_pages).for_each(|page| self.note_page_on_flash(page));
        }
    }
}

/// A read of a translation page, which is at `place`, for all that wait for it, or for one look-up: its operation's number
/// and one more, else 0.
pub(crate) fn new_map_read<A: AboveFtl>(above: &mut A, page: u32, place: Ppa, only: u32) -> OpId {
    let op = Op { bytes: above.ftl().translation.page_bytes, ..Op::new(Class::MapRead, place) };
    let purpose = Purpose { whose: For::Map, tag: only, ..Purpose::of(above.ftl().map_page(page)) };
    new_op(above, op, purpose)
}

/// Programs a page of the map; `plane` where it goes together with others.
fn program_map_page<A: AboveFtl>(above: &mut A, page: u32, plane: Option<PlaneId>) {
    let journal = page >= above.ftl().translation.sizes.translation_pages;
    above.counted(Counted::MapWrite { journal });
    let point = above.ftl().points.of(Cause::Mapping);
    let purpose = Purpose { whose: For::Map, point, ..Purpose::of(above.ftl().map_page(page)) };
    let id = new_op(above, Op::new(Class::MapProgram, Ppa::NONE), purpose);
    match plane {
        Some(plane) => program_on(above, plane, id),
        None => program_anywhere(above, id),
    }
}

/// The plane of pages of the map that are programmed together. The groups are dealt out as flash pages of as many addresses
/// would be.
fn place_group<A: AboveFtl>(above: &mut A, group: u32) -> PlaneId {
    let lpa = above.ftl().map_page(group * above.ftl().geometry.units_per_page());
    place(above, &ProgramIntent { cause: Cause::Mapping, ..ProgramIntent::host(lpa, 0) })
}

/// A translation page was read: serves those who wait for it, and programs it if it has changed.
pub(crate) fn map_page_read<A: AboveFtl>(above: &mut A, unit: OpId) {
    let page = above.ftl().purposes[unit].lpa.0 - above.ftl().logical_units;
    // The look-up that this read is for alone, if any.
    let only = above.ftl().purposes[unit].tag;
    above.flash_mut().pool.remove(unit);
    if only > 0 {
        return page_is_here(above, only - 1, page);
    }
    let Some(number) = above.ftl().translation.work_of(page) else {
        return above.fail(format!("page {page} of the map was read, and nobody asked for it"));
    };
    let work = &mut above.ftl_mut().translation.works[number];
    work.stage = Stage::Here;
    let mut waiting = std::mem::take(&mut work.waiting);
    while !waiting.is_empty() {
        let id = waiting.pop(&mut above.flash_mut().pool);
        page_is_here(above, id, page);
    }
    let work = &mut above.ftl_mut().translation.works[number];
    if work.write {
        (work.write, work.stage) = (false, Stage::Programming);
        program_map_page(above, page, None);
    } else {
        above.ftl_mut().translation.end(number);
    }
}

/// Begins to write what the policy asked for; returns the last of these pages.
pub(crate) fn write_back<A: AboveFtl>(above: &mut A) -> Option<u32> {
    let sizes = above.ftl().translation.sizes;
    let (mut last, mut together) = (None, None);
    let mut next = 0;
    while let Some(&WriteBack { page, whole }) = above.ftl().translation.writes.get(next) {
        next += 1;
        if page >= sizes.map_pages() {
            let pages = sizes.map_pages();
            above.fail(format!("the mapping asked to write translation page {page} of {pages}"));
            break;
        }
        if sizes.pages_together > 1 {
            let group = sizes.group_of(page);
            let placed = together.filter(|&(placed, _)| placed == group);
            together = placed.or_else(|| Some((group, place_group(above, group))));
        }
        write_page_back(above, page, whole, together.map(|(_, plane)| plane));
        last = Some(page);
    }
    above.ftl_mut().translation.writes.clear();
    last
}

fn write_page_back<A: AboveFtl>(above: &mut A, page: u32, whole: bool, plane: Option<PlaneId>) {
    let Some(number) = above.ftl().translation.work_of(page) else {
        let place = above.ftl().lookup(above.ftl().map_page(page));
        if whole || !place.is_some() {
            above.ftl_mut().translation.begin(page, Stage::Programming, false);
            return program_map_page(above, page, plane);
        }
        above.ftl_mut().translation.begin(page, Stage::Reading, true);
        above.counted(Counted::MapWriteBackRead);
        let read = new_map_read(above, page, place, 0);
        return submit(above, read);
    };
    let work = &mut above.ftl_mut().translation.works[number];
    // A program that waits takes along what has changed until it begins.
    work.write |= work.stage != Stage::Programming;
}

/// It has ended.
pub(crate) fn map_page_programmed<A: AboveFtl>(above: &mut A, lpa: Lpa) {
    let page = lpa.0 - above.ftl().logical_units;
    let Some(number) = above.ftl().translation.work_of(page) else {
        return above.fail(format!("page {page} of the map was programmed, and nobody asked for it"));
    };
    let work = &mut above.ftl_mut().translation.works[number];
    let mut held = std::mem::take(&mut work.held);
    if work.write {
        (work.write, work.stage) = (false, Stage::Programming);
        program_map_page(above, page, None);
    } else {
        above.ftl_mut().translation.end(number);
    }
    while !held.is_empty() {
        let id = held.pop(&mut above.flash_mut().pool);
        end_translation_wait(above, id);
        go_on(above, id);
    }
}

/// Writes the translation pages of what the drive holds, and a journal that has gone round, without simulated time.
pub fn store_map<A: AboveFtl>(above: &mut A) {
    let (all, sizes) = (above.ftl().translation.stores_all, above.ftl().translation.sizes);
    if above.ftl().mapped_units == 0 && !all {
        return;
    }
    for page in 0..sizes.map_pages() {
        let (first, end) = sizes.entries(page);
        let is_journal = page >= sizes.translation_pages;
        if all || is_journal || (first..end).any(|lpa| above.ftl().is_mapped(Lpa(lpa))) {
            let lpa = above.ftl().map_page(page);
            write_untimed_for(above, lpa, Cause::Mapping);
        }
    }
}

/// Checked mode: an entry that is loaded must be what the map on flash has, unless a newer one is in DRAM.
pub(crate) fn compare_with_flash<A: AboveFtl>(above: &mut A, lpa: Lpa, page: u32) {
    let Some(entries) = &above.ftl().translation.on_flash else { return };
    let policy = above.ftl().translation.policy.get();
    let work = above.ftl().translation.work_of(page).map(|number| above.ftl().translation.works[number]);
    let coming = work.is_some_and(|work| work.write || work.stage == Stage::Programming);
    let (on_flash, truth) = (entries[lpa.index()], above.ftl().lookup(lpa));
    if on_flash != truth && !coming && policy.keeps_map_on_flash() && !policy.is_dirty(lpa) {
        above.fail(format!("the map on flash has {lpa:?} at {on_flash:?}, but it is at {truth:?}"));
    }
}
