//! What systems ask of the drive, and what it does for them.

use crate::device::Device;
use crate::front::Request;
use crate::observers::note_read;
use crate::sched::queue::OpId;
use crate::systems::work::{self as systems, AroundSystems, ReadOf, Systems};
use crate::systems::{Access, Action, Event, ReadEvent, System, SystemPolicy, Watches};
use wordline_base::class::Cause;
use wordline_base::ids::{Lpa, SuperblockId};
use wordline_ftl::work::{
    Purpose, ask_again_for_places, ask_for_copy, ask_for_plan, ask_for_plan_of, close_kept, drop_copy,
    map_changed, promote_copy, want_emptied,
};

impl AroundSystems for Device {
    #[inline(always)]
    fn systems(&self) -> &Systems {
        &self.systems
    }

    #[inline(always)]
    fn systems_mut(&mut self) -> &mut Systems {
        &mut self.systems
    }

    fn act(&mut self, number: usize, read: ReadOf, action: Action) {
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
            // The systems' own matter.
            Action::WakeAt(_) => {}
        }
    }
}

impl Device {
    /// Adds a system. Its number is the count of those before it.
    /// One that makes copies or reserves space is a fault on a drive that was not laid out for it
    /// ([`Device::new_for`]).
    pub fn add_system(&mut self, system: SystemPolicy) {
        if !self.is_laid_out_for(&system) {
            let name = system.get().name().to_owned();
            self.fail(format!(
                "the system {name} makes copies or reserves space: the drive must be laid out for it (Device::new_for)"
            ));
        }
        if self.systems.count() >= self.rules.systems_in_ledger {
            self.reserve_dram(system.get().name(), system.get().bytes());
        }
        self.systems.add(system);
        if self.systems.watch(Watches::TRANSLATION) {
            self.ftl.ask_systems_for_places();
        }
        self.note_policies();
    }

    fn is_laid_out_for(&self, system: &SystemPolicy) -> bool {
        let (number, system) = (self.systems.count(), system.get());
        self.ftl.is_laid_out_for(number, system.copies(), &system.reservation())
    }

    /// The systems, by number.
    pub fn systems(&self) -> impl Iterator<Item = &dyn System> {
        self.systems.iter()
    }

    #[inline]
    fn read_event(&self, unit: OpId, joins: bool) -> ReadEvent {
        let Purpose { lpa, whose, .. } = self.ftl.purposes()[unit];
        let ppa = self.flash.pool[unit].ppa;
        let flow = self.front.get(whose.request()).map_or(0, Request::flow);
        ReadEvent { lpa, ppa, die: self.geometry.die_at(ppa).0, flow, joins }
    }

    /// A unit of a read of the host goes to its die; `joins` tells whether it has no command of its own.
    #[inline(always)]
    pub(in crate::device) fn tell_read(&mut self, unit: OpId, joins: bool) {
        if self.systems.watch(Watches::READ.and(Watches::RECORDED)) {
            if !joins && self.observers.monitor.records_reads() {
                note_read(self, unit);
            }
            let read = self.read_event(unit, joins);
            systems::tell(self, &Event::Read(read));
        }
    }

    /// Its data is with the controller.
    #[inline(always)]
    pub(in crate::device) fn tell_read_done(&mut self, unit: OpId) {
        let lpa = self.ftl.purposes()[unit].lpa;
        systems::read_done(self, lpa, |drive| drive.read_event(unit, false));
    }

    /// The entry of a page was looked up for the host. Where a system keeps something with it that changes, it is dirty in a
    /// cache of the map.
    #[inline(always)]
    pub(in crate::device) fn tell_accessed(&mut self, lpa: Lpa, write: bool) {
        if self.systems.watch(Watches::ACCESS) {
            self.note_access(Access { lpa, write });
        }
    }

    /// The same of an operation that reads or writes the page for the host, once.
    #[inline(always)]
    pub(in crate::device) fn tell_access_of(&mut self, id: OpId, write: bool) {
        if self.systems.watch(Watches::ACCESS)
            && !std::mem::replace(&mut self.ftl.purpose_mut(id).accessed, true)
        {
            self.note_access(Access { lpa: self.ftl.purposes()[id].lpa, write });
        }
    }

    #[inline(never)]
    fn note_access(&mut self, access: Access) {
        // A write changes its entry anyway, when it takes effect.
        if systems::accessed(self, access) && !access.write {
            let ppa = self.ftl.lookup(access.lpa);
            if ppa.is_some() {
                map_changed(self, access.lpa, ppa, ppa, Cause::Host);
            }
        }
    }

    fn ask_to_empty(&mut self, number: usize, superblock: SuperblockId, cause: Cause) {
        if superblock.index() < self.ftl.blocks().len() {
            return want_emptied(self, superblock, cause);
        }
        let (name, count) = (self.systems.name(number), self.ftl.blocks().len());
        self.fail(format!(
            "the system {name} asked to empty {superblock:?} of a drive of {count} superblocks"
        ));
    }
}
