//! The parts of a result that a run records on request, and erase counts by resource.

use std::collections::BTreeMap;

use serde::Serialize;

use super::table::Table;

/// Tables of a result that aren't part of its JSON.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// The time series.
    pub series: Option<Table>,
    /// The samples.
    pub samples: Option<Table>,
    /// The superblocks at the end of the window.
    pub blocks: Option<Table>,
}

/// Extent of the time series.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SeriesReport {
    /// Length of an interval at the end, ns.
    pub interval_ns: u64,
    /// Intervals, the last one included, which may be shorter.
    pub rows: u64,
    /// How often rows were merged in pairs because the series grew beyond `max_rows`.
    pub merges: u32,
}

/// Distributions over the samples: value → samples, or for `…_by_die` value → samples × dies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SampleReport {
    /// Time between two samples, ns.
    pub every_ns: u64,
    /// Samples taken.
    pub samples: u64,
    /// Flash pages waiting or running on a die.
    pub outstanding_by_die: BTreeMap<u32, u64>,
    /// Reads among them, of any cause.
    pub reads_by_die: BTreeMap<u32, u64>,
    /// Flash pages waiting or running on all dies.
    pub outstanding: BTreeMap<u32, u64>,
    /// Most minus fewest flash pages of a die.
    pub imbalance: BTreeMap<u32, u64>,
    /// Dies that a command occupies.
    pub busy_dies: BTreeMap<u32, u64>,
    /// Channels that move commands or data.
    pub busy_channels: BTreeMap<u32, u64>,
    /// Samples without a row because the table was full.
    pub dropped: u64,
}

/// Erase counts of the blocks of a die or channel, since the start of the drive's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct EraseSpan {
    /// Blocks.
    pub blocks: u64,
    /// Erases of all of them.
    pub total: u64,
    /// Of the least worn block.
    pub min: u32,
    /// Of the most worn block.
    pub max: u32,
    /// Mean of a block.
    pub mean: f64,
}

impl EraseSpan {
    /// No block.
    pub const EMPTY: Self = Self { blocks: 0, total: 0, min: u32::MAX, max: 0, mean: 0.0 };

    /// Over these blocks.
    pub fn of(erases: &[u32]) -> Self {
        let mut span = Self {
            blocks: erases.len() as u64,
            total: erases.iter().map(|&count| u64::from(count)).sum(),
            min: erases.iter().copied().min().unwrap_or(u32::MAX),
            max: erases.iter().copied().max().unwrap_or(0),
            mean: 0.0,
        };
        span.set_mean();
        span
    }

    /// Takes further blocks in.
    pub fn merge(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.total += other.total;
        (self.min, self.max) = (self.min.min(other.min), self.max.max(other.max));
        self.set_mean();
    }

    fn set_mean(&mut self) {
        self.mean = if self.blocks == 0 { 0.0 } else { self.total as f64 / self.blocks as f64 };
    }
}
