//! A die takes its next command: chosen by the scheduler, joined by what can go with it.

use super::apart::look;
use super::cache_operations::{consider_loading, follows};
use super::copyback::start_copyback;
use super::disturb::page_disturbs;
use super::planes::{may_take, set_aside, turn_is_over, verify_planes};
use super::queue::change_load;
use super::suspension::{resume, suspend};
use super::transfers::want_channel;
use crate::nand::Place;
use crate::nand::die::{Command, CommandForm, Phase};
use crate::sched::queue::{NONE, Op, OpId};
use crate::sched::{QueueView, Scheduler, SchedulerPolicy};
use crate::{Above, Flash};
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
pub(crate) fn only_class(waiting: u32) -> Option<Class> {
    if waiting.is_power_of_two() { Class::ALL.get(waiting.trailing_zeros() as usize).copied() } else { None }
}

impl Flash {
    /// Whether a read wants a flash page whose program is suspended.
    fn must_wait_for_suspended(&self, die: DieId, read: OpId) -> bool {
        let suspended = &self.dies[self.keeper(die).index()].suspended;
        suspended.as_ref().is_some_and(|suspended| self.reads_a_page_of(read, suspended.command.head))
    }

    /// Whether a read wants a flash page that a command is programming.
    pub(crate) fn reads_a_page_of(&self, read: OpId, head: OpId) -> bool {
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

    /// Number of the flash page of an operation.
    pub fn flash_page(&self, head: OpId) -> u32 {
        self.pool[head].ppa.0 >> self.geometry.unit_shift
    }

    /// With how many suspensions a command that came then begins. What the bound on waiting let go first must not be
    /// stopped by those that it passed.
    #[inline(always)]
    pub(crate) fn suspensions_of(&self, arrived: Ns) -> u32 {
        if self.now.since(arrived) > self.scheduler.longest_suspension() { u32::MAX } else { 0 }
    }

    /// Planes of a die that can work at the same time.
    #[inline(always)]
    pub fn planes_together(&self) -> u32 {
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
    pub fn stop_of_array(&self, die: DieId, asked: Ns, end: Ns) -> (Ns, Ns) {
        let command = &self.dies[die.index()].command;
        let left = end.since(asked).0;
        let erase = command.class.op() == FlashOp::Erase;
        let wait = self.rules.suspend.to_next_step(erase, command.cell.0.saturating_sub(left)).min(left);
        (asked + Ns(wait), Ns(left - wait))
    }

    /// Bus time of the data of one program of one plane: of each of its flash pages that holds something.
    pub(super) fn program_transfer(&self, head: OpId, bytes: u32) -> Ns {
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
    pub fn transfer(&self, bytes: u32) -> Ns {
        if bytes == self.geometry.unit_bytes {
            return self.unit_transfer;
        }
        self.timing.transfer(bytes.min(self.geometry.page_bytes))
    }
}

/// The event is over: dies that got work look at it, in the order in which they got it.
#[inline(always)]
pub fn look_at_touched<A: Above>(above: &mut A) {
    let mut next = 0;
    while let Some(&die) = above.flash().touched.get(next) {
        look_at(above, die);
        next += 1;
    }
    above.flash_mut().touched.clear();
}

/// A die got work: it begins, or interrupts what it does, or goes on.
fn look_at<A: Above>(above: &mut A, die: DieId) {
    match above.flash().dies[die.index()].phase {
        Phase::Idle => start_next(above, die),
        Phase::Array => {
            consider_suspending(above, die);
            if above.flash().overlap.program {
                consider_loading(above, die);
            }
        }
        _ => {}
    }
}

/// A free die takes its next command, or rests.
#[inline(always)]
pub(super) fn start_next<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash_mut();
    if flash.chips.is_some() {
        flash.ask_for_turn(die);
    } else if flash.read_planes.is_some() && !flash.servers.is_ideal(die) {
        look(above, die);
    } else if flash.dies[die.index()].has_work() {
        take_turn(above, die);
    } else {
        rest_die(above, die);
    }
}

/// A free die has nothing that it may begin.
#[inline(always)]
pub(super) fn rest_die<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash_mut();
    flash.dies[die.index()].occupy(None, flash.now);
    above.die_taken(die, None);
    let flash = above.flash_mut();
    flash.rest_behind_gates(die);
    if flash.plane_collection.is_some() {
        turn_is_over(above, die);
    }
}

/// A free die that may begin now takes its next command, or rests.
#[inline(never)]
pub(super) fn take_turn<A: Above>(above: &mut A, die: DieId) {
    loop {
        let Some(class) = next_class(above, die) else {
            if above.flash().dies[die.index()].suspended.is_some() {
                resume(above, die);
            } else {
                rest_die(above, die);
            }
            return;
        };
        match may_take(above, die, class) {
            Some(true) => {}
            Some(false) => return rest_die(above, die),
            None => continue,
        }
        if begin_first(above, die, class) {
            return;
        }
    }
}

/// A free die begins the first command of a class, unless all that it read is elsewhere by now.
#[inline(always)]
pub(super) fn begin_first<A: Above>(above: &mut A, die: DieId, class: Class) -> bool {
    let flash = above.flash_mut();
    let head = flash.dies[die.index()].pop(&mut flash.pool, class);
    above.fetch_next(class, above.flash().dies[die.index()].first(class));
    above.queue_changes(die, class, Some(head));
    let kept = if class.op() == FlashOp::Read { above.takes(head) } else { head };
    if kept == NONE {
        change_load(above, die, -1);
        return false;
    }
    start_command(above, die, class, kept, NONE);
    true
}

/// Asks the scheduler which class goes next; what waits must have an answer.
#[inline(always)]
pub(super) fn ask_scheduler<A: Above>(above: &mut A, die: DieId, waiting: u32) -> Option<Class> {
    let flash = above.flash();
    if let Some(class) = only_class(waiting) {
        // There is one answer where one class waits.
        return Some(class);
    }
    let with_planes = flash.queues_with_planes(die);
    let view = QueueView {
        queues: with_planes.as_ref().unwrap_or_else(|| flash.dies[die.index()].queues()),
        waiting,
        urgent: flash.urgent,
        pool: &flash.pool,
        now: flash.now,
    };
    let class = match &flash.scheduler {
        // And always a right one.
        SchedulerPolicy::Tiered(tiered) => return tiered.next(&view),
        SchedulerPolicy::Custom(scheduler) => scheduler.next(&view),
    };
    if class.is_none_or(|class| waiting & (1 << class.index()) == 0) {
        above.fail(format!(
            "the scheduler chose {class:?} for {die:?}, where nothing of it waits but other commands do"
        ));
        return None;
    }
    class
}

#[inline(always)]
fn next_class<A: Above>(above: &mut A, die: DieId) -> Option<Class> {
    let flash = above.flash();
    let waiting = flash.open_work(die);
    if waiting == 0 {
        return None;
    }
    if flash.dies[die.index()].suspended.is_some() {
        return flash.may_read_in_suspension(die, die, waiting).then_some(Class::HostRead);
    }
    ask_scheduler(above, die, waiting)
}

/// Begins a command with this head, whose further pages must follow those of the command at `after`, if any.
#[inline(never)]
pub(super) fn start_command<A: Above>(above: &mut A, die: DieId, class: Class, head: OpId, after: OpId) {
    let flash = above.flash_mut();
    let real = flash.real_die(die);
    let first = flash.geometry.place(flash.pool[head].ppa);
    flash.pool[head].next = NONE;
    let partners = flash.may_have_partners(class) && flash.dies[die.index()].waits(class);
    let mut draft = Draft { head, last: head, first, planes: 1, used: 0, after, most: None };
    // Those of the command come before those that wait.
    above.reads_change(real);
    if partners {
        let flash = above.flash();
        draft.used = 1 << flash.geometry.die_of(first.plane).1 | flash.collecting_planes(die);
        find_partners(above, die, class, &mut draft);
    }
    let (mut cell, mut data) = begin_page(above, die, class, head, first.page);
    let mut next = above.flash().pool[head].next;
    while next != NONE {
        let page = above.flash().geometry.place(above.flash().pool[next].ppa).page;
        let (array, transfer) = begin_page(above, die, class, next, page);
        cell = cell.max(array);
        data += transfer;
        next = above.flash().pool[next].next;
    }
    let planes = draft.planes;
    let flash = above.flash();
    let suspensions = flash.suspensions_of(flash.pool[head].arrived);
    if flash.pool[head].copyback {
        let command = Command { head, class, planes, suspensions, ..Command::default() };
        start_copyback(above, die, command);
        return verify_planes(above, die);
    }
    above.command_begins(die, class, planes);
    let flash = above.flash_mut();
    let command = match class.op() {
        FlashOp::Read => flash.timing.read_command(planes),
        FlashOp::Program => flash.timing.program_command(planes),
        FlashOp::Erase => flash.timing.erase_command(planes),
    };
    let retry = flash.take_retry_time();
    let blamed = !flash.nobody_waits_for(class);
    let state = &mut flash.dies[die.index()];
    if blamed {
        let Command { parts, .. } = &mut state.command;
        parts.begin(command.0, data.0, cell.0);
        if retry != Ns::ZERO {
            parts.add(Part::Retry, retry.0);
        }
    }
    state.command.begin(head, class, planes, cell + retry, suspensions);
    state.phase = Phase::Command;
    state.occupy(Some(class), flash.now);
    above.die_taken(die, Some(class));
    want_channel(above, die, class, command + data);
    if above.flash().plane_collection.is_some() {
        verify_planes(above, die);
        turn_is_over(above, die);
    }
}

/// One flash page of a command: its units stop waiting; a program takes effect. Returns its time in the array, and
/// for a program that of its data on the channel.
#[inline(always)]
fn begin_page<A: Above>(above: &mut A, die: DieId, class: Class, head: OpId, page: u32) -> (Ns, Ns) {
    let (mut unit, mut bytes) = (head, 0);
    while unit != NONE {
        let Op { bytes: wanted, next_unit, .. } = above.flash().pool[unit];
        above.unit_begins(unit);
        above.flash_mut().end_die_wait(unit, die);
        bytes = wanted.saturating_add(bytes);
        unit = next_unit;
    }
    above.cell_begins(class, head, page);
    let mode = above.cell_mode(above.flash().pool[head].ppa);
    match class.op() {
        FlashOp::Read => {
            page_disturbs(above, head, page);
            (above.flash().timing.read(page, mode), Ns::ZERO)
        }
        FlashOp::Program => {
            let flash = above.flash_mut();
            flash.note_program_time(head, page);
            let times = (flash.timing.program(page, mode), flash.program_transfer(head, bytes));
            above.program_begins(head);
            times
        }
        FlashOp::Erase => (above.flash().timing.erase(mode), Ns::ZERO),
    }
}

/// Searches the queue for reads of the same flash page and for commands that other planes can do at the same time.
#[inline(never)]
fn find_partners<A: Above>(above: &mut A, die: DieId, class: Class, draft: &mut Draft) {
    let flash = above.flash();
    let (read, planes) = (class.op() == FlashOp::Read, flash.planes_together());
    // What collection moves is read once, and the rest of the queue is looked at for pages that are read already only.
    let separate = class == Class::MapRead && flash.rules.separate_map_reads;
    let alone = !read || class == Class::GcRead || separate;
    let all = ((1u64 << flash.geometry.planes_per_die) - 1) as u32;
    // Where planes work on the same page only, a read of another one joins nothing: most of a long queue is passed over by that.
    let page = (read && flash.rules.multi_plane != MultiPlaneRule::Any).then_some(draft.first.page);
    let mut previous = NONE;
    let mut candidate = flash.dies[die.index()].first(class);
    for _ in 0..flash.rules.window {
        if candidate == NONE || (alone && (draft.planes == planes || draft.used == all)) {
            return;
        }
        let flash = above.flash();
        let Op { ppa, next, .. } = flash.pool[candidate];
        if page.is_some_and(|page| flash.geometry.page_in_block(ppa) != page) {
            (previous, candidate) = (candidate, next);
            continue;
        }
        let same = if alone { NONE } else { flash.same_page(draft.head, candidate) };
        // Reads of pages that have moved stay behind: they are sent on when their turn comes.
        let partner = (same != NONE || may_join(above, die, class, candidate, draft, planes))
            && (!read || above.stands(candidate))
            && !above.flash().must_wait_for_suspended(die, candidate);
        let flash = above.flash_mut();
        if !partner {
            if !read {
                // The pages of a block are programmed in order: nothing of this plane may pass what waits here.
                draft.used |= 1 << flash.plane_in_die(candidate);
            }
            previous = candidate;
            candidate = flash.pool[candidate].next;
            continue;
        }
        let after = flash.dies[die.index()].unlink(&mut flash.pool, class, previous, candidate);
        above.queue_changes(die, class, Some(candidate));
        if same != NONE {
            above.flash_mut().pool.chain(same, candidate);
            change_load(above, die, -1);
        } else {
            above.flash_mut().add_plane(draft, candidate);
        }
        candidate = after;
    }
}

/// Whether a waiting command goes in one multi-plane command with those of the draft.
#[inline]
fn may_join<A: Above>(
    above: &A,
    die: DieId,
    class: Class,
    candidate: OpId,
    draft: &mut Draft,
    planes: u32,
) -> bool {
    if !is_partner(above, candidate, draft, draft.most.unwrap_or(planes)) {
        return false;
    }
    let most = draft.most.unwrap_or_else(|| most_planes(above, die, class, draft).min(planes));
    draft.most = Some(most);
    draft.planes < most
}

/// Most planes of a command: reads of the host need not take all that they may.
fn most_planes<A: Above>(above: &A, die: DieId, class: Class, draft: &Draft) -> u32 {
    let flash = above.flash();
    if class != Class::HostRead || !flash.is_joining_dear() {
        return u32::MAX;
    }
    let waits = |&other: &usize| flash.dies[other].waits(class);
    let beside = flash.geometry.dies_beside(die.index()).filter(waits).count() as u64;
    let array = flash.timing.read(draft.first.page, above.cell_mode(flash.pool[draft.head].ppa));
    let data = flash.transfer(flash.bytes_wanted(draft.head));
    flash.planes_worth_joining(die, beside, [array, data], flash.now)
}

/// Whether a waiting command may go in one multi-plane command with those of the draft.
#[inline]
fn is_partner<A: Above>(above: &A, candidate: OpId, draft: &Draft, planes: u32) -> bool {
    if draft.planes >= planes || (draft.after != NONE && !follows(above, candidate, draft.after)) {
        return false;
    }
    let flash = above.flash();
    if draft.used & (1 << flash.plane_in_die(candidate)) != 0 {
        return false;
    }
    let place = flash.geometry.place(flash.pool[candidate].ppa);
    if !flash.fit(place, draft.first) {
        return false;
    }
    let first = flash.pool[draft.head].ppa;
    if above.cell_mode(flash.pool[candidate].ppa) != above.cell_mode(first) {
        return false;
    }
    let copyback = flash.pool[draft.head].copyback;
    flash.pool[candidate].copyback == copyback && (!copyback || flash.sources_fit(candidate, draft.head))
}

/// Whether what the die does should be interrupted for a waiting read, and if so, interrupts it.
#[inline(never)]
pub(super) fn consider_suspending<A: Above>(above: &mut A, die: DieId) {
    // A read that waits for its plane needs nothing of what its die does.
    set_aside(above, die, Class::HostRead);
    let flash = above.flash();
    let state = &flash.dies[die.index()];
    let read = flash.read_to_stop_for(die);
    let class = state.command.class;
    let closed = read == NONE || flash.open_work(die) & (1 << Class::HostRead.index()) == 0;
    let urgent = flash.urgent & (1 << class.index()) != 0;
    let stays = urgent || state.command.form == CommandForm::CopybackRead;
    if closed || stays || state.suspended.is_some() || !suspends(above, class) {
        return;
    }
    let takes = match class.op() {
        FlashOp::Read => None,
        FlashOp::Program => flash.rules.suspend.program_ns,
        FlashOp::Erase => flash.rules.suspend.erase_ns,
    };
    let Some(takes) = takes.map(Ns) else { return };
    let [start, end] = state.array;
    let (begin, left) = flash.stop_of_array(die, start.max(flash.now), end);
    let may = state.command.suspensions < flash.rules.suspend.max_per_operation;
    if may && left > takes && !flash.reads_a_page_of(read, state.command.head) {
        suspend(above, die, begin, left, takes);
    }
}

/// Whether a read of the host should suspend a command of this class now.
pub fn suspends<A: Above>(above: &A, class: Class) -> bool {
    above.flash().scheduler.suspends(class, above.waiting_writes())
}
