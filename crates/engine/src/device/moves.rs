//! Pages that move: read, given their new places, gathered to rows, and programmed row by row.

#[cfg(test)]
mod tests;

use super::Device;
use super::ftl::Ftl;
use super::purposes::{For, Purpose};
use crate::blocks::separation::Separation;
use crate::gc::collector::Collector;
use crate::placement::Placement;
use crate::sched::queue::{NONE, Op, OpId};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DomainId, Lpa, PlaneId, Ppa, SuperblockId};
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
    pub(super) fn point_of_moves_from(&self, cause: Cause, superblock: SuperblockId) -> u8 {
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
    pub(super) fn spares_for_move(&self, domain: DomainId, point: u8) -> bool {
        let state = &self.domain[domain.index()];
        if state.collector.collects() {
            return false;
        }
        let open = state.points.get(usize::from(point)).is_some_and(|point| point.open_unit != NONE);
        open || state.free.len() >= self.thresholds.trigger + self.reserved_for_cache(domain)
    }
}

impl Device {
    #[inline(never)]
    pub(super) fn read_page_to_move(&mut self, domain: DomainId, page: Ppa, class: Class) {
        // What moves without the controller can have no part in a parity.
        let copybacks = self.flash.copybacks().supported && self.ftl.redundancy.is_none();
        if copybacks && self.copy_back(domain, page, class.cause()) {
            return;
        }
        let (mut head, mut units) = (NONE, 0);
        for ppa in (page.0..page.0 + self.geometry.units_per_page()).map(Ppa) {
            if let Some(lpa) = self.ftl.valid_lpa(ppa) {
                let bytes = self.geometry.unit_bytes;
                let id = self.new_op(Op { source: ppa, bytes, ..Op::new(class, ppa) }, Purpose::of(lpa));
                units += 1;
                if head == NONE {
                    head = id;
                } else {
                    self.flash.pool.chain(head, id);
                }
            }
        }
        if head != NONE {
            let collector = &mut self.ftl.domain[domain.index()].collector;
            collector.in_flight += units;
            collector.reading += units;
            submit(self, head);
        }
    }

    /// A unit to be moved was overwritten or trimmed before it was read.
    pub(super) fn move_dropped(&mut self, ppa: Ppa) {
        let domain = self.ftl.domain_of(ppa);
        let collector = &mut self.ftl.domain[domain.index()].collector;
        collector.in_flight -= 1;
        collector.reading -= 1;
        self.advance_collection(domain);
    }

    /// A unit to be moved is in the controller: gives it its new place. Its program begins when the whole row of program
    /// units (the superpage) is there.
    pub(super) fn unit_read_for_move(&mut self, unit: OpId) {
        let Purpose { lpa, whose, .. } = self.ftl.purposes[unit];
        let Op { ppa, class, .. } = self.flash.pool[unit];
        if whose != For::Drive {
            return self.plan_page_read(unit);
        }
        let home = self.ftl.domain_of(ppa);
        let primary = self.ftl.is_at(lpa, ppa);
        let wanted = primary || self.ftl.copies.at(lpa, ppa).is_some();
        let collector = &mut self.ftl.domain[home.index()].collector;
        collector.reading -= 1;
        if !wanted {
            // Overwritten or trimmed while it was read: nothing left to move.
            collector.in_flight -= 1;
            return self.flash.pool.remove(unit);
        }
        let number = self.ftl.point_of_move(class.cause(), lpa, ppa);
        let op = &mut self.flash.pool[unit];
        (op.class, op.order) = (Class::program_for(class.cause()), 0);
        self.ftl.purposes[unit].point = number;
        // Copies stay on the die that they were made for, as far as their domain has only one.
        let domain = if self.rules.places_moves && primary { self.place_move(unit, home) } else { home };
        self.ftl.domain[domain.index()].live += 1;
        self.ftl.keep_within_room(domain, unit);
        self.gather(domain, unit);
    }

