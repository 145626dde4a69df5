//! Page programs: a place is allocated when the write comes, and takes effect when the die takes the command.

use super::steering::STEERED;
use super::{Device, Request};
use crate::blocks::BlockState;
use crate::blocks::separation::{Separation, SeparationPolicy};
use crate::ids::{DieId, DomainId, Lpa, PlaneId, Ppa, SuperblockId};
use crate::placement::{Placement, PlacementView, PlaneSet, ProgramIntent};
use crate::replicate::CopyLoss;
use crate::sched::class::{Cause, Class};
use crate::sched::queue::{NONE, OWN, Op, OpId};
use crate::stats::blame::Part;

impl Device {
    /// Sends one unit of a write request on its way: first a read where only a part of it is written.
    /// `plane` is where the units of its flash page go, once the placement has been asked.
    pub(super) fn write_for_host(&mut self, request: u32, lpa: Lpa, bytes: u32, plane: &mut Option<PlaneId>) {
        let partial = bytes < self.geometry.unit_bytes;
        let stream = self.requests[request as usize].stream();
        let point = self.host_point(lpa, stream);
        let op = Op { request, bytes, partial, point, ..Op::new(Class::HostProgram, lpa, Ppa::NONE) };
        let id = self.pool.insert(op);
        if !partial {
            if self.translation.is_on() && !self.is_translated(id) {
                return;
            }
            let plane = *plane.get_or_insert_with(|| self.place(&ProgramIntent::host(lpa, stream)));
            return self.program_on(plane, id);
        }
        // One at a time for each page: each must build on what the one before it left.
        if self.partial_writes.begin(lpa, id) {
            self.begin_read_modify_write(id);
        } else {
            self.pool[id].wait_from = self.now;
        }
    }

    /// The write point of a page that the host writes.
    #[inline]
    fn host_point(&mut self, lpa: Lpa, stream: u16) -> u8 {
        match &mut self.separation {
            SeparationPolicy::Stream => self.points.of_stream(stream),
            policy => policy.write_point(lpa, stream, self.points.host()).min(self.points.host() - 1),
        }
    }

    /// A write of a part of this page took effect: the next may begin.
    fn next_partial_write(&mut self, lpa: Lpa) {
        let Some(id) = self.partial_writes.end(lpa) else { return };
        let waited = self.now.since(self.pool[id].wait_from);
        self.pool.parts_mut(id).add(Part::Conflict, waited.0);
        self.begin_read_modify_write(id);
    }

    /// Reads the old content of a unit that is written in part; a unit without content needs none.
    pub(super) fn begin_read_modify_write(&mut self, id: OpId) {
        if self.translation.is_on() && !self.is_translated(id) {
            return;
        }
        self.read_old_content(id);
    }

    /// Its place is known.
    pub(super) fn read_old_content(&mut self, id: OpId) {
        let ppa = self.lookup(self.pool[id].lpa);
        self.pool[id].source = Ppa::NONE;
        if ppa.is_some() {
            self.pool[id].class = Class::read_for(self.pool[id].class.cause());
            self.pool[id].ppa = ppa;
            self.pool[id].bytes = self.geometry.unit_bytes - self.moved_by_program(id, 0);
            self.partial_writes.reads(self.pool[id].lpa, ppa);
            self.enqueue(id);
        } else {
            self.program_anywhere(id);
        }
    }

    /// Bytes of a unit that its program moves, where those are the written ones; else `otherwise`.
    pub(super) fn moved_by_program(&self, id: OpId, otherwise: u32) -> u32 {
        if !self.rules.written_only {
            return otherwise;
        }
        let Op { lpa, request, class, .. } = self.pool[id];
        let written = match class.cause() {
            Cause::Host if request < OWN => {
                let (start, end) = self.wanted_range(request, lpa);
                end - start
            }
            Cause::WriteBack => self.pool.tag(id),
            _ => otherwise,
        };
        written.min(self.geometry.unit_bytes)
    }

