//! The drive: puts the parts together; the only place that knows them all.
//!
//! It is made in `make`. One file for each thing that happens: a request comes in (`admit`), pages are read (`read`) and
//! written (`program`), at places (`places`) that take effect with their program (`commit`), a die takes a command (`issue`)
//! and gets on with it (`progress`), superblocks are collected (`collect`, `victims`, `moves`, `erase`), the data cache holds
//! units (`buffer`) and writes them back (`write_back`), the drive is prepared without simulated time (`prepare`,
//! `by_domain`), and checked (`audit`).

mod admit;
mod answers;
mod audit;
mod awaited_moves;
mod background;
mod buffer;
mod by_domain;
mod cached;
mod chip_record;
mod chips;
mod collect;
mod commit;
mod copies;
mod copies_audit;
mod copies_space;
mod copyback;
mod data_out;
mod disturb;
mod erase;
mod fetch;
mod firmware;
mod gates;
mod guesses;
mod host_memory;
mod ideal;
mod issue;
mod joining;
mod kept;
mod known_reads;
mod make;
mod map_pages;
mod modes;
mod monitor;
mod moves;
mod overwriting;
mod own_policies;
mod pace;
mod parity;
mod parity_pages;
mod partial_writes;
mod phases;
mod places;
mod plane_collection;
mod plans;
mod prepare;
mod program;
mod progress;
mod read;
mod rebuild;
mod reclaim;
mod results;
mod rotating;
mod serve;
mod slc_cache;
pub(crate) mod snapshot;
mod split_requests;
mod steering;
mod suspension;
mod systems;
mod tables;
mod tenants;
mod transfers;
mod translate;
mod untimed;
mod used_caches;
mod used_map;
mod victim_places;
mod victims;
mod view;
mod watched;
mod wear;
mod wear_out;
mod write_back;
mod write_data;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::blocks::separation::SeparationPolicy;
use crate::blocks::slc_cache::SlcCachePolicy;
use crate::blocks::{BlockTable, Domains, FreeList, Isolated, Points, WritePoint};
use crate::cache::{Cache, Ledger};
use crate::cpu::Cpu;
use crate::gc::GcPolicy;
use crate::gc::collector::{Collector, Thresholds};
use crate::gc::pace::{Pace, PaceLedger};
use crate::mapping::dealt::Dealt;
use crate::mapping::oob::{Oob, Versions};
use crate::mapping::{Copies, Layout, PageMap};
use crate::nand::cache_register::CacheOperations;
use crate::nand::channel::Channel;
use crate::nand::copyback::Copybacks;
use crate::nand::die::Die;
use crate::nand::{Geometry, Timing};
use crate::placement::PlacementPolicy;
use crate::probe::Probe;
use crate::reclaim::ReclaimPolicy;
use crate::sched::SchedulerPolicy;
use crate::sched::gates::Gates;
use crate::sched::queue::{OpId, OpPool};
use crate::stats::energy::EnergyTable;
use crate::stats::recorder::Recorder;
use crate::stats::settled::Settled;
use wordline_base::events::{Event, EventSet};
use wordline_base::ids::{DieId, DomainId, Lpa, Ppa};
use wordline_base::time::Ns;
use wordline_config::device::{LinkConfig, SuspendConfig};
use wordline_config::scheme::UnmappedReads;
use wordline_config::wear::FreeBlock;

use disturb::Disturb;
use parity::Redundant;
use partial_writes::PartialWrites;
use translate::Translation;
use wear_out::WearOut;

pub use crate::stats::end_of_life::EndOfLife;
pub use admit::Request;
pub use answers::Answers;
pub(crate) use fetch::FETCHED_TOGETHER;
pub use overwriting::Overwriting;

/// What the counters of read reclaim are called in the ledger of the DRAM.
const READ_COUNTERS: &str = "read_counters";

