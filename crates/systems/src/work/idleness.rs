//! Whether the drive is idle.

use serde::{Deserialize, Serialize};
use wordline_base::time::Ns;

/// Whether no request has been inside for long enough.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Idleness {
    /// When that will be; [`Ns::NEVER`] while a request is inside, or once it was told.
    pub(super) at: Ns,
    pub(super) after: Ns,
    /// It has been so, and still is.
    pub(super) is_idle: bool,
}

impl Default for Idleness {
    fn default() -> Self {
        Self::new(Ns::ZERO)
    }
}

impl Idleness {
    pub(super) fn new(after: Ns) -> Self {
        Self { at: Ns::NEVER, after, is_idle: false }
    }
}
