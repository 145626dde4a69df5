//! After anything that changed the cache: lets in what waits, and sends to flash what is to go.

use super::merges::program_merged;
use super::pages::write_back_page;
use super::promises::{send_durable, send_urgent};
use super::waiting::admit_waiting;
use super::{AroundCache, CacheTimer};
use crate::cache::state::CacheState;
use wordline_base::time::Ns;

impl CacheState {
    /// Clean units, if writes wait for room and nothing is dirty or on its way that would make some.
    fn stuck(&self, now: Ns) -> Option<u32> {
        let moves = self.table.on_their_way() + self.table.waiting() > 0;
        let stuck = !moves && !self.waiting.is_empty() && !self.holds_back(now);
        stuck.then(|| self.table.len())
    }
}

/// After anything that changed the cache: lets in what waits, and sends to flash what is to go.
pub(crate) fn tend<A: AroundCache>(around: &mut A) {
    loop {
        admit_waiting(around);
        send_durable(around);
        send_urgent(around);
        let now = around.now();
        let wants = around.cache_mut().state.wants_write_back(now);
        if !wants || rests(around) || !write_back_page(around) {
            break;
        }
    }
    program_merged(around);
    if let Some(clean) = around.cache().state.stuck(around.now()) {
        around
            .fail(format!("writes wait for room, and the cache policy gives up none of {clean} clean units"));
    }
}

/// Whether write-back pauses, from now on if a pause is due.
fn rests<A: AroundCache>(around: &mut A) -> bool {
    let now = around.now();
    let state = &mut around.cache_mut().state;
    let Some(pauses) = &mut state.pauses else { return false };
    let begun = if state.waiting.is_empty() { pauses.begin(now) } else { None };
    let rests = pauses.rests(now);
    if let Some(end) = begun {
        around.set_timer(CacheTimer::Pause, end);
    }
    rests
}
