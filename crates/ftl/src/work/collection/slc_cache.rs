//! The SLC cache at work: where a write of the host goes, and when superblocks of the cache are folded.
//!
//! The cache has one write point in each domain. Its superblocks are no candidates of the GC policy: folding is decided
//! here and carried out by the domain's collection, with cause migration.

use crate::work::above::AboveFtl;
use crate::work::collection::collect::advance_collection;
use crate::work::collection::erase::begin_erase;
use crate::work::collection::victims::choose_victim;
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::reclaim::closing::has_urgent;
use serde::{Deserialize, Serialize};

use crate::blocks::slc_cache::CacheSizes;
use crate::blocks::slc_cache::{CacheView, SlcCache, SlcCachePolicy};
use crate::blocks::{BlockState, Points};
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Ppa, SuperblockId};
use wordline_config::slc_cache::{SlcCacheConfig, WhenFull};
use wordline_flash::nand::CellMode;
use wordline_flash::sched::queue::OpId;

/// State of the SLC cache.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SlcState {
    /// Its write point in each domain.
    point: u8,
    sizes: CacheSizes,
    fold_first: bool,
    at_idle: bool,
    /// Whether the drive has been idle for long enough.
    idle: bool,
    /// Whether requests are inside.
    busy: bool,
    /// Mapping units of a domain on a full drive.
    logical: u32,
    /// Superblocks of the cache by domain, the first opened first.
    used: Vec<Vec<SuperblockId>>,
    /// Domains with a fold that waits for the requests to be done.
    paused: Vec<DomainId>,
    /// Whether the drive is being prepared for a load that uses the cache.
    #[serde(skip)]
    pub(crate) untimed: bool,
}

impl SlcState {
    /// `None` without a cache: then it costs one branch.
    pub(crate) fn new(
        config: &SlcCacheConfig,
        sizes: CacheSizes,
        points: &Points,
        domains: usize,
        logical: u32,
    ) -> Option<Box<Self>> {
        points.of_slc_cache().map(|point| {
            Box::new(Self {
                point,
                sizes,
                fold_first: config.when_full == WhenFull::FoldFirst,
                at_idle: config.fold_at_idle,
                idle: false,
                busy: false,
                logical,
                used: vec![Vec::new(); domains],
                paused: Vec::new(),
                untimed: false,
            })
        })
    }

    /// Superblocks of each domain that are always its own.
    pub(crate) fn least(&self) -> u32 {
        self.sizes.least
    }

    /// Whether a write that finds no room waits for a fold.
    pub(crate) fn folds_first(&self) -> bool {
        self.fold_first
    }

    /// A write point opened this superblock.
    pub(crate) fn opened(&mut self, domain: DomainId, point: u8, superblock: SuperblockId) {
        if point == self.point {
            self.used[domain.index()].push(superblock);
        }
    }

    fn used(&self, domain: DomainId) -> &[SuperblockId] {
        &self.used[domain.index()]
    }

    fn used_count(&self, domain: DomainId) -> u32 {
        self.used(domain).len() as u32
    }
}

impl Ftl {
    /// Free superblocks of a domain that only the cache may take, garbage collection excepted.
    #[inline]
    pub(crate) fn reserved_for_cache(&self, domain: DomainId) -> u32 {
        self.slc.as_ref().map_or(0, |slc| slc.sizes.least.saturating_sub(slc.used_count(domain)))
    }

    /// Free superblocks that a domain shall have beside those that collection keeps: what is reserved, and while the
    /// drive is idle what the cache may have.
    pub(crate) fn wanted_by_cache(&self, domain: DomainId) -> u32 {
        match &self.slc {
            Some(slc) if slc.idle => self.cache_size(slc, domain).saturating_sub(slc.used_count(domain)),
            _ => self.reserved_for_cache(domain),
        }
    }

    fn cache_view<'a>(&'a self, slc: &'a SlcState, domain: DomainId) -> CacheView<'a> {
        CacheView {
            domain,
            used: slc.used(domain),
            blocks: &self.blocks,
            capacity: self.blocks.capacity(),
            logical: slc.logical,
            live: self.domain[domain.index()].live,
        }
    }

