//! Garbage collection at work: victims are read ahead, their valid units programmed elsewhere in the same domain, and
//! erased when the last of them is safe.

use crate::blocks::BlockState;
use crate::gc::collector::Collector;
use crate::mapping::fetched_layout::FetchedLayout;
use crate::work::above::AboveFtl;
use crate::work::collection::moves::{program_gathered_of, read_page_to_move};
use crate::work::collection::pace::pace_pauses;
use crate::work::collection::slc_cache::fold_waits;
use crate::work::collection::victims::next_victim;
use crate::work::ftl::Ftl;
use crate::work::reclaim::hurry_reclaim_of;
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DomainId, Lpa, Ppa, SuperblockId};
use wordline_base::memory::ENTRIES_OF_LINE;

/// Rows of a victim whose map entries are fetched together, as long ahead of their reads: a fetch whose address translation
/// must be looked up holds the processor for as long as several of them together.
const FETCHED_TOGETHER: u32 = 8;

impl Ftl {
    /// Whether a domain has less space than shall be free.
    fn lacks_space(&self, domain: DomainId) -> bool {
        let state = &self.domain[domain.index()];
        match &self.pace {
            None => {
                state.free.len() < self.thresholds.trigger.max(state.demand) + self.reserved_for_cache(domain)
            }
            Some(pace) => !self.paced_enough(domain, state.free.len(), self.reserved_for_cache(domain), pace),
        }
    }

    /// Units of a domain's victims that may be under way before no more of them is read.
    fn read_ahead(&self, domain: DomainId) -> u32 {
        if self.collects_gently(domain) {
            self.geometry.units_per_program() * self.domains.width()
        } else {
            self.thresholds.read_ahead
        }
    }

    /// Rows of a victim that are fetched together: fewer where a row is wide or its pages hold many units, so that what was fetched is still in the caches
    /// when it is read.
    #[inline]
    fn rows_together(&self) -> u32 {
        (FETCHED_TOGETHER / (self.domains.width() << self.geometry.unit_shift)).max(1)
    }

    /// Brings what is needed of the next but one [`Self::rows_together`] of a plane towards the caches, at first of the
    /// next ones too. `page` lies in row `row` of `rows`.
    fn fetch_rows(&mut self, page: Ppa, row: u32, rows: u32) {
        let (shift, together) = (self.geometry.unit_shift, self.rows_together());
        let first = if row == 0 { 0 } else { together };
        let units = (rows - row).min(2 * together) << shift;
        if self.fetched_layout.is_none() && self.layout.steady().is_some() {
            let (planes, units) = (self.geometry.planes(), self.geometry.units_per_plane());
            self.fetched_layout = Some(Box::new(FetchedLayout::new(planes, units, (2 * together) << shift)));
        }
        for ppa in (page.0 + (first << shift)..page.0 + units).map(Ppa) {
            let lpa = match &mut self.fetched_layout {
                Some(fetched) => self.oob.lpa_or(ppa, || fetched.ask(ppa, &self.layout)),
                None => self.oob.lpa(ppa, &self.layout),
            };
            self.map.prefetch(u64::from(lpa.0));
            if let Some(versions) = &self.versions {
                versions.prefetch(u64::from(lpa.0));
            }
        }
        // The logical pages of those behind, which are looked at next time.
        let behind = (2 * together) << shift;
        (0..together << shift)
            .step_by(ENTRIES_OF_LINE)
            .for_each(|unit| self.oob.prefetch(Ppa(page.0 + behind + unit)));
    }

    /// The logical page that was written with a physical page of a victim.
    #[inline(always)]
    pub(crate) fn lpa_of_victim(&self, ppa: Ppa) -> Lpa {
        match &self.fetched_layout {
            Some(fetched) => self.oob.lpa_or(ppa, || fetched.lpa(ppa, &self.layout)),
            None => self.oob.lpa(ppa, &self.layout),
        }
    }

    /// The logical page that a physical page holds, if it is still wanted.
    pub fn valid_lpa(&self, ppa: Ppa) -> Option<Lpa> {
        let lpa = self.lpa_of_victim(ppa);
        (lpa.0 < self.all_units() && self.holds(lpa, ppa)).then_some(lpa)
    }

    /// Whether a physical page is the primary or a further copy of a logical one.
    #[inline]
    pub fn holds(&self, lpa: Lpa, ppa: Ppa) -> bool {
        self.is_at(lpa, ppa) || self.copies.at(lpa, ppa).is_some()
    }
}

impl Ftl {
    /// Whether a victim is read no further, as enough of it is under way, and all of that lies in rows that more of it would fill:
    /// pages that move to several domains, or write points, may leave each of their rows in part.
    fn waits_for_itself(&self, home: DomainId) -> bool {
        let Collector { in_flight, gathered, .. } = self.domain[home.index()].collector;
        gathered == in_flight && in_flight >= self.read_ahead(home)
    }
}

