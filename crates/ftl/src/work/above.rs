//! What the translation layer asks of whoever holds it, and what it tells them.

use super::counted::Counted;
use super::ftl::Ftl;
use crate::events::{Event, WornBlock, WritePlace};
use crate::mapping::{Found, Lookup};
use crate::placement::{PlaneSet, ProgramIntent};
use crate::plan::Plan;
use crate::reclaim::Decision;
use crate::replicate::Serving;
use wordline_base::ids::{DieId, Lpa, SuperblockId};
use wordline_flash::sched::queue::OpId;
use wordline_flash::{Above, Flash};

/// Whoever holds the translation layer of a drive, and its flash.
///
/// The layer knows logical pages, places and operations; requests of the host, the data cache, the firmware's processor and the
/// systems of a scheme are known here only. Every method is called in the middle of an event. What systems want done is not done
/// within it, but when the event is over.
pub trait AboveFtl: Above {
    /// Timer of the flash ([`Flash::set_timer`]) that runs out when the first page that is joined from its stripe is done.
    const JOINING_TIMER: usize;

    /// The translation layer.
    fn ftl(&self) -> &Ftl;

    /// The translation layer, to change.
    fn ftl_mut(&mut self) -> &mut Ftl;

    /// It and the flash, to change both.
    fn ftl_and_flash(&mut self) -> (&mut Ftl, &mut Flash);

    // Observers.

    /// To be counted.
    fn counted(&mut self, what: Counted);

    /// The fault that stopped the drive, which goes on as if it had none.
    fn take_fault(&mut self) -> Option<String>;

    /// The fault that stops the drive, if any.
    fn put_fault(&mut self, fault: Option<String>);

    /// Whether somebody wants to know what each read finds and when each write takes effect.
    fn is_watched(&self) -> bool;

    /// A write or a trim of this request ([`Self::request_id`]) took effect.
    fn took_effect(&mut self, request: u64, lpa: Lpa);

    /// A read of this request finds this version, or no data.
    fn found(&mut self, request: u64, lpa: Lpa, version: Option<u32>);

    // Requests.

    /// Identity of a request, by its number inside the drive.
    fn request_id(&self, request: u32) -> u64;

    /// Stream of a request; `None` where the number is none of a request's.
    fn stream_of_request(&self, request: u32) -> Option<u16>;

    /// Flow of a request; `None` where the number is none of a request's.
    fn flow_of_request(&self, request: u32) -> Option<u16>;

    /// Mapping units of a request from this one on, itself among them.
    fn units_from(&self, request: u32, lpa: Lpa, unit_bytes: u32) -> u32;

    /// The bytes of a unit that a request wants: first, and behind the last.
    fn wanted_range(&self, request: u32, lpa: Lpa, unit_bytes: u32) -> (u32, u32);

    /// An operation of a request is done. `die` is where the command ran whose parts of a response time count for it, unless it
    /// carries them.
    fn unit_done(&mut self, unit: OpId, die: Option<DieId>);

    /// A page of a request is done that needed no operation.
    fn request_page_done(&mut self, request: u32);

    /// Whether no request has been inside for as long as the scheme says.
    fn is_at_leisure(&self) -> bool;

    // The data cache.

    /// Whether there is one.
    fn caches_data(&self) -> bool;

    /// A read, or what it waits for, is answered by the cache if that has its page by now.
    fn answered_by_cache(&mut self, unit: OpId) -> bool;

    /// Whether the cache has a newer version of what an operation reads.
    fn overtaken_in_cache(&self, unit: OpId) -> bool;

    /// The cache may keep what was read.
    fn cache_read(&mut self, unit: OpId);

    /// A page was trimmed.
    fn forget_cached(&mut self, lpa: Lpa);

    /// A program has ended: what waits in the cache may go on.
    fn cache_may_go_on(&mut self);

    /// A plane doesn't collect any more: the cache may write back to it.
    fn plane_is_free(&mut self);

    /// Checked mode: the version of a page that flash has, where the cache has the page.
    fn version_behind_cache(&self, lpa: Lpa) -> Option<u32>;

