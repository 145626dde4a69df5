//! How far the collection of a domain has come.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use wordline_base::class::Cause;
use wordline_base::ids::SuperblockId;

/// State of the collection in one domain. The engine drives it (`work/collection/collect.rs`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Collector {
    /// Whether collection goes on until enough superblocks are free.
    pub active: bool,
    /// Whether it does so only because the drive was idle.
    pub background: bool,
    /// The superblock that is being read; [`SuperblockId::NONE`] between two.
    pub victim: SuperblockId,
    /// Why it is emptied.
    pub cause: Cause,
    /// Superblocks that shall be emptied although space suffices, and why.
    pub wanted: VecDeque<(SuperblockId, Cause)>,
    /// Next flash page of the victim: row and plane of the domain.
    pub row: u32,
    /// Plane of the domain.
    pub column: u32,
    /// Victims that are not erased yet, and why they are emptied.
    pub victims: Vec<(SuperblockId, Cause)>,
    /// Superblocks that a plan empties, and why.
    pub planned: Vec<(SuperblockId, Cause)>,
    /// Units read or waiting to be read that are not programmed yet.
    pub in_flight: u32,
    /// Units whose read has not ended.
    pub reading: u32,
    /// Units that lie in rows that are being gathered, of whatever domain.
    pub gathered: u32,
}

impl Default for Collector {
    fn default() -> Self {
        Self {
            active: false,
            background: false,
            victim: SuperblockId::NONE,
            cause: Cause::Gc,
            wanted: VecDeque::new(),
            row: 0,
            column: 0,
            victims: Vec::new(),
            planned: Vec::new(),
            in_flight: 0,
            reading: 0,
            gathered: 0,
        }
    }
}

impl Collector {
    /// Whether a victim is being emptied.
    #[inline]
    pub fn collects(&self) -> bool {
        !self.victims.is_empty()
    }

    /// Why this victim is emptied.
    pub fn cause_of(&self, superblock: SuperblockId) -> Cause {
        self.victims
            .iter()
            .chain(&self.planned)
            .find(|victim| victim.0 == superblock)
            .map_or(Cause::Gc, |victim| victim.1)
    }
}

/// Thresholds of collection in superblocks of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// Collection starts below this many free superblocks.
    pub trigger: u32,
    /// It stops when so many are free.
    pub stop: u32,
    /// The host may not take the last ones: garbage collection needs them to go on.
    pub reserve: u32,
    /// Units read ahead of their programs.
    pub read_ahead: u32,
}
