//! Preparing a drive domain by domain.
//!
//! Where a page's domain follows from its address and the choice of a victim from that domain alone, what one domain does
//! while the drive is prepared depends on no other. Then the pages to be written are sorted by domain, many at a time, and
//! each domain writes its own in their order: its tables are in the caches meanwhile. What is left is the same to the byte as
//! when all were written in turn.

pub(crate) mod memory;

use crate::work::above::AboveFtl;
use crate::work::ftl::Ftl;
use crate::work::preparation::by_domain::memory::memory_of_filling;
use crate::work::preparation::places::{close_untimed_place_if_full, collect_untimed, put_untimed};
use crate::work::writes::commit::invalidate;
use std::ops::Range;

use crate::gc::GcPolicy;
use crate::mapping::PageMap;
use crate::mapping::page::Whole;
use crate::mapping::part::{Entries, Parts, Striping};
use crate::placement::{Placement, PlacementPolicy};
use crate::work::collection::victim_places::VictimPlaces;
use crate::work::preparation::overwriting::Overwriting;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Lpa, Ppa, SuperblockId};
use wordline_base::memory::ENTRIES_OF_LINE;

/// Pages to be filled that are sorted at a time: so many that each domain gets some rows, so few that their entries of the
/// map stay in the nearest caches if they follow one another.
pub const FILLED_AT_ONCE: usize = 1 << 15;

/// Pages that follow one another need no sorting: of so many times fewer the entries stay in the nearest cache of all.
const FEWER_IN_ORDER: usize = 4;

/// Overwrites that are drawn at a time, for each logical page: taking the entries of all domains out of the map and putting
/// them back costs the same for any number.
const DRAWN_FOR_EACH_PAGE: f64 = 0.25;

/// With fewer overwrites for each logical page it costs more than it saves.
const WORTH_IT: f64 = 0.2;

/// Overwrites that are drawn between two questions whether to go on.
const DRAWN_BETWEEN: u32 = 1 << 16;

/// Entries of the map that are taken out together, bytes.
pub const TAKEN_OUT: usize = 128 << 20;

/// Units of a victim that are looked at before they are moved, and how far ahead of that their entries are fetched.
const MOVED_AT_ONCE: usize = 64;

/// Writes that lie between fetching an entry and using it.
const FETCHED_AHEAD: usize = 24;

/// Units of a victim whose logical pages are fetched at once.
const MOST_FETCHED: u32 = 512;

/// Places between one that is written and the one whose logical page is fetched then.
const WRITTEN_AHEAD: u32 = 64;

/// A domain could not go on at a write.
struct Stopped {
    domain: DomainId,
    /// Which of the domain's writes.
    write: usize,
    fault: String,
}

impl Ftl {
    /// Fills the first of a domain's pages that follow one another, given by their entries, as long as each is a program unit
    /// of its own and the open superblock stays open; returns how many.
    fn fill_run_of_domain(
        &mut self,
        domain: DomainId,
        striping: &Striping,
        map: &mut Whole,
        entries: Range<u32>,
    ) -> usize {
        let planes = self.domains.planes(domain);
        // What the layout put somewhere has an old place although its entry is zero.
        let is_laid_out = striping.page(domain, entries.start).0 < self.layout.occupied();
        if is_laid_out || !self.units_are_alone() || !striping.gives_each_of(planes.len()) {
            return 0;
        }
        let state = &mut self.domain[domain.index()];
        let point = &mut state.points[usize::from(self.points.of(Cause::Host))];
        let count = point.places_of_a_run(planes.len() as u32).min(entries.len());
        if count == 0 {
            return 0;
        }
        self.blocks.add_valid(point.superblock, count as i32);
        let mut new = count as u32;
        point.take_rows(&self.geometry, planes, count, |first, ppa, places| {
            let lpas = striping.pages_from(domain, entries.start + first as u32, places);
            self.oob.set_run(ppa, lpas);
            map.0.set_run(lpas, ppa, |old| {
                new -= 1;
                self.blocks.add_valid(self.blocks.of(&self.geometry, old), -1);
            });
        });
        state.live += new;
        self.mapped_units += u64::from(new);
        self.blocks.count_host_writes(count as u64);
        count
    }

