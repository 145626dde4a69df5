//! Page reads: for the host, for read-modify-writes, and their check against the newest version.

use crate::work::above::AboveFtl;
use crate::work::collection::moves::move_dropped;
use crate::work::copies::choice::{choose_copy, confirm_copy};
use crate::work::copies::making::redirect_copy_read;
use crate::work::counted::Counted;
use crate::work::parity::rebuild::{rebuilds, source_dropped, source_is_current, verify_stripe_source};
use crate::work::plans::awaited_moves::waits_for_move;
use crate::work::plans::plan_page_dropped;
use crate::work::preparation::places::allocate_on_first_read;
use crate::work::purposes::new_op;
use crate::work::purposes::{For, Purpose};
use crate::work::translation::guesses::without_withdrawn;
use crate::work::translation::look_ups::translate_read;
use crate::work::writes::program::program_anywhere;
use wordline_base::class::Class;
use wordline_base::ids::{Lpa, Ppa};
use wordline_config::scheme::UnmappedReads;
use wordline_flash::sched::queue::{NONE, Op, OpId};
use wordline_flash::work::submit;

/// Sends one unit of a read request on its way. `head` is the flash page that the request's previous unit was
/// sent to ([`NONE`] at first): a unit of the same flash page goes with it. Returns the head for the next unit.
pub fn read_for_host<A: AboveFtl>(above: &mut A, request: u32, lpa: Lpa, bytes: u32, head: OpId) -> OpId {
    if above.ftl().translation.is_asked() {
        return translate_read(above, request, lpa, bytes, head);
    }
    let mut ppa = above.ftl().lookup(lpa);
    if !ppa.is_some() {
        above.counted(Counted::Unmapped);
        if above.ftl().rules.unmapped_reads == UnmappedReads::Allocate {
            ppa = allocate_on_first_read(above, lpa);
        }
        if !ppa.is_some() {
            above.tell_accessed(lpa, false);
            read_zeros(above, request, lpa);
            return head;
        }
    }
    above.tell_accessed(lpa, false);
    if above.ftl().copies.has(lpa) {
        ppa = choose_copy(above, lpa, None);
    }
    let id = new_op(above, Op { bytes, ..Op::new(Class::HostRead, ppa) }, Purpose::of_host(request, lpa));
    send_read(above, id, head)
}

/// Queues a read of the host, with the flash page `head` if it lies there.
#[inline(always)]
pub(crate) fn send_read<A: AboveFtl>(above: &mut A, id: OpId, head: OpId) -> OpId {
    let ppa = above.flash().pool[id].ppa;
    if !above.flash().pool[id].tentative && waits_for_move(above, id) {
        return head;
    }
    if head != NONE
        && above.flash().pool[head].ppa.0 >> above.ftl().geometry.unit_shift
            == ppa.0 >> above.ftl().geometry.unit_shift
    {
        let server = above.flash().server_of(id, ppa);
        above.flash_mut().begin_die_wait(id, server);
        above.flash_mut().pool.chain(head, id);
        above.tell_read_that(id, true);
        return head;
    }
    if rebuilds(above, id) {
        above.tell_read(id);
        return NONE;
    }
    submit(above, id);
    above.tell_read(id);
    id
}

/// A page without data: zeros from the controller.
#[inline(never)]
pub(crate) fn read_zeros<A: AboveFtl>(above: &mut A, request: u32, lpa: Lpa) {
    let id = above.request_id(request);
    above.found(id, lpa, None);
    above.request_page_done(request);
}

/// Looks again, as a read is about to begin, whether its pages are still where they were when it came.
/// Units that moved are sent on; returns the head of those that stay ([`NONE`] when none does).
#[inline(always)]
pub fn confirm_read<A: AboveFtl>(above: &mut A, head: OpId) -> OpId {
    let head = if above.ftl().translation.asks_systems() { without_withdrawn(above, head) } else { head };
    if head == NONE {
        return NONE;
    }
    let single = above.flash().pool[head].next_unit == NONE;
    if single && is_current(above, head) {
        return if above.ftl().copies.is_on() { confirm_copy(above, head) } else { head };
    }
    if !above.ftl().copies.is_on() && are_current(above, head) {
        return head;
    }
    keep_units(above, head, confirm_unit)
}

