//! Planes that read apart: each plane of a die begins and ends its reads by itself, programs and erases are the whole die's.
//!
//! A plane has a server of its own for its reads, with its queue, its page register and its place at the channel. The die's
//! server has all else, and begins when none of its planes reads. Whether it is to begin the scheduler says, who is asked with
//! all that waits at the die and at its planes: when it wants a command of the whole die while planes read, the die is closed to
//! further reads until they have ended, and the scheduler is asked anew. While a command of the whole die is suspended all
//! planes read.

use serde::{Deserialize, Serialize};

use crate::nand::Geometry;
use wordline_base::class::Class;
use wordline_base::ids::DieId;

/// What the planes of each die are at.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadPlanes {
    dies: Vec<PlanesOfDie>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct PlanesOfDie {
    /// Planes that read now.
    reading: u32,
    /// Class of the die's command that waits for them; no read begins before it.
    closed_for: Option<Class>,
}

impl ReadPlanes {
    /// None reads.
    pub(crate) fn new(geometry: &Geometry) -> Self {
        Self { dies: vec![PlanesOfDie::default(); geometry.dies() as usize] }
    }

    /// A plane of a die begins to read.
    pub(crate) fn begins(&mut self, die: DieId) {
        self.dies[die.index()].reading += 1;
    }

    /// A plane of a die has read.
    pub(crate) fn ends(&mut self, die: DieId) {
        let planes = &mut self.dies[die.index()];
        planes.reading = planes.reading.saturating_sub(1);
    }

    /// Planes of a die that read now.
    pub(crate) fn reading(&self, die: DieId) -> u32 {
        self.dies[die.index()].reading
    }

    /// Class of the command that a die is closed for.
    pub(crate) fn closed_for(&self, die: DieId) -> Option<Class> {
        self.dies[die.index()].closed_for
    }

    /// From now on a die is closed for a command of this class, or open.
    pub(crate) fn close_for(&mut self, die: DieId, class: Option<Class>) {
        self.dies[die.index()].closed_for = class;
    }
}