/// Rules of a drive that no part of it owns.
#[derive(Clone, Debug)]
struct Rules {
    multi_plane: wordline_config::device::MultiPlaneRule,
    window: u32,
    suspend: SuspendConfig,
    link: LinkConfig,
    arbitration: wordline_config::device::ChannelArbitration,
    /// Whether programs move the sectors that were written only.
    written_only: bool,
    /// Whether a read that comes can change what a busy die does.
    interrupts: bool,
    /// Whether the placement is asked where pages move to.
    places_moves: bool,
    /// Whose moves the host waits for.
    awaits: awaited_moves::Awaits,
    /// Whether write-back goes past planes that collect.
    past_collection: bool,
    unmapped_reads: UnmappedReads,
    /// Which erased superblock is opened next.
    free_block: FreeBlock,
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

/// A simulated drive.
pub struct Device {
    geometry: Geometry,
    timing: Timing,
    /// Bus time of the most frequent transfer: one mapping unit.
    unit_transfer: Ns,
    rules: Rules,
    logical_units: u32,
    thresholds: Thresholds,
    /// `None` where collection begins and stops at thresholds only.
    pace: Option<Pace>,
    room_limit: u32,

    layout: Layout,
    map: PageMap,
    oob: Oob,
    versions: Option<Versions>,
    mapped_units: u64,
    domains: Domains,
    blocks: BlockTable,
    points: Points,
    domain: Vec<DomainState>,
    separation: SeparationPolicy,
    /// Further copies of pages; empty and never touched on a drive whose systems make none.
    copies: Copies,
    replication: copies::Replication,

    placement: PlacementPolicy,
    gc: GcPolicy,
    scheduler: SchedulerPolicy,
    gates: Gates,
    systems: systems::Systems,
    plans: plans::Plans,
    /// When a system is to be woken or told that the drive is idle.
    wake_at: Ns,

    /// Writes of parts of pages, one at a time for each page.
    partial_writes: PartialWrites,
    /// What the firmware knows of the map.
    translation: Translation,
    /// Look-ups of what of the map lies in the host's memory.
    host_memory: host_memory::HostMemory,

    slc: Option<Box<slc_cache::SlcState>>,
    slc_policy: SlcCachePolicy,

    /// `None` while nobody counts reads and no bit is ever wrong.
    disturb: Option<Box<Disturb>>,
    reclaim_policy: ReclaimPolicy,
    /// `None` while no block is ever reclaimed.
    reclaim: Option<Box<reclaim::Reclaim>>,
    /// Classes whose commands go before all others, one bit each.
    urgent: u32,
    background: background::Background,
    /// `None` where domains don't take turns at collecting.
    rotation: Option<Box<rotating::Rotation>>,
    static_wear: Option<Box<wear::StaticWear>>,
    /// `None` where no block is ever bad.
    wear_out: Option<Box<WearOut>>,
    /// `None` without parity.
    redundancy: Option<Box<Redundant>>,
    /// `None` without parity of logical pages.
    striped: Option<Box<parity_pages::StripedPages>>,

    now: Ns,
    events: EventSet,
    pool: OpPool,
    op_order: u64,
    /// The dies, then their second servers where the drive is ideal, or the servers of planes that collect by themselves; and
    /// so the channels, where the drive is ideal.
    dies: Vec<Die>,
    /// By die.
    outstanding: Vec<u32>,
    channels: Vec<Channel>,
    overlap: CacheOperations,
    copybacks: Copybacks,
    channel_of: Vec<u32>,
    /// `None` where each die takes commands for itself.
    chips: Option<Box<chips::Chips>>,
    /// `None` where a copyback blocks its die.
    plane_collection: Option<Box<plane_collection::PlaneCollection>>,
    /// Number of the first die's second server; 0 where there is none.
    second_server: u32,
    not_physical: Vec<String>,
    /// Dies that got work since they were last looked at.
    touched: Vec<DieId>,

