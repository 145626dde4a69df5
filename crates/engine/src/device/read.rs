//! Page reads: for the host, for read-modify-writes, and their check against the newest version.

use super::Device;
use super::purposes::{For, Purpose};
use crate::sched::queue::{NONE, Op, OpId};
use wordline_base::class::Class;
use wordline_base::ids::{Lpa, Ppa};
use wordline_config::scheme::UnmappedReads;
use wordline_flash::work::submit;

impl Device {
    /// Sends one unit of a read request on its way. `head` is the flash page that the request's previous unit was
    /// sent to ([`NONE`] at first): a unit of the same flash page goes with it. Returns the head for the next unit.
    pub(super) fn read_for_host(&mut self, request: u32, lpa: Lpa, bytes: u32, head: OpId) -> OpId {
        if self.ftl.translation.is_asked() {
            return self.translate_read(request, lpa, bytes, head);
        }
        let mut ppa = self.ftl.lookup(lpa);
        if !ppa.is_some() {
            self.observers.recorder.unmapped_reads += 1;
            if self.rules.unmapped_reads == UnmappedReads::Allocate {
                ppa = self.allocate_on_first_read(lpa);
            }
            if !ppa.is_some() {
                self.tell_accessed(lpa, false);
                self.read_zeros(request, lpa);
                return head;
            }
        }
        self.tell_accessed(lpa, false);
        if self.ftl.copies.has(lpa) {
            ppa = self.choose_copy(lpa, None);
        }
        let id = self.new_op(Op { bytes, ..Op::new(Class::HostRead, ppa) }, Purpose::of_host(request, lpa));
        self.send_read(id, head)
    }

    /// Queues a read of the host, with the flash page `head` if it lies there.
    #[inline(always)]
    pub(super) fn send_read(&mut self, id: OpId, head: OpId) -> OpId {
        let ppa = self.flash.pool[id].ppa;
        if !self.flash.pool[id].tentative && self.waits_for_move(id) {
            return head;
        }
        if head != NONE
            && self.flash.pool[head].ppa.0 >> self.geometry.unit_shift == ppa.0 >> self.geometry.unit_shift
        {
            self.flash.begin_die_wait(id, self.flash.server_of(id, ppa));
            self.flash.pool.chain(head, id);
            self.tell_read_that(id, true);
            return head;
        }
        if self.rebuilds(id) {
            self.tell_read(id);
            return NONE;
        }
        submit(self, id);
        self.tell_read(id);
        id
    }

    /// A page without data: zeros from the controller.
    #[inline(never)]
    pub(super) fn read_zeros(&mut self, request: u32, lpa: Lpa) {
        let id = self.front.request_id(request);
        if let Some(probe) = &mut self.observers.probe {
            probe.read(id, lpa, None, self.flash.now());
        }
        self.page_done(request);
    }

    /// Looks again, as a read is about to begin, whether its pages are still where they were when it came.
    /// Units that moved are sent on; returns the head of those that stay ([`NONE`] when none does).
    #[inline(always)]
    pub(super) fn confirm_read(&mut self, head: OpId) -> OpId {
        let head = if self.ftl.translation.asks_systems() { self.without_withdrawn(head) } else { head };
        if head == NONE {
            return NONE;
        }
        let single = self.flash.pool[head].next_unit == NONE;
        if single && self.is_current(head) {
            return if self.ftl.copies.is_on() { self.confirm_copy(head) } else { head };
        }
        if !self.ftl.copies.is_on() && self.are_current(head) {
            return head;
        }
        self.keep_units(head, Self::confirm_unit)
    }

    /// Takes the units of a flash page read one by one: what doesn't stay has been sent on by `stays`. Returns the head of the
    /// others ([`NONE`] when there is none).
    pub(super) fn keep_units(&mut self, head: OpId, mut stays: impl FnMut(&mut Self, OpId) -> bool) -> OpId {
        // The first of those that stay may be another one.
        self.observers
            .monitor
            .reads_change(self.flash.real_die(self.geometry.die_at(self.flash.pool[head].ppa).0));
        let (mut kept, mut unit) = (NONE, head);
        while unit != NONE {
            let next = std::mem::replace(&mut self.flash.pool[unit].next_unit, NONE);
            self.flash.pool[unit].last_unit = unit;
            if stays(self, unit) {
                if kept == NONE {
                    kept = unit;
                } else {
                    self.flash.pool.chain(kept, unit);
                }
            }
            unit = next;
        }
        kept
    }

    /// Whether a unit is to be read where it is; else it was sent on: its page is elsewhere now, or another copy serves it better.
    fn confirm_unit(&mut self, unit: OpId) -> bool {
        if self.is_current(unit) {
            return !self.ftl.copies.is_on() || self.confirm_copy(unit) != NONE;
        }
        self.redirect_read(unit);
        false
    }

