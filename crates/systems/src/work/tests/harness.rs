//! Whoever holds the systems: a drive of whose tables systems see next to nothing, and systems that say what they heard.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::action::Action;
use crate::events::{Access, AllowedPlanes, Distance, Event, WornBlock, WritePlace};
use crate::plan::Plan;
use crate::policies::{ReclaimPolicy, SystemPolicy};
use crate::system::System;
use crate::view::{DriveView, View};
use crate::watches::Watches;
use crate::work::{AroundSystems, ReadOf, Systems, do_what_was_asked};
use wordline_base::class::{Cause, Class, FlashOp};
use wordline_base::ids::{DieId, DomainId, Lpa, PlaneId, Ppa, SuperblockId};
use wordline_base::request::ReadThere;
use wordline_base::time::Ns;
use wordline_flash::nand::Geometry;
use wordline_ftl::blocks::table::BlockView;
use wordline_ftl::blocks::{BlockState, Domains};
use wordline_ftl::mapping::{Found, FurtherCopy, Lookup};
use wordline_ftl::placement::{PlaneSet, ProgramIntent};
use wordline_ftl::replicate::Serving;

/// What a system heard, or was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    Told(Event),
    Accessed(Access),
    Fetches(Lpa, DieId, Distance),
    Asked(&'static str),
    Window,
}