    requests: Vec<Request>,
    free_requests: Vec<u32>,
    split_requests: split_requests::SplitRequests,
    link_in: VecDeque<(Ns, u32)>,
    link_out: VecDeque<(Ns, u32)>,
    link_free: [Ns; 2],
    /// When the first transfer of each direction ends.
    link_event: [Ns; 2],
    completed: u32,
    /// Numbers of the requests that were completed, where the host asks for them.
    answered: Option<Vec<u64>>,
    answers: Option<Box<answers::Answers>>,
    cpu: Cpu,

    /// Who uses the controller's DRAM, and the data cache in it.
    dram: Ledger,
    cache: Option<Box<Cache>>,
    /// Whose superblocks are whose, where collection keeps streams apart.
    isolated: Option<Box<Isolated>>,

    /// How it came to its start.
    settled: Settled,
    recorder: Recorder,
    monitor: monitor::Monitor,
    energy: Option<Box<EnergyTable>>,
    probe: Option<Box<dyn Probe>>,
    /// While pages are overwritten without simulated time; `None` before.
    untimed: Option<Box<untimed::Untimed>>,
    /// Of a layout whose formula is dear.
    dealt: Option<Box<Dealt>>,
    fault: Option<String>,
    flash_operations: u64,
    events_processed: u64,
    reads_verified: u64,
}

impl Device {
    /// Watches requests and page reads. For tests and tools; costs time.
    pub fn set_probe(&mut self, probe: Box<dyn Probe>) {
        self.probe = Some(probe);
    }

    /// Bytes that the host sees.
    pub fn logical_bytes(&self) -> u64 {
        u64::from(self.logical_units) * u64::from(self.geometry.unit_bytes)
    }

    /// Bytes of a mapping unit.
    pub fn unit_bytes(&self) -> u32 {
        self.geometry.unit_bytes
    }

    /// The time.
    pub fn now(&self) -> Ns {
        self.now
    }

    /// When the next event of the drive itself comes, and whether a request that arrives at that time goes before it:
    /// a channel chooses between all that want it by then.
    #[inline]
    pub fn next_event(&self) -> (Ns, bool) {
        let (time, event) = self.next_of(self.events.first());
        (time, event.is_some_and(Event::is_behind))
    }

    /// The time of the next event of the drive, and the event itself if it is `event`, the first one of the flash.
    #[inline(always)]
    fn next_of(&self, event: Event) -> (Ns, Option<Event>) {
        let other = self.next_beside_flash();
        if other <= event.time() { (other, None) } else { (event.time(), Some(event)) }
    }

    /// When the next event of the link or of the processor comes.
    #[inline(always)]
    fn next_beside_flash(&self) -> Ns {
        self.link_event[0].min(self.link_event[1]).min(self.cpu.event()).min(self.host_memory.event())
    }

    /// Requests that were completed since this was asked last.
    pub fn take_completed(&mut self) -> u32 {
        std::mem::take(&mut self.completed)
    }

    /// Requests inside the drive and on the link.
    pub fn requests_inside(&self) -> usize {
        self.requests.len() - self.free_requests.len() - self.split_requests.commands()
    }

    /// Flash pages read and programmed and blocks erased since the drive was made.
    pub fn flash_operations(&self) -> u64 {
        self.flash_operations
    }

    /// Events since the drive was made.
    pub fn events_processed(&self) -> u64 {
        self.events_processed
    }

    /// The first violation that checked mode found, or a drive that can't go on.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    fn fail(&mut self, what: String) {
        if self.fault.is_none() {
            self.fault = Some(format!("at {} ns: {what}", self.now.0));
        }
    }

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

    #[inline(always)]
    fn die_of(&self, ppa: Ppa) -> (DieId, u32) {
        self.geometry.die_of(self.geometry.plane_of(ppa).0)
    }

    #[inline]
    fn domain_of(&self, ppa: Ppa) -> DomainId {
        self.domains.of(self.geometry.plane_of(ppa).0)
    }

    fn die_resource(die: DieId) -> usize {
        die.index()
    }

    fn channel_resource(&self, channel: u32) -> usize {
        self.dies.len() + channel as usize
    }
}
