//! What survives a loss of power: what flash itself carries. Everything else that the layer knows is a table in RAM.
//!
//! Pages hold no bytes. Logical page and sequence number in the OOB name the content of a place, and moves and copies keep them: a
//! store by that pair, filled as writes take effect, has the bytes of every place at any time, after a loss of power, too. So
//! commands carry no handle of data.

mod blocks;
pub mod oob;
mod recovery;
pub mod sequences;

use serde::{Deserialize, Serialize};

pub use blocks::{DurableBlock, DurableBlocks};
pub use oob::Oob;
pub use recovery::{Durable, Recovered};
pub use sequences::Sequences;

/// What a drive keeps beside what its firmware needs. None of it changes a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kept {
    /// Nothing: at most 9 bytes for each physical page.
    #[default]
    Nothing,
    /// Sequence numbers, 4 bytes for each physical and each logical page: it can be said what a loss of power leaves.
    SequenceNumbers,
    /// The same, and all is verified by them: checked mode.
    Checked,
}

impl Kept {
    /// In checked mode, or not.
    pub fn of_checked(checked: bool) -> Self {
        if checked { Self::Checked } else { Self::Nothing }
    }

    /// Whether sequence numbers are kept.
    pub fn sequence_numbers(self) -> bool {
        self != Self::Nothing
    }
}
