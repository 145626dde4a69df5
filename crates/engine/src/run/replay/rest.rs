//! What the drive does behind the last answer: only where it is asked for, and, in checked mode, to be audited at rest.

use super::Replay;
use crate::host::HostSide;
use crate::run::RunError;
use crate::run::volume::Volume;
use wordline_base::time::Ns;

/// Simulated time between two calls of the observer while no answer is to come.
const OBSERVED_EVERY: Ns = Ns(1_000_000);

/// Operations behind the last answer by which no drive is at rest any more: these, and so many for each page of 4 KiB of its space.
/// To move everything a few times takes a tenth.
const MOST_AT_REST: u64 = 100_000;
const MOST_FOR_A_PAGE: u64 = 64;

impl<H: HostSide, V: Volume> Replay<'_, H, V> {
    /// The drive does what it would do if it were left alone, what it begins when idle included, until nothing is left.
    pub(in crate::run) fn go_on_until_idle(&mut self) -> Result<(), RunError> {
        self.go_on(true)
    }

    /// `idles`: until it also had the time to begin what it does when idle. A system that only wants to be woken keeps no run going.
    fn go_on(&mut self, idles: bool) -> Result<(), RunError> {
        let before = self.device.flash_operations();
        let most = MOST_AT_REST + MOST_FOR_A_PAGE * (self.device.logical_bytes() >> 12);
        loop {
            let operations = self.device.flash_operations() - before;
            if operations > most {
                return Err(RunError::NeverRests { operations });
            }
            let (event, _) = self.device.next_event();
            let waits = event != Ns::NEVER || (idles && self.device.idle_at() != Ns::NEVER);
            if waits && self.device.wake_at() < event {
                self.device.wake();
            } else if event != Ns::NEVER {
                self.device.advance(event + OBSERVED_EVERY);
            } else if !self.device.place_stalled_anew() {
                return Ok(());
            }
            self.check()?;
            if self.device.has_ended() {
                return Ok(());
            }
            if !self.observer.progress(self.done, self.device.now()) {
                return Err(RunError::Cancelled);
            }
        }
    }

    /// The same without work that only later requests would need: what is under way ends, and no more than that. What was
    /// measured stays as it is.
    pub(in crate::run) fn come_to_rest(&mut self) -> Result<(), RunError> {
        self.device.wind_down(true);
        let rested = self.go_on(false);
        self.device.wind_down(false);
        rested
    }
}
