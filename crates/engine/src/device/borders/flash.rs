//! What the flash asks the drive, and what it tells: the answers come from the FTL, the controller and the systems, the news go
//! to whoever is concerned and to the observers.

use crate::device::Device;
use wordline_base::class::Class;
use wordline_base::ids::{DieId, Ppa};
use wordline_base::time::Ns;
use wordline_flash::nand::CellMode;
use wordline_flash::nand::bit_errors::ReadOutcome;
use wordline_flash::sched::queue::OpId;
use wordline_flash::{Above, Count, Flash};
use wordline_ftl::work;

impl Above for Device {
    #[inline(always)]
    fn flash(&self) -> &Flash {
        &self.flash
    }

    #[inline(always)]
    fn flash_mut(&mut self) -> &mut Flash {
        &mut self.flash
    }

    #[inline(always)]
    fn cell_mode(&self, place: Ppa) -> CellMode {
        self.ftl.cell_mode(place)
    }

    fn erases(&self, place: Ppa) -> u32 {
        self.ftl.cycles_of_block(place)
    }

    fn waiting_writes(&self) -> u32 {
        self.controller.cache.waiting_writes()
    }

    fn is_open(&self, head: OpId) -> bool {
        self.ftl.is_open(head, self.flash.pool[head].ppa)
    }

    #[inline]
    fn stands(&mut self, head: OpId) -> bool {
        work::stands(self, head)
    }

    #[inline(always)]
    fn takes(&mut self, head: OpId) -> OpId {
        work::takes(self, head)
    }

    fn waits_for_plane(&mut self, die: DieId, head: OpId) -> OpId {
        work::waits_for_plane(self, die, head)
    }

    #[inline(always)]
    fn unit_begins(&mut self, unit: OpId) {
        work::unit_begins(self, unit);
    }

    #[inline(always)]
    fn program_begins(&mut self, head: OpId) {
        work::commit_program(self, head);
    }

    fn page_disturbed(&mut self, head: OpId, outcome: &ReadOutcome, worn: Option<u32>) {
        work::page_disturbed(self, head, worn);
        self.observers.recorder.disturb.reads += 1 + u64::from(outcome.retries);
        if outcome.uncorrectable {
            // Its readers are answered all the same; whatever else a drive does about it begins here.
            self.observers.recorder.disturb.page_lost(self.flash.pool[head].class);
        }
    }

    fn errors_met(&mut self, outcome: &ReadOutcome) {
        self.observers.recorder.disturb.page_read(outcome);
    }

    #[inline]
    fn page_read(&mut self, head: OpId, class: Class, die: Option<DieId>) {
        work::page_was_read(self, head, class, die);
    }

    #[inline(always)]
    fn programmed(&mut self, head: OpId, die: DieId) {
        work::program_ended(self, head, die);
    }

    fn erased(&mut self, head: OpId) {
        work::block_erased(self, head);
    }

    fn has_failed(&self) -> bool {
        self.observers.fault.is_some()
    }

    fn fail(&mut self, what: String) {
        Self::fail(self, what);
    }

    #[inline(always)]
    fn fetch_next(&self, class: Class, head: OpId) {
        if self.controller.cache.is_on() {
            // Behind a cache queues are long.
            Self::fetch_next(self, head);
        }
        if class.is_move() {
            self.fetch_entries_of(head);
        }
    }

    #[inline]
    fn fetch_moved(&self, head: OpId) {
        self.fetch_entries_of(head);
    }

    #[inline(always)]
    fn load_changes(&mut self, die: usize, before: u32, after: u32) {
        self.observers.recorder.load_changes(die, before, after, self.flash.now());
        self.observers.monitor.reads_change(die);
    }

    #[inline(always)]
    fn reads_change(&mut self, die: usize) {
        self.observers.monitor.reads_change(die);
    }

    #[inline(always)]
    fn queue_changes(&mut self, server: DieId, class: Class, taken: Option<OpId>) {
        self.observers.note_queue(&self.flash, server, class, taken);
    }

    #[inline(always)]
    fn command_begins(&mut self, server: DieId, class: Class, planes: u32) {
        self.observers.note_command(&self.flash, server, class, planes);
    }

    #[inline(always)]
    fn die_taken(&mut self, server: DieId, class: Option<Class>) {
        self.observers.tell_die((&self.flash, &self.ftl, &self.front), server, class);
    }

    #[inline(always)]
    fn watches_channels(&self) -> bool {
        self.observers.probe.is_some() || self.observers.monitor.chips.is_some()
    }

    fn channel_taken(&mut self, server: DieId, end: Ns, data: bool) {
        self.observers.tell_channel(&self.flash, server, end);
        self.observers.note_transfer(&self.flash, server, end, data);
    }

    #[inline(always)]
    fn cell_begins(&mut self, class: Class, head: OpId, page: u32) {
        self.observers.charge_cell((&self.flash, &self.ftl), class, head, page);
    }

    #[inline(always)]
    fn data_crosses(&mut self, class: Class, bytes: u32) {
        self.observers.charge_channel((&self.flash, &self.ftl), class, bytes);
    }

    fn array_goes_on(&mut self, server: DieId, from: Ns, until: Ns) {
        self.observers.note_array_works(&self.flash, server, from, until);
    }

    fn array_stops(&mut self, server: DieId, at: Ns, until: Ns) {
        self.observers.note_array_stops(&self.flash, server, at, until);
    }

    #[inline(always)]
    fn page_done(&mut self, server: DieId, class: Class, head: OpId) {
        self.observers.note_done((&self.flash, &self.ftl), server, class, head);
    }

    #[inline(always)]
    fn command_done(&mut self, class: Class, planes: u32, pages: u32) {
        self.observers.count_command(class, planes, pages);
    }

    #[inline(always)]
    fn count(&mut self, what: Count) {
        self.observers.count_of_flash(what);
    }
}
