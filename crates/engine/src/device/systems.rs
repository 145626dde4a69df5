//! Systems are told of what happens, and what they ask for is done: not at once, in the middle of a change of tables,
//! but when the event that they were told of is over.

use std::collections::{BTreeMap, VecDeque};

use super::Device;
use super::view::DriveView;
use crate::ids::{Lpa, Ppa, SuperblockId};
use crate::mapping::{Found, Lookup};
use crate::placement::{PlaneSet, ProgramIntent};
use crate::replicate::Serving;
use crate::sched::class::{Cause, Class};
use crate::sched::queue::{Op, OpId};
use crate::snapshot::{In, Out, Part, SnapshotError};
use crate::stats::copies::SystemReport;
use crate::systems::{Access, Action, Confine, Distance, Figure, ReadEvent, System, SystemPolicy, Watches};
use crate::time::Ns;

/// Which system, the page and place of the read that it was told of then, and what it asks for.
type Asked = (usize, Option<(Lpa, Ppa)>, Action);

/// The systems of a drive, and what they asked for.
#[derive(Default)]
pub(super) struct Systems {
    all: Vec<SystemPolicy>,
    /// What each of them wants to be told of.
    each: Vec<Watches>,
    /// What any of them wants to be told of.
    watches: Watches,
    /// Whether any of them fetches ahead what it looks up.
    fetches_ahead: bool,
    /// Not done yet: which system, what.
    asked: Vec<Asked>,
    /// The read whose data is with the controller while the systems are told of it.
    read: Option<(Lpa, Ppa)>,
    actions: Vec<Action>,
    /// When each wants to be woken.
    wake: Vec<Ns>,
    /// When the drive will have been idle for long enough; [`Ns::NEVER`] while it is not, or was told of it.
    idle_at: Ns,
    idle_after: Ns,
    /// Whether it has been idle for long enough, and still is.
    idle: bool,
    /// Programs of the host that wait until a system says where they go.
    pub(super) held: VecDeque<OpId>,
    /// The planes that a program was confined to last, for their memory.
    planes: PlaneSet,
    /// So many, the first to be added, are in the ledger of the DRAM already.
    in_ledger: usize,
}

impl Systems {
    /// None yet, so many of which the ledger knows; the drive is idle once no request has been inside for so long.
    pub fn new(idle_after: Ns, in_ledger: usize) -> Self {
        Self { idle_at: Ns::NEVER, idle_after, in_ledger, ..Self::default() }
    }

    /// All systems, to be put back, if any of them watches for it.
    pub fn take_all_watching(&mut self, what: Watches) -> Option<Vec<SystemPolicy>> {
        self.watches.has(what).then(|| std::mem::take(&mut self.all))
    }

    pub fn are_none(&self) -> bool {
        self.all.is_empty()
    }

    #[inline]
    pub fn put_all_back(&mut self, all: Vec<SystemPolicy>) {
        put_back(&mut self.all, all);
    }

    /// When the next of them is to be woken.
    fn wake_at(&self) -> Ns {
        self.wake.iter().copied().min().unwrap_or(Ns::NEVER).min(self.idle_at)
    }
}

/// Puts a list back that was taken out. What stands in its place has no memory, which need not be found out anew.
#[inline]
fn put_back<T>(place: &mut Vec<T>, list: Vec<T>) {
    let empty = std::mem::replace(place, list);
    debug_assert!(empty.capacity() == 0, "nothing was added meanwhile");
    std::mem::forget(empty);
}

