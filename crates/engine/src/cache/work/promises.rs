//! Who waits until data is in flash: flushes, and units of writes with FUA.

use super::AroundCache;
use super::pages::write_back_from;
use super::send::{place_unit, send};
use crate::cache::state::{CacheState, Promise};
use wordline_base::ids::{Lpa, PlaneId};
use wordline_base::parts::Part;
use wordline_flash::sched::queue::OpId;
use wordline_ftl::work::{For, Purpose};

impl CacheState {
    /// The write of this number is in flash, or was trimmed. Of the promises from `next` on takes the first that waited for it
    /// last, behind which `next` then lies.
    fn kept(&mut self, stamp: u64, next: &mut usize) -> Option<OpId> {
        while let Some(promise) = self.promises.get_mut(*next) {
            let covers = (promise.from..promise.until).contains(&stamp);
            promise.left -= u64::from(covers);
            if covers && promise.left == 0 {
                return Some(self.promises.remove(*next).op);
            }
            *next += 1;
        }
        None
    }
}

/// The write of this number is in flash, or was trimmed: answers whoever waited for it last.
pub(super) fn keep_promises<A: AroundCache>(around: &mut A, stamp: u64) {
    let mut next = 0;
    while let Some(op) = around.cache_mut().state.kept(stamp, &mut next) {
        around.end_wait(op, Part::WriteBack);
        around.done(op);
    }
}

/// Units of writes with FUA: each is programmed at once, unless it is on its way already.
pub(super) fn send_durable<A: AroundCache>(around: &mut A) {
    let mut page: Option<(For, u32, PlaneId)> = None;
    while let Some(id) = around.cache_mut().state.durable.pop_front() {
        let Purpose { lpa, whose, .. } = *around.purpose(id);
        let table = &around.cache().state.table;
        let Some(slot) = table.find(lpa) else {
            around.done(id);
            continue;
        };
        let stamp = match (table.op(slot), table.is_dirty(slot)) {
            (None, false) => {
                around.done(id);
                continue;
            }
            (None, true) => {
                let number = lpa.0 >> around.geometry().unit_shift;
                let known = page.filter(|&(of, page, _)| (of, page) == (whose, number));
                let plane = known.map_or_else(|| place_unit(around, slot), |(_, _, plane)| plane);
                page = Some((whose, number, plane));
                send(around, slot, id, plane);
                continue;
            }
            (Some(_), true) => table.stamp(slot),
            (Some(_), false) => table.in_program(slot),
        };
        around.begin_wait(id);
        let promise = Promise { op: id, from: stamp, until: stamp + 1, left: 1 };
        around.cache_mut().state.promises.push(promise);
    }
}

/// Units that became dirty again on their way, and for which somebody waits; and those that go at once for other reasons.
pub(super) fn send_urgent<A: AroundCache>(around: &mut A) {
    while let Some(lpa) = around.cache_mut().state.urgent.pop_front() {
        if let Some(slot) = around.cache().state.dirty_and_waiting(Lpa(lpa)) {
            write_back_from(around, slot);
        }
    }
}
