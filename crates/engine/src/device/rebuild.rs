//! Reads that are rebuilt: the other pages of the stripe are read and joined instead of waiting for a busy die.

use super::ftl::Ftl;
use super::purposes::{For, Purpose};
use super::timers::Timer;
use std::collections::VecDeque;
use wordline_flash::work::submit;

use serde::{Deserialize, Serialize};

use super::Device;
use crate::redundancy::{BlockedRead, Decision, Redundancy};
use crate::sched::queue::{NONE, Op, OpId};
use wordline_base::class::Class;
use wordline_base::ids::{DieId, Lpa, Ppa};
use wordline_base::parts::Part;
use wordline_base::time::Ns;

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
pub(super) struct Rebuilds {
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

impl Device {
    /// Rebuilds a read of the host instead of queueing it, if its die is busy and the policy says so.
    #[inline(always)]
    pub(super) fn rebuilds(&mut self, unit: OpId) -> bool {
        // What a guess finds must be told from its own OOB.
        let in_rows =
            self.ftl.redundancy.is_some() && !self.flash.pool[unit].tentative && self.ask_to_rebuild(unit);
        in_rows || (self.ftl.striped.is_some() && self.rebuilds_page(unit))
    }

    #[inline(never)]
    fn ask_to_rebuild(&mut self, unit: OpId) -> bool {
        let ppa = self.flash.pool[unit].ppa;
        let die = self.flash.server_of(unit, ppa);
        let Some(running) = self.flash.busy_with(die) else { return false };
        self.observers.recorder.redundancy.blocked_reads += 1;
        if !self.ftl.row_is_whole(ppa) {
            self.observers.recorder.redundancy.incomplete_rows += 1;
            return false;
        }
        let mut read = BlockedRead { ppa, die, running, sources: 0, busy_sources: 0, most_outstanding: 0 };
        let mut place = None;
        while let Some(source) = self.ftl.next_source(ppa, &mut place) {
            let other = self.geometry.die_at(source).0;
            read.sources += 1;
            read.busy_sources += u32::from(self.flash.busy_with(other).is_some());
            read.most_outstanding = read.most_outstanding.max(self.flash.loads()[other.index()]);
        }
        let Some(redundancy) = &self.ftl.redundancy else { return false };
        if redundancy.policy.blocked(&read) == Decision::Wait {
            return false;
        }
        self.read_stripe(unit, read.sources);
        true
    }

    fn read_stripe(&mut self, target: OpId, sources: u32) {
        let ppa = self.flash.pool[target].ppa;
        let mut pages = Vec::with_capacity(sources as usize);
        let mut place = None;
        while let Some(source) = self.ftl.next_source(ppa, &mut place) {
            pages.push((self.ftl.oob.lpa(source, &self.ftl.layout), source));
        }
        self.read_pages_of_stripe(target, pages);
    }

    /// Reads these pages instead of that of a unit, to be joined.
    pub(super) fn read_pages_of_stripe(&mut self, target: OpId, pages: Vec<(Lpa, Ppa)>) {
        let (bytes, sources) = (self.flash.pool[target].bytes, pages.len() as u32);
        let Some(rebuilds) = self.ftl.rebuilds_mut() else { return self.fail_without_rebuild(target) };
        let join = Join { target, left: sources, to_begin: sources, failed: false };
        let number = match rebuilds.free.pop() {
            Some(number) => {
                rebuilds.joins[number as usize] = join;
                number
            }
            None => {
                rebuilds.joins.push(join);
                (rebuilds.joins.len() - 1) as u32
            }
        };
        self.observers.recorder.redundancy.source_reads += u64::from(sources);
        for (lpa, source) in pages {
            let purpose = Purpose { whose: For::Rebuild(number), ..Purpose::of(lpa) };
            let id = self.new_op(Op { bytes, ..Op::new(Class::HostRead, source) }, purpose);
            submit(self, id);
        }
    }

    #[cold]
    fn fail_without_rebuild(&mut self, unit: OpId) {
        let Purpose { whose, lpa, .. } = self.ftl.purposes[unit];
        self.fail(format!("{lpa:?} was read for a rebuild that isn't under way: {whose:?}"));
    }

    /// Whether a source is of use still: the page that it helps to rebuild is where it was.
    pub(super) fn source_is_current(&self, number: u32) -> bool {
        let joins = self.ftl.rebuilds_ref().map(|rebuilds| &rebuilds.joins);
        joins.and_then(|joins| joins.get(number as usize)).is_some_and(|join| {
            let (lpa, ppa) = (self.ftl.purposes[join.target].lpa, self.flash.pool[join.target].ppa);
            let overtaken = self.controller.cache.is_on() && self.is_overtaken(join.target);
            !join.failed && self.ftl.lookup(lpa) == ppa && !overtaken
        })
    }

