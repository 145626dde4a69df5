//! Planes that read apart, at work: which plane begins to read, and when its die has the planes to itself.

use super::issue::{ask_scheduler, begin_first, consider_suspending, rest_die};
use super::suspension::resume;
use crate::nand::die::Phase;
use crate::sched::queue::{Fifo, NONE, OpId};
use crate::{Above, Flash};
use wordline_base::class::{CLASSES, Class, FlashOp};
use wordline_base::ids::DieId;

impl Flash {
    /// Whether a server is a real die whose planes read apart.
    #[inline]
    pub(super) fn is_read_apart(&self, server: DieId) -> bool {
        self.read_planes.is_some() && server.index() < self.outstanding.len()
    }

    /// The server whose commands keep another from beginning: the die, for a plane of it that reads apart.
    #[inline]
    pub(crate) fn keeper(&self, server: DieId) -> DieId {
        self.servers.die_of_reads(server).unwrap_or(server)
    }

    /// Planes of a die that read now by themselves.
    fn reading(&self, die: DieId) -> u32 {
        self.read_planes.as_ref().map_or(0, |planes| planes.reading(die))
    }

    /// Classes of which something waits at a server, or at its planes where they read apart, one bit each.
    #[inline]
    pub(crate) fn waiting_with_planes(&self, server: DieId) -> u32 {
        let own = self.dies[server.index()].waiting();
        if !self.is_read_apart(server) {
            return own;
        }
        self.servers
            .planes_of(server)
            .fold(own, |classes, plane| classes | self.dies[plane.index()].waiting())
    }

    /// What waits at a die and at its planes, by class: of reads the queue of the plane where the oldest one waits.
    pub(crate) fn queues_with_planes(&self, die: DieId) -> Option<[Fifo; CLASSES]> {
        if !self.is_read_apart(die) {
            return None;
        }
        let mut queues = *self.dies[die.index()].queues();
        for plane in self.servers.planes_of(die) {
            let state = &self.dies[plane.index()];
            for (all, own) in queues.iter_mut().zip(state.queues()) {
                let older = |all: &Fifo| self.pool[own.head].order < self.pool[all.head].order;
                if !own.is_empty() && (all.is_empty() || older(all)) {
                    *all = *own;
                }
            }
        }
        Some(queues)
    }

    /// The read of the host for which a die may stop what it does: where planes read apart, the first of one of them that wants
    /// no page of that; [`NONE`] if none waits.
    pub(crate) fn read_to_stop_for(&self, die: DieId) -> OpId {
        if !self.is_read_apart(die) {
            return self.dies[die.index()].first(Class::HostRead);
        }
        let running = self.dies[die.index()].command.head;
        let first = |plane: DieId| self.dies[plane.index()].first(Class::HostRead);
        let stops = |&read: &OpId| read != NONE && !self.reads_a_page_of(read, running);
        self.servers.planes_of(die).map(first).find(stops).unwrap_or(NONE)
    }

    /// A plane has ended its read. Its die counts as taken by what the plane that is done last reads.
    pub(crate) fn plane_has_read(&mut self, server: DieId) {
        let Some(die) = self.servers.die_of_reads(server) else { return };
        let Some(planes) = &mut self.read_planes else { return };
        planes.ends(die);
        if planes.reading(die) > 0 {
            let class = self.plane_done_last(die).map(|plane| self.dies[plane.index()].command.class);
            self.dies[die.index()].occupy(class, self.now);
        }
    }

    /// What keeps a resting plane from reading.
    fn keeps(&self, die: DieId) -> Option<Class> {
        let state = &self.dies[die.index()];
        if state.phase != Phase::Idle {
            return Some(state.command.class);
        }
        let closed = self.read_planes.as_ref().and_then(|planes| planes.closed_for(die));
        closed.or_else(|| state.suspended.as_ref().map(|suspended| suspended.command.class))
    }

    /// Planes that rest wait for what keeps them from now on.
    fn planes_rest(&mut self, die: DieId) {
        let keeps = self.keeps(die);
        for plane in self.servers.planes_of(die) {
            if self.dies[plane.index()].phase == Phase::Idle {
                self.dies[plane.index()].occupy(keeps, self.now);
                self.rest_behind_gates(plane);
            }
        }
    }

    fn close_for(&mut self, die: DieId, class: Option<Class>) {
        if let Some(planes) = &mut self.read_planes {
            planes.close_for(die, class);
        }
    }
}

/// A server without a command, of a drive whose planes read apart, begins what it may.
pub(super) fn look<A: Above>(above: &mut A, server: DieId) {
    match above.flash().servers.die_of_reads(server) {
        Some(die) => plane_looks(above, die, server),
        None => die_looks(above, server),
    }
}