    #[inline(always)]
    pub(super) fn is_current(&self, unit: OpId) -> bool {
        let Op { class, ppa, tentative, .. } = self.flash.pool[unit];
        if class == Class::ParityRead {
            return true;
        }
        let Purpose { whose, lpa, partial, .. } = self.ftl.purposes[unit];
        if let For::Rebuild(number) = whose {
            return self.source_is_current(number) && self.ftl.source_stays(lpa, ppa);
        }
        let copy = || !partial && self.ftl.copies.at(lpa, ppa).is_some();
        (self.ftl.is_at(lpa, ppa) || tentative || copy())
            && !(self.controller.cache.is_on() && self.is_overtaken(unit))
    }

    /// Whether every page that a waiting flash page read wants is still there.
    pub(super) fn are_current(&self, head: OpId) -> bool {
        self.flash.pool.units(head).all(|unit| self.is_current(unit))
    }

    /// The page of a waiting read was rewritten, moved or trimmed.
    #[inline(never)]
    fn redirect_read(&mut self, unit: OpId) {
        let Purpose { lpa, whose, partial, tag, .. } = self.ftl.purposes[unit];
        let Op { class, ppa, .. } = self.flash.pool[unit];
        // A guess comes here only when the cache has what it wants: then it was no guess in vain.
        self.flash.pool[unit].tentative = false;
        self.flash.end_die_wait(unit, self.flash.server_of(unit, ppa));
        if class.is_move() {
            // Overwritten or trimmed in the meantime: nothing left to move.
            self.flash.pool.remove(unit);
            return match whose {
                For::Plan(number) => self.plan_page_dropped(number, tag),
                _ => self.move_dropped(ppa),
            };
        }
        if whose.rebuild().is_some() {
            return self.source_dropped(unit);
        }
        if class == Class::CopyRead {
            return self.redirect_copy_read(unit);
        }
        if self.controller.cache.is_on() && self.serve_late(unit) {
            return;
        }
        let mut now_at = self.ftl.lookup(lpa);
        if now_at.is_some() {
            if class == Class::HostRead && !partial && self.ftl.copies.has(lpa) {
                now_at = self.choose_copy(lpa, None);
            }
            self.observers.recorder.rerouted_reads += 1;
            self.send_on(unit, now_at);
        } else if partial {
            self.flash.pool[unit].source = Ppa::NONE;
            self.program_anywhere(unit);
        } else {
            self.end_with_zeros(unit);
        }
    }

    /// A read that was under way finds that its page holds no data.
    #[inline(never)]
    pub(super) fn end_with_zeros(&mut self, unit: OpId) {
        let Purpose { whose, lpa, .. } = self.ftl.purposes[unit];
        let id = self.front.request_id(whose.request());
        if let Some(probe) = &mut self.observers.probe {
            probe.read(id, lpa, None, self.flash.now());
        }
        self.unit_done(unit, None);
    }

    /// A read goes to another place, with its turn by the time at which it came first.
    #[inline(never)]
    pub(super) fn send_on(&mut self, unit: OpId, to: Ppa) {
        self.flash.pool[unit].ppa = to;
        if self.ftl.purposes[unit].partial {
            self.ftl.partial_writes.reads(self.ftl.purposes[unit].lpa, to);
        }
        // If it was read along with the head of its flash page it counts as come now.
        self.flash.arrives(unit);
        submit(self, unit);
        if self.flash.pool[unit].class == Class::HostRead && !self.ftl.purposes[unit].partial {
            self.tell_read(unit);
        }
    }

    /// A read begins. Checked mode: the OOB that it will find must be that of the newest version.
    pub(super) fn verify_read(&mut self, unit: OpId) {
        let Purpose { lpa, whose, partial, .. } = self.ftl.purposes[unit];
        let Op { ppa, class, tentative, .. } = self.flash.pool[unit];
        if whose.rebuild().is_some() {
            return self.verify_stripe_source(unit);
        }
        if tentative || class == Class::ParityRead {
            return;
        }
        let mut version = 0;
        if let Some(versions) = &self.ftl.versions {
            version = versions.newest(lpa);
            self.verify_page(lpa, ppa, self.finds_newest(unit));
        }
        if class == Class::HostRead && self.ftl.copies.has(lpa) && !partial {
            self.ftl.count_served(lpa, ppa);
        }
        if class == Class::HostRead && self.observers.probe.is_some() && !partial {
            let id = self.front.request_id(whose.request());
            if let Some(probe) = &mut self.observers.probe {
                probe.read(id, lpa, Some(version), self.flash.now());
            }
        }
    }

    /// What a read of a page finds must be that page, and the newest version of it.
    pub(super) fn verify_page(&mut self, lpa: Lpa, ppa: Ppa, is_newest: bool) {
        self.observers.reads_verified += 1;
        let found = self.ftl.oob.lpa(ppa, &self.ftl.layout);
        if found != lpa {
            self.fail(format!("a read of {lpa:?} at {ppa:?} found {found:?} in the OOB"));
        } else if !is_newest {
            self.fail(format!("a read of {lpa:?} at {ppa:?} found a version that is not the newest"));
        }
    }
}
