//! Pages of the map: read for those who wait for them, written when the policy asks for it, and compared in checked mode
//! with the map that they are pages of.

use super::Device;
use super::ftl::Ftl;
use super::purposes::{For, Purpose};
use super::translate::Translation;
use crate::mapping::WriteBack;
use crate::placement::ProgramIntent;
use crate::sched::queue::{Fifo, Op, OpId};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{Lpa, PlaneId, Ppa};
use wordline_flash::work::submit;

/// What is done about a translation page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum Stage {
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
pub(super) struct Work {
    pub(super) page: u32,
    pub(super) stage: Stage,
    /// Whether it is to be programmed after this.
    pub(super) write: bool,
    /// Pages of requests that wait until it is here.
    pub(super) waiting: Fifo,
    /// Those that wait until it is programmed.
    pub(super) held: Fifo,
}

impl Translation {
    pub(super) fn work_of(&self, page: u32) -> Option<usize> {
        match self.work_plus_one.get(page as usize) {
            None | Some(0) => None,
            Some(work) => Some(*work as usize - 1),
        }
    }

    pub(super) fn begin(&mut self, page: u32, stage: Stage, write: bool) -> usize {
        let work = Work { page, stage, write, waiting: Fifo::default(), held: Fifo::default() };
        let number = match self.free.pop() {
            Some(number) => {
                self.works[number as usize] = work;
                number as usize
            }
            None => {
                self.works.push(work);
                self.works.len() - 1
            }
        };
        self.work_plus_one[page as usize] = number as u32 + 1;
        number
    }

    fn end(&mut self, number: usize) {
        self.work_plus_one[self.works[number].page as usize] = 0;
        self.free.push(number as u32);
    }
}

