//! Preparing a drive without simulated time: the preconditioned layout, the workload's footprint, random overwrites.

use crate::work::above::AboveFtl;
use crate::work::ftl::Ftl;
use crate::work::preparation::by_domain::{
    fill_by_domain, is_worth_going_by_domain, overwrite_by_domain, striping,
};
use crate::work::preparation::phases::resume_phase;
use crate::work::preparation::places::{forget_untimed, write_untimed, write_untimed_at};
use crate::work::preparation::untimed::begin_untimed;
use std::collections::VecDeque;

use crate::blocks::separation::SeparationPolicy;
use crate::blocks::steady::Plan;
use crate::blocks::{FreeList, WritePoint};
use crate::gc::collector::Collector;
use crate::mapping::{Layout, ParityLayout};
use crate::placement::planes_in_order;
use crate::work::ftl::DomainState;
use crate::work::preparation::by_domain::{FILLED_AT_ONCE, TAKEN_OUT};
use crate::work::preparation::overwriting::{Drawn, Overwriting};
use wordline_base::ids::{DomainId, Lpa, PlaneId};
use wordline_config::scheme::PlacementOrder;
use wordline_flash::nand::CellMode;

use wordline_base::class::Cause;

/// Overwrites whose table entries are fetched together.
const BATCH: usize = 64;

/// Overwrites between two questions whether to go on. On a drive whose tables nothing has touched yet, each may have the kernel
/// clear huge pages, some tenths of a millisecond each.
const BETWEEN_QUESTIONS: u64 = 1 << 9;

impl Ftl {
    /// The pages that are laid out lie as random overwrites leave them.
    pub fn scatter(&mut self, steady: Plan) {
        self.layout = self.layout.clone().scattered(&self.geometry, &self.domains, steady);
    }

    /// The write point of a stream where writes take no time: other policies than that by streams aren't asked.
    fn untimed_point(&self, stream: u16) -> u8 {
        match self.separation {
            SeparationPolicy::Stream => self.points.of_stream(stream).unwrap_or(0),
            _ => self.points.of(Cause::Host),
        }
    }

    /// Whether each mapping unit is a program unit of its own, and has no parity.
    #[inline]
    pub(crate) fn units_are_alone(&self) -> bool {
        self.geometry.units_per_program() == 1 && self.redundancy.is_none()
    }
}

impl Ftl {
    /// So many logical pages, and what else is of their last stripe.
    pub fn whole_stripes(&self, units: u32) -> u32 {
        match &self.striped {
            Some(striped) => {
                units.next_multiple_of(striped.stripes.units_of_stripe()).min(self.logical_units)
            }
            None => units,
        }
    }

    /// Many pages all over the drive are about to be written.
    pub fn expect_dense(&mut self) {
        self.map.expect_dense();
        self.oob.expect_dense();
        if let Some(versions) = &self.versions {
            versions.expect_dense();
        }
    }
}

/// Logical pages 0 to `units` − 1 hold data, as if written once in order, or, with a plan, as random overwrites without
/// end leave them. Costs no time and no memory, whatever their number. For a drive that is new.
///
/// On a drive with sets of planes it is the first pages of each set, as many of each as `of_sets` says.
pub fn fill_at_once<A: AboveFtl>(
    above: &mut A,
    order: PlacementOrder,
    units: u32,
    of_sets: Vec<u32>,
    steady: Option<Plan>,
) {
    let mut plane_at = planes_in_order(&above.ftl().geometry, order);
    plane_at.retain(|&plane| !above.ftl().replication.reserved.has(plane));
    let units = units.min(above.ftl().logical_units);
    let units = above.ftl().whole_stripes(units);
    lay_out(above, &plane_at, units, of_sets, steady);
}

/// The drive is empty, or its first `units` logical pages lie on these planes in turn, or, with a plan, as random overwrites without
/// end leave them. Of a drive with sets of planes it is the first pages of each.
pub fn lay_out<A: AboveFtl>(
    above: &mut A,
    plane_at: &[PlaneId],
    units: u32,
    of_sets: Vec<u32>,
    steady: Option<Plan>,
) {
    let parity = above.ftl().redundancy.as_ref().map(|redundancy| {
        ParityLayout::new(&above.ftl().geometry, plane_at, &above.ftl().domains, redundancy.stripes.clone())
    });
    let stripes = above.ftl().striped.as_ref().map(|striped| striped.stripes.clone());
    let layout = Layout::new(&above.ftl().geometry, plane_at, units);
    let layout = match above.ftl().sets.clone() {
        Some(sets) => {
            let within = |(set, units): (usize, u32)| units.min(sets.units(set).len() as u32);
            let of_sets = of_sets.into_iter().chain(std::iter::repeat(0)).take(sets.len());
            let of_sets = of_sets.enumerate().map(within).collect();
            layout.with_sets(sets, of_sets)
        }
        None => layout.with_parity(parity).with_stripes(stripes),
    };
    let units = layout.occupied();
    above.ftl_mut().layout = layout;
    above.ftl_mut().fetched_layout = None;
    if let Some(steady) = steady {
        above.ftl_mut().scatter(steady);
    }
    above.ftl_mut().mapped_units = u64::from(units);
    let mut before = std::mem::take(&mut above.ftl_mut().domain).into_iter();
    let domains = (0..above.ftl().domains.len() as u32).map(DomainId);
    let lay_out = |domain| {
        // The memory of its lists serves the new ones.
        drop(before.next());
        laid_out_domain(above, domain)
    };
    above.ftl_mut().domain = domains.map(lay_out).collect();
}