    /// Writes the first of these pages as long as each is a program unit of its own and the open superblock stays open;
    /// returns how many.
    fn write_run_of_domain(&mut self, domain: DomainId, map: &mut impl Entries, numbers: &[u32]) -> usize {
        if !self.units_are_alone() {
            return 0;
        }
        let planes = self.domains.planes(domain);
        let state = &mut self.domain[domain.index()];
        let point = &mut state.points[usize::from(self.points.of(Cause::Host))];
        let count = point.places_of_a_run(planes.len() as u32).min(numbers.len());
        if count == 0 {
            return 0;
        }
        self.blocks.add_valid(point.superblock, count as i32);
        let mut new = 0;
        let numbers = numbers.get(..(count + FETCHED_AHEAD).min(numbers.len())).unwrap_or(numbers);
        point.take_run(&self.geometry, planes, count, |place, ppa| {
            if let Some(&coming) = numbers.get(place + FETCHED_AHEAD) {
                map.prefetch(coming);
            }
            let number = numbers[place];
            let lpa = map.page(number);
            self.oob.set(ppa, lpa);
            let old = map.get(number, lpa, &self.layout);
            map.set(number, ppa);
            if old.is_some() {
                if let Some(untimed) = &mut self.untimed {
                    untimed.old_pages.left(domain, old);
                }
                // Nothing that is written now is in SLC mode, so that no superblock is erased for being empty.
                self.blocks.add_valid(self.blocks.of(&self.geometry, old), -1);
            } else {
                new += 1;
            }
        });
        state.live += new;
        self.mapped_units += u64::from(new);
        self.blocks.count_host_writes(count as u64);
        count
    }

    /// Looks up what was written to the next places of a victim, and fetches its entries; returns how many.
    #[inline]
    fn fetch_moved(
        &self,
        map: &impl Entries,
        places: &mut VictimPlaces,
        coming: &mut [(Lpa, u32, Ppa); MOVED_AT_ONCE],
    ) -> usize {
        let mut next = [Ppa(0); MOVED_AT_ONCE];
        let count = places.take(&mut next);
        for (slot, &ppa) in coming.iter_mut().zip(&next[..count]) {
            let lpa = self.oob.lpa(ppa, &self.layout);
            let number = map.number(lpa);
            map.prefetch(number);
            *slot = (lpa, number, ppa);
        }
        count
    }

    /// Moves the first of these units as long as each is a program unit of its own and the open superblock stays open;
    /// returns how many.
    fn move_run_of_domain(
        &mut self,
        domain: DomainId,
        map: &mut impl Entries,
        units: &[(Lpa, u32)],
    ) -> usize {
        if !self.units_are_alone() {
            return 0;
        }
        let planes = self.domains.planes(domain);
        let point = &mut self.domain[domain.index()].points[usize::from(self.points.of(Cause::Gc))];
        let count = point.places_of_a_run(planes.len() as u32).min(units.len());
        point.take_run(&self.geometry, planes, count, |number, ppa| {
            let (lpa, entry) = units[number];
            self.oob.prefetch(Ppa(ppa.0 + WRITTEN_AHEAD));
            self.oob.set(ppa, lpa);
            map.set(entry, ppa);
        });
        if count > 0 {
            self.blocks.add_valid(point.superblock, count as i32);
        }
        count
    }
}

