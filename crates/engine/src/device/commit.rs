//! A program takes effect: the map changes, what it replaces is invalid, and the superblock may be full.

use super::Device;
use super::ftl::Ftl;
use super::placed_writes::PLACED_BY_SYSTEM;
use super::purposes::{For, Purpose};
use crate::blocks::BlockState;
use crate::replicate::CopyLoss;
use crate::sched::queue::{NONE, Op, OpId};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DieId, Lpa, Ppa, SuperblockId};

impl Ftl {
    /// A page is in a new place from now on. Returns the one before.
    #[inline(always)]
    pub(super) fn store(&mut self, lpa: Lpa, ppa: Ppa, superblock: SuperblockId) -> Ppa {
        let old = self.map.move_to(lpa, ppa, &self.layout);
        self.oob.set(ppa, lpa);
        self.blocks.add_valid(superblock, 1);
        old
    }

    /// A page that moves is in its new place from now on, if it still was at `source`. Returns whether it was.
    #[inline(always)]
    pub(super) fn store_moved(&mut self, source: Ppa, lpa: Lpa, ppa: Ppa, superblock: SuperblockId) -> bool {
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

impl Device {
    /// The die takes this program: its units take effect.
    pub(super) fn commit_program(&mut self, head: OpId) {
        let point = self.ftl.purposes[head].point;
        let ppa = self.flash.pool[head].ppa;
        if point == PLACED_BY_SYSTEM {
            self.placed_program_begins(head);
        }
        if self.geometry.unit_shift > 0 || self.geometry.pages_per_program > 1 {
            let domain = self.ftl.domain_of(ppa);
            let point = self.ftl.domain[domain.index()].points.get_mut(usize::from(point));
            if let Some(point) = point.filter(|point| point.open_unit == head) {
                point.open_unit = NONE;
                if point.filled < point.size {
                    let first = point.place;
                    self.unit_is_final(first);
                    self.queue_parity();
                }
            }
        }
        let superblock = self.ftl.blocks.of(&self.geometry, ppa);
        let mut unit = head;
        while unit != NONE {
            // What joins a program may have another cause than its first unit.
            match self.flash.pool[unit].class.cause() {
                Cause::Host | Cause::Mapping => self.commit_new_unit(unit, superblock),
                Cause::WriteBack => self.commit_write_back(unit, superblock),
                Cause::Gc | Cause::ReadReclaim | Cause::WearLevelling | Cause::Migration => {
                    self.commit_moved_unit(unit, superblock);
                }
                Cause::Replication => self.commit_copy(unit, superblock),
                Cause::Parity => self.commit_parity_page(unit, superblock),
            }
            unit = self.flash.pool[unit].next_unit;
        }
    }

    fn commit_new_unit(&mut self, unit: OpId, superblock: SuperblockId) {
        let Purpose { lpa, partial, whose, .. } = self.ftl.purposes[unit];
        let ppa = self.flash.pool[unit].ppa;
        if partial && self.is_outdated(unit) {
            // Someone else rewrote the unit after its old content was read: read it again.
            return self.retry_read_modify_write(unit);
        }
        if self.ftl.copies.has(lpa) {
            self.drop_copies(lpa, self.ftl.lookup(lpa), CopyLoss::Written);
        }
        let old = self.ftl.store(lpa, ppa, superblock);
        if !(partial || self.ftl.partial_writes.is_empty()) {
            self.ftl.partial_writes.rewritten(lpa);
        }
        self.ftl.purposes[unit].replaced = old;
        self.ftl.blocks.count_host_write();
        if let Some(versions) = &mut self.ftl.versions {
            versions.write(lpa, ppa);
        }
        if lpa.0 >= self.ftl.logical_units {
            return self.ftl.map_page_stored(lpa);
        }
        self.ftl.mapped_units += u64::from(!old.is_some());
        self.map_changed(lpa, old, ppa, self.flash.pool[unit].class.cause());
        if self.observers.probe.is_some() {
            let id = self.front.request_id(whose.request());
            if let Some(probe) = &mut self.observers.probe {
                probe.took_effect(id, lpa, self.flash.now());
            }
        }
        self.tell_written(lpa, old, ppa);
        if partial {
            self.next_partial_write(lpa);
        }
    }

    /// Leaves this place unused and begins anew, keeping what is known of where the time went.
    fn retry_read_modify_write(&mut self, unit: OpId) {
        let Op { bytes, class, .. } = self.flash.pool[unit];
        let Purpose { whose, lpa, point, .. } = self.ftl.purposes[unit];
        // One that a system sent somewhere is asked for anew.
        let point = if point == PLACED_BY_SYSTEM { 0 } else { point };
        let purpose = Purpose { whose, point, partial: true, accessed: true, ..Purpose::of(lpa) };
        let again = self.new_op(Op { bytes, ..Op::new(class, Ppa::NONE) }, purpose);
        if let Some(&parts) = self.flash.pool.parts(unit) {
            *self.flash.pool.parts_mut(again) = parts;
        }
        self.ftl.purposes[unit].whose = For::Drive;
        self.flash.pool[unit].waited_for = false;
        self.unused(unit);
        self.begin_read_modify_write(again);
    }

    pub(super) fn commit_moved_unit(&mut self, unit: OpId, superblock: SuperblockId) {
        let lpa = self.ftl.purposes[unit].lpa;
        let Op { ppa, source, class, .. } = self.flash.pool[unit];
        if self.ftl.copies.has(lpa) && self.commit_moved_copy(unit, superblock) {
            return;
        }
        if !self.ftl.store_moved(source, lpa, ppa, superblock) {
            // Overwritten or trimmed while the move was under way: the programmed copy is nobody's.
            return self.unused(unit);
        }
        self.ftl.purposes[unit].replaced = source;
        self.observers.recorder.moved(class.cause());
        self.note_folded(source);
        if !self.ftl.partial_writes.is_empty() {
            self.ftl.partial_writes.moved(lpa, source, ppa);
        }
        if let Some(versions) = &mut self.ftl.versions {
            versions.copy(source, ppa);
        }
        if lpa.0 < self.ftl.logical_units {
            self.map_changed(lpa, source, ppa, class.cause());
            self.tell_moved(lpa, source, ppa, class.cause());
        }
    }

    /// The place of this unit holds nothing after all.
    pub(super) fn unused(&mut self, unit: OpId) {
        let domain = self.ftl.domain_of(self.flash.pool[unit].ppa);
        self.ftl.domain[domain.index()].live -= 1;
        self.ftl.purposes[unit].lpa = Lpa::NONE;
    }

    /// Whether what a write of a part of a page builds on was rewritten since it was read, or hasn't been read.
    pub(super) fn is_outdated(&self, id: OpId) -> bool {
        let Purpose { lpa, partial, .. } = self.ftl.purposes[id];
        let class = self.flash.pool[id].class;
        partial
            && class.cause() == Cause::Host
            && !self.ftl.partial_writes.builds_on(lpa, self.ftl.lookup(lpa))
    }

    /// A physical page no longer holds what anyone wants.
    #[inline(always)]
    pub(super) fn invalidate(&mut self, ppa: Ppa) {
        let (domain, superblock) = self.ftl.blocks.locate(&self.geometry, ppa);
        let valid = self.ftl.blocks.add_valid(superblock, -1);
        self.ftl.domain[domain.index()].live -= 1;
        self.tell_invalidated(ppa);
        self.unlock_page(ppa);
        if valid == 0 {
            self.nothing_is_valid(superblock);
        }
        let state = &self.ftl.domain[domain.index()];
        if !state.stalled.is_empty() && !state.collector.active {
            // There was nothing to win when the write came; now there may be.
            self.check_collection(domain);
        }
    }

    /// The last valid unit of a superblock was given up.
    #[inline(never)]
    fn nothing_is_valid(&mut self, superblock: SuperblockId) {
        if self.ftl.blocks.state(superblock) == BlockState::Collecting {
            self.begin_erase(superblock);
        }
        self.erase_if_empty(superblock);
        self.erase_if_given_up(superblock);
    }

    /// TRIM of one unit.
    pub(super) fn forget(&mut self, id: u64, lpa: Lpa) {
        if self.controller.cache.is_on() {
            self.drop_cached(lpa);
        }
        let ppa = self.ftl.lookup(lpa);
        if ppa.is_some() {
            if self.ftl.copies.has(lpa) {
                self.drop_copies(lpa, ppa, CopyLoss::Trimmed);
            }
            self.ftl.map.clear(lpa);
            self.ftl.mapped_units -= 1;
            self.map_changed(lpa, ppa, Ppa::NONE, Cause::Host);
        }
        if let Some(versions) = &mut self.ftl.versions {
            versions.trim(lpa);
        }
        if let Some(probe) = &mut self.observers.probe {
            probe.took_effect(id, lpa, self.flash.now());
        }
        if ppa.is_some() {
            // Reads that waited for the page's move go on within this and find it trimmed.
            self.tell_trimmed(lpa, ppa);
            if self.ftl.striped.is_some() {
                self.ftl.page_given_up(lpa, ppa);
            }
            self.invalidate(ppa);
        }
    }

    /// The program of one plane has ended. What its units replaced is given up only now: until here a power cut would
    /// still need it.
    pub(super) fn program_ended(&mut self, head: OpId, die: DieId) {
        let place = self.flash.pool[head].ppa;
        let domain = self.ftl.domain_of(place);
        let mut unit = head;
        while unit != NONE {
            let Purpose { lpa, replaced, whose, .. } = self.ftl.purposes[unit];
            let Op { next_unit, ppa, source, class, .. } = self.flash.pool[unit];
            if let Some(versions) = self.ftl.versions.as_mut().filter(|_| lpa.is_some()) {
                versions.programmed(ppa);
            }
            if replaced.is_some() {
                if class.is_move() {
                    self.answer_awaiting(replaced, ppa);
                }
                self.invalidate(replaced);
            }
            if self.ftl.striped.is_some() && matches!(class.cause(), Cause::Host | Cause::WriteBack) {
                self.page_programmed(unit);
            }
            if class.cause() == Cause::WriteBack {
                self.write_back_ended(unit);
            }
            if whose.is_waited_for() {
                self.unit_done(unit, Some(die));
            } else {
                self.flash.pool.remove(unit);
                if let For::Plan(number) = whose {
                    self.plan_page_programmed(number);
                } else if class.is_move() {
                    self.move_ended(source, domain);
                } else if class == Class::MapProgram {
                    self.map_page_programmed(lpa);
                } else if class == Class::ParityProgram && lpa.is_some() {
                    self.parity_programmed(lpa);
                }
            }
            unit = next_unit;
        }
        self.ftl.program_may_fail(place);
        self.ftl.note_programmed(place);
        self.end_program_at(place);
        self.check_collection(domain);
        if self.controller.cache.is_on() {
            self.tend_cache();
        }
    }

    /// The last program of this place has ended.
    pub(super) fn end_program_at(&mut self, place: Ppa) {
        self.end_program_of(self.ftl.blocks.of(&self.geometry, place));
    }

    /// The last program of a place of this superblock has ended.
    #[inline(always)]
    pub(super) fn end_program_of(&mut self, superblock: SuperblockId) {
        if self.ftl.blocks.end(superblock) {
            match self.ftl.blocks.state(superblock) {
                BlockState::Closing => self.superblock_is_full(superblock),
                BlockState::Open => self.tell_programmed(superblock),
                _ => {}
            }
        }
    }

    /// The last program of a superblock that has no more places has ended.
    #[inline(never)]
    pub(super) fn superblock_is_full(&mut self, superblock: SuperblockId) {
        self.ftl.blocks.set_state(superblock, BlockState::Full);
        self.erase_if_empty(superblock);
        self.erase_if_given_up(superblock);
        self.empty_if_failing(superblock);
        self.reclaim_full(superblock);
    }
}