impl Ftl {
    /// The program of a translation page begins: its entries are what they are now.
    pub(super) fn map_page_stored(&mut self, lpa: Lpa) {
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
    pub(super) fn audit_translation(&self) -> Result<(), String> {
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

impl Device {
    /// A read of a translation page, which is at `place`, for all that wait for it, or for one look-up: its operation's number
    /// and one more, else 0.
    pub(super) fn new_map_read(&mut self, page: u32, place: Ppa, only: u32) -> OpId {
        let op = Op { bytes: self.ftl.translation.page_bytes, ..Op::new(Class::MapRead, place) };
        self.new_op(op, Purpose { whose: For::Map, tag: only, ..Purpose::of(self.ftl.map_page(page)) })
    }

    /// Programs a page of the map; `plane` where it goes together with others.
    fn program_map_page(&mut self, page: u32, plane: Option<PlaneId>) {
        let counters = &mut self.observers.recorder.mapping;
        if page < self.ftl.translation.sizes.translation_pages {
            counters.write_backs += 1;
        } else {
            counters.journal_writes += 1;
        }
        let point = self.ftl.points.of(Cause::Mapping);
        let purpose = Purpose { whose: For::Map, point, ..Purpose::of(self.ftl.map_page(page)) };
        let id = self.new_op(Op::new(Class::MapProgram, Ppa::NONE), purpose);
        match plane {
            Some(plane) => self.program_on(plane, id),
            None => self.program_anywhere(id),
        }
    }

    /// The plane of pages of the map that are programmed together. The groups are dealt out as flash pages of as many addresses
    /// would be.
    fn place_group(&mut self, group: u32) -> PlaneId {
        let lpa = self.ftl.map_page(group * self.geometry.units_per_page());
        self.place(&ProgramIntent { cause: Cause::Mapping, ..ProgramIntent::host(lpa, 0) })
    }

    /// A translation page was read: serves those who wait for it, and programs it if it has changed.
    pub(super) fn map_page_read(&mut self, unit: OpId) {
        let page = self.ftl.purposes[unit].lpa.0 - self.ftl.logical_units;
        // The look-up that this read is for alone, if any.
        let only = self.ftl.purposes[unit].tag;
        self.flash.pool.remove(unit);
        if only > 0 {
            return self.page_is_here(only - 1, page);
        }
        let Some(number) = self.ftl.translation.work_of(page) else {
            return self.fail(format!("page {page} of the map was read, and nobody asked for it"));
        };
        let work = &mut self.ftl.translation.works[number];
        work.stage = Stage::Here;
        let mut waiting = std::mem::take(&mut work.waiting);
        while !waiting.is_empty() {
            let id = waiting.pop(&mut self.flash.pool);
            self.page_is_here(id, page);
        }
        let work = &mut self.ftl.translation.works[number];
        if work.write {
            (work.write, work.stage) = (false, Stage::Programming);
            self.program_map_page(page, None);
        } else {
            self.ftl.translation.end(number);
        }
    }

    /// Begins to write what the policy asked for; returns the last of these pages.
    pub(super) fn write_back(&mut self) -> Option<u32> {
        let sizes = self.ftl.translation.sizes;
        let (mut last, mut together) = (None, None);
        let mut next = 0;
        while let Some(&WriteBack { page, whole }) = self.ftl.translation.writes.get(next) {
            next += 1;
            if page >= sizes.map_pages() {
                let pages = sizes.map_pages();
                self.fail(format!("the mapping asked to write translation page {page} of {pages}"));
                break;
            }
            if sizes.pages_together > 1 {
                let group = sizes.group_of(page);
                let placed = together.filter(|&(placed, _)| placed == group);
                together = placed.or_else(|| Some((group, self.place_group(group))));
            }
            self.write_page_back(page, whole, together.map(|(_, plane)| plane));
            last = Some(page);
        }
        self.ftl.translation.writes.clear();
        last
    }

    fn write_page_back(&mut self, page: u32, whole: bool, plane: Option<PlaneId>) {
        let Some(number) = self.ftl.translation.work_of(page) else {
            let place = self.ftl.lookup(self.ftl.map_page(page));
            if whole || !place.is_some() {
                self.ftl.translation.begin(page, Stage::Programming, false);
                return self.program_map_page(page, plane);
            }
            self.ftl.translation.begin(page, Stage::Reading, true);
            self.observers.recorder.mapping.write_back_reads += 1;
            let read = self.new_map_read(page, place, 0);
            return submit(self, read);
        };
        let work = &mut self.ftl.translation.works[number];
        // A program that waits takes along what has changed until it begins.
        work.write |= work.stage != Stage::Programming;
    }

    /// It has ended.
    pub(super) fn map_page_programmed(&mut self, lpa: Lpa) {
        let page = lpa.0 - self.ftl.logical_units;
        let Some(number) = self.ftl.translation.work_of(page) else {
            return self.fail(format!("page {page} of the map was programmed, and nobody asked for it"));
        };
        let work = &mut self.ftl.translation.works[number];
        let mut held = std::mem::take(&mut work.held);
        if work.write {
            (work.write, work.stage) = (false, Stage::Programming);
            self.program_map_page(page, None);
        } else {
            self.ftl.translation.end(number);
        }
        while !held.is_empty() {
            let id = held.pop(&mut self.flash.pool);
            self.end_translation_wait(id);
            self.go_on(id);
        }
    }

    /// Writes the translation pages of what the drive holds, and a journal that has gone round, without simulated time.
    pub(crate) fn store_map(&mut self) {
        let (all, sizes) = (self.ftl.translation.stores_all, self.ftl.translation.sizes);
        if self.ftl.mapped_units == 0 && !all {
            return;
        }
        for page in 0..sizes.map_pages() {
            let (first, end) = sizes.entries(page);
            let is_journal = page >= sizes.translation_pages;
            if all || is_journal || (first..end).any(|lpa| self.ftl.is_mapped(Lpa(lpa))) {
                self.write_untimed_for(self.ftl.map_page(page), Cause::Mapping);
            }
        }
    }

    /// Before the first request the map on flash is complete.
    pub(crate) fn note_map_on_flash(&mut self) {
        if self.ftl.translation.on_flash.is_some() {
            (0..self.ftl.translation.sizes.translation_pages)
                .for_each(|page| self.ftl.note_page_on_flash(page));
        }
    }

    /// Checked mode: an entry that is loaded must be what the map on flash has, unless a newer one is in DRAM.
    pub(super) fn compare_with_flash(&mut self, lpa: Lpa, page: u32) {
        let Some(entries) = &self.ftl.translation.on_flash else { return };
        let policy = self.ftl.translation.policy.get();
        let work = self.ftl.translation.work_of(page).map(|number| self.ftl.translation.works[number]);
        let coming = work.is_some_and(|work| work.write || work.stage == Stage::Programming);
        let (on_flash, truth) = (entries[lpa.index()], self.ftl.lookup(lpa));
        if on_flash != truth && !coming && policy.keeps_map_on_flash() && !policy.is_dirty(lpa) {
            self.fail(format!("the map on flash has {lpa:?} at {on_flash:?}, but it is at {truth:?}"));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use crate::run::Setup;
    use wordline_config::run::{Occupancy, StartConfig};
    use wordline_config::{HostConfig, Layer, MeasureConfig, WindowConfig, resolve_run};

    #[test]
    fn a_prepared_drive_has_a_journal_that_has_gone_round_and_an_empty_one_has_none() {
        let text = include_str!("../../../../presets/devices/mqsim.toml");
        let keys = [
            ("device.geometry.channels", "1"),
            ("device.geometry.ways", "1"),
            ("device.geometry.dies", "1"),
            ("device.geometry.blocks", "64"),
            ("device.capacity.overprovisioning", "0.3"),
            ("scheme.mapping.policy", "journaled"),
        ];
        let keys = keys.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let layer = |text| Layer::from_toml("test", text).unwrap();
        let (device, scheme) = resolve_run(&layer(text), &layer(""), &keys).unwrap();
        for occupancy in [Occupancy::All, Occupancy::None] {
            let setup = Setup {
                device: device.clone(),
                scheme: scheme.clone(),
                host: HostConfig::default(),
                start: StartConfig { occupancy, ..StartConfig::default() },
                window: WindowConfig::default(),
                measure: MeasureConfig::default(),
                seed: 1,
                checked: true,
                pattern: None,
            };
            let drive = setup.prepare(&[]).unwrap();
            let sizes = drive.ftl.translation.sizes;
            assert!(sizes.translation_pages > 1 && sizes.journal_pages > 1);
            let stored =
                (0..sizes.map_pages()).filter(|&page| drive.ftl.is_mapped(drive.ftl.map_page(page))).count();
            let expected = if occupancy == Occupancy::All { sizes.map_pages() } else { 0 };
            assert_eq!(stored as u32, expected);
            assert!(drive.audit().is_ok());
        }
    }
}
