//! Making a drive: its parts, in the order in which they need each other.

use super::awaited_moves::Awaits;
use super::controller::Controller;
use super::ftl::Ftl;
use super::parity::Redundant;
use super::parity_pages::StripedPages;
use super::partial_writes::PartialWrites;
use super::purposes::Purposes;
use super::rotating::Rotation;
use super::timers::Timer;
use super::translate::Translation;
use super::wear_out::BadPlan;
use super::{
    Device, READ_COUNTERS, Rules, background, copies, host_memory, pace, plans, reclaim, slc_cache, systems,
    wear,
};
use crate::arrange::Arrangement;
use crate::blocks::Stripes;
use crate::blocks::separation::SeparationPolicy;
use crate::blocks::slc_cache::SlcCachePolicy;
use crate::blocks::{BlockTable, Domains, Isolated};
use crate::cache::{Cache, Ledger};
use crate::cpu::Cpu;
use crate::gc::{GcPolicy, VictimPolicy};
use crate::mapping::oob::{Oob, Versions};
use crate::mapping::{Copies, Layout, PageMap};
use crate::nand::Geometry;
use crate::placement::PlacementPolicy;
use crate::reclaim::ReadReclaim;
use crate::redundancy::{PageStripes, RedundancyPolicy};
use crate::stats::energy::EnergyTable;
use crate::systems::ReclaimPolicy;
use crate::systems::SystemPolicy;
use wordline_base::time::Ns;
use wordline_config::ConfigError;
use wordline_config::device::{CommandTaker, DeviceConfig, ProgramData};
use wordline_config::ideal::SecondServer;
use wordline_config::isolation::Isolation;
use wordline_config::nand_modes::CopybackBlocks;
use wordline_config::scheme::SchemeConfig;
use wordline_flash::Flash;

impl Device {
    /// An empty drive. `checked` verifies every read's OOB and allows a final audit. `seed` is that of the run: the
    /// policies that draw random numbers have streams of their own from it.
    pub fn new(
        device: &DeviceConfig,
        scheme: &SchemeConfig,
        checked: bool,
        seed: u64,
    ) -> Result<Self, ConfigError> {
        check(device, scheme)?;
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
        check(device, scheme)?;
        let wear_out = BadPlan::of(device, scheme, seed);
        let arranged = Arrangement::new(device, scheme, systems, wear_out.usable)?;
        let replication = copies::Replication::new(scheme, &arranged);
        let Arrangement { geometry, plane_at, domains, points, reserved, plan, .. } = arranged;
        let blocks = block_table(device, scheme, &geometry, &domains)?;
        let redundancy = RedundancyPolicy::new(&scheme.redundancy).map(|policy| {
            let (stripes, xor_ns) = (Stripes::new(&geometry, &domains), scheme.redundancy.xor_ns);
            Box::new(Redundant::new(policy, stripes, &geometry, blocks.len(), xor_ns))
        });
        // Pages of the map are logical pages behind those of the host.
        let units = plan.map.logical_units + plan.map.map_pages() + plan.parity_units;
        let striped = scheme.redundancy.in_pages().then(|| {
            let stripes = PageStripes::new(&geometry, plan.map.logical_units);
            Box::new(StripedPages::new(stripes, scheme.redundancy.xor_ns))
        });
        let slc = slc_cache::SlcState::new(
            &scheme.slc_cache,
            plan.cache,
            &points,
            domains.len(),
            (u64::from(units) * u64::from(domains.width()) / u64::from(geometry.planes())) as u32,
        );
        let rotation = if scheme.gc.rotating { Some(Rotation::new(&geometry, &domains)?) } else { None };
        let layout = Layout::new(&geometry, &plane_at, 0);
        let translation =
            Translation::new(&scheme.mapping, plan.map, blocks.capacity(), geometry.unit_bytes, checked);
        let reclaim_policy = ReclaimPolicy::new(&scheme.reclaim, &geometry, plan.map.logical_units, seed);
        let (dram, cache_bytes) = share_dram(device, scheme, systems, &translation, &reclaim_policy)?;
        let units_per_row = geometry.units_per_program() * domains.width();
        let mut flash = Flash::new(device, scheme, &geometry, Timer::COUNT);
        flash.rules.separate_map_reads = translation.separate_loads;
        flash.rules.checked = checked;
        let ftl = Ftl {
            geometry: geometry.clone(),
            logical_units: plan.map.logical_units,
            thresholds: plan.thresholds,
            pace: pace::of_scheme(&scheme.gc, plan.paced_free, units_per_row, blocks.capacity()),
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
            plans: plans::Plans::default(),
            purposes: Purposes::default(),
            partial_writes: PartialWrites::default(),
            slc,
            slc_policy: SlcCachePolicy::new(&scheme.slc_cache, &plan.cache),
            redundancy,
            striped,
            wear_out: wear_out.start(plan.least_superblocks),
            translation,
            reclaim: reclaim::Reclaim::new(
                &scheme.reclaim,
                &geometry,
                blocks.len(),
                reclaim_policy.counts_pages(),
            ),
            reclaim_policy,
            background: background::Background::new(&scheme.gc, &geometry),
            rotation,
            static_wear: wear::StaticWear::new(&scheme.wear, domains.len()),
            separation: SeparationPolicy::new(&scheme.separation, plan.map.logical_units),
            isolated: (scheme.gc.isolation == Isolation::Persistent)
                .then(|| Box::new(Isolated::new(blocks.len()))),
            untimed: None,
            fetched_layout: None,
            layout,
            domains,
            blocks,
        };
        let mut this = Self {
            rules: Rules::new(device, scheme),
            systems: systems::Systems::new(Ns(scheme.maintenance.idle_after_ns), systems.len()),
            flash,
            front: super::front::Front::default(),
            controller: Controller {
                cpu: Cpu::new(&device.cpu, &scheme.firmware, ftl.domains.len()),
                dram,
                cache: Cache::off(),
                host_memory: host_memory::HostMemory::new(
                    scheme.mapping.host_memory,
                    Ns(device.link.host_memory_ns),
                ),
            },
            observers: super::observers::Observers::new(EnergyTable::new(device)),
            geometry,
            ftl,
        };
        this.ftl.placement.leave_out(&reserved);
        if let Some(striped) = &this.ftl.striped {
            this.ftl.placement.deal_stripes(&striped.stripes);
        }
        let sizes = [
            plan.map.logical_units,
            this.geometry.unit_bytes,
            this.geometry.units_per_program(),
            this.ftl.domains.len() as u32 * u32::from(this.ftl.points.host()),
        ];
        this.controller.cache = Cache::new(&scheme.cache, &device.dram, cache_bytes, sizes)?;
        this.note_policies();
        this.ftl.blocks.keep(this.ftl.needs(this.ftl.gc.needs()));
        this.lay_out(&plane_at, 0, None);
        this.ftl.enable_copies();
        this.open_window(0);
        Ok(this)
    }
}

