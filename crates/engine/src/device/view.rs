//! What a system may look at.

use super::Device;
use super::rebuild::is_source;
use crate::blocks::table::BlockView;
use crate::blocks::{BlockState, Domains};
use crate::mapping::FurtherCopy;
use crate::nand::Geometry;
use crate::sched::queue::{NONE, OpId, ReadThere};
use wordline_base::class::{Cause, Class, FlashOp};
use wordline_base::ids::{DieId, DomainId, Lpa, PlaneId, Ppa, SuperblockId};
use wordline_base::time::Ns;

/// The drive, read-only.
pub struct DriveView<'a>(pub(super) &'a Device);

impl<'a> DriveView<'a> {
    /// The time.
    pub fn now(&self) -> Ns {
        self.0.now
    }

    /// Counts and addresses.
    pub fn geometry(&self) -> &'a Geometry {
        &self.0.geometry
    }

    /// Mapping units that the host sees.
    pub fn logical_units(&self) -> u32 {
        self.0.logical_units
    }

    /// Flash pages waiting or running on each die.
    pub fn outstanding(&self) -> &'a [u32] {
        &self.0.outstanding
    }

    /// Whether the bus of a channel carries something, or dies wait for it.
    pub fn bus_is_busy(&self, channel: u32) -> bool {
        let bus = self.0.channels.get(channel as usize);
        bus.is_some_and(|bus| bus.free_at > self.now() || !bus.waiting.is_empty())
    }

    /// Whether no request has been inside for `scheme.maintenance.idle_after_ns` and none has come since, so that work of
    /// nobody's may be begun. Never while a run comes to rest.
    pub fn is_idle(&self) -> bool {
        self.0.is_idle()
    }

    /// Whether the domain of a plane has room for more of the host's data. Never, where its die is reserved.
    pub fn has_room(&self, plane: PlaneId) -> bool {
        self.0.has_room(plane)
    }

    /// Whether the domain of a plane has room for a page that moves there from another domain, for this cause. Else it would
    /// stay in its domain.
    pub fn has_room_for_move(&self, plane: PlaneId, cause: Cause) -> bool {
        let domain = self.0.domains.of(plane);
        self.0.has_room(plane) && self.0.spares_for_move(domain, self.0.points.of(cause))
    }

    /// The primary copy of a logical page; [`Ppa::NONE`] if it holds nothing.
    pub fn find(&self, lpa: Lpa) -> Ppa {
        if lpa.0 < self.0.logical_units { self.0.lookup(lpa) } else { Ppa::NONE }
    }

    /// The further copies of a logical page, the oldest first.
    pub fn copies(&self, lpa: Lpa) -> &'a [FurtherCopy] {
        self.0.copies.of(lpa)
    }

    /// Whether a die is reserved, and not for data of the host.
    pub fn is_reserved(&self, die: DieId) -> bool {
        self.0.replication.reserved.has(PlaneId(die.0 * self.0.geometry.planes_per_die))
    }

    /// Whether any die is.
    pub fn reserves_dies(&self) -> bool {
        self.0.replication.reserved.has_dies()
    }

    /// What a die is doing.
    pub fn command(&self, die: DieId) -> Option<Class> {
        if die.index() < self.0.outstanding.len() { self.0.command(die) } else { None }
    }

    /// Whether an operation of this kind waits at a die, not begun, that goes before a read of the host that comes now.
    pub fn waits_ahead(&self, die: DieId, kind: FlashOp) -> bool {
        die.index() < self.0.outstanding.len() && self.0.waits_ahead(die, kind)
    }

    /// What a die is doing, and for how long still: until its array is done (or could be suspended for a read), and for a
    /// read until its data has left.
    pub fn running(&self, die: DieId) -> Option<(Class, Ns)> {
        if die.index() < self.0.outstanding.len() { self.0.running(die) } else { None }
    }

    /// Adds the reads of the host that wait or run at a die, in the order in which it takes them: one for each flash page
    /// command, by its first unit. Those of read-modify-writes and of rebuilt pages are left out.
    pub fn reads_at(&self, die: DieId, found: &mut Vec<ReadThere>) {
        let device = self.0;
        let mut add = |first: OpId| {
            let mut head = first;
            while head != NONE {
                let op = &device.pool[head];
                if !op.partial && !is_source(op.request) {
                    found.push(ReadThere { lpa: op.lpa, ppa: op.ppa, order: op.order });
                }
                head = op.next;
            }
        };
        let Some(load) = device.outstanding.get(die.index()) else { return };
        if *load == 0 {
            return;
        }
        let mut add_those_of = |server: usize| {
            let Some(state) = device.dies.get(server) else { return };
            device
                .running_reads(server)
                .filter(|command| command.class == Class::HostRead)
                .for_each(|command| add(command.head));
            add(state.first(Class::HostRead));
        };
        add_those_of(die.index());
        if device.second_server > 0 {
            add_those_of(die.index() + device.second_server as usize);
        }
    }

    /// The logical page that a physical page holds, as primary or further copy, if it is still wanted.
    pub fn valid_lpa(&self, ppa: Ppa) -> Option<Lpa> {
        if ppa.0 < self.0.geometry.physical_units() { self.0.valid_lpa(ppa) } else { None }
    }

    /// Die of a page.
    pub fn die_of(&self, ppa: Ppa) -> DieId {
        self.0.die_of(ppa).0
    }

    /// Which planes form which domain.
    pub fn domains(&self) -> &'a Domains {
        &self.0.domains
    }

    /// Superblock of a page.
    pub fn superblock_of(&self, ppa: Ppa) -> SuperblockId {
        self.0.blocks.of(&self.0.geometry, ppa)
    }

    /// Domain of a superblock, and its block number there.
    pub fn split(&self, superblock: SuperblockId) -> (DomainId, u32) {
        self.0.blocks.split(superblock)
    }

    /// The superblocks of a domain.
    pub fn blocks(&self, domain: DomainId) -> BlockView<'a> {
        self.0.blocks.view(domain)
    }

    /// Stage of life of a superblock.
    pub fn state(&self, superblock: SuperblockId) -> BlockState {
        self.0.blocks.state(superblock)
    }

    /// Free superblocks of a domain.
    pub fn free(&self, domain: DomainId) -> u32 {
        self.0.domain[domain.index()].free.len()
    }

    /// Mapping unit `unit` of a superblock, in the order in which superblocks are filled (see [`crate::systems::Place`]).
    pub fn unit_at(&self, superblock: SuperblockId, unit: u32) -> Ppa {
        self.0.unit_at(superblock, unit)
    }

    /// Which mapping unit of its superblock a physical page is, in that order; not for superblocks with parity.
    pub fn unit_of(&self, ppa: Ppa) -> u32 {
        self.0.unit_of(ppa)
    }

    /// Where a logical page lies in the preconditioned layout, or would if all were occupied: its superblock, and the mapping
    /// unit there.
    pub fn home(&self, lpa: Lpa) -> (SuperblockId, u32) {
        let ppa = self.0.layout.home(lpa);
        (self.superblock_of(ppa), self.unit_of(ppa))
    }

    /// The logical page whose [`Self::home`] is there; `None` behind the last.
    pub fn at_home(&self, superblock: SuperblockId, unit: u32) -> Option<Lpa> {
        let lpa = self.0.layout.at_home(self.unit_at(superblock, unit));
        (lpa.0 < self.0.logical_units).then_some(lpa)
    }

    /// The mapping unit that the next program sent into a superblock gets that a system keeps open; the number of its units if
    /// it is full, `None` if nobody keeps it open.
    pub fn next_unit(&self, superblock: SuperblockId) -> Option<u32> {
        self.0.plans.kept.next_unit(superblock, self.0.geometry.units_per_program())
    }

    /// Valid mapping units of a superblock.
    pub fn valid(&self, superblock: SuperblockId) -> u32 {
        self.0.blocks.valid(superblock)
    }

    /// Whether no program of a superblock is under way.
    pub fn is_settled(&self, superblock: SuperblockId) -> bool {
        self.0.blocks.is_settled(superblock)
    }

    /// Planes of a superpage that hold data: all of a domain, but for parity.
    pub fn data_planes(&self) -> u32 {
        self.0.data_planes()
    }

    /// Array reads of a block since its erase; 0 when they are not counted.
    pub fn block_reads(&self, plane: PlaneId, block: u32) -> u32 {
        self.0.block_reads(plane, block)
    }

    /// Planes of a domain, in the order in which a superpage is filled.
    pub fn planes(&self, domain: DomainId) -> &'a [PlaneId] {
        self.0.domains.planes(domain)
    }
}
