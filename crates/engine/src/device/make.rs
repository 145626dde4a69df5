//! Making a drive: its parts, in the order in which they need each other.

use super::borders::cores::Controller;
use super::timers::Timer;
use super::{Device, MAP, READ_COUNTERS, Rules};
use crate::arrange::arrange;
use crate::cache::{Cache, Ledger};
use crate::cores::{Cpu, HostMemory};
use crate::front::Front;
use crate::observers::Observers;
use crate::reclaim::ReadReclaim;
use crate::stats::energy::EnergyTable;
use crate::systems::work::Systems;
use crate::systems::{ReclaimPolicy, SystemPolicy};
use wordline_base::time::Ns;
use wordline_config::ConfigError;
use wordline_config::device::{CommandTaker, DeviceConfig, ProgramData};
use wordline_config::ideal::SecondServer;
use wordline_config::nand_modes::CopybackBlocks;
use wordline_config::scheme::SchemeConfig;
use wordline_flash::Flash;
use wordline_ftl::durable::Kept;
use wordline_ftl::work::{BadPlan, Ftl, lay_out};

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
        let kept = Kept::of_checked(checked);
        let systems = crate::systems::of_scheme(scheme, device);
        let mut this = Self::new_for(device, scheme, kept, seed, &systems, OwnMemory::default())?;
        systems.into_iter().for_each(|system| this.add_system(system));
        Ok(this)
    }

    /// The same, laid out for what these systems need: copies, reserved space. They are to be added in this order
    /// ([`Self::add_system`]) when the drive is prepared. `own` is what the policies need that are set behind it.
    pub fn new_for(
        device: &DeviceConfig,
        scheme: &SchemeConfig,
        kept: Kept,
        seed: u64,
        systems: &[SystemPolicy],
        own: OwnMemory,
    ) -> Result<Self, ConfigError> {
        check(device, scheme)?;
        let wear_out = BadPlan::of(device, scheme, seed);
        let arranged = arrange(device, scheme, systems, wear_out.usable)?;
        let geometry = arranged.geometry.clone();
        let plane_at = arranged.plane_at.clone();
        let reclaim = ReclaimPolicy::new(&scheme.reclaim, &geometry, arranged.plan.map.logical_units, seed);
        let ftl = Ftl::new(device, scheme, arranged, wear_out, kept, seed, reclaim.counts_pages())?;
        let map_bytes = own.mapping.unwrap_or_else(|| ftl.mapping_bytes());
        let counter_bytes = own.reclaim.unwrap_or_else(|| reclaim.bytes());
        let (dram, cache_bytes) = share_dram(device, scheme, systems, map_bytes, counter_bytes)?;
        let mut flash = Flash::new(device, scheme, &geometry, Timer::COUNT);
        flash.rules.separate_map_reads = ftl.translation().separate_loads;
        flash.rules.checked = kept == Kept::Checked;
        let mut this = Self {
            rules: Rules { not_physical: scheme.ideal.not_physical(), systems_in_ledger: systems.len() },
            systems: Systems::new(Ns(scheme.maintenance.idle_after_ns), reclaim),
            flash,
            front: Front::new(device.link.clone()),
            controller: Controller {
                cpu: Cpu::new(&device.cpu, &scheme.firmware, ftl.domains().len()),
                dram,
                cache: Cache::off(),
                host_memory: HostMemory::new(scheme.mapping.host_memory, Ns(device.link.host_memory_ns)),
            },
            observers: Observers::new(EnergyTable::new(device)),
            geometry,
            ftl,
        };
        let sizes = [
            this.ftl.logical_units(),
            this.geometry.unit_bytes,
            this.geometry.units_per_program(),
            this.ftl.domains().len() as u32 * u32::from(this.ftl.points().host()),
        ];
        this.controller.cache = Cache::new(&scheme.cache, &device.dram, cache_bytes, sizes)?;
        this.note_policies();
        lay_out(&mut this, &plane_at, 0, Vec::new(), None);
        this.ftl.enable_copies();
        this.open_window(0);
        Ok(this)
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

/// Bytes of the controller's DRAM that policies of a user's own take in place of built-in ones; `None` where it is a built-in one.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnMemory {
    /// Address translation.
    pub mapping: Option<u64>,
    /// Read reclaim.
    pub reclaim: Option<u64>,
}

/// Who uses the controller's DRAM, and the bytes of the data cache: what the others take is known before it gets the rest.
fn share_dram(
    device: &DeviceConfig,
    scheme: &SchemeConfig,
    systems: &[SystemPolicy],
    map_bytes: u64,
    counter_bytes: u64,
) -> Result<(Ledger, u64), ConfigError> {
    let mut dram = Ledger::new(device.dram.bytes);
    if !systems.iter().any(|system| system.get().holds_map()) {
        dram.reserve(MAP, map_bytes);
    }
    dram.replace(READ_COUNTERS, counter_bytes);
    for system in systems.iter().map(SystemPolicy::get) {
        dram.reserve(system.name(), system.bytes());
    }
    let cache_bytes = scheme.cache.take(dram.free())?;
    dram.replace("data_cache", cache_bytes);
    dram.check()?;
    Ok((dram, cache_bytes))
}