impl Rules {
    /// The rules of a drive whose policies haven't been asked yet.
    fn new(device: &DeviceConfig, scheme: &SchemeConfig) -> Self {
        Self {
            link: device.link.clone(),
            written_only: device.channel.program_data == ProgramData::Written,
            places_moves: false,
            awaits: Awaits::of_scheme(scheme),
            past_collection: scheme.cache.past_collection,
            unmapped_reads: scheme.mapping.unmapped_reads,
            free_block: scheme.wear.free_block,
            not_physical: scheme.ideal.not_physical(),
        }
    }
}

/// Refuses what is not allowed by itself or beside each other.
fn check(device: &DeviceConfig, scheme: &SchemeConfig) -> Result<(), ConfigError> {
    device.validate().map_err(|e| e.under("device"))?;
    scheme.validate().map_err(|e| e.under("scheme"))?;
    if device.channel.commands == CommandTaker::Chip && scheme.ideal.second_server != SecondServer::None {
        let allowed = "\"die\" beside scheme.ideal.second_server";
        return Err(ConfigError::new("device.channel.commands", "\"chip\"", allowed));
    }
    if device.copyback.blocks == CopybackBlocks::Plane && scheme.gc.copyback {
        check_planes(scheme)?;
    }
    if device.channel.program_data == ProgramData::Written && scheme.redundancy.in_pages() {
        let allowed = "\"unit\" beside scheme.redundancy.policy = \"parity_pages\"";
        return Err(ConfigError::new("device.channel.program_data", "\"written\"", allowed));
    }
    Ok(())
}

/// Refuses what can't be beside planes that collect by themselves.
fn check_planes(scheme: &SchemeConfig) -> Result<(), ConfigError> {
    let beside = [
        (scheme.ideal.second_server != SecondServer::None, "\"die\" beside scheme.ideal.second_server"),
        // Programs of one block would come from two servers, in any order.
        (scheme.astro.enabled, "\"die\" beside scheme.astro"),
    ];
    let refused = |allowed| ConfigError::new("device.copyback.blocks", "\"plane\"", allowed);
    beside.into_iter().find(|(on, _)| *on).map_or(Ok(()), |(_, allowed)| Err(refused(allowed)))
}

/// The superblocks, all of them free.
fn block_table(
    device: &DeviceConfig,
    scheme: &SchemeConfig,
    geometry: &Geometry,
    domains: &Domains,
) -> Result<BlockTable, ConfigError> {
    let data_planes = scheme.redundancy.data_planes(domains.width(), geometry.planes_per_die)?;
    let mut blocks = BlockTable::new(geometry, domains.width(), data_planes, |plane| domains.of(plane));
    if device.slc_mode.is_some() {
        blocks.allow_slc_mode(geometry.pages_per_block / device.cell.technology.bits() as u32);
    }
    blocks.set_least_won(crate::space::least_won(scheme, geometry));
    if scheme.slc_cache.is_on() {
        blocks.keep_slc_from_collection();
    }
    Ok(blocks)
}

/// Who uses the controller's DRAM, and the bytes of the data cache: what the others take is known before it gets the rest.
fn share_dram(
    device: &DeviceConfig,
    scheme: &SchemeConfig,
    systems: &[SystemPolicy],
    translation: &Translation,
    reclaim: &ReclaimPolicy,
) -> Result<(Ledger, u64), ConfigError> {
    let mut dram = Ledger::new(device.dram.bytes);
    if !systems.iter().any(|system| system.get().holds_map()) {
        dram.reserve("map", translation.policy.get().bytes());
    }
    if reclaim.bytes() > 0 {
        dram.reserve(READ_COUNTERS, reclaim.bytes());
    }
    for system in systems.iter().map(SystemPolicy::get) {
        dram.reserve(system.name(), system.bytes());
    }
    let cache_bytes = scheme.cache.take(dram.free())?;
    if cache_bytes > 0 {
        dram.reserve("data_cache", cache_bytes);
    }
    dram.check()?;
    Ok((dram, cache_bytes))
}
