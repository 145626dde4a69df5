//! What the data cache asks of whoever holds it, and what it tells them.

use super::super::Cache;
use wordline_base::ids::{DomainId, Lpa, PlaneId};
use wordline_base::parts::Part;
use wordline_base::time::Ns;
use wordline_flash::nand::Geometry;
use wordline_flash::sched::queue::{Op, OpId};
use wordline_ftl::blocks::{Domains, Points};
use wordline_ftl::work::Purpose;

/// Timers of the cache. One that is set anew replaces itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheTimer {
    /// The first access to the DRAM ends ([`access_ended`](super::access_ended)).
    Dram,
    /// A pause of write-back ends ([`tend`](super::tend)).
    Pause,
    /// A unit that was held back may enter (the same).
    Throttle,
}

/// Versions of a unit that is written: 0 where none are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Versions {
    /// Before the write.
    pub before: u32,
    /// From it on.
    pub now: u32,
}

/// Whoever holds the data cache of a drive.
///
/// The cache knows mapping units, and operations by their numbers; requests of the host, the map, places on flash and dies are
/// known here only. Every method is called in the middle of an event and changes nothing in the cache, but that a program which
/// takes a place may tell of a victim ([`Cache::victim_is_to_move`]) and ask for its unit's stream and write point
/// ([`stream_of`](super::stream_of), [`take_point`](super::take_point)). An operation that is given away, to wait, to be read or to
/// be programmed, always comes back through a function of [`work`](super), be its unit still there or not.
pub(crate) trait AroundCache: Sized {
    /// The cache.
    fn cache(&self) -> &Cache;

    /// The cache, to change.
    fn cache_mut(&mut self) -> &mut Cache;

    /// The time.
    fn now(&self) -> Ns;

    /// A timer runs out then.
    fn set_timer(&mut self, timer: CacheTimer, at: Ns);

    /// The drive can't go on.
    fn fail(&mut self, what: String);

    // Requests.

    /// The bytes of a unit that a request wants: first, and behind the last.
    fn wanted_range(&self, request: u32, lpa: Lpa) -> (u32, u32);

    /// Stream of a request.
    fn stream_of(&self, request: u32) -> u16;

    /// Whether a request is a write that is answered when it is programmed.
    fn is_durable(&self, request: u32) -> bool;

    /// A part of a request is done that needed no operation.
    fn part_done(&mut self, request: u32);

    /// A unit of a write takes effect. Checked mode tells the versions.
    fn takes_effect(&mut self, request: u32, lpa: Lpa) -> Versions;

    /// A unit of a read takes what the cache holds, which is this version.
    fn is_served(&mut self, request: u32, lpa: Lpa, version: u32);

    // Operations.

    /// Takes an operation in, and what it is for.
    fn new_operation(&mut self, op: Op, purpose: Purpose) -> OpId;

    /// An operation.
    fn operation(&self, id: OpId) -> &Op;

    /// What it is for.
    fn purpose(&self, id: OpId) -> &Purpose;

    /// The same, to change.
    fn purpose_mut(&mut self, id: OpId) -> &mut Purpose;

    /// It begins to wait.
    fn begin_wait(&mut self, id: OpId);

    /// It waits no longer: the time since it began to is blamed on this part.
    fn end_wait(&mut self, id: OpId, part: Part);

    /// It is done, and with it the part of a request that it was for, if it was for one. It is gone.
    fn done(&mut self, id: OpId);

    /// The memory of the next new operations may be fetched.
    fn fetch_new(&self) {}

    /// The memory of one that waits may be fetched.
    fn fetch(&self, _id: OpId) {}

    // Where units are, and where they go.

    /// Counts of the drive.
    fn geometry(&self) -> &Geometry;

    /// Which planes belong together.
    fn domains(&self) -> &Domains;

    /// Which write point is whose.
    fn points(&self) -> &Points;

    /// Whether flash holds data of a unit.
    fn is_in_flash(&self, lpa: Lpa) -> bool;

    /// The version that a read of the host has brought from flash, 0 where none are kept; `None` if that is no longer its
    /// unit's.
    fn version_read(&self, id: OpId) -> Option<u32>;

    /// Group among the dirty units of one that is written: its write point, and its domain where the address fixes that.
    fn group_of_write(&mut self, lpa: Lpa, stream: u16) -> u32;

    /// The domain that the address of a unit fixes; `None` where none is.
    fn domain_by_address(&self, lpa: Lpa) -> Option<DomainId>;

    /// Whether superblocks of a domain are being emptied.
    fn collects(&self, domain: DomainId) -> bool;

    /// Whether write-back goes past domains that collect.
    fn writes_past_collection(&self) -> bool;

    /// Whether a domain has room for more of the host's data.
    fn has_room_in(&self, domain: DomainId) -> bool;

    /// The plane to which a unit is written back.
    fn place(&mut self, lpa: Lpa, stream: u16) -> PlaneId;

    /// Whether the map's entry of an operation's page is known; else the operation waits for it
    /// ([`carry_looked_up`](super::carry_looked_up)).
    fn is_translated(&mut self, id: OpId) -> bool;

    /// Whether it waits, since its page is to be moved ([`carry_looked_up`](super::carry_looked_up)).
    fn waits_for_move(&mut self, id: OpId) -> bool;

    /// Whether programs move the sectors that were written only, whose bytes an operation's tag then says.
    fn programs_written_only(&self) -> bool;

    /// Reads what flash holds of an operation's page ([`merged`](super::merged)), if it holds any.
    fn reads_rest(&mut self, id: OpId) -> bool;

    /// Queues its program on a plane ([`begins`](super::begins), [`ended`](super::ended)). Who does so also ends the operation,
    /// behind [`ended`](super::ended), with the request that waits for it if there is one.
    fn program_on(&mut self, plane: PlaneId, id: OpId);

    /// The same where the placement says.
    fn program_anywhere(&mut self, id: OpId);
}
