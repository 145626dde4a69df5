//! What a system may look at.

use crate::blocks::table::BlockView;
use crate::blocks::{BlockState, Domains};
use crate::mapping::FurtherCopy;
use wordline_base::class::{Cause, Class, FlashOp};
use wordline_base::ids::{DieId, DomainId, Lpa, PlaneId, Ppa, SuperblockId};
use wordline_base::request::ReadThere;
use wordline_base::time::Ns;
use wordline_flash::nand::Geometry;

/// The drive as its systems and the policies of read reclaim see it, read-only.
pub type DriveView<'a> = dyn View + 'a;

/// The drive, read-only.
pub trait View {
    /// The time.
    fn now(&self) -> Ns;

    /// Counts and addresses.
    fn geometry(&self) -> &Geometry;

    /// Mapping units that the host sees.
    fn logical_units(&self) -> u32;

    /// Flash pages waiting or running on each die.
    fn outstanding(&self) -> &[u32];

    /// Whether the bus of a channel carries something, or dies wait for it.
    fn bus_is_busy(&self, channel: u32) -> bool;

    /// Whether no request has been inside for `scheme.maintenance.idle_after_ns` and none has come since, so that work of
    /// nobody's may be begun. Never while a run comes to rest.
    fn is_idle(&self) -> bool;

    /// Whether the domain of a plane has room for more of the host's data. Never, where its die is reserved.
    fn has_room(&self, plane: PlaneId) -> bool;

    /// Whether the domain of a plane has room for a page that moves there from another domain, for this cause. Else it would
    /// stay in its domain.
    fn has_room_for_move(&self, plane: PlaneId, cause: Cause) -> bool;

    /// The primary copy of a logical page; [`Ppa::NONE`] if it holds nothing.
    fn find(&self, lpa: Lpa) -> Ppa;

    /// The further copies of a logical page, the oldest first.
    fn copies(&self, lpa: Lpa) -> &[FurtherCopy];

    /// Whether a die is reserved, and not for data of the host.
    fn is_reserved(&self, die: DieId) -> bool;

    /// Whether any die is.
    fn reserves_dies(&self) -> bool;

    /// What a die is doing.
    fn command(&self, die: DieId) -> Option<Class>;

    /// What would serve a read of this page is doing that: its die, or what serves reads apart from it.
    fn command_before_read(&self, ppa: Ppa) -> Option<Class>;

    /// Whether an operation of this kind waits at a die, not begun, that goes before a read of the host that comes now.
    fn waits_ahead(&self, die: DieId, kind: FlashOp) -> bool;

    /// What a die is doing, and for how long still: until its array is done (or could be suspended for a read), and for a
    /// read until its data has left.
    fn running(&self, die: DieId) -> Option<(Class, Ns)>;

    /// Adds the reads of the host that wait or run at a die, in the order in which it takes them: one for each flash page
    /// command, by its first unit. Those of read-modify-writes and of rebuilt pages are left out.
    fn reads_at(&self, die: DieId, found: &mut Vec<ReadThere>);

    /// The logical page that a physical page holds, as primary or further copy, if it is still wanted.
    fn valid_lpa(&self, ppa: Ppa) -> Option<Lpa>;

    /// Die of a page.
    fn die_of(&self, ppa: Ppa) -> DieId;

    /// Which planes form which domain.
    fn domains(&self) -> &Domains;

    /// Superblock of a page.
    fn superblock_of(&self, ppa: Ppa) -> SuperblockId;

    /// Domain of a superblock, and its block number there.
    fn split(&self, superblock: SuperblockId) -> (DomainId, u32);

    /// The superblocks of a domain.
    fn blocks(&self, domain: DomainId) -> BlockView<'_>;

    /// Stage of life of a superblock.
    fn state(&self, superblock: SuperblockId) -> BlockState;

    /// Free superblocks of a domain.
    fn free(&self, domain: DomainId) -> u32;

    /// Mapping unit `unit` of a superblock, in the order in which superblocks are filled (see [`Place`](crate::plan::Place)).
    fn unit_at(&self, superblock: SuperblockId, unit: u32) -> Ppa;

    /// Which mapping unit of its superblock a physical page is, in that order; not for superblocks with parity.
    fn unit_of(&self, ppa: Ppa) -> u32;

    /// Where a logical page lies in the preconditioned layout, or would if all were occupied: its superblock, and the mapping
    /// unit there.
    fn home(&self, lpa: Lpa) -> (SuperblockId, u32);

    /// The logical page whose [`Self::home`] is there; `None` behind the last.
    fn at_home(&self, superblock: SuperblockId, unit: u32) -> Option<Lpa>;

    /// The mapping unit that the next program sent into a superblock gets that a system keeps open; the number of its units if
    /// it is full, `None` if nobody keeps it open.
    fn next_unit(&self, superblock: SuperblockId) -> Option<u32>;

    /// Valid mapping units of a superblock.
    fn valid(&self, superblock: SuperblockId) -> u32;

    /// Whether no program of a superblock is under way.
    fn has_no_program_under_way(&self, superblock: SuperblockId) -> bool;

    /// Planes of a superpage that hold data: all of a domain, but for parity.
    fn data_planes(&self) -> u32;

    /// Array reads of a block since its erase; 0 when they are not counted.
    fn block_reads(&self, plane: PlaneId, block: u32) -> u32;

    /// Planes of a domain, in the order in which a superpage is filled.
    fn planes(&self, domain: DomainId) -> &[PlaneId];
}
