//! Reads that are rebuilt: the other pages of the stripe are read and joined instead of waiting for a busy die.

use crate::work::above::AboveFtl;
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::parity::pages::{rebuilds_page, verify_page_of_stripe};
use crate::work::purposes::new_op;
use crate::work::purposes::{For, Purpose};
use crate::work::reads::read::finds_newest;
use std::collections::VecDeque;
use wordline_flash::work::submit;

use serde::{Deserialize, Serialize};

use crate::redundancy::{BlockedRead, Decision, Redundancy};
use wordline_base::class::Class;
use wordline_base::ids::{DieId, Lpa, Ppa};
use wordline_base::parts::Part;
use wordline_base::slab;
use wordline_base::time::Ns;
use wordline_flash::sched::queue::{NONE, Op, OpId};

/// A read that is being rebuilt.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Join {
    /// The unit that is to be answered; it waits in no queue.
    target: OpId,
    /// Pages of the stripe whose read has not ended, and those whose read has not begun.
    left: u32,
    to_begin: u32,
    /// The page was rewritten, moved or trimmed before all had begun: what is read is of no use.
    failed: bool,
}

/// All reads that are being rebuilt.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rebuilds {
    joins: Vec<Join>,
    free: Vec<u32>,
    xor: Ns,
    /// Units whose stripe is there and is being joined, in the order in which they are done: each takes the same time.
    joining: VecDeque<(Ns, OpId)>,
}

impl Rebuilds {
    pub fn new(xor_ns: u64) -> Self {
        Self { joins: Vec::new(), free: Vec::new(), xor: Ns(xor_ns), joining: VecDeque::new() }
    }

    /// Time that joining takes.
    pub fn xor(&self) -> Ns {
        self.xor
    }

    pub fn is_at_rest(&self) -> bool {
        self.joins.len() == self.free.len() && self.joining.is_empty()
    }
}

impl Ftl {
    /// The page of the stripe behind the column `after`, other than `ppa` itself: the same unit on the planes of the same
    /// number on the other dies, as far as they were programmed.
    fn next_source(&self, ppa: Ppa, after: &mut Option<u32>) -> Option<Ppa> {
        let superblock = self.blocks.of(&self.geometry, ppa);
        let place = self.geometry.place(ppa);
        let (own, number) = self.geometry.die_of(place.plane);
        loop {
            let column = after.map_or(0, |column| column + 1);
            if column >= self.domains.width() {
                return None;
            }
            *after = Some(column);
            let plane = self.plane_of_column(superblock, column);
            let (die, other) = self.geometry.die_of(plane);
            let page = self.geometry.first_unit(plane, place.block, place.page);
            if die != own && other == number && !self.is_left_out(page) {
                return Some(Ppa(page.0 + place.unit));
            }
        }
    }

    fn join_of(&mut self, number: u32) -> Option<&mut Join> {
        self.rebuilds_mut()?.joins.get_mut(number as usize)
    }

    fn rebuilds_ref(&self) -> Option<&Rebuilds> {
        let in_pages = self.striped.as_ref().map(|striped| &striped.rebuilds);
        self.redundancy.as_ref().map(|redundancy| &redundancy.rebuilds).or(in_pages)
    }

    fn rebuilds_mut(&mut self) -> Option<&mut Rebuilds> {
        let in_pages = self.striped.as_mut().map(|striped| &mut striped.rebuilds);
        self.redundancy.as_mut().map(|redundancy| &mut redundancy.rebuilds).or(in_pages)
    }
}

/// Rebuilds a read of the host instead of queueing it, if its die is busy and the policy says so.
#[inline(always)]
pub(crate) fn rebuilds<A: AboveFtl>(above: &mut A, unit: OpId) -> bool {
    // What a guess finds must be told from its own OOB.
    let in_rows = above.ftl().redundancy.is_some()
        && !above.flash().pool[unit].tentative
        && ask_to_rebuild(above, unit);
    in_rows || (above.ftl().striped.is_some() && rebuilds_page(above, unit))
}

#[inline(never)]
fn ask_to_rebuild<A: AboveFtl>(above: &mut A, unit: OpId) -> bool {
    let ppa = above.flash().pool[unit].ppa;
    let die = above.flash().server_of(unit, ppa);
    let Some(running) = above.flash().busy_with(die) else { return false };
    above.counted(Counted::BlockedRead);
    if !above.ftl().row_is_whole(ppa) {
        above.counted(Counted::IncompleteRow);
        return false;
    }
    let mut read = BlockedRead { ppa, die, running, sources: 0, busy_sources: 0, most_outstanding: 0 };
    let mut place = None;
    while let Some(source) = above.ftl().next_source(ppa, &mut place) {
        let other = above.ftl().geometry.die_at(source).0;
        read.sources += 1;
        read.busy_sources += u32::from(above.flash().busy_with(other).is_some());
        read.most_outstanding = read.most_outstanding.max(above.flash().loads()[other.index()]);
    }
    let Some(redundancy) = &above.ftl().redundancy else { return false };
    if redundancy.policy.blocked(&read) == Decision::Wait {
        return false;
    }
    read_stripe(above, unit, read.sources);
    true
}

