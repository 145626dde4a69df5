//! Space for further copies: where one goes, and what of the host's space it leaves alone.

use crate::mapping::copies::Pending;
use crate::replicate::{CopyLoss, CopyTarget};
use crate::work::above::AboveFtl;
use crate::work::copies::making::copy_gone;
use crate::work::ftl::Ftl;
use crate::work::writes::commit::end_program_at;
use crate::work::writes::places::take_place;
use wordline_base::class::Cause;
use wordline_base::ids::{DieId, DomainId, Lpa, PlaneId, Ppa};
use wordline_flash::sched::queue::NONE;

impl Ftl {
    /// Whether a copy may go to the domain of a plane: its limit leaves room for all that the host may want, and a new
    /// block is opened only where garbage collection has what it wants to keep free.
    fn copy_fits(&self, owner: usize, plane: PlaneId) -> bool {
        let (domain, replication) = (self.domains.of(plane), &self.replication);
        if !replication.reserved.may_use(owner, plane) {
            return false;
        }
        let state = &self.domain[domain.index()];
        let extra = replication.extra(domain);
        let room = if replication.reserved.has(plane) {
            extra < replication.reserved_room
        } else {
            extra < replication.room && state.live < self.room_limit
        };
        let point = &state.points[usize::from(self.points.of(Cause::Replication))];
        room && (point.has_place() || point.has_room() || self.may_open_for_copies(domain))
    }

    fn may_open_for_copies(&self, domain: DomainId) -> bool {
        let state = &self.domain[domain.index()];
        state.free.len() >= self.thresholds.trigger.max(state.demand)
    }
}

/// Where a copy goes: to this plane, or another of its die where the target is a die and they share a domain.
pub(crate) fn place_for_copy<A: AboveFtl>(above: &A, owner: usize, to: CopyTarget) -> Option<PlaneId> {
    let planes = above.ftl().geometry.planes_per_die;
    let on_die = |die: DieId| (die.0 * planes..(die.0 + 1) * planes).map(PlaneId);
    let fits = |plane: &PlaneId| above.ftl().copy_fits(owner, *plane);
    let emptiest = |plane: &PlaneId| above.ftl().replication.extra(above.ftl().domains.of(*plane));
    match to {
        CopyTarget::Plane(plane) => Some(plane).filter(fits),
        CopyTarget::Die(die) => on_die(die).filter(fits).min_by_key(emptiest),
        CopyTarget::Reserved => {
            let dies = above.ftl().replication.reserved.dies_for(owner);
            let planes = dies.flat_map(on_die).filter(fits);
            let load = |plane: &PlaneId| above.flash().loads()[above.ftl().geometry.die_of(*plane).0.index()];
            planes.min_by_key(|plane| (load(plane), emptiest(plane), *plane))
        }
    }
}

/// Passes over places that are not wanted until the next is; they stay unused. `false` if no block may be opened for
/// that.
pub(crate) fn pass_over_to<A: AboveFtl>(
    above: &mut A,
    plane: PlaneId,
    Pending { to, owner, .. }: Pending,
) -> bool {
    let (domain, die) = (above.ftl().domains.of(plane), above.ftl().geometry.die_of(plane).0);
    let number = above.ftl().points.of(Cause::Replication);
    let any_of_die = !matches!(to, CopyTarget::Plane(_));
    loop {
        let is_wanted =
            |other: PlaneId| other == plane || any_of_die && above.ftl().geometry.die_of(other).0 == die;
        let point = &above.ftl().domain[domain.index()].points[usize::from(number)];
        if point.has_room() && is_wanted(above.ftl().geometry.plane_of(point.place).0) {
            return true;
        }
        if !point.has_place() && !above.ftl().may_open_for_copies(domain) {
            return false;
        }
        let next_is_wanted = is_wanted(point.next_plane(above.ftl().domains.planes(domain)));
        above.ftl_mut().domain[domain.index()].points[usize::from(number)].open_unit = NONE;
        if next_is_wanted {
            return true;
        }
        let place = take_place(above, domain, number);
        if above.has_failed() {
            return false;
        }
        end_program_at(above, place);
        let ftl = above.ftl_mut();
        if let Some(counters) = ftl.replication.counters(owner) {
            counters.passed_over += u64::from(ftl.geometry.pages_per_program);
        }
    }
}

/// Nothing can be won in a domain whose data waits for space: its copies make room.
pub(crate) fn spare_copies<A: AboveFtl>(above: &mut A, domain: DomainId) {
    if above.ftl().replication.extra(domain) == 0 || above.ftl().domain[domain.index()].stalled.is_empty() {
        return;
    }
    let here: Vec<(Lpa, Ppa)> = above
        .ftl()
        .copies
        .all()
        .map(|(lpa, copy)| (lpa, copy.ppa))
        .filter(|&(_, ppa)| above.ftl().domain_of(ppa) == domain)
        .collect();
    for (lpa, ppa) in here {
        if let Some(copy) = above.ftl_mut().copies.remove(lpa, ppa) {
            copy_gone(above, lpa, copy, CopyLoss::Reclaimed);
        }
    }
}
