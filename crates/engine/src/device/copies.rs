//! Further copies at work: made from the buffer of a read, dropped by writes, followed when they are moved.

use super::ftl::Ftl;
use super::purposes::Purpose;
use serde::{Deserialize, Serialize};
use wordline_flash::work::submit;

use super::Device;
use crate::arrange::Arrangement;
use crate::mapping::FurtherCopy;
use crate::replicate::reservation::{Part, Reservation, Reserved};
use crate::replicate::{ArbiterPolicy, Candidate, CopyLoss, CopyTarget};
use crate::sched::queue::{Op, OpId};
use crate::snapshot::{In, Out, SnapshotError};
use crate::stats::copies::CopyCounters;
use crate::systems::{Event, System};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DomainId, Lpa, Ppa, SuperblockId};
use wordline_config::scheme::SchemeConfig;

/// A system as the owner of copies.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Owner {
    pub budget: u32,
    pub counters: CopyCounters,
}

/// What belongs to copies beside their table.
pub(super) struct Replication {
    pub arbiter: ArbiterPolicy,
    pub reserved: Reserved,
    /// By number of system.
    pub owners: Vec<Owner>,
    /// Copies, copies on their way, and primaries that were copies, by domain.
    extra: Vec<u32>,
    pub room: u32,
    pub reserved_room: u32,
    /// Copies that are void and still counted as valid.
    pub dropped: Vec<Ppa>,
    pub candidates: Vec<Candidate>,
    pub reads_by_primary: u64,
    pub reads_sent_on: u64,
}

impl wordline_base::snapshot::Part for Replication {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        // What is reserved follows from the configuration; `candidates` is empty between two events.
        let Self { arbiter, reserved: _, owners, extra, room: _, reserved_room: _, .. } = self;
        out.put(&(owners, extra, &self.dropped, self.reads_by_primary, self.reads_sent_on))?;
        wordline_base::snapshot::Part::save(arbiter, out)
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        let (owners, domains) = (self.owners.len(), self.extra.len());
        (self.owners, self.extra, self.dropped, self.reads_by_primary, self.reads_sent_on) = input.take()?;
        if (self.owners.len(), self.extra.len()) != (owners, domains) {
            return Err(SnapshotError::Misfit("the systems that make copies".to_owned()));
        }
        wordline_base::snapshot::Part::restore(&mut self.arbiter, input)
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        Ok(Self {
            arbiter: wordline_base::snapshot::Part::fork(&self.arbiter)?,
            reserved: self.reserved.clone(),
            owners: self.owners.clone(),
            extra: self.extra.clone(),
            room: self.room,
            reserved_room: self.reserved_room,
            dropped: self.dropped.clone(),
            candidates: Vec::new(),
            reads_by_primary: self.reads_by_primary,
            reads_sent_on: self.reads_sent_on,
        })
    }
}

impl Replication {
    /// On a drive so arranged.
    pub fn new(scheme: &SchemeConfig, arranged: &Arrangement) -> Self {
        let owner = |&budget: &u32| Owner { budget, ..Owner::default() };
        Self {
            arbiter: ArbiterPolicy::new(scheme.copies.arbiter),
            reserved: arranged.reserved.clone(),
            owners: arranged.budgets.iter().map(owner).collect(),
            extra: vec![0; arranged.domains.len()],
            room: arranged.plan.copy_room,
            reserved_room: arranged.plan.reserved_room,
            dropped: Vec::new(),
            candidates: Vec::new(),
            reads_by_primary: 0,
            reads_sent_on: 0,
        }
    }

    /// Forgets what was counted so far.
    pub fn open_window(&mut self) {
        (self.reads_by_primary, self.reads_sent_on) = (0, 0);
        self.owners.iter_mut().for_each(|owner| owner.counters.open_window());
    }

    /// Copies and former copies in a domain.
    pub fn extra(&self, domain: DomainId) -> u32 {
        self.extra[domain.index()]
    }

    pub fn counters(&mut self, owner: usize) -> Option<&mut CopyCounters> {
        self.owners.get_mut(owner).map(|owner| &mut owner.counters)
    }
}

