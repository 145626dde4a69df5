//! Pages get their places without simulated time, and superblocks are collected for them.

use crate::NO_COLLECTION_WINS;
use crate::events::Event;
use crate::placement::ProgramIntent;
use crate::work::above::AboveFtl;
use crate::work::collection::collect::check_collection;
use crate::work::collection::victim_places::VictimPlaces;
use crate::work::collection::victims::choose_victim;
use crate::work::ftl::Ftl;
use crate::work::parity::rows::untimed_unit_done;
use crate::work::preparation::untimed::plane_untimed;
use crate::work::translation::look_ups::map_changed;
use crate::work::writes::commit::{end_program_at, invalidate};
use crate::work::writes::places::{place, take_place};
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Lpa, Ppa, SuperblockId};
use wordline_flash::sched::queue::NONE;

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

pub(crate) fn write_untimed<A: AboveFtl>(above: &mut A, lpa: Lpa) {
    write_untimed_for(above, lpa, Cause::Host);
}

pub(crate) fn write_untimed_for<A: AboveFtl>(above: &mut A, lpa: Lpa, cause: Cause) {
    let number = above.ftl().points.of(cause);
    write_untimed_at(above, lpa, cause, 0, number);
}

pub(crate) fn write_untimed_at<A: AboveFtl>(above: &mut A, lpa: Lpa, cause: Cause, stream: u16, number: u8) {
    let plane = match cause {
        Cause::Host => plane_untimed(above, lpa, stream, number),
        _ => place(above, &ProgramIntent { cause, ..ProgramIntent::host(lpa, stream) }),
    };
    let domain = above.ftl().domains.of(plane);
    let of_cache = if cause == Cause::Host { above.ftl().untimed_cache_point(domain) } else { None };
    if let Some(point) = of_cache {
        store_untimed_at(above, lpa, domain, cause, point);
        return;
    }
    let opens = !above.ftl().domain[domain.index()].points[usize::from(number)].has_place();
    if opens && !(cause == Cause::Mapping && above.ftl().has_room_for_map(domain)) {
        collect_untimed(above, domain, &mut |this, victim, places| {
            move_victim_untimed(this, domain, victim, places);
        });
    }
    store_untimed_at(above, lpa, domain, cause, number);
}

/// A page is given up.
pub(crate) fn forget_untimed<A: AboveFtl>(above: &mut A, lpa: Lpa) {
    let ppa = above.ftl().lookup(lpa);
    if !ppa.is_some() {
        return;
    }
    let ftl = above.ftl_mut();
    ftl.map.clear(lpa);
    ftl.mapped_units -= 1;
    if let Some(versions) = &mut ftl.versions {
        versions.change(lpa);
    }
    invalidate(above, ppa);
}

/// A page that is read before it was ever written gets its place, at no cost; [`Ppa::NONE`] without space.
pub(crate) fn allocate_on_first_read<A: AboveFtl>(above: &mut A, lpa: Lpa) -> Ppa {
    let plane = place(above, &ProgramIntent { first_read: true, ..ProgramIntent::host(lpa, 0) });
    let domain = above.ftl().domains.of(plane);
    let state = &above.ftl().domain[domain.index()];
    if !state.points[0].has_place() && state.free.len() <= above.ftl().thresholds.reserve {
        return Ppa::NONE;
    }
    let ppa = store_untimed(above, lpa, domain, Cause::Host);
    if ppa.is_some() {
        above.tell(&Event::Allocated { lpa, ppa });
    }
    map_changed(above, lpa, Ppa::NONE, ppa, Cause::Host);
    check_collection(above, domain);
    ppa
}

/// Puts a unit on the next place of a write point, effective at once.
fn store_untimed<A: AboveFtl>(above: &mut A, lpa: Lpa, domain: DomainId, cause: Cause) -> Ppa {
    let number = above.ftl().points.of(cause);
    store_untimed_at(above, lpa, domain, cause, number)
}

