//! Flash pages that were read are with the controller: what becomes of their units.

use crate::work::above::AboveFtl;
use crate::work::collection::collect::advance_collection;
use crate::work::collection::moves::unit_read_for_move;
use crate::work::copies::making::read_for_copy_done;
use crate::work::parity::pages::read_for_parity_done;
use crate::work::parity::rebuild::source_read;
use crate::work::purposes::Purpose;
use crate::work::translation::guesses::guess_was_wrong;
use crate::work::translation::map_pages::map_page_read;
use crate::work::writes::program::program_anywhere;
use wordline_base::class::{Cause, Class};
use wordline_base::ids::DieId;
use wordline_flash::sched::queue::{NONE, Op, OpId};

/// The units of a flash page are with the controller. `die` is where the command runs whose parts count for them,
/// unless they carry those already.
#[inline]
pub fn page_was_read<A: AboveFtl>(above: &mut A, head: OpId, class: Class, die: Option<DieId>) {
    let first = above.flash().pool[head].ppa;
    let mut unit = head;
    while unit != NONE {
        let op = &mut above.flash_mut().pool[unit];
        let next_unit = std::mem::replace(&mut op.next_unit, NONE);
        op.last_unit = unit;
        let tentative = op.tentative;
        let Purpose { whose, partial, .. } = above.ftl().purposes[unit];
        if class == Class::HostRead && !partial && !tentative && whose.rebuild().is_none() {
            above.tell_read_done(unit);
            above.cache_read(unit);
            above.unit_done(unit, die);
        } else {
            unit_read(above, unit, class, die);
        }
        unit = next_unit;
    }
    if class.is_move() {
        // A plan reads pages of any domain, in whose collection that changes nothing.
        let domain = above.ftl().domain_of(first);
        advance_collection(above, domain);
    }
}

/// One unit is with the controller that is not what a read of the host asked for, or not all of it.
fn unit_read<A: AboveFtl>(above: &mut A, unit: OpId, class: Class, die: Option<DieId>) {
    let partial = above.ftl().purposes[unit].partial;
    let Op { ppa, tentative, .. } = above.flash().pool[unit];
    if class.is_move() {
        unit_read_for_move(above, unit);
    } else if class == Class::MapRead {
        map_page_read(above, unit);
    } else if tentative {
        guess_was_wrong(above, unit);
    } else if class == Class::CopyRead {
        read_for_copy_done(above, unit);
    } else if class == Class::ParityRead {
        read_for_parity_done(above, unit);
    } else if partial || class.cause() == Cause::WriteBack {
        // A program follows, whose response time this is a part of.
        if let Some(die) = die {
            above.flash_mut().carry_parts(unit, die);
        }
        if class.cause() == Cause::WriteBack {
            return above.merged(unit);
        }
        above.flash_mut().pool[unit].source = ppa;
        program_anywhere(above, unit);
    } else {
        source_read(above, unit, die);
    }
}
