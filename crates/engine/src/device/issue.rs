//! A die takes its next command: chosen by the scheduler, joined by what can go with it.

use super::Device;
use super::flash::Flash;
use super::purposes::Purpose;
use crate::nand::Place;
use crate::nand::die::{Command, CommandForm, Phase};
use crate::sched::queue::{NONE, Op, OpId};
use crate::sched::{QueueView, Scheduler, SchedulerPolicy};
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::DieId;
use wordline_base::parts::Part;
use wordline_base::time::Ns;
use wordline_config::device::MultiPlaneRule;

/// A command under construction: flash pages of different planes of one die, linked through `next`.
struct Draft {
    head: OpId,
    last: OpId,
    /// Place of the first page, which the others must match.
    first: Place,
    planes: u32,
    /// Planes of the die that are taken, one bit each.
    used: u32,
    /// The command whose pages all others must follow; [`NONE`] if there is none.
    after: OpId,
    /// Most planes that it may have; known from the first further one on that fits.
    most: Option<u32>,
}

/// The class of all that waits, if it is one class only.
#[inline(always)]
pub(super) fn only_class(waiting: u32) -> Option<Class> {
    if waiting.is_power_of_two() { Class::ALL.get(waiting.trailing_zeros() as usize).copied() } else { None }
}

impl Flash {
    /// Whether a read wants a flash page whose program is suspended.
    fn must_wait_for_suspended(&self, die: DieId, read: OpId) -> bool {
        let suspended = &self.dies[die.index()].suspended;
        suspended.as_ref().is_some_and(|suspended| self.reads_a_page_of(read, suspended.command.head))
    }

    /// Whether a read wants a flash page that a command is programming.
    fn reads_a_page_of(&self, read: OpId, head: OpId) -> bool {
        let at_once = self.geometry.pages_per_program;
        if at_once == 1 {
            return self.same_page(head, read) != NONE;
        }
        let program = self.flash_page(read) / at_once;
        let mut page = head;
        while page != NONE && self.flash_page(page) / at_once != program {
            page = self.pool[page].next;
        }
        page != NONE
    }

    pub(super) fn flash_page(&self, head: OpId) -> u32 {
        self.pool[head].ppa.0 >> self.geometry.unit_shift
    }

    /// With how many suspensions a command that came then begins. What the bound on waiting let go first must not be
    /// stopped by those that it passed.
    #[inline(always)]
    pub(super) fn suspensions_of(&self, arrived: Ns) -> u32 {
        if self.now.since(arrived) > self.scheduler.longest_suspension() { u32::MAX } else { 0 }
    }

    /// Planes of a die that can work at the same time.
    #[inline(always)]
    pub(super) fn planes_together(&self) -> u32 {
        if self.rules.multi_plane == MultiPlaneRule::None { 1 } else { self.geometry.planes_per_die }
    }

    /// Whether a command of this class can do more than one flash page, or one for several that want it.
    #[inline(always)]
    fn may_have_partners(&self, class: Class) -> bool {
        // What moves is read once: of flash pages of one unit, none is wanted by two.
        let alone = class.op() != FlashOp::Read || (class.is_move() && self.geometry.unit_shift == 0);
        !alone || self.planes_together() > 1
    }

    fn plane_in_die(&self, head: OpId) -> u32 {
        self.geometry.die_at(self.pool[head].ppa).1
    }

    /// The head in a command that reads the same flash page as `read`.
    fn same_page(&self, mut head: OpId, read: OpId) -> OpId {
        let page = self.flash_page(read);
        while head != NONE && self.flash_page(head) != page {
            head = self.pool[head].next;
        }
        head
    }

    fn add_plane(&mut self, draft: &mut Draft, head: OpId) {
        draft.used |= 1 << self.plane_in_die(head);
        draft.planes += 1;
        self.pool[draft.last].next = head;
        self.pool[head].next = NONE;
        draft.last = head;
    }

