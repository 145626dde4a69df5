//! The audit of a drive in checked mode.

use wordline_base::time::Ns;
use wordline_engine::stats::report::CheckedReport;
use wordline_engine::{Kept, Volume};

use crate::volume::of_either;
use crate::{Drive, Error};

/// Simulated time in one step.
const STEP: Ns = Ns(1_000_000);

impl Drive {
    /// Checks every table of the drive against the others, on a copy that has come to rest: what checked mode does at the end of a run.
    ///
    /// # Errors
    /// [`Error::Fault`]: what is wrong. [`Error::Unchecked`]: it isn't in checked mode. [`Error::EndOfLife`]: the copy's life ended
    /// before it came to rest, which says nothing of the tables.
    pub fn audit(&self) -> Result<CheckedReport, Error> {
        if self.setup.kept != Kept::Checked {
            return Err(Error::Unchecked);
        }
        let mut copy = self.fork()?;
        copy.drain()?;
        of_either!(&mut copy.inner, volume => audit(&mut **volume))
    }
}

fn audit<V: Volume>(volume: &mut V) -> Result<CheckedReport, Error> {
    volume.wind_down(true);
    loop {
        let (event, _) = volume.next_event();
        if event != Ns::NEVER && volume.wake_at() < event {
            volume.wake();
        } else if event != Ns::NEVER {
            volume.advance(event + STEP);
        } else if !volume.place_stalled_anew() {
            break;
        }
        if let Some(fault) = volume.fault() {
            return Err(Error::Fault(fault));
        }
        if volume.has_ended() {
            return Err(Error::EndOfLife { time: volume.now().0 });
        }
    }
    volume.close_untimed_places();
    volume.audit().map_err(Error::Fault)
}