impl Ftl {
    /// Makes the tables for copies, if some system will make any.
    pub(super) fn enable_copies(&mut self) {
        if self.replication.owners.iter().any(|owner| owner.budget > 0) {
            self.copies.enable(self.logical_units);
            self.oob.keep_roles();
        }
    }

    /// Whether a system of this number may be added: it needs nothing, or what it needs was arranged.
    pub(super) fn is_laid_out_for(&self, number: usize, system: &dyn System) -> bool {
        let budget = system.copies().units(self.logical_units);
        let arranged = self.replication.owners.get(number).map_or(0, |owner| owner.budget);
        let reservation = system.reservation();
        let has = |part: &Part| part.system == Some(number) && part.reservation == reservation;
        let reserved =
            reservation == Reservation::default() || self.replication.reserved.parts().iter().any(has);
        budget == arranged && reserved
    }

    fn wrong_copy(&self, owner: usize, lpa: Lpa, to: CopyTarget) -> Option<String> {
        let budget = self.replication.owners.get(owner).map_or(0, |owner| owner.budget);
        if budget == 0 {
            return Some("without a budget for copies".into());
        }
        if lpa.0 >= self.logical_units {
            return Some(format!("of {lpa:?}, beyond the {} logical pages", self.logical_units));
        }
        match to {
            CopyTarget::Die(die) if die.0 >= self.geometry.dies() => {
                Some(format!("on {die:?} of a drive of {} dies", self.geometry.dies()))
            }
            CopyTarget::Plane(plane) if plane.0 >= self.geometry.planes() => {
                Some(format!("on {plane:?} of a drive of {} planes", self.geometry.planes()))
            }
            CopyTarget::Reserved if self.replication.reserved.dies_for(owner).next().is_none() => {
                Some("in reserved space, and has none".into())
            }
            _ => None,
        }
    }

    fn store_copy(&mut self, lpa: Lpa, source: Ppa, ppa: Ppa, superblock: SuperblockId) {
        self.oob.set_copy(ppa, lpa);
        self.blocks.add_valid(superblock, 1);
        if let Some(versions) = &mut self.versions {
            versions.copy(source, ppa);
        }
    }
}

impl Device {
    /// A system asks for a copy. `read` is the read that it was told of, whose data is with the controller.
    pub(super) fn ask_for_copy(&mut self, owner: usize, lpa: Lpa, to: CopyTarget, read: Option<(Lpa, Ppa)>) {
        if let Some(what) = self.ftl.wrong_copy(owner, lpa, to) {
            let name = self.systems.system_name(owner);
            return self.fail(format!("the system {name} asked for a copy {what}"));
        }
        let read = read.filter(|read| read.0 == lpa).map(|read| read.1);
        let outdated = read.is_some_and(|ppa| !self.ftl.holds(lpa, ppa));
        if outdated || !self.ftl.lookup(lpa).is_some() {
            return self.refuse_copy(owner, lpa, CopyLoss::Outdated);
        }
        let Some(state) = self.ftl.replication.owners.get_mut(owner) else { return };
        if state.counters.now >= state.budget {
            return self.refuse_copy(owner, lpa, CopyLoss::OverBudget);
        }
        state.counters.begin();
        let number = self.ftl.copies.begin(lpa, owner, to);
        if read.is_some() { self.program_copy(number) } else { self.read_for_copy(number, lpa, owner) }
    }

    /// A copy that was not begun.
    fn refuse_copy(&mut self, owner: usize, lpa: Lpa, why: CopyLoss) {
        if let Some(counters) = self.ftl.replication.counters(owner) {
            counters.given_up(why);
        }
        self.tell_one(owner, &Event::CopyDropped { lpa, ppa: Ppa::NONE, why });
    }

    /// A copy on its way comes to nothing; of one that was cancelled, for the reason known.
    fn give_copy_up(&mut self, number: u32, why: CopyLoss) {
        let Some(pending) = self.ftl.copies.finish(number) else {
            return self.fail(format!("copy {number} is given up, which nobody asked for"));
        };
        if let Some(domain) = pending.domain {
            self.ftl.replication.extra[domain.index()] -= 1;
        }
        if let Some(counters) = self.ftl.replication.counters(pending.owner) {
            counters.now -= 1;
        }
        self.refuse_copy(pending.owner, pending.lpa, pending.cancelled.unwrap_or(why));
    }