fn read_stripe<A: AboveFtl>(above: &mut A, target: OpId, sources: u32) {
    let ppa = above.flash().pool[target].ppa;
    let mut pages = Vec::with_capacity(sources as usize);
    let mut place = None;
    while let Some(source) = above.ftl().next_source(ppa, &mut place) {
        pages.push((above.ftl().oob.lpa(source, &above.ftl().layout), source));
    }
    read_pages_of_stripe(above, target, pages);
}

/// Reads these pages instead of that of a unit, to be joined.
pub(crate) fn read_pages_of_stripe<A: AboveFtl>(above: &mut A, target: OpId, pages: Vec<(Lpa, Ppa)>) {
    let (bytes, sources) = (above.flash().pool[target].bytes, pages.len() as u32);
    let Some(rebuilds) = above.ftl_mut().rebuilds_mut() else { return fail_without_rebuild(above, target) };
    let join = Join { target, left: sources, to_begin: sources, failed: false };
    let number = slab::insert(&mut rebuilds.joins, &mut rebuilds.free, join);
    above.counted(Counted::SourceReads(sources));
    for (lpa, source) in pages {
        let purpose = Purpose { whose: For::Rebuild(number), ..Purpose::of(lpa) };
        let id = new_op(above, Op { bytes, ..Op::new(Class::HostRead, source) }, purpose);
        submit(above, id);
    }
}

#[cold]
fn fail_without_rebuild<A: AboveFtl>(above: &mut A, unit: OpId) {
    let Purpose { whose, lpa, .. } = above.ftl().purposes[unit];
    above.fail(format!("{lpa:?} was read for a rebuild that isn't under way: {whose:?}"));
}

/// Whether a source is of use still: the page that it helps to rebuild is where it was.
pub(crate) fn source_is_current<A: AboveFtl>(above: &A, number: u32) -> bool {
    let joins = above.ftl().rebuilds_ref().map(|rebuilds| &rebuilds.joins);
    joins.and_then(|joins| joins.get(number as usize)).is_some_and(|join| {
        let (lpa, ppa) = (above.ftl().purposes[join.target].lpa, above.flash().pool[join.target].ppa);
        let overtaken = above.overtaken_in_cache(join.target);
        !join.failed && above.ftl().lookup(lpa) == ppa && !overtaken
    })
}

/// Checked mode: the row of a source is whole, its role is that of its place, and with the last one that begins, the
/// page that is rebuilt is the newest version.
pub(crate) fn verify_stripe_source<A: AboveFtl>(above: &mut A, unit: OpId) {
    let ppa = above.flash().pool[unit].ppa;
    let number = above.ftl().purposes[unit].whose.rebuild();
    let Some(join) = number.and_then(|number| above.ftl_mut().join_of(number)) else {
        return fail_without_rebuild(above, unit);
    };
    join.to_begin -= 1;
    let Join { target, to_begin, .. } = *join;
    let (wanted, wanted_at) = (above.ftl().purposes[target].lpa, above.flash().pool[target].ppa);
    if above.ftl().striped.is_some() {
        above.counted(Counted::Verified);
        if above.ftl().versions.is_some() {
            verify_page_of_stripe(above, unit, target);
        }
    } else if above.ftl().versions.is_some() {
        above.counted(Counted::Verified);
        let found = above.ftl().oob.lpa(ppa, &above.ftl().layout);
        let parity = above
            .ftl()
            .redundancy
            .as_ref()
            .is_some_and(|own| own.stripes.holds_parity(&above.ftl().geometry, ppa));
        if !above.ftl().row_is_whole(ppa) || above.ftl().row_of(ppa) != above.ftl().row_of(wanted_at) {
            above.fail(format!("a read for {:?} found {ppa:?} in a row that is not whole", wanted));
        } else if found.is_some() && parity != (found == Lpa::PARITY) {
            // Laid-out parity names nothing, nor does data that was given up before its program.
            above.fail(format!("a read for {:?} found {found:?} in the OOB of {ppa:?}", wanted));
        } else if above.ftl().oob.lpa(wanted_at, &above.ftl().layout) != wanted
            || !finds_newest(above, target)
        {
            above.fail(format!("{:?} is rebuilt as a version that is not the newest", wanted));
        }
    }
    if to_begin == 0 && above.is_watched() {
        let version = above.ftl().versions.as_ref().map_or(0, |versions| versions.newest(wanted));
        let id = above.request_id(above.ftl().purposes[target].whose.request());
        above.found(id, wanted, Some(version));
    }
}

