//! What is recorded beside the totals: the time series, the samples, energy, erase counts by resource.

use serde::{Deserialize, Serialize};
use wordline_flash::Flash;
use wordline_flash::work;
use wordline_ftl::blocks::BlockTable;

use super::Device;
use super::known_reads::KnownReads;
use crate::sched::queue::{Op, OpId};
use crate::stats::chips::ChipRecorder;
use crate::stats::collisions::{Ahead, CollisionProbe, Place};
use crate::stats::energy::BesideFlash;
use crate::stats::measured::EraseSpan;
use crate::stats::report::Report;
use crate::stats::samples::DieState;
use crate::stats::series::{Moment, Work};
use crate::stats::table::{Column, Table};
use crate::stats::timed::{Timed, Watched};
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::{DieId, DomainId, PlaneId, SuperblockId};
use wordline_base::time::Ns;
use wordline_config::MeasureConfig;

/// The recorders that can be on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Monitor {
    /// One of them must look at the state before time passes this.
    pub due: Ns,
    config: MeasureConfig,
    pub timed: Timed,
    pub chips: Option<Box<ChipRecorder>>,
    collisions: Option<Box<CollisionProbe>>,
    #[serde(skip)]
    reads: KnownReads,
}

impl Default for Monitor {
    fn default() -> Self {
        Self {
            due: Ns::NEVER,
            config: MeasureConfig::default(),
            timed: Timed::default(),
            chips: None,
            collisions: None,
            reads: KnownReads::default(),
        }
    }
}

impl Monitor {
    /// Whether it wants to see the host's reads.
    pub fn records_reads(&self) -> bool {
        self.config.collisions
    }

    /// The reads of the host at a die change, or may.
    #[inline(always)]
    pub fn reads_change(&mut self, die: usize) {
        if self.records_reads() {
            self.reads.changes(die);
        }
    }

    /// Whether the result has a row for each reclaim.
    pub fn keeps_reclaims(&self) -> bool {
        self.config.reclaims
    }

    fn set_due(&mut self) {
        let collisions = self.collisions.as_ref().map_or(Ns::NEVER, |probe| probe.next());
        self.due = self.timed.due().min(collisions);
    }
}

/// One row for each superblock.
fn block_rows(blocks: &BlockTable) -> Table {
    let superblocks = || (0..blocks.len() as u32).map(SuperblockId);
    let numbers = |of: &dyn Fn(SuperblockId) -> u32| Column::U32(superblocks().map(of).collect());
    let state = |id| snake_case(&format!("{:?}", blocks.state(id)));
    let mut table = Table::default();
    table.add("superblock", numbers(&|id| id.0));
    table.add("domain", numbers(&|id| blocks.split(id).0.0));
    table.add("block", numbers(&|id| blocks.split(id).1));
    table.add("state", Column::Text(superblocks().map(state).collect()));
    table.add("valid_units", numbers(&|id| blocks.valid(id)));
    table.add("erases", Column::U32(blocks.erase_counts().to_vec()));
    table
}

impl Device {
    /// Records from now on what `config` asks for; samples begin with the window. For a drive at rest.
    pub fn measure(&mut self, config: &MeasureConfig) {
        let timed = Timed::begin(config, self, self.flash.now());
        let (dies, dies_per_chip) = (self.geometry.dies(), self.geometry.dies_per_chip);
        let chips = config.chips.then(|| Box::new(ChipRecorder::new(dies, dies_per_chip, self.flash.now())));
        self.observers.monitor = Monitor { config: config.clone(), timed, chips, ..Monitor::default() };
        if config.collisions {
            self.systems.watch_reads_for_recorder();
        }
        self.observers.monitor.set_due();
    }

    /// Takes in what held until `time`, which comes now. A no-op unless `time` is beyond [`Monitor::due`].
    #[inline(always)]
    pub(super) fn note_time(&mut self, time: Ns) {
        if time > self.observers.monitor.due {
            self.look_back(time);
        }
    }

