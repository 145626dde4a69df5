//! What a system is told and asked, and its answers about where programs go.

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
    /// To the planes that it has put into the set. For a move they are to have room
    /// ([`DriveView::has_room_for_move`](super::View::has_room_for_move)); one that finds none stays in its
    /// domain.
    Among,
}

/// Where a system sends a program of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steering {
    /// It has nothing to say: as without it.
    Free,
    /// To the next place of a superblock that it keeps open ([`System::plan_started`](super::System::plan_started)),
    /// one that no plan fills at the moment.
    Into(SuperblockId),
    /// To that mapping unit of such a superblock, which lies in none of its program units that were begun. What is
    /// passed over stays unused.
    At {
        /// The superblock.
        superblock: SuperblockId,
        /// Mapping unit, as in [`Place::unit`](super::Place::unit).
        unit: u32,
    },
    /// Nowhere yet: it waits until the system asks for [`Action::AskAgain`](super::Action::AskAgain).
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
