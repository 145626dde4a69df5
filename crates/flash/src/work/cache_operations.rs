//! Cache reads and cache programs: two commands of one die overlap, one in the array, one on the channel.
//!
//! [`Die::command`](crate::nand::die::Die::command) stays the command that uses the channel; the other lies aside in
//! the die's cache register, with an event of its own. No command overlaps another while one is suspended, and none is
//! suspended while it overlaps another.

use super::data_out::send_data;
use super::issue::{ask_scheduler, start_command};
use super::progress::pages_done;
use super::queue::change_load;
use crate::nand::cache_register::{Aside, CacheRegister};
use crate::nand::die::{Command, CommandForm, Phase};
use crate::sched::queue::{NONE, Op, OpId};
use crate::{Above, Count, Flash};
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::DieId;
use wordline_base::parts::Part;
use wordline_base::time::Ns;

impl Flash {
    /// The channel is the die's until `end` for a command of which the cache register makes more than its transfer and
    /// its array time: the time of the die's next event.
    pub(crate) fn granted_beside(&mut self, die: DieId, end: Ns) -> Option<Ns> {
        let state = &mut self.dies[die.index()];
        let (phase, event) = match self.overlap.registers[die.index()].aside {
            Aside::Held => (Phase::Moving, end + self.overlap.read_busy),
            Aside::Programming => (Phase::Loading, end),
            _ => {
                self.expect_loading(die, end);
                return None;
            }
        };
        state.phase = phase;
        Some(event)
    }

    /// The reads that a die, or a second server, is at: of two that overlap first the one whose data leaves first.
    pub fn running_reads(&self, server: usize) -> impl Iterator<Item = &Command> {
        let running = self.dies.get(server).filter(|die| die.phase != Phase::Idle).map(|die| &die.command);
        let register = self.overlap.registers.get(server);
        let aside = |wanted: &[Aside]| {
            register.filter(|register| wanted.contains(&register.aside)).map(|register| &register.command)
        };
        let in_order = [aside(&[Aside::Held]), running, aside(&[Aside::Reading, Aside::Read])];
        in_order.into_iter().flatten().filter(|command| command.class.op() == FlashOp::Read)
    }

    /// From `at` on the array programs: the data of the next program may come in.
    pub(crate) fn expect_loading(&mut self, die: DieId, at: Ns) {
        if self.overlap.program && self.dies[die.index()].command.class.op() == FlashOp::Program {
            self.events.set(self.register_resource(die), at);
        }
    }

    /// The next program's data is in the cache register.
    pub(crate) fn loaded(&mut self, die: DieId) {
        if self.overlap.registers[die.index()].aside == Aside::Programming {
            self.overlap.registers[die.index()].since = self.now;
            self.dies[die.index()].phase = Phase::Loaded;
        } else {
            self.move_to_page_register(die);
        }
    }

    fn move_to_page_register(&mut self, die: DieId) {
        let busy = self.overlap.program_busy;
        let state = &mut self.dies[die.index()];
        state.phase = Phase::Moving;
        state.command.parts.add(Part::Cell, busy.0);
        self.events.set(die.index(), self.now + busy);
    }
}

/// The event of a die's cache register.
pub(super) fn register_event<A: Above>(above: &mut A, die: DieId) {
    let register = &mut above.flash_mut().overlap.registers[die.index()];
    match register.aside {
        Aside::Nothing => consider_loading(above, die),
        Aside::Reading => register.aside = Aside::Read,
        Aside::Programming => former_programmed(above, die),
        Aside::Held | Aside::Read => {}
    }
}

/// Data has moved between the two registers of a die.
pub(super) fn register_moved<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash_mut();
    let Command { head, class, cell, .. } = flash.dies[die.index()].command;
    if class.op() == FlashOp::Program {
        let now = flash.now;
        let state = &mut flash.dies[die.index()];
        state.phase = Phase::Array;
        state.array = [now, now + cell];
        flash.events.set(die.index(), now + cell);
        // A read or the next program may wait for this moment.
        flash.touched.push(die);
        above.count(Count::Array(die, cell));
    } else if flash.overlap.registers[die.index()].aside == Aside::Held {
        read_and_send(above, die);
    } else {
        send_data(above, die, head, class);
    }
}

// Reads.

/// The array has read: the next read begins, or the data leaves.
pub(super) fn page_in_register<A: Above>(above: &mut A, die: DieId) {
    if begin_next_read(above, die) {
        return;
    }
    let flash = above.flash_mut();
    let busy = flash.overlap.read_busy;
    let state = &mut flash.dies[die.index()];
    let Command { head, class, follows, .. } = state.command;
    if !follows {
        return send_data(above, die, head, class);
    }
    state.phase = Phase::Moving;
    state.command.parts.add(Part::Cell, busy.0);
    flash.events.set(die.index(), flash.now + busy);
}

/// Takes the next read, if the scheduler wants one and it may follow the one whose data is in the page register.
fn begin_next_read<A: Above>(above: &mut A, die: DieId) -> bool {
    let flash = above.flash();
    let former = flash.dies[die.index()].command;
    let after = if flash.overlap.sequential_reads { former.head } else { NONE };
    loop {
        let flash = above.flash();
        let waiting = flash.open_work(die);
        if flash.dies[die.index()].suspended.is_some() || waiting == 0 {
            return false;
        }
        let Some(class) = ask_scheduler(above, die, waiting).filter(|class| class.op() == FlashOp::Read)
        else {
            return false;
        };
        let head = above.flash().dies[die.index()].first(class);
        if after != NONE && !follows(above, head, after) {
            return false;
        }
        let flash = above.flash_mut();
        flash.dies[die.index()].pop(&mut flash.pool, class);
        above.queue_changes(die, class, Some(head));
        let kept = above.takes(head);
        if kept == NONE {
            change_load(above, die, -1);
            continue;
        }
        above.count(Count::CacheRead);
        let register = &mut above.flash_mut().overlap.registers[die.index()];
        (register.aside, register.command) = (Aside::Held, former);
        start_command(above, die, class, kept, after);
        return true;
    }
}