    #[cold]
    fn look_back(&mut self, time: Ns) {
        let mut monitor = std::mem::take(&mut self.observers.monitor);
        monitor.timed.look_back(time, self);
        if let Some(probe) = &mut monitor.collisions {
            monitor.reads.refresh(self);
            probe.take(time, self.flash.loads(), |die| monitor.reads.at(die));
        }
        monitor.set_due();
        self.observers.monitor = monitor;
    }

    /// A read of the host was issued to its die: the recorder of collisions looks at it.
    pub(super) fn note_read(&mut self, unit: OpId) {
        let Some(mut probe) = self.observers.monitor.collisions.take() else { return };
        let mut known = std::mem::take(&mut self.observers.monitor.reads);
        known.refresh(self);
        let ppa = self.flash.pool[unit].ppa;
        let die = self.geometry.die_at(ppa).0;
        // One that is rebuilt from parity isn't there.
        let mut there = Vec::new();
        if known.with_last(die.index(), ppa, &mut there) {
            let server = self.flash.read_server(ppa);
            let running = work::running(self, server).map(|(class, _)| class.op());
            let place = |kind| match running == Some(kind) {
                true => Some(Place::Running),
                false => self.flash.waits_ahead(die, kind).then_some(Place::Queued),
            };
            let ahead = Ahead { program: place(FlashOp::Program), erase: place(FlashOp::Erase) };
            probe.issued(die.index(), &there, self.flash.loads(), known.total(), ahead);
        }
        (self.observers.monitor.collisions, self.observers.monitor.reads) = (Some(probe), known);
    }

    /// The window opens at `now`: the recorder is about to forget what it counted.
    pub(super) fn window_opens(&mut self, now: Ns) {
        self.note_time(now);
        let mut monitor = std::mem::take(&mut self.observers.monitor);
        monitor.timed.window_opens(now, self);
        let wants = monitor.config.collisions;
        monitor.collisions = wants.then(|| {
            Box::new(CollisionProbe::begin(now, self.flash.loads().len(), monitor.config.sample_ns))
        });
        if let Some(chips) = &mut monitor.chips {
            chips.restart(now);
        }
        monitor.set_due();
        self.observers.monitor = monitor;
    }

    /// Charges the cell array's energy of the flash page or block of a head, and that of a program's data.
    #[inline(always)]
    pub(super) fn charge_cell(&mut self, class: Class, head: OpId, page: u32) {
        if self.observers.energy.is_some() {
            self.charge_known_cell(class, head, page);
        }
    }

    #[cold]
    fn charge_known_cell(&mut self, class: Class, head: OpId, page: u32) {
        let mode = self.ftl.cell_mode(self.flash.pool[head].ppa);
        let at_once = if class.op() == FlashOp::Program { self.geometry.pages_at_once(mode) } else { 1 };
        let first = page - page % at_once;
        let Some(energy) = &self.observers.energy else { return };
        for page in first..first + at_once {
            self.observers.recorder.energy.add_cell(class, energy.cell(class.op(), page, mode));
        }
        if class.op() != FlashOp::Program {
            return;
        }
        let Op { copyback, source, .. } = self.flash.pool[head];
        if copyback {
            let read = self.geometry.place(source).page;
            return self.observers.recorder.energy.add_cell(class, energy.cell(FlashOp::Read, read, mode));
        }
        let flash_page = |unit: OpId| self.flash.pool[unit].ppa.0 >> self.geometry.unit_shift;
        let on_channel =
            |bytes: u32| self.flash.timing().bytes_on_channel(bytes.min(self.geometry.page_bytes));
        let (mut moved, mut bytes, mut current) = (0, 0u32, flash_page(head));
        for unit in self.flash.pool.units(head) {
            if flash_page(unit) != current {
                moved += on_channel(bytes);
                (current, bytes) = (flash_page(unit), 0);
            }
            bytes = bytes.saturating_add(self.flash.pool[unit].bytes);
        }
        self.observers.recorder.energy.add_channel(class, energy.channel(moved + on_channel(bytes)));
    }

