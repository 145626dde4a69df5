//! Programs and erases that stop for reads, and go on.

use super::Device;
use crate::nand::die::{Phase, Suspended};
use crate::sched::queue::NONE;
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::DieId;
use wordline_base::parts::Part;
use wordline_base::time::Ns;

impl Device {
    /// Interrupts the running program or erase at `begin`, when `left` of it remains.
    #[inline(never)]
    pub(super) fn suspend(&mut self, die: DieId, begin: Ns, left: Ns, takes: Ns) {
        self.observers.recorder.suspensions += 1;
        self.note_array_stops(die, begin, begin + left);
        let state = &mut self.flash.dies[die.index()];
        let mut command = state.command;
        command.suspensions += 1;
        let erase = command.class.op() == FlashOp::Erase;
        let done = command.cell.0.saturating_sub(left.0);
        let is_first = command.suspensions == 1;
        let repeats = Ns(if is_first { self.flash.rules.suspend.repeats(erase, done) } else { 0 });
        let left = left + repeats;
        command.parts.add(Part::Suspend, takes.0 + repeats.0);
        let snapshot = state.clock(self.flash.now);
        state.suspended = Some(Suspended { command, left, since: begin, snapshot });
        state.command.head = NONE;
        state.phase = Phase::Suspending;
        self.flash.events.set(Self::die_resource(die), begin + takes);
    }

    /// The die is free for reads.
    #[inline(never)]
    pub(super) fn suspended(&mut self, die: DieId) {
        let now = self.flash.now;
        let state = &mut self.flash.dies[die.index()];
        let snapshot = state.clock(now);
        if let Some(suspended) = &mut state.suspended {
            (suspended.since, suspended.snapshot) = (now, snapshot);
        }
        state.phase = Phase::Idle;
        self.start_next(die);
    }

    /// The interrupted command goes on.
    #[inline(never)]
    pub(super) fn resume(&mut self, die: DieId) {
        let (now, takes) = (self.flash.now, Ns(self.flash.rules.suspend.resume_ns));
        let reads_wait = self.flash.open_work(die) & (1 << Class::HostRead.index()) != 0;
        let state = &mut self.flash.dies[die.index()];
        let Some(Suspended { mut command, left, snapshot, since }) = state.suspended.take() else { return };
        if reads_wait {
            // It goes on although reads wait: they must not stop it again before it is done.
            command.suspensions = u32::MAX;
        }
        command.parts.add(Part::Suspend, takes.0);
        let clock = state.clock(now);
        command.parts.add_die_wait(&clock, &snapshot);
        if self.flash.chips.is_some() {
            // It rested while other dies of its chip read.
            let occupied = clock.total() - snapshot.total();
            command.parts.add(Part::Chip, now.since(since).0 - occupied);
        }
        state.command = command;
        state.phase = Phase::Array;
        state.array = [now + takes, now + takes + left];
        state.occupy(Some(command.class), now);
        let [begin, end] = state.array;
        self.note_array_works(die, begin, end);
        self.tell_die(die, Some(command.class));
        self.flash.events.set(Self::die_resource(die), end);
        self.flash.expect_loading(die, begin);
    }
}
