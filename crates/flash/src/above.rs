//! What the flash asks of whoever holds it, and what it tells them.

use crate::Flash;
use crate::nand::CellMode;
use crate::nand::bit_errors::ReadOutcome;
use crate::sched::queue::OpId;
use wordline_base::class::Class;
use wordline_base::ids::{DieId, Ppa};
use wordline_base::time::Ns;

/// Something that the flash does beside its commands, to be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// A read began while the data of another was in the cache register.
    CacheRead,
    /// A program's data came in while another program worked.
    CacheProgram,
    /// A program or an erase stopped for a read.
    Suspension,
    /// A copyback of so many planes has read its pages.
    CopybackRead(u32),
    /// The array of a server works for so long.
    Array(DieId, Ns),
}

/// Whoever holds the flash of a drive.
///
/// The flash knows places, classes and operations by their numbers; whose work an operation is, and whether it is still wanted,
/// is known here only. Every method is called in the middle of an event: what it changes in the flash is the queueing of further
/// operations ([`submit`](crate::work::submit)), which dies look at when the event is over. Statistics are told of through the
/// methods that return nothing and may be left out by whoever keeps none.
pub trait Above: Sized {
    /// The flash.
    fn flash(&self) -> &Flash;

    /// The flash, to change.
    fn flash_mut(&mut self) -> &mut Flash;

    /// Mode of the block of a place.
    fn cell_mode(&self, place: Ppa) -> CellMode;

    /// Erases of the block of a place, those in another mode as so many in native mode as wear as much.
    fn erases(&self, place: Ppa) -> u32;

    /// Units of writes that wait for room above.
    fn waiting_writes(&self) -> u32;

    /// Whether units may still join a program that waits.
    fn is_open(&self, head: OpId) -> bool;

    /// Whether a read that waits can go with another: all of it is still to be read where it is. It changes nothing that the
    /// flash knows: what doesn't stand stays in the queue until its turn.
    fn stands(&mut self, head: OpId) -> bool;

    /// A read's turn has come. Sends on the units that are to be read elsewhere, and returns the head of the others
    /// ([`NONE`](crate::sched::queue::NONE) when there is none).
    fn takes(&mut self, head: OpId) -> OpId;

    /// A read's turn has come, but its plane collects: the same for units that can be had otherwise.
    fn waits_for_plane(&mut self, die: DieId, head: OpId) -> OpId;

    /// The command of a unit begins. Whether a read was tentative in vain is decided now.
    fn unit_begins(&mut self, unit: OpId);

    /// A program of one plane begins: what it writes takes effect.
    fn program_begins(&mut self, head: OpId);

    /// A flash page was read, which met this; its block is worn if the number of its reads is given.
    fn page_disturbed(&mut self, head: OpId, outcome: &ReadOutcome, worn: Option<u32>);

    /// Bit errors were drawn for a flash page.
    fn errors_met(&mut self, _outcome: &ReadOutcome) {}

    /// The units of a flash page are with the controller. `die` is where the command runs whose parts of a response time count
    /// for them, unless they carry those already.
    fn page_read(&mut self, head: OpId, class: Class, die: Option<DieId>);

    /// A program of one plane has ended.
    fn programmed(&mut self, head: OpId, die: DieId);

    /// A block is erased.
    fn erased(&mut self, head: OpId);

    /// Whether the drive can't go on.
    fn has_failed(&self) -> bool;

    /// The drive can't go on.
    fn fail(&mut self, what: String);

    /// A command of a class was taken; the next of it is this head, if there is any: its memory may be fetched.
    fn fetch_next(&self, _class: Class, _head: OpId) {}

    /// What moves is about to leave its die: its memory may be fetched.
    fn fetch_moved(&self, _head: OpId) {}

    /// The number of flash pages that wait or run at a die changes.
    fn load_changes(&mut self, _die: usize, _before: u32, _after: u32) {}

    /// The reads at a die, or their order, change.
    fn reads_change(&mut self, _die: usize) {}

    /// A head begins to wait for a server, or is taken.
    fn queue_changes(&mut self, _server: DieId, _class: Class, _taken: Option<OpId>) {}

    /// A command of so many planes begins.
    fn command_begins(&mut self, _server: DieId, _class: Class, _planes: u32) {}

    /// A server is taken by a command of this class, or free.
    fn die_taken(&mut self, _server: DieId, _class: Option<Class>) {}

    /// Whether it wants to hear of channels.
    fn watches_channels(&self) -> bool {
        false
    }

    /// The channel is a server's until `end`, for its data or for its command.
    fn channel_taken(&mut self, _server: DieId, _end: Ns, _data: bool) {}

    /// The array works on a flash page or block.
    fn cell_begins(&mut self, _class: Class, _head: OpId, _page: u32) {}

    /// So many bytes of a flash page cross the channel, other than those that a program begins with.
    fn data_crosses(&mut self, _class: Class, _bytes: u32) {}

    /// The array of a server goes on with its command.
    fn array_goes_on(&mut self, _server: DieId, _from: Ns, _until: Ns) {}

    /// The array of a server, at work until `until`, is stopped at `at`.
    fn array_stops(&mut self, _server: DieId, _at: Ns, _until: Ns) {}

    /// A flash page or block of a command is done.
    fn page_done(&mut self, _server: DieId, _class: Class, _head: OpId) {}

    /// A command of so many planes is done, of so many flash pages each.
    fn command_done(&mut self, _class: Class, _planes: u32, _pages: u32) {}

    /// Something else is to be counted.
    fn count(&mut self, _what: Count) {}
}
