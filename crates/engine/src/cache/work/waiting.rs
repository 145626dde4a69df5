//! Writes that wait for room enter as there is some: first come, first served.

use super::room::make_room;
use super::writes::{enter, entered};
use super::{AroundCache, CacheTimer};
use crate::cache::state::CacheState;
use wordline_base::ids::Lpa;
use wordline_base::parts::Part;
use wordline_base::time::Ns;
use wordline_flash::sched::queue::OpId;
use wordline_ftl::work::Purpose;

impl CacheState {
    /// A write has to wait for room, or had to until now.
    #[inline]
    pub(super) fn write_waits(&mut self, now: Ns) {
        if let Some(pauses) = &mut self.pauses {
            pauses.write_waits(now);
        }
    }
}

/// Writes that waited for room enter, as far as there is room.
pub(super) fn admit_waiting<A: AroundCache>(around: &mut A) {
    while let Some(&id) = around.cache().state.waiting.front() {
        let Purpose { lpa, whose, .. } = *around.purpose(id);
        let (state, now) = (&around.cache().state, around.now());
        if state.is_pressed() {
            return;
        }
        let held = state.table.find(lpa);
        if state.in_place(held).is_none() {
            if state.is_full_in_pause(now) {
                return;
            }
            if let Some(until) = state.throttled_until(now) {
                return around.set_timer(CacheTimer::Throttle, until);
            }
            if !make_room(around) {
                return;
            }
        }
        let state = &mut around.cache_mut().state;
        state.waiting.pop_front();
        state.write_waits(now);
        fetch_waiting(around);
        around.end_wait(id, Part::Buffer);
        enter(around, whose.request(), lpa, held);
        let durable = around.is_durable(whose.request());
        entered(around, id, durable);
    }
}

/// One of the writes that wait has entered. Brings what those behind it will need towards the caches: the operation, then what
/// the search for its unit begins with.
#[inline]
fn fetch_waiting<A: AroundCache>(around: &A) {
    let waiting = |place: usize| -> Option<OpId> { around.cache().state.waiting.get(place).copied() };
    if let Some(later) = waiting(3) {
        around.fetch(later);
    }
    if let Some(soon) = waiting(1) {
        let lpa: Lpa = around.purpose(soon).lpa;
        around.cache().state.table.prefetch(lpa);
    }
}