    /// Asks the placement for a unit that is no move and sends it there.
    pub(super) fn program_anywhere(&mut self, id: OpId) {
        let plane = self.place(&self.intent(id));
        self.program_on(plane, id);
    }

    /// What the placement is told of a unit.
    pub(super) fn intent(&self, id: OpId) -> ProgramIntent {
        let Op { lpa, request, class, source, .. } = self.pool[id];
        let stream = self.requests.get(request as usize).map_or(0, Request::stream);
        ProgramIntent { cause: class.cause(), source, ..ProgramIntent::host(lpa, stream) }
    }

    /// Allocates a place on a plane (where there are superblocks: in its domain) and queues the program, or lets it wait
    /// for space.
    pub(super) fn program_on(&mut self, plane: PlaneId, id: OpId) {
        let Op { lpa, class, .. } = self.pool[id];
        if class.cause() == Cause::WriteBack && lpa.is_some() {
            // What leaves the cache has no stream any more.
            self.pool[id].point = self.host_point(lpa, 0);
        }
        if matches!(class.cause(), Cause::Host | Cause::WriteBack) && lpa.0 < self.logical_units {
            self.tell_access_of(id, true);
        }
        let bytes = self.moved_by_program(id, self.geometry.unit_bytes);
        let op = &mut self.pool[id];
        op.order = 0;
        op.class = Class::program_for(op.class.cause());
        op.bytes = bytes;
        op.wait_from = self.now;
        if self.is_steered(lpa, class.cause()) && self.steer(id) {
            return;
        }
        self.program_anew(plane, id);
    }

    /// The same of a unit that no system sends anywhere.
    pub(super) fn program_anew(&mut self, plane: PlaneId, id: OpId) {
        let class = self.pool[id].class;
        let domain = self.domains.of(plane);
        self.observe_pace(domain);
        if self.rules.fast_path_moves && self.program_on_fast_path(domain, id) {
            return;
        }
        self.domain[domain.index()].live += 1;
        // What the firmware writes for itself doesn't queue behind what waits for its pace.
        let passes = self.pace.is_some() && class.cause() == Cause::Mapping;
        let waits = !passes && !self.domain[domain.index()].stalled.is_empty();
        match self.open_point(domain, id).filter(|_| !waits) {
            Some(point) => self.allocate(domain, id, point),
            None => {
                self.count_stalled(domain, id);
                self.domain[domain.index()].stalled.push_back(id);
                self.check_collection(domain);
            }
        }
    }

    /// Asks the systems which planes are left, and the placement for one of them.
    pub(super) fn place(&mut self, intent: &ProgramIntent) -> PlaneId {
        match self.confined(intent) {
            Some(planes) => self.place_confined(intent, planes),
            None => self.place_among(intent, None),
        }
    }

    /// Asks the placement for one of the planes that a system leaves.
    pub(super) fn place_confined(&mut self, intent: &ProgramIntent, planes: PlaneSet) -> PlaneId {
        let plane = self.place_among(intent, Some(&planes));
        if !planes.has(plane) {
            self.fail(format!("the placement chose {plane:?}, which a system had left out"));
        }
        self.put_planes_back(planes);
        plane
    }

    /// Whether the domain of a plane has room for more of the host's data.
    pub(super) fn has_room(&self, plane: PlaneId) -> bool {
        let live = || self.domain[self.domains.of(plane).index()].live;
        plane.0 < self.geometry.planes() && !self.replication.reserved.has(plane) && live() < self.room_limit
    }

