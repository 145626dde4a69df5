//! The drive as systems and policies of read reclaim see it.

use super::above::AboveFtl;
use super::purposes::Purpose;
use crate::blocks::table::BlockView;
use crate::blocks::{BlockState, Domains};
use crate::mapping::FurtherCopy;
use crate::view::View;
use wordline_base::class::{Cause, Class, FlashOp};
use wordline_base::ids::{DieId, DomainId, Lpa, PlaneId, Ppa, SuperblockId};
use wordline_base::request::ReadThere;
use wordline_base::time::Ns;
use wordline_flash::nand::Geometry;
use wordline_flash::sched::queue::Op;
use wordline_flash::work;

impl<A: AboveFtl> View for A {
    fn now(&self) -> Ns {
        self.flash().now()
    }

    fn geometry(&self) -> &Geometry {
        &self.ftl().geometry
    }

    fn logical_units(&self) -> u32 {
        self.ftl().logical_units
    }

    fn outstanding(&self) -> &[u32] {
        self.flash().loads()
    }

    fn bus_is_busy(&self, channel: u32) -> bool {
        self.flash().bus_is_busy(channel)
    }

    fn is_idle(&self) -> bool {
        self.is_at_leisure()
    }

    fn has_room(&self, plane: PlaneId) -> bool {
        self.ftl().has_room(plane)
    }

    fn has_room_for_move(&self, plane: PlaneId, cause: Cause) -> bool {
        let domain = self.ftl().domains.of(plane);
        self.ftl().has_room(plane) && self.ftl().spares_for_move(domain, self.ftl().points.of(cause))
    }

    fn find(&self, lpa: Lpa) -> Ppa {
        if lpa.0 < self.ftl().logical_units { self.ftl().lookup(lpa) } else { Ppa::NONE }
    }

    fn copies(&self, lpa: Lpa) -> &[FurtherCopy] {
        self.ftl().copies.of(lpa)
    }

    fn is_reserved(&self, die: DieId) -> bool {
        self.ftl().replication.reserved.has(PlaneId(die.0 * self.ftl().geometry.planes_per_die))
    }

    fn reserves_dies(&self) -> bool {
        self.ftl().replication.reserved.has_dies()
    }

    fn command(&self, die: DieId) -> Option<Class> {
        if die.index() < self.flash().loads().len() { self.flash().command(die) } else { None }
    }

    fn command_before_read(&self, ppa: Ppa) -> Option<Class> {
        if ppa.index() < self.ftl().geometry.physical_units() as usize {
            self.flash().command(self.flash().read_server(ppa))
        } else {
            None
        }
    }

    fn waits_ahead(&self, die: DieId, kind: FlashOp) -> bool {
        die.index() < self.flash().loads().len() && self.flash().waits_ahead(die, kind)
    }

    fn running(&self, die: DieId) -> Option<(Class, Ns)> {
        if die.index() < self.flash().loads().len() { work::running(self, die) } else { None }
    }

    fn reads_at(&self, die: DieId, found: &mut Vec<ReadThere>) {
        self.flash().host_reads_at(die, &mut |head| {
            let Op { ppa, order, .. } = self.flash().pool[head];
            let Purpose { whose, lpa, partial, .. } = self.ftl().purposes[head];
            if !partial && whose.rebuild().is_none() {
                found.push(ReadThere { lpa, ppa, order });
            }
        });
    }

    fn valid_lpa(&self, ppa: Ppa) -> Option<Lpa> {
        if ppa.0 < self.ftl().geometry.physical_units() { self.ftl().valid_lpa(ppa) } else { None }
    }

    fn die_of(&self, ppa: Ppa) -> DieId {
        self.ftl().geometry.die_at(ppa).0
    }

    fn domains(&self) -> &Domains {
        &self.ftl().domains
    }

    fn superblock_of(&self, ppa: Ppa) -> SuperblockId {
        self.ftl().blocks.of(&self.ftl().geometry, ppa)
    }

    fn split(&self, superblock: SuperblockId) -> (DomainId, u32) {
        self.ftl().blocks.split(superblock)
    }

    fn blocks(&self, domain: DomainId) -> BlockView<'_> {
        self.ftl().blocks.view(domain)
    }

    fn state(&self, superblock: SuperblockId) -> BlockState {
        self.ftl().blocks.state(superblock)
    }

    fn free(&self, domain: DomainId) -> u32 {
        self.ftl().domain[domain.index()].free.len()
    }

    fn unit_at(&self, superblock: SuperblockId, unit: u32) -> Ppa {
        self.ftl().unit_at(superblock, unit)
    }

    fn unit_of(&self, ppa: Ppa) -> u32 {
        self.ftl().unit_of(ppa)
    }

    fn home(&self, lpa: Lpa) -> (SuperblockId, u32) {
        let ppa = self.ftl().layout.home(lpa);
        (self.superblock_of(ppa), self.ftl().unit_of(ppa))
    }

    fn at_home(&self, superblock: SuperblockId, unit: u32) -> Option<Lpa> {
        let lpa = self.ftl().layout.at_home(self.ftl().unit_at(superblock, unit));
        (lpa.0 < self.ftl().logical_units).then_some(lpa)
    }

    fn next_unit(&self, superblock: SuperblockId) -> Option<u32> {
        self.ftl().plans.system_superblocks.next_unit(superblock, self.ftl().geometry.units_per_program())
    }

    fn valid(&self, superblock: SuperblockId) -> u32 {
        self.ftl().blocks.valid(superblock)
    }

    fn has_no_program_under_way(&self, superblock: SuperblockId) -> bool {
        self.ftl().blocks.has_no_program_under_way(superblock)
    }

    fn data_planes(&self) -> u32 {
        self.ftl().data_planes()
    }

    fn block_reads(&self, plane: PlaneId, block: u32) -> u32 {
        self.flash().disturb().map_or(0, |disturb| disturb.counts().block(plane, block))
    }

    fn planes(&self, domain: DomainId) -> &[PlaneId] {
        self.ftl().domains.planes(domain)
    }
}
