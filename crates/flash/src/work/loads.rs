//! What may be asked of the flash: what a die does and how long, what waits there, how long it was busy.

use super::issue::suspends;
use crate::nand::channel::Channel;
use crate::nand::die::Phase;
use crate::sched::Scheduler;
use crate::sched::queue::{NONE, OpId};
use crate::{Above, Flash};
use wordline_base::class::{ByClass, Class, FlashOp};
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

impl Flash {
    /// What a die does: what is suspended for it, too.
    #[inline]
    pub fn command(&self, die: DieId) -> Option<Class> {
        let state = &self.dies[die.index()];
        match state.phase {
            Phase::Idle => None,
            Phase::Suspending => state.suspended.as_ref().map(|suspended| suspended.command.class),
            _ => Some(state.command.class),
        }
    }

    /// Whether an operation of this kind waits that would go before a read that comes to this die now.
    pub fn waits_ahead(&self, die: DieId, kind: FlashOp) -> bool {
        let state = &self.dies[(die.0 + self.second_server) as usize];
        let ahead = |&class: &Class| {
            class.op() == kind && state.waits(class) && self.scheduler.precedes(class, Class::HostRead)
        };
        Class::ALL.iter().any(ahead)
    }

    /// What keeps a die from reading for longer than a read: a program or an erase.
    pub fn busy_with(&self, die: DieId) -> Option<Class> {
        let state = &self.dies[die.index()];
        let class = state.command.class;
        (state.phase != Phase::Idle && class.op() != FlashOp::Read).then_some(class)
    }

    /// Flash pages that are read or wait to be at a die and its further servers, and whether any of them is at work.
    pub fn reads_of(&self, die: DieId) -> (u32, bool) {
        let (mut reads, mut busy) = (0, false);
        let second = (self.second_server > 0).then(|| die.index() + self.outstanding.len());
        let planes = self.plane_collection.iter().flat_map(|collection| collection.servers_of(die));
        for server in [die.index()].into_iter().chain(second).chain(planes.map(DieId::index)) {
            let state = &self.dies[server];
            let classes = Class::ALL.iter().filter(|class| class.op() == FlashOp::Read);
            reads += classes.map(|&class| self.heads(state.first(class))).sum::<u32>();
            reads += self.running_reads(server).map(|command| self.heads(command.head)).sum::<u32>();
            busy |= state.phase != Phase::Idle;
        }
        (reads, busy)
    }

    /// Heads in a queue or of a command.
    fn heads(&self, first: OpId) -> u32 {
        let (mut count, mut head) = (0, first);
        while head != NONE {
            count += 1;
            head = self.pool[head].next;
        }
        count
    }

    /// Time that each server has been occupied, by class.
    pub fn die_clocks(&self, now: Ns) -> Vec<ByClass<u64>> {
        self.dies.iter().map(|die| die.clock(now).by_class()).collect()
    }

    /// Time that each channel has been taken, by class.
    pub fn channel_clocks(&self, now: Ns) -> Vec<ByClass<u64>> {
        let granted = |channel: &Channel| {
            // The clock runs ahead by what is left of the transfer under way.
            let mut clock = channel.clock.by_class();
            clock[channel.class.index()] -= channel.free_at.since(now).0;
            clock
        };
        self.channels.iter().map(granted).collect()
    }
}

/// What a die does, and how long until it is done, or could be suspended for a read. Waits for the channel are not
/// foreseen.
pub fn running<A: Above>(above: &A, die: DieId) -> Option<(Class, Ns)> {
    let flash = above.flash();
    let state = &flash.dies[die.index()];
    let (class, cell) = (state.command.class, state.command.cell);
    let is_read = class.op() == FlashOp::Read;
    let data = if is_read { flash.unit_transfer } else { Ns::ZERO };
    let left = match state.phase {
        Phase::Idle => return None,
        Phase::Command => cell + data,
        Phase::Array => state.array[1].since(flash.now) + data,
        // The next one's data is on its way in, or waits for the array.
        Phase::Loading | Phase::Loaded => cell,
        Phase::DataWait | Phase::DataOut | Phase::Moving => state.data_out,
        Phase::Suspending => {
            let suspended = state.suspended.as_ref()?;
            return Some((suspended.command.class, Ns::ZERO));
        }
    };
    if is_read || !suspends(above, class) || state.suspended.is_some() {
        return Some((class, left));
    }
    let suspend = &flash.rules.suspend;
    let takes = if class.op() == FlashOp::Erase { suspend.erase_ns } else { suspend.program_ns };
    let may = state.command.suspensions < suspend.max_per_operation;
    let Some(takes) = takes.filter(|_| may) else { return Some((class, left)) };
    let to_step = match state.phase {
        Phase::Array => {
            flash.stop_of_array(die, state.array[0].max(flash.now), state.array[1]).0.since(flash.now)
        }
        _ => Ns::ZERO,
    };
    Some((class, left.min(Ns(takes) + to_step)))
}

/// Time of all that waits at a die and would go before a read that comes now. Commands are counted one by one,
/// although some may go together.
pub fn waiting_ahead<A: Above>(above: &A, die: DieId) -> Ns {
    let flash = above.flash();
    let state = &flash.dies[die.index()];
    let mut time = Ns::ZERO;
    for class in Class::ALL {
        if state.waits(class) && flash.scheduler.precedes(class, Class::HostRead) {
            let mut head = state.first(class);
            while head != NONE {
                time += time_of(above, class, head);
                head = flash.pool[head].next;
            }
        }
    }
    time
}

fn time_of<A: Above>(above: &A, class: Class, head: OpId) -> Ns {
    let flash = above.flash();
    let ppa = flash.pool[head].ppa;
    let (page, mode) = (flash.geometry.place(ppa).page, above.cell_mode(ppa));
    match class.op() {
        FlashOp::Read => flash.timing.read(page, mode) + flash.unit_transfer,
        FlashOp::Program => flash.timing.program(page, mode) + flash.unit_transfer,
        FlashOp::Erase => flash.timing.erase(mode),
    }
}
