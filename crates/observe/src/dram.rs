//! What uses the DRAM of a drive.

use std::collections::BTreeMap;

use serde::Serialize;

/// The controller's DRAM.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DramReport {
    /// Its size; `None` without a limit.
    pub total_bytes: Option<u64>,
    /// What nobody uses; `None` without a limit.
    pub free_bytes: Option<u64>,
    /// User (`map`, `data_cache`, …) → bytes.
    pub bytes_by_user: BTreeMap<String, u64>,
}
