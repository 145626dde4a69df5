//! Further copies at work: made from the buffer of a read, dropped by writes, followed when they are moved.

use crate::work::above::AboveFtl;
use crate::work::copies::space::{pass_over_to, place_for_copy};
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::purposes::Purpose;
use crate::work::purposes::new_op;
use crate::work::reads::read::send_on;
use crate::work::translation::look_ups::map_changed;
use crate::work::writes::commit::{invalidate, unused};
use crate::work::writes::places::allocate;
use serde::{Deserialize, Serialize};
use wordline_flash::work::submit;

use crate::arrangement::Arrangement;
use crate::events::Event;
use crate::mapping::FurtherCopy;
use crate::replicate::CopyCounters;
use crate::replicate::reservation::{Part, Reservation, Reserved};
use crate::replicate::{ArbiterPolicy, Candidate, CopyBudget, CopyLoss, CopyTarget};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DomainId, Lpa, Ppa, SuperblockId};
use wordline_base::snapshot::{In, Out, SnapshotError};
use wordline_config::scheme::SchemeConfig;
use wordline_flash::sched::queue::{Op, OpId};

/// A system as the owner of copies.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Owner {
    pub budget: u32,
    pub counters: CopyCounters,
}

/// What belongs to copies beside their table.
pub struct Replication {
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
    pub fn enable_copies(&mut self) {
        if self.replication.owners.iter().any(|owner| owner.budget > 0) {
            self.copies.enable(self.logical_units);
            self.oob.keep_roles();
        }
    }

    /// Whether a system of this number may be added: it needs nothing, or what it needs was arranged.
    pub fn is_laid_out_for(&self, number: usize, budget: CopyBudget, reservation: &Reservation) -> bool {
        let budget = budget.units(self.logical_units);
        let arranged = self.replication.owners.get(number).map_or(0, |owner| owner.budget);
        let has = |part: &Part| part.system == Some(number) && part.reservation == *reservation;
        let reserved =
            *reservation == Reservation::default() || self.replication.reserved.parts().iter().any(has);
        budget == arranged && reserved
    }