    fn cache_size(&self, slc: &SlcState, domain: DomainId) -> u32 {
        let CacheSizes { least, most, .. } = slc.sizes;
        self.slc_policy.size(&self.cache_view(slc, domain)).clamp(least, most)
    }

    /// Whether every write of the host to this domain goes to the SLC cache, and waits where that has no room.
    pub(crate) fn takes_all_writes(&self, domain: DomainId) -> bool {
        self.slc.as_ref().is_some_and(|slc| slc.fold_first && self.cache_size(slc, domain) > 0)
    }

    /// Whether a superblock of a domain is to become free that the cache may take: one of its own that is used, or one that is
    /// being collected or erased.
    fn cache_gets_room(&self, slc: &SlcState, domain: DomainId) -> bool {
        !slc.used(domain).is_empty() || !self.domain[domain.index()].collector.victims.is_empty()
    }

    /// Whether a write point may open another superblock.
    #[inline]
    pub(crate) fn may_open(&self, domain: DomainId, point: u8) -> bool {
        let free = self.domain[domain.index()].free.len();
        match &self.slc {
            None => free > self.thresholds.reserve,
            Some(slc) if point == slc.point => {
                let used = slc.used_count(domain);
                // Beyond what is its own it never makes garbage collection begin.
                let least =
                    if used < slc.sizes.least { self.thresholds.reserve } else { self.thresholds.trigger };
                free > least && used < self.cache_size(slc, domain)
            }
            Some(_) => free > self.thresholds.reserve + self.reserved_for_cache(domain),
        }
    }

    /// The write point of the cache, where a write without simulated time goes to it.
    #[inline]
    pub(crate) fn untimed_cache_point(&self, domain: DomainId) -> Option<u8> {
        let slc = self.slc.as_ref().filter(|slc| slc.untimed)?;
        let state = &self.domain[domain.index()];
        let room = state.points[usize::from(slc.point)].has_place();
        let may_open = slc.used_count(domain) < slc.sizes.least && state.free.len() > self.thresholds.reserve;
        (room || may_open).then_some(slc.point)
    }

    /// A superblock was erased.
    #[inline]
    pub(crate) fn note_freed(&mut self, domain: DomainId, superblock: SuperblockId) {
        if self.blocks.mode(superblock) == CellMode::Slc
            && let Some(slc) = &mut self.slc
        {
            slc.used[domain.index()].retain(|&other| other != superblock);
        }
    }

    /// Whether superblocks are to be folded although free ones suffice.
    #[inline]
    pub(crate) fn fold_is_due(&self, domain: DomainId) -> bool {
        let Some(slc) = &self.slc else { return false };
        let due = slc.idle || (slc.fold_first && !self.domain[domain.index()].stalled.is_empty());
        due && self.next_fold(domain).is_some()
    }

    /// The superblock that the policy folds next.
    fn next_fold(&self, domain: DomainId) -> Option<SuperblockId> {
        let slc = self.slc.as_ref()?;
        let superblock = self.slc_policy.fold(&self.cache_view(slc, domain))?;
        let foldable =
            slc.used(domain).contains(&superblock) && self.blocks.state(superblock) == BlockState::Full;
        foldable.then_some(superblock)
    }

    /// The next fold although free superblocks suffice: one at a time.
    pub(crate) fn fold_at_leisure(&self, domain: DomainId) -> Option<(SuperblockId, Cause)> {
        if !self.fold_is_due(domain) {
            return None;
        }
        let state = &self.domain[domain.index()];
        let alone = !state.collector.collects() && state.collector.reading == 0;
        let superblock = self.next_fold(domain)?;
        (alone && state.free.len() > self.thresholds.reserve).then_some((superblock, Cause::Migration))
    }

    /// The fold of this domain waits: it goes on when the drive is empty.
    pub(crate) fn pause_fold(&mut self, domain: DomainId) {
        if let Some(slc) = self.slc.as_mut().filter(|slc| !slc.paused.contains(&domain)) {
            slc.paused.push(domain);
        }
    }

    /// Whether the cache wants to be told when the drive is idle.
    #[inline]
    pub fn folds_at_idle(&self) -> bool {
        self.slc.as_ref().is_some_and(|slc| slc.at_idle)
    }

