//! Page programs: a place is allocated when the write comes, and takes effect when the die takes the command.

use std::collections::VecDeque;

use super::Device;
use crate::blocks::BlockState;
use crate::ids::{DieId, DomainId, Lpa, PlaneId, Ppa, SuperblockId};
use crate::placement::{Placement, PlacementView, ProgramIntent};
use crate::sched::class::{Cause, Class};
use crate::sched::queue::{NONE, Op, OpId};
use crate::stats::blame::Part;

impl Device {
    /// Sends one unit of a write request on its way: first a read where only a part of it is written.
    /// `plane` is where the units of its flash page go, once the placement has been asked.
    pub(super) fn write_for_host(&mut self, request: u32, lpa: Lpa, bytes: u32, plane: &mut Option<PlaneId>) {
        let partial = bytes < self.geometry.unit_bytes;
        let op = Op { request, bytes, partial, ..Op::new(Class::HostProgram, lpa, Ppa::NONE) };
        let id = self.pool.insert(op);
        if !partial {
            let plane = *plane.get_or_insert_with(|| self.place(lpa));
            return self.program_on(plane, id);
        }
        // One at a time for each page: each must build on what the one before it left.
        if let Some(waiting) = self.partial_writes.get_mut(&lpa) {
            self.pool[id].wait_from = self.now;
            return waiting.push_back(id);
        }
        self.partial_writes.insert(lpa, VecDeque::new());
        self.begin_read_modify_write(id);
    }

    /// A write of a part of this page took effect: the next may begin.
    fn next_partial_write(&mut self, lpa: Lpa) {
        let Some(waiting) = self.partial_writes.get_mut(&lpa) else { return };
        let Some(id) = waiting.pop_front() else {
            self.partial_writes.remove(&lpa);
            return;
        };
        let waited = self.now.since(self.pool[id].wait_from);
        self.pool.parts_mut(id).add(Part::Conflict, waited.0);
        self.begin_read_modify_write(id);
    }

    /// Reads the old content of a unit that is written in part; a unit without content needs none.
    fn begin_read_modify_write(&mut self, id: OpId) {
        let ppa = self.lookup(self.pool[id].lpa);
        self.pool[id].source = Ppa::NONE;
        if ppa.is_some() {
            self.pool[id].class = Class::HostRead;
            self.pool[id].ppa = ppa;
            self.pool[id].bytes = self.geometry.unit_bytes;
            self.enqueue(id);
        } else {
            self.program_for_host(id);
        }
    }

    /// Allocates a place for a unit of the host and queues its program, or lets it wait for space.
    pub(super) fn program_for_host(&mut self, id: OpId) {
        let plane = self.place(self.pool[id].lpa);
        self.program_on(plane, id);
    }

    fn program_on(&mut self, plane: PlaneId, id: OpId) {
        let op = &mut self.pool[id];
        op.order = 0;
        op.class = Class::HostProgram;
        op.bytes = self.geometry.unit_bytes;
        op.wait_from = self.now;
        let domain = self.domains.of(plane);
        self.domain[domain.index()].live += 1;
        if self.domain[domain.index()].stalled.is_empty() && self.can_take_unit(domain) {
            self.allocate_for_host(domain, id);
        } else {
            self.recorder.gc.stalled_units += 1;
            self.domain[domain.index()].stalled.push_back(id);
            self.check_collection(domain);
        }
    }

    /// Asks the placement.
    pub(super) fn place(&mut self, lpa: Lpa) -> PlaneId {
        let (domains, domain, limit) = (&self.domains, &self.domain, self.room_limit);
        let held = |plane: PlaneId| domain[domains.of(plane).index()].live;
        let has_room = |plane: PlaneId| held(plane) < limit;
        let view = PlacementView {
            geometry: &self.geometry,
            outstanding: &self.outstanding,
            has_room: &has_room,
            held: &held,
        };
        let plane = self.placement.place(&ProgramIntent { lpa }, &view);
        if plane.0 >= self.geometry.planes() {
            self.fail(format!(
                "the placement chose {plane:?} of a drive of {} planes",
                self.geometry.planes()
            ));
            return PlaneId(0);
        }
        plane
    }

    /// Whether the host may put one more unit into a domain now.
    pub(super) fn can_take_unit(&self, domain: DomainId) -> bool {
        let state = &self.domain[domain.index()];
        state.host.has_page()
            || state.free.len() as u32 > self.thresholds.reserve
            || (state.host.open_page != NONE && state.host.filled < self.geometry.units_per_page())
    }

