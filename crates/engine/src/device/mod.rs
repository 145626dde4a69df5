//! The drive: puts the parts together; the only place that knows them all.
//!
//! One file for each thing that happens: a request comes in (`admit`), pages are read (`read`) and programmed
//! (`program`), a die takes a command (`issue`) and gets on with it (`progress`), superblocks are collected
//! (`collect`), the data cache holds units (`buffer`) and writes them back (`write_back`), the drive is prepared without
//! simulated time (`prepare`, `by_domain`), and checked (`audit`).

mod admit;
mod answers;
mod at_once;
mod audit;
mod background;
mod buffer;
mod by_domain;
mod cached;
mod chip_record;
mod chips;
mod collect;
mod copies;
mod copies_audit;
mod copies_space;
mod copyback;
mod disturb;
mod fast_path_moves;
mod fetch;
mod firmware;
mod gates;
mod host_memory;
mod ideal;
mod issue;
mod kept;
mod known_reads;
mod map_pages;
mod modes;
mod monitor;
mod overwriting;
mod pace;
mod parity;
mod partial_writes;
mod phases;
mod plans;
mod prepare;
mod program;
mod progress;
mod read;
pub(crate) mod read_loop;
mod rebuild;
mod reclaim;
mod results;
mod serve;
mod slc_cache;
pub(crate) mod snapshot;
mod steering;
mod systems;
mod tenants;
mod translate;
mod used_caches;
mod view;
mod watched;
mod wear;
mod wear_out;
mod write_back;

use std::collections::VecDeque;

use crate::arrange::Arrangement;
use serde::{Deserialize, Serialize};

use crate::blocks::separation::{Separation, SeparationPolicy};
use crate::blocks::slc_cache::SlcCachePolicy;
use crate::blocks::{BlockTable, Domains, FreeList, Points, WritePoint};
use crate::cache::{Cache, Ledger};
use crate::config::ConfigError;
use crate::config::device::{CommandTaker, DeviceConfig, LinkConfig, ProgramData, SuspendConfig};
use crate::config::ideal::SecondServer;
use crate::config::scheme::{SchemeConfig, UnmappedReads};
use crate::config::wear::FreeBlock;
use crate::cpu::Cpu;
use crate::events::{Event, EventSet};
use crate::gc::collector::{Collector, Thresholds};
use crate::gc::pace::{Pace, PaceLedger};
use crate::gc::{GcPolicy, VictimPolicy};
use crate::ids::{DieId, DomainId, Lpa, Ppa};
use crate::mapping::dealt::Dealt;
use crate::mapping::{Copies, Layout, PageMap};
use crate::nand::cache_register::CacheOperations;
use crate::nand::channel::Channel;
use crate::nand::copyback::Copybacks;
use crate::nand::die::Die;
use crate::nand::oob::{Oob, Versions};
use crate::nand::{Geometry, Timing};
use crate::placement::{Placement, PlacementPolicy};
use crate::probe::Probe;
use crate::reclaim::{ReadReclaim, ReclaimPolicy};
use crate::redundancy::{Redundancy, RedundancyPolicy, Stripes};
use crate::replicate::{Arbiter, ArbiterPolicy};
use crate::sched::class::Class;
use crate::sched::gates::Gates;
use crate::sched::queue::{OpId, OpPool};
use crate::sched::{Scheduler, SchedulerPolicy};
use crate::stats::energy::EnergyTable;
use crate::stats::recorder::Recorder;
use crate::stats::settled::Settled;
use crate::systems::SystemPolicy;
use crate::time::Ns;

use disturb::Disturb;
use parity::Redundant;
use partial_writes::PartialWrites;
use translate::Translation;
use wear_out::{BadPlan, WearOut};

pub use admit::Request;
pub use answers::Answers;
pub use overwriting::Overwriting;
pub use read_loop::{ReadFeed, Taken};
pub use view::DriveView;
pub use wear_out::EndOfLife;

/// What the counters of read reclaim are called in the ledger of the DRAM.
const READ_COUNTERS: &str = "read_counters";

