//! Which copy serves a read, and what of copies is reported.

use super::Device;
use super::ftl::Ftl;
use super::purposes::Purpose;
use crate::replicate::{Arbiter, Candidate, Serving};
use crate::sched::queue::{NONE, Op, OpId};
use crate::stats::copies::{CopiesReport, ReservedReport};
use wordline_base::class::Class;
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::time::Ns;
use wordline_flash::work;

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
        self.flash.end_die_wait(unit, self.flash.server_of(unit, ppa));
        self.ftl.replication.reads_sent_on += 1;
        self.flash.pool[unit].source = ppa;
        self.send_on(unit, chosen);
        NONE
    }

    fn candidate(&self, ppa: Ppa, owner: Option<usize>, here: Option<Ppa>) -> Candidate {
        let die = self.geometry.die_at(ppa).0;
        let is_here = here == Some(ppa);
        let server = self.flash.read_server(ppa);
        let running = work::running(self, server);
        let remaining = running.map_or(Ns::ZERO, |(_, time)| time);
        Candidate {
            ppa,
            die,
            owner,
            outstanding: self.flash.loads()[die.index()].saturating_sub(u32::from(is_here)),
            running: running.map(|(class, _)| class),
            remaining,
            // Its turn has come.
            ahead: if is_here { Ns::ZERO } else { remaining + work::waiting_ahead(self, server) },
            here: is_here,
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