/// The same on the next place of this write point.
pub(crate) fn store_untimed_at<A: AboveFtl>(
    above: &mut A,
    lpa: Lpa,
    domain: DomainId,
    cause: Cause,
    number: u8,
) -> Ppa {
    let ppa = put_untimed(above, lpa, domain, number);
    if !ppa.is_some() {
        return ppa;
    }
    let ftl = above.ftl_mut();
    let old = ftl.map.move_to(lpa, ppa, &ftl.layout);
    above.ftl_mut().domain[domain.index()].live += 1;
    if cause == Cause::Host {
        above.ftl_mut().blocks.count_host_write();
    }
    if let Some(mut numbers) = above.ftl_mut().numbers() {
        if old.is_some() {
            numbers.write(lpa, ppa);
        } else {
            numbers.first(lpa, ppa);
        }
        numbers.programmed(ppa);
    }
    if old.is_some() {
        if let Some(untimed) = above.ftl_mut().untimed.as_mut().filter(|_| cause == Cause::Host) {
            untimed.old_pages.left(domain, old);
        }
        invalidate(above, old);
    } else {
        above.ftl_mut().mapped_units += u64::from(lpa.0 < above.ftl().logical_units);
    }
    close_untimed_place_if_full(above, domain, number);
    ppa
}

/// Moves a unit to the next place of garbage collection in its domain, effective at once. Its old place still counts as
/// valid.
pub(crate) fn move_one_untimed<A: AboveFtl>(above: &mut A, lpa: Lpa, old: Ppa, domain: DomainId) {
    let number =
        above.ftl().point_of_moves_from(Cause::Gc, above.ftl().blocks.of(&above.ftl().geometry, old));
    move_untimed(above, lpa, old, domain, number);
}

/// Moves a unit within a domain to the next place of a write point, effective at once. Its old place still counts as
/// valid.
#[inline]
fn move_untimed<A: AboveFtl>(above: &mut A, lpa: Lpa, old: Ppa, domain: DomainId, number: u8) {
    let ppa = put_untimed(above, lpa, domain, number);
    if !ppa.is_some() {
        return;
    }
    above.ftl_mut().map.set(lpa, ppa);
    if let Some(mut numbers) = above.ftl_mut().numbers() {
        numbers.copy(old, ppa);
        numbers.programmed(ppa);
    }
    close_untimed_place_if_full(above, domain, number);
}

/// Puts a unit on the next place of a write point; [`Ppa::NONE`] without space.
#[inline]
pub(crate) fn put_untimed<A: AboveFtl>(above: &mut A, lpa: Lpa, domain: DomainId, number: u8) -> Ppa {
    let Some((ppa, superblock)) = take_untimed(above, domain, number) else { return Ppa::NONE };
    above.ftl_mut().oob.set(ppa, lpa);
    above.ftl_mut().blocks.add_valid(superblock, 1);
    ppa
}

/// The next place of a write point, and its superblock; `None` without space.
#[inline]
fn take_untimed<A: AboveFtl>(above: &mut A, domain: DomainId, number: u8) -> Option<(Ppa, SuperblockId)> {
    let alone = above.ftl().units_are_alone();
    let ftl = above.ftl_mut();
    let planes = ftl.domains.planes(domain);
    let state = &mut ftl.domain[domain.index()];
    let point = &mut state.points[usize::from(number)];
    if !point.untimed || point.filled >= point.size {
        if alone && !point.untimed && point.pages_left(planes.len() as u32) > 1 {
            // A program unit of one mapping unit, in a superblock that stays open: it begins and ends at once.
            let ppa = point.take(&ftl.geometry, planes, None);
            (point.filled, point.open_unit) = (1, NONE);
            return Some((ppa, point.superblock));
        }
        take_place(above, domain, number);
        if above.has_failed() {
            return None;
        }
    }
    let point = &mut above.ftl_mut().domain[domain.index()].points[usize::from(number)];
    let ppa = Ppa(point.place.0 + point.filled);
    point.filled += 1;
    (point.untimed, point.open_unit) = (true, NONE);
    Some((ppa, point.superblock))
}

#[inline]
pub(crate) fn close_untimed_place_if_full<A: AboveFtl>(above: &mut A, domain: DomainId, number: u8) {
    let point = &above.ftl().domain[domain.index()].points[usize::from(number)];
    if point.untimed && point.filled == point.size {
        close_untimed_place(above, domain, number);
    }
}

