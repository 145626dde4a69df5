//! The flash translation layer of a drive: the map and what it says of flash, blocks and where writing goes on, and everything
//! that moves pages.

use super::DomainState;
use super::background::Background;
use super::copies::Replication;
use super::parity::Redundant;
use super::parity_pages::StripedPages;
use super::partial_writes::PartialWrites;
use super::plans::Plans;
use super::preconditioning::Untimed;
use super::purposes::Purposes;
use super::reclaim::Reclaim;
use super::rotating::Rotation;
use super::slc_cache::SlcState;
use super::translate::Translation;
use super::wear::StaticWear;
use super::wear_out::WearOut;
use crate::blocks::separation::SeparationPolicy;
use crate::blocks::slc_cache::SlcCachePolicy;
use crate::blocks::{BlockTable, Domains, Isolated, Points};
use crate::gc::GcPolicy;
use crate::gc::collector::Thresholds;
use crate::gc::pace::Pace;
use crate::mapping::fetched_layout::FetchedLayout;
use crate::mapping::oob::{Oob, Versions};
use crate::mapping::{Copies, Layout, PageMap};
use crate::nand::Geometry;
use crate::placement::PlacementPolicy;
use crate::systems::ReclaimPolicy;
use wordline_base::fields;

/// The flash translation layer.
pub(super) struct Ftl {
    /// Counts of the drive.
    pub geometry: Geometry,
    /// The preconditioned layout.
    pub layout: Layout,
    /// From logical to physical pages.
    pub map: PageMap,
    /// From physical to logical pages.
    pub oob: Oob,
    /// Newest versions; `None` unless the drive is checked.
    pub versions: Option<Versions>,
    /// Logical pages that hold data.
    pub mapped_units: u64,
    /// Which planes belong together.
    pub domains: Domains,
    /// Stages of life, valid units and erases of superblocks.
    pub blocks: BlockTable,
    /// Which write point is whose.
    pub points: Points,
    /// By domain.
    pub domain: Vec<DomainState>,
    /// Which write point takes a page of the host.
    pub separation: SeparationPolicy,
    /// Further copies of pages; empty and never touched on a drive whose systems make none.
    pub copies: Copies,
    /// What systems may have of copies.
    pub replication: Replication,
    /// Where programs without a pin go.
    pub placement: PlacementPolicy,
    /// What is collected.
    pub gc: GcPolicy,
    /// What systems and reclaim asked to be moved.
    pub plans: Plans,
    /// What operations are for.
    pub purposes: Purposes,
    /// Writes of parts of pages, one at a time for each page.
    pub partial_writes: PartialWrites,
    /// What the firmware knows of the map.
    pub translation: Translation,
    /// The SLC cache; `None` without one.
    pub slc: Option<Box<SlcState>>,
    /// How large it is.
    pub slc_policy: SlcCachePolicy,
    /// What becomes of worn blocks.
    pub reclaim_policy: ReclaimPolicy,
    /// `None` while no block is ever reclaimed.
    pub reclaim: Option<Box<Reclaim>>,
    /// Collection while the drive is idle.
    pub background: Background,
    /// `None` where domains don't take turns at collecting.
    pub rotation: Option<Box<Rotation>>,
    /// `None` without static wear levelling.
    pub static_wear: Option<Box<StaticWear>>,
    /// `None` where no block is ever bad.
    pub wear_out: Option<Box<WearOut>>,
    /// `None` without parity.
    pub redundancy: Option<Box<Redundant>>,
    /// `None` without parity of logical pages.
    pub striped: Option<Box<StripedPages>>,
    /// Whose superblocks are whose, where collection keeps streams apart.
    pub isolated: Option<Box<Isolated>>,
    /// When collection begins and ends.
    pub thresholds: Thresholds,
    /// `None` where collection begins and stops at thresholds only.
    pub pace: Option<Pace>,
    /// Most live units of a domain that has room for more.
    pub room_limit: u32,
    /// Mapping units that the host sees.
    pub logical_units: u32,
    /// While pages are overwritten without simulated time; `None` before.
    pub untimed: Option<Box<Untimed>>,
    /// Of a layout whose formula is dear.
    pub fetched_layout: Option<Box<FetchedLayout>>,
}

fields! {
    Ftl:
    rebuilt: geometry logical_units thresholds pace room_limit domains points;
    state: purposes mapped_units blocks isolated domain plans slc copies partial_writes wear_out reclaim background rotation static_wear;
    parts: layout map oob versions placement gc translation redundancy striped separation reclaim_policy slc_policy replication;
    dropped: untimed fetched_layout;
}
