//! Programs and erases that stop for reads, and go on.

use super::issue::start_next;
use crate::nand::die::{Phase, Suspended};
use crate::sched::Scheduler;
use crate::sched::queue::NONE;
use crate::{Above, Count, Flash};
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::DieId;
use wordline_base::parts::Part;
use wordline_base::time::Ns;

impl Flash {
    /// Whether a server, of whose classes these wait, reads beside what its die has suspended: only for the host, until nothing is
    /// left or the bound is reached.
    #[inline]
    pub(super) fn may_read_in_suspension(&self, die: DieId, server: DieId, waiting: u32) -> bool {
        let Some(suspended) = &self.dies[die.index()].suspended else { return false };
        let over = self.now.since(suspended.since) > self.scheduler.longest_suspension()
            || self.open_work(die) & self.urgent != 0;
        let open = waiting & (1 << Class::HostRead.index()) != 0;
        let read = self.dies[server.index()].first(Class::HostRead);
        open && !over && !self.reads_a_page_of(read, suspended.command.head)
    }
}

/// Interrupts the running program or erase at `begin`, when `left` of it remains.
#[inline(never)]
pub(super) fn suspend<A: Above>(above: &mut A, die: DieId, begin: Ns, left: Ns, takes: Ns) {
    above.count(Count::Suspension);
    above.array_stops(die, begin, begin + left);
    let flash = above.flash_mut();
    let state = &mut flash.dies[die.index()];
    let mut command = state.command;
    command.suspensions += 1;
    let erase = command.class.op() == FlashOp::Erase;
    let done = command.cell.0.saturating_sub(left.0);
    let is_first = command.suspensions == 1;
    let repeats = Ns(if is_first { flash.rules.suspend.repeats(erase, done) } else { 0 });
    let left = left + repeats;
    command.parts.add(Part::Suspend, takes.0 + repeats.0);
    let snapshot = state.clock(flash.now);
    state.suspended = Some(Suspended { command, left, since: begin, snapshot });
    state.command.head = NONE;
    state.phase = Phase::Suspending;
    flash.events.set(die.index(), begin + takes);
}

/// The die is free for reads.
#[inline(never)]
pub(super) fn suspended<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash_mut();
    let now = flash.now;
    let state = &mut flash.dies[die.index()];
    let snapshot = state.clock(now);
    if let Some(suspended) = &mut state.suspended {
        (suspended.since, suspended.snapshot) = (now, snapshot);
    }
    state.phase = Phase::Idle;
    start_next(above, die);
}

/// The interrupted command goes on.
#[inline(never)]
pub(super) fn resume<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash_mut();
    let (now, takes) = (flash.now, Ns(flash.rules.suspend.resume_ns));
    let reads_wait = flash.open_work(die) & (1 << Class::HostRead.index()) != 0;
    let state = &mut flash.dies[die.index()];
    let Some(Suspended { mut command, left, snapshot, since }) = state.suspended.take() else { return };
    if reads_wait {
        // It goes on although reads wait: they must not stop it again before it is done.
        command.suspensions = u32::MAX;
    }
    command.parts.add(Part::Suspend, takes.0);
    let clock = state.clock(now);
    command.parts.add_die_wait(&clock, &snapshot);
    if flash.chips.is_some() {
        // It rested while other dies of its chip read.
        let occupied = clock.total() - snapshot.total();
        command.parts.add(Part::Chip, now.since(since).0 - occupied);
    }
    state.command = command;
    state.phase = Phase::Array;
    let [begin, end] = [now + takes, now + takes + left];
    state.array = [begin, end];
    state.occupy(Some(command.class), now);
    above.array_goes_on(die, begin, end);
    above.die_taken(die, Some(command.class));
    let flash = above.flash_mut();
    flash.events.set(die.index(), end);
    flash.expect_loading(die, begin);
}