    /// Charges the energy of `bytes` of a flash page on the channel.
    #[inline(always)]
    pub(super) fn charge_channel(&mut self, class: Class, bytes: u32) {
        if let Some(energy) = &self.observers.energy {
            let moved = self.flash.timing().bytes_on_channel(bytes.min(self.geometry.page_bytes));
            self.observers.recorder.energy.add_channel(class, energy.channel(moved));
        }
    }

    /// What a drive like this used beside its flash for what this report has; `None` when it knows no energy.
    pub(crate) fn beside_flash(&self, report: &Report) -> Option<BesideFlash> {
        let answered = [&report.read, &report.write, &report.trim, &report.flush];
        let requests = answered.iter().map(|kind| kind.requests).sum();
        let bytes = report.read.bytes + report.write.bytes;
        let window = Ns(report.window.end_ns.saturating_sub(report.window.start_ns));
        Some(self.observers.energy.as_ref()?.beside_flash(window, requests, bytes))
    }

    /// Fills in what is recorded beside the totals.
    pub(super) fn report_monitor(&self, report: &mut Report) {
        report.energy = self.beside_flash(report).map(|beside| self.observers.recorder.energy.report(beside));
        self.observers.monitor.timed.report(self.flash.now(), self, self.geometry.page_bytes, report);
        report.collisions = self.observers.monitor.collisions.as_ref().map(|probe| probe.report());
        if let Some(chips) = &self.observers.monitor.chips {
            report.chips = chips.report(self.flash.now());
        }
        if self.observers.monitor.config.block_table {
            report.tables.blocks = Some(block_rows(self.ftl.blocks()));
        }
        self.report_erases(report);
    }

    fn report_erases(&self, report: &mut Report) {
        let (mut dies, mut channels) = (vec![EraseSpan::EMPTY; self.flash.dies().len()], Vec::new());
        channels.resize(self.flash.channels().len(), EraseSpan::EMPTY);
        let by_domain: Vec<EraseSpan> = (0..self.ftl.domains().len() as u32)
            .map(|domain| EraseSpan::of(self.ftl.blocks().view(DomainId(domain)).erases))
            .collect();
        for plane in (0..self.geometry.planes()).map(PlaneId) {
            let erases = by_domain[self.ftl.domains().of(plane).index()];
            let die = self.geometry.die_of(plane).0.index();
            dies[die].merge(&erases);
            channels[self.flash.channel_of(DieId(die as u32)) as usize].merge(&erases);
        }
        for (die, erases) in report.dies.iter_mut().zip(dies) {
            die.erases = erases;
        }
        for (channel, erases) in report.channels.iter_mut().zip(channels) {
            channel.erases = erases;
        }
    }
}

impl Watched for Device {
    fn moment(&self, now: Ns) -> Moment<'_> {
        let work = Work { recorder: &self.observers.recorder, outstanding: self.flash.loads() };
        Moment { now, works: vec![work] }
    }

    fn free_superblocks(&self) -> u32 {
        self.ftl.blocks().free()
    }

    fn take_lowest_free(&mut self) -> u32 {
        self.ftl.take_lowest_free()
    }

    fn lowest_free(&self) -> u32 {
        self.ftl.blocks().lowest_free()
    }

    fn dies(&self) -> impl Iterator<Item = DieState> + Clone {
        (0..self.flash.loads().len() as u32).map(|die| die_state(&self.flash, DieId(die)))
    }

    fn channels(&self) -> impl Iterator<Item = Ns> + Clone {
        self.flash.channels().iter().map(|channel| channel.free_at)
    }
}

fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// A die and its second server or those of its planes, if it has any, together.
fn die_state(flash: &Flash, die: DieId) -> DieState {
    let outstanding = flash.loads()[die.index()];
    let (reads, busy) = flash.reads_of(die);
    debug_assert!(reads <= outstanding, "reads of a die are among its commands");
    DieState { outstanding, reads, busy }
}
