//! Where pages are programmed: the plane, the write point, the place on it, and what waits for a free superblock.

use crate::blocks::BlockState;
use crate::placement::{Placement, PlacementView, PlaneSet, ProgramIntent};
use crate::work::above::AboveFtl;
use crate::work::collection::collect::check_collection;
use crate::work::collection::pace::program_gathered_at_rest;
use crate::work::collection::slc_cache::{count_cached, open_point};
use crate::work::collection::wear_out::ends_for_want_of_space;
use crate::work::ftl::Ftl;
use crate::work::parity::rows::{queue_parity, unit_is_final};
use crate::work::preparation::places::close_untimed_place;
use crate::work::purposes::Purpose;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Lpa, PlaneId, Ppa};
use wordline_base::parts::Part;
use wordline_flash::sched::queue::{NONE, Op, OpId};
use wordline_flash::work::submit;

impl Ftl {
    /// Group of a unit of the data cache among the dirty ones: those that go to one write point, of its domain where that follows
    /// from the address.
    #[inline]
    pub fn group_of(&self, lpa: Lpa, point: u8) -> u32 {
        let domain = self.placement.plane_by_address(lpa).map_or(0, |plane| self.domains.of(plane).0);
        self.points.group(domain, point)
    }

    /// Whether the domain of a plane has room for more of the host's data.
    pub(crate) fn has_room(&self, plane: PlaneId) -> bool {
        let live = || self.domain[self.domains.of(plane).index()].live;
        plane.0 < self.geometry.planes() && !self.replication.reserved.has(plane) && live() < self.room_limit
    }

    /// Whether a plane is one of a page's set, if it has one.
    #[inline]
    pub(crate) fn may_lie_on(&self, lpa: Lpa, plane: PlaneId) -> bool {
        self.sets.as_ref().is_none_or(|sets| sets.of_plane(plane) == sets.of(lpa))
    }

    /// Whether a write point other than that of moves may take one more unit now.
    pub(crate) fn can_take_unit(&self, domain: DomainId, number: u8) -> bool {
        let point = &self.domain[domain.index()].points[usize::from(number)];
        point.has_place() || point.has_room() || self.may_open(domain, number)
    }
}

/// What the placement is told of a unit.
pub(crate) fn intent<A: AboveFtl>(above: &A, id: OpId) -> ProgramIntent {
    let Purpose { lpa, whose, .. } = above.ftl().purposes[id];
    let Op { class, source, .. } = above.flash().pool[id];
    let stream = match class.cause() {
        Cause::WriteBack => above.stream_of_cached(id),
        _ => above.stream_of_request(whose.request()),
    };
    let stream = stream.unwrap_or(0);
    ProgramIntent { cause: class.cause(), source, ..ProgramIntent::host(lpa, stream) }
}

/// Asks the systems which planes are left, and the placement for one of them.
pub fn place<A: AboveFtl>(above: &mut A, intent: &ProgramIntent) -> PlaneId {
    if above.ftl().sets.is_some() {
        return place_in_set(above, intent);
    }
    match above.allowed_planes_of(intent) {
        Some(planes) => place_on_allowed(above, intent, planes),
        None => place_among(above, intent, None),
    }
}

/// Asks the placement for one of the planes of the page's set.
#[inline(never)]
fn place_in_set<A: AboveFtl>(above: &mut A, intent: &ProgramIntent) -> PlaneId {
    let Some(sets) = above.ftl().sets.clone() else { return place_among(above, intent, None) };
    let planes = sets.planes(sets.of(intent.lpa));
    let plane = place_among(above, intent, planes);
    if planes.is_some_and(|planes| !planes.has(plane)) {
        above.fail(format!("the placement chose {plane:?}, which is not in the set of {:?}", intent.lpa));
    }
    plane
}

/// Asks the placement for one of the planes that a system leaves.
pub(crate) fn place_on_allowed<A: AboveFtl>(
    above: &mut A,
    intent: &ProgramIntent,
    planes: PlaneSet,
) -> PlaneId {
    let plane = place_among(above, intent, Some(&planes));
    if !planes.has(plane) {
        above.fail(format!("the placement chose {plane:?}, which a system had left out"));
    }
    above.put_planes_back(planes);
    plane
}

/// Asks the placement for one of these planes.
pub(crate) fn place_among<A: AboveFtl>(
    above: &mut A,
    intent: &ProgramIntent,
    among: Option<&PlaneSet>,
) -> PlaneId {
    let (ftl, flash) = above.ftl_and_flash();
    let (domains, domain, limit) = (&ftl.domains, &ftl.domain, ftl.room_limit);
    let reserved = &ftl.replication.reserved;
    let held = |plane: PlaneId| {
        if reserved.has(plane) { u32::MAX } else { domain[domains.of(plane).index()].live }
    };
    let has_room = |plane: PlaneId| {
        let left = among.is_none_or(|planes| planes.has(plane));
        left && held(plane) < limit
    };
    let view = PlacementView {
        geometry: &ftl.geometry,
        outstanding: flash.loads(),
        among,
        has_room: &has_room,
        held: &held,
    };
    let plane = ftl.placement.place(intent, &view);
    if plane.0 >= above.ftl().geometry.planes() {
        above.fail(format!(
            "the placement chose {plane:?} of a drive of {} planes",
            above.ftl().geometry.planes()
        ));
        return PlaneId(0);
    }
    if above.ftl().replication.reserved.has(plane) {
        above.fail(format!("the placement chose {plane:?}, which is reserved for copies"));
    }
    plane
}

