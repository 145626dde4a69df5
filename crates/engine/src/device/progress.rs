//! Events in the order of their times, and what arrays do when they finish.

use super::Device;
use super::observers::Observers;
use crate::nand::die::{Command, CommandForm, Phase};
use crate::sched::queue::NONE;
use wordline_base::class::{Class, FlashOp};
use wordline_base::events::Event;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

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
            let flash = self.flash.events.first_time();
            if flash < self.next_beside_flash().min(arrival) && flash <= self.systems.next_wake {
                self.begin_event(flash);
                self.flash_event();
                self.finish_event();
                continue;
            }
            let (time, event) = self.next_of(self.flash.events.first());
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
        let (time, event) = self.next_of(self.flash.events.first());
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
        self.flash.now = time;
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
        let (resource, dies) = (self.flash.events.take_first(), self.flash.dies.len());
        if resource < dies {
            return self.die_event(DieId(resource as u32));
        }
        self.event_beside_dies(resource);
    }

    /// Handles the event of a resource of the flash that is no die.
    #[inline(never)]
    fn event_beside_dies(&mut self, resource: usize) {
        let dies = self.flash.dies.len();
        if resource - dies < self.flash.channels.len() {
            self.channel_event((resource - dies) as u32);
        } else if resource < self.flash.decoder_resource() {
            self.register_event(DieId((resource - dies - self.flash.channels.len()) as u32));
        } else if resource == self.flash.decoder_resource() {
            self.decoding_done();
        } else if resource == self.flash.xor_resource() {
            self.joining_done();
        } else if resource >= self.flash.pause_resource() {
            self.tend_cache();
        } else {
            self.dram_event();
        }
    }

    #[inline(always)]
    fn die_event(&mut self, die: DieId) {
        match self.flash.dies[die.index()].phase {
            Phase::Array => self.array_done(die),
            Phase::DataOut => self.data_left(die),
            Phase::Suspending => self.suspended(die),
            Phase::Moving => self.register_moved(die),
            Phase::Loading => self.flash.loaded(die),
            // A gate opens behind which work waits.
            Phase::Idle => self.start_next(die),
            Phase::Command | Phase::DataWait | Phase::Loaded => {}
        }
    }

    #[inline(always)]
    fn array_done(&mut self, die: DieId) {
        let Command { head, class, .. } = self.flash.dies[die.index()].command;
        if class.op() == FlashOp::Read {
            if self.flash.overlap.read {
                return self.page_in_register(die);
            }
            return self.send_data(die, head, class);
        }
        if self.flash.dies[die.index()].command.form == CommandForm::CopybackRead {
            return self.copyback_read(die);
        }
        self.pages_done(die);
        self.command_done(die);
    }

    /// The pages of the die's program are programmed, or the blocks of its erase erased.
    pub(super) fn pages_done(&mut self, die: DieId) {
        let Command { mut head, class, planes, .. } = self.flash.dies[die.index()].command;
        let program = class.op() == FlashOp::Program;
        let pages = if program {
            self.geometry.pages_at_once(self.ftl.cell_mode(self.flash.pool[head].ppa))
        } else {
            1
        };
        self.observers.count(class, planes, pages);
        while head != NONE {
            let next = self.flash.pool[head].next;
            self.change_load(die, -1);
            self.note_done(die, class, head);
            if class.op() == FlashOp::Program {
                self.program_ended(head, die);
            } else {
                self.block_erased(head);
            }
            head = next;
        }
    }

    #[inline(always)]
    pub(super) fn command_done(&mut self, die: DieId) {
        if self.flash.overlap.read && self.next_read_takes_over(die) {
            return;
        }
        let state = &mut self.flash.dies[die.index()];
        (state.phase, state.command.head) = (Phase::Idle, NONE);
        if self.flash.plane_collection.is_some() {
            self.plane_is_free(die);
        }
        self.start_next(die);
    }
}