impl Part for Systems {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        // What they watch and how long the drive must be idle follows from the configuration; `actions`
        // and `read` are empty between two events, `planes` is of no use then.
        let Self {
            all,
            each: _,
            watches: _,
            fetches_ahead: _,
            asked,
            read: _,
            actions: _,
            wake,
            idle_at,
            idle_after: _,
            idle,
            held,
            planes: _,
            in_ledger: _,
        } = self;
        let names: Vec<&str> = all.iter().map(|system| system.get().name()).collect();
        out.put(&names)?;
        out.put(&(asked, wake, idle_at, idle, held))?;
        all.iter().try_for_each(|system| system.save(out))
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        let there: Vec<String> = input.take()?;
        let here: Vec<&str> = self.all.iter().map(|system| system.get().name()).collect();
        if there != here {
            let what = format!("its systems are {there:?}, those of the drive {here:?}");
            return Err(SnapshotError::Misfit(what));
        }
        (self.asked, self.wake, self.idle_at, self.idle, self.held) = input.take()?;
        if self.wake.len() != self.all.len() || self.asked.iter().any(|asked| asked.0 >= self.all.len()) {
            return Err(SnapshotError::Misfit("what systems asked for".to_owned()));
        }
        self.all.iter_mut().try_for_each(|system| system.restore(input))
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        let Self {
            all,
            each,
            watches,
            fetches_ahead,
            asked,
            read,
            actions,
            wake,
            idle_at,
            idle_after,
            idle,
            held,
            planes: _,
            in_ledger,
        } = self;
        let fork = |system: &SystemPolicy| {
            system.fork().map_err(|_| SnapshotError::NoFork(format!("the system `{}`", system.get().name())))
        };
        Ok(Self {
            all: all.iter().map(fork).collect::<Result<_, _>>()?,
            each: each.clone(),
            watches: *watches,
            fetches_ahead: *fetches_ahead,
            asked: asked.clone(),
            read: *read,
            actions: actions.clone(),
            wake: wake.clone(),
            idle_at: *idle_at,
            idle_after: *idle_after,
            idle: *idle,
            held: held.clone(),
            planes: PlaneSet::default(),
            in_ledger: *in_ledger,
        })
    }
}

impl Device {
    /// Adds a system. Its number is the count of those before it.
    /// One that makes copies or reserves space is a fault on a drive that was not laid out for it
    /// ([`Device::new_for`]).
    pub fn add_system(&mut self, system: SystemPolicy) {
        if !self.is_laid_out_for(self.systems.all.len(), system.get()) {
            let name = system.get().name().to_owned();
            self.fail(format!(
                "the system {name} makes copies or reserves space: the drive must be laid out for it (Device::new_for)"
            ));
        }
        let watches = system.get().watches();
        self.systems.watches = self.systems.watches.and(watches);
        self.systems.each.push(watches);
        self.systems.fetches_ahead |= system.get().fetches_ahead();
        if self.systems.all.len() >= self.systems.in_ledger {
            self.reserve_dram(system.get().name(), system.get().bytes());
        }
        self.systems.all.push(system);
        self.systems.wake.push(Ns::NEVER);
        self.wake_at = self.systems.wake_at();
        if self.systems.watches.has(Watches::TRANSLATION) {
            self.translation.ask_systems();
        }
        self.note_policies();
    }

    /// Whether any of them watches for this.
    #[inline]
    pub(super) fn systems_watch(&self, what: Watches) -> bool {
        self.systems.watches.has(what)
    }