    /// Reads the page, since no read of the host has just brought it.
    fn read_for_copy(&mut self, number: u32, lpa: Lpa, owner: usize) {
        if let Some(counters) = self.ftl.replication.counters(owner) {
            counters.extra_reads += 1;
        }
        let ppa = self.ftl.lookup(lpa);
        let bytes = self.geometry.unit_bytes;
        let purpose = Purpose { tag: number, ..Purpose::of(lpa) };
        let id = self.new_op(Op { bytes, ..Op::new(Class::CopyRead, ppa) }, purpose);
        submit(self, id);
    }

    /// The page of such a read was rewritten, moved or trimmed while it waited.
    pub(super) fn redirect_copy_read(&mut self, unit: OpId) {
        let (number, lpa) = (self.ftl.purposes[unit].tag, self.ftl.purposes[unit].lpa);
        let cancelled = self.ftl.copies.pending(number).is_none_or(|pending| pending.cancelled.is_some());
        let now_at = self.ftl.lookup(lpa);
        if cancelled || !now_at.is_some() {
            self.flash.pool.remove(unit);
            return self.give_copy_up(number, CopyLoss::Outdated);
        }
        self.send_on(unit, now_at);
    }

    /// The page is with the controller.
    pub(super) fn read_for_copy_done(&mut self, unit: OpId) {
        let number = self.ftl.purposes[unit].tag;
        self.flash.pool.remove(unit);
        self.program_copy(number);
    }

    /// Queues the program of a copy, if there is space for it.
    fn program_copy(&mut self, number: u32) {
        let Some(pending) = self.ftl.copies.pending(number).copied() else {
            return self.fail(format!("a page was read for copy {number}, which nobody asked for"));
        };
        let place = self.place_for_copy(pending.owner, pending.to);
        let (Some(plane), None) = (place, pending.cancelled) else {
            return self.give_copy_up(number, CopyLoss::NoSpace);
        };
        let domain = self.ftl.domains.of(plane);
        if !self.pass_over_to(plane, pending) {
            return self.give_copy_up(number, CopyLoss::NoSpace);
        }
        if let Some(pending) = self.ftl.copies.pending(number) {
            pending.domain = Some(domain);
        }
        self.ftl.replication.extra[domain.index()] += 1;
        self.ftl.domain[domain.index()].live += 1;
        let (point, bytes) = (self.ftl.points.of(Cause::Replication), self.geometry.unit_bytes);
        let purpose = Purpose { point, tag: number, ..Purpose::of(pending.lpa) };
        let id = self.new_op(Op { bytes, ..Op::new(Class::CopyProgram, Ppa::NONE) }, purpose);
        let number = self.ftl.purposes[id].point;
        self.allocate(domain, id, number);
    }

    /// A die takes the program of a copy: it takes effect unless the page was written or trimmed meanwhile.
    pub(super) fn commit_copy(&mut self, unit: OpId, superblock: SuperblockId) {
        let Purpose { tag: number, lpa, .. } = self.ftl.purposes[unit];
        let ppa = self.flash.pool[unit].ppa;
        let pending = self.ftl.copies.pending(number).copied();
        let Some(pending) = pending.filter(|pending| pending.cancelled.is_none()) else {
            self.unused(unit);
            return self.give_copy_up(number, CopyLoss::Outdated);
        };
        let owner = pending.owner;
        self.ftl.copies.add(lpa, FurtherCopy { ppa, owner, was_primary: false });
        self.ftl.copies.finish(number);
        let primary = self.ftl.lookup(lpa);
        self.ftl.store_copy(lpa, primary, ppa, superblock);
        if let Some(counters) = self.ftl.replication.counters(owner) {
            counters.made += 1;
        }
        self.tell_one(owner, &Event::Copied { lpa, ppa });
    }

