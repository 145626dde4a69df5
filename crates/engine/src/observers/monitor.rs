//! What can be recorded beside the totals, and when it must look.

use serde::{Deserialize, Serialize};

use super::known_reads::KnownReads;
use crate::stats::chips::ChipRecorder;
use crate::stats::collisions::CollisionProbe;
use crate::stats::timed::Timed;
use wordline_base::time::Ns;
use wordline_config::MeasureConfig;

/// The recorders that can be on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Monitor {
    /// One of them must look at the state before time passes this.
    pub due: Ns,
    pub(super) config: MeasureConfig,
    pub timed: Timed,
    pub chips: Option<Box<ChipRecorder>>,
    pub(super) collisions: Option<Box<CollisionProbe>>,
    #[serde(skip)]
    pub(super) reads: KnownReads,
}

impl Default for Monitor {
    fn default() -> Self {
        Self {
            due: Ns::NEVER,
            config: MeasureConfig::default(),
            timed: Timed::default(),
            chips: None,
            collisions: None,
            reads: KnownReads::default(),
        }
    }
}

impl Monitor {
    /// Whether it wants to see the host's reads.
    pub fn records_reads(&self) -> bool {
        self.config.collisions
    }

    /// The reads of the host at a die change, or may.
    #[inline(always)]
    pub fn reads_change(&mut self, die: usize) {
        if self.records_reads() {
            self.reads.changes(die);
        }
    }

    /// Whether the result has a row for each reclaim.
    pub fn keeps_reclaims(&self) -> bool {
        self.config.reclaims
    }

    pub(super) fn set_due(&mut self) {
        let collisions = self.collisions.as_ref().map_or(Ns::NEVER, |probe| probe.next());
        self.due = self.timed.due().min(collisions);
    }
}