    /// Asks systems and the placement for the domain that a page moves to. The domain that it comes from has space for
    /// certain; any other must have some to spare.
    fn place_move(&mut self, unit: OpId, home: DomainId) -> DomainId {
        let Some(plane) = self.place_of_move(unit) else { return home };
        let domain = self.ftl.domains.of(plane);
        if domain == home || self.ftl.spares_for_move(domain, self.ftl.purposes[unit].point) {
            domain
        } else {
            home
        }
    }

    /// Where a page goes that moves; `None`: nobody asks for anything but its own domain.
    pub(super) fn place_of_move(&mut self, unit: OpId) -> Option<PlaneId> {
        let intent = self.intent(unit);
        if let Some(planes) = self.allowed_planes_of(&intent) {
            return Some(self.place_on_allowed(&intent, planes));
        }
        self.ftl.placement.places_moves().then(|| self.place_among(&intent, None))
    }

    /// Puts a unit into the row that is being gathered for a write point of moves, and programs the row when it is full.
    fn gather(&mut self, domain: DomainId, unit: OpId) {
        let number = self.ftl.purposes[unit].point;
        self.ftl.home_of_move(self.flash.pool[unit].source).gathered += 1;
        let point = &mut self.ftl.domain[domain.index()].points[usize::from(number)];
        if point.open_unit != NONE {
            let head = point.open_unit;
            self.flash.pool[unit].ppa = Ppa(point.place.0 + point.filled);
            point.filled += 1;
            self.flash.pool.chain(head, unit);
        } else {
            let place = self.take_place(domain, number);
            self.flash.pool[unit].ppa = place;
            let point = &mut self.ftl.domain[domain.index()].points[usize::from(number)];
            (point.open_unit, point.filled) = (unit, 1);
            point.gathered.push(unit);
        }
        let point = &mut self.ftl.domain[domain.index()].points[usize::from(number)];
        if point.filled == point.size {
            point.open_unit = NONE;
            let (first, row_is_full) = (point.place, point.at_row_start());
            self.unit_is_final(first);
            if row_is_full {
                self.program_gathered(domain, number);
            }
        }
    }

    /// Nothing more comes from this domain for now: programs what its moves have gathered, wherever it lies. What lies in a domain
    /// that empties superblocks itself is programmed with those: a page filled in part there is space that they count on.
    pub(super) fn program_gathered_of(&mut self, home: DomainId) {
        for domain in self.gathering_for(home) {
            if domain != home && self.ftl.domain[domain.index()].collector.collects() {
                continue;
            }
            for number in 0..self.ftl.points.count() as u8 {
                if !self.ftl.domain[domain.index()].points[usize::from(number)].gathered.is_empty() {
                    self.program_gathered(domain, number);
                }
            }
        }
    }

    /// Queues the programs of what was gathered; a program unit that is filled in part stays so.
    pub(super) fn program_gathered(&mut self, domain: DomainId, number: u8) {
        let point = &mut self.ftl.domain[domain.index()].points[usize::from(number)];
        let open = std::mem::replace(&mut point.open_unit, NONE) != NONE;
        let first = point.place;
        let mut gathered = std::mem::take(&mut point.gathered);
        if open {
            self.unit_is_final(first);
        }
        for unit in gathered.iter().flat_map(|&head| self.flash.pool.units(head)) {
            self.ftl.home_of_move(self.flash.pool[unit].source).gathered -= 1;
        }
        self.ftl.take_parity(&mut gathered);
        self.enqueue_moves(&gathered);
        gathered.clear();
        self.ftl.domain[domain.index()].points[usize::from(number)].gathered = gathered;
    }

    /// A move's program has ended: its data, once at `source`, is safe in `domain`.
    pub(super) fn move_ended(&mut self, source: Ppa, domain: DomainId) {
        let home = self.ftl.domain_of(source);
        self.ftl.domain[home.index()].collector.in_flight -= 1;
        if home != domain {
            self.check_collection(home);
        }
    }
}
