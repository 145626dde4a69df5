//! Guesses of address translation: a place is read where a page may be, and judged by what is there.

use super::Device;
use super::ftl::Ftl;
use super::purposes::Purpose;
use crate::mapping::{Found, Lookup};
use crate::sched::queue::{NONE, Op, OpId};
use crate::systems::Event;
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::parts::Part;
use wordline_flash::work::submit;

impl Ftl {
    /// The logical page that the OOB of a place names. Of one that is outdated it can be told only if the whole block
    /// is programmed: the table does not forget what was erased.
    fn found_at(&self, ppa: Ppa) -> Lpa {
        use crate::blocks::BlockState::{Collecting, Full};
        let superblock = self.blocks.of(&self.geometry, ppa);
        let programmed = matches!(self.blocks.state(superblock), Full | Collecting);
        let written =
            || Some(self.oob.lpa(ppa, &self.layout)).filter(|lpa| programmed && lpa.0 < self.all_units());
        self.valid_lpa(ppa).or_else(written).unwrap_or(Lpa::NONE)
    }
}

impl Device {
    /// Reads where the page may be.
    pub(super) fn read_at_guess(&mut self, id: OpId, ppa: Ppa) {
        let op = &mut self.flash.pool[id];
        (op.ppa, op.tentative) = (ppa, true);
        op.class = Class::read_for(op.class.cause());
        let Purpose { lpa, partial, .. } = self.ftl.purposes[id];
        if partial {
            self.ftl.partial_writes.reads(lpa, ppa);
        } else {
            self.tell_access_of(id, false);
        }
        submit(self, id);
        if !partial {
            self.tell_read(id);
        }
    }

    /// The cell read of a guessed place begins: whether it is right is decided by what is there now.
    pub(super) fn judge_guess(&mut self, unit: OpId) {
        let lpa = self.ftl.purposes[unit].lpa;
        let ppa = self.flash.pool[unit].ppa;
        if self.ftl.lookup(lpa) == ppa {
            self.flash.pool[unit].tentative = false;
            self.observers.recorder.mapping.guesses_right += 1;
        }
    }

    /// A flash page read is about to begin: units whose guess a system would not give again are sent on. Returns the head of the
    /// others ([`NONE`](crate::sched::queue::NONE) when there is none).
    pub(super) fn without_withdrawn(&mut self, head: OpId) -> OpId {
        if !self.flash.pool.units(head).any(|unit| self.flash.pool[unit].tentative) {
            return head;
        }
        self.keep_units(head, |device, unit| {
            let withdrawn = device.is_withdrawn(unit);
            if withdrawn {
                device.withdraw_guess(unit);
            }
            !withdrawn
        })
    }

    /// Whether a flash page read that waits has a guess that its system would not give again.
    pub(super) fn has_withdrawn(&mut self, head: OpId) -> bool {
        let mut unit = head;
        while unit != NONE {
            if self.is_withdrawn(unit) {
                return true;
            }
            unit = self.flash.pool[unit].next_unit;
        }
        false
    }

    /// Whether the page of a guess has moved since, and its system knows that it can't be there any more.
    fn is_withdrawn(&mut self, unit: OpId) -> bool {
        let Purpose { lpa, partial, .. } = self.ftl.purposes[unit];
        let Op { ppa, class, tentative, .. } = self.flash.pool[unit];
        let write = partial || class.op() == FlashOp::Program;
        tentative
            && self.ftl.lookup(lpa) != ppa
            && self.find_in_systems(&Lookup { lpa, write }) != Some(Found::Guess(ppa))
    }

    fn withdraw_guess(&mut self, unit: OpId) {
        self.flash.pool[unit].tentative = false;
        self.flash.blame_wait_on(Part::Misprediction, unit);
        self.observers.recorder.mapping.guesses_withdrawn += 1;
        // The page moved while its read waited, as often as it may: that leads nowhere by nobody's fault.
        self.ftl.purposes[unit].tag = 0;
        self.ask_again(unit);
    }

    /// The OOB of a guessed place names something else: its reading was in vain.
    pub(super) fn guess_was_wrong(&mut self, unit: OpId) {
        let lpa = self.ftl.purposes[unit].lpa;
        let ppa = self.flash.pool[unit].ppa;
        self.flash.pool[unit].tentative = false;
        self.flash.blame_wait_on(Part::Misprediction, unit);
        let found = self.ftl.found_at(ppa);
        self.observers.recorder.mapping.guesses_wrong += 1;
        self.observers.recorder.mapping.guesses_outdated += u64::from(found == lpa);
        self.ftl.translation.policy.get_mut().wrong_guess(lpa, ppa, found);
        self.tell_translation(&Event::WrongGuess { lpa, guessed: ppa, found });
        self.ask_again(unit);
    }
}
