//! Look-ups in the part of the map that lies in the host's memory: each waits for a round trip over the link.

use std::collections::VecDeque;
use wordline_ftl::work::{end_translation_wait, go_on};

use serde::{Deserialize, Serialize};

use super::Device;
use super::timers::Timer;
use crate::sched::queue::OpId;
use wordline_base::time::Ns;

/// Look-ups under way. All take the same time, so the first to begin is the first to end.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct HostMemory {
    /// Round trip; 0 where nothing lies there.
    access: Ns,
    waiting: VecDeque<(Ns, OpId)>,
}

impl HostMemory {
    /// For a map of which a part lies there (`in_use`), at this distance.
    pub(super) fn new(in_use: bool, access: Ns) -> Self {
        Self { access: if in_use { access } else { Ns::ZERO }, waiting: VecDeque::new() }
    }
}

impl Device {
    /// An operation of the host found its entry: whether it must still come over the link.
    pub(super) fn fetches_entry(&mut self, id: OpId) -> bool {
        if self.controller.host_memory.access == Ns::ZERO {
            return false;
        }
        self.flash.pool[id].wait_from = self.flash.now();
        let end = Ns(self.flash.now().0 + self.controller.host_memory.access.0);
        self.controller.host_memory.waiting.push_back((end, id));
        if self.controller.host_memory.waiting.len() == 1 {
            self.flash.set_timer(Timer::HostMemory.number(), end);
        }
        true
    }

    /// The entry of the first operation that waits is here.
    pub(super) fn entry_is_here(&mut self) {
        let Some((_, id)) = self.controller.host_memory.waiting.pop_front() else {
            return self.fail("an entry came from the host's memory, and no operation waited for it".into());
        };
        if let Some(&(end, _)) = self.controller.host_memory.waiting.front() {
            self.flash.set_timer(Timer::HostMemory.number(), end);
        }
        end_translation_wait(self, id);
        go_on(self, id);
    }
}