/// Rules of a drive that no part of it owns.
#[derive(Clone, Debug)]
struct Rules {
    multi_plane: crate::config::device::MultiPlaneRule,
    window: u32,
    suspend: SuspendConfig,
    link: LinkConfig,
    arbitration: crate::config::device::ChannelArbitration,
    /// Whether programs move the sectors that were written only.
    written_only: bool,
    /// Whether a read that comes can change what a busy die does.
    interrupts: bool,
    /// Whether reads of the host may bypass the queues.
    queue_bypass: bool,
    /// Whether they have no hooks besides, so that the read loop may serve them.
    reads_without_hooks: bool,
    /// Whether what wants a channel is the last step of its event, but for what systems want.
    channel_request_comes_last: bool,
    /// Whether garbage collection and programs take the fast path.
    fast_path_moves: bool,
    /// Whether the placement is asked where pages move to.
    places_moves: bool,
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
    static_wear: Option<Box<wear::StaticWear>>,
    /// `None` where no block is ever bad.
    wear_out: Option<Box<WearOut>>,
    /// `None` without parity.
    redundancy: Option<Box<Redundant>>,

    now: Ns,
    /// While [`Self::advance`] handles events: when the host's next request comes, at the earliest. [`Ns::ZERO`] otherwise.
    arrival: Ns,
    events: EventSet,
    pool: OpPool,
    op_order: u64,
    /// The dies, then their second servers where the drive is ideal; and so the channels.
    dies: Vec<Die>,
    /// By die.
    outstanding: Vec<u32>,
    channels: Vec<Channel>,
    overlap: CacheOperations,
    copybacks: Copybacks,
    channel_of: Vec<u32>,
    /// `None` where each die takes commands for itself.
    chips: Option<Box<chips::Chips>>,
    /// Number of the first die's second server; 0 where there is none.
    second_server: u32,
    not_physical: Vec<String>,
    /// Dies that got work since they were last looked at.
    touched: Vec<DieId>,

    requests: Vec<Request>,
    free_requests: Vec<u32>,
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

    /// How it came to its start.
    settled: Settled,
    recorder: Recorder,
    monitor: monitor::Monitor,
    energy: Option<Box<EnergyTable>>,
    probe: Option<Box<dyn Probe>>,
    /// The read loop; `None` until it is first entered.
    read_loop: Option<Box<read_loop::ReadLoop>>,
    /// Of a layout whose formula is dear.
    dealt: Option<Box<Dealt>>,
    fault: Option<String>,
    flash_operations: u64,
    events_processed: u64,
    reads_verified: u64,
}

impl Device {
    /// An empty drive. `checked` verifies every read's OOB and allows a final audit. `seed` is that of the run: the
    /// policies that draw random numbers have streams of their own from it.
    pub fn new(
        device: &DeviceConfig,
        scheme: &SchemeConfig,
        checked: bool,
        seed: u64,
    ) -> Result<Self, ConfigError> {
        device.validate().map_err(|e| e.under("device"))?;
        scheme.validate().map_err(|e| e.under("scheme"))?;
        let systems = crate::systems::of_scheme(scheme, device);
        let mut this = Self::new_for(device, scheme, checked, seed, &systems)?;
        systems.into_iter().for_each(|system| this.add_system(system));
        Ok(this)
    }