/// A page of a stripe is in the controller. The blame of the rebuilt read follows the one that is done last.
pub(crate) fn source_read<A: AboveFtl>(above: &mut A, unit: OpId, die: Option<DieId>) {
    let Some(number) = above.ftl().purposes[unit].whose.rebuild() else {
        return fail_without_rebuild(above, unit);
    };
    let Some(join) = above.ftl_mut().join_of(number) else { return fail_without_rebuild(above, unit) };
    join.left -= 1;
    let Join { target, left, failed, .. } = *join;
    if left > 0 {
        return above.flash_mut().pool.remove(unit);
    }
    let mut parts = above.flash().pool.parts(unit).copied().unwrap_or_default();
    if let Some(die) = die {
        parts.merge(&above.flash().die(die).command.parts);
    }
    above.flash_mut().pool.parts_mut(target).merge(&parts);
    above.flash_mut().pool.remove(unit);
    end_join(above, number, target, failed);
}

/// The page that a source was to help rebuild is no longer there; the source's wait is settled.
pub(crate) fn source_dropped<A: AboveFtl>(above: &mut A, unit: OpId) {
    let Purpose { whose, lpa, .. } = above.ftl().purposes[unit];
    let Some(number) = whose.rebuild() else { return fail_without_rebuild(above, unit) };
    if let Some(to) = above.ftl().source_moved_to(lpa).filter(|_| source_is_current(above, number)) {
        above.flash_mut().pool[unit].ppa = to;
        return submit(above, unit);
    }
    let Some(join) = above.ftl_mut().join_of(number) else { return fail_without_rebuild(above, unit) };
    join.failed = true;
    join.left -= 1;
    let Join { target, left, .. } = *join;
    if left == 0 {
        let parts = above.flash().pool.parts(unit).copied().unwrap_or_default();
        above.flash_mut().pool.parts_mut(target).merge(&parts);
    }
    above.flash_mut().pool.remove(unit);
    if left == 0 {
        end_join(above, number, target, true);
    }
}

fn end_join<A: AboveFtl>(above: &mut A, number: u32, target: OpId, failed: bool) {
    let now = above.flash().now();
    let Some(rebuilds) = above.ftl_mut().rebuilds_mut() else { return fail_without_rebuild(above, target) };
    rebuilds.free.push(number);
    let takes = rebuilds.xor;
    if failed {
        above.counted(Counted::AbandonedRead);
        return read_anew(above, target);
    }
    above.counted(Counted::ReconstructedRead);
    if takes == Ns::ZERO {
        return rebuilt(above, target);
    }
    let Some(rebuilds) = above.ftl_mut().rebuilds_mut() else { return fail_without_rebuild(above, target) };
    rebuilds.joining.push_back((now + takes, target));
    if rebuilds.joining.len() == 1 {
        above.flash_mut().set_timer(A::JOINING_TIMER, now + takes);
    }
    above.flash_mut().pool.parts_mut(target).add(Part::Xor, takes.0);
}

/// The page is read where it is now, and not rebuilt again.
fn read_anew<A: AboveFtl>(above: &mut A, target: OpId) {
    if above.answered_by_cache(target) {
        return;
    }
    let Purpose { lpa, whose, .. } = above.ftl().purposes[target];
    let ppa = above.ftl().lookup(lpa);
    if ppa.is_some() {
        above.counted(Counted::Rerouted);
        above.flash_mut().pool[target].ppa = ppa;
        submit(above, target);
        return above.tell_read(target);
    }
    let id = above.request_id(whose.request());
    above.found(id, lpa, None);
    above.unit_done(target, None);
}

fn rebuilt<A: AboveFtl>(above: &mut A, target: OpId) {
    above.flash_mut().pool[target].next_unit = NONE;
    above.tell_read_done(target);
    above.cache_read(target);
    above.unit_done(target, None);
}

/// The first page that is being joined is done.
pub fn joining_done<A: AboveFtl>(above: &mut A) {
    let joining = above.ftl_mut().rebuilds_mut().map(|rebuilds| &mut rebuilds.joining);
    let first = joining.and_then(|joining| Some((joining.pop_front()?.1, joining.front().copied())));
    let Some((target, next)) = first else {
        return above.fail("a page of a stripe is joined, and none was begun".into());
    };
    if let Some((done, _)) = next {
        above.flash_mut().set_timer(A::JOINING_TIMER, done);
    }
    rebuilt(above, target);
}
