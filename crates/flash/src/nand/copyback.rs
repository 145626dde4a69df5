//! Copyback: what the dies can do, and whose turn it is to be checked.

use serde::{Deserialize, Serialize};

use wordline_base::ids::DieId;
use wordline_config::nand_modes::CopybackConfig;

/// The copybacks of a drive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Copybacks {
    /// Whether the dies can, and pages are moved so.
    pub supported: bool,
    /// Whether source and destination must lie in one plane; otherwise in one die.
    pub same_plane_only: bool,
    /// Every so many commands of a die the data is checked by the controller; 0: never.
    check_every: u32,
    /// Commands of each die since its last check.
    unchecked: Vec<u32>,
}

impl Copybacks {
    /// From a validated description, for so many servers. `wanted`: whether anything is moved by them.
    pub fn new(config: &CopybackConfig, wanted: bool, dies: usize) -> Self {
        Self {
            supported: config.supported && wanted,
            same_plane_only: config.same_plane_only,
            check_every: config.check_every,
            unchecked: vec![0; if config.supported { dies } else { 0 }],
        }
    }

    /// Counts a command of a die; returns whether its data goes out to be checked.
    pub fn is_checked(&mut self, die: DieId) -> bool {
        let unchecked = &mut self.unchecked[die.index()];
        *unchecked += 1;
        let due = *unchecked == self.check_every;
        if due || self.check_every == 0 {
            *unchecked = 0;
        }
        due
    }
}
