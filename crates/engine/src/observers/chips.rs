//! What the record of chips is told, where there is one: a branch each, the rest out of line.

use super::state::Observers;
use crate::sched::queue::OpId;
use crate::stats::chips::ChipRecorder;
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::DieId;
use wordline_base::time::Ns;
use wordline_flash::Flash;
use wordline_ftl::work::Ftl;

impl Observers {
    /// A head begins to wait in the queue of a die, or waits no more.
    #[inline(always)]
    pub fn note_queue(&mut self, flash: &Flash, die: DieId, class: Class, taken: Option<OpId>) {
        if self.monitor.chips.is_some() {
            // A read that is sent on keeps its arrival, and waits in this queue since it came to it.
            let since = taken.map(|head| flash.pool[head].arrived.max(flash.pool[head].wait_from));
            self.note_at_chip(flash, die, |chips, of, now| match since {
                None => chips.enters(of, class, now),
                Some(since) => chips.leaves(of, class, since, now),
            });
        }
    }

    /// A command of so many planes begins.
    #[inline(always)]
    pub fn note_command(&mut self, flash: &Flash, die: DieId, class: Class, planes: u32) {
        if self.monitor.chips.is_some() {
            self.note_at_chip(flash, die, |chips, of, _| chips.begins(of, class, planes));
        }
    }

    /// The channel is the die's until `end`, for its data or for its command, behind which its array works.
    #[inline(always)]
    pub fn note_transfer(&mut self, flash: &Flash, die: DieId, end: Ns, data: bool) {
        if self.monitor.chips.is_some() {
            let command = &flash.die(die).command;
            let (class, cell) = (command.class, command.cell);
            self.note_at_chip(flash, die, |chips, of, now| {
                chips.transfers(of, class, now, end);
                if !data {
                    chips.works(of, class, [end, end + cell], now);
                }
            });
        }
    }

    /// The array of a die goes on with its command.
    #[inline]
    pub fn note_array_works(&mut self, flash: &Flash, die: DieId, from: Ns, until: Ns) {
        if self.monitor.chips.is_some() {
            let class = flash.die(die).command.class;
            self.note_at_chip(flash, die, |chips, of, now| chips.works(of, class, [from, until], now));
        }
    }

    /// The array of a die, at work until `until`, is stopped at `at`.
    #[inline]
    pub fn note_array_stops(&mut self, flash: &Flash, die: DieId, at: Ns, until: Ns) {
        if self.monitor.chips.is_some() {
            let class = flash.die(die).command.class;
            self.note_at_chip(flash, die, |chips, of, now| chips.stops(of, class, [at, until], now));
        }
    }

    /// A flash page or block of a command is done, or the pages of a block that are programmed together.
    #[inline(always)]
    pub fn note_done(&mut self, (flash, ftl): (&Flash, &Ftl), die: DieId, class: Class, head: OpId) {
        if self.monitor.chips.is_some() {
            let op = &flash.pool[head];
            let arrived = op.arrived;
            let pages = match class.op() {
                FlashOp::Program => ftl.geometry().pages_at_once(ftl.cell_mode(op.ppa)),
                _ => 1,
            };
            self.note_at_chip(flash, die, |chips, of, now| chips.done(of, class, pages, arrived, now));
        }
    }

    #[cold]
    fn note_at_chip(
        &mut self,
        flash: &Flash,
        server: DieId,
        record: impl FnOnce(&mut ChipRecorder, usize, Ns),
    ) {
        if let Some(chips) = &mut self.monitor.chips {
            record(chips, flash.real_die(server), flash.now());
        }
    }
}