    /// What is folded only because the drive is idle is not folded on.
    pub(crate) fn stop_idle_folds(&mut self) {
        if let Some(slc) = &mut self.slc {
            slc.idle = false;
        }
    }
}

impl Ftl {
    /// A superblock of the cache in which nothing is valid is free at once while the drive is prepared.
    fn free_untimed(&mut self, domain: DomainId, superblock: SuperblockId) {
        self.forget_sequences(domain, superblock);
        self.wear_untimed(superblock);
        self.note_freed(domain, superblock);
        self.make_free(domain, superblock);
    }
}

impl Ftl {
    /// From now on, or no longer, writes without simulated time use what is always the cache's own.
    pub fn use_slc_cache_untimed(&mut self, on: bool) {
        if let Some(slc) = &mut self.slc {
            slc.untimed = on;
        }
    }
}

/// The write point that takes a unit now; `None` if it must wait, for a place or for its pace.
#[inline]
pub(crate) fn open_point<A: AboveFtl>(above: &A, domain: DomainId, id: OpId) -> Option<u8> {
    let open = point_with_place(above, domain, id);
    let is_paced = above.ftl().pace.is_some()
        && matches!(above.flash().pool[id].class.cause(), Cause::Host | Cause::WriteBack);
    open.filter(|&point| !(is_paced && above.ftl().pace_holds(domain, point)))
}

/// The write point that has a place for a unit.
#[inline]
pub(crate) fn point_with_place<A: AboveFtl>(above: &A, domain: DomainId, id: OpId) -> Option<u8> {
    let point = above.ftl().purposes[id].point;
    match &above.ftl().slc {
        Some(slc) if matches!(above.flash().pool[id].class.cause(), Cause::Host | Cause::WriteBack) => {
            if above.ftl().can_take_unit(domain, slc.point) {
                return Some(slc.point);
            }
            if above.ftl().takes_all_writes(domain) && above.ftl().cache_gets_room(slc, domain) {
                return None;
            }
            // One that begins anew may have been bound for the cache.
            let native = if point == slc.point { 0 } else { point };
            above.ftl().can_take_unit(domain, native).then_some(native)
        }
        _ => above.ftl().can_take_unit(domain, point).then_some(point),
    }
}

/// A unit gets its place at this write point.
#[inline]
pub(crate) fn count_cached<A: AboveFtl>(above: &mut A, id: OpId) {
    let Some(slc) = &above.ftl().slc else { return };
    if above.ftl().purposes[id].point == slc.point {
        above.counted(Counted::Cached);
    } else if matches!(above.flash().pool[id].class.cause(), Cause::Host | Cause::WriteBack) {
        above.counted(Counted::PastCache);
    }
}

/// A unit moved away from here.
#[inline]
pub(crate) fn note_folded<A: AboveFtl>(above: &mut A, source: Ppa) {
    if above.ftl().slc.is_some() && above.ftl().cell_mode(source) == CellMode::Slc {
        above.counted(Counted::Folded);
    }
}

/// A superblock of the cache in which nothing is valid is erased at once.
#[inline]
pub(crate) fn erase_if_empty<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    if above.ftl().slc.is_some()
        && above.ftl().blocks.mode(superblock) == CellMode::Slc
        && above.ftl().blocks.state(superblock) == BlockState::Full
        && above.ftl().blocks.valid(superblock) == 0
    {
        let domain = above.ftl().blocks.split(superblock).0;
        if above.ftl().slc.as_ref().is_some_and(|slc| slc.untimed) {
            return above.ftl_mut().free_untimed(domain, superblock);
        }
        above.ftl_mut().domain[domain.index()].collector.victims.push((superblock, Cause::Migration));
        above.counted(Counted::Emptied(Cause::Migration));
        above.counted(Counted::CacheEmptied);
        above.ftl_mut().blocks.set_state(superblock, BlockState::Collecting);
        begin_erase(above, superblock);
    }
}

