//! Which copy serves a read, and what of copies is reported.

use super::Device;
use super::flash::Flash;
use super::ftl::Ftl;
use super::purposes::Purpose;
use crate::nand::die::Phase;
use crate::replicate::{Arbiter, Candidate, Serving};
use crate::sched::Scheduler;
use crate::sched::queue::{NONE, Op, OpId};
use crate::stats::copies::{CopiesReport, ReservedReport};
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::{DieId, Lpa, Ppa};
use wordline_base::time::Ns;

impl Ftl {
    /// A read of a page with copies begins: counts who serves it.
    pub(super) fn count_served(&mut self, lpa: Lpa, ppa: Ppa) {
        if self.copies.of(lpa).is_empty() {
            return;
        }
        match self.copies.at(lpa, ppa) {
            None => self.replication.reads_by_primary += 1,
            Some(copy) => {
                if let Some(owner) = self.replication.owners.get_mut(copy.owner) {
                    owner.counters.reads += 1;
                }
            }
        }
    }

    pub(super) fn reserved_report(&self) -> Vec<ReservedReport> {
        let plane = u64::from(self.geometry.units_per_plane()) * u64::from(self.geometry.unit_bytes);
        let die = plane * u64::from(self.geometry.planes_per_die);
        let report = |part: &crate::replicate::reservation::Part| ReservedReport {
            system: part.name.clone(),
            dies: part.reservation.dies.iter().map(|die| die.0).collect(),
            dies_bytes: part.reservation.dies.len() as u64 * die,
            blocks: part.reservation.blocks,
        };
        self.replication.reserved.parts().iter().map(report).collect()
    }
}

impl Flash {
    /// What a die does: what is suspended for it, too.
    #[inline]
    pub(super) fn command(&self, die: DieId) -> Option<Class> {
        let state = &self.dies[die.index()];
        match state.phase {
            Phase::Idle => None,
            Phase::Suspending => state.suspended.as_ref().map(|suspended| suspended.command.class),
            _ => Some(state.command.class),
        }
    }

    /// Whether an operation of this kind waits that would go before a read that comes to this die now.
    pub(super) fn waits_ahead(&self, die: DieId, kind: FlashOp) -> bool {
        let state = &self.dies[(die.0 + self.second_server) as usize];
        let ahead = |&class: &Class| {
            class.op() == kind && state.waits(class) && self.scheduler.precedes(class, Class::HostRead)
        };
        Class::ALL.iter().any(ahead)
    }
}

impl Device {
    /// The copy of a page that a read of the host shall go to. `here` is where the read is, if a die is about to take it.
    pub(super) fn choose_copy(&mut self, lpa: Lpa, here: Option<Ppa>) -> Ppa {
        let primary = self.ftl.lookup(lpa);
        let mut candidates = std::mem::take(&mut self.ftl.replication.candidates);
        candidates.clear();
        let copies = self.ftl.copies.of(lpa).iter();
        candidates.extend(copies.map(|copy| self.candidate(copy.ppa, Some(copy.owner), here)));
        if candidates.is_empty() {
            self.ftl.replication.candidates = candidates;
            return primary;
        }
        candidates.insert(0, self.candidate(primary, None, here));
        let read = Serving { lpa, again: here.is_some(), candidates: &candidates };
        let chosen = self.ask_owners(&read).unwrap_or_else(|| self.ftl.replication.arbiter.serve(&read));
        let ppa = candidates.get(chosen).map(|candidate| candidate.ppa);
        let count = candidates.len();
        self.ftl.replication.candidates = candidates;
        if ppa.is_none() {
            self.fail(format!("copy {chosen} of {count} was chosen to serve a read of {lpa:?}"));
        }
        ppa.unwrap_or(primary)
    }

    /// A die is about to take this read: asks again, once, whether another copy serves it better. Returns [`NONE`] if it
    /// was sent on.
    #[inline(always)]
    pub(super) fn confirm_copy(&mut self, unit: OpId) -> OpId {
        if self.ftl.copies.has(self.ftl.purposes[unit].lpa) { self.confirm_one_of_copies(unit) } else { unit }
    }

    #[inline(never)]
    fn confirm_one_of_copies(&mut self, unit: OpId) -> OpId {
        let Purpose { lpa, partial, .. } = self.ftl.purposes[unit];
        let Op { ppa, class, source, .. } = self.flash.pool[unit];
        if class != Class::HostRead || partial || source.is_some() || self.ftl.copies.of(lpa).is_empty() {
            return unit;
        }
        let chosen = self.choose_copy(lpa, Some(ppa));
        if chosen == ppa {
            return unit;
        }
        self.settle_wait(unit, self.server_of(unit, ppa));
        self.ftl.replication.reads_sent_on += 1;
        self.flash.pool[unit].source = ppa;
        self.send_on(unit, chosen);
        NONE
    }