    /// Stream of a unit on its way to flash.
    fn stream_of_cached(&self, unit: OpId) -> Option<u16>;

    /// A unit on its way to flash gets the write point of its stream.
    fn take_point_of_cached(&mut self, unit: OpId);

    /// The entry of a unit on its way to flash was looked up.
    fn carry_looked_up(&mut self, unit: OpId);

    /// What a unit on its way to flash lacked is there.
    fn merged(&mut self, unit: OpId);

    /// The die takes the program of a unit from the cache; whether that is the newest version still.
    fn cached_unit_begins(&mut self, unit: OpId) -> bool;

    /// The program of a unit from the cache has ended.
    fn write_back_ended(&mut self, unit: OpId);

    /// A superblock is collected that has so many valid units.
    fn victim_is_to_move(&mut self, valid: u32);

    // The firmware's processor and the host's memory.

    /// A decision is made.
    fn charge_decision(&mut self);

    /// Sends programs of moves to their dies, when the firmware has had its time for them.
    fn enqueue_moves(&mut self, heads: &[OpId]);

    /// Whether a page of a plan waits for the firmware, which gives it its place later
    /// ([`place_planned`](super::plans::place_planned)).
    fn firmware_places(&mut self, unit: OpId) -> bool;

    /// Whether an entry of the map, known to the controller, comes from the host's memory first.
    fn fetches_entry(&mut self, unit: OpId) -> bool;

    // Systems are told.

    /// A unit of a read of the host goes to its die; `joins`: it has no command of its own.
    fn tell_read_that(&mut self, unit: OpId, joins: bool);

    /// The same of one with a command of its own.
    #[inline(always)]
    fn tell_read(&mut self, unit: OpId) {
        self.tell_read_that(unit, false);
    }

    /// Its data is with the controller.
    fn tell_read_done(&mut self, unit: OpId);

    /// The entry of a page was looked up for the host.
    fn tell_accessed(&mut self, lpa: Lpa, write: bool);

    /// The same of an operation, once.
    fn tell_access_of(&mut self, unit: OpId, write: bool);

    /// Those that watch for this are told.
    fn tell(&mut self, event: &Event);

    /// One system is told of what concerns it alone.
    fn tell_one(&mut self, system: usize, event: &Event);

    /// A plan begins; whether its system keeps open what was opened for it.
    fn tell_plan_started(&mut self, system: usize, plan: u64, opened: &[SuperblockId]) -> bool;

    /// The policy of read reclaim is told of a page that the host read.
    fn tell_reclaim_policy(&mut self, lpa: Lpa);

    // Systems are asked.

    /// Whether there are none.
    fn has_no_systems(&self) -> bool;

    /// Name of a system.
    fn system_name(&self, system: usize) -> String;

    /// Whether a system takes the place of garbage collection.
    fn systems_collect(&self) -> bool;

    /// Whether systems say where programs of the host go.
    fn systems_place_writes(&self) -> bool;

    /// Where a program of the host goes, and which system says so.
    fn ask_write_place(&mut self, intent: &ProgramIntent) -> Option<(usize, WritePlace)>;

    /// The planes that systems leave for a program; to be given back ([`Self::put_planes_back`]).
    fn allowed_planes_of(&mut self, intent: &ProgramIntent) -> Option<PlaneSet>;

    /// What was given isn't needed any more.
    fn put_planes_back(&mut self, planes: PlaneSet);

    /// Where a system knows, or supposes, a page to be.
    fn find_in_systems(&mut self, lookup: &Lookup) -> Option<Found>;

    /// The copy that serves a read, as a system has it that owns one of them.
    fn ask_owners(&mut self, read: &Serving<'_>) -> Option<usize>;

    /// What systems do about a worn block.
    fn ask_systems_to_reclaim(&mut self, worn: &WornBlock) -> Option<(usize, Plan)>;

    /// What the policy of read reclaim does about it.
    fn ask_reclaim_policy(&mut self, worn: &WornBlock) -> Decision;

    /// A system wants this plan carried out, behind what was asked for before.
    fn wants_plan(&mut self, system: usize, plan: Plan);

    /// The tables are consistent again: what was asked for is done.
    fn finish_event(&mut self);
}
