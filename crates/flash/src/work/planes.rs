//! Planes that collect beside their die: who serves, who waits, whose turn it is.

use super::issue::start_next;
use crate::nand::die::Phase;
use crate::sched::queue::{NONE, OpId};
use crate::{Above, Flash};
use wordline_base::class::Class;
use wordline_base::ids::{DieId, PlaneId, Ppa};

impl Flash {
    /// Who serves a command of this class at a page, where planes collect by themselves: `None` for its die.
    #[inline]
    pub fn plane_server(&self, class: Class, ppa: Ppa) -> Option<DieId> {
        let collects = self.plane_collection.is_some() && class.is_move();
        collects.then(|| self.servers.of_plane(self.geometry.plane_of(ppa).0))
    }

    /// Whether a server is that of a plane.
    pub(crate) fn is_plane(&self, server: DieId) -> bool {
        self.plane_collection.is_some() && self.servers.plane(server).is_some()
    }

    /// Whether a plane collects now.
    pub fn plane_collects(&self, plane: PlaneId) -> bool {
        let collects = || self.dies[self.servers.of_plane(plane).index()].phase != Phase::Idle;
        self.plane_collection.is_some() && collects()
    }

    /// The planes of a die that collect now, one bit each.
    pub(crate) fn collecting_planes(&self, die: DieId) -> u32 {
        if self.plane_collection.is_none() || self.servers.plane(die).is_some() {
            return 0;
        }
        let collects = |&(_, plane): &(u32, PlaneId)| self.plane_collects(plane);
        (0..).zip(self.servers.planes_in(die)).filter(collects).fold(0, |planes, (bit, _)| planes | 1 << bit)
    }

    /// The planes that a die works on or has interrupted its work on, one bit each.
    fn planes_in_use(&self, die: DieId) -> u32 {
        let state = &self.dies[die.index()];
        let running = if state.phase == Phase::Idle { NONE } else { state.command.head };
        let suspended = state.suspended.as_ref().map_or(NONE, |suspended| suspended.command.head);
        let mut planes = 0;
        for mut head in [running, suspended] {
            while head != NONE {
                planes |= 1 << self.geometry.die_at(self.pool[head].ppa).1;
                head = self.pool[head].next;
            }
        }
        planes
    }

    /// Gates of a die opened: its planes look again, too.
    pub(crate) fn touch_planes(&mut self, die: DieId) {
        self.touched.extend(self.servers.planes_of(die));
    }

    /// Where a waiting program waits that another unit is to join.
    pub fn waits_at(&self, head: OpId) -> DieId {
        let ppa = self.pool[head].ppa;
        let aside = self.plane_collection.as_ref().and_then(|collection| {
            let plane = self.geometry.plane_of(ppa).0;
            collection.planes[plane.index()].aside.contains(&head).then(|| self.servers.of_plane(plane))
        });
        aside.unwrap_or_else(|| self.server_of(head, ppa))
    }

    /// The units of a command waited for one server until now, and wait for another from now on.
    fn waits_elsewhere(&mut self, head: OpId, before: DieId, now: DieId) {
        let mut unit = head;
        while unit != NONE {
            // The time of what may be in vain is told otherwise, and that of the drive's own work not at all.
            if self.pool[unit].waited_for && !self.pool[unit].tentative {
                self.end_die_wait(unit, before);
                self.begin_die_wait(unit, now);
            }
            unit = self.pool[unit].next_unit;
        }
    }

    /// Checked mode: nothing is left aside when the drive is at rest.
    pub fn audit_planes(&self) -> Result<(), String> {
        let planes = self.plane_collection.iter().flat_map(|collection| &collection.planes);
        match planes.map(|plane| plane.aside.len()).sum() {
            0 => Ok(()),
            left => Err(format!("{left} commands are set aside although the drive is at rest")),
        }
    }
}

