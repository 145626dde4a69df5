//! What follows an event, in its order; and what follows when there is none for a while.

use super::Device;
use crate::observers::note_time;
use crate::systems::work::{do_what_was_asked, tell, wake_due};
use crate::systems::{Event, Watches};
use wordline_base::time::Ns;
use wordline_flash::work::look_at_touched;
use wordline_ftl::work::{
    begin_background, cache_sees_requests, end_background, end_event, fold_while_idle, invalidate_dropped,
};

impl Device {
    /// The tables are consistent again: does what systems asked for, and lets the dies look at their new work.
    #[inline(always)]
    pub(super) fn finish_event(&mut self) {
        end_event(self);
        self.follow_up();
        if self.ftl.has_dropped_copies() {
            self.finish_drops();
        }
    }

    /// Copies were dropped on the way: their pages are given up, and what follows from that is done.
    #[cold]
    fn finish_drops(&mut self) {
        while self.ftl.has_dropped_copies() {
            invalidate_dropped(self);
            self.follow_up();
        }
    }

    #[inline(always)]
    fn follow_up(&mut self) {
        do_what_was_asked(self);
        look_at_touched(self);
    }

    /// The drive became idle, or stopped being so.
    #[inline]
    pub(super) fn note_idle(&mut self, idle: bool) {
        if !idle {
            end_background(self);
            if self.systems.idleness_ends() {
                self.ftl.end_idle_plans();
            }
        }
        cache_sees_requests(self, !idle);
        if idle
            && (self.systems.watch(Watches::IDLE)
                || self.ftl.collects_when_idle()
                || self.ftl.folds_at_idle())
        {
            self.systems.idleness_begins(self.flash.now());
        }
    }

    /// Whether the drive has been idle for long enough, and is to use that.
    pub(super) fn is_idle(&self) -> bool {
        self.systems.are_idle() && !self.ftl.winds_down()
    }

    /// When a system wants to be woken, or is to be told that the drive is idle. Alone it keeps no run from ending.
    #[inline]
    pub fn wake_at(&self) -> Ns {
        self.systems.next_wake()
    }

    /// When it begins to use that it is idle; [`Ns::NEVER`]: it does already, or nothing of it would.
    pub fn idle_at(&self) -> Ns {
        self.systems.idle_at()
    }

    /// That time has come.
    pub fn wake(&mut self) {
        let now = self.systems.next_wake();
        note_time(self, now);
        self.flash.set_now(now);
        if self.systems.is_idle_since(now) {
            tell(self, &Event::Idle);
            begin_background(self);
            fold_while_idle(self);
        }
        wake_due(self);
        self.finish_event();
    }
}
