//! How far the collection of a domain has come.

use crate::ids::SuperblockId;
use crate::sched::queue::OpId;

/// State of the collection in one domain. The engine drives it (`device/collect.rs`).
#[derive(Debug)]
pub struct Collector {
    /// Whether collection goes on until enough superblocks are free.
    pub active: bool,
    /// The superblock that is being read; [`SuperblockId::NONE`] between two.
    pub victim: SuperblockId,
    /// Next flash page of the victim: row and plane of the domain.
    pub row: u32,
    /// Plane of the domain.
    pub column: u32,
    /// Victims that are not erased yet.
    pub victims: u32,
    /// Units read or waiting to be read that are not programmed yet.
    pub in_flight: u32,
    /// Units whose read has not ended.
    pub reading: u32,
    /// Flash pages that wait for their superpage to fill.
    pub gathered: Vec<OpId>,
}

impl Default for Collector {
    fn default() -> Self {
        Self {
            active: false,
            victim: SuperblockId::NONE,
            row: 0,
            column: 0,
            victims: 0,
            in_flight: 0,
            reading: 0,
            gathered: Vec::new(),
        }
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