    /// When the array of a die stops if it is asked to at `asked`, and what is left of its work then.
    pub(super) fn stop_of_array(&self, die: DieId, asked: Ns, end: Ns) -> (Ns, Ns) {
        let command = &self.dies[die.index()].command;
        let left = end.since(asked).0;
        let erase = command.class.op() == FlashOp::Erase;
        let wait = self.rules.suspend.to_next_step(erase, command.cell.0.saturating_sub(left)).min(left);
        (asked + Ns(wait), Ns(left - wait))
    }

    /// Bus time of the data of one program of one plane: of each of its flash pages that holds something.
    fn program_transfer(&self, head: OpId, bytes: u32) -> Ns {
        if self.geometry.pages_per_program == 1 {
            return self.transfer(bytes);
        }
        let (mut total, mut page, mut filled) = (Ns::ZERO, self.flash_page(head), 0);
        for unit in self.pool.units(head) {
            if self.flash_page(unit) != page {
                total += self.transfer(filled);
                (page, filled) = (self.flash_page(unit), 0);
            }
            filled += self.geometry.unit_bytes;
        }
        total + self.transfer(filled)
    }

    /// Bus time of the data of one flash page of which so many bytes are wanted.
    #[inline(always)]
    pub(super) fn transfer(&self, bytes: u32) -> Ns {
        if bytes == self.geometry.unit_bytes {
            return self.unit_transfer;
        }
        self.timing.transfer(bytes.min(self.geometry.page_bytes))
    }
}

impl Device {
    /// A die got work: it begins, or interrupts what it does, or goes on.
    pub(super) fn look_at(&mut self, die: DieId) {
        match self.flash.dies[die.index()].phase {
            Phase::Idle => self.start_next(die),
            Phase::Array => {
                self.consider_suspending(die);
                if self.flash.overlap.program {
                    self.consider_loading(die);
                }
            }
            _ => {}
        }
    }

    /// A free die takes its next command, or rests.
    #[inline(always)]
    pub(super) fn start_next(&mut self, die: DieId) {
        if self.flash.chips.is_some() {
            self.flash.ask_for_turn(die);
        } else if self.flash.dies[die.index()].has_work() {
            self.take_turn(die);
        } else {
            self.rest_die(die);
        }
    }

    /// A free die has nothing that it may begin.
    #[inline(always)]
    fn rest_die(&mut self, die: DieId) {
        self.flash.dies[die.index()].occupy(None, self.flash.now);
        self.tell_die(die, None);
        self.flash.rest_behind_gates(die);
        if self.flash.plane_collection.is_some() {
            self.turn_is_over(die);
        }
    }

    /// A free die that may begin now takes its next command, or rests.
    #[inline(never)]
    pub(super) fn take_turn(&mut self, die: DieId) {
        loop {
            let Some(class) = self.next_class(die) else {
                if self.flash.dies[die.index()].suspended.is_some() {
                    self.resume(die);
                } else {
                    self.rest_die(die);
                }
                return;
            };
            match self.may_take(die, class) {
                Some(true) => {}
                Some(false) => return self.rest_die(die),
                None => continue,
            }
            if self.begin_first(die, class) {
                return;
            }
        }
    }

    /// A free die begins the first command of a class, unless all that it read is elsewhere by now.
    #[inline(always)]
    pub(super) fn begin_first(&mut self, die: DieId, class: Class) -> bool {
        let head = self.flash.dies[die.index()].pop(&mut self.flash.pool, class);
        if self.controller.cache.is_some() {
            // Behind a cache queues are long.
            self.fetch_next(self.flash.dies[die.index()].first(class));
        }
        if class.is_move() {
            self.fetch_entries_of(self.flash.dies[die.index()].first(class));
        }
        self.note_queue(die, class, Some(head));
        let kept = if class.op() == FlashOp::Read { self.confirm_read(head) } else { head };
        if kept == NONE {
            self.change_load(die, -1);
            return false;
        }
        self.start_command(die, class, kept, NONE);
        true
    }

