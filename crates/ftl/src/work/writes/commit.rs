//! A program takes effect: the map changes, what it replaces is invalid, and the superblock may be full.

use crate::blocks::BlockState;
use crate::events::Event;
use crate::replicate::CopyLoss;
use crate::work::above::AboveFtl;
use crate::work::collection::collect::check_collection;
use crate::work::collection::erase::begin_erase;
use crate::work::collection::moves::move_ended;
use crate::work::collection::slc_cache::{erase_if_empty, note_folded};
use crate::work::collection::wear_out::empty_if_failing;
use crate::work::copies::making::{commit_copy, commit_moved_copy, drop_copies};
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::parity::pages::{commit_parity_page, page_programmed, parity_programmed};
use crate::work::parity::rows::{queue_parity, unit_is_final};
use crate::work::plans::awaited_moves::{answer_awaiting, unlock_page};
use crate::work::plans::plan_page_programmed;
use crate::work::purposes::new_op;
use crate::work::purposes::{For, Purpose};
use crate::work::reclaim::closing::reclaim_full;
use crate::work::translation::look_ups::{fetch_changes, map_changed};
use crate::work::translation::map_pages::map_page_programmed;
use crate::work::writes::placed_writes::PLACED_BY_SYSTEM;
use crate::work::writes::placed_writes::{erase_if_given_up, placed_program_begins, tell_programmed};
use crate::work::writes::program::{begin_read_modify_write, next_partial_write};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DieId, Lpa, Ppa, SuperblockId};
use wordline_flash::sched::queue::{NONE, Op, OpId};

impl Ftl {
    /// A page is in a new place from now on. Returns the one before.
    #[inline(always)]
    pub fn store(&mut self, lpa: Lpa, ppa: Ppa, superblock: SuperblockId) -> Ppa {
        let old = self.map.move_to(lpa, ppa, &self.layout);
        self.oob.set(ppa, lpa);
        self.blocks.add_valid(superblock, 1);
        old
    }

    /// A page that moves is in its new place from now on, if it still was at `source`. Returns whether it was.
    #[inline(always)]
    pub(crate) fn store_moved(&mut self, source: Ppa, lpa: Lpa, ppa: Ppa, superblock: SuperblockId) -> bool {
        let (oob, layout) = (&self.oob, &self.layout);
        let is_there = || oob.is_as_laid_out(source) || layout.ppa(lpa) == source;
        let stored = self.map.move_from(source, lpa, ppa, is_there);
        if stored {
            self.oob.set(ppa, lpa);
            self.blocks.add_valid(superblock, 1);
        }
        stored
    }
}

/// The die takes this program: its units take effect.
pub fn commit_program<A: AboveFtl>(above: &mut A, head: OpId) {
    let point = above.ftl().purposes[head].point;
    let ppa = above.flash().pool[head].ppa;
    if point == PLACED_BY_SYSTEM {
        placed_program_begins(above, head);
    }
    if above.ftl().geometry.unit_shift > 0 || above.ftl().geometry.pages_per_program > 1 {
        let domain = above.ftl().domain_of(ppa);
        let point = above.ftl_mut().domain[domain.index()].points.get_mut(usize::from(point));
        if let Some(point) = point.filter(|point| point.open_unit == head) {
            point.open_unit = NONE;
            if point.filled < point.size {
                let first = point.place;
                unit_is_final(above, first);
                queue_parity(above);
            }
        }
    }
    if above.ftl().sets.is_some() {
        check_sets(above, head);
    }
    let superblock = above.ftl().blocks.of(&above.ftl().geometry, ppa);
    fetch_changes(above, head);
    let mut unit = head;
    while unit != NONE {
        // What joins a program may have another cause than its first unit.
        match above.flash().pool[unit].class.cause() {
            Cause::Host | Cause::Mapping => commit_new_unit(above, unit, superblock),
            Cause::WriteBack => commit_write_back(above, unit, superblock),
            Cause::Gc | Cause::ReadReclaim | Cause::WearLevelling | Cause::Migration => {
                commit_moved_unit(above, unit, superblock);
            }
            Cause::Replication => commit_copy(above, unit, superblock),
            Cause::Parity => commit_parity_page(above, unit, superblock),
        }
        unit = above.flash().pool[unit].next_unit;
    }
}

