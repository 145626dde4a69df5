//! Systems: schemes that span several slots, with one state of their own.
//!
//! A published system seldom fills one slot only: the region table of speculative translation serves reads, reclaim and
//! writes; the history behind a channel partition serves reads, placement and collection. Such a system is *one* value
//! that implements [`System`]: it is told of what happens ([`Watches`]), answers with [`Action`]s, and accounts for its
//! memory. The engine alone carries the actions out.

pub mod astro;
pub mod block_map;
pub mod combine;
pub mod lru;
pub mod partition;
pub mod plan;

use serde::{Deserialize, Serialize};

use crate::blocks::Domains;
use crate::config::{ConfigError, DeviceConfig, SchemeConfig, StartConfig};
use crate::ids::{DieId, Lpa, Ppa, SuperblockId};
use crate::mapping::{Found, Lookup};
use crate::nand::Geometry;
use crate::placement::{PlaneSet, ProgramIntent};
use crate::reclaim::WornBlock;
use crate::replicate::collision::Collision;
use crate::replicate::hotr::Hotr;
use crate::replicate::{CopyBudget, CopyLoss, CopyTarget, Reservation, Reserved, Serving};
use crate::sched::class::Cause;
use crate::sched::gates::ClassSet;
use crate::snapshot::policies::policies;
use crate::time::Ns;
use astro::Astro;
use block_map::BlockMap;

pub use crate::device::DriveView;
use partition::Partition;
pub use plan::{Pin, Place, Plan, Step};

/// What a system wants to be told of: a set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watches(u32);

impl Watches {
    /// Nothing.
    pub const NOTHING: Self = Self(0);
    /// [`System::read`].
    pub const READ: Self = Self(1);
    /// [`System::read_done`].
    pub const READ_DONE: Self = Self(2);
    /// [`System::written`].
    pub const WRITTEN: Self = Self(4);
    /// [`System::moved`].
    pub const MOVED: Self = Self(8);
    /// [`System::invalidated`].
    pub const INVALIDATED: Self = Self(16);
    /// [`System::erased`].
    pub const ERASED: Self = Self(32);
    /// [`System::idle`].
    pub const IDLE: Self = Self(64);
    /// [`System::find`], [`System::loaded`] and [`System::wrong_guess`].
    pub const TRANSLATION: Self = Self(128);
    /// [`System::reclaim`].
    pub const RECLAIM: Self = Self(256);
    /// A recorder of the engine's own looks at reads.
    pub(crate) const RECORDED: Self = Self(512);
    /// [`System::confine`] for programs of the host and of the data cache, and for pages that are first read.
    pub const PLACEMENT: Self = Self(1024);
    /// [`System::confine`] for pages that move.
    pub const MOVES_PLACEMENT: Self = Self(2048);
    /// [`System::accessed`].
    pub const ACCESS: Self = Self(4096);
    /// [`System::allocated`].
    pub const ALLOCATED: Self = Self(8192);
    /// [`System::trimmed`].
    pub const TRIMMED: Self = Self(16_384);
    /// [`System::steer`].
    pub const STEERING: Self = Self(32_768);
    /// [`System::programmed`].
    pub const PROGRAMMED: Self = Self(65_536);
    /// The system makes space itself, by plans: garbage collection moves nothing, and a full superblock in which nothing is valid
    /// any more is erased at once.
    pub const COLLECTION: Self = Self(131_072);

    /// Both sets.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the two have something in common.
    #[inline]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// How soon something is needed that can be fetched ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Some units later: what a search begins with can be fetched.
    Far,
    /// A few units later, after [`Self::Far`]: what was fetched then tells where the rest lies.
    Near,
}

/// A read of the host on its way to a die, or done there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadEvent {
    /// Logical page.
    pub lpa: Lpa,
    /// The copy that serves it.
    pub ppa: Ppa,
    /// Its die.
    pub die: DieId,
    /// Flow of the request.
    pub flow: u16,
    /// It is read along with the unit before, of the same flash page and request: no command of its own. Known when
    /// the read goes to the die only.
    pub joins: bool,
}

/// A look-up of a page in the map, on behalf of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Logical page.
    pub lpa: Lpa,
    /// Whether it is written; else it is read.
    pub write: bool,
}

/// Where a system lets a program go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confine {
    /// It has nothing to say: as without it.
    Free,
    /// To the planes that it has put into the set. For a move they are to have room ([`DriveView::has_room_for_move`]); one
    /// that finds none stays in its domain.
    Among,
}