    /// Asks the placement for one of these planes.
    pub(super) fn place_among(&mut self, intent: &ProgramIntent, among: Option<&PlaneSet>) -> PlaneId {
        let (domains, domain, limit) = (&self.domains, &self.domain, self.room_limit);
        let reserved = &self.replication.reserved;
        let held = |plane: PlaneId| {
            if reserved.has(plane) { u32::MAX } else { domain[domains.of(plane).index()].live }
        };
        let has_room = |plane: PlaneId| {
            let left = among.is_none_or(|planes| planes.has(plane));
            left && held(plane) < limit
        };
        let view = PlacementView {
            geometry: &self.geometry,
            outstanding: &self.outstanding,
            among,
            has_room: &has_room,
            held: &held,
        };
        let plane = self.placement.place(intent, &view);
        if plane.0 >= self.geometry.planes() {
            self.fail(format!(
                "the placement chose {plane:?} of a drive of {} planes",
                self.geometry.planes()
            ));
            return PlaneId(0);
        }
        if self.replication.reserved.has(plane) {
            self.fail(format!("the placement chose {plane:?}, which is reserved for copies"));
        }
        plane
    }

    /// Whether a write point other than that of moves may take one more unit now.
    pub(super) fn can_take_unit(&self, domain: DomainId, number: u8) -> bool {
        let point = &self.domain[domain.index()].points[usize::from(number)];
        point.has_place() || point.has_room() || self.may_open(domain, number)
    }

    /// Gives a unit its place: beside the last one if that program still waits, else in the next program unit.
    pub(super) fn allocate(&mut self, domain: DomainId, id: OpId, number: u8) {
        self.pool[id].point = number;
        self.count_cached(id);
        let point = &mut self.domain[domain.index()].points[usize::from(number)];
        if point.has_room() {
            let (head, ppa) = (point.open_unit, Ppa(point.place.0 + point.filled));
            point.filled += 1;
            let (full, first) = (point.filled == point.size, point.place);
            self.pool[id].ppa = ppa;
            let die = self.die_of(ppa).0;
            self.begin_wait(id, die);
            self.pool.chain(head, id);
            if full {
                self.unit_is_final(first);
                self.queue_parity();
            }
            if self.overlap.program {
                // A page that is full now may come in while the one before it is programmed.
                self.touched.push(die);
            }
            return;
        }
        let place = self.take_place(domain, number);
        let point = &mut self.domain[domain.index()].points[usize::from(number)];
        point.filled = 1;
        point.open_unit = if point.size > 1 { id } else { NONE };
        let full = point.size == 1;
        self.pool[id].ppa = place;
        self.enqueue(id);
        if full {
            self.unit_is_final(place);
            self.queue_parity();
        }
        self.check_collection(domain);
    }

    /// Takes the next program unit of a write point, opening a superblock where needed. One must be free.
    #[inline(always)]
    pub(super) fn take_place(&mut self, domain: DomainId, number: u8) -> Ppa {
        let mut point = &mut self.domain[domain.index()].points[usize::from(number)];
        if point.untimed || !point.has_place() {
            if !self.prepare_point(domain, number) {
                return Ppa(0);
            }
            point = &mut self.domain[domain.index()].points[usize::from(number)];
        }
        let planes = self.domains.planes(domain);
        let stripes = self.redundancy.as_ref().map(|redundancy| &redundancy.stripes);
        let place = point.take(&self.geometry, planes, stripes);
        let (superblock, last) = (point.superblock, !point.has_place());
        self.blocks.begin(superblock);
        if last {
            self.blocks.set_state(superblock, BlockState::Closing);
        }
        place
    }

    /// Gives a write point a place that can be programmed with simulated time; `false` if there is no space.
    #[inline(never)]
    fn prepare_point(&mut self, domain: DomainId, number: u8) -> bool {
        self.close_untimed_place(domain, number);
        let point = &self.domain[domain.index()].points[usize::from(number)];
        point.has_place() || self.open_superblock(domain, number)
    }

