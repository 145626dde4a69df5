//! The drive: puts the parts together; the only place that knows them all.
//!
//! It is made in `make`. A request comes in, its units go to the cache or the translation layer (`delivery`), events come in their
//! order (`progress`), and something follows each of them (`after_event`). What the parts ask of each other and tell each other is in
//! `borders`, one file for each; what whoever holds the drive asks of it, in `face`; what is seen of all of it, in `seen`.

mod after_event;
mod borders;
mod delivery;
mod face;
mod gates;
mod make;
mod progress;
mod seen;
pub(crate) mod snapshot;
#[cfg(test)]
mod tests;
mod timers;

use crate::front::Front;
use crate::nand::{CellMode, Geometry};
use crate::observers::Observers;
use crate::probe::Probe;
use crate::systems::work::Systems;
use borders::cores::Controller;
use wordline_base::ids::{DomainId, Lpa};
use wordline_base::time::Ns;
use wordline_flash::Flash;
use wordline_ftl::work::{self, Ftl};

pub use crate::front::Answers;
pub use crate::stats::end_of_life::EndOfLife;
pub(crate) use face::fetch::FETCHED_TOGETHER;
pub(crate) use make::OwnMemory;
pub use seen::PowerLoss;
pub use wordline_ftl::work::Overwriting;

/// What the tables of address translation are called in the ledger of the DRAM.
const MAP: &str = "map";

/// What the counters of read reclaim are called there.
const READ_COUNTERS: &str = "read_counters";

/// Rules of a drive that no part of it owns.
#[derive(Clone, Debug)]
struct Rules {
    /// What of the drive no real one has.
    not_physical: Vec<String>,
    /// So many systems, the first to be added, are in the ledger of the DRAM from the start.
    systems_in_ledger: usize,
}

/// A simulated drive: its parts, each with a file of its own. What happens between two of them is in the other files.
pub struct Device {
    geometry: Geometry,
    rules: Rules,
    /// Schemes that span slots.
    systems: Systems,
    /// The map, the blocks, and what moves pages.
    ftl: Ftl,
    /// Dies, channels, and what waits for them.
    flash: Flash,
    /// The requests inside, and the link.
    front: Front,
    /// Cores and memory.
    controller: Controller,
    /// Whoever is told of what happens.
    observers: Observers,
}

impl Device {
    /// Watches requests and page reads. For tests and tools; costs time.
    pub fn set_probe(&mut self, probe: Box<dyn Probe>) {
        self.observers.probe = Some(probe);
    }

    /// Bytes that the host sees.
    pub fn logical_bytes(&self) -> u64 {
        u64::from(self.ftl.logical_units()) * u64::from(self.geometry.unit_bytes)
    }

    /// Bytes of a mapping unit.
    pub fn unit_bytes(&self) -> u32 {
        self.geometry.unit_bytes
    }

    /// The time.
    pub fn now(&self) -> Ns {
        self.flash.now()
    }

    /// When the next event of the drive itself comes ([`Ns::NEVER`] without any), and whether a request that arrives at that
    /// time goes before it: a channel chooses between all that want it by then.
    #[inline]
    pub fn next_event(&self) -> (Ns, bool) {
        let event = self.flash.next_event();
        (event.time(), event.is_behind())
    }

    /// Flash pages read and programmed and blocks erased since the drive was made.
    pub fn flash_operations(&self) -> u64 {
        self.observers.flash_operations
    }

    /// Events since the drive was made.
    pub fn events_processed(&self) -> u64 {
        self.observers.events_processed
    }

    /// The first violation that checked mode found, or a drive that can't go on.
    pub fn fault(&self) -> Option<&str> {
        self.observers.fault.as_deref()
    }

    pub(crate) fn fail(&mut self, what: String) {
        if self.observers.fault.is_none() {
            self.observers.fault = Some(format!("at {} ns: {what}", self.flash.now().0));
        }
    }

    /// From now on the drive comes to rest, or no longer: what is under way ends, and superblocks are emptied only for what
    /// waits for space.
    pub fn wind_down(&mut self, now: bool) {
        self.ftl.wind_down(now);
    }

    /// Asks the placement again for every write that waits for space. For a drive at rest: a domain whose blocks are
    /// all valid wins no space of its own. Returns whether any write goes on.
    pub fn place_stalled_anew(&mut self) -> bool {
        work::place_stalled_anew(self)
    }

    /// Space can't be won: at the end of the drive's life, if it lost any superblock. `false` if it lost none.
    pub(crate) fn ends_for_want_of_space(&mut self) -> bool {
        work::ends_for_want_of_space(self)
    }

    /// The end of the drive's life, if it has come: no write succeeds any more.
    pub fn end_of_life(&self) -> Option<EndOfLife> {
        self.ftl.end_of_life()
    }

    /// Streams that the drive offers: beside them none may be named; `None` where each may, having no effect or being known to
    /// a policy of the user's own.
    pub fn streams(&self) -> Option<u16> {
        self.ftl.streams()
    }

    /// Free space of a domain at which its paced collection rests, mapping units; `None` where collection isn't paced.
    pub fn paced_target(&self, domain: DomainId) -> Option<u64> {
        self.ftl.paced_target(domain)
    }

    /// The mode in which the host's write points of a domain open their superblocks from now on; one that is open keeps
    /// its own. Garbage collection always opens in native mode, so that a victim in SLC mode is folded. Returns
    /// whether the device has that mode, no SLC cache rules it, and the domain exists; otherwise nothing changes.
    pub fn open_for_host_in(&mut self, domain: DomainId, mode: CellMode) -> bool {
        self.ftl.open_for_host_in(domain, mode)
    }

    /// Mode of the block in which a logical page lies now; `None` for a page without data.
    pub fn mode_of_logical_page(&self, lpa: Lpa) -> Option<CellMode> {
        self.ftl.mode_of_logical_page(lpa)
    }

    /// Units programmed by the superblocks that were erased so far, without simulated time or with it.
    pub fn units_erased(&self) -> u64 {
        self.ftl.units_erased()
    }

    /// The translation layer, for whoever prepares the drive.
    pub(crate) fn ftl(&self) -> &Ftl {
        &self.ftl
    }

    /// The translation layer, for whoever prepares the drive.
    pub(crate) fn ftl_mut(&mut self) -> &mut Ftl {
        &mut self.ftl
    }
}
