//! What may be asked of the flash: what a die does and how long, what waits there, how long it was busy.

use super::issue::suspends;
use crate::nand::cache_register::{Aside, CacheOperations};
use crate::nand::channel::Channel;
use crate::nand::die::{Command, Phase};
use crate::sched::Scheduler;
use crate::sched::queue::{NONE, OpId};
use crate::{Above, Flash};
use wordline_base::class::{ByClass, Class, FlashOp, classes_in};
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

impl Flash {
    /// What a die does, or one of its planes by itself: what is suspended for it, too.
    #[inline]
    pub fn command(&self, die: DieId) -> Option<Class> {
        let state = &self.dies[die.index()];
        match state.phase {
            Phase::Idle => self.plane_done_last(die).map(|plane| self.dies[plane.index()].command.class),
            Phase::Suspending => state.suspended.as_ref().map(|suspended| suspended.command.class),
            _ => Some(state.command.class),
        }
    }

    /// Whether an operation of this kind waits that would go before a read that comes to this die now.
    pub fn waits_ahead(&self, die: DieId, kind: FlashOp) -> bool {
        let waiting = if self.servers.are_ideal() {
            self.servers.ideals_of(die).fold(0, |all, server| all | self.dies[server.index()].waiting())
        } else {
            self.waiting_with_planes(die)
        };
        let ahead = |class: Class| class.op() == kind && self.scheduler.precedes(class, Class::HostRead);
        classes_in(waiting).any(ahead)
    }

    /// Whether the bus of a channel carries something, or dies wait for it.
    pub fn bus_is_busy(&self, channel: u32) -> bool {
        let bus = self.channels.get(channel as usize);
        bus.is_some_and(|bus| bus.free_at > self.now() || !bus.waiting.is_empty())
    }

    /// Tells the first units of the flash pages whose reads for the host run or wait at a die and its further servers, in the order
    /// in which they are taken.
    pub fn host_reads_at(&self, die: DieId, tell: &mut dyn FnMut(OpId)) {
        if self.loads().get(die.index()).is_none_or(|&load| load == 0) {
            return;
        }
        let mut tell_all = |first: OpId| {
            let mut head = first;
            while head != NONE {
                tell(head);
                head = self.pool[head].next;
            }
        };
        for server in self.servers.of_die(die).map(DieId::index) {
            let Some(state) = self.dies.get(server) else { continue };
            let running = self.running_reads(server).filter(|command| command.class == Class::HostRead);
            running.for_each(|command| tell_all(command.head));
            tell_all(state.first(Class::HostRead));
        }
    }

    /// What keeps a server from reading for longer than a read: a program or an erase.
    pub fn busy_with(&self, server: DieId) -> Option<Class> {
        let state = &self.dies[self.keeper(server).index()];
        let class = state.command.class;
        (state.phase != Phase::Idle && class.op() != FlashOp::Read).then_some(class)
    }

    /// The plane of a die that reads by itself and is done last; `None` where none does, or for another server.
    pub(super) fn plane_done_last(&self, die: DieId) -> Option<DieId> {
        if !self.is_read_apart(die) {
            return None;
        }
        let at_work = |plane: &DieId| self.dies[plane.index()].phase != Phase::Idle;
        let planes = self.servers.planes_of(die).filter(at_work);
        planes.max_by_key(|plane| self.dies[plane.index()].array[1])
    }

