//! Pages get their places without simulated time, and superblocks are collected for them.

use crate::device::Device;
use crate::device::ftl::Ftl;
use crate::device::victim_places::VictimPlaces;
use crate::placement::ProgramIntent;
use crate::sched::queue::NONE;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Lpa, Ppa, SuperblockId};

/// Units of a victim that are looked at before they are moved, and how far ahead of that their map entries are fetched.
const MOVED_AT_ONCE: usize = 32;

impl Ftl {
    /// Whether a paced drive takes pages of its map without collecting: they have their part of what a layout leaves free, and
    /// what is lacking behind them is won before the first request.
    fn has_room_for_map(&self, domain: DomainId) -> bool {
        self.pace.is_some() && self.domain[domain.index()].free.len() > self.thresholds.reserve
    }

    /// Fetches the map entries of units that are looked at together.
    fn prefetch_moved(&self, places: &[Ppa]) {
        for &ppa in places {
            self.map.prefetch(u64::from(self.oob.lpa(ppa, &self.layout).0));
        }
    }

    /// Moves the first of these units as long as the open superblock stays open; returns how many.
    fn move_run_untimed(&mut self, units: &[(Lpa, Ppa)], domain: DomainId, number: u8) -> usize {
        let planes = self.domains.planes(domain);
        let point = &mut self.domain[domain.index()].points[usize::from(number)];
        let count = point.places_of_a_run(planes.len() as u32).min(units.len());
        point.take_run(&self.geometry, planes, count, |number, ppa| {
            let (lpa, _) = units[number];
            self.oob.set(ppa, lpa);
            self.map.set(lpa, ppa);
        });
        if count > 0 {
            self.blocks.add_valid(point.superblock, count as i32);
        }
        count
    }
}

impl Device {
    pub(super) fn write_untimed(&mut self, lpa: Lpa) {
        self.write_untimed_for(lpa, Cause::Host);
    }

    pub(in crate::device) fn write_untimed_for(&mut self, lpa: Lpa, cause: Cause) {
        self.write_untimed_at(lpa, cause, 0, self.ftl.points.of(cause));
    }

    pub(super) fn write_untimed_at(&mut self, lpa: Lpa, cause: Cause, stream: u16, number: u8) {
        let plane = match cause {
            Cause::Host => self.plane_untimed(lpa, stream, number),
            _ => self.place(&ProgramIntent { cause, ..ProgramIntent::host(lpa, stream) }),
        };
        let domain = self.ftl.domains.of(plane);
        let of_cache = if cause == Cause::Host { self.ftl.untimed_cache_point(domain) } else { None };
        if let Some(point) = of_cache {
            self.store_untimed_at(lpa, domain, cause, point);
            return;
        }
        let opens = !self.ftl.domain[domain.index()].points[usize::from(number)].has_place();
        if opens && !(cause == Cause::Mapping && self.ftl.has_room_for_map(domain)) {
            self.collect_untimed(domain, &mut |this, victim, places| {
                this.move_victim_untimed(domain, victim, places);
            });
        }
        self.store_untimed_at(lpa, domain, cause, number);
    }

    /// A page that is read before it was ever written gets its place, at no cost; [`Ppa::NONE`] without space.
    pub(in crate::device) fn allocate_on_first_read(&mut self, lpa: Lpa) -> Ppa {
        let plane = self.place(&ProgramIntent { first_read: true, ..ProgramIntent::host(lpa, 0) });
        let domain = self.ftl.domains.of(plane);
        let state = &self.ftl.domain[domain.index()];
        if !state.points[0].has_place() && state.free.len() <= self.ftl.thresholds.reserve {
            return Ppa::NONE;
        }
        let ppa = self.store_untimed(lpa, domain, Cause::Host);
        if ppa.is_some() {
            self.tell_allocated(lpa, ppa);
        }
        self.map_changed(lpa, Ppa::NONE, ppa, Cause::Host);
        self.check_collection(domain);
        ppa
    }