/// Nothing more goes into the program unit that was filled without simulated time. Until then its superblock is no
/// candidate for collection.
pub fn close_untimed_place<A: AboveFtl>(above: &mut A, domain: DomainId, number: u8) {
    let point = &mut above.ftl_mut().domain[domain.index()].points[usize::from(number)];
    if point.untimed {
        point.untimed = false;
        let place = point.place;
        untimed_unit_done(above, place);
        end_program_at(above, place);
    }
}

/// Closes every program unit that is being filled without simulated time.
pub fn close_untimed_places<A: AboveFtl>(above: &mut A) {
    for domain in (0..above.ftl().domain.len() as u32).map(DomainId) {
        for number in 0..above.ftl().points.count() as u8 {
            close_untimed_place(above, domain, number);
        }
    }
}

/// Collects until the thresholds are met. `move_victim` moves what is valid in the places of a victim.
pub(crate) fn collect_untimed<A: AboveFtl>(
    above: &mut A,
    domain: DomainId,
    move_victim: &mut impl FnMut(&mut A, SuperblockId, VictimPlaces),
) {
    let free = |this: &A| this.ftl().domain[domain.index()].free.len();
    if free(above) > above.ftl().thresholds.trigger {
        return;
    }
    let mut numbers = Vec::new();
    while free(above) <= above.ftl().thresholds.stop && !above.has_failed() {
        let Some(superblock) = choose_victim(above, domain) else {
            if free(above) <= above.ftl().thresholds.reserve {
                above.fail(format!("the writes that prepare the drive {NO_COLLECTION_WINS}"));
            }
            break;
        };
        numbers.push(above.ftl().point_of_moves_from(Cause::Gc, superblock));
        let places = above.ftl().victim_places(domain, superblock);
        move_victim(above, superblock, places);
        above.ftl_mut().wear_untimed(superblock);
        above.ftl_mut().make_free(domain, superblock);
    }
    // What was gathered is programmed when collection rests; at the host's pace it hardly does.
    if above.ftl().pace.is_none() {
        numbers.into_iter().for_each(|number| close_untimed_place(above, domain, number));
    }
}

fn move_victim_untimed<A: AboveFtl>(
    above: &mut A,
    domain: DomainId,
    victim: SuperblockId,
    mut places: VictimPlaces,
) {
    let number = above.ftl().point_of_moves_from(Cause::Gc, victim);
    let mut moved = 0;
    let mut coming = [Ppa(0); MOVED_AT_ONCE];
    let mut valid = [(Lpa(0), Ppa(0)); MOVED_AT_ONCE];
    let mut left = places.take(&mut coming);
    above.ftl().prefetch_moved(&coming[..left]);
    while left > 0 {
        let (now, given) = (coming, left);
        left = places.take(&mut coming);
        above.ftl().prefetch_moved(&coming[..left]);
        let mut count = 0;
        for &ppa in &now[..given] {
            if let Some(lpa) = above.ftl().valid_lpa(ppa) {
                valid[count] = (lpa, ppa);
                count += 1;
            }
        }
        move_units_untimed(above, &valid[..count], domain, number);
        moved += count as i32;
    }
    above.ftl_mut().blocks.add_valid(victim, -moved);
    let ftl = above.ftl_mut();
    let units = ftl.geometry.units_per_block();
    if let Some(sequences) = ftl.sequences() {
        places.blocks().iter().for_each(|&first| sequences.erase(first, units));
    }
}

/// Moves units to the next places of a write point, many at once where each is a program unit of its own.
fn move_units_untimed<A: AboveFtl>(above: &mut A, mut units: &[(Lpa, Ppa)], domain: DomainId, number: u8) {
    let alone = above.ftl().units_are_alone() && above.ftl().versions.is_none();
    while let Some((&(lpa, old), later)) = units.split_first() {
        let taken = if alone { above.ftl_mut().move_run_untimed(units, domain, number) } else { 0 };
        if taken == 0 {
            move_untimed(above, lpa, old, domain, number);
        }
        units = units.get(taken.max(1)..).unwrap_or(later);
    }
}