/// Before a free server takes the first command of a class: whether it may. A die sets aside what its planes aren't free for,
/// and chooses again; a plane that its die uses, or has its turn at, rests.
pub(super) fn may_take<A: Above>(above: &mut A, server: DieId, class: Class) -> Option<bool> {
    let flash = above.flash();
    let Some(collection) = &flash.plane_collection else { return Some(true) };
    match flash.servers.plane(server) {
        None => (!set_aside(above, server, class)).then_some(true),
        Some(plane) => {
            let (die, in_die) = flash.geometry.die_of(plane);
            let in_use = flash.planes_in_use(die) & 1 << in_die;
            Some(in_use == 0 && !collection.planes[plane.index()].die_is_next)
        }
    }
}

/// Sets aside the first commands of a class at a die, as long as their planes collect. Returns whether there were any.
pub(super) fn set_aside<A: Above>(above: &mut A, die: DieId, class: Class) -> bool {
    let mut any = false;
    loop {
        let flash = above.flash_mut();
        let head = flash.dies[die.index()].first(class);
        if head == NONE || flash.plane_collection.is_none() || flash.is_plane(die) {
            return any;
        }
        let plane = flash.geometry.plane_of(flash.pool[head].ppa).0;
        if !flash.plane_collects(plane) {
            return any;
        }
        any = true;
        flash.dies[die.index()].pop(&mut flash.pool, class);
        above.reads_change(die.index());
        let head = above.waits_for_plane(die, head);
        if head == NONE {
            continue;
        }
        let flash = above.flash_mut();
        let Some(collection) = &mut flash.plane_collection else { return any };
        collection.planes[plane.index()].aside.push(head);
        let server = flash.servers.of_plane(plane);
        flash.waits_elsewhere(head, die, server);
    }
}

/// A server has ended a command: of a plane, the die's turn comes; of a die, planes that waited for it go on.
pub(super) fn plane_is_free<A: Above>(above: &mut A, server: DieId) {
    let flash = above.flash_mut();
    let Some(collection) = &mut flash.plane_collection else { return };
    let Some(plane) = flash.servers.plane(server) else { return let_planes_begin(above, server) };
    let die = flash.geometry.die_of(plane).0;
    let state = &mut collection.planes[plane.index()];
    if state.aside.is_empty() {
        return;
    }
    state.die_is_next = true;
    for head in std::mem::take(&mut state.aside) {
        flash.waits_elsewhere(head, server, die);
        let class = flash.pool[head].class;
        flash.dies[die.index()].push_in_order(&mut flash.pool, class, head);
    }
    flash.touched.push(die);
    above.reads_change(die.index());
}

/// A die has taken a command, or has none that it may take: its turn at its planes is over.
pub(super) fn turn_is_over<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash_mut();
    let Some(collection) = &mut flash.plane_collection else { return };
    if flash.servers.plane(die).is_some() {
        return;
    }
    for plane in flash.servers.planes_in(die) {
        collection.planes[plane.index()].die_is_next = false;
    }
    let_planes_begin(above, die);
}

/// Planes of a die that rest although something waits look again.
fn let_planes_begin<A: Above>(above: &mut A, die: DieId) {
    for server in above.flash().servers.planes_of(die) {
        let state = &above.flash().dies[server.index()];
        if state.phase == Phase::Idle && state.has_work() {
            start_next(above, server);
        }
    }
}

/// Checked mode: a command that begins works on no plane that the other server of that plane is working on.
pub(super) fn verify_planes<A: Above>(above: &mut A, server: DieId) {
    let flash = above.flash();
    if !flash.rules.checked {
        return;
    }
    let taken = match flash.servers.die_of_plane(server) {
        None => flash.planes_in_use(server) & flash.collecting_planes(server),
        Some(die) => flash.planes_in_use(server) & flash.planes_in_use(die),
    };
    if taken != 0 {
        above.fail(format!("a command began at {server:?} on planes {taken:#b}, which are at work already"));
    }
}
