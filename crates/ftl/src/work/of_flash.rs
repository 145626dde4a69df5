//! What the flash asks and tells ([`wordline_flash::Above`]) that is the layer's to answer and to hear.

use super::above::AboveFtl;
use super::collection::copyback::verify_source;
use super::parity::pages::rebuild_instead;
use super::reads::read::{are_current, confirm_read, verify_read};
use super::reclaim::{block_worn, count_page_reads};
use super::translation::guesses::{has_withdrawn, judge_guess};
use wordline_base::class::FlashOp;
use wordline_base::ids::DieId;
use wordline_flash::sched::queue::{Op, OpId};

/// Whether all of a read that waits is still to be read where it is.
#[inline]
pub fn stands<A: AboveFtl>(above: &mut A, head: OpId) -> bool {
    are_current(above, head) && !(above.ftl().translation.asks_systems() && has_withdrawn(above, head))
}

/// A read's turn has come: sends on the units that are to be read elsewhere, and returns the head of the others
/// ([`NONE`](wordline_flash::sched::queue::NONE) when there is none).
#[inline(always)]
pub fn takes<A: AboveFtl>(above: &mut A, head: OpId) -> OpId {
    confirm_read(above, head)
}

/// A read's turn has come, but its plane collects: the same of units that are rebuilt.
pub fn waits_for_plane<A: AboveFtl>(above: &mut A, die: DieId, head: OpId) -> OpId {
    rebuild_instead(above, die, head)
}

/// The command of a unit begins: whether it was a guess in vain is decided, and what it finds is checked.
#[inline(always)]
pub fn unit_begins<A: AboveFtl>(above: &mut A, unit: OpId) {
    let Op { class, copyback, tentative, .. } = above.flash().pool[unit];
    if tentative {
        judge_guess(above, unit);
    }
    let watched = above.flash().rules.checked || above.is_watched();
    if class.op() == FlashOp::Read {
        if watched || above.ftl().copies.has(above.ftl().purposes[unit].lpa) {
            verify_read(above, unit);
        }
    } else if watched && copyback {
        verify_source(above, unit);
    }
}

/// A flash page was read; its block is worn if the number of its reads is given.
pub fn page_disturbed<A: AboveFtl>(above: &mut A, head: OpId, worn: Option<u32>) {
    if let Some(reads) = worn {
        let (lpa, ppa) = (above.ftl().purposes[head].lpa, above.flash().pool[head].ppa);
        block_worn(above, lpa, ppa, reads);
    }
    count_page_reads(above, head);
}
