//! The flash of a drive: dies, channels and chips, what waits for them, and who chooses.

use crate::apart::ReadPlanes;
use crate::chips::Chips;
use crate::disturb::Disturb;
use crate::nand::cache_register::CacheOperations;
use crate::nand::channel::Channel;
use crate::nand::copyback::Copybacks;
use crate::nand::die::Die;
use crate::nand::{Geometry, Timing};
use crate::planes::PlaneCollection;
use crate::sched::gates::Gates;
use crate::sched::queue::OpPool;
use crate::sched::{Scheduler, SchedulerPolicy};
use crate::servers::Servers;
use wordline_base::class::Class;
use wordline_base::events::{Event, EventSet};
use wordline_base::fields;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;
use wordline_config::device::{ChannelArbitration, MultiPlaneRule, SuspendConfig};
use wordline_config::{DeviceConfig, SchemeConfig};

/// What the dies may do.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Which pages of several planes go in one command.
    pub multi_plane: MultiPlaneRule,
    /// Commands of a queue that are looked at for partners.
    pub window: u32,
    /// Programs and erases that stop for reads.
    pub suspend: SuspendConfig,
    /// Who gets a channel.
    pub arbitration: ChannelArbitration,
    /// Whether a read that comes can change what a busy die does.
    pub interrupts: bool,
    /// Whether reads of the map's pages go in commands of their own.
    pub separate_map_reads: bool,
    /// Checked mode.
    pub checked: bool,
}

impl Rules {
    /// Those of a drive before its scheduler is asked.
    fn new(device: &DeviceConfig, geometry: &Geometry) -> Self {
        Self {
            multi_plane: device.multi_plane.rule,
            window: match device.multi_plane.window {
                0 => (4 * geometry.planes_per_die * geometry.units_per_page()).max(8),
                window => window,
            },
            suspend: device.suspend.clone(),
            arbitration: device.channel.arbitration,
            interrupts: true,
            separate_map_reads: false,
            checked: false,
        }
    }
}

/// Dies, channels, chips, and the operations that wait for them or run.
pub struct Flash {
    /// Counts of the drive.
    pub(crate) geometry: Geometry,
    /// What the dies may do.
    pub rules: Rules,
    /// The time.
    pub(crate) now: Ns,
    /// What comes when: of dies, channels and cache registers, and behind them of the timers of other parts.
    pub(crate) events: EventSet,
    /// What everything takes.
    pub(crate) timing: Timing,
    /// Bus time of the most frequent transfer: one mapping unit.
    pub(crate) unit_transfer: Ns,
    /// What a die does next.
    pub(crate) scheduler: SchedulerPolicy,
    /// What dies may not begin now.
    pub(crate) gates: Gates,
    /// Classes whose commands go before all others, one bit each.
    pub(crate) urgent: u32,
    /// The operations.
    pub pool: OpPool,
    /// Place of the newest operation in the order of arrival.
    pub(crate) op_order: u64,
    /// The dies, and behind them what serves beside them ([`crate::servers`]).
    pub(crate) dies: Vec<Die>,
    /// Flash pages that wait or run, by die.
    pub(crate) outstanding: Vec<u32>,
    /// The channels.
    pub(crate) channels: Vec<Channel>,
    /// By server.
    pub(crate) channel_of: Vec<u32>,
    /// Cache reads and programs.
    pub(crate) overlap: CacheOperations,
    /// What may move inside a die, and what is checked of it.
    pub(crate) copybacks: Copybacks,
    /// `None` where each die takes commands for itself.
    pub(crate) chips: Option<Box<Chips>>,
    /// `None` where a copyback blocks its die.
    pub(crate) plane_collection: Option<Box<PlaneCollection>>,
    /// `None` where a die does one command at a time.
    pub(crate) read_planes: Option<Box<ReadPlanes>>,
    /// Numbers of who serves what.
    pub(crate) servers: Servers,
    /// Dies that got work since they were last looked at.
    pub(crate) touched: Vec<DieId>,
    /// `None` while nobody counts reads and no bit is ever wrong.
    pub(crate) disturb: Option<Box<Disturb>>,
}

