//! Events in the order of their times.

use super::Device;
use super::observers::Observers;
use super::timers::Timer;
use wordline_base::class::Class;
use wordline_base::events::Event;
use wordline_base::time::Ns;
use wordline_flash::work::handle_event;

impl Observers {
    #[inline(always)]
    pub(super) fn count(&mut self, class: Class, planes: u32, pages: u32) {
        self.flash_operations += u64::from(planes * pages);
        self.recorder.operations[class.index()] += u64::from(planes * pages);
        self.recorder.transactions[class.index()] += 1;
        self.recorder.multi_plane += u64::from(planes > 1);
    }
}

impl Device {
    /// Handles events, as long as they go before an arrival at `arrival` and before [`Self::wake_at`], until the host must
    /// hear of something: an answer, a fault, the end of the drive's life.
    pub fn advance(&mut self, arrival: Ns) {
        while !self.host_must_hear() {
            // Nearly always an event of the flash is next, and alone at its time.
            let flash = self.flash.next_time();
            if flash < self.next_beside_flash().min(arrival) && flash <= self.systems.next_wake {
                self.begin_event(flash);
                self.flash_event();
                self.finish_event();
                continue;
            }
            let (time, event) = self.next_of(self.flash.next_event());
            let behind = event.is_some_and(Event::is_behind);
            if time == Ns::NEVER
                || arrival < time
                || (behind && arrival == time)
                || self.systems.next_wake < time
            {
                break;
            }
            self.handle(time, event.is_some());
        }
    }

    /// Whether there is an answer, a fault, or the end of the drive's life.
    #[inline(always)]
    pub(super) fn host_must_hear(&self) -> bool {
        self.front.completed > 0 || self.observers.fault.is_some() || self.end_of_life().is_some()
    }

    /// Handles the next event, if there is one.
    pub fn step(&mut self) {
        let (time, event) = self.next_of(self.flash.next_event());
        if time != Ns::NEVER && self.observers.fault.is_none() {
            self.handle(time, event.is_some());
        }
    }

    /// Handles the event at `time`: one of the flash, or else one of the link or of the processor. These go before those
    /// of the flash at the same time.
    fn handle(&mut self, time: Ns, of_flash: bool) {
        self.begin_event(time);
        if of_flash {
            self.flash_event();
        } else {
            self.event_beside_flash(time);
        }
        self.finish_event();
    }

    #[inline(always)]
    fn begin_event(&mut self, time: Ns) {
        self.note_time(time);
        self.flash.set_now(time);
        self.observers.events_processed += 1;
    }

    /// Handles the event of the link or of the processor at `time`.
    #[inline]
    fn event_beside_flash(&mut self, time: Ns) {
        let [link_in, link_out] = self.front.link_event;
        if time == link_out {
            self.link_done(true);
        } else if time == link_in {
            self.link_done(false);
        } else if time == self.controller.cpu.event() {
            self.firmware_done();
        } else {
            self.entry_is_here();
        }
    }

    #[inline(always)]
    fn flash_event(&mut self) {
        if let Some(timer) = handle_event(self) {
            self.timer_runs_out(timer);
        }
    }

    #[inline(never)]
    fn timer_runs_out(&mut self, timer: usize) {
        match Timer::of(timer) {
            Some(Timer::Dram) => self.dram_event(),
            Some(Timer::Joining) => self.joining_done(),
            Some(Timer::Pause | Timer::Throttle) => self.tend_cache(),
            None => self.fail(format!("timer {timer} ran out, which is nobody's")),
        }
    }
}
