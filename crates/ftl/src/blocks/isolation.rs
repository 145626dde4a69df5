//! Which stream each superblock belongs to, where garbage collection keeps streams apart.

use serde::{Deserialize, Serialize};

use wordline_base::ids::SuperblockId;

/// The streams of the superblocks, by the host's write points. What a drive holds that no stream has written since belongs to
/// the first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Isolated {
    owner: Vec<u8>,
}

impl Isolated {
    /// For a drive of so many superblocks.
    pub fn new(superblocks: usize) -> Self {
        Self { owner: vec![0; superblocks] }
    }

    /// Superblocks of the drive.
    pub fn len(&self) -> usize {
        self.owner.len()
    }

    /// Whether there is none; never for a drive.
    pub fn is_empty(&self) -> bool {
        self.owner.is_empty()
    }

    /// The superblock takes data of this stream from now on.
    pub fn give(&mut self, superblock: SuperblockId, stream: u8) {
        if let Some(owner) = self.owner.get_mut(superblock.index()) {
            *owner = stream;
        }
    }

    /// The stream whose data the superblock holds.
    #[inline]
    pub fn of(&self, superblock: SuperblockId) -> u8 {
        self.owner.get(superblock.index()).copied().unwrap_or(0)
    }
}
