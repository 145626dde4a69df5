//! A cache of always the same size.

use super::{CacheView, SlcCache};

/// So many superblocks of each domain, reserved.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    /// The size.
    pub superblocks: u32,
}

impl SlcCache for Fixed {
    fn size(&self, _view: &CacheView<'_>) -> u32 {
        self.superblocks
    }
}
