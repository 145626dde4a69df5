//! What systems ask for is done: not at once, in the middle of a change of tables, but when the event that they were told
//! of is over.

use super::Systems;
use crate::device::Device;
use crate::systems::Action;
use wordline_base::class::Cause;
use wordline_base::ids::SuperblockId;
use wordline_base::time::Ns;
use wordline_flash::work;
use wordline_ftl::work::{
    ask_again_for_places, ask_for_copy, ask_for_plan, ask_for_plan_of, close_kept, drop_copy, end_event,
    invalidate_dropped, promote_copy, want_emptied,
};

impl Systems {
    /// A system asks for this, behind what was asked for before.
    pub(in crate::device) fn asks_for(&mut self, number: usize, action: Action) {
        self.asked.push((number, None, action));
    }
}

impl Device {
    /// The tables are consistent again: does what systems asked for, and lets the dies look at their new work.
    #[inline(always)]
    pub(in crate::device) fn finish_event(&mut self) {
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
        if !self.systems.asked.is_empty() {
            self.act();
        }
        work::look_at_touched(self);
    }

    fn act(&mut self) {
        // What is done may make systems ask for more.
        let mut next = 0;
        while let Some((number, read, action)) = self.systems.asked.get(next).cloned() {
            next += 1;
            if let Some(probe) = &mut self.observers.probe {
                probe.asked(number, &action, self.flash.now());
            }
            match action {
                Action::Plan(plan) => ask_for_plan(self, number, plan),
                Action::PlanWhileIdle(plan) => ask_for_plan_of(self, number, plan, true),
                Action::Empty(superblock, cause) => self.ask_to_empty(number, superblock, cause),
                Action::Gate { dies, classes, until } => self.close_gates(number, &dies, classes, until),
                Action::Copy { lpa, to } => ask_for_copy(self, number, lpa, to, read),
                Action::DropCopy { lpa, ppa } => drop_copy(self, number, lpa, ppa),
                Action::Promote { lpa, ppa } => promote_copy(self, number, lpa, ppa),
                Action::Close(superblock) => close_kept(self, number, superblock),
                Action::AskAgain => ask_again_for_places(self),
                Action::WakeAt(time) => {
                    self.systems.wake[number] = time.max(Ns(self.flash.now().0 + 1));
                    self.systems.next_wake = self.systems.wake_at();
                }
            }
        }
        self.systems.asked.clear();
    }

    fn ask_to_empty(&mut self, number: usize, superblock: SuperblockId, cause: Cause) {
        if superblock.index() < self.ftl.blocks().len() {
            return want_emptied(self, superblock, cause);
        }
        let (name, count) = (self.systems.system_name(number), self.ftl.blocks().len());
        self.fail(format!(
            "the system {name} asked to empty {superblock:?} of a drive of {count} superblocks"
        ));
    }
}
