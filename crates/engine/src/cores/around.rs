//! What the cores ask of whoever holds them, and what goes on when their work is done.

use super::cpu::Cpu;
use crate::sched::queue::OpId;
use wordline_base::request::HostRequest;
use wordline_base::time::Ns;

/// Whoever holds the cores of a controller.
pub(crate) trait AroundCores: Sized {
    /// The cores.
    fn cores(&self) -> &Cpu;

    /// The cores, to change.
    fn cores_mut(&mut self) -> &mut Cpu;

    /// The time.
    fn now(&self) -> Ns;

    /// The first work ends then ([`work_done`](super::work_done)). A timer that is set anew replaces itself.
    fn set_timer(&mut self, at: Ns);

    /// The drive can't go on.
    fn fail(&mut self, what: String);

    // What the work is.

    /// What the host asks for with a request, by its number inside the drive.
    fn asked(&self, request: u32) -> &HostRequest;

    /// Bytes of a mapping unit.
    fn unit_bytes(&self) -> u32;

    /// Steps of a search among the cached entries of the map.
    fn search_steps(&self) -> u64;

    /// The domain of a program: those of one keep their order.
    fn domain_of(&self, head: OpId) -> usize;

    /// Mapping units of a program that moves them; `None` for one that moves none.
    fn units_moved(&self, head: OpId) -> Option<u64>;

    /// Those of them that read reclaim takes to another block of their superblock.
    fn units_rearranged(&self, head: OpId) -> u64;

    /// The operation that is linked behind a head.
    fn next_mut(&mut self, head: OpId) -> &mut OpId;

    // What goes on.

    /// A request waited for a core so long, which then works for it so long.
    fn note_work(&mut self, request: u32, waits: Ns, works: Ns);

    /// A request enters the flash queues.
    fn deliver(&mut self, request: u32);

    /// A program enters the queue of its die.
    fn enqueue(&mut self, head: OpId);

    /// A page of a plan gets the place that the placement chooses.
    fn place(&mut self, unit: OpId);
}