/// No page may be programmed outside its set of planes: that would be a fault of the drive's own.
#[inline(never)]
fn check_sets<A: AboveFtl>(above: &mut A, head: OpId) {
    let mut unit = head;
    while unit != NONE {
        let (lpa, ppa) = (above.ftl().purposes[unit].lpa, above.flash().pool[unit].ppa);
        let plane = above.ftl().geometry.plane_of(ppa).0;
        if !above.ftl().may_lie_on(lpa, plane) {
            above.fail(format!("{lpa:?} is programmed on {plane:?}, which is not in its set"));
        }
        unit = above.flash().pool[unit].next_unit;
    }
}

fn commit_new_unit<A: AboveFtl>(above: &mut A, unit: OpId, superblock: SuperblockId) {
    let Purpose { lpa, partial, whose, .. } = above.ftl().purposes[unit];
    let ppa = above.flash().pool[unit].ppa;
    if partial && is_outdated(above, unit) {
        // Someone else rewrote the unit after its old content was read: read it again.
        return retry_read_modify_write(above, unit);
    }
    if above.ftl().copies.has(lpa) {
        let primary = above.ftl().lookup(lpa);
        drop_copies(above, lpa, primary, CopyLoss::Written);
    }
    let old = above.ftl_mut().store(lpa, ppa, superblock);
    if !(partial || above.ftl().partial_writes.is_empty()) {
        above.ftl_mut().partial_writes.rewritten(lpa);
    }
    above.ftl_mut().purposes[unit].replaced = old;
    above.ftl_mut().blocks.count_host_write();
    if let Some(mut numbers) = above.ftl_mut().numbers() {
        numbers.write(lpa, ppa);
    }
    if lpa.0 >= above.ftl().logical_units {
        return above.ftl_mut().map_page_stored(lpa);
    }
    above.ftl_mut().mapped_units += u64::from(!old.is_some());
    let cause = above.flash().pool[unit].class.cause();
    map_changed(above, lpa, old, ppa, cause);
    if above.is_watched() {
        let id = above.request_id(whose.request());
        above.took_effect(id, lpa);
    }
    above.tell(&Event::Written { lpa, old, new: ppa });
    if partial {
        next_partial_write(above, lpa);
    }
}

/// The program of a unit from the data cache begins: where that is still the newest version, it takes effect.
fn commit_write_back<A: AboveFtl>(above: &mut A, unit: OpId, superblock: SuperblockId) {
    if !above.cached_unit_begins(unit) {
        return unused(above, unit);
    }
    let (lpa, ppa) = (above.ftl().purposes[unit].lpa, above.flash().pool[unit].ppa);
    if above.ftl().copies.has(lpa) {
        let primary = above.ftl().lookup(lpa);
        drop_copies(above, lpa, primary, CopyLoss::Written);
    }
    let ftl = above.ftl_mut();
    let old = ftl.store(lpa, ppa, superblock);
    if !ftl.partial_writes.is_empty() {
        ftl.partial_writes.rewritten(lpa);
    }
    ftl.purposes[unit].replaced = old;
    if old.is_some() {
        // For the end of the program.
        ftl.blocks.prefetch(ftl.blocks.of(&ftl.geometry, old));
    }
    // The same.
    ftl.blocks.prefetch_pending(superblock);
    ftl.blocks.count_host_write();
    ftl.mapped_units += u64::from(!old.is_some());
    if let Some(mut numbers) = ftl.numbers() {
        numbers.first(lpa, ppa);
    }
    map_changed(above, lpa, old, ppa, Cause::WriteBack);
    above.tell(&Event::Written { lpa, old, new: ppa });
}

