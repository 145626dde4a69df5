//! Preparing a drive without simulated time: the preconditioned layout, the workload's footprint, random overwrites.

use crate::device::ftl::Ftl;
use std::collections::VecDeque;

use super::by_domain::{FILLED_AT_ONCE, TAKEN_OUT};
use super::overwriting::Overwriting;
use crate::blocks::separation::SeparationPolicy;
use crate::blocks::steady::Plan;
use crate::blocks::{FreeList, WritePoint};
use crate::device::{Device, DomainState};
use crate::gc::collector::Collector;
use crate::mapping::{Layout, ParityLayout};
use crate::nand::CellMode;
use crate::placement::planes_in_order;
use wordline_base::ids::{DomainId, Lpa, PlaneId};
use wordline_config::scheme::PlacementOrder;

use wordline_base::class::Cause;

/// Overwrites whose table entries are fetched together.
const BATCH: usize = 64;

/// Overwrites between two questions whether to go on.
const BETWEEN_QUESTIONS: u64 = 1 << 16;

impl Ftl {
    /// The pages that are laid out lie as random overwrites leave them.
    pub(in crate::device) fn scatter(&mut self, steady: Plan) {
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
    pub(in crate::device) fn units_are_alone(&self) -> bool {
        self.geometry.units_per_program() == 1 && self.redundancy.is_none()
    }
}

impl Device {
    /// Logical pages 0 to `units` − 1 hold data, as if written once in order, or, with a plan, as random overwrites without
    /// end leave them. Costs no time and no memory, whatever their number. For a drive that is new.
    pub(crate) fn fill_at_once(&mut self, order: PlacementOrder, units: u32, steady: Option<Plan>) {
        let mut plane_at = planes_in_order(&self.geometry, order);
        plane_at.retain(|&plane| !self.ftl.replication.reserved.has(plane));
        let units = self.whole_stripes(units.min(self.ftl.logical_units));
        self.lay_out(&plane_at, units, steady);
    }

    /// So many logical pages, and what else is of their last stripe.
    pub(crate) fn whole_stripes(&self, units: u32) -> u32 {
        match &self.ftl.striped {
            Some(striped) => {
                units.next_multiple_of(striped.stripes.units_of_stripe()).min(self.ftl.logical_units)
            }
            None => units,
        }
    }

    pub(in crate::device) fn lay_out(&mut self, plane_at: &[PlaneId], units: u32, steady: Option<Plan>) {
        let parity = self.ftl.redundancy.as_ref().map(|redundancy| {
            ParityLayout::new(&self.geometry, plane_at, &self.ftl.domains, redundancy.stripes.clone())
        });
        let stripes = self.ftl.striped.as_ref().map(|striped| striped.stripes.clone());
        self.ftl.layout =
            Layout::new(&self.geometry, plane_at, units).with_parity(parity).with_stripes(stripes);
        self.ftl.fetched_layout = None;
        if let Some(steady) = steady {
            self.ftl.scatter(steady);
        }
        self.ftl.mapped_units = u64::from(units);
        let mut before = std::mem::take(&mut self.ftl.domain).into_iter();
        let domains = (0..self.ftl.domains.len() as u32).map(DomainId);
        let lay_out = |domain| {
            // The memory of its lists serves the new ones.
            drop(before.next());
            self.laid_out_domain(domain)
        };
        self.ftl.domain = domains.map(lay_out).collect();
    }

    fn laid_out_domain(&mut self, domain: DomainId) -> DomainState {
        let units = self.ftl.layout.units_of(&self.geometry, &self.ftl.domains, domain);
        let in_use = self.ftl.superblocks_in_use(domain);
        self.ftl.blocks.lay_out(domain, &units, in_use);
        let free = units.iter().zip(0..in_use).filter(|(units, _)| **units == 0);
        let free =
            FreeList::of_new(self.rules.free_block, free.map(|(_, block)| self.ftl.blocks.at(domain, block)));
        let live = units.iter().sum();
        let mut points: Vec<_> = (0..self.ftl.points.count()).map(|_| WritePoint::new()).collect();
        if let Some(point) = self.ftl.points.of_slc_cache() {
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
        self.resume_phase(domain, &mut state);
        state
    }

    /// These logical pages hold data, written in the order given.
    pub fn fill(&mut self, pages: &[Lpa]) {
        match self.striping() {
            Some(striping) => self.fill_by_domain(&striping, pages, FILLED_AT_ONCE),
            None => self.fill_in_turn(pages),
        }
        self.ftl.blocks.take_lowest_free();
    }

    /// [`Self::fill`], page by page.
    pub(in crate::device) fn fill_in_turn(&mut self, pages: &[Lpa]) {
        let logical = self.ftl.logical_units;
        pages.iter().filter(|lpa| lpa.0 < logical).for_each(|&lpa| self.write_untimed(lpa));
    }

    /// Many pages all over the drive are about to be written.
    pub fn expect_dense(&mut self) {
        self.ftl.map.expect_dense();
        self.ftl.oob.expect_dense();
        if let Some(versions) = &self.ftl.versions {
            versions.expect_dense();
        }
    }

    /// Overwrites `count` pages as they are drawn (fewer when no more come), as long as the question whether to go on, asked now and then, is answered
    /// with yes. After a no the drive is good for nothing; returns `false` then.
    pub fn overwrite(
        &mut self,
        count: u64,
        choice: &mut Overwriting<'_>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        self.begin_untimed();
        // Domain by domain all goes to one write point.
        let striping = self.striping().filter(|_| !choice.has_streams());
        let striping = striping.filter(|striping| Self::is_worth_going_by_domain(striping, count));
        let went_on = match striping {
            Some(striping) => self.overwrite_by_domain(&striping, count, choice, TAKEN_OUT, go_on),
            None => self.overwrite_in_turn(count, choice, go_on),
        };
        self.ftl.blocks.take_lowest_free();
        went_on
    }

    /// [`Self::overwrite`], page by page.
    pub(in crate::device) fn overwrite_in_turn(
        &mut self,
        count: u64,
        choice: &mut Overwriting<'_>,
        go_on: &mut dyn FnMut() -> bool,
    ) -> bool {
        let mut left = count;
        while left > 0 && self.observers.fault.is_none() {
            let some = left.min(BETWEEN_QUESTIONS);
            self.overwrite_some(some, choice);
            left -= some;
            if !go_on() {
                return false;
            }
        }
        true
    }

    fn overwrite_some(&mut self, count: u64, choice: &mut Overwriting<'_>) {
        let mut batch = [(Lpa(0), 0); BATCH];
        let mut left = count;
        while left > 0 && self.observers.fault.is_none() {
            let size = left.min(BATCH as u64) as usize;
            for slot in &mut batch[..size] {
                let Some(drawn) = choice.draw() else { return };
                *slot = drawn;
                self.ftl.map.prefetch(u64::from(drawn.0.0));
            }
            for &(lpa, _) in &batch[..size] {
                let ppa = self.ftl.lookup(lpa);
                if ppa.is_some() {
                    self.ftl.blocks.prefetch(self.ftl.blocks.of(&self.geometry, ppa));
                }
            }
            for &(lpa, stream) in &batch[..size] {
                let point = self.ftl.untimed_point(stream);
                self.write_untimed_at(lpa, Cause::Host, stream, point);
            }
            left -= size as u64;
        }
    }
}
