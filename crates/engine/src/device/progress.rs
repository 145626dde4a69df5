//! Events in the order of their times.

use super::Device;
use super::timers::Timer;
use crate::cache::work as cache;
use crate::cores::work_done;
use crate::front::{Direction, transfer_ended};
use crate::observers::note_time;
use wordline_base::time::Ns;
use wordline_flash::work::handle_event;
use wordline_ftl::work::joining_done;

impl Device {
    /// Handles events, as long as they go before an arrival at `arrival` and before [`Self::wake_at`], until the host must
    /// hear of something: an answer, a fault, the end of the drive's life.
    pub fn advance(&mut self, arrival: Ns) {
        while !self.host_must_hear() {
            let event = self.flash.next_event();
            let time = event.time();
            let goes_first = time < arrival || (time == arrival && !event.is_behind());
            if time == Ns::NEVER || !goes_first || self.systems.next_wake() < time {
                break;
            }
            self.handle(time);
        }
    }

    /// Whether there is an answer, a fault, or the end of the drive's life.
    #[inline(always)]
    pub(super) fn host_must_hear(&self) -> bool {
        self.front.has_completed() || self.observers.fault.is_some() || self.ftl.end_of_life().is_some()
    }

    /// Handles the next event, if there is one.
    pub fn step(&mut self) {
        let time = self.flash.next_time();
        if time != Ns::NEVER && self.observers.fault.is_none() {
            self.handle(time);
        }
    }

    /// Handles the next event, which comes at `time`.
    #[inline(always)]
    fn handle(&mut self, time: Ns) {
        note_time(self, time);
        self.flash.set_now(time);
        self.observers.events_processed += 1;
        if let Some(timer) = handle_event(self) {
            self.timer_runs_out(timer);
        }
        self.finish_event();
    }

    #[inline(never)]
    fn timer_runs_out(&mut self, timer: usize) {
        match Timer::of(timer) {
            Some(Timer::LinkIn) => transfer_ended(self, Direction::ToDrive),
            Some(Timer::LinkOut) => transfer_ended(self, Direction::ToHost),
            Some(Timer::Cores) => work_done(self),
            Some(Timer::HostMemory) => self.entry_is_here(),
            Some(Timer::Dram) => cache::access_ended(self),
            Some(Timer::Joining) => joining_done(self),
            Some(Timer::Pause | Timer::Throttle) => cache::tend(self),
            None => self.fail(format!("timer {timer} ran out, which is nobody's")),
        }
    }
}