    /// Opens a superblock for a write point; `false` if none is free.
    fn open_superblock(&mut self, domain: DomainId, number: u8) -> bool {
        let state = &mut self.domain[domain.index()];
        let point = &mut state.points[usize::from(number)];
        let most_worn =
            self.points.is_separate(Cause::WearLevelling) && number == self.points.of(Cause::WearLevelling);
        let taken = if most_worn { state.free.take_most_worn() } else { state.free.take() };
        let Some(superblock) = taken else {
            if self.ends_for_want_of_space() {
                return false;
            }
            let state = &self.domain[domain.index()];
            let what = format!(
                "no free block is left in {domain:?} for write point {number}: {:?}",
                state.collector
            );
            self.fail(what);
            return false;
        };
        let rows = self.blocks.open(superblock, point.mode);
        let at_once = self.geometry.pages_at_once(point.mode);
        point.open(superblock, self.blocks.split(superblock).1, rows, at_once);
        if let Some(slc) = &mut self.slc {
            slc.opened(domain, number, superblock);
        }
        true
    }

    /// Lets writes that waited for space go on, as far as there is space.
    pub(super) fn release_stalled(&mut self, domain: DomainId) {
        while let Some(&id) = self.domain[domain.index()].stalled.front() {
            let Some(point) = self.open_point(domain, id) else { return };
            self.domain[domain.index()].stalled.pop_front();
            self.end_stall(domain, id, point);
        }
    }

    /// A write that waited for space gets its place.
    fn end_stall(&mut self, domain: DomainId, id: OpId, point: u8) {
        let waited = self.now.since(self.pool[id].wait_from);
        self.pool.parts_mut(id).add(Part::Space, waited.0);
        self.allocate(domain, id, point);
    }

    /// Asks the placement again for every write that waits for space. For a drive at rest: a domain whose blocks are
    /// all valid wins no space of its own. Returns whether any write goes on.
    pub fn place_stalled_anew(&mut self) -> bool {
        let mut moved = self.settle_paused();
        for number in 0..self.domain.len() {
            for _ in 0..self.domain[number].stalled.len() {
                let Some(id) = self.domain[number].stalled.pop_front() else { break };
                self.domain[number].live -= 1;
                let plane = self.place(&self.intent(id));
                let domain = self.domains.of(plane);
                self.domain[domain.index()].live += 1;
                match self.open_point(domain, id).filter(|_| domain.index() != number) {
                    Some(point) => {
                        moved = true;
                        self.end_stall(domain, id, point);
                    }
                    None => self.domain[domain.index()].stalled.push_back(id),
                }
            }
        }
        self.finish_event();
        moved
    }

    /// The die takes this program: its units take effect.
    pub(super) fn commit_program(&mut self, head: OpId) {
        let Op { ppa, point, .. } = self.pool[head];
        if point == STEERED {
            self.steered_program_begins(head);
        }
        if self.geometry.unit_shift > 0 || self.geometry.pages_per_program > 1 {
            let domain = self.domain_of(ppa);
            let point = self.domain[domain.index()].points.get_mut(usize::from(point));
            if let Some(point) = point.filter(|point| point.open_unit == head) {
                point.open_unit = NONE;
                if point.filled < point.size {
                    let first = point.place;
                    self.unit_is_final(first);
                    self.queue_parity();
                }
            }
        }
        let superblock = self.blocks.of(&self.geometry, ppa);
        let mut unit = head;
        while unit != NONE {
            // What joins a program may have another cause than its first unit.
            match self.pool[unit].class.cause() {
                Cause::Host | Cause::Mapping => self.commit_new_unit(unit, superblock),
                Cause::WriteBack => self.commit_write_back(unit, superblock),
                Cause::Gc | Cause::ReadReclaim | Cause::WearLevelling | Cause::Migration => {
                    self.commit_moved_unit(unit, superblock);
                }
                Cause::Replication => self.commit_copy(unit, superblock),
                Cause::Parity => {}
            }
            unit = self.pool[unit].next_unit;
        }
    }

