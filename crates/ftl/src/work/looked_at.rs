//! What the drive may look at of the layer, and the little that it may set by itself. All else it asks for by what is to be done.

use super::copies::making::Replication;
use super::ftl::{DomainState, Ftl};
use super::purposes::{Purpose, Purposes};
use super::translation::look_ups::Translation;
use crate::blocks::separation::{Separation, SeparationPolicy};
use crate::blocks::{BlockTable, Domains, Points};
use crate::durable::{Durable, DurableBlocks, Oob};
use crate::gc::{GcPolicy, VictimPolicy};
use crate::mapping::{Copies, Layout, PageMap};
use crate::placement::{Placement, PlacementPolicy, PlaneSets};
use crate::redundancy::{Redundancy, RedundancyPolicy};
use crate::replicate::{Arbiter, ArbiterPolicy};
use crate::versions::Versions;
use wordline_base::ids::{DomainId, Lpa, Ppa};
use wordline_config::scheme::UnmappedReads;
use wordline_flash::nand::Geometry;
use wordline_flash::sched::queue::OpId;

impl Ftl {
    /// Counts and addresses.
    #[inline(always)]
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Sets of planes that keep their logical pages to themselves; `None` without.
    pub fn sets(&self) -> Option<&PlaneSets> {
        self.sets.as_deref()
    }

    /// The preconditioned layout.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// From logical to physical pages.
    #[inline(always)]
    pub fn map(&self) -> &PageMap {
        &self.map
    }

    /// From physical to logical pages.
    #[inline(always)]
    pub fn oob(&self) -> &Oob {
        &self.oob
    }

