//! Cache reads and cache programs: two commands of one die overlap, one in the array, one on the channel.
//!
//! [`Die::command`](crate::nand::die::Die::command) stays the command that uses the channel; the other lies aside in
//! the die's cache register, with an event of its own. No command overlaps another while one is suspended, and none is
//! suspended while it overlaps another.

use super::Device;
use super::flash::Flash;
use super::purposes::Purpose;
use crate::nand::cache_register::{Aside, CacheRegister};
use crate::nand::die::{Command, CommandForm, Phase};
use crate::sched::queue::{NONE, Op, OpId};
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::DieId;
use wordline_base::parts::Part;
use wordline_base::time::Ns;

impl Flash {
    fn register_resource(&self, die: DieId) -> usize {
        self.dies.len() + self.channels.len() + die.index()
    }

    /// The channel is the die's until `end` for a command of which the cache register makes more than its transfer and
    /// its array time: the time of the die's next event.
    pub(super) fn granted_beside(&mut self, die: DieId, end: Ns) -> Option<Ns> {
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
    pub(super) fn running_reads(&self, server: usize) -> impl Iterator<Item = &Command> {
        let running = self.dies.get(server).filter(|die| die.phase != Phase::Idle).map(|die| &die.command);
        let register = self.overlap.registers.get(server);
        let aside = |wanted: &[Aside]| {
            register.filter(|register| wanted.contains(&register.aside)).map(|register| &register.command)
        };
        let in_order = [aside(&[Aside::Held]), running, aside(&[Aside::Reading, Aside::Read])];
        in_order.into_iter().flatten().filter(|command| command.class.op() == FlashOp::Read)
    }

    /// From `at` on the array programs: the data of the next program may come in.
    pub(super) fn expect_loading(&mut self, die: DieId, at: Ns) {
        if self.overlap.program && self.dies[die.index()].command.class.op() == FlashOp::Program {
            self.events.set(self.register_resource(die), at);
        }
    }

    /// The next program's data is in the cache register.
    pub(super) fn loaded(&mut self, die: DieId) {
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
        self.events.set(Device::die_resource(die), self.now + busy);
    }
}

impl Device {
    /// The event of a die's cache register.
    pub(super) fn register_event(&mut self, die: DieId) {
        match self.flash.overlap.registers[die.index()].aside {
            Aside::Nothing => self.consider_loading(die),
            Aside::Reading => self.flash.overlap.registers[die.index()].aside = Aside::Read,
            Aside::Programming => self.former_programmed(die),
            Aside::Held | Aside::Read => {}
        }
    }

    /// Data has moved between the two registers of a die.
    pub(super) fn register_moved(&mut self, die: DieId) {
        let Command { head, class, cell, .. } = self.flash.dies[die.index()].command;
        if class.op() == FlashOp::Program {
            let now = self.flash.now;
            let state = &mut self.flash.dies[die.index()];
            state.phase = Phase::Array;
            state.array = [now, now + cell];
            self.observers.recorder.array_ns[die.index()] += cell.0;
            self.flash.events.set(Self::die_resource(die), now + cell);
            // A read or the next program may wait for this moment.
            self.flash.touched.push(die);
        } else if self.flash.overlap.registers[die.index()].aside == Aside::Held {
            self.read_and_send(die);
        } else {
            self.send_data(die, head, class);
        }
    }

    // Reads.

    /// The array has read: the next read begins, or the data leaves.
    pub(super) fn page_in_register(&mut self, die: DieId) {
        if self.begin_next_read(die) {
            return;
        }
        let busy = self.flash.overlap.read_busy;
        let state = &mut self.flash.dies[die.index()];
        let Command { head, class, follows, .. } = state.command;
        if !follows {
            return self.send_data(die, head, class);
        }
        state.phase = Phase::Moving;
        state.command.parts.add(Part::Cell, busy.0);
        self.flash.events.set(Self::die_resource(die), self.flash.now + busy);
    }

    /// Takes the next read, if the scheduler wants one and it may follow the one whose data is in the page register.
    fn begin_next_read(&mut self, die: DieId) -> bool {
        let former = self.flash.dies[die.index()].command;
        let after = if self.flash.overlap.sequential_reads { former.head } else { NONE };
        loop {
            let state = &self.flash.dies[die.index()];
            let waiting = self.flash.open_work(die);
            if state.suspended.is_some() || waiting == 0 {
                return false;
            }
            let Some(class) = self.ask_scheduler(die, waiting).filter(|class| class.op() == FlashOp::Read)
            else {
                return false;
            };
            let head = self.flash.dies[die.index()].first(class);
            if after != NONE && !self.follows(head, after) {
                return false;
            }
            self.flash.dies[die.index()].pop(&mut self.flash.pool, class);
            self.note_queue(die, class, Some(head));
            let kept = self.confirm_read(head);
            if kept == NONE {
                self.change_load(die, -1);
                continue;
            }
            self.observers.recorder.cache_reads += 1;
            let register = &mut self.flash.overlap.registers[die.index()];
            (register.aside, register.command) = (Aside::Held, former);
            self.start_command(die, class, kept, after);
            return true;
        }
    }

