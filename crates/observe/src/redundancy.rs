//! Reads that were rebuilt from the rest of their stripe: counters of the window, and their section of the report.

use serde::{Deserialize, Serialize};

/// What happened in the window, in mapping units that the host read; also the section of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedundancyReport {
    /// Reads that met a die that programs or erases.
    pub blocked_reads: u64,
    /// Those of them whose row was not programmed to its end, parity included.
    pub incomplete_rows: u64,
    /// Reads that were rebuilt instead of waiting.
    pub reconstructed_reads: u64,
    /// Pages that were read for them.
    pub source_reads: u64,
    /// Rebuilds given up because the page was rewritten, moved or trimmed meanwhile: the read went to its new place.
    pub abandoned_reads: u64,
}