    fn commit_new_unit(&mut self, unit: OpId, superblock: SuperblockId) {
        let Op { lpa, ppa, partial, request, .. } = self.pool[unit];
        if partial && self.is_outdated(unit) {
            // Someone else rewrote the unit after its old content was read: read it again.
            return self.retry_read_modify_write(unit);
        }
        if self.copies.has(lpa) {
            self.drop_copies(lpa, self.lookup(lpa), CopyLoss::Written);
        }
        let old = self.store(lpa, ppa, superblock);
        if !(partial || self.partial_writes.is_empty()) {
            self.partial_writes.rewritten(lpa);
        }
        self.pool[unit].replaced = old;
        self.blocks.count_host_write();
        if let Some(versions) = &mut self.versions {
            versions.write(lpa, ppa);
        }
        if lpa.0 >= self.logical_units {
            return self.map_page_stored(lpa);
        }
        self.mapped_units += u64::from(!old.is_some());
        self.map_changed(lpa, old, ppa, self.pool[unit].class.cause());
        if self.probe.is_some() {
            let id = self.request_id(request);
            if let Some(probe) = &mut self.probe {
                probe.took_effect(id, lpa, self.now);
            }
        }
        self.tell_written(lpa, old, ppa);
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
            accessed: true,
            // One that a system sent somewhere is asked for anew.
            point: if old.point == STEERED { 0 } else { old.point },
            ..Op::new(old.class, old.lpa, Ppa::NONE)
        });
        if let Some(&parts) = self.pool.parts(unit) {
            *self.pool.parts_mut(again) = parts;
        }
        self.pool[unit].request = NONE;
        self.unused(unit);
        self.begin_read_modify_write(again);
    }

    pub(super) fn commit_moved_unit(&mut self, unit: OpId, superblock: SuperblockId) {
        let Op { lpa, ppa, source, class, .. } = self.pool[unit];
        if self.copies.has(lpa) && self.commit_moved_copy(unit, superblock) {
            return;
        }
        if !self.store_moved(source, lpa, ppa, superblock) {
            // Overwritten or trimmed while the move was under way: the programmed copy is nobody's.
            return self.unused(unit);
        }
        self.pool[unit].replaced = source;
        self.recorder.moved(class.cause());
        self.note_folded(source);
        if !self.partial_writes.is_empty() {
            self.partial_writes.moved(lpa, source, ppa);
        }
        if let Some(versions) = &mut self.versions {
            versions.copy(source, ppa);
        }
        if lpa.0 < self.logical_units {
            self.map_changed(lpa, source, ppa, class.cause());
            self.tell_moved(lpa, source, ppa, class.cause());
        }
    }

    /// The place of this unit holds nothing after all.
    pub(super) fn unused(&mut self, unit: OpId) {
        let domain = self.domain_of(self.pool[unit].ppa);
        self.domain[domain.index()].live -= 1;
        self.pool[unit].lpa = Lpa::NONE;
    }

    /// Whether what a write of a part of a page builds on was rewritten since it was read, or hasn't been read.
    pub(super) fn is_outdated(&self, id: OpId) -> bool {
        let Op { lpa, partial, class, .. } = self.pool[id];
        partial && class.cause() == Cause::Host && !self.partial_writes.builds_on(lpa, self.lookup(lpa))
    }

    /// A page is in a new place from now on. Returns the one before.
    #[inline(always)]
    pub(super) fn store(&mut self, lpa: Lpa, ppa: Ppa, superblock: SuperblockId) -> Ppa {
        let old = self.map.move_to(lpa, ppa, &self.layout);
        self.oob.set(ppa, lpa);
        self.blocks.add_valid(superblock, 1);
        old
    }

    /// A page that moves is in its new place from now on, if it still was at `source`. Returns whether it was.
    #[inline(always)]
    pub(super) fn store_moved(&mut self, source: Ppa, lpa: Lpa, ppa: Ppa, superblock: SuperblockId) -> bool {
        let (oob, layout) = (&self.oob, &self.layout);
        let is_there = || oob.is_as_laid_out(source) || layout.ppa(lpa) == source;
        let stored = self.map.move_from(source, lpa, ppa, is_there);
        if stored {
            self.oob.set(ppa, lpa);
            self.blocks.add_valid(superblock, 1);
        }
        stored
    }

    /// A physical page no longer holds what anyone wants.
    #[inline(always)]
    pub(super) fn invalidate(&mut self, ppa: Ppa) {
        let (domain, superblock) = self.blocks.locate(&self.geometry, ppa);
        let valid = self.blocks.add_valid(superblock, -1);
        self.domain[domain.index()].live -= 1;
        self.tell_invalidated(ppa);
        if valid == 0 {
            self.nothing_is_valid(superblock);
        }
        let state = &self.domain[domain.index()];
        if !state.stalled.is_empty() && !state.collector.active {
            // There was nothing to win when the write came; now there may be.
            self.check_collection(domain);
        }
    }

    /// The last valid unit of a superblock was given up.
    #[inline(never)]
    fn nothing_is_valid(&mut self, superblock: SuperblockId) {
        if self.blocks.state(superblock) == BlockState::Collecting {
            self.begin_erase(superblock);
        }
        self.erase_if_empty(superblock);
        self.erase_if_given_up(superblock);
    }

    /// TRIM of one unit.
    pub(super) fn forget(&mut self, id: u64, lpa: Lpa) {
        if self.cache.is_some() {
            self.drop_cached(lpa);
        }
        let ppa = self.lookup(lpa);
        if ppa.is_some() {
            if self.copies.has(lpa) {
                self.drop_copies(lpa, ppa, CopyLoss::Trimmed);
            }
            self.map.clear(lpa);
            self.mapped_units -= 1;
            self.map_changed(lpa, ppa, Ppa::NONE, Cause::Host);
            self.tell_trimmed(lpa, ppa);
            self.invalidate(ppa);
        }
        if let Some(versions) = &mut self.versions {
            versions.trim(lpa);
        }
        if let Some(probe) = &mut self.probe {
            probe.took_effect(id, lpa, self.now);
        }
    }

    /// The program of one plane has ended. What its units replaced is given up only now: until here a power cut would
    /// still need it.
    pub(super) fn program_ended(&mut self, head: OpId, die: DieId) {
        let place = self.pool[head].ppa;
        let domain = self.domain_of(place);
        let mut unit = head;
        while unit != NONE {
            let Op { next_unit, ppa, lpa, source, replaced, request, class, .. } = self.pool[unit];
            if let Some(versions) = self.versions.as_mut().filter(|_| lpa.is_some()) {
                versions.programmed(ppa);
            }
            if replaced.is_some() {
                self.invalidate(replaced);
            }
            if class.cause() == Cause::WriteBack {
                self.write_back_ended(unit);
            }
            if request < OWN {
                self.unit_done(unit, Some(die));
            } else {
                self.pool.remove(unit);
                if class.is_move() && request == NONE {
                    self.move_ended(source, domain);
                } else if class.is_move() {
                    self.plan_page_programmed(request);
                } else if class == Class::MapProgram {
                    self.map_page_programmed(lpa);
                }
            }
            unit = next_unit;
        }
        self.program_may_fail(place);
        self.note_programmed(place);
        self.place_settled(place);
        self.check_collection(domain);
        if self.cache.is_some() {
            self.tend_cache();
        }
    }

    /// The last program of this place has ended.
    pub(super) fn place_settled(&mut self, place: Ppa) {
        self.end_program_of(self.blocks.of(&self.geometry, place));
    }

    /// The last program of a place of this superblock has ended.
    #[inline(always)]
    pub(super) fn end_program_of(&mut self, superblock: SuperblockId) {
        if self.blocks.end(superblock) {
            match self.blocks.state(superblock) {
                BlockState::Closing => self.superblock_is_full(superblock),
                BlockState::Open => self.tell_programmed(superblock),
                _ => {}
            }
        }
    }

    /// The last program of a superblock that has no more places has ended.
    #[inline(never)]
    pub(super) fn superblock_is_full(&mut self, superblock: SuperblockId) {
        self.blocks.set_state(superblock, BlockState::Full);
        self.erase_if_empty(superblock);
        self.erase_if_given_up(superblock);
        self.empty_if_failing(superblock);
    }
}
