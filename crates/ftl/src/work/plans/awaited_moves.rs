//! Pages on their way out of a superblock that is being emptied, where the host waits for their moves
//! ([`wordline_config::reclaim::HostAccess::Wait`]).

use crate::work::above::AboveFtl;
use crate::work::ftl::Ftl;
use crate::work::purposes::Purpose;
use crate::work::reads::read::verify_read;
use crate::work::translation::look_ups::go_on;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use serde::{Deserialize, Serialize};

use wordline_base::class::{Cause, Class};
use wordline_base::ids::{Lpa, Ppa, SuperblockId};
use wordline_base::memory::{PageHasher, in_order};
use wordline_base::parts::Part;
use wordline_config::reclaim::HostAccess;
use wordline_config::scheme::SchemeConfig;
use wordline_flash::sched::queue::OpId;

/// Whose moves the host waits for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Awaits {
    of_collection: bool,
    of_reclaim: bool,
}

impl Awaits {
    pub(crate) fn of_scheme(scheme: &SchemeConfig) -> Self {
        let waits = |access: HostAccess| access == HostAccess::Wait;
        Self { of_collection: waits(scheme.gc.host_access), of_reclaim: waits(scheme.reclaim.host_access) }
    }

    /// Whether for any.
    pub(crate) fn any(self) -> bool {
        self.of_collection || self.of_reclaim
    }

    /// Whether for those of this cause.
    fn are_for(self, cause: Cause) -> bool {
        match cause {
            Cause::Gc => self.of_collection,
            Cause::ReadReclaim => self.of_reclaim,
            _ => false,
        }
    }
}

/// Pages that are to be moved, by where they are, and who waits for each. Nothing that it gives depends on the order of its table.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct AwaitedMoves {
    #[serde(with = "in_order")]
    pages: HashMap<Ppa, Vec<OpId>, BuildHasherDefault<PageHasher>>,
}

impl AwaitedMoves {
    /// The page here is to be moved.
    fn lock(&mut self, source: Ppa) {
        self.pages.entry(source).or_default();
    }

    /// The page here isn't to be moved any more: who waited for that.
    fn unlock(&mut self, source: Ppa) -> Vec<OpId> {
        self.pages.remove(&source).unwrap_or_default()
    }

    /// Lets an operation wait if the page here is to be moved; whether it does.
    fn waits(&mut self, source: Ppa, id: OpId) -> bool {
        self.pages.get_mut(&source).is_some_and(|waiting| {
            waiting.push(id);
            true
        })
    }
}

impl Ftl {
    /// As far as these hold what the host may ask for.
    fn lock_pages(&mut self, sources: &[Ppa]) {
        for &source in sources.iter().filter(|source| source.is_some()) {
            let of_host = |lpa: Lpa| lpa.0 < self.logical_units && self.is_at(lpa, source);
            if self.valid_lpa(source).is_some_and(of_host) {
                self.plans.awaited.lock(source);
            }
        }
    }
}

impl Ftl {
    /// The pages of a superblock that is chosen as a victim are to be moved.
    pub(crate) fn lock_superblock(&mut self, cause: Cause, superblock: SuperblockId) {
        if self.rules.awaits.are_for(cause) {
            let places: Vec<Ppa> =
                (0..self.blocks.capacity()).map(|unit| self.unit_at(superblock, unit)).collect();
            self.lock_pages(&places);
        }
    }

    /// The pages of a plan that begins are to be moved.
    pub(crate) fn lock_plan(&mut self, cause: Cause, tag: u32) {
        if self.rules.awaits.are_for(cause) {
            let ftl = self;
            ftl.lock_pages(&ftl.plans.sources(tag));
        }
    }
}

fn end_wait_for_move<A: AboveFtl>(above: &mut A, id: OpId) {
    if above.flash().pool[id].waited_for {
        above.flash_mut().blame_wait_on(Part::Moving, id);
    }
}

/// Whether an operation of the host waits, since its page is to be moved.
#[inline(always)]
pub fn waits_for_move<A: AboveFtl>(above: &mut A, id: OpId) -> bool {
    !above.ftl().plans.awaited.pages.is_empty() && begins_to_wait_for_move(above, id)
}

#[inline(never)]
fn begins_to_wait_for_move<A: AboveFtl>(above: &mut A, id: OpId) -> bool {
    let source = above.ftl().lookup(above.ftl().purposes[id].lpa);
    let waits = source.is_some() && above.ftl_mut().plans.awaited.waits(source, id);
    if waits {
        above.flash_mut().pool[id].wait_from = above.flash().now();
    }
    waits
}

/// A page isn't to be moved from here any more: who waited goes on to where it is now, if it is anywhere.
#[inline(always)]
pub(crate) fn unlock_page<A: AboveFtl>(above: &mut A, source: Ppa) {
    if !above.ftl().plans.awaited.pages.is_empty() {
        end_waits(above, source, Ppa::NONE);
    }
}

/// A page was moved: reads that waited for that are answered with the data that the controller has of it, and writes follow.
#[inline(always)]
pub(crate) fn answer_awaiting<A: AboveFtl>(above: &mut A, source: Ppa, to: Ppa) {
    if !above.ftl().plans.awaited.pages.is_empty() {
        end_waits(above, source, to);
    }
}

#[inline(never)]
fn end_waits<A: AboveFtl>(above: &mut A, source: Ppa, moved_to: Ppa) {
    for id in above.ftl_mut().plans.awaited.unlock(source) {
        end_wait_for_move(above, id);
        let Purpose { partial, lpa, .. } = above.ftl().purposes[id];
        let class = above.flash().pool[id].class;
        let is_here = moved_to.is_some() && above.ftl().is_at(lpa, moved_to);
        if class != Class::HostRead || partial || !is_here {
            go_on(above, id);
        } else if !above.answered_by_cache(id) {
            above.flash_mut().pool[id].ppa = moved_to;
            verify_read(above, id);
            above.unit_done(id, None);
        }
    }
}
