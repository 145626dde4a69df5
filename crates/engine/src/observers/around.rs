//! What observers ask of the drive that they look at.

use super::state::Observers;
use crate::stats::timed::Watched;
use wordline_ftl::work::AboveFtl;

/// The drive that observers look at.
pub(crate) trait AroundObservers: AboveFtl + Watched {
    /// The observers.
    fn observers(&self) -> &Observers;

    /// The observers, to change.
    fn observers_mut(&mut self) -> &mut Observers;
}