/// Starts or continues the collection of a domain where it is needed.
#[inline(always)]
pub(crate) fn check_collection<A: AboveFtl>(above: &mut A, domain: DomainId) {
    consider_collection(above, domain);
    if above.ftl().domain[domain.index()].collector.active {
        advance_collection(above, domain);
    }
}

/// Starts the collection of a domain where it is needed.
#[inline(never)]
fn consider_collection<A: AboveFtl>(above: &mut A, domain: DomainId) {
    let (for_cache, fold) = (above.ftl().reserved_for_cache(domain), above.ftl().fold_is_due(domain));
    let lacks_space = above.ftl().lacks_space(domain);
    let ftl = above.ftl_mut();
    let state = &mut ftl.domain[domain.index()];
    if lacks_space {
        // Below the trigger there is still space: the host waits when only the reserve is left.
        let few = (ftl.thresholds.reserve + 1).max(state.demand) + for_cache;
        let host_waits_soon = state.free.len() < few;
        state.collector.active = true;
        state.collector.background = false;
        if ftl.reclaim.is_some() && host_waits_soon {
            hurry_reclaim_of(above, domain);
        }
    } else if fold || !state.collector.wanted.is_empty() {
        state.collector.active = true;
    }
}

/// Asks for a superblock to be emptied and erased although space suffices. It joins the domain's victims when a
/// block can be spared for its pages; one that is not full, or is asked for already, is left alone.
pub fn want_emptied<A: AboveFtl>(above: &mut A, superblock: SuperblockId, cause: Cause) {
    let domain = above.ftl().blocks.split(superblock).0;
    let ftl = above.ftl_mut();
    let collector = &mut ftl.domain[domain.index()].collector;
    let known = collector.wanted.iter().any(|&(other, _)| other == superblock);
    if known || ftl.blocks.state(superblock) != BlockState::Full {
        return;
    }
    collector.wanted.push_back((superblock, cause));
    collector.active = true;
    advance_collection(above, domain);
}

/// Chooses victims and reads ahead, as far as the thresholds and the space allow.
#[inline]
pub(crate) fn advance_collection<A: AboveFtl>(above: &mut A, domain: DomainId) {
    if above.ftl().pace.is_some() {
        above.ftl_mut().pace_changed(domain);
    }
    while above.ftl().domain[domain.index()].collector.active {
        if !above.ftl().domain[domain.index()].collector.victim.is_some() {
            if !next_victim(above, domain) {
                break;
            }
        } else if !read_victim(above, domain) {
            break;
        }
    }
    let collector = &above.ftl().domain[domain.index()].collector;
    if collector.reading == 0
        && (!collector.victim.is_some() || fold_waits(above, domain) || above.ftl().waits_for_itself(domain))
    {
        program_gathered_of(above, domain);
    }
}

/// The domains that pages of this one may move to.
pub(crate) fn gathering_for<A: AboveFtl>(
    above: &A,
    home: DomainId,
) -> impl Iterator<Item = DomainId> + use<A> {
    let domains =
        if above.ftl().rules.places_moves { 0..above.ftl().domain.len() as u32 } else { home.0..home.0 + 1 };
    domains.map(DomainId)
}

/// Sends reads of the victim's valid units; `false` when enough are under way.
fn read_victim<A: AboveFtl>(above: &mut A, domain: DomainId) -> bool {
    let ahead = above.ftl().read_ahead(domain);
    let Collector { victim: superblock, cause, .. } = above.ftl().domain[domain.index()].collector;
    let (block, rows) = (above.ftl().blocks.split(superblock).1, above.ftl().blocks.rows(superblock));
    let class = Class::read_for(cause);
    loop {
        let Collector { row, column, in_flight, .. } = above.ftl().domain[domain.index()].collector;
        // A row that was begun is read to its end, so that its planes can be read together.
        if in_flight >= ahead && column == 0 {
            return false;
        }
        if column == 0 && fold_waits(above, domain) {
            above.ftl_mut().pause_fold(domain);
            return false;
        }
        if row == rows {
            above.ftl_mut().domain[domain.index()].collector.victim = SuperblockId::NONE;
            return true;
        }
        if column == 0 && pace_pauses(above, domain) {
            return false;
        }
        let plane = above.ftl().domains.planes(domain)[column as usize];
        let page = above.ftl().geometry.first_unit(plane, block, row);
        if row.is_multiple_of(above.ftl().rows_together()) {
            above.ftl_mut().fetch_rows(page, row, rows);
        }
        let ftl = above.ftl_mut();
        let collector = &mut ftl.domain[domain.index()].collector;
        let row_ends = column + 1 == ftl.domains.width();
        (collector.row, collector.column) = if row_ends { (row + 1, 0) } else { (row, column + 1) };
        read_page_to_move(above, domain, page, class);
    }
}
