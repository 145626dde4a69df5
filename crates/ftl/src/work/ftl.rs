//! The flash translation layer of a drive: the map and what it says of flash, blocks and where writing goes on, and everything
//! that moves pages.

use crate::blocks::separation::SeparationPolicy;
use crate::blocks::slc_cache::SlcCachePolicy;
use crate::blocks::{BlockTable, Domains, Isolated, Points};
use crate::blocks::{FreeList, WritePoint};
use crate::durable::{Oob, Sequences};
use crate::gc::GcPolicy;
use crate::gc::collector::Collector;
use crate::gc::collector::Thresholds;
use crate::gc::pace::Pace;
use crate::gc::pace::PaceLedger;
use crate::mapping::fetched_layout::FetchedLayout;
use crate::mapping::{Copies, Layout, PageMap};
use crate::placement::{PlacementPolicy, PlaneSets};
use crate::versions::{Numbers, Versions};
use crate::work::collection::background::Background;
use crate::work::collection::rotating::Rotation;
use crate::work::collection::slc_cache::SlcState;
use crate::work::collection::wear::StaticWear;
use crate::work::collection::wear_out::WearOut;
use crate::work::copies::making::Replication;
use crate::work::parity::pages::StripedPages;
use crate::work::parity::rows::Redundant;
use crate::work::plans::Plans;
use crate::work::plans::awaited_moves::Awaits;
use crate::work::preparation::untimed::Untimed;
use crate::work::purposes::Purposes;
use crate::work::reclaim::Reclaim;
use crate::work::translation::look_ups::Translation;
use crate::work::writes::partial_writes::PartialWrites;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;
use wordline_base::fields;
use wordline_base::ids::{DomainId, Lpa, Ppa};
use wordline_config::device::{DeviceConfig, ProgramData};
use wordline_config::scheme::{SchemeConfig, UnmappedReads};
use wordline_config::wear::FreeBlock;
use wordline_flash::nand::Geometry;
use wordline_flash::sched::queue::OpId;

/// Rules of the layer that no part of it owns.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Whether programs move the sectors that were written only.
    pub written_only: bool,
    /// Whether the placement, or a system, is asked where pages move to.
    pub places_moves: bool,
    /// Whose moves the host waits for.
    pub awaits: Awaits,
    /// Whether write-back goes past planes that collect.
    pub past_collection: bool,
    /// What a read of a page without data does.
    pub unmapped_reads: UnmappedReads,
    /// Which erased superblock is opened next.
    pub free_block: FreeBlock,
}

impl Rules {
    /// The rules of a drive whose policies haven't been asked yet.
    pub fn new(device: &DeviceConfig, scheme: &SchemeConfig) -> Self {
        Self {
            written_only: device.channel.program_data == ProgramData::Written,
            places_moves: false,
            awaits: Awaits::of_scheme(scheme),
            past_collection: scheme.cache.past_collection,
            unmapped_reads: scheme.mapping.unmapped_reads,
            free_block: scheme.wear.free_block,
        }
    }
}

/// What belongs to one domain.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DomainState {
    /// Free superblocks.
    pub free: FreeList,
    /// Where writing goes on, by [`Points`].
    pub points: Vec<WritePoint>,
    /// What is being emptied.
    pub collector: Collector,
    /// What paced collection remembers.
    pub pace: PaceLedger,
    /// Programs that wait for a free superblock.
    pub stalled: VecDeque<OpId>,
    /// Valid units and units on their way.
    pub live: u32,
    /// Free superblocks that a waiting plan needs.
    pub demand: u32,
}

