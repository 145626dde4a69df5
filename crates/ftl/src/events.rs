//! What a system is told and asked, and its answers about where programs go.

use crate::replicate::CopyLoss;
use wordline_base::class::Cause;
use wordline_base::ids::{DieId, Lpa, PlaneId, Ppa, SuperblockId};

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

/// What a system is told of. The engine's tables have changed by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A read of the host goes to a die (again, when it was sent on to another).
    Read(ReadEvent),
    /// Its data is with the controller.
    ReadDone(ReadEvent),
    /// A write of the host took effect.
    Written {
        /// Logical page.
        lpa: Lpa,
        /// Where it was; [`Ppa::NONE`] for a page that held nothing.
        old: Ppa,
        /// Where it is.
        new: Ppa,
    },
    /// The engine moved a page.
    Moved {
        /// Logical page.
        lpa: Lpa,
        /// Where it was.
        old: Ppa,
        /// Where it is.
        new: Ppa,
        /// Why.
        cause: Cause,
    },
    /// A logical page holds nothing any more: the host trimmed it.
    Trimmed {
        /// Logical page.
        lpa: Lpa,
        /// Where it was.
        old: Ppa,
    },
    /// A page that held nothing got its place at its first read.
    Allocated {
        /// Logical page.
        lpa: Lpa,
        /// Its place.
        ppa: Ppa,
    },
    /// A physical page no longer holds what anyone wants.
    Invalidated(Ppa),
    /// Garbage collection begins to move the valid pages of a superblock, all of which are still in it.
    Collected(SuperblockId),
    /// A superblock was erased.
    Erased(SuperblockId),
    /// Every program that was under way in a superblock which it keeps open has ended.
    Programmed(SuperblockId),
    /// A block of a superblock that the system keeps open has been read so often that it is to be reclaimed, which waits for
    /// the system to close it. Told with each further read of it, to this system only, without being watched for.
    WornWhileOpen(SuperblockId),
    /// A translation page asked for on behalf of this page, by whomever, is in the controller.
    Loaded {
        /// Translation page.
        page: u32,
        /// Logical page.
        lpa: Lpa,
    },
    /// There was something else at the place guessed.
    WrongGuess {
        /// Logical page that was looked for.
        lpa: Lpa,
        /// Where.
        guessed: Ppa,
        /// What was there: this logical page, or none that could be told ([`Lpa::NONE`]).
        found: Lpa,
    },
    /// No request has been in the drive for `scheme.idle_after_ns`.
    Idle,
    /// The time that the system asked for has come. Told without being watched for, as is what
    /// follows.
    Woken,
    /// The plan that the system asked for as its so many-th (from 0) has ended.
    PlanDone(u64),
    /// A copy that it asked for took effect.
    Copied {
        /// Logical page.
        lpa: Lpa,
        /// Where the copy is.
        ppa: Ppa,
    },
    /// A copy of its own was moved, or was made the primary: then the old primary is the copy.
    CopyMoved {
        /// Logical page.
        lpa: Lpa,
        /// Where the copy was.
        old: Ppa,
        /// Where it is.
        new: Ppa,
    },
    /// A copy of its own is gone.
    CopyDropped {
        /// Logical page.
        lpa: Lpa,
        /// Where it was; one that was asked for and never made is [`Ppa::NONE`].
        ppa: Ppa,
        /// Why.
        why: CopyLoss,
    },
}

/// A look-up of a page in the map, on behalf of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Logical page.
    pub lpa: Lpa,
    /// Whether it is written; else it is read.
    pub write: bool,
}

/// The planes that a system lets a program go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedPlanes {
    /// It has nothing to say: as without it.
    All,
    /// To the planes that it has put into the set. For a move they are to have room
    /// ([`View::has_room_for_move`](crate::view::View::has_room_for_move)); one that finds none stays in its
    /// domain.
    Listed,
}

/// The place that a system gives a program of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePlace {
    /// It has nothing to say: as without it.
    Free,
    /// To the next place of a superblock that it keeps open,
    /// one that no plan fills at the moment.
    Into(SuperblockId),
    /// To that mapping unit of such a superblock, which lies in none of its program units that were begun. What is
    /// passed over stays unused.
    At {
        /// The superblock.
        superblock: SuperblockId,
        /// Mapping unit, as in [`Place::unit`](crate::plan::Place::unit).
        unit: u32,
    },
    /// Nowhere yet: it waits until the system wants to be asked again.
    Wait,
}

/// A block that was read too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WornBlock {
    /// The superblock that it belongs to; full.
    pub superblock: SuperblockId,
    /// Its plane.
    pub plane: PlaneId,
    /// Its number in the plane.
    pub block: u32,
    /// The unit that was read last.
    pub ppa: Ppa,
    /// Array reads since its erase.
    pub reads: u32,
}
