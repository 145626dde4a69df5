//! Systems are asked: where programs may go, where pages are, which copy serves.

use crate::device::Device;
use crate::device::systems::Systems;
use crate::mapping::{Found, Lookup};
use crate::placement::{PlaneSet, ProgramIntent};
use crate::replicate::Serving;
use crate::systems::DriveView;
use crate::systems::{Action, AllowedPlanes, Plan, System, SystemPolicy, Watches, WornBlock};
use wordline_base::class::Class;

impl Systems {
    /// What [`Self::allowed_planes_of`] gave is not needed any more.
    #[inline]
    pub(in crate::device) fn put_planes_back(&mut self, planes: PlaneSet) {
        self.planes = planes;
    }
}

impl Device {
    /// Asks the systems, those that watch for it, one after the other until one has an answer: its number, and that.
    pub(in crate::device) fn ask_first<T>(
        &mut self,
        what: Watches,
        ask: impl Fn(&mut dyn System, &DriveView<'_>, &mut Vec<Action>) -> Option<T>,
    ) -> Option<(usize, T)> {
        let mut all = self.systems.take_all_watching(what)?;
        let mut answer = None;
        for (number, system) in all.iter_mut().enumerate() {
            if answer.is_none() && self.systems.each.get(number).is_some_and(|watches| watches.has(what)) {
                let found = self.tell_this(number, system.get_mut(), &ask);
                answer = found.map(|found| (number, found));
            }
        }
        self.systems.put_all_back(all);
        answer
    }

    /// Asks the systems which planes a program may go to. `None`: they have nothing to say. The set is to be given back
    /// ([`Self::put_planes_back`]).
    #[inline]
    pub(in crate::device) fn allowed_planes_of(&mut self, program: &ProgramIntent) -> Option<PlaneSet> {
        if !self.systems.watches.has(Watches::PLACEMENT.and(Watches::MOVES_PLACEMENT)) {
            return None;
        }
        self.ask_where(program)
    }

    #[inline(never)]
    fn ask_where(&mut self, program: &ProgramIntent) -> Option<PlaneSet> {
        let moves = Class::read_for(program.cause).is_move();
        let what = if moves { Watches::MOVES_PLACEMENT } else { Watches::PLACEMENT };
        if !self.systems.watches.has(what) || program.lpa.0 >= self.ftl.logical_units() {
            return None;
        }
        let mut planes = std::mem::take(&mut self.systems.planes);
        planes.clear();
        let mut all = std::mem::take(&mut self.systems.all);
        let mut answer = AllowedPlanes::All;
        let view: &DriveView<'_> = self;
        for (system, watches) in all.iter_mut().zip(&self.systems.each) {
            if answer == AllowedPlanes::All && watches.has(what) {
                answer = system.get_mut().allowed_planes(program, view, &mut planes);
            }
        }
        self.systems.put_all_back(all);
        if answer == AllowedPlanes::Listed {
            return Some(planes);
        }
        self.systems.planes = planes;
        None
    }

    /// Whether a system knows, or supposes, where a page is.
    pub(in crate::device) fn find_in_systems(&mut self, lookup: &Lookup) -> Option<Found> {
        let mut all = self.systems.take_all_watching(Watches::TRANSLATION)?;
        let view: &DriveView<'_> = self;
        let translating = all.iter_mut().filter(|system| system.get().watches().has(Watches::TRANSLATION));
        let found = translating.map(SystemPolicy::get_mut).find_map(|system| system.find(lookup, view));
        self.systems.put_all_back(all);
        found
    }

    /// Asks the systems that own a copy of the page which copy shall serve a read; the first answer counts.
    pub(in crate::device) fn ask_owners(&mut self, read: &Serving<'_>) -> Option<usize> {
        let mut all = std::mem::take(&mut self.systems.all);
        let mut answer = None;
        let view: &DriveView<'_> = self;
        for (number, system) in all.iter_mut().enumerate() {
            let owns = read.candidates.iter().any(|candidate| candidate.owner == Some(number));
            if owns && answer.is_none() {
                answer = system.get_mut().serve(read, view);
            }
        }
        self.systems.put_all_back(all);
        answer
    }

    /// Asks the systems what they do about a worn block; the first plan counts.
    pub(in crate::device) fn ask_systems_to_reclaim(&mut self, worn: &WornBlock) -> Option<(usize, Plan)> {
        let mut systems = self.systems.take_all_watching(Watches::RECLAIM)?;
        let view: &DriveView<'_> = self;
        let plan = systems
            .iter_mut()
            .enumerate()
            .filter(|(_, system)| system.get().watches().has(Watches::RECLAIM))
            .find_map(|(number, system)| system.get_mut().reclaim(worn, view).map(|plan| (number, plan)));
        self.systems.put_all_back(systems);
        plan
    }
}