    /// What survives a loss of power now; `None` where no sequence numbers are kept.
    pub fn durable(&self) -> Option<Durable<'_>> {
        let bad = self.wear_out.as_ref().map(|wear| &wear.bad);
        Durable::new(&self.oob, &self.layout, DurableBlocks::new(&self.geometry, &self.blocks, bad))
    }

    /// Newest versions; `None` where no sequence numbers are kept.
    #[inline(always)]
    pub fn versions(&self) -> Option<&Versions> {
        self.versions.as_ref()
    }

    /// The host overwrites a page in the data cache: its version from then on; 0 where none are kept.
    #[inline]
    pub fn version_of_overwrite(&mut self, lpa: Lpa) -> u32 {
        self.versions.as_mut().map_or(0, |versions| versions.change(lpa))
    }

    /// Which planes belong together.
    #[inline(always)]
    pub fn domains(&self) -> &Domains {
        &self.domains
    }

    /// What belongs to each domain.
    #[inline(always)]
    pub fn domain_states(&self) -> &[DomainState] {
        &self.domain
    }

    /// Whether superblocks of a domain are being emptied.
    #[inline]
    pub fn collects(&self, domain: DomainId) -> bool {
        self.domain[domain.index()].collector.collects()
    }

    /// Whether a domain has room for more of the host's data, whatever is reserved.
    #[inline]
    pub fn has_room_in(&self, domain: DomainId) -> bool {
        self.domain[domain.index()].live < self.room_limit
    }

    /// Stages of life, valid units and erases of superblocks.
    #[inline(always)]
    pub fn blocks(&self) -> &BlockTable {
        &self.blocks
    }

    /// Fewest free superblocks of any domain since this was asked last.
    pub fn take_lowest_free(&mut self) -> u32 {
        self.blocks.take_lowest_free()
    }

    /// Which write point is whose.
    #[inline(always)]
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// Further copies of pages.
    #[inline(always)]
    pub fn copies(&self) -> &Copies {
        &self.copies
    }

    /// What systems may have of copies.
    pub fn replication(&self) -> &Replication {
        &self.replication
    }

    /// The measured window opens.
    pub fn open_window(&mut self) {
        self.replication.open_window();
    }

    /// Whether copies that were dropped are still counted as valid ([`invalidate_dropped`](super::invalidate_dropped)).
    #[inline(always)]
    pub fn has_dropped_copies(&self) -> bool {
        !self.replication.dropped.is_empty()
    }

    /// The plane that the address of a page fixes; `None` where none is.
    #[inline(always)]
    pub fn plane_by_address(&self, lpa: Lpa) -> Option<wordline_base::ids::PlaneId> {
        self.placement.plane_by_address(lpa)
    }

    /// What operations are for.
    #[inline(always)]
    pub fn purposes(&self) -> &Purposes {
        &self.purposes
    }

    /// What an operation is for, to change.
    #[inline(always)]
    pub fn purpose_mut(&mut self, id: OpId) -> &mut Purpose {
        &mut self.purposes[id]
    }

    /// What the firmware knows of the map.
    #[inline(always)]
    pub fn translation(&self) -> &Translation {
        &self.translation
    }

    /// Systems answer look-ups before the policy from now on.
    pub fn ask_systems_for_places(&mut self) {
        self.translation.ask_systems();
    }

    /// Mapping units that the host sees.
    #[inline(always)]
    pub fn logical_units(&self) -> u32 {
        self.logical_units
    }

    /// Logical pages that hold data.
    pub fn mapped_units(&self) -> u64 {
        self.mapped_units
    }

    /// Whether units still join the program of this head, which waits.
    pub fn is_open(&self, head: OpId, place: Ppa) -> bool {
        let number = usize::from(self.purposes[head].point);
        let point = self.domain[self.domain_of(place).index()].points.get(number);
        point.is_some_and(|point| point.open_unit == head && point.has_room())
    }

    /// Whether programs move the sectors that were written only.
    #[inline(always)]
    pub fn programs_written_only(&self) -> bool {
        self.rules.written_only
    }

    /// Whether write-back goes past planes that collect.
    #[inline(always)]
    pub fn writes_past_collection(&self) -> bool {
        self.rules.past_collection
    }

    /// Whether collection is paced.
    #[inline(always)]
    pub fn is_paced(&self) -> bool {
        self.pace.is_some()
    }

    /// Whether it collects while the drive is idle.
    pub fn collects_when_idle(&self) -> bool {
        self.background.is_on()
    }

    /// Whether reads are rebuilt from the parity of rows.
    pub fn has_row_parity(&self) -> bool {
        self.redundancy.is_some()
    }

    /// Whether reads are rebuilt from the parity of logical pages.
    #[inline(always)]
    pub fn has_page_parity(&self) -> bool {
        self.striped.is_some()
    }

    /// Whether a policy of a user's own chooses the host's write points.
    pub fn separates_by_own_policy(&self) -> bool {
        matches!(self.separation, SeparationPolicy::Custom(_))
    }

    /// Whether a page that is read before it was written gets a place.
    pub fn allocates_on_reads(&self) -> bool {
        self.rules.unmapped_reads == UnmappedReads::Allocate
    }

    /// Superblocks whose streams collection keeps apart.
    pub fn isolated_superblocks(&self) -> usize {
        self.isolated.as_ref().map_or(0, |isolated| isolated.len())
    }

    /// What the random stream of the choice of victims gives next; `None` where it has none.
    pub fn next_drawn(&self) -> Option<u64> {
        self.gc.next_drawn()
    }

    /// A request comes: plans that are carried out while the drive is idle end.
    pub fn end_idle_plans(&mut self) {
        self.plans.end_idle();
    }

    /// What is asked once where pages move to, since it never changes: the placement, or systems.
    pub fn note_who_places_moves(&mut self, systems: bool) {
        self.rules.places_moves = self.placement.places_moves() || systems;
    }

    /// Replaces the placement by a user's own.
    pub fn set_placement(&mut self, policy: Box<dyn Placement + Send>) {
        self.placement = PlacementPolicy::Custom(policy);
    }

    /// Replaces the choice of the copy that serves a read by a user's own.
    pub fn set_arbiter(&mut self, policy: Box<dyn Arbiter + Send>) {
        self.replication.arbiter = ArbiterPolicy::Custom(policy);
    }

    /// Replaces the choice of victims by a user's own.
    pub fn set_gc(&mut self, policy: Box<dyn VictimPolicy + Send>) {
        self.gc = GcPolicy::Custom(policy);
        self.blocks.keep(self.needs(self.gc.needs()));
    }

    /// Replaces the decision which blocked reads are rebuilt. Without parity there is nothing to decide.
    pub fn set_redundancy(&mut self, policy: Box<dyn Redundancy + Send>) {
        if let Some(redundancy) = &mut self.redundancy {
            redundancy.policy = RedundancyPolicy::Custom(policy);
        }
    }

    /// Replaces the choice of the host's write points by a user's own.
    pub fn set_separation(&mut self, policy: Box<dyn Separation + Send>) {
        self.separation = SeparationPolicy::Custom(policy);
    }
}

/// The tables, for tests that forge them.
#[cfg(feature = "forge")]
impl Ftl {
    /// The map, to change.
    pub fn forge_map(&mut self) -> &mut PageMap {
        &mut self.map
    }

    /// The OOB, to change.
    pub fn forge_oob(&mut self) -> &mut Oob {
        &mut self.oob
    }

    /// The versions, to change.
    pub fn forge_versions(&mut self) -> Option<crate::versions::Numbers<'_>> {
        self.numbers()
    }

    /// The blocks, to change.
    pub fn forge_blocks(&mut self) -> &mut BlockTable {
        &mut self.blocks
    }

    /// The count of pages that hold data, to change.
    pub fn forge_mapped_units(&mut self) -> &mut u64 {
        &mut self.mapped_units
    }
}