impl Flash {
    /// At rest; other parts have so many timers.
    pub fn new(
        device: &DeviceConfig,
        scheme: &SchemeConfig,
        geometry: &Geometry,
        further_timers: usize,
    ) -> Self {
        let second = scheme.ideal.second_server;
        let plane_collection = PlaneCollection::new(device, scheme, geometry);
        let servers = Servers::new(device, second, geometry, plane_collection.is_some());
        let (channels, channel_of) = servers.channels(geometry, second);
        let dies = channel_of.len();
        let timing = Timing::new(device);
        let overlap = CacheOperations::new(&device.cache_mode, dies);
        // The last one is the decoder.
        let resources = dies + channels + overlap.registers.len() + 1;
        let mut this = Self {
            rules: Rules::new(device, geometry),
            now: Ns::ZERO,
            events: EventSet::new(resources + further_timers),
            geometry: geometry.clone(),
            unit_transfer: timing.transfer(device.geometry.mapping_unit_bytes),
            timing,
            scheduler: SchedulerPolicy::for_scheme(scheme),
            gates: Gates::default(),
            urgent: 0,
            pool: OpPool::default(),
            op_order: 0,
            dies: (0..dies).map(|_| Die::default()).collect(),
            outstanding: vec![0; geometry.dies() as usize],
            channels: (0..channels).map(|_| Channel::default()).collect(),
            channel_of,
            overlap,
            copybacks: Copybacks::new(&device.copyback, scheme.gc.copyback, dies),
            chips: Chips::new(device, geometry),
            plane_collection,
            read_planes: servers.read_apart().then(|| Box::new(ReadPlanes::new(geometry))),
            servers,
            touched: Vec::new(),
            disturb: Disturb::new(device, scheme, geometry),
        };
        this.ask_for_suspensions();
        this
    }

    /// Counts and addresses.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The time.
    #[inline(always)]
    pub fn now(&self) -> Ns {
        self.now
    }

    /// The time comes at which something happens.
    #[inline(always)]
    pub fn set_now(&mut self, now: Ns) {
        self.now = now;
    }

    /// The next event, timers of other parts included.
    #[inline(always)]
    pub fn next_event(&self) -> Event {
        self.events.first()
    }

    /// When that comes.
    #[inline(always)]
    pub fn next_time(&self) -> Ns {
        self.events.first_time()
    }

    /// A die, or another server.
    #[inline(always)]
    pub fn die(&self, server: DieId) -> &Die {
        &self.dies[server.index()]
    }

    /// The dies, and behind them what serves beside them.
    pub fn dies(&self) -> &[Die] {
        &self.dies
    }

    /// Flash pages that wait or run, by die.
    #[inline(always)]
    pub fn loads(&self) -> &[u32] {
        &self.outstanding
    }

    /// The channels.
    pub fn channels(&self) -> &[Channel] {
        &self.channels
    }

    /// The channel of a server.
    pub fn channel_of(&self, server: DieId) -> u32 {
        self.channel_of[server.index()]
    }

    /// What everything takes.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// Bus time of a mapping unit.
    pub fn unit_transfer(&self) -> Ns {
        self.unit_transfer
    }

    /// Numbers of who serves what.
    pub fn servers(&self) -> &Servers {
        &self.servers
    }

    /// Classes whose commands go before all others, one bit each.
    #[inline]
    pub fn urgent(&self) -> u32 {
        self.urgent
    }

    /// From now on the commands of these classes go before all others.
    pub fn set_urgent(&mut self, classes: u32) {
        self.urgent = classes;
    }

    /// Another scheduler chooses from now on.
    pub fn set_scheduler(&mut self, scheduler: SchedulerPolicy) {
        self.scheduler = scheduler;
        self.ask_for_suspensions();
    }

    /// Asks the scheduler, once, whether any command is suspended for reads.
    fn ask_for_suspensions(&mut self) {
        self.rules.interrupts = Class::ALL.iter().any(|&class| self.scheduler.suspends(class, 0));
    }

    /// What may move inside a die.
    pub fn copybacks(&self) -> &Copybacks {
        &self.copybacks
    }

    /// The servers of planes; `None` where planes don't collect by themselves.
    pub fn plane_collection(&self) -> Option<&PlaneCollection> {
        self.plane_collection.as_deref()
    }

    /// Read counts and bit errors; `None` while nobody counts reads and no bit is ever wrong.
    pub fn disturb(&self) -> Option<&Disturb> {
        self.disturb.as_deref()
    }

    /// The same, to change.
    pub fn disturb_mut(&mut self) -> Option<&mut Disturb> {
        self.disturb.as_deref_mut()
    }

    /// Lengths of tables that the configuration fixes.
    pub fn shape(&self) -> [(&'static str, usize); 6] {
        [
            ("dies", self.dies.len()),
            ("queues of dies", self.outstanding.len()),
            ("channels", self.channels.len()),
            ("resources of events", self.events.resources()),
            ("cache registers", self.overlap.registers.len()),
            ("read counts", usize::from(self.disturb.is_some())),
        ]
    }
}

fields! {
    Flash:
    rebuilt: geometry rules timing unit_transfer channel_of servers;
    state: now events gates urgent pool op_order dies outstanding channels overlap copybacks chips plane_collection read_planes touched disturb;
    parts: scheduler;
    dropped: ;
}