/// How the domains share the logical pages, if each can be prepared on its own.
pub fn striping<A: AboveFtl>(above: &A) -> Option<Striping> {
    // Checked mode takes the other way, so that one can be held against the other.
    let independent = above.ftl().versions.is_none()
        && matches!(above.ftl().gc, GcPolicy::Greedy(_) | GcPolicy::Fifo(_) | GcPolicy::WindowedGreedy(_))
        && !above.ftl().blocks.keeps_last_change()
        && above.ftl().redundancy.is_none()
        && above.ftl().wear_out.is_none()
        && !above.ftl().copies.is_on()
        && above.has_no_systems()
        && !above.ftl().slc.as_ref().is_some_and(|slc| slc.untimed)
        && !above.ftl().points.moves_apart()
        && !above.ftl().replication.reserved.has_dies()
        && above.ftl().sets.is_none();
    let PlacementPolicy::Static(placement) = &above.ftl().placement else { return None };
    if !independent || above.ftl().domains.len() < 2 {
        return None;
    }
    let period = above.ftl().geometry.planes() << above.ftl().geometry.unit_shift;
    let plane_of = |lpa| placement.plane_by_address(lpa);
    Striping::new(&above.ftl().domains, period, above.ftl().all_units(), plane_of)
}

/// [`fill`](crate::work::fill), domain by domain, so many pages at a time.
pub fn fill_by_domain<A: AboveFtl>(above: &mut A, striping: &Striping, pages: &[Lpa], at_once: usize) {
    let mut map = Whole(std::mem::replace(&mut above.ftl_mut().map, PageMap::new(0)));
    // SAFETY: the tables are not exchanged while the drive is filled, which is as long as this is used.
    let memory = unsafe { memory_of_filling(above, striping, &mut map, pages) };
    memory.beside(|| {
        let mut sorted = vec![Vec::new(); above.ftl().domains.len()];
        let mut left = pages;
        while !above.has_failed() && !left.is_empty() {
            let some = left.get(..at_once.min(left.len())).unwrap_or(left);
            let in_order = in_order(some.get(..at_once.div_ceil(FEWER_IN_ORDER)).unwrap_or(some));
            let taken = match in_order.filter(|pages| pages.end <= above.ftl().logical_units) {
                Some(pages) => {
                    memory.wait_for_pages_below(pages.end);
                    fill_in_order(above, striping, &mut map, pages.clone());
                    pages.len()
                }
                None => {
                    fill_sorted(above, striping, &mut map, some, &mut sorted);
                    some.len()
                }
            };
            left = left.get(taken..).unwrap_or_default();
        }
    });
    drop(memory);
    above.ftl_mut().map = map.0;
}

/// Fills pages in any order.
fn fill_sorted<A: AboveFtl>(
    above: &mut A,
    striping: &Striping,
    map: &mut Whole,
    pages: &[Lpa],
    sorted: &mut [Vec<u32>],
) {
    let logical = above.ftl().logical_units;
    let dealt = |&lpa: &Lpa| (lpa.0 < logical).then(|| (lpa, striping.of(lpa).0));
    sorted.iter_mut().for_each(Vec::clear);
    for (lpa, domain) in pages.iter().filter_map(dealt) {
        sorted[domain.index()].push(lpa.0);
    }
    let mut stopped = Vec::new();
    for (domain, numbers) in (0..).map(DomainId).zip(&*sorted) {
        stopped.extend(write_to_domain(above, domain, map, numbers));
    }
    let first = first_of(stopped, || pages.iter().filter_map(dealt).map(|(_, domain)| domain));
    above.put_fault(first);
}

/// Fills pages that follow one another.
fn fill_in_order<A: AboveFtl>(above: &mut A, striping: &Striping, map: &mut Whole, pages: Range<u32>) {
    map.0.note_run(pages.start as usize..pages.end as usize);
    let mut stopped = Vec::new();
    for domain in (0..above.ftl().domains.len() as u32).map(DomainId) {
        let entries = striping.entries_of(domain, &pages);
        let page = |number: usize| striping.page(domain, entries.start + number as u32).0;
        stopped.extend(write_all_of_domain(above, domain, map, entries.len(), page, |this, map, first| {
            this.ftl_mut().fill_run_of_domain(
                domain,
                striping,
                map,
                entries.start + first as u32..entries.end,
            )
        }));
    }
    let first = first_of(stopped, || pages.clone().map(|page| striping.of(Lpa(page)).0));
    above.put_fault(first);
}