    /// Asks the scheduler which class goes next; what waits must have an answer.
    #[inline(always)]
    pub(super) fn ask_scheduler(&mut self, die: DieId, waiting: u32) -> Option<Class> {
        let state = &self.flash.dies[die.index()];
        let view = QueueView {
            queues: state.queues(),
            waiting,
            urgent: self.flash.urgent,
            pool: &self.flash.pool,
            now: self.flash.now,
        };
        let class = match &self.flash.scheduler {
            // Tiers of classes have one answer where one class waits, and always a right one.
            SchedulerPolicy::Tiered(tiered) => return only_class(waiting).or_else(|| tiered.next(&view)),
            SchedulerPolicy::Custom(scheduler) => scheduler.next(&view),
        };
        if class.is_none_or(|class| waiting & (1 << class.index()) == 0) {
            self.fail(format!(
                "the scheduler chose {class:?} for {die:?}, where nothing of it waits but other commands do"
            ));
            return None;
        }
        class
    }

    #[inline(always)]
    fn next_class(&mut self, die: DieId) -> Option<Class> {
        let waiting = self.flash.open_work(die);
        if waiting == 0 {
            return None;
        }
        let state = &self.flash.dies[die.index()];
        let Some(suspended) = &state.suspended else {
            return self.ask_scheduler(die, waiting);
        };
        // During a suspension only reads of the host are served, until none is left or the bound is reached.
        let head = state.first(Class::HostRead);
        let over = self.flash.now.since(suspended.since) > self.flash.scheduler.longest_suspension()
            || waiting & self.flash.urgent != 0;
        let closed = waiting & (1 << Class::HostRead.index()) == 0;
        if closed || over || self.flash.reads_a_page_of(head, suspended.command.head) {
            return None;
        }
        Some(Class::HostRead)
    }

    /// Begins a command with this head, whose further pages must follow those of the command at `after`, if any.
    #[inline(never)]
    pub(super) fn start_command(&mut self, die: DieId, class: Class, head: OpId, after: OpId) {
        // Those of the command come before those that wait.
        self.observers.monitor.reads_change(self.flash.real_die(die));
        let first = self.geometry.place(self.flash.pool[head].ppa);
        let mut draft = Draft { head, last: head, first, planes: 1, used: 0, after, most: None };
        self.flash.pool[head].next = NONE;
        if self.flash.may_have_partners(class) && self.flash.dies[die.index()].waits(class) {
            draft.used = 1 << self.geometry.die_of(first.plane).1 | self.flash.collecting_planes(die);
            self.find_partners(die, class, &mut draft);
        }
        let (mut cell, mut data) = self.begin_page(die, class, head, first.page);
        let mut next = self.flash.pool[head].next;
        while next != NONE {
            let page = self.geometry.place(self.flash.pool[next].ppa).page;
            let (array, transfer) = self.begin_page(die, class, next, page);
            cell = cell.max(array);
            data += transfer;
            next = self.flash.pool[next].next;
        }
        let planes = draft.planes;
        let suspensions = self.flash.suspensions_of(self.flash.pool[head].arrived);
        if self.flash.pool[head].copyback {
            let command = Command { head, class, planes, suspensions, ..Command::default() };
            self.start_copyback(die, command);
            return self.verify_planes(die);
        }
        let command = match class.op() {
            FlashOp::Read => self.flash.timing.read_command(planes),
            FlashOp::Program => self.flash.timing.program_command(planes),
            FlashOp::Erase => self.flash.timing.erase_command(planes),
        };
        self.note_command(die, class, planes);
        let retry = self.flash.take_retry_time();
        let blamed = !self.flash.nobody_waits_for(class);
        let state = &mut self.flash.dies[die.index()];
        if blamed {
            let Command { parts, .. } = &mut state.command;
            parts.begin(command.0, data.0, cell.0);
            if retry != Ns::ZERO {
                parts.add(Part::Retry, retry.0);
            }
        }
        state.command.begin(head, class, planes, cell + retry, suspensions);
        state.phase = Phase::Command;
        state.occupy(Some(class), self.flash.now);
        self.tell_die(die, Some(class));
        self.want_channel(die, class, command + data);
        if self.flash.plane_collection.is_some() {
            self.verify_planes(die);
            self.turn_is_over(die);
        }
    }