/// Leaves this place unused and begins anew, keeping what is known of where the time went.
fn retry_read_modify_write<A: AboveFtl>(above: &mut A, unit: OpId) {
    let Op { bytes, class, .. } = above.flash().pool[unit];
    let Purpose { whose, lpa, point, .. } = above.ftl().purposes[unit];
    // One that a system sent somewhere is asked for anew.
    let point = if point == PLACED_BY_SYSTEM { 0 } else { point };
    let purpose = Purpose { whose, point, partial: true, accessed: true, ..Purpose::of(lpa) };
    let again = new_op(above, Op { bytes, ..Op::new(class, Ppa::NONE) }, purpose);
    if let Some(&parts) = above.flash().pool.parts(unit) {
        *above.flash_mut().pool.parts_mut(again) = parts;
    }
    above.ftl_mut().purposes[unit].whose = For::Drive;
    above.flash_mut().pool[unit].waited_for = false;
    unused(above, unit);
    begin_read_modify_write(above, again);
}

pub(crate) fn commit_moved_unit<A: AboveFtl>(above: &mut A, unit: OpId, superblock: SuperblockId) {
    let lpa = above.ftl().purposes[unit].lpa;
    let Op { ppa, source, class, .. } = above.flash().pool[unit];
    if above.ftl().copies.has(lpa) && commit_moved_copy(above, unit, superblock) {
        return;
    }
    if !above.ftl_mut().store_moved(source, lpa, ppa, superblock) {
        // Overwritten or trimmed while the move was under way: the programmed copy is nobody's.
        return unused(above, unit);
    }
    above.ftl_mut().purposes[unit].replaced = source;
    above.counted(Counted::Moved(class.cause()));
    note_folded(above, source);
    if !above.ftl().partial_writes.is_empty() {
        above.ftl_mut().partial_writes.moved(lpa, source, ppa);
    }
    if let Some(mut numbers) = above.ftl_mut().numbers() {
        numbers.copy(source, ppa);
    }
    if lpa.0 < above.ftl().logical_units {
        map_changed(above, lpa, source, ppa, class.cause());
        above.tell(&Event::Moved { lpa, old: source, new: ppa, cause: class.cause() });
    }
}

/// The place of this unit holds nothing after all.
pub fn unused<A: AboveFtl>(above: &mut A, unit: OpId) {
    let domain = above.ftl().domain_of(above.flash().pool[unit].ppa);
    above.ftl_mut().domain[domain.index()].live -= 1;
    above.ftl_mut().purposes[unit].lpa = Lpa::NONE;
}

/// Whether what a write of a part of a page builds on was rewritten since it was read, or hasn't been read.
pub(crate) fn is_outdated<A: AboveFtl>(above: &A, id: OpId) -> bool {
    let Purpose { lpa, partial, .. } = above.ftl().purposes[id];
    let class = above.flash().pool[id].class;
    partial
        && class.cause() == Cause::Host
        && !above.ftl().partial_writes.builds_on(lpa, above.ftl().lookup(lpa))
}

/// A physical page no longer holds what anyone wants.
#[inline(always)]
pub(crate) fn invalidate<A: AboveFtl>(above: &mut A, ppa: Ppa) {
    let (domain, superblock) = above.ftl().blocks.locate(&above.ftl().geometry, ppa);
    let valid = above.ftl_mut().blocks.add_valid(superblock, -1);
    above.ftl_mut().domain[domain.index()].live -= 1;
    above.tell(&Event::Invalidated(ppa));
    unlock_page(above, ppa);
    if valid == 0 {
        nothing_is_valid(above, superblock);
    }
    let state = &above.ftl().domain[domain.index()];
    if !state.stalled.is_empty() && !state.collector.active {
        // There was nothing to win when the write came; now there may be.
        check_collection(above, domain);
    }
}

