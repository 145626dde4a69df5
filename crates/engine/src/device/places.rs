//! Where pages are programmed: the plane, the write point, the place on it, and what waits for a free superblock.

use super::ftl::Ftl;
use super::purposes::Purpose;
use super::{Device, Request};
use crate::blocks::BlockState;
use crate::placement::{Placement, PlacementView, PlaneSet, ProgramIntent};
use crate::sched::queue::{NONE, Op, OpId};
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, PlaneId, Ppa};
use wordline_base::parts::Part;
use wordline_flash::work::submit;

impl Ftl {
    /// Whether the domain of a plane has room for more of the host's data.
    pub(super) fn has_room(&self, plane: PlaneId) -> bool {
        let live = || self.domain[self.domains.of(plane).index()].live;
        plane.0 < self.geometry.planes() && !self.replication.reserved.has(plane) && live() < self.room_limit
    }

    /// Whether a write point other than that of moves may take one more unit now.
    pub(super) fn can_take_unit(&self, domain: DomainId, number: u8) -> bool {
        let point = &self.domain[domain.index()].points[usize::from(number)];
        point.has_place() || point.has_room() || self.may_open(domain, number)
    }
}

impl Device {
    /// What the placement is told of a unit.
    pub(super) fn intent(&self, id: OpId) -> ProgramIntent {
        let Purpose { lpa, whose, .. } = self.ftl.purposes[id];
        let Op { class, source, .. } = self.flash.pool[id];
        let stream = match class.cause() {
            Cause::WriteBack => self.stream_of_cached(id),
            _ => self.front.requests.get(whose.request() as usize).map(Request::stream),
        };
        let stream = stream.unwrap_or(0);
        ProgramIntent { cause: class.cause(), source, ..ProgramIntent::host(lpa, stream) }
    }

    /// Asks the systems which planes are left, and the placement for one of them.
    pub(super) fn place(&mut self, intent: &ProgramIntent) -> PlaneId {
        match self.allowed_planes_of(intent) {
            Some(planes) => self.place_on_allowed(intent, planes),
            None => self.place_among(intent, None),
        }
    }

    /// Asks the placement for one of the planes that a system leaves.
    pub(super) fn place_on_allowed(&mut self, intent: &ProgramIntent, planes: PlaneSet) -> PlaneId {
        let plane = self.place_among(intent, Some(&planes));
        if !planes.has(plane) {
            self.fail(format!("the placement chose {plane:?}, which a system had left out"));
        }
        self.systems.put_planes_back(planes);
        plane
    }

    /// Asks the placement for one of these planes.
    pub(super) fn place_among(&mut self, intent: &ProgramIntent, among: Option<&PlaneSet>) -> PlaneId {
        let (domains, domain, limit) = (&self.ftl.domains, &self.ftl.domain, self.ftl.room_limit);
        let reserved = &self.ftl.replication.reserved;
        let held = |plane: PlaneId| {
            if reserved.has(plane) { u32::MAX } else { domain[domains.of(plane).index()].live }
        };
        let has_room = |plane: PlaneId| {
            let left = among.is_none_or(|planes| planes.has(plane));
            left && held(plane) < limit
        };
        let view = PlacementView {
            geometry: &self.geometry,
            outstanding: self.flash.loads(),
            among,
            has_room: &has_room,
            held: &held,
        };
        let plane = self.ftl.placement.place(intent, &view);
        if plane.0 >= self.geometry.planes() {
            self.fail(format!(
                "the placement chose {plane:?} of a drive of {} planes",
                self.geometry.planes()
            ));
            return PlaneId(0);
        }
        if self.ftl.replication.reserved.has(plane) {
            self.fail(format!("the placement chose {plane:?}, which is reserved for copies"));
        }
        plane
    }

    /// Gives a unit its place: beside the last one if that program still waits, else in the next program unit.
    pub(super) fn allocate(&mut self, domain: DomainId, id: OpId, number: u8) {
        self.ftl.purposes[id].point = number;
        self.count_cached(id);
        let point = &mut self.ftl.domain[domain.index()].points[usize::from(number)];
        if point.has_room() {
            let (head, ppa) = (point.open_unit, Ppa(point.place.0 + point.filled));
            point.filled += 1;
            let (full, first) = (point.filled == point.size, point.place);
            self.flash.pool[id].ppa = ppa;
            let die = self.flash.waits_at(head);
            self.flash.begin_die_wait(id, die);
            self.flash.pool.chain(head, id);
            if full {
                self.unit_is_final(first);
                self.queue_parity();
            }
            self.flash.joined_at(die);
            return;
        }
        let place = self.take_place(domain, number);
        let point = &mut self.ftl.domain[domain.index()].points[usize::from(number)];
        point.filled = 1;
        point.open_unit = if point.size > 1 { id } else { NONE };
        let full = point.size == 1;
        self.flash.pool[id].ppa = place;
        submit(self, id);
        if full {
            self.unit_is_final(place);
            self.queue_parity();
        }
        self.check_collection(domain);
    }

