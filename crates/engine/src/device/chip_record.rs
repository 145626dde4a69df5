//! What the record of chips is told, where there is one: a branch each, the rest out of line.

use super::Device;
use crate::sched::queue::OpId;
use crate::stats::chips::ChipRecorder;
use wordline_base::class::Class;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

impl Device {
    /// A head begins to wait in the queue of a die, or waits no more.
    #[inline(always)]
    pub(super) fn note_queue(&mut self, die: DieId, class: Class, taken: Option<OpId>) {
        if self.observers.monitor.chips.is_some() {
            let arrived = taken.map(|head| self.flash.pool[head].arrived);
            self.note_at_chip(die, |chips, of, now| match arrived {
                None => chips.enters(of, class, now),
                Some(arrived) => chips.leaves(of, class, arrived, now),
            });
        }
    }

    /// A command of so many planes begins.
    #[inline(always)]
    pub(super) fn note_command(&mut self, die: DieId, class: Class, planes: u32) {
        if self.observers.monitor.chips.is_some() {
            self.note_at_chip(die, |chips, of, _| chips.begins(of, class, planes));
        }
    }

    /// The channel is the die's until `end`, for its data or for its command, behind which its array works.
    #[inline(always)]
    pub(super) fn note_transfer(&mut self, die: DieId, end: Ns, data: bool) {
        if self.observers.monitor.chips.is_some() {
            let command = &self.flash.die(die).command;
            let (class, cell) = (command.class, command.cell);
            self.note_at_chip(die, |chips, of, now| {
                chips.transfers(of, class, now, end);
                if !data {
                    chips.works(of, class, end, end + cell);
                }
            });
        }
    }

    /// The array of a die goes on with its command.
    #[inline]
    pub(super) fn note_array_works(&mut self, die: DieId, from: Ns, until: Ns) {
        if self.observers.monitor.chips.is_some() {
            let class = self.flash.die(die).command.class;
            self.note_at_chip(die, |chips, of, _| chips.works(of, class, from, until));
        }
    }

    /// The array of a die, at work until `until`, is stopped at `at`.
    #[inline]
    pub(super) fn note_array_stops(&mut self, die: DieId, at: Ns, until: Ns) {
        if self.observers.monitor.chips.is_some() {
            let class = self.flash.die(die).command.class;
            self.note_at_chip(die, |chips, of, _| chips.stops(of, class, at, until));
        }
    }

    /// A flash page or block of a command is done.
    #[inline(always)]
    pub(super) fn note_done(&mut self, die: DieId, class: Class, head: OpId) {
        if self.observers.monitor.chips.is_some() {
            let arrived = self.flash.pool[head].arrived;
            self.note_at_chip(die, |chips, of, now| chips.done(of, class, arrived, now));
        }
    }

    #[cold]
    fn note_at_chip(&mut self, server: DieId, record: impl FnOnce(&mut ChipRecorder, usize, Ns)) {
        if let Some(chips) = &mut self.observers.monitor.chips {
            record(chips, self.flash.real_die(server), self.flash.now());
        }
    }
}