    /// Puts a unit on the next place of a write point, effective at once.
    fn store_untimed(&mut self, lpa: Lpa, domain: DomainId, cause: Cause) -> Ppa {
        self.store_untimed_at(lpa, domain, cause, self.ftl.points.of(cause))
    }

    /// The same on the next place of this write point.
    pub(in crate::device) fn store_untimed_at(
        &mut self,
        lpa: Lpa,
        domain: DomainId,
        cause: Cause,
        number: u8,
    ) -> Ppa {
        let ppa = self.put_untimed(lpa, domain, number);
        if !ppa.is_some() {
            return ppa;
        }
        let old = self.ftl.map.move_to(lpa, ppa, &self.ftl.layout);
        self.ftl.domain[domain.index()].live += 1;
        if cause == Cause::Host {
            self.ftl.blocks.count_host_write();
        }
        if let Some(versions) = &mut self.ftl.versions {
            if old.is_some() {
                versions.write(lpa, ppa);
            } else {
                versions.first(lpa, ppa);
            }
            versions.programmed(ppa);
        }
        if old.is_some() {
            if let Some(untimed) = self.ftl.untimed.as_mut().filter(|_| cause == Cause::Host) {
                untimed.old_pages.left(domain, old);
            }
            self.invalidate(old);
        } else {
            self.ftl.mapped_units += u64::from(lpa.0 < self.ftl.logical_units);
        }
        self.close_untimed_place_if_full(domain, number);
        ppa
    }

    /// Moves a unit to the next place of garbage collection in its domain, effective at once. Its old place still counts as
    /// valid.
    pub(in crate::device) fn move_one_untimed(&mut self, lpa: Lpa, old: Ppa, domain: DomainId) {
        let number = self.ftl.point_of_moves_from(Cause::Gc, self.ftl.blocks.of(&self.geometry, old));
        self.move_untimed(lpa, old, domain, number);
    }

    /// Moves a unit within a domain to the next place of a write point, effective at once. Its old place still counts as
    /// valid.
    #[inline]
    fn move_untimed(&mut self, lpa: Lpa, old: Ppa, domain: DomainId, number: u8) {
        let ppa = self.put_untimed(lpa, domain, number);
        if !ppa.is_some() {
            return;
        }
        self.ftl.map.set(lpa, ppa);
        if let Some(versions) = &mut self.ftl.versions {
            versions.copy(old, ppa);
            versions.programmed(ppa);
        }
        self.close_untimed_place_if_full(domain, number);
    }

    /// Puts a unit on the next place of a write point; [`Ppa::NONE`] without space.
    #[inline]
    pub(in crate::device) fn put_untimed(&mut self, lpa: Lpa, domain: DomainId, number: u8) -> Ppa {
        let Some((ppa, superblock)) = self.take_untimed(domain, number) else { return Ppa::NONE };
        self.ftl.oob.set(ppa, lpa);
        self.ftl.blocks.add_valid(superblock, 1);
        ppa
    }

    /// The next place of a write point, and its superblock; `None` without space.
    #[inline]
    fn take_untimed(&mut self, domain: DomainId, number: u8) -> Option<(Ppa, SuperblockId)> {
        let alone = self.ftl.units_are_alone();
        let planes = self.ftl.domains.planes(domain);
        let state = &mut self.ftl.domain[domain.index()];
        let point = &mut state.points[usize::from(number)];
        if !point.untimed || point.filled >= point.size {
            if alone && !point.untimed && point.pages_left(planes.len() as u32) > 1 {
                // A program unit of one mapping unit, in a superblock that stays open: it begins and ends at once.
                let ppa = point.take(&self.geometry, planes, None);
                (point.filled, point.open_unit) = (1, NONE);
                return Some((ppa, point.superblock));
            }
            self.take_place(domain, number);
            if self.observers.fault.is_some() {
                return None;
            }
        }
        let point = &mut self.ftl.domain[domain.index()].points[usize::from(number)];
        let ppa = Ppa(point.place.0 + point.filled);
        point.filled += 1;
        (point.untimed, point.open_unit) = (true, NONE);
        Some((ppa, point.superblock))
    }