/// Where a system sends a program of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steering {
    /// It has nothing to say: as without it.
    Free,
    /// To the next place of a superblock that it keeps open ([`System::plan_started`]), one that no plan fills at the moment.
    Into(SuperblockId),
    /// To that mapping unit of such a superblock, which lies in none of its program units that were begun. What is passed over
    /// stays unused.
    At {
        /// The superblock.
        superblock: SuperblockId,
        /// Mapping unit, as in [`Place::unit`].
        unit: u32,
    },
    /// Nowhere yet: it waits until the system asks for [`Action::AskAgain`].
    Wait,
}

/// A named figure of a system's own, for results.
pub type Figure = (&'static str, u64);

/// What a system asks of the engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Move these pages.
    Plan(Plan),
    /// Move these pages, without pins, as long as the drive is idle ([`DriveView::is_idle`]): one flash page after the other, so
    /// that a request finds no more than one command of it. When one comes nothing more is read or programmed, what is under way
    /// ends, and so does the plan.
    PlanWhileIdle(Plan),
    /// Move whatever is valid out of this superblock, within its domain, and erase it.
    Empty(SuperblockId, Cause),
    /// These dies begin no command of these classes before `until`: what waits for them waits, what runs goes on to its
    /// end. Replaces the gate that this system closed on those dies before; one whose end is past is open.
    Gate {
        /// Dies; an empty list changes nothing.
        dies: Vec<DieId>,
        /// Classes that may not begin.
        classes: ClassSet,
        /// When the gate opens. It must have an end: [`Ns::NEVER`] is refused.
        until: Ns,
    },
    /// Make a further copy of this page there. Asked for in [`System::read_done`] of a read of the page, its data is what
    /// that read brought; at any other time the page is read first. Ends with [`System::copied`] or
    /// [`System::copy_dropped`].
    Copy {
        /// The page.
        lpa: Lpa,
        /// Where to.
        to: CopyTarget,
    },
    /// Give up this copy. Left alone if it is none of the system's.
    DropCopy {
        /// The page.
        lpa: Lpa,
        /// The copy.
        ppa: Ppa,
    },
    /// Make this copy the primary, and the primary a copy of the system's. Left alone if it is no copy of the system's.
    Promote {
        /// The page.
        lpa: Lpa,
        /// The copy.
        ppa: Ppa,
    },
    /// Close a superblock that the system kept open: it becomes an ordinary full one, or free if nothing was programmed.
    Close(SuperblockId),
    /// Ask [`System::steer`] again for each program that waits for its answer, the longest waiting first.
    AskAgain,
    /// Call [`System::woken`] at this time; replaces what was asked before.
    WakeAt(Ns),
}

/// A scheme that spans slots. Every method has a default that does nothing.
///
/// An implementation decides from its own state and the read-only view. It has no clock and no randomness but what it was
/// given at its making, so that runs repeat. It is told of an event after the engine's tables have changed.
pub trait System {
    /// Short name, as in results.
    fn name(&self) -> &str;

    /// What it wants to be told of; asked once.
    fn watches(&self) -> Watches {
        Watches::NOTHING
    }

    /// Where a logical page is, asked before the mapping policy; `None` leaves the answer to that policy. The rules of
    /// [`Mapping::find`](crate::mapping::Mapping::find) hold.
    fn find(&mut self, _lookup: &Lookup, _drive: &DriveView<'_>) -> Option<Found> {
        None
    }

    /// Which planes a program may go to, asked before the placement is: it puts them into `planes`, which is empty. The first
    /// system that doesn't answer [`Confine::Free`] decides; the placement chooses among those planes. Asked for each program
    /// that carries no pin, once for the units that go to one flash page together, and again for one that waited for space in
    /// vain; not for pages of the map, nor for further copies. A move is known by its cause.
    fn confine(
        &mut self,
        _program: &ProgramIntent,
        _drive: &DriveView<'_>,
        _planes: &mut PlaneSet,
    ) -> Confine {
        Confine::Free
    }

    /// Where a program of the host, or of the data cache, goes: asked for each mapping unit when it would get its place, behind
    /// [`Self::confine`] and the placement, whose answer it replaces. The first system that doesn't answer [`Steering::Free`]
    /// decides. Units that go to one program unit while that waits are programmed together.
    fn steer(
        &mut self,
        _program: &ProgramIntent,
        _drive: &DriveView<'_>,
        _actions: &mut Vec<Action>,
    ) -> Steering {
        Steering::Free
    }

