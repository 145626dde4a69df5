//! Guesses of address translation: a place is read where a page may be, and judged by what is there.

use crate::events::Event;
use crate::mapping::Found;
use crate::work::above::AboveFtl;
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::purposes::Purpose;
use crate::work::reads::read::keep_units;
use crate::work::translation::look_ups::{ask_again, question_of};
use crate::work::writes::program::bytes_of_old_content;
use wordline_base::class::Class;
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::parts::Part;
use wordline_flash::sched::queue::{NONE, Op, OpId};
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

/// Reads where the page may be.
pub(crate) fn read_at_guess<A: AboveFtl>(above: &mut A, id: OpId, ppa: Ppa) {
    let op = &mut above.flash_mut().pool[id];
    (op.ppa, op.tentative) = (ppa, true);
    op.class = Class::read_for(op.class.cause());
    let Purpose { lpa, partial, .. } = above.ftl().purposes[id];
    if partial {
        above.flash_mut().pool[id].bytes = bytes_of_old_content(above, id);
        above.ftl_mut().partial_writes.reads(lpa, ppa);
    } else {
        above.tell_access_of(id, false);
    }
    submit(above, id);
    if !partial {
        above.tell_read(id);
    }
}

/// The cell read of a guessed place begins: whether it is right is decided by what is there now.
pub fn judge_guess<A: AboveFtl>(above: &mut A, unit: OpId) {
    let Purpose { lpa, partial, .. } = above.ftl().purposes[unit];
    let ppa = above.flash().pool[unit].ppa;
    if above.ftl().lookup(lpa) == ppa {
        above.flash_mut().pool[unit].tentative = false;
        above.counted(Counted::GuessRight { write: partial });
    }
}

/// A flash page read is about to begin: units whose guess a system would not give again are sent on. Returns the head of the
/// others ([`NONE`](wordline_flash::sched::queue::NONE) when there is none).
pub(crate) fn without_withdrawn<A: AboveFtl>(above: &mut A, head: OpId) -> OpId {
    if !above.flash().pool.units(head).any(|unit| above.flash().pool[unit].tentative) {
        return head;
    }
    keep_units(above, head, |device, unit| {
        let withdrawn = is_withdrawn(device, unit);
        if withdrawn {
            withdraw_guess(device, unit);
        }
        !withdrawn
    })
}

/// Whether a flash page read that waits has a guess that its system would not give again.
pub fn has_withdrawn<A: AboveFtl>(above: &mut A, head: OpId) -> bool {
    let mut unit = head;
    while unit != NONE {
        if is_withdrawn(above, unit) {
            return true;
        }
        unit = above.flash().pool[unit].next_unit;
    }
    false
}

/// Whether the page of a guess has moved since, and its system knows that it can't be there any more.
fn is_withdrawn<A: AboveFtl>(above: &mut A, unit: OpId) -> bool {
    let Op { ppa, tentative, .. } = above.flash().pool[unit];
    if !tentative || above.ftl().lookup(above.ftl().purposes[unit].lpa) == ppa {
        return false;
    }
    let lookup = question_of(above, unit);
    above.find_in_systems(&lookup) != Some(Found::Guess(ppa))
}

fn withdraw_guess<A: AboveFtl>(above: &mut A, unit: OpId) {
    above.flash_mut().pool[unit].tentative = false;
    above.flash_mut().blame_wait_on(Part::Misprediction, unit);
    above.counted(Counted::GuessWithdrawn);
    // The page moved while its read waited, as often as it may: that leads nowhere by nobody's fault.
    above.ftl_mut().purposes[unit].tag = 0;
    ask_again(above, unit);
}

/// The OOB of a guessed place names something else: its reading was in vain.
pub(crate) fn guess_was_wrong<A: AboveFtl>(above: &mut A, unit: OpId) {
    let lpa = above.ftl().purposes[unit].lpa;
    let ppa = above.flash().pool[unit].ppa;
    above.flash_mut().pool[unit].tentative = false;
    above.flash_mut().blame_wait_on(Part::Misprediction, unit);
    let found = above.ftl().found_at(ppa);
    above.counted(Counted::GuessWrong { outdated: found == lpa });
    above.ftl_mut().translation.policy.get_mut().wrong_guess(lpa, ppa, found);
    above.tell(&Event::WrongGuess { lpa, guessed: ppa, found });
    ask_again(above, unit);
}
