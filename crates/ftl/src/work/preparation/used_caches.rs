//! The SLC cache and the cached map as a load without end leaves them, without simulated time.

use crate::work::above::AboveFtl;
use crate::work::preparation::places::{
    close_untimed_place, close_untimed_place_if_full, put_untimed, store_untimed_at,
};
use crate::work::writes::commit::superblock_is_full;
use crate::work::writes::places::place;
use std::ops::Range;

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::mapping::{Found, Lookup, MapView, Update, WriteBack};
use crate::placement::ProgramIntent;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Lpa, Ppa};
use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_base::rng::{below, stream};
use wordline_flash::nand::CellMode;

/// γ: the largest of n exponential times is ln n + γ of their means long.
const EULER: f64 = 0.577_215_664_901_532_9;

/// Pages drawn for each one that the SLC cache takes, at most: with many domains the last ones are hit seldom.
const DRAWS: u64 = 16;

/// Questions about one page after which the mapping is left alone.
const MOST_QUESTIONS: usize = 16;

/// Accesses of the map's cache are looked at after so many, and whenever a quarter more have come.
const FIRST_LOOK: u64 = 1 << 14;

/// Most accesses of either kind.
const MOST_ACCESSES: u64 = 1 << 20;

/// Requests that are passed over in a row: there seem to be no more writes.
const MOST_PASSED_OVER: u32 = 1 << 16;

/// What grows by no more than this share while a quarter more accesses come has ended growing: it goes up and down by chance.
const GROWS: f64 = 0.02;

/// Requests whose pages go through the map's cache.
struct Pages<'a> {
    source: &'a mut dyn RequestSource,
    batch: Vec<HostRequest>,
    next: usize,
    unit_bytes: u64,
    occupied: u32,
}

impl Pages<'_> {
    /// The next request that reads or writes: its pages, and whether it writes. `None` at the end, or if there is none for long.
    fn next(&mut self, writes_only: bool) -> Result<Option<(Range<u32>, bool)>, SourceError> {
        for _ in 0..MOST_PASSED_OVER {
            let Some(request) = self.batch.get(self.next) else {
                self.batch.clear();
                self.next = 0;
                self.source.next_batch(&mut self.batch)?;
                if self.batch.is_empty() {
                    return Ok(None);
                }
                continue;
            };
            self.next += 1;
            let write = request.op.is_write();
            if request.length > 0 && (write || (request.op == HostOp::Read && !writes_only)) {
                let end = request.offset.saturating_add(request.length).div_ceil(self.unit_bytes);
                let within = |unit: u64| unit.min(u64::from(self.occupied)) as u32;
                return Ok(Some((within(request.offset / self.unit_bytes)..within(end), write)));
            }
        }
        Ok(None)
    }
}

/// Evenly from 0 to 1, in steps of 2^-31.
fn unit(random: &mut Xoshiro256PlusPlus) -> f64 {
    const STEPS: u32 = 1 << 31;
    f64::from(below(random, STEPS)) / f64::from(STEPS)
}

/// Fills the part of the SLC cache that is always its own, as uniform writes that never let the drive rest leave it: it is
/// full, and of each superblock the pages are valid that weren't written again since. Where writes that find no room go past the
/// cache, a superblock is used again when its last page was overwritten; where they wait, the superblocks are folded in turn.
/// In either case a superblock's age is evenly spread over its life. Returns the units that the cache then holds, valid or not.
pub fn use_slc_cache<A: AboveFtl>(above: &mut A, occupied: u32, seed: u64) -> u64 {
    let Some(least) = above.ftl().slc.as_ref().map(|slc| slc.least()).filter(|&least| least > 0) else {
        return 0;
    };
    let domains = above.ftl().domains.len() as u32;
    let units =
        above.ftl().blocks.units_in(CellMode::Slc, &above.ftl().geometry) * above.ftl().domains.width();
    let all = u64::from(units) * u64::from(least) * u64::from(domains);
    let in_turn = above.ftl().slc.as_ref().is_some_and(|slc| slc.folds_first());
    // In overwrites of all that the drive holds.
    let life = if in_turn { all as f64 / f64::from(occupied.max(1)) } else { f64::from(units).ln() + EULER };
    let mut random = stream(seed, "used SLC cache");
    let mut kept = vec![1.0; domains as usize];
    let (mut taken, mut draws) = (0, 0);
    while taken < all && draws < all.saturating_mul(DRAWS) && !above.has_failed() {
        draws += 1;
        let lpa = Lpa(below(&mut random, occupied));
        let plane = place(above, &ProgramIntent::host(lpa, 0));
        let domain = above.ftl().domains.of(plane);
        let Some(point) = above.ftl().untimed_cache_point(domain) else { continue };
        let begins = !above.ftl().domain[domain.index()].points[usize::from(point)].has_place();
        let Some(kept) = kept.get_mut(domain.index()) else { continue };
        if begins {
            *kept = (-unit(&mut random) * life).exp();
        }
        taken += 1;
        // One page at least: a superblock in which nothing is valid is erased at once.
        if begins || unit(&mut random) < *kept {
            store_untimed_at(above, lpa, domain, Cause::Host, point);
        } else {
            store_outdated(above, lpa, domain, point);
        }
    }
    taken
}

