//! The flash of a drive: dies, channels and chips, what waits for them, and who chooses.

use crate::chips::Chips;
use crate::disturb::Disturb;
use crate::nand::cache_register::CacheOperations;
use crate::nand::channel::Channel;
use crate::nand::copyback::Copybacks;
use crate::nand::die::Die;
use crate::nand::{Geometry, Timing};
use crate::planes::PlaneCollection;
use crate::sched::SchedulerPolicy;
use crate::sched::gates::Gates;
use crate::sched::queue::OpPool;
use crate::servers::servers;
use wordline_base::events::EventSet;
use wordline_base::fields;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;
use wordline_config::device::{ChannelArbitration, MultiPlaneRule, SuspendConfig};
use wordline_config::ideal::SecondServer;
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
    /// Those of a drive whose scheduler hasn't been asked yet.
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
    pub geometry: Geometry,
    /// What the dies may do.
    pub rules: Rules,
    /// The time.
    pub now: Ns,
    /// What comes when: of dies, channels and cache registers, and behind them of the timers of other parts.
    pub events: EventSet,
    /// What everything takes.
    pub timing: Timing,
    /// Bus time of the most frequent transfer: one mapping unit.
    pub unit_transfer: Ns,
    /// What a die does next.
    pub scheduler: SchedulerPolicy,
    /// What dies may not begin now.
    pub gates: Gates,
    /// Classes whose commands go before all others, one bit each.
    pub urgent: u32,
    /// The operations.
    pub pool: OpPool,
    /// Place of the newest operation in the order of arrival.
    pub op_order: u64,
    /// The dies, then their second servers where the drive is ideal, or the servers of planes that collect by themselves; and
    /// so the channels, where the drive is ideal.
    pub dies: Vec<Die>,
    /// Flash pages that wait or run, by die.
    pub outstanding: Vec<u32>,
    /// The channels.
    pub channels: Vec<Channel>,
    /// By server.
    pub channel_of: Vec<u32>,
    /// Cache reads and programs.
    pub overlap: CacheOperations,
    /// What may move inside a die, and what is checked of it.
    pub copybacks: Copybacks,
    /// `None` where each die takes commands for itself.
    pub chips: Option<Box<Chips>>,
    /// `None` where a copyback blocks its die.
    pub plane_collection: Option<Box<PlaneCollection>>,
    /// Number of the first die's second server; 0 where there is none.
    pub second_server: u32,
    /// Dies that got work since they were last looked at.
    pub touched: Vec<DieId>,
    /// `None` while nobody counts reads and no bit is ever wrong.
    pub disturb: Option<Box<Disturb>>,
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
        let (dies, channels, channel_of) = servers(geometry, second, plane_collection.is_some());
        let timing = Timing::new(device);
        let overlap = CacheOperations::new(&device.cache_mode, dies);
        // The last one is the decoder.
        let resources = dies + channels + overlap.registers.len() + 1;
        Self {
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
            second_server: if second == SecondServer::None { 0 } else { geometry.dies() },
            touched: Vec::new(),
            disturb: Disturb::new(device, scheme, geometry),
        }
    }
}

fields! {
    Flash:
    rebuilt: geometry rules timing unit_transfer channel_of second_server;
    state: now events gates urgent pool op_order dies outstanding channels overlap copybacks chips plane_collection touched disturb;
    parts: scheduler;
    dropped: ;
}
