//! What energy was used for is charged, where the drive knows it.

use super::state::Observers;
use crate::sched::queue::{Op, OpId};
use crate::stats::energy::BesideFlash;
use crate::stats::report::Report;
use wordline_base::class::{Class, FlashOp};
use wordline_base::time::Ns;
use wordline_flash::Flash;
use wordline_ftl::work::Ftl;

impl Observers {
    /// Charges the cell array's energy of the flash page or block of a head, and that of a program's data.
    #[inline(always)]
    pub fn charge_cell(&mut self, parts: (&Flash, &Ftl), class: Class, head: OpId, page: u32) {
        if self.energy.is_some() {
            self.charge_known_cell(parts, class, head, page);
        }
    }

    #[cold]
    fn charge_known_cell(&mut self, (flash, ftl): (&Flash, &Ftl), class: Class, head: OpId, page: u32) {
        let mode = ftl.cell_mode(flash.pool[head].ppa);
        let at_once = if class.op() == FlashOp::Program { ftl.geometry().pages_at_once(mode) } else { 1 };
        let first = page - page % at_once;
        let Some(energy) = &self.energy else { return };
        for page in first..first + at_once {
            self.recorder.energy.add_cell(class, energy.cell(class.op(), page, mode));
        }
        if class.op() != FlashOp::Program {
            return;
        }
        let Op { copyback, source, .. } = flash.pool[head];
        if copyback {
            let read = ftl.geometry().place(source).page;
            return self.recorder.energy.add_cell(class, energy.cell(FlashOp::Read, read, mode));
        }
        let flash_page = |unit: OpId| flash.pool[unit].ppa.0 >> ftl.geometry().unit_shift;
        let on_channel = |bytes: u32| flash.timing().bytes_on_channel(bytes.min(ftl.geometry().page_bytes));
        let (mut moved, mut bytes, mut current) = (0, 0u32, flash_page(head));
        for unit in flash.pool.units(head) {
            if flash_page(unit) != current {
                moved += on_channel(bytes);
                (current, bytes) = (flash_page(unit), 0);
            }
            bytes = bytes.saturating_add(flash.pool[unit].bytes);
        }
        self.recorder.energy.add_channel(class, energy.channel(moved + on_channel(bytes)));
    }

    /// Charges the energy of `bytes` of a flash page on the channel.
    #[inline(always)]
    pub fn charge_channel(&mut self, (flash, ftl): (&Flash, &Ftl), class: Class, bytes: u32) {
        if let Some(energy) = &self.energy {
            let moved = flash.timing().bytes_on_channel(bytes.min(ftl.geometry().page_bytes));
            self.recorder.energy.add_channel(class, energy.channel(moved));
        }
    }

    /// What a drive like this used beside its flash for what this report has; `None` when it knows no energy.
    pub fn beside_flash(&self, report: &Report) -> Option<BesideFlash> {
        let window = Ns(report.window.end_ns.saturating_sub(report.window.start_ns));
        // What was answered in the window, as the flash's work is what was done in it.
        let in_window = |rate: f64| (rate * window.0 as f64 / 1e9).round() as u64;
        let answered = [&report.read, &report.write, &report.trim, &report.flush];
        let requests = answered.iter().map(|kind| in_window(kind.iops)).sum();
        let bytes =
            [&report.read, &report.write].map(|kind| in_window(kind.bandwidth_bytes_per_s)).iter().sum();
        Some(self.energy.as_ref()?.beside_flash(window, requests, bytes))
    }
}