    /// One flash page of a command: its units stop waiting; a program takes effect. Returns its time in the array, and
    /// for a program that of its data on the channel.
    #[inline(always)]
    fn begin_page(&mut self, die: DieId, class: Class, head: OpId, page: u32) -> (Ns, Ns) {
        let watched = self.ftl.versions.is_some() || self.observers.probe.is_some();
        let (mut unit, mut bytes) = (head, 0);
        while unit != NONE {
            let Purpose { lpa, .. } = self.ftl.purposes[unit];
            let Op { copyback, bytes: wanted, next_unit, tentative, .. } = self.flash.pool[unit];
            if tentative {
                self.judge_guess(unit);
            }
            self.settle_wait(unit, die);
            if class.op() == FlashOp::Read {
                if watched || self.ftl.copies.has(lpa) {
                    self.verify_read(unit);
                }
            } else if watched && copyback {
                self.verify_source(unit);
            }
            bytes = wanted.saturating_add(bytes);
            unit = next_unit;
        }
        self.charge_cell(class, head, page);
        let mode = self.ftl.cell_mode(self.flash.pool[head].ppa);
        match class.op() {
            FlashOp::Read => {
                self.page_disturbs(head, page);
                (self.flash.timing.read(page, mode), Ns::ZERO)
            }
            FlashOp::Program => {
                self.flash.note_program_time(head, page);
                self.commit_program(head);
                (self.flash.timing.program(page, mode), self.flash.program_transfer(head, bytes))
            }
            FlashOp::Erase => (self.flash.timing.erase(mode), Ns::ZERO),
        }
    }

    /// Searches the queue for reads of the same flash page and for commands that other planes can do at the same time.
    #[inline(never)]
    fn find_partners(&mut self, die: DieId, class: Class, draft: &mut Draft) {
        let (read, planes) = (class.op() == FlashOp::Read, self.flash.planes_together());
        // What collection moves is read once, and the rest of the queue is looked at for pages that are read already only.
        let separate = class == Class::MapRead && self.ftl.translation.separate_loads;
        let alone = !read || class == Class::GcRead || separate;
        let all = ((1u64 << self.geometry.planes_per_die) - 1) as u32;
        let mut previous = NONE;
        let mut candidate = self.flash.dies[die.index()].first(class);
        for _ in 0..self.flash.rules.window {
            if candidate == NONE || (alone && (draft.planes == planes || draft.used == all)) {
                return;
            }
            let same = if alone { NONE } else { self.flash.same_page(draft.head, candidate) };
            // Reads of pages that have moved stay behind: they are sent on when their turn comes.
            let partner = (same != NONE || self.may_join(die, class, candidate, draft, planes))
                && (!read || self.stays_as_it_is(candidate))
                && !self.flash.must_wait_for_suspended(die, candidate);
            if !partner {
                if !read {
                    // The pages of a block are programmed in order: nothing of this plane may pass what waits here.
                    draft.used |= 1 << self.flash.plane_in_die(candidate);
                }
                previous = candidate;
                candidate = self.flash.pool[candidate].next;
                continue;
            }
            let after = self.flash.dies[die.index()].unlink(&mut self.flash.pool, class, previous, candidate);
            self.note_queue(die, class, Some(candidate));
            if same != NONE {
                self.flash.pool.chain(same, candidate);
                self.change_load(die, -1);
            } else {
                self.flash.add_plane(draft, candidate);
            }
            candidate = after;
        }
    }

    /// Whether a read that waits can go with another: no page of it has moved, and no guess of it is to be taken back.
    #[inline]
    fn stays_as_it_is(&mut self, head: OpId) -> bool {
        self.are_current(head) && !(self.ftl.translation.asks_systems() && self.has_withdrawn(head))
    }

