//! What is recorded beside the totals: the time series, the samples, the read collisions.

use wordline_flash::work;

use super::around::AroundObservers;
use super::blocks::{block_rows, report_erases};
use super::monitor::Monitor;
use crate::sched::queue::OpId;
use crate::stats::chips::ChipRecorder;
use crate::stats::collisions::{Ahead, CollisionProbe, Place};
use crate::stats::report::Report;
use crate::stats::timed::Timed;
use wordline_base::class::FlashOp;
use wordline_base::time::Ns;
use wordline_config::MeasureConfig;

/// Records from now on what `config` asks for; samples begin with the window. For a drive at rest.
pub(crate) fn measure<A: AroundObservers>(around: &mut A, config: &MeasureConfig) {
    let now = around.flash().now();
    let timed = Timed::begin(config, around, now);
    let geometry = around.ftl().geometry();
    let (dies, dies_per_chip) = (geometry.dies(), geometry.dies_per_chip);
    let chips = config.chips.then(|| Box::new(ChipRecorder::new(dies, dies_per_chip, now)));
    let mut monitor = Monitor { config: config.clone(), timed, chips, ..Monitor::default() };
    monitor.set_due();
    around.observers_mut().monitor = monitor;
}

/// Takes in what held until `time`, which comes now. A no-op unless `time` is beyond [`Monitor::due`].
#[inline(always)]
pub(crate) fn note_time<A: AroundObservers>(around: &mut A, time: Ns) {
    if time > around.observers().monitor.due {
        look_back(around, time);
    }
}

#[cold]
fn look_back<A: AroundObservers>(around: &mut A, time: Ns) {
    let mut monitor = std::mem::take(&mut around.observers_mut().monitor);
    monitor.timed.look_back(time, around);
    if let Some(probe) = &mut monitor.collisions {
        monitor.reads.refresh(around);
        probe.take(time, around.flash().loads(), |die| monitor.reads.at(die));
    }
    monitor.set_due();
    around.observers_mut().monitor = monitor;
}

/// A read of the host was issued to its die: the recorder of collisions looks at it.
pub(crate) fn note_read<A: AroundObservers>(around: &mut A, unit: OpId) {
    let monitor = &mut around.observers_mut().monitor;
    let Some(mut probe) = monitor.collisions.take() else { return };
    let mut known = std::mem::take(&mut monitor.reads);
    known.refresh(around);
    let flash = around.flash();
    let ppa = flash.pool[unit].ppa;
    let die = around.ftl().geometry().die_at(ppa).0;
    // One that is rebuilt from parity isn't there.
    let mut there = Vec::new();
    if known.with_last(die.index(), ppa, &mut there) {
        let server = flash.read_server(ppa);
        let running = work::running(around, server).map(|(class, _)| class.op());
        let place = |kind| match running == Some(kind) {
            true => Some(Place::Running),
            false => flash.waits_ahead(die, kind).then_some(Place::Queued),
        };
        let ahead = Ahead { program: place(FlashOp::Program), erase: place(FlashOp::Erase) };
        probe.issued(die.index(), &there, flash.loads(), known.total(), ahead);
    }
    let monitor = &mut around.observers_mut().monitor;
    (monitor.collisions, monitor.reads) = (Some(probe), known);
}

/// The window opens at `now`: the recorder is about to forget what it counted.
pub(crate) fn window_opens<A: AroundObservers>(around: &mut A, now: Ns) {
    note_time(around, now);
    let mut monitor = std::mem::take(&mut around.observers_mut().monitor);
    monitor.timed.window_opens(now, around);
    let wants = monitor.config.collisions;
    monitor.collisions = wants.then(|| {
        Box::new(CollisionProbe::begin(now, around.flash().loads().len(), monitor.config.sample_ns))
    });
    if let Some(chips) = &mut monitor.chips {
        chips.restart(now);
    }
    monitor.set_due();
    around.observers_mut().monitor = monitor;
}

/// Fills in what is recorded beside the totals of a window that ends at `now`.
pub(crate) fn report<A: AroundObservers>(around: &A, now: Ns, report: &mut Report) {
    let observers = around.observers();
    report.energy = observers.beside_flash(report).map(|beside| observers.recorder.energy.report(beside));
    let monitor = &observers.monitor;
    monitor.timed.report(now, around, around.ftl().geometry().page_bytes, report);
    report.collisions = monitor.collisions.as_ref().map(|probe| probe.report());
    if let Some(chips) = &monitor.chips {
        report.chips = chips.report(now);
    }
    if monitor.config.block_table {
        report.tables.blocks = Some(block_rows(around.ftl().blocks()));
    }
    report_erases(around, report);
}