    fn candidate(&self, ppa: Ppa, owner: Option<usize>, here: Option<Ppa>) -> Candidate {
        let die = self.geometry.die_at(ppa).0;
        let is_here = here == Some(ppa);
        let server = DieId(die.0 + self.flash.second_server);
        let running = self.running(server);
        let remaining = running.map_or(Ns::ZERO, |(_, time)| time);
        Candidate {
            ppa,
            die,
            owner,
            outstanding: self.flash.outstanding[die.index()].saturating_sub(u32::from(is_here)),
            running: running.map(|(class, _)| class),
            remaining,
            // Its turn has come.
            ahead: if is_here { Ns::ZERO } else { remaining + self.waiting_ahead(server) },
            here: is_here,
        }
    }

    /// What a die does, and how long until it is done, or could be suspended for a read. Waits for the channel are not
    /// foreseen.
    pub(super) fn running(&self, die: DieId) -> Option<(Class, Ns)> {
        let state = &self.flash.dies[die.index()];
        let (class, cell) = (state.command.class, state.command.cell);
        let is_read = class.op() == FlashOp::Read;
        let data = if is_read { self.flash.unit_transfer } else { Ns::ZERO };
        let left = match state.phase {
            Phase::Idle => return None,
            Phase::Command => cell + data,
            Phase::Array => state.array[1].since(self.flash.now) + data,
            // The next one's data is on its way in, or waits for the array.
            Phase::Loading | Phase::Loaded => cell,
            Phase::DataWait | Phase::DataOut | Phase::Moving => state.data_out,
            Phase::Suspending => {
                let suspended = state.suspended.as_ref()?;
                return Some((suspended.command.class, Ns::ZERO));
            }
        };
        if is_read || !self.suspends(class) || state.suspended.is_some() {
            return Some((class, left));
        }
        let suspend = &self.flash.rules.suspend;
        let takes = if class.op() == FlashOp::Erase { suspend.erase_ns } else { suspend.program_ns };
        let may = state.command.suspensions < suspend.max_per_operation;
        let Some(takes) = takes.filter(|_| may) else { return Some((class, left)) };
        let to_step = match state.phase {
            Phase::Array => self
                .flash
                .stop_of_array(die, state.array[0].max(self.flash.now), state.array[1])
                .0
                .since(self.flash.now),
            _ => Ns::ZERO,
        };
        Some((class, left.min(Ns(takes) + to_step)))
    }

    /// Time of all that waits at a die and would go before a read that comes now. Commands are counted one by one,
    /// although some may go together.
    pub(super) fn waiting_ahead(&self, die: DieId) -> Ns {
        let state = &self.flash.dies[die.index()];
        let mut time = Ns::ZERO;
        for class in Class::ALL {
            if state.waits(class) && self.flash.scheduler.precedes(class, Class::HostRead) {
                let mut head = state.first(class);
                while head != NONE {
                    time += self.time_of(class, head);
                    head = self.flash.pool[head].next;
                }
            }
        }
        time
    }

    fn time_of(&self, class: Class, head: OpId) -> Ns {
        let ppa = self.flash.pool[head].ppa;
        let (page, mode) = (self.geometry.place(ppa).page, self.ftl.cell_mode(ppa));
        match class.op() {
            FlashOp::Read => self.flash.timing.read(page, mode) + self.flash.unit_transfer,
            FlashOp::Program => self.flash.timing.program(page, mode) + self.flash.unit_transfer,
            FlashOp::Erase => self.flash.timing.erase(mode),
        }
    }

    pub(super) fn copies_report(&self) -> Option<CopiesReport> {
        if !self.ftl.copies.is_on() {
            return None;
        }
        let replication = &self.ftl.replication;
        let owners = replication.owners.iter().enumerate().filter(|(_, owner)| owner.budget > 0);
        Some(CopiesReport {
            arbiter: replication.arbiter.name().to_owned(),
            reads_by_primary: replication.reads_by_primary,
            reads_by_copies: replication.owners.iter().map(|owner| owner.counters.reads).sum(),
            reads_sent_on: replication.reads_sent_on,
            table_bytes: self.ftl.copies.bytes(),
            systems: owners
                .map(|(number, owner)| owner.counters.report(self.systems.system_name(number), owner.budget))
                .collect(),
        })
    }
}
