//! The drive: puts the parts together; the only place that knows them all.
//!
//! It is made in `make`. One file for each thing that happens: a request comes in (`admit`), pages are read (`read`) and
//! written (`program`), at places (`places`) that take effect with their program (`commit`), events come in their order
//! (`progress`), the flash tells what it has done (`above`), superblocks are collected (`collect`, `victims`, `moves`, `erase`),
//! the data cache holds units (`data_cache`) and writes them back (`write_back`), the drive is prepared without simulated time
//! (`preconditioning`), and checked (`audit`).

mod above;
mod admit;
mod answers;
mod audit;
mod awaited_moves;
mod background;
mod chip_record;
mod collect;
mod commit;
mod controller;
mod copies;
mod copies_audit;
mod copies_space;
mod copy_choice;
mod copyback;
mod data_cache;
mod data_out;
mod disturb;
mod erase;
mod fetch;
mod firmware;
mod front;
mod ftl;
mod gates;
mod guesses;
mod host_memory;
mod ideal;
mod known_reads;
mod make;
mod map_pages;
mod modes;
mod monitor;
mod moves;
mod observers;
mod own_policies;
mod pace;
mod parity;
mod parity_pages;
mod partial_writes;
mod placed_writes;
mod places;
mod plans;
mod preconditioning;
mod probing;
mod program;
mod progress;
mod purposes;
mod read;
mod rebuild;
mod reclaim;
mod requests;
mod results;
mod rotating;
mod slc_cache;
pub(crate) mod snapshot;
mod split_requests;
mod system_superblocks;
mod systems;
mod tables;
mod tenants;
mod timers;
mod translate;
mod victim_places;
mod victims;
mod view;
mod wear;
mod wear_out;
mod write_back;
mod write_data;

use ftl::Ftl;
use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::blocks::{FreeList, WritePoint};
use crate::gc::collector::Collector;
use crate::gc::pace::PaceLedger;
use crate::nand::Geometry;
use crate::probe::Probe;
use crate::sched::queue::OpId;
use wordline_base::ids::{DomainId, Lpa, Ppa};
use wordline_base::time::Ns;
use wordline_config::device::LinkConfig;
use wordline_config::scheme::UnmappedReads;
use wordline_config::wear::FreeBlock;
use wordline_flash::Flash;

pub use crate::stats::end_of_life::EndOfLife;
pub use answers::Answers;
pub(crate) use fetch::FETCHED_TOGETHER;
pub use preconditioning::Overwriting;
pub use requests::Request;

/// What the counters of read reclaim are called in the ledger of the DRAM.
const READ_COUNTERS: &str = "read_counters";

/// Rules of a drive that no part of it owns.
#[derive(Clone, Debug)]
struct Rules {
    link: LinkConfig,
    /// Whether programs move the sectors that were written only.
    written_only: bool,
    /// Whether the placement is asked where pages move to.
    places_moves: bool,
    /// Whose moves the host waits for.
    awaits: awaited_moves::Awaits,
    /// Whether write-back goes past planes that collect.
    past_collection: bool,
    unmapped_reads: UnmappedReads,
    /// Which erased superblock is opened next.
    free_block: FreeBlock,
    /// What of the drive no real one has.
    not_physical: Vec<String>,
}

/// What belongs to one domain.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct DomainState {
    free: FreeList,
    /// Where writing goes on, by [`Points`].
    points: Vec<WritePoint>,
    collector: Collector,
    /// What paced collection remembers.
    pace: PaceLedger,
    /// Programs that wait for a free superblock.
    stalled: VecDeque<OpId>,
    /// Valid units and units on their way.
    live: u32,
    /// Free superblocks that a waiting plan needs.
    demand: u32,
}

/// A simulated drive: its parts, each with a file of its own. What happens between two of them is in the other files.
pub struct Device {
    geometry: Geometry,
    rules: Rules,
    /// Schemes that span slots.
    systems: systems::Systems,
    /// The map, the blocks, and what moves pages.
    ftl: ftl::Ftl,
    /// Dies, channels, and what waits for them.
    flash: Flash,
    /// The requests inside, and the link.
    front: front::Front,
    /// Cores and memory.
    controller: controller::Controller,
    /// Whoever is told of what happens.
    observers: observers::Observers,
}

impl Ftl {
    #[inline(always)]
    fn lookup(&self, lpa: Lpa) -> Ppa {
        self.map.get(lpa, &self.layout)
    }

    /// Whether a logical page is at a place where it was found before, or that its OOB names ([`PageMap::is_at`]).
    #[inline(always)]
    fn is_at(&self, lpa: Lpa, ppa: Ppa) -> bool {
        self.map.is_at(lpa, ppa, || self.oob.is_as_laid_out(ppa) || self.layout.ppa(lpa) == ppa)
    }

    /// Whether a logical page holds data on flash.
    #[inline(always)]
    fn is_mapped(&self, lpa: Lpa) -> bool {
        self.map.holds(lpa, &self.layout)
    }

    #[inline]
    fn domain_of(&self, ppa: Ppa) -> DomainId {
        self.domains.of(self.geometry.plane_of(ppa).0)
    }
}

impl Device {
    /// Watches requests and page reads. For tests and tools; costs time.
    pub fn set_probe(&mut self, probe: Box<dyn Probe>) {
        self.observers.probe = Some(probe);
    }

    /// Bytes that the host sees.
    pub fn logical_bytes(&self) -> u64 {
        u64::from(self.ftl.logical_units) * u64::from(self.geometry.unit_bytes)
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

    /// Requests that were completed since this was asked last.
    pub fn take_completed(&mut self) -> u32 {
        std::mem::take(&mut self.front.completed)
    }

    /// Requests inside the drive and on the link.
    pub fn requests_inside(&self) -> usize {
        self.front.requests.len() - self.front.free_requests.len() - self.front.split_requests.commands()
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

    fn fail(&mut self, what: String) {
        if self.observers.fault.is_none() {
            self.observers.fault = Some(format!("at {} ns: {what}", self.flash.now().0));
        }
    }
}