/// Closes the native superblocks that preparation wrote the host's data to, where from now on all of it goes through the SLC
/// cache first: nothing would ever fill them, and what is open is never collected.
pub fn close_behind_slc_cache<A: AboveFtl>(above: &mut A) {
    for domain in (0..above.ftl().domain.len() as u32).map(DomainId) {
        if !above.ftl().takes_all_writes(domain) {
            continue;
        }
        for number in 0..usize::from(above.ftl().points.host()) {
            let point = &above.ftl().domain[domain.index()].points[number];
            let superblock = point.superblock;
            if point.has_place() {
                close_untimed_place(above, domain, number as u8);
                above.ftl_mut().domain[domain.index()].points[number].close();
                superblock_is_full(above, superblock);
            }
        }
    }
}

/// A place that holds a page which was written again since.
fn store_outdated<A: AboveFtl>(above: &mut A, lpa: Lpa, domain: DomainId, point: u8) {
    let ppa: Ppa = put_untimed(above, lpa, domain, point);
    if ppa.is_some() {
        let superblock = above.ftl().blocks.of(&above.ftl().geometry, ppa);
        above.ftl_mut().blocks.add_valid(superblock, -1);
        close_untimed_place_if_full(above, domain, point);
    }
}

/// Lets the pages of these requests through the cache of the map, where it has one, until it holds what it goes on holding: first
/// the changes of writes, then what reads and writes look up. What would have to be programmed for it is on flash already. Returns
/// how many pages.
///
/// # Errors
/// Those of the requests.
pub fn use_map_cache<A: AboveFtl>(
    above: &mut A,
    source: &mut dyn RequestSource,
    occupied: u32,
) -> Result<u64, SourceError> {
    let unit_bytes = u64::from(above.ftl().geometry.unit_bytes);
    let mut pages = Pages { source, batch: Vec::new(), next: 0, unit_bytes, occupied };
    let changes = use_map_until_stationary(above, &mut pages, true)?;
    Ok(changes + use_map_until_stationary(above, &mut pages, false)?)
}

/// Until what is held no longer changes, and as many pages again.
fn use_map_until_stationary<A: AboveFtl>(
    above: &mut A,
    pages: &mut Pages<'_>,
    writes_only: bool,
) -> Result<u64, SourceError> {
    let (mut seen, mut look, mut last, mut before) = (0, FIRST_LOOK, MOST_ACCESSES, None);
    while seen < last.min(MOST_ACCESSES) {
        let Some((units, write)) = pages.next(writes_only)? else { break };
        for lpa in units.clone().map(Lpa).filter(|&lpa| above.ftl().is_mapped(lpa)).collect::<Vec<_>>() {
            use_map_entry(above, &Lookup { lpa, write, units: units.end - lpa.0, flow: None });
            seen += 1;
        }
        if seen >= look {
            let policy = above.ftl().translation.policy.get();
            let now = [policy.cached_entries(), policy.dirty_entries()].map(|count| count as f64);
            let is_full = before.is_some_and(|before: [f64; 2]| {
                before.iter().zip(now).all(|(&before, now)| now <= (1.0 + GROWS) * before)
            });
            if is_full && last == MOST_ACCESSES {
                last = 2 * seen;
            }
            (before, look) = (Some(now), seen + seen / 4);
        }
    }
    Ok(seen)
}

fn use_map_entry<A: AboveFtl>(above: &mut A, lookup: &Lookup) {
    let &Lookup { lpa, write, .. } = lookup;
    let ppa = above.ftl().lookup(lpa);
    let caches_data = above.caches_data();
    let ftl = above.ftl_mut();
    let translation = &mut ftl.translation;
    let (policy, sizes) = (translation.policy.get_mut(), translation.sizes);
    let view = MapView { map: &ftl.map, layout: &ftl.layout, occupied: ftl.mapped_units as u32, sizes };
    let mut writes: Vec<WriteBack> = std::mem::take(&mut translation.writes);
    // With a data cache the host's writes ask for nothing: its write-backs change the entries.
    if !write || !caches_data {
        for _ in 0..MOST_QUESTIONS {
            let Found::Load(page) = policy.find(lookup, &view) else { break };
            policy.loaded(page, lookup, &view, &mut writes);
        }
    }
    if write {
        policy.updated(&Update { lpa, old: ppa, new: ppa, cause: Cause::Host }, &view, &mut writes);
    }
    writes.clear();
    translation.writes = writes;
}
