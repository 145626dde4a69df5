//! Operations come to their dies and wait there.

use crate::nand::die::Phase;
use crate::sched::queue::{NONE, Op, OpId};
use crate::{Above, Flash};
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::{DieId, Ppa};
use wordline_base::parts::Part;

impl Flash {
    /// The real die of a server.
    #[inline(always)]
    pub fn real_die(&self, server: DieId) -> usize {
        if server.index() < self.outstanding.len() {
            return server.index();
        }
        self.servers.describe(server).die as usize
    }

    /// Whether an operation goes to an ideal server, if there is one: a read of the host that is no work of a write, or one of
    /// the map, for which such reads may wait.
    #[inline(always)]
    pub fn is_ideal(&self, unit: OpId) -> bool {
        let Op { class, for_write, .. } = self.pool[unit];
        self.servers.are_ideal() && matches!(class, Class::HostRead | Class::MapRead) && !for_write
    }

    /// Who serves an operation at `ppa`: its die, or who serves it beside that.
    #[inline(always)]
    pub fn server_of(&self, unit: OpId, ppa: Ppa) -> DieId {
        let (die, plane) = self.geometry.die_at(ppa);
        // Most drives have dies only, and their operations need not be looked at.
        if self.servers.are_ideal() && self.is_ideal(unit) {
            return self.servers.ideal(die, plane);
        }
        if self.servers.read_apart() && self.pool[unit].class.op() == FlashOp::Read {
            return self.servers.of_plane(self.geometry.plane_of(ppa).0);
        }
        if self.plane_collection.is_some() {
            return self.plane_server(self.pool[unit].class, ppa).unwrap_or(die);
        }
        die
    }

    /// Who would serve a read of the host that came for a page now.
    pub fn read_server(&self, ppa: Ppa) -> DieId {
        let (die, plane) = self.geometry.die_at(ppa);
        if self.servers.are_ideal() {
            return self.servers.ideal(die, plane);
        }
        if self.servers.read_apart() { self.servers.of_plane(self.geometry.plane_of(ppa).0) } else { die }
    }

    /// The units of a chain from this one on begin to wait for a die.
    fn begin_waits(&mut self, mut unit: OpId, die: DieId) {
        while unit != NONE {
            self.begin_die_wait(unit, die);
            unit = self.pool[unit].next_unit;
        }
    }

    /// A unit begins to wait for a die.
    #[inline(always)]
    pub fn begin_die_wait(&mut self, id: OpId, die: DieId) {
        self.pool[id].wait_from = self.now;
        if self.pool[id].waited_for {
            self.dies[die.index()].note_clock(self.now, self.pool.snapshot(id));
        }
    }

    /// The wait of a unit for a die is over: blames it on what occupied the die.
    #[inline(always)]
    pub fn end_die_wait(&mut self, unit: OpId, die: DieId) {
        let Op { wait_from, waited_for, tentative, .. } = self.pool[unit];
        if !waited_for || wait_from == self.now || tentative {
            return;
        }
        let clock = self.dies[die.index()].bring_clock_to(self.now);
        let occupied = self.pool.blame_wait(unit, clock);
        if self.gates.are_used() || self.chips.is_some() || self.plane_collection.is_some() {
            // A server rests while something waits behind a gate only, or for the turn of its chip or of its plane.
            let waited = self.now.since(wait_from).0;
            if waited > occupied {
                let takes_turns = self.chips.is_some() || self.is_plane(die);
                let part = if takes_turns { Part::Chip } else { Part::Gate };
                self.pool.parts_mut(unit).add(part, waited - occupied);
            }
        }
    }

    /// All the time since a unit began to wait is this part of its response time.
    #[inline]
    pub fn blame_wait_on(&mut self, part: Part, unit: OpId) {
        let waited = self.now.since(self.pool[unit].wait_from);
        self.pool.parts_mut(unit).add(part, waited.0);
    }

    /// A unit carries the parts of its die's command from here on: the die goes on without it.
    pub fn carry_parts(&mut self, unit: OpId, die: DieId) {
        self.pool.parts_mut(unit).merge(&self.dies[die.index()].command.parts);
    }

    /// A unit joined a program that waits at a die. One that is full now may come in while the one before it is programmed.
    pub fn joined_at(&mut self, die: DieId) {
        if self.overlap.program {
            self.touched.push(die);
        }
    }

    /// Gives an operation its place in the order of arrival, if it has none, and the time of its arrival.
    pub fn arrives(&mut self, unit: OpId) {
        if self.pool[unit].order == 0 {
            self.op_order += 1;
            (self.pool[unit].order, self.pool[unit].arrived) = (self.op_order, self.now);
        }
    }
}

/// Puts a head into the queue of its die. The die looks at it when the event is over.
pub fn submit<A: Above>(above: &mut A, head: OpId) {
    let flash = above.flash_mut();
    let op = &mut flash.pool[head];
    let Op { class, waited_for, next_unit, ppa, .. } = *op;
    let again = op.order != 0;
    op.wait_from = flash.now;
    flash.arrives(head);
    let die = flash.server_of(head, ppa);
    let state = &mut flash.dies[die.index()];
    if waited_for {
        state.note_clock(flash.now, flash.pool.snapshot(head));
    }
    if again {
        state.push_in_order(&mut flash.pool, class, head);
    } else {
        state.push(&mut flash.pool, class, head);
    }
    let busy_but_asked = (flash.rules.interrupts && class == Class::HostRead)
        || (flash.overlap.program && state.phase == Phase::Array);
    if state.phase == Phase::Idle || busy_but_asked {
        flash.touched.push(die);
    }
    if next_unit != NONE && (waited_for || !(class.is_move() && class.op() == FlashOp::Read)) {
        flash.begin_waits(next_unit, die);
    }
    change_load(above, die, 1);
    above.queue_changes(die, class, None);
}

/// The number of commands on a die changes.
#[inline(always)]
pub fn change_load<A: Above>(above: &mut A, server: DieId, change: i32) {
    let flash = above.flash_mut();
    let die = flash.real_die(server);
    let load = &mut flash.outstanding[die];
    let before = *load;
    let after = before.wrapping_add_signed(change);
    *load = after;
    above.load_changes(die, before, after);
}