    /// The data of the former read is in the cache register: it leaves, and the array reads for the next.
    fn read_and_send(&mut self, die: DieId) {
        let (now, busy) = (self.flash.now, self.flash.overlap.read_busy.0);
        let register = &mut self.flash.overlap.registers[die.index()];
        let (mut former, mut next) = (register.command, self.flash.dies[die.index()].command);
        // The former waited for all that came between: the next one's command, and that one's waits.
        former.parts.add_channel_waits_of(&next.parts);
        former.parts.add(Part::ChannelWait(next.class), self.flash.timing.read_command(next.planes).0);
        former.parts.add(Part::Cell, busy);
        next.parts.add(Part::DieWait(former.class), busy);
        next.follows = true;
        let array = [now, now + next.cell];
        *register = CacheRegister { aside: Aside::Reading, command: next, array, since: now };
        self.observers.recorder.array_ns[die.index()] += next.cell.0;
        self.flash.events.set(self.flash.register_resource(die), array[1]);
        self.flash.dies[die.index()].command = former;
        self.send_data(die, former.head, former.class);
    }

    /// The data of the former read has left: the next one, if there is one, has the die to itself.
    pub(super) fn next_read_takes_over(&mut self, die: DieId) -> bool {
        let now = self.flash.now;
        let register = &mut self.flash.overlap.registers[die.index()];
        let state = &mut self.flash.dies[die.index()];
        match register.aside {
            Aside::Reading => {
                (state.phase, state.array, state.command) = (Phase::Array, register.array, register.command);
                register.aside = Aside::Nothing;
                let end = register.array[1];
                self.flash.events.clear(self.flash.register_resource(die));
                self.flash.events.set(Self::die_resource(die), end);
            }
            Aside::Read => {
                let waited = now.since(register.array[1]);
                register.command.parts.add(Part::DieWait(state.command.class), waited.0);
                state.command = register.command;
                register.aside = Aside::Nothing;
                self.page_in_register(die);
            }
            _ => return false,
        }
        true
    }

    // Programs.

    /// Takes the next program while the array works, if the scheduler wants it and it continues on the same planes.
    pub(super) fn consider_loading(&mut self, die: DieId) {
        let waiting = self.flash.open_work(die);
        let state = &self.flash.dies[die.index()];
        let [begin, end] = state.array;
        let command = &state.command;
        let programs = command.class.op() == FlashOp::Program && command.form == CommandForm::Plain;
        let works = state.phase == Phase::Array && (begin..end).contains(&self.flash.now);
        if !programs || !works || state.suspended.is_some() || waiting == 0 {
            return;
        }
        let former = state.command;
        let Some(class) = self.ask_scheduler(die, waiting).filter(|class| class.op() == FlashOp::Program)
        else {
            return;
        };
        if !self.continue_on_all_planes(die, class, &former) {
            return;
        }
        self.observers.recorder.cache_programs += 1;
        self.flash.overlap.registers[die.index()] = CacheRegister {
            aside: Aside::Programming,
            command: former,
            array: [begin, end],
            since: self.flash.now,
        };
        self.flash.events.clear(Self::die_resource(die));
        self.flash.events.set(self.flash.register_resource(die), end);
        let head = self.flash.dies[die.index()].pop(&mut self.flash.pool, class);
        self.note_queue(die, class, Some(head));
        self.start_command(die, class, head, former.head);
    }

    /// Whether the next programs of a class are of the pages after those of a command, on each of its planes. A
    /// program that still takes units waits for them.
    fn continue_on_all_planes(&self, die: DieId, class: Class, former: &Command) -> bool {
        let mut head = self.flash.dies[die.index()].first(class);
        for _ in 0..former.planes {
            if head == NONE
                || !self.follows(head, former.head)
                || self.takes_units(head)
                || self.flash.pool[head].copyback
            {
                return false;
            }
            head = self.flash.pool[head].next;
        }
        true
    }

    /// Whether a flash page (a program) begins where one of the command at `former` ends, in the same block.
    pub(super) fn follows(&self, head: OpId, mut former: OpId) -> bool {
        let Op { ppa, class, .. } = self.flash.pool[head];
        let program = class.op() == FlashOp::Program;
        let pages = if program { self.geometry.pages_at_once(self.ftl.cell_mode(ppa)) } else { 1 };
        let page = self.flash.flash_page(head);
        while former != NONE && self.flash.flash_page(former).wrapping_add(pages) != page {
            former = self.flash.pool[former].next;
        }
        former != NONE && self.geometry.place(ppa).page >= pages
    }

    /// Whether units may still join a program.
    fn takes_units(&self, head: OpId) -> bool {
        let Purpose { point, .. } = self.ftl.purposes[head];
        let Op { ppa, .. } = self.flash.pool[head];
        let point = self.ftl.domain[self.ftl.domain_of(ppa).index()].points.get(usize::from(point));
        point.is_some_and(|point| point.open_unit == head && point.has_room())
    }

    /// The array has programmed for the former command.
    fn former_programmed(&mut self, die: DieId) {
        let CacheRegister { command: former, since, .. } = self.flash.overlap.registers[die.index()];
        self.flash.overlap.registers[die.index()].aside = Aside::Nothing;
        let next = std::mem::replace(&mut self.flash.dies[die.index()].command, former);
        self.pages_done(die);
        let state = &mut self.flash.dies[die.index()];
        state.command = next;
        if state.phase == Phase::Loaded {
            state.command.parts.add(Part::DieWait(former.class), self.flash.now.since(since).0);
            self.flash.move_to_page_register(die);
        }
    }
}
