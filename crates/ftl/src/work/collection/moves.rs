//! Pages that move: read, given their new places, gathered to rows, and programmed row by row.

use crate::blocks::separation::Separation;
use crate::gc::collector::Collector;
use crate::placement::Placement;
use crate::work::above::AboveFtl;
use crate::work::collection::collect::{advance_collection, check_collection, gathering_for};
use crate::work::collection::copyback::copy_back;
use crate::work::ftl::Ftl;
use crate::work::parity::rows::unit_is_final;
use crate::work::plans::plan_page_read;
use crate::work::purposes::new_op;
use crate::work::purposes::{For, Purpose};
use crate::work::writes::places::{intent, place, place_on_allowed, take_place};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DomainId, Lpa, PlaneId, Ppa, SuperblockId};
use wordline_flash::sched::queue::{NONE, Op, OpId};
use wordline_flash::work::submit;

impl Ftl {
    /// The write point of a page that moves from a place.
    fn point_of_move(&self, cause: Cause, lpa: Lpa, from: Ppa) -> u8 {
        match self.points.of_hot_moves() {
            Some(hot) if cause == Cause::Gc && self.separation.is_hot(lpa) => hot,
            _ => self.point_of_moves_from(cause, self.blocks.of(&self.geometry, from)),
        }
    }

    /// The collection that a page comes from that moves.
    #[inline]
    fn home_of_move(&mut self, source: Ppa) -> &mut Collector {
        let home = self.domain_of(source);
        &mut self.domain[home.index()].collector
    }

    /// The write point of what moves from a superblock: where streams keep apart, that of its stream.
    #[inline]
    pub(crate) fn point_of_moves_from(&self, cause: Cause, superblock: SuperblockId) -> u8 {
        match &self.isolated {
            Some(isolated) => self.points.of_moves(isolated.of(superblock)),
            None => self.points.of(cause),
        }
    }

    /// Where collection fills two write points, one of them must not take the last free superblock while the other has
    /// room: a victim is chosen when there is room for it in all of them together.
    fn keep_within_room(&mut self, domain: DomainId, unit: OpId) {
        let Some(hot) = self.points.of_hot_moves() else { return };
        let (number, cold) = (self.purposes[unit].point, self.points.of(Cause::Gc));
        let state = &self.domain[domain.index()];
        let has_room = |number: u8| {
            let point = &state.points[usize::from(number)];
            point.open_unit != NONE || point.has_place()
        };
        let other = if number == hot { cold } else { hot };
        let shared = number == hot || number == cold;
        if shared && !has_room(number) && has_room(other) && state.free.len() <= self.thresholds.reserve {
            self.purposes[unit].point = other;
        }
    }

    /// Whether a domain has space to spare for a page that moves there from another, to this write point. A domain that
    /// empties superblocks itself counts on the places that it has.
    pub(crate) fn spares_for_move(&self, domain: DomainId, point: u8) -> bool {
        let state = &self.domain[domain.index()];
        if state.collector.collects() {
            return false;
        }
        let open = state.points.get(usize::from(point)).is_some_and(|point| point.open_unit != NONE);
        open || state.free.len() >= self.thresholds.trigger + self.reserved_for_cache(domain)
    }
}

#[inline(never)]
pub(crate) fn read_page_to_move<A: AboveFtl>(above: &mut A, domain: DomainId, page: Ppa, class: Class) {
    // What moves without the controller can have no part in a parity.
    let copybacks = above.flash().copybacks().supported && above.ftl().redundancy.is_none();
    if copybacks && copy_back(above, domain, page, class.cause()) {
        return;
    }
    let (mut head, mut units) = (NONE, 0);
    for ppa in (page.0..page.0 + above.ftl().geometry.units_per_page()).map(Ppa) {
        if let Some(lpa) = above.ftl().valid_lpa(ppa) {
            let bytes = above.ftl().geometry.unit_bytes;
            let id = new_op(above, Op { source: ppa, bytes, ..Op::new(class, ppa) }, Purpose::of(lpa));
            units += 1;
            if head == NONE {
                head = id;
            } else {
                above.flash_mut().pool.chain(head, id);
            }
        }
    }
    if head != NONE {
        let collector = &mut above.ftl_mut().domain[domain.index()].collector;
        collector.in_flight += units;
        collector.reading += units;
        submit(above, head);
    }
}

/// A unit to be moved was overwritten or trimmed before it was read.
pub(crate) fn move_dropped<A: AboveFtl>(above: &mut A, ppa: Ppa) {
    let domain = above.ftl().domain_of(ppa);
    let collector = &mut above.ftl_mut().domain[domain.index()].collector;
    collector.in_flight -= 1;
    collector.reading -= 1;
    advance_collection(above, domain);
}