    /// Every program that was under way in a superblock which it keeps open has ended.
    fn programmed(&mut self, _superblock: SuperblockId, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {}

    /// The entry of a page was looked up for the host, once for each mapping unit of a request: for a read when it goes to
    /// flash (or would, if the page held anything), for a write, or a unit that the cache writes back, when its place has been
    /// chosen, thus behind [`Self::confine`]. Returns whether that changes what is kept with the entry: then it is dirty in a
    /// cache of the map.
    fn accessed(&mut self, _access: &Access, _drive: &DriveView<'_>) -> bool {
        false
    }

    /// A page that held nothing got its place at its first read.
    fn allocated(&mut self, _lpa: Lpa, _ppa: Ppa, _drive: &DriveView<'_>) {}

    /// The translation page asked for on behalf of this page, by whomever, is in the controller.
    fn loaded(&mut self, _page: u32, _lpa: Lpa, _drive: &DriveView<'_>) {}

    /// There was something else at the place guessed: this logical page, or none that could be told ([`Lpa::NONE`]).
    fn wrong_guess(&mut self, _lpa: Lpa, _guessed: Ppa, _found: Lpa, _drive: &DriveView<'_>) {}

    /// Whether [`Self::fetch_for_read`] does anything; asked once.
    fn fetches_ahead(&self) -> bool {
        false
    }

    /// A read of a page that lies on this die now is likely to come soon: the system may bring what it will look up then
    /// towards the caches. For speed only: reads come without this, and this without reads.
    fn fetch_for_read(&self, _lpa: Lpa, _die: DieId, _distance: Distance) {}

    /// A read of the host goes to a die (again, when it was sent on to another).
    fn read(&mut self, _read: &ReadEvent, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {}

    /// Whether the end of a read of this page is of any interest to it. Where all systems say no, none is told: for speed
    /// only.
    fn awaits(&self, _lpa: Lpa) -> bool {
        true
    }

    /// Its data is with the controller.
    fn read_done(&mut self, _read: &ReadEvent, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {}

    /// A write of the host took effect: `old` is [`Ppa::NONE`] for a page that held nothing.
    fn written(
        &mut self,
        _lpa: Lpa,
        _old: Ppa,
        _new: Ppa,
        _drive: &DriveView<'_>,
        _actions: &mut Vec<Action>,
    ) {
    }

    /// The engine moved a page.
    fn moved(
        &mut self,
        _lpa: Lpa,
        _old: Ppa,
        _new: Ppa,
        _cause: Cause,
        _drive: &DriveView<'_>,
        _actions: &mut Vec<Action>,
    ) {
    }

    /// A logical page that was at `old` holds nothing any more: the host trimmed it.
    fn trimmed(&mut self, _lpa: Lpa, _old: Ppa, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {}

    /// A physical page no longer holds what anyone wants.
    fn invalidated(&mut self, _ppa: Ppa, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {}

    /// A superblock was erased.
    fn erased(&mut self, _superblock: SuperblockId, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {}

    /// A block of a full superblock has been read too often (`scheme.reclaim`): a plan that takes its pages elsewhere and
    /// erases the superblock, or `None` to leave it to the policy of read reclaim.
    fn reclaim(&mut self, _worn: &WornBlock, _drive: &DriveView<'_>) -> Option<Plan> {
        None
    }

    /// A block of a superblock that the system keeps open has been read so often that it is to be reclaimed, which waits for
    /// the system to close it. Told with each further read of it.
    fn worn_while_open(
        &mut self,
        _superblock: SuperblockId,
        _drive: &DriveView<'_>,
        _actions: &mut Vec<Action>,
    ) {
    }

    /// No request has been in the drive for `scheme.idle_after_ns`.
    fn idle(&mut self, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {}

    /// The time asked for with [`Action::WakeAt`] has come.
    fn woken(&mut self, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {}

    /// The plan that was asked for as its `number`-th (from 0) begins: these superblocks were opened for its destinations, in
    /// their order. `true`: they stay open when it ends, for further plans ([`Pin::In`]), until [`Action::Close`].
    fn plan_started(&mut self, _number: u64, _opened: &[SuperblockId], _drive: &DriveView<'_>) -> bool {
        false
    }

    /// The plan that was asked for as its `number`-th (from 0) has ended.
    fn plan_done(&mut self, _number: u64, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {}

    /// Refuses a drive or a scheme that it can't work with; asked once, before the drive is laid out. Names the key.
    fn check(
        &self,
        _scheme: &SchemeConfig,
        _geometry: &Geometry,
        _domains: &Domains,
        _reserved: &Reserved,
    ) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Refuses a beginning of runs that it can't work from; asked once. Names the key, relative to `workload.start`.
    fn check_start(&self, _start: &StartConfig) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Whether it knows where every page is from its own tables, [`Self::bytes`]: then the mapping policy's take no memory.
    fn holds_map(&self) -> bool {
        false
    }

    /// Most copies that it may have; asked once, before the drive is laid out.
    fn copies(&self) -> CopyBudget {
        CopyBudget::None
    }

    /// Space that it wants reserved; asked once, before the drive is laid out.
    fn reservation(&self) -> Reservation {
        Reservation::default()
    }

    /// Which of these copies, one of which at least is its own, serves a read; `None` leaves it to the arbiter.
    fn serve(&mut self, _read: &Serving<'_>, _drive: &DriveView<'_>) -> Option<usize> {
        None
    }

    /// A copy that it asked for took effect. Told without being watched for, as is all about its own copies.
    fn copied(&mut self, _lpa: Lpa, _ppa: Ppa, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {}

    /// A copy of its own was moved, or was made the primary: then the old primary is the copy.
    fn copy_moved(
        &mut self,
        _lpa: Lpa,
        _old: Ppa,
        _new: Ppa,
        _drive: &DriveView<'_>,
        _actions: &mut Vec<Action>,
    ) {
    }

    /// A copy of its own is gone; one that was asked for and never made is [`Ppa::NONE`].
    fn copy_dropped(
        &mut self,
        _lpa: Lpa,
        _ppa: Ppa,
        _why: CopyLoss,
        _drive: &DriveView<'_>,
        _actions: &mut Vec<Action>,
    ) {
    }

    /// Bytes of controller memory that its structures take now, as its source counts them.
    fn bytes(&self) -> u64 {
        0
    }

    /// What it did in the measured window, by name; in results below `systems`.
    fn figures(&self) -> Vec<Figure> {
        Vec::new()
    }

    /// The measured window opens: what it counted so far is forgotten.
    fn window_opens(&mut self) {}

    /// Its state as bytes, for snapshots.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Takes up a state that [`Self::save`] gave; a text that says what is wrong with it otherwise.
    fn restore(&mut self, _state: &[u8]) -> Result<(), String> {
        Ok(())
    }

    /// A second one in the same state, which goes its own way; `None` if it can't be had: then the drive can't be forked.
    fn fork(&self) -> Option<Box<dyn System + Send>> {
        None
    }
}

/// The built-in systems, and a user's own.
pub enum SystemPolicy {
    /// Replication of pages that keep colliding.
    Collision(Box<Collision>),
    /// Copies of hot read pages in a staging space.
    Hotr(Box<Hotr>),
    /// Reads and writes on channels of their own.
    Partition(Box<Partition>),
    /// Regions in order, whose translation is guessed.
    Astro(Box<Astro>),
    /// A map of blocks, and of pages in log blocks.
    BlockMap(Box<BlockMap>),
    /// A user's own.
    Custom(Box<dyn System + Send>),
}

impl SystemPolicy {
    /// Through the trait.
    #[inline]
    pub fn get(&self) -> &dyn System {
        match self {
            Self::Collision(system) => &**system,
            Self::Hotr(system) => &**system,
            Self::Partition(system) => &**system,
            Self::Astro(system) => &**system,
            Self::BlockMap(system) => &**system,
            Self::Custom(system) => &**system,
        }
    }

    /// [`System::awaits`], which is asked for every read.
    #[inline]
    pub fn awaits(&self, lpa: Lpa) -> bool {
        match self {
            Self::Collision(system) => system.awaits(lpa),
            Self::Hotr(system) => system.awaits(lpa),
            Self::Partition(system) => system.awaits(lpa),
            Self::Astro(system) => system.awaits(lpa),
            Self::BlockMap(system) => system.awaits(lpa),
            Self::Custom(system) => system.awaits(lpa),
        }
    }

    /// The same, to change it.
    #[inline]
    pub fn get_mut(&mut self) -> &mut dyn System {
        match self {
            Self::Collision(system) => &mut **system,
            Self::Hotr(system) => &mut **system,
            Self::Partition(system) => &mut **system,
            Self::Astro(system) => &mut **system,
            Self::BlockMap(system) => &mut **system,
            Self::Custom(system) => &mut **system,
        }
    }
}

policies!(SystemPolicy, "system", rebuilt: [], stored: [Collision, Hotr, Partition, Astro, BlockMap]);

/// The built-in systems that a scheme names, in a fixed order.
pub fn of_scheme(scheme: &SchemeConfig, device: &DeviceConfig) -> Vec<SystemPolicy> {
    let collision = &scheme.collision;
    let collision =
        collision.enabled.then(|| SystemPolicy::Collision(Box::new(Collision::new(collision, device))));
    let hotr = scheme.hotr.enabled.then(|| SystemPolicy::Hotr(Box::new(Hotr::new(&scheme.hotr, device))));
    let partition = &scheme.partition;
    let partition =
        partition.enabled.then(|| SystemPolicy::Partition(Box::new(Partition::new(partition, device))));
    let astro =
        scheme.astro.enabled.then(|| SystemPolicy::Astro(Box::new(Astro::new(&scheme.astro, device))));
    let block_map =
        BlockMap::of_scheme(scheme, device).map(|system| SystemPolicy::BlockMap(Box::new(system)));
    collision.into_iter().chain(hotr).chain(partition).chain(astro).chain(block_map).collect()
}