/// Takes the units of a flash page read one by one: what doesn't stay has been sent on by `stays`. Returns the head of the
/// others ([`NONE`] when there is none).
pub(crate) fn keep_units<A: AboveFtl>(
    above: &mut A,
    head: OpId,
    mut stays: impl FnMut(&mut A, OpId) -> bool,
) -> OpId {
    // The first of those that stay may be another one.
    let die = above.flash().real_die(above.ftl().geometry.die_at(above.flash().pool[head].ppa).0);
    above.reads_change(die);
    let (mut kept, mut unit) = (NONE, head);
    while unit != NONE {
        let next = std::mem::replace(&mut above.flash_mut().pool[unit].next_unit, NONE);
        above.flash_mut().pool[unit].last_unit = unit;
        if stays(above, unit) {
            if kept == NONE {
                kept = unit;
            } else {
                above.flash_mut().pool.chain(kept, unit);
            }
        }
        unit = next;
    }
    kept
}

/// Whether a unit is to be read where it is; else it was sent on: its page is elsewhere now, or another copy serves it better.
fn confirm_unit<A: AboveFtl>(above: &mut A, unit: OpId) -> bool {
    if is_current(above, unit) {
        return !above.ftl().copies.is_on() || confirm_copy(above, unit) != NONE;
    }
    redirect_read(above, unit);
    false
}

#[inline(always)]
pub(crate) fn is_current<A: AboveFtl>(above: &A, unit: OpId) -> bool {
    let Op { class, ppa, tentative, .. } = above.flash().pool[unit];
    if class == Class::ParityRead {
        return true;
    }
    let Purpose { whose, lpa, partial, .. } = above.ftl().purposes[unit];
    if let For::Rebuild(number) = whose {
        return source_is_current(above, number) && above.ftl().source_stays(lpa, ppa);
    }
    let copy = || !partial && above.ftl().copies.at(lpa, ppa).is_some();
    (above.ftl().is_at(lpa, ppa) || tentative || copy()) && !(above.overtaken_in_cache(unit))
}

/// Whether every page that a waiting flash page read wants is still there.
pub fn are_current<A: AboveFtl>(above: &A, head: OpId) -> bool {
    above.flash().pool.units(head).all(|unit| is_current(above, unit))
}

/// The page of a waiting read was rewritten, moved or trimmed.
#[inline(never)]
fn redirect_read<A: AboveFtl>(above: &mut A, unit: OpId) {
    let Purpose { lpa, whose, partial, tag, .. } = above.ftl().purposes[unit];
    let Op { class, ppa, .. } = above.flash().pool[unit];
    // A guess comes here only when the cache has what it wants: then it was no guess in vain.
    above.flash_mut().pool[unit].tentative = false;
    let server = above.flash().server_of(unit, ppa);
    above.flash_mut().end_die_wait(unit, server);
    if class.is_move() {
        // Overwritten or trimmed in the meantime: nothing left to move.
        above.flash_mut().pool.remove(unit);
        return match whose {
            For::Plan(number) => plan_page_dropped(above, number, tag),
            _ => move_dropped(above, ppa),
        };
    }
    if whose.rebuild().is_some() {
        return source_dropped(above, unit);
    }
    if class == Class::CopyRead {
        return redirect_copy_read(above, unit);
    }
    if above.answered_by_cache(unit) {
        return;
    }
    let mut now_at = above.ftl().lookup(lpa);
    if now_at.is_some() {
        if class == Class::HostRead && !partial && above.ftl().copies.has(lpa) {
            now_at = choose_copy(above, lpa, None);
        }
        above.counted(Counted::Rerouted);
        send_on(above, unit, now_at);
    } else if partial {
        above.flash_mut().pool[unit].source = Ppa::NONE;
        program_anywhere(above, unit);
    } else {
        end_with_zeros(above, unit);
    }
}