fn plane_looks<A: Above>(above: &mut A, die: DieId, plane: DieId) {
    if begins_to_read(above, die, plane) {
        return;
    }
    above.die_taken(plane, None);
    above.flash_mut().planes_rest(die);
    let flash = above.flash();
    if flash.dies[die.index()].phase == Phase::Idle && flash.reading(die) == 0 {
        die_looks(above, die);
    }
}

/// A die without a command of its own: begins one, goes on with one, lets its planes read, or rests.
fn die_looks<A: Above>(above: &mut A, die: DieId) {
    if above.flash().reading(die) > 0 {
        return consider_closing(above, die);
    }
    above.flash_mut().close_for(die, None);
    if above.flash().dies[die.index()].suspended.is_some() {
        if !planes_begin(above, die) {
            resume(above, die);
        }
        return above.flash_mut().planes_rest(die);
    }
    while let Some(class) = next_of_all(above, die) {
        let begun = match class.op() {
            FlashOp::Read => planes_begin(above, die),
            _ => begin_first(above, die, class),
        };
        if begun {
            return above.flash_mut().planes_rest(die);
        }
    }
    rest_die(above, die);
    above.flash_mut().planes_rest(die);
}

/// The planes of a die that may read begin. Whether any did.
fn planes_begin<A: Above>(above: &mut A, die: DieId) -> bool {
    for plane in above.flash().servers.planes_of(die) {
        if above.flash().dies[plane.index()].phase == Phase::Idle {
            begins_to_read(above, die, plane);
        }
    }
    above.flash().reading(die) > 0
}

/// A resting plane begins the next read that it may. Whether it did.
fn begins_to_read<A: Above>(above: &mut A, die: DieId, plane: DieId) -> bool {
    while let Some(class) = next_read(above, die, plane) {
        if begin_first(above, plane, class) {
            let flash = above.flash_mut();
            if let Some(planes) = &mut flash.read_planes {
                planes.begins(die);
            }
            flash.dies[die.index()].occupy(Some(class), flash.now);
            verify(above, die);
            return true;
        }
    }
    false
}

/// Class of the read that a plane begins next; `None` while nothing waits or its die keeps it.
fn next_read<A: Above>(above: &mut A, die: DieId, plane: DieId) -> Option<Class> {
    let flash = above.flash();
    let (own, state) = (flash.open_work(plane), &flash.dies[die.index()]);
    if own == 0 || flash.read_planes.as_ref().is_none_or(|planes| planes.closed_for(die).is_some()) {
        return None;
    }
    match state.phase {
        Phase::Idle => {}
        Phase::Array => {
            consider_suspending(above, die);
            return None;
        }
        _ => return None,
    }
    if state.suspended.is_some() {
        return flash.may_read_in_suspension(die, plane, own).then_some(Class::HostRead);
    }
    if state.waiting() != 0 && closes(above, die) {
        return None;
    }
    ask_scheduler(above, plane, own)
}

/// What the scheduler wants of all that waits at a die and its planes.
fn next_of_all<A: Above>(above: &mut A, die: DieId) -> Option<Class> {
    let waiting = above.flash().open_work(die);
    if waiting == 0 { None } else { ask_scheduler(above, die, waiting) }
}

/// Work came to a die whose planes read: if the scheduler wants it first, no further read begins.
fn consider_closing<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash();
    let closed = flash.read_planes.as_ref().is_some_and(|planes| planes.closed_for(die).is_some());
    if closed || flash.dies[die.index()].suspended.is_some() {
        return;
    }
    if closes(above, die) {
        above.flash_mut().planes_rest(die);
    }
}

/// Closes a die if the scheduler wants a command of the whole die next. Whether it does.
fn closes<A: Above>(above: &mut A, die: DieId) -> bool {
    let wanted = next_of_all(above, die).filter(|class| class.op() != FlashOp::Read);
    if wanted.is_some() {
        above.flash_mut().close_for(die, wanted);
    }
    wanted.is_some()
}

/// Checked mode: while planes of a die read it is at nothing else, and as many read as are said to.
fn verify<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash();
    if !flash.rules.checked {
        return;
    }
    let at_work = |plane: &DieId| flash.dies[plane.index()].phase != Phase::Idle;
    let reading = flash.servers.planes_of(die).filter(at_work).count();
    if flash.dies[die.index()].phase != Phase::Idle || reading != flash.reading(die) as usize {
        above.fail(format!("a plane of {die:?} began to read beside a command of the whole die"));
    }
}