    /// Whether a waiting command goes in one multi-plane command with those of the draft.
    #[inline]
    fn may_join(&self, die: DieId, class: Class, candidate: OpId, draft: &mut Draft, planes: u32) -> bool {
        if !self.is_partner(candidate, draft, draft.most.unwrap_or(planes)) {
            return false;
        }
        let most = draft.most.unwrap_or_else(|| self.most_planes(die, class, draft).min(planes));
        draft.most = Some(most);
        draft.planes < most
    }

    /// Most planes of a command: reads of the host need not take all that they may.
    fn most_planes(&self, die: DieId, class: Class, draft: &Draft) -> u32 {
        if class != Class::HostRead || !self.flash.is_joining_dear() {
            return u32::MAX;
        }
        let waits = |&other: &usize| self.flash.dies[other].waits(class);
        let beside = self.geometry.dies_beside(die.index()).filter(waits).count() as u64;
        let array =
            self.flash.timing.read(draft.first.page, self.ftl.cell_mode(self.flash.pool[draft.head].ppa));
        let data = self.flash.transfer(self.flash.bytes_wanted(draft.head));
        self.flash.planes_worth_joining(die, beside, [array, data], self.flash.now)
    }

    /// Whether a waiting command may go in one multi-plane command with those of the draft.
    #[inline]
    fn is_partner(&self, candidate: OpId, draft: &Draft, planes: u32) -> bool {
        if draft.planes >= planes || (draft.after != NONE && !self.follows(candidate, draft.after)) {
            return false;
        }
        if draft.used & (1 << self.flash.plane_in_die(candidate)) != 0 {
            return false;
        }
        let place = self.geometry.place(self.flash.pool[candidate].ppa);
        if !self.flash.fit(place, draft.first) {
            return false;
        }
        let first = self.flash.pool[draft.head].ppa;
        if self.ftl.blocks.has_modes()
            && self.ftl.cell_mode(self.flash.pool[candidate].ppa) != self.ftl.cell_mode(first)
        {
            return false;
        }
        let copyback = self.flash.pool[draft.head].copyback;
        self.flash.pool[candidate].copyback == copyback
            && (!copyback || self.flash.sources_fit(candidate, draft.head))
    }

    /// Whether what the die does should be interrupted for a waiting read, and if so, interrupts it.
    #[inline(never)]
    fn consider_suspending(&mut self, die: DieId) {
        // A read that waits for its plane needs nothing of what its die does.
        self.set_aside(die, Class::HostRead);
        let state = &self.flash.dies[die.index()];
        let read = state.first(Class::HostRead);
        let class = state.command.class;
        let closed = self.flash.open_work(die) & (1 << Class::HostRead.index()) == 0;
        let urgent = self.flash.urgent & (1 << class.index()) != 0;
        let stays = urgent || state.command.form == CommandForm::CopybackRead;
        if closed || stays || state.suspended.is_some() || !self.suspends(class) {
            return;
        }
        let takes = match class.op() {
            FlashOp::Read => None,
            FlashOp::Program => self.flash.rules.suspend.program_ns,
            FlashOp::Erase => self.flash.rules.suspend.erase_ns,
        };
        let Some(takes) = takes.map(Ns) else { return };
        let [start, end] = state.array;
        let (begin, left) = self.flash.stop_of_array(die, start.max(self.flash.now), end);
        let may = state.command.suspensions < self.flash.rules.suspend.max_per_operation;
        if may && left > takes && !self.flash.reads_a_page_of(read, state.command.head) {
            self.suspend(die, begin, left, takes);
        }
    }

    /// Whether a read of the host should suspend a command of this class now.
    pub(super) fn suspends(&self, class: Class) -> bool {
        let waiting = self.controller.cache.as_ref().map_or(0, |cache| cache.state.waiting.len());
        self.flash.scheduler.suspends(class, waiting as u32)
    }
}