/// A read that was under way finds that its page holds no data.
#[inline(never)]
pub(crate) fn end_with_zeros<A: AboveFtl>(above: &mut A, unit: OpId) {
    let Purpose { whose, lpa, .. } = above.ftl().purposes[unit];
    let id = above.request_id(whose.request());
    above.found(id, lpa, None);
    above.unit_done(unit, None);
}

/// A read goes to another place, with its turn by the time at which it came first.
#[inline(never)]
pub(crate) fn send_on<A: AboveFtl>(above: &mut A, unit: OpId, to: Ppa) {
    above.flash_mut().pool[unit].ppa = to;
    if above.ftl().purposes[unit].partial {
        let ftl = above.ftl_mut();
        ftl.partial_writes.reads(ftl.purposes[unit].lpa, to);
    }
    // If it was read along with the head of its flash page it counts as come now.
    above.flash_mut().arrives(unit);
    submit(above, unit);
    if above.flash().pool[unit].class == Class::HostRead && !above.ftl().purposes[unit].partial {
        above.tell_read(unit);
    }
}

/// A read begins. Checked mode: the OOB that it will find must be that of the newest version.
pub fn verify_read<A: AboveFtl>(above: &mut A, unit: OpId) {
    let Purpose { lpa, whose, partial, .. } = above.ftl().purposes[unit];
    let Op { ppa, class, tentative, .. } = above.flash().pool[unit];
    if whose.rebuild().is_some() {
        return verify_stripe_source(above, unit);
    }
    if tentative || class == Class::ParityRead {
        return;
    }
    let mut version = 0;
    if let Some(versions) = &above.ftl().versions {
        version = versions.newest(lpa);
        let is_newest = finds_newest(above, unit);
        verify_page(above, lpa, ppa, is_newest);
    }
    if class == Class::HostRead && above.ftl().copies.has(lpa) && !partial {
        above.ftl_mut().count_served(lpa, ppa);
    }
    if class == Class::HostRead && above.is_watched() && !partial {
        let id = above.request_id(whose.request());
        above.found(id, lpa, Some(version));
    }
}

/// What a read of a page finds must be that page, and the newest version of it.
pub(crate) fn verify_page<A: AboveFtl>(above: &mut A, lpa: Lpa, ppa: Ppa, is_newest: bool) {
    above.counted(Counted::Verified);
    let found = above.ftl().oob.lpa(ppa, &above.ftl().layout);
    if found != lpa {
        above.fail(format!("a read of {lpa:?} at {ppa:?} found {found:?} in the OOB"));
    } else if !is_newest {
        above.fail(format!("a read of {lpa:?} at {ppa:?} found a version that is not the newest"));
    }
}

/// Checked mode: the version that flash has, or is to have, of a page.
#[inline]
pub(crate) fn version_in_flash<A: AboveFtl>(above: &A, lpa: Lpa) -> u32 {
    let newest = || above.ftl().versions.as_ref().map_or(0, |versions| versions.newest(lpa));
    above.version_behind_cache(lpa).unwrap_or_else(newest)
}

/// Whether a place holds the version that flash must hold of a unit; always without versions.
#[inline]
pub(crate) fn holds_newest<A: AboveFtl>(above: &A, lpa: Lpa, ppa: Ppa) -> bool {
    let newest = version_in_flash(above, lpa);
    above.ftl().oob.sequences().is_none_or(|sequences| sequences.holds(ppa, newest))
}

/// Checked mode: whether a read finds the newest version that flash has. On a second server a page counts as programmed as soon
/// as its program has begun: its data is in the controller still.
pub(crate) fn finds_newest<A: AboveFtl>(above: &A, unit: OpId) -> bool {
    let (lpa, ppa) = (above.ftl().purposes[unit].lpa, above.flash().pool[unit].ppa);
    above.ftl().oob.sequences().is_none_or(|sequences| {
        let newest = version_in_flash(above, lpa);
        sequences.holds(ppa, newest) || (above.flash().is_ideal(unit) && sequences.number(ppa) == newest)
    })
}