/// A unit to be moved is in the controller: gives it its new place. Its program begins when the whole row of program
/// units (the superpage) is there.
pub(crate) fn unit_read_for_move<A: AboveFtl>(above: &mut A, unit: OpId) {
    let Purpose { lpa, whose, .. } = above.ftl().purposes[unit];
    let Op { ppa, class, .. } = above.flash().pool[unit];
    if whose != For::Drive {
        return plan_page_read(above, unit);
    }
    let home = above.ftl().domain_of(ppa);
    let primary = above.ftl().is_at(lpa, ppa);
    let wanted = primary || above.ftl().copies.at(lpa, ppa).is_some();
    let collector = &mut above.ftl_mut().domain[home.index()].collector;
    collector.reading -= 1;
    if !wanted {
        // Overwritten or trimmed while it was read: nothing left to move.
        collector.in_flight -= 1;
        return above.flash_mut().pool.remove(unit);
    }
    let number = above.ftl().point_of_move(class.cause(), lpa, ppa);
    let op = &mut above.flash_mut().pool[unit];
    (op.class, op.order) = (Class::program_for(class.cause()), 0);
    above.ftl_mut().purposes[unit].point = number;
    // Copies stay on the die that they were made for, as far as their domain has only one.
    let domain = if above.ftl().rules.places_moves && primary { place_move(above, unit, home) } else { home };
    above.ftl_mut().domain[domain.index()].live += 1;
    above.ftl_mut().keep_within_room(domain, unit);
    gather(above, domain, unit);
}

/// Asks systems and the placement for the domain that a page moves to. The domain that it comes from has space for
/// certain; any other must have some to spare.
fn place_move<A: AboveFtl>(above: &mut A, unit: OpId, home: DomainId) -> DomainId {
    let Some(plane) = place_of_move(above, unit) else { return home };
    let domain = above.ftl().domains.of(plane);
    if domain == home || above.ftl().spares_for_move(domain, above.ftl().purposes[unit].point) {
        domain
    } else {
        home
    }
}

/// Where a page goes that moves; `None`: nobody asks for anything but its own domain.
pub(crate) fn place_of_move<A: AboveFtl>(above: &mut A, unit: OpId) -> Option<PlaneId> {
    let intent = intent(above, unit);
    if let Some(planes) = above.allowed_planes_of(&intent) {
        return Some(place_on_allowed(above, &intent, planes));
    }
    above.ftl().placement.places_moves().then(|| place(above, &intent))
}

/// Puts a unit into the row that is being gathered for a write point of moves, and programs the row when it is full.
fn gather<A: AboveFtl>(above: &mut A, domain: DomainId, unit: OpId) {
    let number = above.ftl().purposes[unit].point;
    let source = above.flash().pool[unit].source;
    above.ftl_mut().home_of_move(source).gathered += 1;
    let (ftl, flash) = above.ftl_and_flash();
    let point = &mut ftl.domain[domain.index()].points[usize::from(number)];
    if point.open_unit != NONE {
        let head = point.open_unit;
        flash.pool[unit].ppa = Ppa(point.place.0 + point.filled);
        point.filled += 1;
        flash.pool.chain(head, unit);
    } else {
        let place = take_place(above, domain, number);
        above.flash_mut().pool[unit].ppa = place;
        let point = &mut above.ftl_mut().domain[domain.index()].points[usize::from(number)];
        (point.open_unit, point.filled) = (unit, 1);
        point.gathered.push(unit);
    }
    let point = &mut above.ftl_mut().domain[domain.index()].points[usize::from(number)];
    if point.filled == point.size {
        point.open_unit = NONE;
        let (first, row_is_full) = (point.place, point.at_row_start());
        unit_is_final(above, first);
        if row_is_full {
            program_gathered(above, domain, number);
        }
    }
}

/// Nothing more comes from this domain for now: programs what its moves have gathered, wherever it lies. What lies in a domain
/// that empties superblocks itself is programmed with those: a page filled in part there is space that they count on.
pub(crate) fn program_gathered_of<A: AboveFtl>(above: &mut A, home: DomainId) {
    for domain in gathering_for(above, home) {
        if domain != home && above.ftl().domain[domain.index()].collector.collects() {
            continue;
        }
        for number in 0..above.ftl().points.count() as u8 {
            if !above.ftl().domain[domain.index()].points[usize::from(number)].gathered.is_empty() {
                program_gathered(above, domain, number);
            }
        }
    }
}

/// Queues the programs of what was gathered; a program unit that is filled in part stays so.
pub(crate) fn program_gathered<A: AboveFtl>(above: &mut A, domain: DomainId, number: u8) {
    let point = &mut above.ftl_mut().domain[domain.index()].points[usize::from(number)];
    let open = std::mem::replace(&mut point.open_unit, NONE) != NONE;
    let first = point.place;
    let mut gathered = std::mem::take(&mut point.gathered);
    if open {
        unit_is_final(above, first);
    }
    let (ftl, flash) = above.ftl_and_flash();
    for unit in gathered.iter().flat_map(|&head| flash.pool.units(head)) {
        ftl.home_of_move(flash.pool[unit].source).gathered -= 1;
    }
    above.ftl_mut().take_parity(&mut gathered);
    above.enqueue_moves(&gathered);
    gathered.clear();
    above.ftl_mut().domain[domain.index()].points[usize::from(number)].gathered = gathered;
}

/// A move's program has ended: its data, once at `source`, is safe in `domain`.
pub(crate) fn move_ended<A: AboveFtl>(above: &mut A, source: Ppa, domain: DomainId) {
    let home = above.ftl().domain_of(source);
    above.ftl_mut().domain[home.index()].collector.in_flight -= 1;
    if home != domain {
        check_collection(above, home);
    }
}
