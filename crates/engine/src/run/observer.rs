//! Who watches a run.

use wordline_base::time::Ns;

/// Watches a run from outside.
pub trait Observer {
    /// Called every few thousand requests, and while the drive is prepared (with no request done); `false` stops the run.
    fn progress(&mut self, requests_done: u64, simulated: Ns) -> bool;
}

/// Watches nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    fn progress(&mut self, _requests_done: u64, _simulated: Ns) -> bool {
        true
    }
}
