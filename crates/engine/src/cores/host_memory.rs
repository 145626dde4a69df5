//! Look-ups in the part of the map that lies in the host's memory: each waits for a round trip over the link.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::sched::queue::OpId;
use wordline_base::time::Ns;

/// Look-ups under way. All take the same time, so the first to begin is the first to end.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct HostMemory {
    /// Round trip; 0 where nothing lies there.
    access: Ns,
    waiting: VecDeque<(Ns, OpId)>,
}

impl HostMemory {
    /// For a map of which a part lies there (`in_use`), at this distance.
    pub fn new(in_use: bool, access: Ns) -> Self {
        Self { access: if in_use { access } else { Ns::ZERO }, waiting: VecDeque::new() }
    }

    /// Whether look-ups take time.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.access != Ns::ZERO
    }

    /// The entry of this operation is fetched from now on. Returns when it is here, if it is the first of all under way.
    #[must_use = "who keeps the time must know"]
    pub fn fetch(&mut self, now: Ns, id: OpId) -> Option<Ns> {
        let end = now + self.access;
        self.waiting.push_back((end, id));
        (self.waiting.len() == 1).then_some(end)
    }

    /// The operation whose entry is here first, and when that of the next will be.
    #[must_use = "who keeps the time must know"]
    pub fn take(&mut self) -> Option<(OpId, Option<Ns>)> {
        let (_, id) = self.waiting.pop_front()?;
        Some((id, self.waiting.front().map(|&(end, _)| end)))
    }
}
