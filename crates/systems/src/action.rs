//! What a system asks of the engine.

use serde::{Deserialize, Serialize};

use super::Plan;
use wordline_base::class::Cause;
use wordline_base::ids::{DieId, Lpa, Ppa, SuperblockId};
use wordline_base::time::Ns;
use wordline_flash::sched::gates::ClassSet;
use wordline_ftl::replicate::CopyTarget;

/// What a system asks of the engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Move these pages.
    Plan(Plan),
    /// Move these pages, without pins, as long as the drive is idle
    /// ([`DriveView::is_idle`](super::View::is_idle)): one flash page after the other, so that a request finds
    /// no more than one command of it. When one comes nothing more is read or programmed, what is under way ends, and
    /// so does the plan.
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
    /// Make a further copy of this page there. Asked for in [`Event::ReadDone`](super::Event::ReadDone) of a read
    /// of the page, its data is what that read brought; at any other time the page is read first. Ends with
    /// [`Event::Copied`](super::Event::Copied) or [`Event::CopyDropped`](super::Event::CopyDropped).
    Copy {
        /// The page.
        lpa: Lpa,
        /// Where to.
        to: CopyTarget,
    },
    /// Give up this copy. Left alone if it is none of the system's; a page beyond the drive is a fault.
    DropCopy {
        /// The page.
        lpa: Lpa,
        /// The copy.
        ppa: Ppa,
    },
    /// Make this copy the primary, and the primary a copy of the system's. Left alone if it is no copy of the system's; a
    /// page beyond the drive is a fault.
    Promote {
        /// The page.
        lpa: Lpa,
        /// The copy.
        ppa: Ppa,
    },
    /// Close a superblock that the system kept open: it becomes an ordinary full one, or free if nothing was programmed.
    Close(SuperblockId),
    /// Ask [`System::place_write`](super::System::place_write) again for each program that waits for its answer, the longest
    /// waiting first.
    AskAgain,
    /// Call [`Event::Woken`](super::Event::Woken) at this time; replaces what was asked before.
    WakeAt(Ns),
}