/// What makes space at the least cost: the GC policy's victim, or a superblock of the cache, where folding it wins
/// space for others than the cache.
pub(crate) fn choose_for_space<A: AboveFtl>(
    above: &mut A,
    domain: DomainId,
) -> Option<(SuperblockId, Cause)> {
    let native = choose_victim(above, domain).map(|superblock| (superblock, Cause::Gc));
    let Some(slc) = &above.ftl().slc else { return native };
    let waited_for = slc.fold_first && !above.ftl().domain[domain.index()].stalled.is_empty();
    if slc.used_count(domain) <= slc.sizes.least && !waited_for {
        return native;
    }
    let fold = above.ftl().next_fold(domain).map(|superblock| (superblock, Cause::Migration));
    let cost = |victim: &Option<(SuperblockId, Cause)>| {
        victim.map_or(u32::MAX, |(id, _)| above.ftl().blocks.valid(id))
    };
    if cost(&fold) < cost(&native) { fold } else { native }
}

/// A superblock is being emptied.
#[inline]
pub(crate) fn note_emptied<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    if above.ftl().slc.is_some() && above.ftl().blocks.mode(superblock) == CellMode::Slc {
        above.counted(Counted::CacheEmptied);
    }
}

/// Whether the fold that is under way waits: requests are inside, none of which needs its space.
#[inline]
pub(crate) fn fold_waits<A: AboveFtl>(above: &A, domain: DomainId) -> bool {
    let Some(slc) = &above.ftl().slc else { return false };
    let state = &above.ftl().domain[domain.index()];
    let victim = state.collector.victim;
    if !slc.busy || state.collector.cause != Cause::Migration || !victim.is_some() {
        return false;
    }
    let others = state.free.len() + state.collector.victims.len() as u32 - 1;
    above.ftl().blocks.mode(victim) == CellMode::Slc
        && !has_urgent(above, domain)
        && state.stalled.is_empty()
        && others >= above.ftl().thresholds.stop.max(state.demand) + above.ftl().reserved_for_cache(domain)
}

/// The first request comes in, or the last one is gone.
pub fn cache_sees_requests<A: AboveFtl>(above: &mut A, inside: bool) {
    let Some(slc) = &mut above.ftl_mut().slc else { return };
    (slc.busy, slc.idle) = (inside, false);
    if !inside {
        for domain in std::mem::take(&mut slc.paused) {
            advance_collection(above, domain);
        }
    }
}

/// The drive has been idle for long enough: empties the cache, superblock by superblock, and
/// collects until free ones suffice for all that it may have.
pub fn fold_while_idle<A: AboveFtl>(above: &mut A) {
    if above.ftl().winds_down() {
        return;
    }
    let Some(slc) = above.ftl_mut().slc.as_mut().filter(|slc| slc.at_idle && !slc.busy) else { return };
    slc.idle = true;
    for domain in (0..above.ftl().domain.len() as u32).map(DomainId) {
        above.ftl_mut().domain[domain.index()].collector.active = true;
        advance_collection(above, domain);
    }
}

/// What the SLC cache may have and has, mapping units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlcSpace {
    /// As the policy has it now.
    pub size: u64,
    /// Always its own.
    pub least: u64,
    /// At most.
    pub most: u64,
    /// Of its superblocks.
    pub used: u64,
    /// Of those that are valid.
    pub valid: u64,
}

impl Ftl {
    /// Replaces the policy of the SLC cache by a user's own. Nothing happens to a drive without such a cache.
    pub fn set_slc_cache(&mut self, policy: Box<dyn SlcCache + Send>) {
        self.slc_policy = SlcCachePolicy::Custom(policy);
    }

    /// The space of the SLC cache; `None` without one.
    pub fn slc_space(&self) -> Option<SlcSpace> {
        let slc = self.slc.as_ref()?;
        let domains = self.domain.len() as u64;
        let units =
            u64::from(self.blocks.units_in(CellMode::Slc, &self.geometry)) * u64::from(self.domains.width());
        let used = || slc.used.iter().flatten();
        let size =
            (0..self.domain.len() as u32).map(|domain| u64::from(self.cache_size(slc, DomainId(domain))));
        Some(SlcSpace {
            size: units * size.sum::<u64>(),
            least: units * domains * u64::from(slc.sizes.least),
            most: units * domains * u64::from(slc.sizes.most),
            used: units * used().count() as u64,
            valid: used().map(|&superblock| u64::from(self.blocks.valid(superblock))).sum(),
        })
    }
}
