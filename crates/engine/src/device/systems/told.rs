//! Systems are told of what happens.

use super::put_back;
use crate::device::Device;
use crate::device::systems::Systems;
use crate::sched::queue::OpId;
use crate::systems::DriveView;
use crate::systems::{Access, Action, Event, ReadEvent, System, Watches};
use wordline_base::class::Cause;
use wordline_base::ids::{Lpa, Ppa, SuperblockId};
use wordline_ftl::work::Purpose;
use wordline_ftl::work::map_changed;

impl Systems {
    /// Whether anybody is told of reads that go to their dies.
    #[inline]
    pub(in crate::device) fn tells_of_reads(&self) -> bool {
        self.watches.has(Watches::READ.and(Watches::RECORDED))
    }
}

impl Device {
    /// Tells those that translate.
    pub(in crate::device) fn tell_translation(&mut self, event: &Event) {
        self.tell(Watches::TRANSLATION, event);
    }

    /// Tells every system that watches for it.
    pub(super) fn tell(&mut self, what: Watches, event: &Event) {
        let Some(mut all) = self.systems.take_all_watching(what) else { return };
        for (number, system) in all.iter_mut().enumerate() {
            if self.systems.each.get(number).is_some_and(|watches| watches.has(what)) {
                self.tell_event(number, system.get_mut(), event);
            }
        }
        self.systems.put_all_back(all);
    }

    /// Tells one system.
    pub(in crate::device) fn tell_one(&mut self, number: usize, event: &Event) {
        let mut all = std::mem::take(&mut self.systems.all);
        if let Some(system) = all.get_mut(number) {
            self.tell_event(number, system.get_mut(), event);
        }
        self.systems.put_all_back(all);
    }

    #[inline]
    fn tell_event(&mut self, number: usize, system: &mut dyn System, event: &Event) {
        self.tell_this(number, system, &|system: &mut dyn System,
                                         drive: &DriveView<'_>,
                                         actions: &mut Vec<Action>| {
            system.told(event, drive, actions);
        });
    }

