//! When systems are woken, and told that the drive is idle.

use crate::device::Device;
use crate::systems::{Event, Watches};
use wordline_base::time::Ns;
use wordline_ftl::work::{begin_background, cache_sees_requests, end_background, fold_while_idle};

impl Device {
    /// The drive became idle, or stopped being so.
    #[inline]
    pub(in crate::device) fn note_idle(&mut self, idle: bool) {
        if !idle {
            end_background(self);
            if std::mem::take(&mut self.systems.idle) {
                self.ftl.end_idle_plans();
            }
        }
        cache_sees_requests(self, !idle);
        if self.systems.watches.has(Watches::IDLE)
            || self.ftl.collects_when_idle()
            || self.ftl.folds_at_idle()
        {
            self.systems.idle_at = if idle { self.flash.now() + self.systems.idle_after } else { Ns::NEVER };
            self.systems.next_wake = self.systems.wake_at();
        }
    }

    /// Whether the drive has been idle for long enough, and is to use that.
    pub(in crate::device) fn is_idle(&self) -> bool {
        self.systems.idle && !self.ftl.winds_down()
    }

    /// When a system wants to be woken, or is to be told that the drive is idle. Alone it keeps no run from ending.
    #[inline]
    pub fn wake_at(&self) -> Ns {
        self.systems.next_wake
    }

    /// That time has come.
    pub fn wake(&mut self) {
        self.flash.set_now(self.systems.next_wake);
        if self.systems.idle_at == self.flash.now() {
            (self.systems.idle_at, self.systems.idle) = (Ns::NEVER, true);
            self.tell(Watches::IDLE, &Event::Idle);
            begin_background(self);
            fold_while_idle(self);
        }
        for number in 0..self.systems.wake.len() {
            if self.systems.wake[number] == self.flash.now() {
                self.systems.wake[number] = Ns::NEVER;
                self.tell_one(number, &Event::Woken);
            }
        }
        self.systems.next_wake = self.systems.wake_at();
        self.finish_event();
    }
}