    /// Asks the systems, those that watch for it, one after the other until one has an answer: its number, and that.
    pub(super) fn ask_first<T>(
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

    /// Whether any system is asked where pages move to.
    pub(super) fn systems_place_moves(&self) -> bool {
        self.systems.watches.has(Watches::MOVES_PLACEMENT)
    }

    /// Asks the systems which planes a program may go to. `None`: they have nothing to say. The set is to be given back
    /// ([`Self::put_planes_back`]).
    #[inline]
    pub(super) fn confined(&mut self, program: &ProgramIntent) -> Option<PlaneSet> {
        if !self.systems.watches.has(Watches::PLACEMENT.and(Watches::MOVES_PLACEMENT)) {
            return None;
        }
        self.ask_where(program)
    }

    #[inline(never)]
    fn ask_where(&mut self, program: &ProgramIntent) -> Option<PlaneSet> {
        let moves = Class::read_for(program.cause).is_move();
        let what = if moves { Watches::MOVES_PLACEMENT } else { Watches::PLACEMENT };
        if !self.systems.watches.has(what) || program.lpa.0 >= self.logical_units {
            return None;
        }
        let mut planes = std::mem::take(&mut self.systems.planes);
        planes.clear();
        let mut all = std::mem::take(&mut self.systems.all);
        let (mut answer, view) = (Confine::Free, DriveView(self));
        for (system, watches) in all.iter_mut().zip(&self.systems.each) {
            if answer == Confine::Free && watches.has(what) {
                answer = system.get_mut().confine(program, &view, &mut planes);
            }
        }
        self.systems.put_all_back(all);
        if answer == Confine::Among {
            return Some(planes);
        }
        self.systems.planes = planes;
        None
    }

    /// What [`Self::confined`] gave is not needed any more.
    #[inline]
    pub(super) fn put_planes_back(&mut self, planes: PlaneSet) {
        self.systems.planes = planes;
    }

    /// Enters a user of the DRAM that comes behind the data cache.
    pub(super) fn reserve_dram(&mut self, name: &str, bytes: u64) {
        self.dram.reserve(name, bytes);
        if let Err(error) = self.dram.check() {
            self.fail(error.to_string());
        }
    }

    /// Whether a system knows, or supposes, where a page is.
    pub(super) fn find_in_systems(&mut self, lookup: &Lookup) -> Option<Found> {
        let mut all = self.systems.take_all_watching(Watches::TRANSLATION)?;
        let view = DriveView(self);
        let translating = all.iter_mut().filter(|system| system.get().watches().has(Watches::TRANSLATION));
        let found = translating.map(SystemPolicy::get_mut).find_map(|system| system.find(lookup, &view));
        self.systems.put_all_back(all);
        found
    }

    /// Tells those that translate.
    pub(super) fn tell_translation(&mut self, tell: impl Fn(&mut dyn System, &DriveView<'_>)) {
        self.tell(Watches::TRANSLATION, |system, drive, _| tell(system, drive));
    }

    /// The systems, by number.
    pub fn systems(&self) -> impl Iterator<Item = &dyn System> {
        self.systems.all.iter().map(SystemPolicy::get)
    }

    /// Tells every system that watches for it.
    fn tell(&mut self, what: Watches, tell: impl Fn(&mut dyn System, &DriveView<'_>, &mut Vec<Action>)) {
        let Some(mut all) = self.systems.take_all_watching(what) else { return };
        for (number, system) in all.iter_mut().enumerate() {
            if self.systems.each.get(number).is_some_and(|watches| watches.has(what)) {
                self.tell_this(number, system.get_mut(), &tell);
            }
        }
        self.systems.put_all_back(all);
    }

    /// Tells one system.
    pub(super) fn tell_one(
        &mut self,
        number: usize,
        tell: impl Fn(&mut dyn System, &DriveView<'_>, &mut Vec<Action>),
    ) {
        let mut all = std::mem::take(&mut self.systems.all);
        if let Some(system) = all.get_mut(number) {
            self.tell_this(number, system.get_mut(), &tell);
        }
        self.systems.put_all_back(all);
    }

    /// Tells a system, whose list is not with the drive meanwhile, and takes down what it asks for.
    #[inline]
    fn tell_this<T>(
        &mut self,
        number: usize,
        system: &mut dyn System,
        tell: &impl Fn(&mut dyn System, &DriveView<'_>, &mut Vec<Action>) -> T,
    ) -> T {
        let mut actions = std::mem::take(&mut self.systems.actions);
        let answer = tell(system, &DriveView(self), &mut actions);
        if !actions.is_empty() {
            let read = self.systems.read;
            self.systems.asked.extend(actions.drain(..).map(|action| (number, read, action)));
        }
        put_back(&mut self.systems.actions, actions);
        answer
    }

    #[inline]
    fn read_event(&self, unit: OpId, joins: bool) -> ReadEvent {
        let Op { lpa, ppa, request, .. } = self.pool[unit];
        let flow = self.requests.get(request as usize).map_or(0, |request| request.flow());
        ReadEvent { lpa, ppa, die: self.die_of(ppa).0, flow, joins }
    }

    /// Lets systems fetch what they will look up for a read of this page, which is likely to come.
    #[inline(always)]
    pub(super) fn fetch_for_systems(&self, lpa: u32, distance: Distance) {
        if self.systems.fetches_ahead {
            self.let_systems_fetch(lpa, distance);
        }
    }

    /// Whether any system fetches ahead what it looks up.
    #[inline(always)]
    pub(super) fn systems_fetch_ahead(&self) -> bool {
        self.systems.fetches_ahead
    }

    #[inline(never)]
    fn let_systems_fetch(&self, lpa: u32, distance: Distance) {
        let ppa = if lpa < self.logical_units { self.lookup(Lpa(lpa)) } else { Ppa::NONE };
        if ppa.is_some() {
            let die = self.die_of(ppa).0;
            self.systems().for_each(|system| system.fetch_for_read(Lpa(lpa), die, distance));
        }
    }

    /// Whether anybody is told of reads that go to their dies.
    #[inline]
    pub(super) fn tells_of_reads(&self) -> bool {
        self.systems.watches.has(Watches::READ.and(Watches::RECORDED))
    }

    /// Whether systems asked for something that is not done yet.
    #[inline]
    pub(super) fn systems_asked(&self) -> bool {
        !self.systems.asked.is_empty()
    }

    /// A unit of a read of the host goes to its die.
    #[inline(always)]
    pub(super) fn tell_read(&mut self, unit: OpId) {
        self.tell_read_that(unit, false);
    }

    /// The same; `joins` tells whether it has no command of its own.
    #[inline(always)]
    pub(super) fn tell_read_that(&mut self, unit: OpId, joins: bool) {
        if self.tells_of_reads() {
            if !joins && self.monitor.records_reads() {
                self.record_read(unit);
            }
            let read = self.read_event(unit, joins);
            self.tell(Watches::READ, |system, drive, actions| system.read(&read, drive, actions));
        }
    }

    /// Whether any system wants to know that this read is done.
    #[inline]
    fn is_awaited(&self, unit: OpId) -> bool {
        let lpa = self.pool[unit].lpa;
        self.systems.all.iter().any(|system| system.awaits(lpa))
    }

    /// Its data is with the controller.
    #[inline(always)]
    pub(super) fn tell_read_done(&mut self, unit: OpId) {
        if self.systems.watches.has(Watches::READ_DONE) && self.is_awaited(unit) {
            let read = self.read_event(unit, false);
            self.systems.read = Some((read.lpa, read.ppa));
            self.tell(Watches::READ_DONE, |system, drive, actions| system.read_done(&read, drive, actions));
            self.systems.read = None;
        }
    }

    /// The entry of a page was looked up for the host. Where a system keeps something with it that changes, it is dirty in a
    /// cache of the map.
    #[inline(always)]
    pub(super) fn tell_accessed(&mut self, lpa: Lpa, write: bool) {
        if self.systems.watches.has(Watches::ACCESS) {
            self.note_access(Access { lpa, write });
        }
    }

    /// The same of an operation that reads or writes the page for the host, once.
    #[inline(always)]
    pub(super) fn tell_access_of(&mut self, id: OpId, write: bool) {
        if self.systems.watches.has(Watches::ACCESS) && !std::mem::replace(&mut self.pool[id].accessed, true)
        {
            self.note_access(Access { lpa: self.pool[id].lpa, write });
        }
    }

    #[inline(never)]
    fn note_access(&mut self, access: Access) {
        let Some(mut all) = self.systems.take_all_watching(Watches::ACCESS) else { return };
        let (mut changed, view) = (false, DriveView(self));
        for (system, watches) in all.iter_mut().zip(&self.systems.each) {
            if watches.has(Watches::ACCESS) {
                changed |= system.get_mut().accessed(&access, &view);
            }
        }
        self.systems.put_all_back(all);
        // A write changes its entry anyway, when it takes effect.
        if changed && !access.write {
            let ppa = self.lookup(access.lpa);
            if ppa.is_some() {
                self.map_changed(access.lpa, ppa, ppa, Cause::Host);
            }
        }
    }

    /// A page that held nothing got its place.
    #[inline(always)]
    pub(super) fn tell_allocated(&mut self, lpa: Lpa, ppa: Ppa) {
        self.tell(Watches::ALLOCATED, |system, drive, _| system.allocated(lpa, ppa, drive));
    }

    #[inline(always)]
    pub(super) fn tell_written(&mut self, lpa: Lpa, old: Ppa, new: Ppa) {
        if self.systems.watches.has(Watches::WRITTEN) {
            self.tell(Watches::WRITTEN, |system, drive, actions| {
                system.written(lpa, old, new, drive, actions)
            });
        }
    }

    #[inline(always)]
    pub(super) fn tell_moved(&mut self, lpa: Lpa, old: Ppa, new: Ppa, cause: Cause) {
        if self.systems.watches.has(Watches::MOVED) {
            self.tell(Watches::MOVED, |system, drive, actions| {
                system.moved(lpa, old, new, cause, drive, actions);
            });
        }
    }

    #[inline(always)]
    pub(super) fn tell_invalidated(&mut self, ppa: Ppa) {
        if self.systems.watches.has(Watches::INVALIDATED) {
            self.tell(Watches::INVALIDATED, |system, drive, actions| system.invalidated(ppa, drive, actions));
        }
    }

    /// TRIM of a page that was on flash.
    #[inline(always)]
    pub(super) fn tell_trimmed(&mut self, lpa: Lpa, old: Ppa) {
        if self.systems.watches.has(Watches::TRIMMED) {
            self.tell(Watches::TRIMMED, |system, drive, actions| system.trimmed(lpa, old, drive, actions));
        }
    }

    /// A plan begins; whether its system keeps what was opened for it.
    pub(super) fn tell_plan_started(&mut self, number: usize, plan: u64, opened: &[SuperblockId]) -> bool {
        let mut all = std::mem::take(&mut self.systems.all);
        let view = DriveView(self);
        let keeps =
            all.get_mut(number).is_some_and(|system| system.get_mut().plan_started(plan, opened, &view));
        self.systems.put_all_back(all);
        keeps
    }

    #[inline]
    pub(super) fn tell_erased(&mut self, superblock: SuperblockId) {
        if self.systems.watches.has(Watches::ERASED) {
            self.tell(Watches::ERASED, |system, drive, actions| system.erased(superblock, drive, actions));
        }
    }

    /// The drive became idle, or stopped being so.
    #[inline]
    pub(super) fn note_idle(&mut self, idle: bool) {
        if !idle {
            self.end_background();
            if std::mem::take(&mut self.systems.idle) {
                self.plans.end_idle();
            }
        }
        self.cache_sees_requests(!idle);
        if self.systems.watches.has(Watches::IDLE) || self.background.is_on() || self.folds_at_idle() {
            self.systems.idle_at = if idle { self.now + self.systems.idle_after } else { Ns::NEVER };
            self.wake_at = self.systems.wake_at();
        }
    }

    /// Whether the drive has been idle for long enough, and is to use that.
    pub(super) fn is_idle(&self) -> bool {
        self.systems.idle && !self.winds_down()
    }

    /// Whether something follows from the drive being idle, or not being so any more.
    pub(super) fn hears_of_idle(&self) -> bool {
        self.systems.watches.has(Watches::IDLE) || self.background.is_on() || self.slc.is_some()
    }

    /// When a system wants to be woken, or is to be told that the drive is idle. Alone it keeps no run from ending.
    #[inline]
    pub fn wake_at(&self) -> Ns {
        self.wake_at
    }

    /// That time has come.
    pub fn wake(&mut self) {
        self.now = self.wake_at;
        if self.systems.idle_at == self.now {
            (self.systems.idle_at, self.systems.idle) = (Ns::NEVER, true);
            self.tell(Watches::IDLE, |system, drive, actions| system.idle(drive, actions));
            self.begin_background();
            self.fold_while_idle();
        }
        for number in 0..self.systems.wake.len() {
            if self.systems.wake[number] == self.now {
                self.systems.wake[number] = Ns::NEVER;
                self.tell_one(number, |system, drive, actions| system.woken(drive, actions));
            }
        }
        self.wake_at = self.systems.wake_at();
        self.finish_event();
    }

    /// The tables are consistent again: does what systems asked for, and lets the dies look at their new work.
    #[inline(always)]
    pub(super) fn finish_event(&mut self) {
        if self.pace.is_some() {
            self.release_paced();
        }
        if self.is_without_hooks() {
            // It has no systems, no copies and no reclaim.
            return self.look_at_touched_dies();
        }
        self.reclaim_worn_blocks();
        self.follow_up();
        if !self.replication.dropped.is_empty() {
            self.finish_drops();
        }
    }

    /// Copies were dropped on the way: their pages are given up, and what follows from that is done.
    #[cold]
    fn finish_drops(&mut self) {
        while !self.replication.dropped.is_empty() {
            self.invalidate_dropped();
            self.follow_up();
        }
    }

    #[inline(always)]
    fn follow_up(&mut self) {
        if !self.systems.asked.is_empty() {
            self.act();
        }
        self.look_at_touched_dies();
    }

    fn act(&mut self) {
        // What is done may make systems ask for more.
        let mut next = 0;
        while let Some((number, read, action)) = self.systems.asked.get(next).cloned() {
            next += 1;
            match action {
                Action::Plan(plan) => self.ask_for_plan(number, plan),
                Action::PlanWhileIdle(plan) => self.ask_for_plan_of(number, plan, true),
                Action::Empty(superblock, cause) => self.ask_to_empty(number, superblock, cause),
                Action::Gate { dies, classes, until } => self.close_gates(number, &dies, classes, until),
                Action::Copy { lpa, to } => self.ask_for_copy(number, lpa, to, read),
                Action::DropCopy { lpa, ppa } => self.drop_copy(number, lpa, ppa),
                Action::Promote { lpa, ppa } => self.promote_copy(number, lpa, ppa),
                Action::Close(superblock) => self.close_kept(number, superblock),
                Action::AskAgain => self.steer_anew(),
                Action::WakeAt(time) => {
                    self.systems.wake[number] = time.max(Ns(self.now.0 + 1));
                    self.wake_at = self.systems.wake_at();
                }
            }
        }
        self.systems.asked.clear();
    }

    /// Asks the systems that own a copy of the page which copy shall serve a read; the first answer counts.
    pub(super) fn ask_owners(&mut self, read: &Serving<'_>) -> Option<usize> {
        let mut all = std::mem::take(&mut self.systems.all);
        let (mut answer, view) = (None, DriveView(self));
        for (number, system) in all.iter_mut().enumerate() {
            let owns = read.candidates.iter().any(|candidate| candidate.owner == Some(number));
            if owns && answer.is_none() {
                answer = system.get_mut().serve(read, &view);
            }
        }
        self.systems.put_all_back(all);
        answer
    }

    fn ask_to_empty(&mut self, number: usize, superblock: SuperblockId, cause: Cause) {
        if superblock.index() < self.blocks.len() {
            return self.want_emptied(superblock, cause);
        }
        let (name, count) = (self.system_name(number), self.blocks.len());
        self.fail(format!(
            "the system {name} asked to empty {superblock:?} of a drive of {count} superblocks"
        ));
    }

    /// A recorder looks at the host's reads from now on.
    pub(super) fn watch_reads_for_recorder(&mut self) {
        self.systems.watches = self.systems.watches.and(Watches::RECORDED);
    }

    /// The measured window opens.
    pub(super) fn systems_open_window(&mut self) {
        self.systems.all.iter_mut().for_each(|system| system.get_mut().window_opens());
    }

    /// What the systems have to say of themselves; those that say nothing are left out.
    pub(super) fn systems_report(&self) -> BTreeMap<String, SystemReport> {
        let report = |system: &SystemPolicy| {
            let system = system.get();
            let figures = system.figures();
            let named = |(name, value): Figure| (name.to_owned(), value);
            (!figures.is_empty()).then(|| {
                let figures = figures.into_iter().map(named).collect();
                (system.name().to_owned(), SystemReport { bytes: system.bytes(), figures })
            })
        };
        self.systems.all.iter().filter_map(report).collect()
    }

    pub(super) fn system_name(&self, number: usize) -> String {
        self.systems.all.get(number).map_or_else(String::new, |system| system.get().name().to_owned())
    }
}