    /// Tells a system, whose list is not with the drive meanwhile, and takes down what it asks for.
    #[inline]
    pub(super) fn tell_this<T>(
        &mut self,
        number: usize,
        system: &mut dyn System,
        tell: &impl Fn(&mut dyn System, &DriveView<'_>, &mut Vec<Action>) -> T,
    ) -> T {
        let mut actions = std::mem::take(&mut self.systems.actions);
        let answer = tell(system, &*self, &mut actions);
        if !actions.is_empty() {
            let read = self.systems.read;
            self.systems.asked.extend(actions.drain(..).map(|action| (number, read, action)));
        }
        put_back(&mut self.systems.actions, actions);
        answer
    }

    #[inline]
    fn read_event(&self, unit: OpId, joins: bool) -> ReadEvent {
        let Purpose { lpa, whose, .. } = self.ftl.purposes()[unit];
        let ppa = self.flash.pool[unit].ppa;
        let flow = self.front.get(whose.request()).map_or(0, |request| request.flow());
        ReadEvent { lpa, ppa, die: self.geometry.die_at(ppa).0, flow, joins }
    }

    /// A unit of a read of the host goes to its die; `joins` tells whether it has no command of its own.
    #[inline(always)]
    pub(in crate::device) fn tell_read_that(&mut self, unit: OpId, joins: bool) {
        if self.systems.tells_of_reads() {
            if !joins && self.observers.monitor.records_reads() {
                self.note_read(unit);
            }
            let read = self.read_event(unit, joins);
            self.tell(Watches::READ, &Event::Read(read));
        }
    }

    /// Whether any system wants to know that this read is done.
    #[inline]
    fn is_awaited(&self, unit: OpId) -> bool {
        let lpa = self.ftl.purposes()[unit].lpa;
        self.systems.all.iter().any(|system| system.awaits(lpa))
    }

    /// Its data is with the controller.
    #[inline(always)]
    pub(in crate::device) fn tell_read_done(&mut self, unit: OpId) {
        if self.systems.watches.has(Watches::READ_DONE) && self.is_awaited(unit) {
            let read = self.read_event(unit, false);
            self.systems.read = Some((read.lpa, read.ppa));
            self.tell(Watches::READ_DONE, &Event::ReadDone(read));
            self.systems.read = None;
        }
    }

    /// The entry of a page was looked up for the host. Where a system keeps something with it that changes, it is dirty in a
    /// cache of the map.
    #[inline(always)]
    pub(in crate::device) fn tell_accessed(&mut self, lpa: Lpa, write: bool) {
        if self.systems.watches.has(Watches::ACCESS) {
            self.note_access(Access { lpa, write });
        }
    }

    /// The same of an operation that reads or writes the page for the host, once.
    #[inline(always)]
    pub(in crate::device) fn tell_access_of(&mut self, id: OpId, write: bool) {
        if self.systems.watches.has(Watches::ACCESS)
            && !std::mem::replace(&mut self.ftl.purpose_mut(id).accessed, true)
        {
            self.note_access(Access { lpa: self.ftl.purposes()[id].lpa, write });
        }
    }

    #[inline(never)]
    fn note_access(&mut self, access: Access) {
        let Some(mut all) = self.systems.take_all_watching(Watches::ACCESS) else { return };
        let mut changed = false;
        let view: &DriveView<'_> = self;
        for (system, watches) in all.iter_mut().zip(&self.systems.each) {
            if watches.has(Watches::ACCESS) {
                changed |= system.get_mut().accessed(&access, view);
            }
        }
        self.systems.put_all_back(all);
        // A write changes its entry anyway, when it takes effect.
        if changed && !access.write {
            let ppa = self.ftl.lookup(access.lpa);
            if ppa.is_some() {
                map_changed(self, access.lpa, ppa, ppa, Cause::Host);
            }
        }
    }

    /// A page that held nothing got its place.
    #[inline(always)]
    pub(in crate::device) fn tell_allocated(&mut self, lpa: Lpa, ppa: Ppa) {
        self.tell(Watches::ALLOCATED, &Event::Allocated { lpa, ppa });
    }

    #[inline(always)]
    pub(in crate::device) fn tell_written(&mut self, lpa: Lpa, old: Ppa, new: Ppa) {
        if self.systems.watches.has(Watches::WRITTEN) {
            self.tell(Watches::WRITTEN, &Event::Written { lpa, old, new });
        }
    }

    #[inline(always)]
    pub(in crate::device) fn tell_moved(&mut self, lpa: Lpa, old: Ppa, new: Ppa, cause: Cause) {
        if self.systems.watches.has(Watches::MOVED) {
            self.tell(Watches::MOVED, &Event::Moved { lpa, old, new, cause });
        }
    }

    #[inline(always)]
    pub(in crate::device) fn tell_invalidated(&mut self, ppa: Ppa) {
        if self.systems.watches.has(Watches::INVALIDATED) {
            self.tell(Watches::INVALIDATED, &Event::Invalidated(ppa));
        }
    }

    /// TRIM of a page that was on flash.
    #[inline(always)]
    pub(in crate::device) fn tell_trimmed(&mut self, lpa: Lpa, old: Ppa) {
        if self.systems.watches.has(Watches::TRIMMED) {
            self.tell(Watches::TRIMMED, &Event::Trimmed { lpa, old });
        }
    }

    /// A plan begins; whether its system keeps what was opened for it.
    pub(in crate::device) fn tell_plan_started(
        &mut self,
        number: usize,
        plan: u64,
        opened: &[SuperblockId],
    ) -> bool {
        let mut all = std::mem::take(&mut self.systems.all);
        let view: &DriveView<'_> = self;
        let keeps =
            all.get_mut(number).is_some_and(|system| system.get_mut().plan_started(plan, opened, view));
        self.systems.put_all_back(all);
        keeps
    }

    #[inline]
    pub(in crate::device) fn tell_collected(&mut self, superblock: SuperblockId) {
        if self.systems.watches.has(Watches::COLLECTED) {
            self.tell(Watches::COLLECTED, &Event::Collected(superblock));
        }
    }

    #[inline]
    pub(in crate::device) fn tell_erased(&mut self, superblock: SuperblockId) {
        if self.systems.watches.has(Watches::ERASED) {
            self.tell(Watches::ERASED, &Event::Erased(superblock));
        }
    }
}