/// The flash translation layer.
pub struct Ftl {
    /// What no part owns.
    pub(crate) rules: Rules,
    /// Programs of the host that wait until a system says where they go.
    pub(crate) held: VecDeque<OpId>,
    /// Counts of the drive.
    pub(crate) geometry: Geometry,
    /// The preconditioned layout.
    pub(crate) layout: Layout,
    /// From logical to physical pages.
    pub(crate) map: PageMap,
    /// From physical to logical pages.
    pub(crate) oob: Oob,
    /// Newest versions; `None` where no sequence numbers are kept.
    pub(crate) versions: Option<Versions>,
    /// Logical pages that hold data.
    pub(crate) mapped_units: u64,
    /// Which planes belong together.
    pub(crate) domains: Domains,
    /// Sets of planes that keep their logical pages to themselves; `None` without.
    pub(crate) sets: Option<Arc<PlaneSets>>,
    /// Stages of life, valid units and erases of superblocks.
    pub(crate) blocks: BlockTable,
    /// Which write point is whose.
    pub(crate) points: Points,
    /// By domain.
    pub(crate) domain: Vec<DomainState>,
    /// Which write point takes a page of the host.
    pub(crate) separation: SeparationPolicy,
    /// Further copies of pages; empty and never touched on a drive whose systems make none.
    pub(crate) copies: Copies,
    /// What systems may have of copies.
    pub(crate) replication: Replication,
    /// Where programs without a pin go.
    pub(crate) placement: PlacementPolicy,
    /// What is collected.
    pub(crate) gc: GcPolicy,
    /// What systems and reclaim asked to be moved.
    pub(crate) plans: Plans,
    /// What operations are for.
    pub(crate) purposes: Purposes,
    /// Writes of parts of pages, one at a time for each page.
    pub(crate) partial_writes: PartialWrites,
    /// What the firmware knows of the map.
    pub(crate) translation: Translation,
    /// The SLC cache; `None` without one.
    pub(crate) slc: Option<Box<SlcState>>,
    /// How large it is.
    pub(crate) slc_policy: SlcCachePolicy,
    /// `None` while no block is ever reclaimed.
    pub(crate) reclaim: Option<Box<Reclaim>>,
    /// Collection while the drive is idle.
    pub(crate) background: Background,
    /// `None` where domains don't take turns at collecting.
    pub(crate) rotation: Option<Box<Rotation>>,
    /// `None` without static wear levelling.
    pub(crate) static_wear: Option<Box<StaticWear>>,
    /// `None` where no block is ever bad.
    pub(crate) wear_out: Option<Box<WearOut>>,
    /// `None` without parity.
    pub(crate) redundancy: Option<Box<Redundant>>,
    /// `None` without parity of logical pages.
    pub(crate) striped: Option<Box<StripedPages>>,
    /// Whose superblocks are whose, where collection keeps streams apart.
    pub(crate) isolated: Option<Box<Isolated>>,
    /// When collection begins and ends.
    pub(crate) thresholds: Thresholds,
    /// `None` where collection begins and stops at thresholds only.
    pub(crate) pace: Option<Pace>,
    /// Most live units of a domain that has room for more.
    pub(crate) room_limit: u32,
    /// Mapping units that the host sees.
    pub(crate) logical_units: u32,
    /// While pages are overwritten without simulated time; `None` before.
    pub(crate) untimed: Option<Box<Untimed>>,
    /// Of a layout whose formula is dear.
    pub(crate) fetched_layout: Option<Box<FetchedLayout>>,
}

fields! {
    Ftl:
    rebuilt: rules geometry logical_units thresholds pace room_limit domains sets points;
    state: held purposes mapped_units blocks isolated domain plans slc copies partial_writes wear_out reclaim background rotation static_wear;
    parts: layout map oob versions placement gc translation redundancy striped separation slc_policy replication;
    dropped: untimed fetched_layout;
}

impl Ftl {
    /// The versions and the numbers in the OOB; `None` where none are kept.
    #[inline(always)]
    pub(crate) fn numbers(&mut self) -> Option<Numbers<'_>> {
        let (versions, sequences) = (self.versions.as_mut()?, self.oob.sequences.as_mut()?);
        Some(Numbers { versions, sequences })
    }

    /// The numbers in the OOB, to change; `None` where none are kept.
    #[inline(always)]
    pub(crate) fn sequences(&mut self) -> Option<&mut Sequences> {
        self.oob.sequences.as_mut()
    }

    /// Where a logical page is.
    #[inline(always)]
    pub fn lookup(&self, lpa: Lpa) -> Ppa {
        self.map.get(lpa, &self.layout)
    }

    /// Whether a logical page is at a place where it was found before, or that its OOB names ([`PageMap::is_at`]).
    #[inline(always)]
    pub fn is_at(&self, lpa: Lpa, ppa: Ppa) -> bool {
        self.map.is_at(lpa, ppa, || self.oob.is_as_laid_out(ppa) || self.layout.ppa(lpa) == ppa)
    }

    /// Whether a logical page holds data on flash.
    #[inline(always)]
    pub fn is_mapped(&self, lpa: Lpa) -> bool {
        self.map.holds(lpa, &self.layout)
    }

    /// The domain of a place.
    #[inline]
    pub fn domain_of(&self, ppa: Ppa) -> DomainId {
        self.domains.of(self.geometry.plane_of(ppa).0)
    }
}