/// Whether so many overwrites are enough for [`overwrite_by_domain`].
pub(crate) fn is_worth_going_by_domain(striping: &Striping, count: u64) -> bool {
    count as f64 > f64::from(striping.units()) * WORTH_IT
}

/// [`overwrite`](crate::work::overwrite), domain by domain; entries of so many bytes are taken out of the map together.
pub fn overwrite_by_domain<A: AboveFtl>(
    above: &mut A,
    striping: &Striping,
    count: u64,
    choice: &mut Overwriting<'_>,
    taken_out: usize,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> bool {
    let groups = striping.groups(taken_out);
    let mut parts = Parts::new(striping, groups.first().map_or(0, Vec::len));
    let mut drawn = vec![Vec::new(); above.ftl().domains.len()];
    let at_once = (f64::from(striping.units()) * DRAWN_FOR_EACH_PAGE).ceil() as u64;
    let mut left = count;
    while left > 0 && !above.has_failed() {
        let some = left.min(at_once) as u32;
        let before = choice.again();
        drawn.iter_mut().for_each(Vec::clear);
        for number in 0..some {
            let Some(page) = choice.draw() else { return true };
            let (domain, entry) = striping.of(page.lpa);
            drawn[domain.index()].push(entry);
            if number % DRAWN_BETWEEN == 0 && !go_on(0) {
                return false;
            }
        }
        let mut stopped = Vec::new();
        for group in &groups {
            parts.take(group, &above.ftl().map);
            for (slot, &domain) in group.iter().enumerate() {
                let own = &drawn[domain.index()];
                stopped.extend(write_to_domain(above, domain, &mut parts.of(slot), own));
                if !go_on(own.len() as u64) {
                    return false;
                }
            }
            parts.put_back(&mut above.ftl_mut().map);
        }
        let first = first_of(stopped, || {
            let again = before.as_ref().and_then(Overwriting::again).into_iter();
            again.flat_map(move |mut again| {
                (0..some).map_while(move |_| again.draw().map(|drawn| striping.of(drawn.lpa).0))
            })
        });
        above.put_fault(first);
        left -= u64::from(some);
    }
    true
}

/// Writes these entries' pages, all of one domain.
fn write_to_domain<A: AboveFtl>(
    above: &mut A,
    domain: DomainId,
    map: &mut impl Entries,
    numbers: &[u32],
) -> Option<Stopped> {
    let number = |place: usize| numbers[place];
    write_all_of_domain(above, domain, map, numbers.len(), number, |this, map, first| {
        this.ftl_mut().write_run_of_domain(domain, map, numbers.get(first..).unwrap_or_default())
    })
}

/// Writes the pages of so many entries, all of one domain. `write_run` writes some of them at once, from one on, and
/// returns how many; of none, the page is written on its own.
fn write_all_of_domain<A: AboveFtl, M: Entries>(
    above: &mut A,
    domain: DomainId,
    map: &mut M,
    count: usize,
    number: impl Fn(usize) -> u32,
    write_run: impl Fn(&mut A, &mut M, usize) -> usize,
) -> Option<Stopped> {
    let point = usize::from(above.ftl().points.of(Cause::Host));
    let mut done = 0;
    while done < count {
        if !above.ftl().domain[domain.index()].points[point].has_place() {
            collect_untimed(above, domain, &mut |this, victim, places| {
                move_victim_of_domain(this, domain, map, victim, places);
            });
        }
        let run = write_run(above, map, done);
        if run == 0 {
            write_one_of_domain(above, domain, map, number(done));
        }
        if let Some(fault) = above.take_fault() {
            return Some(Stopped { domain, write: done, fault });
        }
        done += run.max(1);
    }
    None
}

/// Writes one page to the next place of the host.
fn write_one_of_domain<A: AboveFtl>(above: &mut A, domain: DomainId, map: &mut impl Entries, number: u32) {
    let (lpa, point) = (map.page(number), above.ftl().points.of(Cause::Host));
    let ppa = put_untimed(above, lpa, domain, point);
    if !ppa.is_some() {
        return;
    }
    let old = map.get(number, lpa, &above.ftl().layout);
    map.set(number, ppa);
    above.ftl_mut().domain[domain.index()].live += 1;
    above.ftl_mut().blocks.count_host_writes(1);
    if old.is_some() {
        if let Some(untimed) = &mut above.ftl_mut().untimed {
            untimed.old_pages.left(domain, old);
        }
        invalidate(above, old);
    } else {
        above.ftl_mut().mapped_units += u64::from(lpa.0 < above.ftl().logical_units);
    }
    close_untimed_place_if_full(above, domain, point);
}

/// Moves what is valid in a victim.
fn move_victim_of_domain<A: AboveFtl>(
    above: &mut A,
    domain: DomainId,
    map: &mut impl Entries,
    victim: SuperblockId,
    mut places: VictimPlaces,
) {
    let fetched = MOST_FETCHED / places.blocks().len().max(1) as u32;
    for block in places.blocks() {
        (block.0..block.0 + above.ftl().geometry.units_per_block().min(fetched))
            .step_by(ENTRIES_OF_LINE)
            .for_each(|ppa| above.ftl().oob.prefetch(Ppa(ppa)));
    }
    let mut moved = 0;
    let mut coming = [(Lpa(0), 0, Ppa(0)); MOVED_AT_ONCE];
    let mut valid = [(Lpa(0), 0); MOVED_AT_ONCE];
    let mut left = above.ftl().fetch_moved(map, &mut places, &mut coming);
    while left > 0 {
        let (now, given) = (coming, left);
        left = above.ftl().fetch_moved(map, &mut places, &mut coming);
        let mut count = 0;
        for &(lpa, number, ppa) in &now[..given] {
            // Whether a unit is valid is chance: no branch.
            valid[count % MOVED_AT_ONCE] = (lpa, number);
            count += usize::from(map.get(number, lpa, &above.ftl().layout) == ppa);
        }
        move_units_of_domain(above, domain, map, &valid[..count]);
        moved += count as i32;
    }
    above.ftl_mut().blocks.add_valid(victim, -moved);
}

/// Moves units to the next places of garbage collection.
fn move_units_of_domain<A: AboveFtl>(
    above: &mut A,
    domain: DomainId,
    map: &mut impl Entries,
    mut units: &[(Lpa, u32)],
) {
    let number = above.ftl().points.of(Cause::Gc);
    while let Some((&(lpa, entry), later)) = units.split_first() {
        let run = above.ftl_mut().move_run_of_domain(domain, map, units);
        if run == 0 {
            let ppa = put_untimed(above, lpa, domain, number);
            if ppa.is_some() {
                map.set(entry, ppa);
                close_untimed_place_if_full(above, domain, number);
            }
        }
        units = units.get(run.max(1)..).unwrap_or(later);
    }
}

/// The pages, if they follow one another.
fn in_order(pages: &[Lpa]) -> Option<Range<u32>> {
    let first = pages.first()?.0;
    let follow = pages.iter().zip(first..).all(|(lpa, number)| lpa.0 == number);
    (follow && pages.len() > 1).then(|| first..first + pages.len() as u32)
}

/// What stopped the drive: of the domains that stopped, the one whose write came first. `domains` are those of all writes, in
/// turn.
fn first_of<I: Iterator<Item = DomainId>>(
    mut stopped: Vec<Stopped>,
    domains: impl Fn() -> I,
) -> Option<String> {
    let when = |stopped: &Stopped| {
        let own = domains().enumerate().filter(|(_, domain)| *domain == stopped.domain);
        own.map(|(place, _)| place).nth(stopped.write)
    };
    stopped.sort_by_cached_key(when);
    stopped.into_iter().next().map(|stopped| stopped.fault)
}