    #[inline]
    pub(in crate::device) fn close_untimed_place_if_full(&mut self, domain: DomainId, number: u8) {
        let point = &self.ftl.domain[domain.index()].points[usize::from(number)];
        if point.untimed && point.filled == point.size {
            self.close_untimed_place(domain, number);
        }
    }

    /// Nothing more goes into the program unit that was filled without simulated time. Until then its superblock is no
    /// candidate for collection.
    pub(in crate::device) fn close_untimed_place(&mut self, domain: DomainId, number: u8) {
        let point = &mut self.ftl.domain[domain.index()].points[usize::from(number)];
        if point.untimed {
            point.untimed = false;
            let place = point.place;
            self.untimed_unit_done(place);
            self.end_program_at(place);
        }
    }

    /// Closes every program unit that is being filled without simulated time.
    pub fn close_untimed_places(&mut self) {
        for domain in (0..self.ftl.domain.len() as u32).map(DomainId) {
            for number in 0..self.ftl.points.count() as u8 {
                self.close_untimed_place(domain, number);
            }
        }
    }

    /// Collects until the thresholds are met. `move_victim` moves what is valid in the places of a victim.
    pub(in crate::device) fn collect_untimed(
        &mut self,
        domain: DomainId,
        move_victim: &mut impl FnMut(&mut Self, SuperblockId, VictimPlaces),
    ) {
        let free = |this: &Self| this.ftl.domain[domain.index()].free.len();
        if free(self) > self.ftl.thresholds.trigger {
            return;
        }
        while free(self) <= self.ftl.thresholds.stop && self.observers.fault.is_none() {
            let Some(superblock) = self.choose_victim(domain) else {
                if free(self) <= self.ftl.thresholds.reserve {
                    self.fail(format!("preconditioning found no space in {domain:?}"));
                }
                return;
            };
            let places = self.ftl.victim_places(domain, superblock);
            move_victim(self, superblock, places);
            self.ftl.wear_untimed(superblock);
            self.ftl.make_free(domain, superblock);
        }
    }

    fn move_victim_untimed(&mut self, domain: DomainId, victim: SuperblockId, mut places: VictimPlaces) {
        let number = self.ftl.point_of_moves_from(Cause::Gc, victim);
        let mut moved = 0;
        let mut coming = [Ppa(0); MOVED_AT_ONCE];
        let mut valid = [(Lpa(0), Ppa(0)); MOVED_AT_ONCE];
        let mut left = places.take(&mut coming);
        self.ftl.prefetch_moved(&coming[..left]);
        while left > 0 {
            let (now, given) = (coming, left);
            left = places.take(&mut coming);
            self.ftl.prefetch_moved(&coming[..left]);
            let mut count = 0;
            for &ppa in &now[..given] {
                if let Some(lpa) = self.ftl.valid_lpa(ppa) {
                    valid[count] = (lpa, ppa);
                    count += 1;
                }
            }
            self.move_units_untimed(&valid[..count], domain, number);
            moved += count as i32;
        }
        self.ftl.blocks.add_valid(victim, -moved);
        if let Some(versions) = &mut self.ftl.versions {
            let units = self.geometry.units_per_block();
            places.blocks().iter().for_each(|&first| versions.erase(first, units));
        }
    }

    /// Moves units to the next places of a write point, many at once where each is a program unit of its own.
    fn move_units_untimed(&mut self, mut units: &[(Lpa, Ppa)], domain: DomainId, number: u8) {
        let alone = self.ftl.units_are_alone() && self.ftl.versions.is_none();
        while let Some((&(lpa, old), later)) = units.split_first() {
            let taken = if alone { self.ftl.move_run_untimed(units, domain, number) } else { 0 };
            if taken == 0 {
                self.move_untimed(lpa, old, domain, number);
            }
            units = units.get(taken.max(1)..).unwrap_or(later);
        }
    }
}
