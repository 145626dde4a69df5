//! The drive serves reads by itself for a while, and draws them from the host.

use super::{OBSERVED_EVERY, Replay, Warmup};
use crate::device::{ReadFeed, Taken};
use crate::host::{DriveView, HostRequest, HostSide};
use crate::run::RunError;
use crate::run::observer::Observer;
use crate::run::split::Stop;
use crate::run::volume::Volume;
use crate::time::Ns;

/// What a run lends to the drive for that time.
struct Feed<'a, H> {
    front: &'a mut H,
    observer: &'a mut dyn Observer,
    warmup: &'a Warmup,
    window_open: &'a mut bool,
    number: &'a mut u64,
    done: &'a mut u64,
    observe_at: &'a mut u64,
}

impl<H: HostSide> ReadFeed for Feed<'_, H> {
    #[inline(always)]
    fn next_time(&mut self, now: Ns) -> Result<Ns, RunError> {
        Ok(self.front.next_time(now)?)
    }

    #[inline(always)]
    fn coming(&self, ahead: usize) -> Option<&HostRequest> {
        self.front.coming(ahead)
    }

    #[inline(always)]
    fn take(&mut self, now: Ns, drive: &dyn DriveView) -> Result<Option<Taken>, RunError> {
        let id = *self.number;
        let Some(arrival) = self.front.take_coming(now, id, drive)? else { return Ok(None) };
        *self.number += 1;
        let opens_window = !*self.window_open && self.warmup.is_over(arrival, id);
        *self.window_open |= opens_window;
        Ok(Some(Taken { id, arrival, measured: *self.window_open, opens_window }))
    }

    #[inline(always)]
    fn answered(&mut self, now: Ns) -> Result<bool, RunError> {
        self.front.completed(1, now)?;
        *self.done += 1;
        if *self.done >= *self.observe_at {
            *self.observe_at = *self.done + OBSERVED_EVERY;
            if !self.observer.progress(*self.done, now) {
                return Err(RunError::Cancelled);
            }
        }
        Ok(*self.done != *self.number || !self.front.is_at_end())
    }
}

impl<H: HostSide, V: Volume> Replay<'_, H, V> {
    /// Lets the drive serve reads by itself, unless the run isn't to go to its end.
    #[inline(always)]
    pub(super) fn serve_reads(&mut self, observe_at: &mut u64) -> Result<(), RunError> {
        if self.number >= self.attempts.at && self.stop == Stop::default() {
            self.serve_reads_now(observe_at)?;
        }
        Ok(())
    }

    fn serve_reads_now(&mut self, observe_at: &mut u64) -> Result<(), RunError> {
        // Makes the coming requests known.
        self.front.next_time(self.device.now())?;
        let before = self.done;
        let Self { front, warmup, observer, number, done, device, window_open, .. } = self;
        let observer = &mut **observer;
        let mut feed = Feed { front, observer, warmup, window_open, number, done, observe_at };
        device.serve_reads(&mut feed)?;
        self.attempts.note(self.done - before, self.number);
        self.check()
    }
}

/// Reads that the drive must have served by itself for the next attempt to come soon.
const MANY: u64 = 256;

/// Requests between two attempts, at first and at most.
const SOON: u64 = 32;
const LATE: u64 = 4096;

/// When the drive is to serve reads by itself: where that often ends soon, seldom.
pub(super) struct Attempts {
    /// The number of the request before which the next attempt may come.
    at: u64,
    pause: u64,
}

impl Default for Attempts {
    fn default() -> Self {
        Self { at: 0, pause: SOON }
    }
}

impl Attempts {
    /// One served so many reads, up to this request.
    fn note(&mut self, served: u64, number: u64) {
        self.pause = match served {
            0 => self.pause,
            1..MANY => (2 * self.pause).min(LATE),
            _ => SOON,
        };
        self.at = number + self.pause;
    }
}
