//! What a description says of the units of its columns.

use crate::config::TraceConfig;

/// Which units a description gives: columns without a unit in their name are then read in these.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Given {
    pub time: bool,
    pub offset: bool,
    pub length: bool,
    pub read_is: bool,
    /// For columns that count sectors by their name.
    pub sector_bytes: u64,
}

impl Given {
    pub(crate) fn of(config: &TraceConfig) -> Self {
        Self {
            time: config.time_unit.is_some(),
            offset: config.offset_unit_bytes.is_some(),
            length: config.length_unit_bytes.is_some(),
            read_is: config.read_is.is_some(),
            sector_bytes: config.sector_bytes,
        }
    }
}