/// What systems heard, in its order: which of them, and what.
pub type Log = Arc<Mutex<Vec<(&'static str, Heard)>>>;

/// A system that answers the same each time, and asks for what it was given whenever it is told something.
#[derive(Clone)]
pub struct Toy {
    pub name: &'static str,
    pub watches: Watches,
    pub fetches: bool,
    pub awaits: bool,
    /// What it asks for when it is told something, one each time.
    pub asks: VecDeque<Action>,
    pub changes_entries: bool,
    pub planes: Option<Vec<PlaneId>>,
    pub place: WritePlace,
    pub found: Option<Found>,
    pub serves: Option<usize>,
    pub plan: Option<Plan>,
    pub keeps: bool,
    pub log: Log,
}

impl Toy {
    /// One that answers nothing.
    pub fn new(name: &'static str, watches: Watches, log: &Log) -> Self {
        Self {
            name,
            watches,
            fetches: false,
            awaits: true,
            asks: VecDeque::new(),
            changes_entries: false,
            planes: None,
            place: WritePlace::Free,
            found: None,
            serves: None,
            plan: None,
            keeps: false,
            log: Arc::clone(log),
        }
    }

    fn hears(&self, heard: Heard) {
        self.log.lock().unwrap().push((self.name, heard));
    }
}

impl System for Toy {
    fn name(&self) -> &str {
        self.name
    }

    fn watches(&self) -> Watches {
        self.watches
    }

    fn told(&mut self, event: &Event, _drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        self.hears(Heard::Told(*event));
        actions.extend(self.asks.pop_front());
    }

    fn find(&mut self, _lookup: &Lookup, _drive: &DriveView<'_>) -> Option<Found> {
        self.hears(Heard::Asked("find"));
        self.found
    }

    fn allowed_planes(
        &mut self,
        _program: &ProgramIntent,
        _drive: &DriveView<'_>,
        planes: &mut PlaneSet,
    ) -> AllowedPlanes {
        self.hears(Heard::Asked("planes"));
        let Some(listed) = &self.planes else { return AllowedPlanes::All };
        listed.iter().for_each(|&plane| planes.insert(plane));
        AllowedPlanes::Listed
    }

    fn place_write(
        &mut self,
        _program: &ProgramIntent,
        _drive: &DriveView<'_>,
        actions: &mut Vec<Action>,
    ) -> WritePlace {
        self.hears(Heard::Asked("place"));
        actions.extend(self.asks.pop_front());
        self.place
    }

    fn accessed(&mut self, access: &Access, _drive: &DriveView<'_>) -> bool {
        self.hears(Heard::Accessed(*access));
        self.changes_entries
    }

    fn fetches_ahead(&self) -> bool {
        self.fetches
    }

    fn fetch_for_read(&self, lpa: Lpa, die: DieId, distance: Distance) {
        self.hears(Heard::Fetches(lpa, die, distance));
    }

    fn awaits(&self, _lpa: Lpa) -> bool {
        self.awaits
    }

    fn reclaim(&mut self, _worn: &WornBlock, _drive: &DriveView<'_>) -> Option<Plan> {
        self.hears(Heard::Asked("reclaim"));
        self.plan.clone()
    }

    fn plan_started(&mut self, _number: u64, _opened: &[SuperblockId], _drive: &DriveView<'_>) -> bool {
        self.keeps
    }

    fn serve(&mut self, _read: &Serving<'_>, _drive: &DriveView<'_>) -> Option<usize> {
        self.hears(Heard::Asked("serve"));
        self.serves
    }

    fn window_opens(&mut self) {
        self.hears(Heard::Window);
    }

    fn fork(&self) -> Option<Box<dyn System + Send>> {
        Some(Box::new(self.clone()))
    }
}

/// The systems, and a drive of 16 pages on as many dies.
pub struct Alone {
    pub systems: Systems,
    pub now: u64,
    pub acts: Vec<(usize, ReadOf, Action)>,
    pub log: Log,
}

impl Alone {
    pub fn new() -> Self {
        Self {
            systems: Systems::new(Ns(1000), ReclaimPolicy::None),
            now: 0,
            acts: Vec::new(),
            log: Log::default(),
        }
    }

    /// A drive with these systems, each by its name.
    pub fn with(watches: &[(&'static str, Watches)], change: impl Fn(&mut Toy)) -> Self {
        let mut drive = Self::new();
        for &(name, watches) in watches {
            let mut toy = Toy::new(name, watches, &drive.log);
            change(&mut toy);
            drive.systems.add(SystemPolicy::Custom(Box::new(toy)));
        }
        drive
    }

    /// What was heard since this was asked last.
    pub fn heard(&self) -> Vec<(&'static str, Heard)> {
        std::mem::take(&mut self.log.lock().unwrap())
    }

    /// What systems asked for is done; returns what that was.
    pub fn finish(&mut self) -> Vec<(usize, ReadOf, Action)> {
        do_what_was_asked(self);
        std::mem::take(&mut self.acts)
    }
}

impl AroundSystems for Alone {
    fn systems(&self) -> &Systems {
        &self.systems
    }

    fn systems_mut(&mut self) -> &mut Systems {
        &mut self.systems
    }

    fn act(&mut self, system: usize, read: ReadOf, action: Action) {
        // What is done here tells all of it, as an erase would.
        if let Action::Empty(superblock, _) = action {
            crate::work::tell(self, &Event::Erased(superblock));
        }
        self.acts.push((system, read, action));
    }
}

/// Nobody of those that are asked here looks at it.
macro_rules! not_looked_at {
    ($($name:ident($($parameter:ident: $type:ty),*) -> $answer:ty;)*) => {$(
        fn $name(&self, $($parameter: $type),*) -> $answer {
            $(let _ = $parameter;)*
            panic!(stringify!($name))
        }
    )*};
}

impl View for Alone {
    fn now(&self) -> Ns {
        Ns(self.now)
    }

    fn logical_units(&self) -> u32 {
        16
    }

    fn find(&self, lpa: Lpa) -> Ppa {
        if lpa.0 < 16 { Ppa(100 + lpa.0) } else { Ppa::NONE }
    }

    fn die_of(&self, ppa: Ppa) -> DieId {
        DieId(ppa.0 - 100)
    }

    fn reads_at(&self, _die: DieId, _found: &mut Vec<ReadThere>) {}

    not_looked_at! {
        geometry() -> &Geometry;
        outstanding() -> &[u32];
        bus_is_busy(channel: u32) -> bool;
        is_idle() -> bool;
        has_room(plane: PlaneId) -> bool;
        has_room_for_move(plane: PlaneId, cause: Cause) -> bool;
        copies(lpa: Lpa) -> &[FurtherCopy];
        is_reserved(die: DieId) -> bool;
        reserves_dies() -> bool;
        command(die: DieId) -> Option<Class>;
        command_before_read(ppa: Ppa) -> Option<Class>;
        waits_ahead(die: DieId, kind: FlashOp) -> bool;
        running(die: DieId) -> Option<(Class, Ns)>;
        valid_lpa(ppa: Ppa) -> Option<Lpa>;
        domains() -> &Domains;
        superblock_of(ppa: Ppa) -> SuperblockId;
        split(superblock: SuperblockId) -> (DomainId, u32);
        blocks(domain: DomainId) -> BlockView<'_>;
        state(superblock: SuperblockId) -> BlockState;
        free(domain: DomainId) -> u32;
        unit_at(superblock: SuperblockId, unit: u32) -> Ppa;
        unit_of(ppa: Ppa) -> u32;
        home(lpa: Lpa) -> (SuperblockId, u32);
        at_home(superblock: SuperblockId, unit: u32) -> Option<Lpa>;
        next_unit(superblock: SuperblockId) -> Option<u32>;
        valid(superblock: SuperblockId) -> u32;
        has_no_program_under_way(superblock: SuperblockId) -> bool;
        data_planes() -> u32;
        block_reads(plane: PlaneId, block: u32) -> u32;
        planes(domain: DomainId) -> &[PlaneId];
    }
}