    /// Gives a unit its place: beside the last one if that flash page still waits, else on the next flash page.
    fn allocate_for_host(&mut self, domain: DomainId, id: OpId) {
        let units_per_page = self.geometry.units_per_page();
        let state = &mut self.domain[domain.index()];
        if state.host.open_page != NONE && state.host.filled < units_per_page {
            let (head, ppa) = (state.host.open_page, Ppa(state.host.page.0 + state.host.filled));
            state.host.filled += 1;
            self.pool[id].ppa = ppa;
            let die = self.die_of(ppa).0;
            self.begin_wait(id, die);
            self.pool.chain(head, id);
            if self.overlap.program {
                // A page that is full now may come in while the one before it is programmed.
                self.touched.push(die);
            }
            return;
        }
        let page = self.take_page(domain, Cause::Host);
        let state = &mut self.domain[domain.index()];
        state.host.filled = 1;
        state.host.open_page = if units_per_page > 1 { id } else { NONE };
        self.pool[id].ppa = page;
        self.enqueue(id);
        self.check_collection(domain);
    }

    /// Takes the next flash page of a write point, opening a superblock where needed. One must be free.
    pub(super) fn take_page(&mut self, domain: DomainId, cause: Cause) -> Ppa {
        self.close_untimed_page(domain, cause);
        let planes = self.domains.planes(domain);
        let state = &mut self.domain[domain.index()];
        let point = if cause == Cause::Gc { &mut state.gc } else { &mut state.host };
        if !point.has_page() {
            let Some(superblock) = state.free.pop_front() else {
                let what =
                    format!("no free block is left in {domain:?} for {cause:?}: {:?}", state.collector);
                self.fail(what);
                return Ppa(0);
            };
            let rows = self.blocks.open(superblock, point.mode);
            point.open(superblock, self.blocks.split(superblock).1, rows);
        }
        let page = point.take_page(&self.geometry, planes);
        let (superblock, last) = (point.superblock, !point.has_page());
        self.blocks.begin(superblock);
        if last {
            self.blocks.set_state(superblock, BlockState::Closing);
        }
        page
    }

    /// Lets writes that waited for space go on, as far as there is space.
    pub(super) fn release_stalled(&mut self, domain: DomainId) {
        while self.can_take_unit(domain) {
            let Some(id) = self.domain[domain.index()].stalled.pop_front() else { return };
            self.end_stall(domain, id);
        }
    }

    /// A write that waited for space gets its place.
    fn end_stall(&mut self, domain: DomainId, id: OpId) {
        let waited = self.now.since(self.pool[id].wait_from);
        self.pool.parts_mut(id).add(Part::Space, waited.0);
        self.allocate_for_host(domain, id);
    }

    /// Asks the placement again for every write that waits for space. For a drive at rest: a domain whose blocks are
    /// all valid wins no space of its own. Returns whether any write goes on.
    pub fn place_stalled_anew(&mut self) -> bool {
        let mut moved = false;
        for number in 0..self.domain.len() {
            for _ in 0..self.domain[number].stalled.len() {
                let Some(id) = self.domain[number].stalled.pop_front() else { break };
                self.domain[number].live -= 1;
                let plane = self.place(self.pool[id].lpa);
                let domain = self.domains.of(plane);
                self.domain[domain.index()].live += 1;
                if domain.index() != number && self.can_take_unit(domain) {
                    moved = true;
                    self.end_stall(domain, id);
                } else {
                    self.domain[domain.index()].stalled.push_back(id);
                }
            }
        }
        self.look_at_touched_dies();
        moved
    }

    /// The die takes the program of this flash page: its units take effect.
    pub(super) fn commit_page(&mut self, head: OpId) {
        let Op { ppa, class, .. } = self.pool[head];
        if class == Class::HostProgram && self.geometry.unit_shift > 0 {
            let domain = self.domain_of(ppa);
            let point = &mut self.domain[domain.index()].host;
            if point.open_page == head {
                point.open_page = NONE;
            }
        }
        let superblock = self.blocks.of(&self.geometry, ppa);
        let mut unit = head;
        while unit != NONE {
            if class == Class::HostProgram {
                self.commit_host_unit(unit, superblock);
            } else {
                self.commit_moved_unit(unit, superblock);
            }
            unit = self.pool[unit].next_unit;
        }
    }