    fn wrong_copy(&self, owner: usize, lpa: Lpa, to: CopyTarget) -> Option<String> {
        let budget = self.replication.owners.get(owner).map_or(0, |owner| owner.budget);
        if budget == 0 {
            return Some("without a budget for copies".into());
        }
        if let Some(what) = self.beyond(lpa) {
            return Some(what);
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

    fn wrong_place(&self, lpa: Lpa, ppa: Ppa) -> Option<String> {
        if let Some(what) = self.beyond(lpa) {
            return Some(format!("a copy {what}"));
        }
        let physical = self.geometry.physical_units();
        (ppa.is_some() && ppa.0 >= physical)
            .then(|| format!("{ppa:?}, none of the {physical} physical pages"))
    }

    fn beyond(&self, lpa: Lpa) -> Option<String> {
        let pages = self.logical_units;
        (lpa.0 >= pages).then(|| format!("of {lpa:?}, beyond the {pages} logical pages"))
    }

    fn store_copy(&mut self, lpa: Lpa, source: Ppa, ppa: Ppa, superblock: SuperblockId) {
        self.oob.set_copy(ppa, lpa);
        self.blocks.add_valid(superblock, 1);
        if let Some(mut numbers) = self.numbers() {
            numbers.copy(source, ppa);
        }
    }
}

/// What a system did with its copies that can't be is a fault of the system. Whether it was one.
fn is_fault<A: AboveFtl>(above: &mut A, owner: usize, did: &str, wrong: Option<String>) -> bool {
    let Some(what) = wrong else { return false };
    let name = above.system_name(owner);
    above.fail(format!("the system {name} {did} {what}"));
    true
}

/// A system asks for a copy. `read` is the read that it was told of, whose data is with the controller.
pub fn ask_for_copy<A: AboveFtl>(
    above: &mut A,
    owner: usize,
    lpa: Lpa,
    to: CopyTarget,
    read: Option<(Lpa, Ppa)>,
) {
    let wrong = above.ftl().wrong_copy(owner, lpa, to);
    if is_fault(above, owner, "asked for a copy", wrong) {
        return;
    }
    let read = read.filter(|read| read.0 == lpa).map(|read| read.1);
    let outdated = read.is_some_and(|ppa| !above.ftl().holds(lpa, ppa));
    if outdated || !above.ftl().lookup(lpa).is_some() {
        return refuse_copy(above, owner, lpa, CopyLoss::Outdated);
    }
    let Some(state) = above.ftl_mut().replication.owners.get_mut(owner) else { return };
    if state.counters.now >= state.budget {
        return refuse_copy(above, owner, lpa, CopyLoss::OverBudget);
    }
    state.counters.begin();
    let number = above.ftl_mut().copies.begin(lpa, owner, to);
    if read.is_some() { program_copy(above, number) } else { read_for_copy(above, number, lpa, owner) }
}

/// A copy that was not begun.
fn refuse_copy<A: AboveFtl>(above: &mut A, owner: usize, lpa: Lpa, why: CopyLoss) {
    if let Some(counters) = above.ftl_mut().replication.counters(owner) {
        counters.given_up(why);
    }
    above.tell_one(owner, &Event::CopyDropped { lpa, ppa: Ppa::NONE, why });
}

/// A copy on its way comes to nothing; of one that was cancelled, for the reason known.
fn give_copy_up<A: AboveFtl>(above: &mut A, number: u32, why: CopyLoss) {
    let Some(pending) = above.ftl_mut().copies.finish(number) else {
        return above.fail(format!("copy {number} is given up, which nobody asked for"));
    };
    if let Some(domain) = pending.domain {
        above.ftl_mut().replication.extra[domain.index()] -= 1;
    }
    if let Some(counters) = above.ftl_mut().replication.counters(pending.owner) {
        counters.now -= 1;
    }
    refuse_copy(above, pending.owner, pending.lpa, pending.cancelled.unwrap_or(why));
}

/// Reads the page, since no read of the host has just brought it.
fn read_for_copy<A: AboveFtl>(above: &mut A, number: u32, lpa: Lpa, owner: usize) {
    if let Some(counters) = above.ftl_mut().replication.counters(owner) {
        counters.extra_reads += 1;
    }
    let ppa = above.ftl().lookup(lpa);
    let bytes = above.ftl().geometry.unit_bytes;
    let purpose = Purpose { tag: number, ..Purpose::of(lpa) };
    let id = new_op(above, Op { bytes, ..Op::new(Class::CopyRead, ppa) }, purpose);
    submit(above, id);
}

/// The page of such a read was rewritten, moved or trimmed while it waited.
pub(crate) fn redirect_copy_read<A: AboveFtl>(above: &mut A, unit: OpId) {
    let (number, lpa) = (above.ftl().purposes[unit].tag, above.ftl().purposes[unit].lpa);
    let cancelled = above.ftl_mut().copies.pending(number).is_none_or(|pending| pending.cancelled.is_some());
    let now_at = above.ftl().lookup(lpa);
    if cancelled || !now_at.is_some() {
        above.flash_mut().pool.remove(unit);
        return give_copy_up(above, number, CopyLoss::Outdated);
    }
    send_on(above, unit, now_at);
}

/// The page is with the controller.
pub(crate) fn read_for_copy_done<A: AboveFtl>(above: &mut A, unit: OpId) {
    let number = above.ftl().purposes[unit].tag;
    above.flash_mut().pool.remove(unit);
    program_copy(above, number);
}

/// Queues the program of a copy, if there is space for it.
fn program_copy<A: AboveFtl>(above: &mut A, number: u32) {
    let Some(pending) = above.ftl_mut().copies.pending(number).copied() else {
        return above.fail(format!("a page was read for copy {number}, which nobody asked for"));
    };
    let place = place_for_copy(above, pending.owner, pending.to);
    let (Some(plane), None) = (place, pending.cancelled) else {
        return give_copy_up(above, number, CopyLoss::NoSpace);
    };
    let domain = above.ftl().domains.of(plane);
    if !pass_over_to(above, plane, pending) {
        return give_copy_up(above, number, CopyLoss::NoSpace);
    }
    if let Some(pending) = above.ftl_mut().copies.pending(number) {
        pending.domain = Some(domain);
    }
    above.ftl_mut().replication.extra[domain.index()] += 1;
    above.ftl_mut().domain[domain.index()].live += 1;
    let (point, bytes) = (above.ftl().points.of(Cause::Replication), above.ftl().geometry.unit_bytes);
    let purpose = Purpose { point, tag: number, ..Purpose::of(pending.lpa) };
    let id = new_op(above, Op { bytes, ..Op::new(Class::CopyProgram, Ppa::NONE) }, purpose);
    let number = above.ftl().purposes[id].point;
    allocate(above, domain, id, number);
}

/// A die takes the program of a copy: it takes effect unless the page was written or trimmed meanwhile.
pub(crate) fn commit_copy<A: AboveFtl>(above: &mut A, unit: OpId, superblock: SuperblockId) {
    let Purpose { tag: number, lpa, .. } = above.ftl().purposes[unit];
    let ppa = above.flash().pool[unit].ppa;
    let pending = above.ftl_mut().copies.pending(number).copied();
    let Some(pending) = pending.filter(|pending| pending.cancelled.is_none()) else {
        unused(above, unit);
        return give_copy_up(above, number, CopyLoss::Outdated);
    };
    let owner = pending.owner;
    above.ftl_mut().copies.add(lpa, FurtherCopy { ppa, owner, was_primary: false });
    above.ftl_mut().copies.finish(number);
    let primary = above.ftl().lookup(lpa);
    above.ftl_mut().store_copy(lpa, primary, ppa, superblock);
    if let Some(counters) = above.ftl_mut().replication.counters(owner) {
        counters.made += 1;
    }
    above.tell_one(owner, &Event::Copied { lpa, ppa });
}

/// A moved page takes effect; `true` if it was a copy (the move of a primary goes on as any other).
pub(crate) fn commit_moved_copy<A: AboveFtl>(above: &mut A, unit: OpId, superblock: SuperblockId) -> bool {
    let lpa = above.ftl().purposes[unit].lpa;
    let Op { ppa, source, class, .. } = above.flash().pool[unit];
    let from = above.ftl().domain_of(source).index();
    let to = above.ftl().domain_of(ppa).index();
    let Some(FurtherCopy { owner, .. }) = above.ftl().copies.at(lpa, source) else {
        if above.ftl().lookup(lpa) == source && above.ftl().copies.is_promoted(lpa) {
            above.ftl_mut().replication.extra[from] -= 1;
            above.ftl_mut().replication.extra[to] += 1;
        }
        return false;
    };
    above.ftl_mut().copies.relocate(lpa, source, ppa);
    above.ftl_mut().replication.extra[from] -= 1;
    above.ftl_mut().replication.extra[to] += 1;
    above.ftl_mut().purposes[unit].replaced = source;
    above.counted(Counted::Moved(class.cause()));
    above.ftl_mut().store_copy(lpa, source, ppa, superblock);
    if let Some(counters) = above.ftl_mut().replication.counters(owner) {
        counters.moved += 1;
    }
    above.tell_one(owner, &Event::CopyMoved { lpa, old: source, new: ppa });
    true
}

/// The host wrote or trimmed a page, whose primary was at `primary`: its copies are void at once. They count as valid
/// until the event is over, since this may happen while a command is put together.
pub fn drop_copies<A: AboveFtl>(above: &mut A, lpa: Lpa, primary: Ppa, why: CopyLoss) {
    let (copies, promoted) = above.ftl_mut().copies.forget(lpa, why);
    if promoted && primary.is_some() {
        let domain = above.ftl().domain_of(primary);
        above.ftl_mut().replication.extra[domain.index()] -= 1;
    }
    for &copy in copies.as_slice() {
        copy_gone(above, lpa, copy, why);
    }
}

/// A copy that is in the table no more.
pub(crate) fn copy_gone<A: AboveFtl>(
    above: &mut A,
    lpa: Lpa,
    FurtherCopy { ppa, owner, .. }: FurtherCopy,
    why: CopyLoss,
) {
    let domain = above.ftl().domain_of(ppa);
    above.ftl_mut().replication.extra[domain.index()] -= 1;
    above.ftl_mut().replication.dropped.push(ppa);
    if let Some(counters) = above.ftl_mut().replication.counters(owner) {
        counters.dropped(why);
    }
    above.tell_one(owner, &Event::CopyDropped { lpa, ppa, why });
}

/// Void copies no longer count as valid.
pub fn invalidate_dropped<A: AboveFtl>(above: &mut A) {
    while let Some(ppa) = above.ftl_mut().replication.dropped.pop() {
        invalidate(above, ppa);
    }
}

/// A system gives one of its copies up.
pub fn drop_copy<A: AboveFtl>(above: &mut A, owner: usize, lpa: Lpa, ppa: Ppa) {
    let wrong = above.ftl().wrong_place(lpa, ppa);
    if is_fault(above, owner, "dropped", wrong) {
        return;
    }
    if above.ftl().copies.at(lpa, ppa).is_some_and(|copy| copy.owner == owner)
        && let Some(copy) = above.ftl_mut().copies.remove(lpa, ppa)
    {
        copy_gone(above, lpa, copy, CopyLoss::Asked);
        invalidate_dropped(above);
    }
}

/// A system makes one of its copies the primary.
pub fn promote_copy<A: AboveFtl>(above: &mut A, owner: usize, lpa: Lpa, ppa: Ppa) {
    let wrong = above.ftl().wrong_place(lpa, ppa);
    if is_fault(above, owner, "promoted", wrong) {
        return;
    }
    if above.ftl().copies.at(lpa, ppa).is_none_or(|copy| copy.owner != owner) {
        return;
    }
    let primary = above.ftl().lookup(lpa);
    // The domains now count a copy for the other: the promoted primary still counts where it is, once only.
    let demoted = above.ftl().domain_of(primary);
    if !above.ftl().copies.is_promoted(lpa) {
        above.ftl_mut().replication.extra[demoted.index()] += 1;
    }
    let ftl = above.ftl_mut();
    ftl.copies.promote(lpa, ppa, primary, !ftl.oob.is_copy(primary));
    above.ftl_mut().map.set(lpa, ppa);
    above.ftl_mut().partial_writes.moved(lpa, primary, ppa);
    map_changed(above, lpa, primary, ppa, Cause::Replication);
    if let Some(counters) = above.ftl_mut().replication.counters(owner) {
        counters.promoted += 1;
    }
    above.tell_one(owner, &Event::CopyMoved { lpa, old: ppa, new: primary });
    above.tell(&Event::Moved { lpa, old: primary, new: ppa, cause: Cause::Replication });
}
