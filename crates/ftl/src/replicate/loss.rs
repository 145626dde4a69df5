//! Why copies are lost.

use serde::{Deserialize, Serialize};

/// Why a copy is gone, or was never made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CopyLoss {
    /// The host wrote the page.
    Written,
    /// The host trimmed the page.
    Trimmed,
    /// The system asked for it.
    Asked,
    /// Its space was needed for data of the host that waited.
    Reclaimed,
    /// The system has as many copies as it may.
    OverBudget,
    /// There was no space where it should go.
    NoSpace,
    /// The data that was to be copied was outdated, or had been moved, when the copy was asked for.
    Outdated,
}

/// Number of reasons.
pub const LOSSES: usize = 7;

impl CopyLoss {
    /// Every reason, in the order of its number.
    pub const ALL: [Self; LOSSES] = [
        Self::Written,
        Self::Trimmed,
        Self::Asked,
        Self::Reclaimed,
        Self::OverBudget,
        Self::NoSpace,
        Self::Outdated,
    ];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Trimmed => "trimmed",
            Self::Asked => "asked",
            Self::Reclaimed => "reclaimed",
            Self::OverBudget => "over_budget",
            Self::NoSpace => "no_space",
            Self::Outdated => "outdated",
        }
    }
}
