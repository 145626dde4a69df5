//! How many bits the cells of a block hold.

use serde::{Deserialize, Serialize};

use super::Geometry;

/// Mode in which a block is programmed, read and erased; chosen when the block is opened, until it is opened anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum CellMode {
    /// As many bits as the technology gives.
    #[default]
    Native,
    /// One bit: fewer pages, other times.
    Slc,
}

impl Geometry {
    /// Flash pages that one program of a plane takes in this mode: in SLC mode, one.
    #[inline]
    pub fn pages_at_once(&self, mode: CellMode) -> u32 {
        if mode == CellMode::Slc { 1 } else { self.pages_per_program }
    }
}
