//! Placement: which plane a program goes to.

pub mod dynamic;
pub mod planes;
pub mod sets;
pub mod static_order;

use crate::redundancy::PageStripes;
use crate::replicate::Reserved;
use std::sync::Arc;
use wordline_base::class::Cause;
use wordline_base::ids::{Lpa, PlaneId, Ppa};
use wordline_base::policies;
use wordline_config::scheme::{Level, PlacementConfig, PlacementKind, PlacementOrder};
use wordline_flash::nand::Geometry;

pub use dynamic::DynamicPlacement;
pub use planes::PlaneSet;
pub use sets::PlaneSets;
pub use static_order::StaticPlacement;

/// A program that wants a plane.
#[derive(Clone, Copy, Debug)]
pub struct ProgramIntent {
    /// Logical page.
    pub lpa: Lpa,
    /// Why it is programmed.
    pub cause: Cause,
    /// Where its data lies now, for a page that is moved; [`Ppa::NONE`] for data of the host.
    pub source: Ppa,
    /// The host's stream that it belongs to; 0 where that is unknown.
    pub stream: u16,
    /// It gets its first place because it is read.
    pub first_read: bool,
}

impl ProgramIntent {
    /// A write of the host.
    pub fn host(lpa: Lpa, stream: u16) -> Self {
        Self { lpa, cause: Cause::Host, source: Ppa::NONE, stream, first_read: false }
    }
}

/// What a placement may look at.
pub struct PlacementView<'a> {
    /// Counts of the drive.
    pub geometry: &'a Geometry,
    /// Flash pages waiting or running on each die.
    pub outstanding: &'a [u32],
    /// The planes that a system leaves it (`System::allowed_planes`), or those of the page's set (`scheme.nvm_set`); `None`: all. Others
    /// count as having no room.
    pub among: Option<&'a PlaneSet>,
    /// Whether the domain of a plane (see [`crate::blocks::Domains`]) has room for more of the host's data.
    pub has_room: &'a dyn Fn(PlaneId) -> bool,
    /// Mapping units that the domain of a plane holds, those on their way included.
    pub held: &'a dyn Fn(PlaneId) -> u32,
}

impl PlacementView<'_> {
    /// Whether a plane is left to the placement.
    #[inline]
    pub fn allows(&self, plane: PlaneId) -> bool {
        self.among.is_none_or(|planes| planes.has(plane))
    }
}

/// Chooses the plane of every program that carries no pin, once for the units of one flash page that a request writes,
/// or of one program that the data cache writes back.
/// Where superblocks are in use it thereby chooses the domain, whose superpages are filled plane by plane.
///
/// A choice is a function of its own state and of the view: no clock. It need not check for
/// free blocks: the engine holds a program back until its domain has one. A move (of garbage collection, read reclaim,
/// wear levelling, migration) whose chosen domain has no block to spare stays in the domain that it comes from, where
/// one is kept for it.
///
/// It is asked in the order of admission (of a read-modify-write when its read has ended), and for pages written during preparation. It is
/// asked again for a read-modify-write that starts over, and, once the drive is at rest, for writes that wait for space. Where a system
/// or the page's NVM Set leaves it some planes (`PlacementView::among`), `has_room` says no for all others. It must
///
/// - name a plane of the drive, and of those: any other ends the run with an error;
/// - leave out planes for which `has_room` says no, if it can put more pages into one domain than another. A write to a domain without
///   space waits for collection there; if collection can't win any, and the placement insists, the run ends with an error;
/// - draw from a named stream of its own where it needs chance (`rng::stream`). Otherwise runs don't repeat.
///
/// The sequential fill of `[start]` lies over all planes, whatever the placement.
pub trait Placement {
    /// Whether moves ask as well. Where they don't, they stay in their domain.
    fn places_moves(&self) -> bool {
        false
    }