    /// Takes the next program unit of a write point, opening a superblock where needed. One must be free.
    #[inline(always)]
    pub(super) fn take_place(&mut self, domain: DomainId, number: u8) -> Ppa {
        let mut point = &mut self.ftl.domain[domain.index()].points[usize::from(number)];
        if point.untimed || !point.has_place() {
            if !self.prepare_point(domain, number) {
                return Ppa(0);
            }
            point = &mut self.ftl.domain[domain.index()].points[usize::from(number)];
        }
        let planes = self.ftl.domains.planes(domain);
        let stripes = self.ftl.redundancy.as_ref().map(|redundancy| &redundancy.stripes);
        let place = point.take(&self.geometry, planes, stripes);
        let (superblock, last) = (point.superblock, !point.has_place());
        self.ftl.blocks.begin(superblock);
        if last {
            self.ftl.blocks.set_state(superblock, BlockState::Closing);
        }
        place
    }

    /// Gives a write point a place that can be programmed with simulated time; `false` if there is no space.
    #[inline(never)]
    fn prepare_point(&mut self, domain: DomainId, number: u8) -> bool {
        self.close_untimed_place(domain, number);
        let point = &self.ftl.domain[domain.index()].points[usize::from(number)];
        point.has_place() || self.open_superblock(domain, number)
    }

    /// Opens a superblock for a write point; `false` if none is free.
    fn open_superblock(&mut self, domain: DomainId, number: u8) -> bool {
        let state = &mut self.ftl.domain[domain.index()];
        let point = &mut state.points[usize::from(number)];
        let most_worn = self.ftl.points.is_separate(Cause::WearLevelling)
            && number == self.ftl.points.of(Cause::WearLevelling);
        let taken = if most_worn { state.free.take_most_worn() } else { state.free.take() };
        let Some(superblock) = taken else {
            if self.ends_for_want_of_space() {
                return false;
            }
            let state = &self.ftl.domain[domain.index()];
            let what = format!(
                "no free block is left in {domain:?} for write point {number}: {:?}",
                state.collector
            );
            self.fail(what);
            return false;
        };
        if let Some(isolated) = &mut self.ftl.isolated {
            isolated.give(superblock, self.ftl.points.stream_of(number));
        }
        let rows = self.ftl.blocks.open(superblock, point.mode);
        let at_once = self.geometry.pages_at_once(point.mode);
        point.open(superblock, self.ftl.blocks.split(superblock).1, rows, at_once);
        if let Some(slc) = &mut self.ftl.slc {
            slc.opened(domain, number, superblock);
        }
        true
    }

    /// Lets writes that waited for space go on, as far as there is space.
    pub(super) fn release_stalled(&mut self, domain: DomainId) {
        while let Some(&id) = self.ftl.domain[domain.index()].stalled.front() {
            let Some(point) = self.open_point(domain, id) else { return };
            self.ftl.domain[domain.index()].stalled.pop_front();
            self.end_stall(domain, id, point);
        }
    }

    /// A write that waited for space gets its place.
    fn end_stall(&mut self, domain: DomainId, id: OpId, point: u8) {
        self.flash.blame_wait_on(Part::Space, id);
        self.allocate(domain, id, point);
    }

    /// Asks the placement again for every write that waits for space. For a drive at rest: a domain whose blocks are
    /// all valid wins no space of its own. Returns whether any write goes on.
    pub fn place_stalled_anew(&mut self) -> bool {
        let mut moved = self.program_gathered_at_rest();
        for number in 0..self.ftl.domain.len() {
            for _ in 0..self.ftl.domain[number].stalled.len() {
                let Some(id) = self.ftl.domain[number].stalled.pop_front() else { break };
                self.ftl.domain[number].live -= 1;
                let plane = self.place(&self.intent(id));
                let domain = self.ftl.domains.of(plane);
                self.ftl.domain[domain.index()].live += 1;
                match self.open_point(domain, id).filter(|_| domain.index() != number) {
                    Some(point) => {
                        moved = true;
                        self.end_stall(domain, id, point);
                    }
                    None => self.ftl.domain[domain.index()].stalled.push_back(id),
                }
            }
        }
        self.finish_event();
        moved
    }
}