fn laid_out_domain<A: AboveFtl>(above: &mut A, domain: DomainId) -> DomainState {
    let units = above.ftl().layout.units_of(&above.ftl().geometry, &above.ftl().domains, domain);
    let in_use = above.ftl().superblocks_in_use(domain);
    above.ftl_mut().blocks.lay_out(domain, &units, in_use);
    let free = units.iter().zip(0..in_use).filter(|(units, _)| **units == 0);
    let free = FreeList::of_new(
        above.ftl().rules.free_block,
        free.map(|(_, block)| above.ftl().blocks.at(domain, block)),
    );
    let live = units.iter().sum();
    let mut points: Vec<_> = (0..above.ftl().points.count()).map(|_| WritePoint::new()).collect();
    if let Some(point) = above.ftl().points.of_slc_cache() {
        points[usize::from(point)].mode = CellMode::Slc;
    }
    let mut state = DomainState {
        free,
        points,
        collector: Collector::default(),
        pace: Default::default(),
        stalled: VecDeque::new(),
        live,
        demand: 0,
    };
    resume_phase(above, domain, &mut state);
    state
}

/// These logical pages hold data, written in the order given.
pub fn fill<A: AboveFtl>(above: &mut A, pages: &[Lpa]) {
    match striping(above) {
        Some(striping) => fill_by_domain(above, &striping, pages, FILLED_AT_ONCE),
        None => fill_in_turn(above, pages),
    }
    above.ftl_mut().blocks.take_lowest_free();
}

/// [`fill`], page by page.
pub fn fill_in_turn<A: AboveFtl>(above: &mut A, pages: &[Lpa]) {
    let logical = above.ftl().logical_units;
    pages.iter().filter(|lpa| lpa.0 < logical).for_each(|&lpa| write_untimed(above, lpa));
}

/// Overwrites `count` pages as they are drawn (fewer when no more come), as long as the question whether to go on, asked now and then, is answered
/// with yes. After a no the drive is good for nothing; returns `false` then.
pub fn overwrite<A: AboveFtl>(
    above: &mut A,
    count: u64,
    choice: &mut Overwriting<'_>,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> bool {
    begin_untimed(above);
    // Domain by domain all goes to one write point, and nothing is given up.
    let striping = striping(above).filter(|_| !choice.has_streams() && !choice.may_trim());
    let striping = striping.filter(|striping| is_worth_going_by_domain(striping, count));
    let went_on = match striping {
        Some(striping) => overwrite_by_domain(above, &striping, count, choice, TAKEN_OUT, go_on),
        None => overwrite_in_turn(above, count, choice, go_on),
    };
    above.ftl_mut().blocks.take_lowest_free();
    went_on
}

/// [`overwrite`], page by page.
pub fn overwrite_in_turn<A: AboveFtl>(
    above: &mut A,
    count: u64,
    choice: &mut Overwriting<'_>,
    go_on: &mut dyn FnMut(u64) -> bool,
) -> bool {
    let mut left = count;
    while left > 0 && !above.has_failed() {
        let some = left.min(BETWEEN_QUESTIONS);
        overwrite_some(above, some, choice);
        left -= some;
        if !go_on(some) {
            return false;
        }
    }
    true
}

fn overwrite_some<A: AboveFtl>(above: &mut A, count: u64, choice: &mut Overwriting<'_>) {
    let mut batch = [Drawn { lpa: Lpa(0), stream: 0, trims: false }; BATCH];
    let mut left = count;
    while left > 0 && !above.has_failed() {
        let size = left.min(BATCH as u64) as usize;
        for slot in &mut batch[..size] {
            let Some(drawn) = choice.draw() else { return };
            *slot = drawn;
            above.ftl().map.prefetch(u64::from(drawn.lpa.0));
        }
        for drawn in &batch[..size] {
            let ppa = above.ftl().lookup(drawn.lpa);
            if ppa.is_some() {
                above.ftl().blocks.prefetch(above.ftl().blocks.of(&above.ftl().geometry, ppa));
            }
        }
        for &Drawn { lpa, stream, trims } in &batch[..size] {
            if trims {
                forget_untimed(above, lpa);
                continue;
            }
            let point = above.ftl().untimed_point(stream);
            write_untimed_at(above, lpa, Cause::Host, stream, point);
            left -= 1;
        }
    }
}