    /// Checked mode: the row of a source is whole, its role is that of its place, and with the last one that begins, the
    /// page that is rebuilt is the newest version.
    pub(super) fn verify_stripe_source(&mut self, unit: OpId) {
        let ppa = self.flash.pool[unit].ppa;
        let number = self.ftl.purposes[unit].whose.rebuild();
        let Some(join) = number.and_then(|number| self.ftl.join_of(number)) else {
            return self.fail_without_rebuild(unit);
        };
        join.to_begin -= 1;
        let Join { target, to_begin, .. } = *join;
        let (wanted, wanted_at) = (self.ftl.purposes[target].lpa, self.flash.pool[target].ppa);
        if self.ftl.striped.is_some() {
            self.observers.reads_verified += 1;
            if self.ftl.versions.is_some() {
                self.verify_page_of_stripe(unit, target);
            }
        } else if self.ftl.versions.is_some() {
            self.observers.reads_verified += 1;
            let found = self.ftl.oob.lpa(ppa, &self.ftl.layout);
            let parity =
                self.ftl.redundancy.as_ref().is_some_and(|own| own.stripes.holds_parity(&self.geometry, ppa));
            if !self.ftl.row_is_whole(ppa) || self.ftl.row_of(ppa) != self.ftl.row_of(wanted_at) {
                self.fail(format!("a read for {:?} found {ppa:?} in a row that is not whole", wanted));
            } else if found.is_some() && parity != (found == Lpa::PARITY) {
                // Laid-out parity names nothing, nor does data that was given up before its program.
                self.fail(format!("a read for {:?} found {found:?} in the OOB of {ppa:?}", wanted));
            } else if self.ftl.oob.lpa(wanted_at, &self.ftl.layout) != wanted || !self.finds_newest(target) {
                self.fail(format!("{:?} is rebuilt as a version that is not the newest", wanted));
            }
        }
        if to_begin == 0 && self.observers.probe.is_some() {
            let version = self.ftl.versions.as_ref().map_or(0, |versions| versions.newest(wanted));
            let id = self.front.request_id(self.ftl.purposes[target].whose.request());
            if let Some(probe) = &mut self.observers.probe {
                probe.read(id, wanted, Some(version), self.flash.now());
            }
        }
    }

    /// A page of a stripe is in the controller. The blame of the rebuilt read follows the one that is done last.
    pub(super) fn source_read(&mut self, unit: OpId, die: Option<DieId>) {
        let Some(number) = self.ftl.purposes[unit].whose.rebuild() else {
            return self.fail_without_rebuild(unit);
        };
        let Some(join) = self.ftl.join_of(number) else { return self.fail_without_rebuild(unit) };
        join.left -= 1;
        let Join { target, left, failed, .. } = *join;
        if left > 0 {
            return self.flash.pool.remove(unit);
        }
        let mut parts = self.flash.pool.parts(unit).copied().unwrap_or_default();
        if let Some(die) = die {
            parts.merge(&self.flash.die(die).command.parts);
        }
        self.flash.pool.parts_mut(target).merge(&parts);
        self.flash.pool.remove(unit);
        self.end_join(number, target, failed);
    }

    /// The page that a source was to help rebuild is no longer there; the source's wait is settled.
    pub(super) fn source_dropped(&mut self, unit: OpId) {
        let Purpose { whose, lpa, .. } = self.ftl.purposes[unit];
        let Some(number) = whose.rebuild() else { return self.fail_without_rebuild(unit) };
        if let Some(to) = self.ftl.source_moved_to(lpa).filter(|_| self.source_is_current(number)) {
            self.flash.pool[unit].ppa = to;
            return submit(self, unit);
        }
        let Some(join) = self.ftl.join_of(number) else { return self.fail_without_rebuild(unit) };
        join.failed = true;
        join.left -= 1;
        let Join { target, left, .. } = *join;
        if left == 0 {
            let parts = self.flash.pool.parts(unit).copied().unwrap_or_default();
            self.flash.pool.parts_mut(target).merge(&parts);
        }
        self.flash.pool.remove(unit);
        if left == 0 {
            self.end_join(number, target, true);
        }
    }

    fn end_join(&mut self, number: u32, target: OpId, failed: bool) {
        let now = self.flash.now();
        let Some(rebuilds) = self.ftl.rebuilds_mut() else { return self.fail_without_rebuild(target) };
        rebuilds.free.push(number);
        let takes = rebuilds.xor;
        if failed {
            self.observers.recorder.redundancy.abandoned_reads += 1;
            return self.read_anew(target);
        }
        self.observers.recorder.redundancy.reconstructed_reads += 1;
        if takes == Ns::ZERO {
            return self.rebuilt(target);
        }
        let Some(rebuilds) = self.ftl.rebuilds_mut() else { return self.fail_without_rebuild(target) };
        rebuilds.joining.push_back((now + takes, target));
        if rebuilds.joining.len() == 1 {
            self.flash.set_timer(Timer::Joining.number(), now + takes);
        }
        self.flash.pool.parts_mut(target).add(Part::Xor, takes.0);
    }

    /// The page is read where it is now, and not rebuilt again.
    fn read_anew(&mut self, target: OpId) {
        if self.controller.cache.is_on() && self.serve_late(target) {
            return;
        }
        let Purpose { lpa, whose, .. } = self.ftl.purposes[target];
        let ppa = self.ftl.lookup(lpa);
        if ppa.is_some() {
            self.observers.recorder.rerouted_reads += 1;
            self.flash.pool[target].ppa = ppa;
            submit(self, target);
            return self.tell_read(target);
        }
        let id = self.front.request_id(whose.request());
        if let Some(probe) = &mut self.observers.probe {
            probe.read(id, lpa, None, self.flash.now());
        }
        self.unit_done(target, None);
    }

    fn rebuilt(&mut self, target: OpId) {
        self.flash.pool[target].next_unit = NONE;
        self.tell_read_done(target);
        if self.controller.cache.is_on() {
            self.keep_read(target);
        }
        self.unit_done(target, None);
    }

    /// The first page that is being joined is done.
    pub(super) fn joining_done(&mut self) {
        let joining = self.ftl.rebuilds_mut().map(|rebuilds| &mut rebuilds.joining);
        let first = joining.and_then(|joining| Some((joining.pop_front()?.1, joining.front().copied())));
        let Some((target, next)) = first else {
            return self.fail("a page of a stripe is joined, and none was begun".into());
        };
        if let Some((done, _)) = next {
            self.flash.set_timer(Timer::Joining.number(), done);
        }
        self.rebuilt(target);
    }
}