    /// A moved page takes effect; `true` if it was a copy (the move of a primary goes on as any other).
    pub(super) fn commit_moved_copy(&mut self, unit: OpId, superblock: SuperblockId) -> bool {
        let lpa = self.ftl.purposes[unit].lpa;
        let Op { ppa, source, class, .. } = self.flash.pool[unit];
        let from = self.ftl.domain_of(source).index();
        let to = self.ftl.domain_of(ppa).index();
        let Some(FurtherCopy { owner, .. }) = self.ftl.copies.at(lpa, source) else {
            if self.ftl.lookup(lpa) == source && self.ftl.copies.is_promoted(lpa) {
                self.ftl.replication.extra[from] -= 1;
                self.ftl.replication.extra[to] += 1;
            }
            return false;
        };
        self.ftl.copies.relocate(lpa, source, ppa);
        self.ftl.replication.extra[from] -= 1;
        self.ftl.replication.extra[to] += 1;
        self.ftl.purposes[unit].replaced = source;
        self.observers.recorder.moved(class.cause());
        self.ftl.store_copy(lpa, source, ppa, superblock);
        if let Some(counters) = self.ftl.replication.counters(owner) {
            counters.moved += 1;
        }
        self.tell_one(owner, &Event::CopyMoved { lpa, old: source, new: ppa });
        true
    }

    /// The host wrote or trimmed a page, whose primary was at `primary`: its copies are void at once. They count as valid
    /// until the event is over, since this may happen while a command is put together.
    pub(super) fn drop_copies(&mut self, lpa: Lpa, primary: Ppa, why: CopyLoss) {
        let (copies, promoted) = self.ftl.copies.forget(lpa, why);
        if promoted && primary.is_some() {
            let domain = self.ftl.domain_of(primary);
            self.ftl.replication.extra[domain.index()] -= 1;
        }
        for &copy in copies.as_slice() {
            self.copy_gone(lpa, copy, why);
        }
    }

    /// A copy that is in the table no more.
    pub(super) fn copy_gone(&mut self, lpa: Lpa, FurtherCopy { ppa, owner, .. }: FurtherCopy, why: CopyLoss) {
        let domain = self.ftl.domain_of(ppa);
        self.ftl.replication.extra[domain.index()] -= 1;
        self.ftl.replication.dropped.push(ppa);
        if let Some(counters) = self.ftl.replication.counters(owner) {
            counters.dropped(why);
        }
        self.tell_one(owner, &Event::CopyDropped { lpa, ppa, why });
    }

    /// Void copies no longer count as valid.
    pub(super) fn invalidate_dropped(&mut self) {
        while let Some(ppa) = self.ftl.replication.dropped.pop() {
            self.invalidate(ppa);
        }
    }

    /// A system gives one of its copies up.
    pub(super) fn drop_copy(&mut self, owner: usize, lpa: Lpa, ppa: Ppa) {
        if self.ftl.copies.at(lpa, ppa).is_some_and(|copy| copy.owner == owner)
            && let Some(copy) = self.ftl.copies.remove(lpa, ppa)
        {
            self.copy_gone(lpa, copy, CopyLoss::Asked);
            self.invalidate_dropped();
        }
    }

    /// A system makes one of its copies the primary.
    pub(super) fn promote_copy(&mut self, owner: usize, lpa: Lpa, ppa: Ppa) {
        if self.ftl.copies.at(lpa, ppa).is_none_or(|copy| copy.owner != owner) {
            return;
        }
        let primary = self.ftl.lookup(lpa);
        // The domains now count a copy for the other: the promoted primary still counts where it is, once only.
        let demoted = self.ftl.domain_of(primary);
        if !self.ftl.copies.is_promoted(lpa) {
            self.ftl.replication.extra[demoted.index()] += 1;
        }
        self.ftl.copies.promote(lpa, ppa, primary, !self.ftl.oob.is_copy(primary));
        self.ftl.map.set(lpa, ppa);
        self.ftl.partial_writes.moved(lpa, primary, ppa);
        self.map_changed(lpa, primary, ppa, Cause::Replication);
        if let Some(counters) = self.ftl.replication.counters(owner) {
            counters.promoted += 1;
        }
        self.tell_one(owner, &Event::CopyMoved { lpa, old: ppa, new: primary });
        self.tell_moved(lpa, primary, ppa, Cause::Replication);
    }
}