/// Gives a unit its place: beside the last one if that program still waits, else in the next program unit.
pub(crate) fn allocate<A: AboveFtl>(above: &mut A, domain: DomainId, id: OpId, number: u8) {
    above.ftl_mut().purposes[id].point = number;
    count_cached(above, id);
    let point = &mut above.ftl_mut().domain[domain.index()].points[usize::from(number)];
    if point.has_room() {
        let (head, ppa) = (point.open_unit, Ppa(point.place.0 + point.filled));
        point.filled += 1;
        let (full, first) = (point.filled == point.size, point.place);
        above.flash_mut().pool[id].ppa = ppa;
        let die = above.flash().waits_at(head);
        above.flash_mut().begin_die_wait(id, die);
        above.flash_mut().pool.chain(head, id);
        if full {
            unit_is_final(above, first);
            queue_parity(above);
        }
        above.flash_mut().joined_at(die);
        return;
    }
    let place = take_place(above, domain, number);
    let point = &mut above.ftl_mut().domain[domain.index()].points[usize::from(number)];
    point.filled = 1;
    point.open_unit = if point.size > 1 { id } else { NONE };
    let full = point.size == 1;
    above.flash_mut().pool[id].ppa = place;
    submit(above, id);
    if full {
        unit_is_final(above, place);
        queue_parity(above);
    }
    check_collection(above, domain);
}

/// Takes the next program unit of a write point, opening a superblock where needed. One must be free.
#[inline(always)]
pub(crate) fn take_place<A: AboveFtl>(above: &mut A, domain: DomainId, number: u8) -> Ppa {
    let point = &above.ftl().domain[domain.index()].points[usize::from(number)];
    if (point.untimed || !point.has_place()) && !prepare_point(above, domain, number) {
        return Ppa(0);
    }
    let ftl = above.ftl_mut();
    let point = &mut ftl.domain[domain.index()].points[usize::from(number)];
    let planes = ftl.domains.planes(domain);
    let stripes = ftl.redundancy.as_ref().map(|redundancy| &redundancy.stripes);
    let place = point.take(&ftl.geometry, planes, stripes);
    let (superblock, last) = (point.superblock, !point.has_place());
    ftl.blocks.begin(superblock);
    if last {
        ftl.blocks.set_state(superblock, BlockState::Closing);
    }
    place
}

/// Gives a write point a place that can be programmed with simulated time; `false` if there is no space.
#[inline(never)]
fn prepare_point<A: AboveFtl>(above: &mut A, domain: DomainId, number: u8) -> bool {
    close_untimed_place(above, domain, number);
    let point = &above.ftl().domain[domain.index()].points[usize::from(number)];
    point.has_place() || open_superblock(above, domain, number)
}

/// Opens a superblock for a write point; `false` if none is free.
fn open_superblock<A: AboveFtl>(above: &mut A, domain: DomainId, number: u8) -> bool {
    let ftl = above.ftl_mut();
    let state = &mut ftl.domain[domain.index()];
    let most_worn =
        ftl.points.is_separate(Cause::WearLevelling) && number == ftl.points.of(Cause::WearLevelling);
    let taken = if most_worn { state.free.take_most_worn() } else { state.free.take() };
    let Some(superblock) = taken else {
        if ends_for_want_of_space(above) {
            return false;
        }
        let state = &above.ftl().domain[domain.index()];
        let what =
            format!("no free block is left in {domain:?} for write point {number}: {:?}", state.collector);
        above.fail(what);
        return false;
    };
    let ftl = above.ftl_mut();
    let point = &mut ftl.domain[domain.index()].points[usize::from(number)];
    if let Some(isolated) = &mut ftl.isolated {
        isolated.give(superblock, ftl.points.stream_of(number));
    }
    let rows = ftl.blocks.open(superblock, point.mode);
    let at_once = ftl.geometry.pages_at_once(point.mode);
    point.open(superblock, ftl.blocks.split(superblock).1, rows, at_once);
    if let Some(slc) = &mut ftl.slc {
        slc.opened(domain, number, superblock);
    }
    true
}

/// Lets writes that waited for space go on, as far as there is space.
pub fn release_stalled<A: AboveFtl>(above: &mut A, domain: DomainId) {
    while let Some(&id) = above.ftl().domain[domain.index()].stalled.front() {
        let Some(point) = open_point(above, domain, id) else { return };
        above.ftl_mut().domain[domain.index()].stalled.pop_front();
        end_stall(above, domain, id, point);
    }
}

/// A write that waited for space gets its place.
fn end_stall<A: AboveFtl>(above: &mut A, domain: DomainId, id: OpId, point: u8) {
    above.flash_mut().blame_wait_on(Part::Space, id);
    allocate(above, domain, id, point);
}

/// Asks the placement again for every write that waits for space. For a drive at rest: a domain whose blocks are
/// all valid wins no space of its own. Returns whether any write goes on.
pub fn place_stalled_anew<A: AboveFtl>(above: &mut A) -> bool {
    let mut moved = program_gathered_at_rest(above);
    for number in 0..above.ftl().domain.len() {
        for _ in 0..above.ftl().domain[number].stalled.len() {
            let Some(id) = above.ftl_mut().domain[number].stalled.pop_front() else { break };
            above.ftl_mut().domain[number].live -= 1;
            let intent = &intent(above, id);
            let plane = place(above, intent);
            let domain = above.ftl().domains.of(plane);
            above.ftl_mut().domain[domain.index()].live += 1;
            match open_point(above, domain, id).filter(|_| domain.index() != number) {
                Some(point) => {
                    moved = true;
                    end_stall(above, domain, id, point);
                }
                None => above.ftl_mut().domain[domain.index()].stalled.push_back(id),
            }
        }
    }
    above.finish_event();
    moved
}