    /// The same, laid out for what these systems need: copies, reserved space. They are to be added in this order
    /// ([`Self::add_system`]) when the drive is prepared.
    pub fn new_for(
        device: &DeviceConfig,
        scheme: &SchemeConfig,
        checked: bool,
        seed: u64,
        systems: &[SystemPolicy],
    ) -> Result<Self, ConfigError> {
        device.validate().map_err(|e| e.under("device"))?;
        scheme.validate().map_err(|e| e.under("scheme"))?;
        if device.channel.commands == CommandTaker::Chip && scheme.ideal.second_server != SecondServer::None {
            let allowed = "\"die\" beside scheme.ideal.second_server";
            return Err(ConfigError::new("device.channel.commands", "\"chip\"", allowed));
        }
        let wear_out = BadPlan::of(device, scheme, seed);
        let arranged = Arrangement::new(device, scheme, systems, wear_out.usable)?;
        let replication = copies::Replication::new(scheme, &arranged);
        let Arrangement { geometry, plane_at, domains, points, reserved, plan, .. } = arranged;
        let data_planes = scheme.redundancy.data_planes(domains.width(), geometry.planes_per_die)?;
        let mut blocks = BlockTable::new(&geometry, domains.width(), data_planes, |plane| domains.of(plane));
        if device.slc_mode.is_some() {
            blocks.allow_slc_mode(geometry.pages_per_block / device.cell.technology.bits() as u32);
        }
        blocks.set_least_won(crate::space::least_won(scheme, &geometry));
        let redundancy = RedundancyPolicy::new(&scheme.redundancy).map(|policy| {
            let (stripes, xor_ns) = (Stripes::new(&geometry, &domains), scheme.redundancy.xor_ns);
            Box::new(Redundant::new(policy, stripes, &geometry, blocks.len(), xor_ns))
        });
        if scheme.slc_cache.is_on() {
            blocks.keep_slc_from_collection();
        }
        let units = u64::from(plan.map.logical_units) + u64::from(plan.map.translation_pages);
        let slc = slc_cache::SlcState::new(
            &scheme.slc_cache,
            plan.cache,
            &points,
            domains.len(),
            (units * u64::from(domains.width()) / u64::from(geometry.planes())) as u32,
        );
        let layout = Layout::new(&geometry, &plane_at, 0);
        let second = scheme.ideal.second_server;
        let (dies, channels, channel_of) = ideal::servers(&geometry, second);
        let timing = Timing::new(device);
        let overlap = CacheOperations::new(&device.cache_mode, dies);
        let link = device.link.clone();
        let mut dram = Ledger::new(device.dram.bytes);
        let translation =
            Translation::new(&scheme.mapping, plan.map, blocks.capacity(), geometry.unit_bytes, checked);
        if !systems.iter().any(|system| system.get().holds_map()) {
            dram.reserve("map", translation.policy.get().bytes());
        }
        // What the others take is known before the data cache gets the rest.
        let reclaim_policy = ReclaimPolicy::new(&scheme.reclaim, &geometry, plan.map.logical_units, seed);
        if reclaim_policy.bytes() > 0 {
            dram.reserve(READ_COUNTERS, reclaim_policy.bytes());
        }
        for system in systems.iter().map(SystemPolicy::get) {
            dram.reserve(system.name(), system.bytes());
        }
        let bytes = scheme.cache.take(dram.free())?;
        if bytes > 0 {
            dram.reserve("data_cache", bytes);
        }
        dram.check()?;
        // The decoder, behind it the DRAM, behind that the joining of stripes, the end of a pause of write-back, and that of a throttled
        // write's wait.
        let further = if scheme.cache.throttle.is_some() {
            5
        } else if scheme.cache.pause.is_some() {
            4
        } else if scheme.redundancy.xor_ns > 0 {
            3
        } else if bytes > 0 && device.dram.takes_time() {
            2
        } else {
            usize::from(Disturb::decodes(device))
        };
        let window = match device.multi_plane.window {
            0 => (4 * geometry.planes_per_die * geometry.units_per_page()).max(8),
            window => window,
        };
        // Translation pages are logical pages behind those of the host.
        let units = plan.map.logical_units + plan.map.translation_pages;
        let mut this = Self {
            unit_transfer: timing.transfer(device.geometry.mapping_unit_bytes),
            timing,
            rules: Rules {
                multi_plane: device.multi_plane.rule,
                window,
                suspend: device.suspend.clone(),
                link,
                arbitration: device.channel.arbitration,
                written_only: device.channel.program_data == ProgramData::Written,
                interrupts: true,
                queue_bypass: false,
                reads_without_hooks: false,
                channel_request_comes_last: false,
                fast_path_moves: false,
                places_moves: false,
                unmapped_reads: scheme.mapping.unmapped_reads,
                free_block: scheme.wear.free_block,
            },
            logical_units: plan.map.logical_units,
            thresholds: plan.thresholds,
            pace: pace::of_scheme(
                &scheme.gc,
                plan.paced_free,
                geometry.units_per_program() * domains.width(),
                blocks.capacity(),
            ),
            room_limit: plan.room_limit,
            map: PageMap::new(units),
            oob: Oob::new(geometry.physical_units()),
            versions: checked.then(|| Versions::new(units, geometry.physical_units())),
            mapped_units: 0,
            points,
            domain: Vec::new(),
            copies: Copies::default(),
            replication,
            placement: PlacementPolicy::new(&scheme.placement, &geometry),
            gc: GcPolicy::new(&scheme.gc, seed),
            scheduler: SchedulerPolicy::for_scheme(scheme),
            gates: Gates::default(),
            systems: systems::Systems::new(Ns(scheme.maintenance.idle_after_ns), systems.len()),
            plans: plans::Plans::default(),
            wake_at: Ns::NEVER,
            partial_writes: PartialWrites::default(),
            slc,
            slc_policy: SlcCachePolicy::new(&scheme.slc_cache, &plan.cache),
            redundancy,
            wear_out: wear_out.start(plan.least_superblocks),
            translation,
            host_memory: host_memory::HostMemory::new(
                scheme.mapping.host_memory,
                Ns(device.link.host_memory_ns),
            ),
            disturb: Disturb::new(device, scheme, &geometry),
            reclaim: reclaim::Reclaim::new(
                &scheme.reclaim,
                &geometry,
                blocks.len(),
                reclaim_policy.counts_pages(),
            ),
            reclaim_policy,
            urgent: 0,
            background: background::Background::new(&scheme.gc, &geometry),
            static_wear: wear::StaticWear::new(&scheme.wear, domains.len()),
            separation: SeparationPolicy::new(&scheme.separation, plan.map.logical_units),
            now: Ns::ZERO,
            arrival: Ns::ZERO,
            events: EventSet::new(dies + channels + overlap.registers.len() + further),
            pool: OpPool::default(),
            op_order: 0,
            dies: (0..dies).map(|_| Die::default()).collect(),
            outstanding: vec![0; geometry.dies() as usize],
            channels: (0..channels).map(|_| Channel::default()).collect(),
            overlap,
            copybacks: Copybacks::new(&device.copyback, dies),
            channel_of,
            chips: chips::Chips::new(device, &geometry),
            second_server: if second == SecondServer::None { 0 } else { geometry.dies() },
            not_physical: scheme.ideal.not_physical(),
            touched: Vec::new(),
            requests: Vec::new(),
            free_requests: Vec::new(),
            link_in: VecDeque::new(),
            link_out: VecDeque::new(),
            link_free: [Ns::ZERO; 2],
            link_event: [Ns::NEVER; 2],
            completed: 0,
            answered: None,
            answers: None,
            cpu: Cpu::new(&device.cpu, &scheme.firmware, domains.len()),
            dram,
            cache: None,
            settled: Settled::default(),
            recorder: Recorder::new(),
            monitor: monitor::Monitor::default(),
            energy: EnergyTable::new(device),
            probe: None,
            read_loop: None,
            dealt: None,
            fault: None,
            flash_operations: 0,
            events_processed: 0,
            reads_verified: 0,
            geometry,
            layout,
            domains,
            blocks,
        };
        this.placement.leave_out(&reserved);
        let sizes = [
            plan.map.logical_units,
            this.geometry.unit_bytes,
            this.geometry.units_per_program(),
            this.domains.len() as u32,
        ];
        this.cache = Cache::new(&scheme.cache, &device.dram, bytes, sizes)?.map(Box::new);
        this.note_policies();
        this.blocks.keep(this.needs(this.gc.needs()));
        this.lay_out(&plane_at, 0, None);
        this.enable_copies();
        this.note_fast_paths();
        this.open_window(0);
        Ok(this)
    }