    /// Plane of this program.
    fn place(&mut self, program: &ProgramIntent, view: &PlacementView<'_>) -> PlaneId;

    wordline_base::state_methods!(Placement);

    /// The plane of a logical page, where it follows from the address alone: then all pages or none have one. Units
    /// that are written back together share a flash page only if they may lie there.
    fn plane_by_address(&self, _lpa: Lpa) -> Option<PlaneId> {
        None
    }
}

/// The built-in placements, and a user's own.
pub enum PlacementPolicy {
    /// By the logical address.
    Static(StaticPlacement),
    /// By what is idle.
    Dynamic(Box<DynamicPlacement>),
    /// A user's own.
    Custom(Box<dyn Placement + Send>),
}

impl PlacementPolicy {
    /// The one that a scheme names, on a drive without reserved dies.
    pub fn new(config: &PlacementConfig, geometry: &Geometry) -> Self {
        match config.policy {
            PlacementKind::Static => Self::Static(StaticPlacement::new(geometry, config.order)),
            PlacementKind::Dynamic => Self::Dynamic(Box::new(DynamicPlacement::new(geometry, config.order))),
        }
    }

    /// Deals out stripes of logical pages, their parity included, where the address alone decides.
    pub fn deal_stripes(&mut self, stripes: &PageStripes) {
        if let Self::Static(policy) = self {
            policy.deal_stripes(stripes);
        }
    }

    /// Keeps pages to the planes of their sets. A user's own placement is told by the view that all others have no room.
    pub fn keep_to(&mut self, sets: &Arc<PlaneSets>) {
        match self {
            Self::Static(policy) => policy.keep_to(sets),
            Self::Dynamic(policy) => policy.keep_to(sets),
            Self::Custom(_) => {}
        }
    }

    /// Leaves the reserved planes out. A user's own placement is told by the view that they have no room.
    pub fn leave_out(&mut self, reserved: &Reserved) {
        match self {
            _ if !reserved.has_dies() => {}
            Self::Static(policy) => policy.leave_out(reserved),
            Self::Dynamic(policy) => policy.leave_out(reserved),
            Self::Custom(_) => {}
        }
    }
}

impl Placement for PlacementPolicy {
    fn places_moves(&self) -> bool {
        match self {
            Self::Static(policy) => policy.places_moves(),
            Self::Dynamic(policy) => policy.places_moves(),
            Self::Custom(policy) => policy.places_moves(),
        }
    }

    #[inline]
    fn place(&mut self, program: &ProgramIntent, view: &PlacementView<'_>) -> PlaneId {
        match self {
            Self::Static(policy) => policy.place(program, view),
            Self::Dynamic(policy) => policy.place(program, view),
            Self::Custom(policy) => policy.place(program, view),
        }
    }

    fn plane_by_address(&self, lpa: Lpa) -> Option<PlaneId> {
        match self {
            Self::Static(policy) => policy.plane_by_address(lpa),
            Self::Dynamic(policy) => policy.plane_by_address(lpa),
            Self::Custom(policy) => policy.plane_by_address(lpa),
        }
    }
}

policies!(PlacementPolicy, "placement", rebuilt: [Static], stored: [Dynamic]);

/// The planes in an order of levels, the fastest changing level first: position in the order → plane.
pub fn planes_in_order(geometry: &Geometry, order: PlacementOrder) -> Vec<PlaneId> {
    let count = |level| match level {
        Level::Channel => geometry.channels,
        Level::Way => geometry.ways,
        Level::Die => geometry.dies_per_chip,
        Level::Plane => geometry.planes_per_die,
    };
    (0..geometry.planes())
        .map(|position| {
            let mut rest = position;
            let [mut channel, mut way, mut die, mut plane] = [0; 4];
            for level in order.0 {
                let digit = rest % count(level);
                rest /= count(level);
                match level {
                    Level::Channel => channel = digit,
                    Level::Way => way = digit,
                    Level::Die => die = digit,
                    Level::Plane => plane = digit,
                }
            }
            geometry.plane_at(channel, way, die, plane)
        })
        .collect()
}
