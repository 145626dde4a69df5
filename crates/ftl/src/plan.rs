//! Plans: pages that are to be moved, in which order, to which places, and what is erased afterwards.

use serde::{Deserialize, Serialize};

use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Ppa, SuperblockId};

/// Where a page of a plan goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pin {
    /// Wherever the placement says; without one that places moves, into the domain that it comes from.
    Any,
    /// Exactly there.
    Exact(Place),
    /// Exactly there, in a superblock that the system keeps open.
    In {
        /// The superblock.
        superblock: SuperblockId,
        /// Mapping unit, as in [`Place::unit`]; behind the program unit (with parity: the superpage) that was used last there.
        unit: u32,
    },
    /// The pages of the step one after another from this place on, leaving out these mapping units of the destination
    /// (ascending). They stay unused.
    Span {
        /// Place of the first page, unless that is a hole.
        first: Place,
        /// Mapping units that are passed over.
        holes: Vec<u32>,
    },
}

/// A mapping unit of a superblock that the plan fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    /// Which of [`Plan::destinations`].
    pub destination: usize,
    /// Mapping unit of that superblock in the order in which it is filled: superpage by superpage, plane by plane of the
    /// domain, unit by unit of the flash page.
    pub unit: u32,
}

/// Pages that move together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Physical pages, in order. One that holds nothing of value when its turn comes is passed over; its place stays
    /// unused.
    pub pages: Vec<Ppa>,
    /// Where they go.
    pub pin: Pin,
}

/// Work of no one's request: a policy makes it, the engine carries it out.
///
/// The engine reads the pages in order, a bounded number ahead, programs each at its place when its turn comes, and
/// erases a source when nothing valid is left in it *and all programs have ended*, never before: data in the controller's
/// memory is not safe. A plan waits until a free superblock can be spared for each of its destinations. What is still
/// valid in a source after the last step stays there, and the block becomes an ordinary full one again.
///
/// Pinned units must be in ascending order within each destination, since pages of a block are programmed in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Why: [`Cause::ReadReclaim`], [`Cause::WearLevelling`], [`Cause::Migration`] or [`Cause::Gc`].
    pub cause: Cause,
    /// Domains in each of which one free superblock is opened for pinned pages. One domain may be named several times.
    pub destinations: Vec<DomainId>,
    /// What moves, in order.
    pub steps: Vec<Step>,
    /// Full superblocks that are erased when the plan has emptied them.
    pub erase: Vec<SuperblockId>,
}

impl Plan {
    /// The pages of one superblock go to one fresh superblock of its domain: that of `units[u]` to mapping unit u of it, which
    /// stays unused for [`Ppa::NONE`]. The source is erased then.
    pub fn into_fresh(cause: Cause, domain: DomainId, source: SuperblockId, units: &[Ppa]) -> Self {
        let pages: Vec<Ppa> = units.iter().copied().filter(|ppa| ppa.is_some()).collect();
        let holes = (0..).zip(units).filter(|(_, ppa)| !ppa.is_some()).map(|(unit, _)| unit).collect();
        let pin = Pin::Span { first: Place { destination: 0, unit: 0 }, holes };
        let destinations = if pages.is_empty() { vec![] } else { vec![domain] };
        let steps = vec![Step { pages, pin }];
        Self { cause, destinations, steps, erase: vec![source] }
    }
}
