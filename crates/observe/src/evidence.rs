//! What notes are made from, beside the figures of a report.

use serde::{Deserialize, Serialize};

use crate::batches::Milestone;

/// Superblocks that collection took in a domain during the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collected {
    /// Superblocks.
    pub victims: u64,
    /// Their valid units when they were chosen.
    pub valid: u64,
}

/// What notes are made from, beside the figures of the report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evidence {
    /// Whether some requests come at times of their own.
    pub open: bool,
    /// Requests of the workload that were answered, those of the warm-up included.
    pub answered: u64,
    /// Requests that the workload has in all, where that is known.
    pub planned: Option<u64>,
    /// What was counted up to the end of each batch.
    pub ends: Vec<Milestone>,
    /// Bytes of a flash page.
    pub page_bytes: u32,
    /// Each domain.
    pub domains: Vec<Collected>,
    /// Mapping units of a superblock in native mode.
    pub superblock_units: u64,
    /// Superblocks that were being collected when the window opened.
    pub collecting_before: u64,
    /// Logical pages that held data then, on all drives of an array.
    pub mapped_before: u64,
    /// Drives that keep what is written: all of a mirror; 0 of one drive and of a stripe.
    pub copies: u32,
    /// Domains in which static wear levelling wants to empty a superblock, and has not begun.
    pub levelling_waits: u32,
    /// Whether writes of all streams go to the same superblocks, as far as it's up to streams.
    pub streams_together: bool,
    /// P/E cycles of every block before the run, where there are bit errors.
    pub start_cycles: Option<u32>,
    /// Streams that the drive offers, where it keeps any apart.
    pub streams_offered: Option<u16>,
    /// Streams of which writes were answered, a bit each.
    pub streams_written: u64,
    /// Whether space is made by merges of log blocks.
    pub merges: bool,
    /// Whether reads are rebuilt by parity of pages, and a plane that collects blocks its whole die.
    pub whole_dies_collect: bool,
    /// Whether a page that is read before it was written gets a place, and is read there.
    pub reads_allocate: bool,
}
