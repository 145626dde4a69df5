//! Further copies of pages: who may make them and where, and which copy serves a read.
//!
//! Which page gets a copy is a system's decision; the table of copies is
//! [`crate::mapping::Copies`], and the drive carries out what systems ask for.

pub mod arbiter;
mod counters;
mod loss;
pub mod reservation;

use serde::{Deserialize, Serialize};

use wordline_base::ids::{DieId, PlaneId};

pub use arbiter::{Arbiter, ArbiterPolicy, Candidate, Serving};
pub use counters::CopyCounters;
pub use loss::{CopyLoss, LOSSES};
pub use reservation::{Reservation, Reserved};

/// Where a copy shall be programmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CopyTarget {
    /// On a plane of this die: the one that holds fewest copies.
    Die(DieId),
    /// On this plane.
    Plane(PlaneId),
    /// In what is reserved for the system, or for all: on the die with the fewest commands.
    Reserved,
}

/// How many copies a system may have at once, those on their way included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum CopyBudget {
    /// It makes none.
    #[default]
    None,
    /// Mapping units.
    Units(u32),
    /// Share of the logical capacity.
    Share(f64),
}

impl CopyBudget {
    /// In mapping units, on a drive of so many.
    pub fn units(self, logical_units: u32) -> u32 {
        match self {
            Self::None => 0,
            Self::Units(units) => units,
            Self::Share(share) => (f64::from(logical_units) * share.clamp(0.0, 1.0)).floor() as u32,
        }
    }
}