    /// Flash pages that are read or wait to be at a die and its further servers, and whether any of them is at work.
    pub fn reads_of(&self, die: DieId) -> (u32, bool) {
        let (mut reads, mut busy) = (0, false);
        for server in self.servers.of_die(die).map(DieId::index) {
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

impl Flash {
    /// Bus time of the data of a command's flash pages from this one on, those of a read.
    fn data_from(&self, class: Class, first: OpId) -> Ns {
        let (mut time, mut head) = (Ns::ZERO, first);
        while head != NONE && class.op() == FlashOp::Read {
            time += self.transfer(self.bytes_wanted(head));
            head = self.pool[head].next;
        }
        time
    }

    /// Time until a die's command is done that has the channel, or is to have it.
    fn left_of_command(&self, die: DieId) -> Ns {
        let state = &self.dies[die.index()];
        let Command { head, class, cell, follows, .. } = state.command;
        let CacheOperations { read_busy, program_busy, .. } = self.overlap;
        // One that is being handled isn't set any more.
        let event = self.events.time_at(die.index());
        let rest = event.map_or(Ns::ZERO, |at| at.since(self.now));
        let data = self.data_from(class, head);
        // The data of a read before it leaves while the array works; what follows it goes through both registers.
        let behind = |held: Ns| cell.max(held) + read_busy;
        match state.phase {
            Phase::Idle | Phase::Suspending => Ns::ZERO,
            Phase::Command => {
                let array = self.held_data(die).map_or(cell, |held| read_busy + behind(held));
                state.channel_wait.duration + array + data
            }
            Phase::Array if follows => state.array[1].since(self.now) + read_busy + data,
            Phase::Array => state.array[1].since(self.now) + data,
            Phase::DataWait => data,
            // Of the first page a part has left.
            Phase::DataOut if event.is_some() => rest + self.data_from(class, self.pool[head].next),
            Phase::DataOut => data,
            Phase::Moving if class.op() != FlashOp::Read => rest + cell,
            Phase::Moving => rest + self.held_data(die).map_or(Ns::ZERO, behind) + data,
            Phase::Loading => rest + program_busy + cell,
            Phase::Loaded => program_busy + cell,
        }
    }

    /// Bus time of the data of a read that waits in a die's cache register for the next one's command.
    fn held_data(&self, die: DieId) -> Option<Ns> {
        let register =
            self.overlap.registers.get(die.index()).filter(|register| register.aside == Aside::Held)?;
        Some(self.data_from(register.command.class, register.command.head))
    }

    /// The same with what its cache register is at.
    fn left_with_register(&self, die: DieId) -> Ns {
        let left = self.left_of_command(die);
        let Some(register) = self.overlap.registers.get(die.index()) else { return left };
        let Command { head, class, .. } = register.command;
        let array = register.array[1].since(self.now);
        match register.aside {
            Aside::Nothing | Aside::Held => left,
            // The command that has the channel is the one before it.
            Aside::Reading | Aside::Read => {
                left.max(array) + self.overlap.read_busy + self.data_from(class, head)
            }
            Aside::Programming => {
                let next = self.overlap.program_busy + self.dies[die.index()].command.cell;
                Ns(left.0.saturating_sub(next.0)).max(array) + next
            }
        }
    }
}

/// What a server does, and how long until it is done, or could be suspended for a read. Waits for the channel are not
/// foreseen. Of a die that does nothing the plane that reads by itself and is done last; of such a plane what its die does.
pub fn running<A: Above>(above: &A, server: DieId) -> Option<(Class, Ns)> {
    let flash = above.flash();
    let die = match flash.dies[server.index()].phase {
        Phase::Idle => flash.plane_done_last(server).unwrap_or(flash.keeper(server)),
        _ => server,
    };
    let state = &flash.dies[die.index()];
    let class = state.command.class;
    let left = match state.phase {
        Phase::Idle => return None,
        Phase::Suspending => {
            let suspended = state.suspended.as_ref()?;
            return Some((suspended.command.class, Ns::ZERO));
        }
        _ => flash.left_with_register(die),
    };
    if class.op() == FlashOp::Read || !suspends(above, class) || state.suspended.is_some() {
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

/// Time of all that waits at a server and would go before a read that comes now. Commands are counted one by one,
/// although some may go together.
pub fn waiting_ahead<A: Above>(above: &A, server: DieId) -> Ns {
    let keeper = above.flash().keeper(server);
    let of_die = if keeper == server { Ns::ZERO } else { waiting_at(above, keeper) };
    of_die + waiting_at(above, server)
}

fn waiting_at<A: Above>(above: &A, server: DieId) -> Ns {
    let flash = above.flash();
    let state = &flash.dies[server.index()];
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
        FlashOp::Read => flash.timing.read(page, mode) + flash.transfer(flash.bytes_wanted(head)),
        FlashOp::Program => {
            let bytes = flash.pool.units(head).map(|unit| flash.pool[unit].bytes);
            let data = flash.program_transfer(head, bytes.fold(0, u32::saturating_add));
            flash.timing.program(page, mode) + data
        }
        FlashOp::Erase => flash.timing.erase(mode),
    }
}
