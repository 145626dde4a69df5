//! Programs of the host that systems send where they want them: into superblocks that they keep open.

use super::systems::Systems;
use std::collections::VecDeque;
use wordline_flash::work::submit;

use super::Device;
use super::system_superblocks::Given;
use crate::blocks::BlockState;
use crate::sched::queue::OpId;
use crate::systems::{Event, Watches, WritePlace};
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Lpa, SuperblockId};
use wordline_base::parts::Part;

/// Write point of a program that a system sent into a superblock.
pub(super) const PLACED_BY_SYSTEM: u8 = u8::MAX - 1;

impl Systems {
    /// Whether a system takes the place of garbage collection.
    #[inline]
    pub(super) fn systems_collect(&self) -> bool {
        self.systems_watch(Watches::COLLECTION)
    }
}

impl Device {
    /// Whether systems are asked where this program goes.
    #[inline]
    pub(super) fn is_placed_by_system(&self, lpa: Lpa, cause: Cause) -> bool {
        self.systems.systems_watch(Watches::WRITE_PLACE)
            && matches!(cause, Cause::Host | Cause::WriteBack)
            && lpa.0 < self.ftl.logical_units
    }

    /// Asks the systems where a program goes, and sends it there or lets it wait; `false` if they have nothing to say.
    #[inline(never)]
    pub(super) fn place_write(&mut self, id: OpId) -> bool {
        match self.ask_where_to(id) {
            None => return false,
            Some((system, place)) => {
                if !self.send_to_place(system, place, id) {
                    self.observers.recorder.gc.stalled_units += 1;
                    self.systems.held.push_back(id);
                }
            }
        }
        true
    }

    fn ask_where_to(&mut self, id: OpId) -> Option<(usize, WritePlace)> {
        let intent = self.intent(id);
        self.ask_first(Watches::WRITE_PLACE, |system, drive, actions| {
            let answer = system.place_write(&intent, drive, actions);
            (answer != WritePlace::Free).then_some(answer)
        })
    }

    /// Asks again for every program that waits for an answer.
    pub(super) fn ask_again_for_places(&mut self) {
        let mut waiting = std::mem::take(&mut self.systems.held);
        let mut held = VecDeque::with_capacity(waiting.len());
        while let Some(id) = waiting.pop_front() {
            let waited = self.flash.now().since(self.flash.pool[id].wait_from);
            let sent = match self.ask_where_to(id) {
                None => {
                    let plane = self.place(&self.intent(id));
                    self.program_anew(plane, id);
                    true
                }
                Some((system, place)) => self.send_to_place(system, place, id),
            };
            if sent {
                self.flash.pool.parts_mut(id).add(Part::Space, waited.0);
            } else {
                held.push_back(id);
            }
        }
        // What begins anew may wait once more.
        held.append(&mut self.systems.held);
        self.systems.held = held;
    }

    /// Sends a program where a system wants it; `false` if it is to wait.
    fn send_to_place(&mut self, system: usize, place: WritePlace, id: OpId) -> bool {
        if place != WritePlace::Wait && self.is_outdated(id) {
            // To find that out when it takes effect would cost it its place, and a page that belongs at one place has no other.
            self.read_old_content(id);
            return true;
        }
        match place {
            WritePlace::Free | WritePlace::Wait => false,
            WritePlace::Into(superblock) => {
                self.program_into(system, superblock, None, id);
                true
            }
            WritePlace::At { superblock, unit } => {
                self.program_into(system, superblock, Some(unit), id);
                true
            }
        }
    }

    /// A program of the host gets a unit of a superblock that a system keeps open.
    fn program_into(&mut self, system: usize, superblock: SuperblockId, unit: Option<u32>, id: OpId) {
        let (size, capacity) = (self.geometry.units_per_program(), self.ftl.blocks.capacity());
        let given = match self.ftl.plans.system_superblocks.give(superblock, system, unit, size, capacity) {
            Ok(given) => given,
            Err(what) => {
                let name = self.systems.system_name(system);
                return self.fail(format!("the system {name} sent a program to {what}"));
            }
        };
        let (Given::Begins(unit) | Given::Joins(_, unit)) = given;
        let ppa = self.ftl.unit_at(superblock, unit);
        let domain = self.ftl.domain_of(ppa);
        self.ftl.domain[domain.index()].live += 1;
        self.ftl.purposes[id].point = PLACED_BY_SYSTEM;
        self.flash.pool[id].ppa = ppa;
        self.count_cached(id);
        match given {
            Given::Joins(head, _) => {
                let die = self.flash.waits_at(head);
                self.flash.begin_die_wait(id, die);
                self.flash.pool.chain(head, id);
            }
            Given::Begins(_) => {
                self.ftl.blocks.begin(superblock);
                if size > 1 {
                    self.ftl.plans.system_superblocks.program_waits(superblock, id);
                }
                submit(self, id);
            }
        }
    }

    /// The die takes a program that a system sent into a superblock.
    pub(super) fn placed_program_begins(&mut self, head: OpId) {
        let superblock = self.ftl.blocks.of(&self.geometry, self.flash.pool[head].ppa);
        self.ftl.plans.system_superblocks.program_begins(superblock, head);
    }

    /// Erases a full superblock in which nothing is valid, where systems make space.
    pub(super) fn erase_if_given_up(&mut self, superblock: SuperblockId) {
        if self.systems.systems_collect()
            && self.ftl.blocks.state(superblock) == BlockState::Full
            && self.ftl.blocks.valid(superblock) == 0
        {
            let domain: DomainId = self.ftl.blocks.split(superblock).0;
            self.ftl.domain[domain.index()].collector.victims.push((superblock, Cause::Gc));
            self.observers.recorder.emptied(Cause::Gc);
            self.ftl.blocks.set_state(superblock, BlockState::Collecting);
            self.begin_erase(superblock);
        }
    }

    /// Every program under way in an open superblock has ended: its system, if one keeps it open, is told.
    pub(super) fn tell_programmed(&mut self, superblock: SuperblockId) {
        if !self.systems.systems_watch(Watches::PROGRAMMED) {
            return;
        }
        if let Some(system) = self.ftl.plans.system_superblocks.system_of(superblock) {
            self.tell_one(system, &Event::Programmed(superblock));
        }
    }
}