/// The data of the former read is in the cache register: it leaves, and the array reads for the next.
fn read_and_send<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash_mut();
    let (now, busy) = (flash.now, flash.overlap.read_busy.0);
    let resource = flash.register_resource(die);
    let register = &mut flash.overlap.registers[die.index()];
    let (mut former, mut next) = (register.command, flash.dies[die.index()].command);
    // The former waited for all that came between: the next one's command, and that one's waits.
    former.parts.add_channel_waits_of(&next.parts);
    former.parts.add(Part::ChannelWait(next.class), flash.timing.read_command(next.planes).0);
    former.parts.add(Part::Cell, busy);
    next.parts.add(Part::DieWait(former.class), busy);
    next.follows = true;
    let array = [now, now + next.cell];
    *register = CacheRegister { aside: Aside::Reading, command: next, array, since: now };
    flash.events.set(resource, array[1]);
    flash.dies[die.index()].command = former;
    above.count(Count::Array(die, next.cell));
    send_data(above, die, former.head, former.class);
}

/// The data of the former read has left: the next one, if there is one, has the die to itself.
pub(super) fn next_read_takes_over<A: Above>(above: &mut A, die: DieId) -> bool {
    let flash = above.flash_mut();
    let now = flash.now;
    let resource = flash.register_resource(die);
    let register = &mut flash.overlap.registers[die.index()];
    let state = &mut flash.dies[die.index()];
    match register.aside {
        Aside::Reading => {
            (state.phase, state.array, state.command) = (Phase::Array, register.array, register.command);
            register.aside = Aside::Nothing;
            let end = register.array[1];
            flash.events.clear(resource);
            flash.events.set(die.index(), end);
        }
        Aside::Read => {
            let waited = now.since(register.array[1]);
            register.command.parts.add(Part::DieWait(state.command.class), waited.0);
            state.command = register.command;
            register.aside = Aside::Nothing;
            page_in_register(above, die);
        }
        _ => return false,
    }
    true
}

// Programs.

/// Takes the next program while the array works, if the scheduler wants it and it continues on the same planes.
pub(super) fn consider_loading<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash();
    let waiting = flash.open_work(die);
    let state = &flash.dies[die.index()];
    let [begin, end] = state.array;
    let former = state.command;
    let programs = former.class.op() == FlashOp::Program && former.form == CommandForm::Plain;
    let works = state.phase == Phase::Array && (begin..end).contains(&flash.now);
    if !programs || !works || state.suspended.is_some() || waiting == 0 {
        return;
    }
    let Some(class) = ask_scheduler(above, die, waiting).filter(|class| class.op() == FlashOp::Program)
    else {
        return;
    };
    if !continue_on_all_planes(above, die, class, &former) {
        return;
    }
    above.count(Count::CacheProgram);
    let flash = above.flash_mut();
    flash.overlap.registers[die.index()] =
        CacheRegister { aside: Aside::Programming, command: former, array: [begin, end], since: flash.now };
    flash.events.clear(die.index());
    let resource = flash.register_resource(die);
    flash.events.set(resource, end);
    let head = flash.dies[die.index()].pop(&mut flash.pool, class);
    above.queue_changes(die, class, Some(head));
    start_command(above, die, class, head, former.head);
}

/// Whether the next programs of a class are of the pages after those of a command, on each of its planes. A
/// program that still takes units waits for them.
fn continue_on_all_planes<A: Above>(above: &A, die: DieId, class: Class, former: &Command) -> bool {
    let flash = above.flash();
    let mut head = flash.dies[die.index()].first(class);
    for _ in 0..former.planes {
        if head == NONE
            || !follows(above, head, former.head)
            || above.is_open(head)
            || flash.pool[head].copyback
        {
            return false;
        }
        head = flash.pool[head].next;
    }
    true
}

/// Whether a flash page (a program) begins where one of the command at `former` ends, in the same block.
pub(super) fn follows<A: Above>(above: &A, head: OpId, mut former: OpId) -> bool {
    let flash = above.flash();
    let Op { ppa, class, .. } = flash.pool[head];
    let program = class.op() == FlashOp::Program;
    let pages = if program { flash.geometry.pages_at_once(above.cell_mode(ppa)) } else { 1 };
    let page = flash.flash_page(head);
    while former != NONE && flash.flash_page(former).wrapping_add(pages) != page {
        former = flash.pool[former].next;
    }
    former != NONE && flash.geometry.place(ppa).page >= pages
}

/// The array has programmed for the former command.
fn former_programmed<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash_mut();
    let CacheRegister { command: former, since, .. } = flash.overlap.registers[die.index()];
    flash.overlap.registers[die.index()].aside = Aside::Nothing;
    let next = std::mem::replace(&mut flash.dies[die.index()].command, former);
    pages_done(above, die);
    let flash = above.flash_mut();
    let state = &mut flash.dies[die.index()];
    state.command = next;
    if state.phase == Phase::Loaded {
        state.command.parts.add(Part::DieWait(former.class), flash.now.since(since).0);
        flash.move_to_page_register(die);
    }
}