/// The last valid unit of a superblock was given up.
#[inline(never)]
fn nothing_is_valid<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    if above.ftl().blocks.state(superblock) == BlockState::Collecting {
        begin_erase(above, superblock);
    }
    erase_if_empty(above, superblock);
    erase_if_given_up(above, superblock);
}

/// TRIM of one unit.
pub fn forget<A: AboveFtl>(above: &mut A, id: u64, lpa: Lpa) {
    above.forget_cached(lpa);
    let ppa = above.ftl().lookup(lpa);
    if ppa.is_some() {
        if above.ftl().copies.has(lpa) {
            drop_copies(above, lpa, ppa, CopyLoss::Trimmed);
        }
        above.ftl_mut().map.clear(lpa);
        above.ftl_mut().mapped_units -= 1;
        map_changed(above, lpa, ppa, Ppa::NONE, Cause::Host);
    }
    if let Some(versions) = &mut above.ftl_mut().versions {
        versions.change(lpa);
    }
    above.took_effect(id, lpa);
    if ppa.is_some() {
        // Reads that waited for the page's move go on within this and find it trimmed.
        above.tell(&Event::Trimmed { lpa, old: ppa });
        if above.ftl().striped.is_some() {
            above.ftl_mut().page_given_up(lpa, ppa);
        }
        invalidate(above, ppa);
    }
}

/// The program of one plane has ended. What its units replaced is given up only now: until here a power cut would
/// still need it.
pub fn program_ended<A: AboveFtl>(above: &mut A, head: OpId, die: DieId) {
    let place = above.flash().pool[head].ppa;
    let domain = above.ftl().domain_of(place);
    let mut unit = head;
    while unit != NONE {
        let Purpose { lpa, replaced, whose, .. } = above.ftl().purposes[unit];
        let Op { next_unit, ppa, source, class, .. } = above.flash().pool[unit];
        if let Some(sequences) = above.ftl_mut().sequences().filter(|_| lpa.is_some()) {
            sequences.programmed(ppa);
        }
        if replaced.is_some() {
            if class.is_move() {
                answer_awaiting(above, replaced, ppa);
            }
            invalidate(above, replaced);
        }
        if above.ftl().striped.is_some() && matches!(class.cause(), Cause::Host | Cause::WriteBack) {
            page_programmed(above, unit);
        }
        if class.cause() == Cause::WriteBack {
            above.write_back_ended(unit);
        }
        if whose.is_waited_for() {
            above.unit_done(unit, Some(die));
        } else {
            above.flash_mut().pool.remove(unit);
            if let For::Plan(number) = whose {
                plan_page_programmed(above, number);
            } else if class.is_move() {
                move_ended(above, source, domain);
            } else if class == Class::MapProgram {
                map_page_programmed(above, lpa);
            } else if class == Class::ParityProgram && lpa.is_some() {
                parity_programmed(above, lpa);
            }
        }
        unit = next_unit;
    }
    above.ftl_mut().program_may_fail(place);
    above.ftl_mut().note_programmed(place);
    end_program_at(above, place);
    check_collection(above, domain);
    above.cache_may_go_on();
}

/// The last program of this place has ended.
pub(crate) fn end_program_at<A: AboveFtl>(above: &mut A, place: Ppa) {
    let superblock = above.ftl().blocks.of(&above.ftl().geometry, place);
    end_program_of(above, superblock);
}

/// The last program of a place of this superblock has ended.
#[inline(always)]
pub(crate) fn end_program_of<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    if above.ftl_mut().blocks.end(superblock) {
        match above.ftl().blocks.state(superblock) {
            BlockState::Closing => superblock_is_full(above, superblock),
            BlockState::Open => tell_programmed(above, superblock),
            _ => {}
        }
    }
}

/// The last program of a superblock that has no more places has ended.
#[inline(never)]
pub(crate) fn superblock_is_full<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    above.ftl_mut().blocks.set_state(superblock, BlockState::Full);
    erase_if_empty(above, superblock);
    erase_if_given_up(above, superblock);
    empty_if_failing(above, superblock);
    reclaim_full(above, superblock);
}