    fn commit_host_unit(&mut self, unit: OpId, superblock: SuperblockId) {
        let Op { lpa, ppa, source, partial, request, .. } = self.pool[unit];
        let old = self.lookup(lpa);
        if partial && old.is_some() && old != source {
            // Someone else rewrote or moved the unit after its old content was read: read it again.
            return self.retry_read_modify_write(unit);
        }
        self.pool[unit].replaced = old;
        self.mapped_units += u64::from(!old.is_some());
        self.store(lpa, ppa, superblock);
        if let Some(versions) = &mut self.versions {
            versions.write(lpa, ppa);
        }
        if self.probe.is_some() {
            let id = self.request_id(request);
            if let Some(probe) = &mut self.probe {
                probe.took_effect(id, lpa, self.now);
            }
        }
        if partial {
            self.next_partial_write(lpa);
        }
    }

    /// Leaves this place unused and begins anew, keeping what is known of where the time went.
    fn retry_read_modify_write(&mut self, unit: OpId) {
        let old = self.pool[unit];
        let again = self.pool.insert(Op {
            request: old.request,
            bytes: old.bytes,
            partial: true,
            ..Op::new(Class::HostProgram, old.lpa, Ppa::NONE)
        });
        if let Some(&parts) = self.pool.parts(unit) {
            *self.pool.parts_mut(again) = parts;
        }
        self.pool[unit].request = NONE;
        self.unused(unit);
        self.begin_read_modify_write(again);
    }

    fn commit_moved_unit(&mut self, unit: OpId, superblock: SuperblockId) {
        let Op { lpa, ppa, source, .. } = self.pool[unit];
        if self.lookup(lpa) != source {
            // Overwritten or trimmed while the move was under way: the programmed copy is nobody's.
            return self.unused(unit);
        }
        self.pool[unit].replaced = source;
        self.recorder.gc.moved_units += 1;
        self.store(lpa, ppa, superblock);
        if let Some(versions) = &mut self.versions {
            versions.copy(source, ppa);
        }
    }

    /// The place of this unit holds nothing after all.
    fn unused(&mut self, unit: OpId) {
        let domain = self.domain_of(self.pool[unit].ppa);
        self.domain[domain.index()].live -= 1;
        self.pool[unit].lpa = Lpa::NONE;
    }

    fn store(&mut self, lpa: Lpa, ppa: Ppa, superblock: SuperblockId) {
        self.map.set(lpa, ppa);
        self.oob.set(ppa, lpa);
        self.blocks.add_valid(superblock, 1);
    }

    /// A physical page no longer holds what anyone wants.
    pub(super) fn invalidate(&mut self, ppa: Ppa) {
        let superblock = self.blocks.of(&self.geometry, ppa);
        let valid = self.blocks.add_valid(superblock, -1);
        let domain = self.domain_of(ppa);
        self.domain[domain.index()].live -= 1;
        if valid == 0 && self.blocks.state(superblock) == BlockState::Collecting {
            self.begin_erase(superblock);
        }
        let state = &self.domain[domain.index()];
        if !state.stalled.is_empty() && !state.collector.active {
            // There was nothing to win when the write came; now there may be.
            self.check_collection(domain);
        }
    }

    /// TRIM of one unit.
    pub(super) fn forget(&mut self, id: u64, lpa: Lpa) {
        let ppa = self.lookup(lpa);
        if ppa.is_some() {
            self.map.clear(lpa);
            self.mapped_units -= 1;
            self.invalidate(ppa);
        }
        if let Some(versions) = &mut self.versions {
            versions.trim(lpa);
        }
        if let Some(probe) = &mut self.probe {
            probe.took_effect(id, lpa, self.now);
        }
    }

    /// The program of one flash page has ended. What the pages replaced is given up only now: until here a power cut
    /// would still need it.
    pub(super) fn page_programmed(&mut self, head: OpId, die: DieId) {
        let Op { ppa: page, class, .. } = self.pool[head];
        let domain = self.domain_of(page);
        let mut unit = head;
        while unit != NONE {
            let Op { next_unit, ppa, lpa, replaced, request, .. } = self.pool[unit];
            if let Some(versions) = self.versions.as_mut().filter(|_| lpa.is_some()) {
                versions.programmed(ppa);
            }
            if replaced.is_some() {
                self.invalidate(replaced);
            }
            if class == Class::GcProgram {
                self.domain[domain.index()].collector.in_flight -= 1;
            }
            if request != NONE {
                self.unit_done(unit, Some(die));
            } else {
                self.pool.remove(unit);
            }
            unit = next_unit;
        }
        self.page_settled(page);
        self.check_collection(domain);
    }

    /// The last program of this flash page has ended.
    pub(super) fn page_settled(&mut self, page: Ppa) {
        let superblock = self.blocks.of(&self.geometry, page);
        if self.blocks.end(superblock) && self.blocks.state(superblock) == BlockState::Closing {
            self.blocks.set_state(superblock, BlockState::Full);
        }
    }
}