    /// Replaces the placement by a user's own.
    pub fn set_placement(&mut self, policy: Box<dyn Placement + Send>) {
        self.placement = PlacementPolicy::Custom(policy);
        self.note_policies();
    }

    /// Replaces the choice of the copy that serves a read by a user's own.
    pub fn set_arbiter(&mut self, policy: Box<dyn Arbiter + Send>) {
        self.replication.arbiter = ArbiterPolicy::Custom(policy);
    }

    /// Replaces the choice of victims by a user's own.
    pub fn set_gc(&mut self, policy: Box<dyn VictimPolicy + Send>) {
        self.gc = GcPolicy::Custom(policy);
        self.blocks.keep(self.needs(self.gc.needs()));
    }

    /// Replaces the decision which blocked reads are rebuilt. Parity is that of the scheme; without it there is nothing to
    /// decide.
    pub fn set_redundancy(&mut self, policy: Box<dyn Redundancy + Send>) {
        if let Some(redundancy) = &mut self.redundancy {
            redundancy.policy = RedundancyPolicy::Custom(policy);
        }
    }

    /// Replaces the scheduler by a user's own.
    pub fn set_scheduler(&mut self, policy: Box<dyn Scheduler + Send>) {
        self.scheduler = SchedulerPolicy::Custom(policy);
        self.note_policies();
    }

    /// Replaces the choice of the host's write points by a user's own.
    pub fn set_separation(&mut self, policy: Box<dyn Separation + Send>) {
        self.separation = SeparationPolicy::Custom(policy);
    }

    /// What is asked of the policies once, since it never changes.
    fn note_policies(&mut self) {
        self.rules.places_moves = self.placement.places_moves() || self.systems_place_moves();
        self.rules.interrupts = Class::ALL.iter().any(|&class| self.scheduler.suspends(class));
        self.note_fast_paths();
    }

    /// Watches requests and page reads. For tests and tools; costs time.
    pub fn set_probe(&mut self, probe: Box<dyn Probe>) {
        self.probe = Some(probe);
        self.note_fast_paths();
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
        self.requests.len() - self.free_requests.len()
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
