//! All that a run depends on beside its requests, and the drive as that prepares it.

use super::RunError;
use super::observer::{Counted, Observer, Unobserved};
use super::written::{Overwrites, WritePattern};
use crate::arrange::Arrangement;
use crate::blocks::steady::{Collection, Plan};
use crate::custom::Custom;
use crate::device::Device;
use crate::host::RequestSource;
use crate::stats::settled::Settled;
use crate::systems::SystemPolicy;
use std::ops::Range;
use wordline_base::draws::Draws;
use wordline_base::ids::Lpa;
use wordline_base::time::Ns;
use wordline_config::array::{ArrayConfig, ArrayLayout};
use wordline_config::combine::Slot;
use wordline_config::host::HostSchedulerKind;
use wordline_config::run::{Occupancy, StartConfig, StartLayout};
use wordline_config::{ConfigError, DeviceConfig, HostConfig, MeasureConfig, SchemeConfig, WindowConfig};
use wordline_ftl::durable::Kept;

/// Overwriting more than this part of a drive touches most 4 KiB pages of its tables, at a thousand entries each.
const DENSE: u64 = 1024;

/// All that a run depends on beside its requests.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The drive.
    pub device: DeviceConfig,
    /// Its firmware.
    pub scheme: SchemeConfig,
    /// How requests arrive.
    pub host: HostConfig,
    /// What the drive holds before the first request.
    pub start: StartConfig,
    /// What is measured.
    pub window: WindowConfig,
    /// What is recorded beside the totals.
    pub measure: MeasureConfig,
    /// Seed of every random stream.
    pub seed: u64,
    /// What the drive keeps to be verified, or looked at, by.
    pub kept: Kept,
    /// How the workload wrote before its first request; `None`: single mapping units all over the drive.
    pub pattern: Option<WritePattern>,
    /// Requests that come before the workload's own, for the drive to settle: they are no part of its warm-up.
    pub settling: u64,
    /// What a user's own policies are made of: a state is loaded only beside the same. Empty without any.
    pub policies: String,
}

/// What came before the first request of a drive that is prepared.
#[derive(Default)]
pub struct Before<'a> {
    /// Requests whose writes are carried out, where the state that they lead to isn't known as a formula.
    pub pattern: Option<&'a mut dyn RequestSource>,
    /// Whether they are known to give nothing up: what writes only goes faster.
    pub never_trims: bool,
    /// Whether they wrote and never let the drive rest, so that its SLC cache is used up.
    pub never_rests: bool,
    /// Whether they write in sequence: the pages lie in order before them, in which such writes keep the planes of a die in step.
    pub in_sequence: bool,
    /// What the cache of the map saw.
    pub last: Option<LookedUp<'a>>,
}

/// What went through the cache of the map before the first request.
pub enum LookedUp<'a> {
    /// A load of this law, for long.
    Law(&'a [Draws]),
    /// As many of these requests as bring it to where it stays, within bounds.
    Requests(&'a mut dyn RequestSource),
}

/// Pages that are filled between two looks at whether to go on, less than a second's work.
const FILLED_BETWEEN_LOOKS: usize = 1 << 20;

impl Setup {
    /// A run on this drive: closed loop, every page holds data, all that is answered counts, seed 1, nothing kept to be verified by.
    pub fn of(device: DeviceConfig, scheme: SchemeConfig) -> Self {
        Self {
            device,
            scheme,
            host: HostConfig::default(),
            start: StartConfig::default(),
            window: WindowConfig::default(),
            measure: MeasureConfig::default(),
            seed: 1,
            kept: Kept::Nothing,
            pattern: None,
            settling: 0,
            policies: String::new(),
        }
    }

    /// Bytes that the host sees of this drive, or array.
    pub fn logical_bytes(&self) -> Result<u64, ConfigError> {
        logical_bytes(&self.device, &self.scheme)
    }

    /// Checks every description.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.device.validate().map_err(|e| e.under("device"))?;
        self.scheme.validate().map_err(|e| e.under("scheme"))?;
        self.host.validate().map_err(|e| e.under("workload.host"))?;
        self.start.validate().map_err(|e| e.under("workload.start"))?;
        self.check_sets()?;
        if self.scheme.redundancy.in_pages() {
            self.check_start_of_stripes()?;
        }
        if self.start.layout.is_scattered() && self.scheme.redundancy.in_rows() {
            let (layout, allowed) = (self.start.layout.quoted(), "\"in_order\" beside scheme.redundancy");
            return Err(ConfigError::new("workload.start.layout", layout, allowed));
        }
        self.window.validate().map_err(|e| e.under("workload.window"))?;
        self.measure.validate().map_err(|e| e.under("workload.measure"))?;
        self.scheme.array.as_ref().map_or(Ok(()), |array| self.check_array(array))
    }

    /// Refuses what asks one drive, and what its parts can't share out.
    fn check_array(&self, array: &ArrayConfig) -> Result<(), ConfigError> {
        array.member(&self.device, &self.scheme.firmware, 0)?;
        self.logical_bytes()?;
        if self.measure.collisions {
            let allowed = "false beside scheme.array: only drives alone record it";
            return Err(ConfigError::new("collisions", true, allowed).under("workload.measure"));
        }
        let kind = match self.host.scheduler.kind {
            HostSchedulerKind::Piq => "piq",
            HostSchedulerKind::Paq => "paq",
            HostSchedulerKind::None | HostSchedulerKind::Fios => return Ok(()),
        };
        let allowed = "none or fios beside scheme.array: others choose by the dies of one drive";
        Err(ConfigError::new("workload.host.scheduler.kind", kind, allowed))
    }

    /// Refuses what is said of sets of planes that the scheme hasn't, and a user's own placement, which knows none.
    fn check_sets(&self) -> Result<(), ConfigError> {
        let sets = &self.scheme.nvm_set;
        let has = |name: &String| sets.iter().any(|set| &set.name == name);
        if let Some((name, occupancy)) = self.start.set_occupancy.iter().find(|(name, _)| !has(name)) {
            let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
            let allowed = match names.is_empty() {
                true => "left out: the scheme has no set (scheme.nvm_set)".to_owned(),
                false => format!("names of scheme.nvm_set: {}", names.join(", ")),
            };
            let path = format!("workload.start.set_occupancy.{name}");
            return Err(ConfigError::new(&path, occupancy.to_string(), allowed));
        }
        if !sets.is_empty() && crate::custom::fills(&self.scheme.custom, Slot::Placement) {
            let allowed = "left out beside a placement of a user's own, which knows no sets of planes";
            return Err(ConfigError::new("scheme.nvm_set", format!("{} sets", sets.len()), allowed));
        }
        Ok(())
    }

    /// Stripes of logical pages are laid out whole, and nothing is overwritten that would need parity without simulated time.
    fn check_start_of_stripes(&self) -> Result<(), ConfigError> {
        let refused = |key, value: String, allowed: &str| {
            Err(ConfigError::new(&format!("workload.start.{key}"), value, allowed.to_owned()))
        };
        if self.start.overwrite > 0.0 {
            return refused(
                "overwrite",
                self.start.overwrite.to_string(),
                "0 beside scheme.redundancy.policy = \"parity_pages\"",
            );
        }
        if matches!(self.start.occupancy, Occupancy::Footprint) {
            return refused(
                "occupancy",
                "\"footprint\"".into(),
                "another beside scheme.redundancy.policy = \"parity_pages\"",
            );
        }
        if self.start.layout == StartLayout::Steady && !self.has_steady_formula(Overwrites::ALONE) {
            return refused(
                "layout",
                "\"steady\"".into(),
                "\"in_order\" beside scheme.redundancy.policy = \"parity_pages\" where no formula says where it leads",
            );
        }
        Ok(())
    }

    /// The drive as it is before the first request. `footprint` lists the logical pages that the workload touches, in
    /// the order in which they shall be written; it is used for the occupancy of that name only.
    pub fn prepare(&self, footprint: &[Lpa]) -> Result<Device, RunError> {
        self.prepare_observed(footprint, &mut Unobserved)
    }

    /// The same, stopped when the observer asks for it: overwriting a large drive takes a while.
    pub fn prepare_observed(
        &self,
        footprint: &[Lpa],
        observer: &mut dyn Observer,
    ) -> Result<Device, RunError> {
        self.prepare_with(Vec::new(), footprint, None, observer)
    }

    /// The same, for a drive with these systems behind those of the scheme. They are told of nothing that happens during
    /// preparation. `pattern` gives requests like those that the drive will keep getting: with a steady layout without a
    /// formula its writes are carried out; without it, or where it writes nothing, uniform ones.
    pub fn prepare_with(
        &self,
        own: Vec<SystemPolicy>,
        footprint: &[Lpa],
        pattern: Option<&mut dyn RequestSource>,
        observer: &mut dyn Observer,
    ) -> Result<Device, RunError> {
        self.prepare_after(own, footprint, Before { pattern, ..Before::default() }, observer)
    }

    /// The same, with caches as what came before left them.
    pub fn prepare_after(
        &self,
        own: Vec<SystemPolicy>,
        footprint: &[Lpa],
        before: Before<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Device, RunError> {
        let Before { pattern, never_trims, never_rests, in_sequence, last } = before;
        self.validate()?;
        let (mut device, systems) = self.new_drive(own)?;
        device.seed_errors(self.seed);
        let all = (device.logical_bytes() / u64::from(device.unit_bytes())) as u32;
        let of_sets = self.occupied_of_sets(&device, footprint);
        let occupied = match &of_sets {
            Some(of_sets) => of_sets.iter().sum(),
            None => occupied_of(self.start.occupancy, 0..all, footprint),
        };
        let occupied = device.ftl().whole_stripes(occupied);
        let carries_out = self.start.layout == StartLayout::Steady
            && !self.scheme.redundancy.in_pages()
            && occupied > 0
            && (pattern.is_some() || !self.has_steady_formula(Overwrites::ALONE));
        let in_order = carries_out && in_sequence;
        let layout = if in_order { None } else { self.layout_of(&device, carries_out, occupied) };
        let order = self.scheme.placement.order;
        match of_sets {
            Some(of_sets) => device.fill_sets_at_once(order, of_sets, layout),
            None => device.fill_at_once(order, occupied, layout),
        }
        let pages = if self.start.occupancy == Occupancy::Footprint { footprint } else { &[] };
        for written in pages.chunks(FILLED_BETWEEN_LOOKS) {
            device.fill(written);
            if !observer.progress(0, Ns::ZERO) {
                return Err(RunError::Cancelled);
            }
        }
        device.store_map();
        let population = if pages.is_empty() { occupied } else { pages.len() as u32 };
        let overwrites = (f64::from(population) * self.start.overwrite).round() as u64;
        if carries_out || overwrites > u64::from(all) / DENSE {
            device.expect_dense();
        }
        let mut settled = Self::settled_by_formula(&device, layout.is_some());
        if never_rests && occupied > 0 {
            device.ftl_mut().use_slc_cache_untimed(true);
            settled.slc_cache_units = device.use_slc_cache(occupied, self.seed);
        }
        if carries_out {
            let mut overwriting = match pattern {
                Some(source) => device.overwriting_as(occupied, source, never_trims),
                None => device.overwriting(occupied, &[], self.seed),
            };
            self.overwrite_until_stationary(&mut device, &mut overwriting, occupied, &mut settled, observer)?;
        }
        let mut overwriting = device.overwriting(occupied, pages, self.seed);
        let mut watched = Counted::of(overwrites, population);
        if !device.overwrite(overwrites, &mut overwriting, &mut |more| watched.told(more, observer)) {
            return Err(RunError::Cancelled);
        }
        device.ftl_mut().use_slc_cache_untimed(false);
        device.close_untimed_places();
        device.close_behind_slc_cache();
        device.keep_pace_untimed();
        device.ftl_mut().note_map_on_flash();
        if let Some(last) = last.filter(|_| self.start.map_cache.is_used()) {
            settled.map_accesses = self.use_map_cache(&mut device, last, &settled)?;
        }
        device.note_settled(settled);
        systems.into_iter().for_each(|system| device.add_system(system));
        match device.fault() {
            Some(fault) => Err(RunError::Inconsistent(fault.to_owned())),
            None => Ok(device),
        }
    }

    /// Mapping units of each set of planes that hold data; `None` without sets.
    fn occupied_of_sets(&self, device: &Device, footprint: &[Lpa]) -> Option<Vec<u32>> {
        let sets = device.ftl().sets()?;
        let of_set = |set: usize| {
            let name = self.scheme.nvm_set.get(set).map(|set| &set.name);
            let own = name.and_then(|name| self.start.set_occupancy.get(name));
            occupied_of(*own.unwrap_or(&self.start.occupancy), sets.units(set), footprint)
        };
        Some((0..sets.len()).map(of_set).collect())
    }

    /// Lets what came before go through the cache of the map, where there is one and the drive holds something.
    fn use_map_cache(
        &self,
        device: &mut Device,
        last: LookedUp<'_>,
        settled: &Settled,
    ) -> Result<u64, RunError> {
        let all = (device.logical_bytes() / u64::from(device.unit_bytes())) as u32;
        if !device.ftl().caches_its_map() {
            return Ok(0);
        }
        match last {
            LookedUp::Requests(source) => Ok(device.use_map_cache(source, all)?),
            LookedUp::Law(load) => {
                let waf = settled.waf_of_windows.last();
                let formula = Collection::of(&self.scheme.gc).unwrap_or(Collection::Greedy);
                let moved = match waf {
                    Some(waf) => (waf - 1.0).max(0.0),
                    None if self.start.layout.is_scattered() => device.ftl().moves_for_a_write(formula),
                    None => 0.0,
                };
                Ok(device.put_in_map_cache(load, all, moved, self.seed).unwrap_or(0))
            }
        }
    }

    /// The formula by which the drive is laid out, if by one. `more`: overwrites without simulated time follow.
    fn layout_of(&self, device: &Device, more: bool, occupied: u32) -> Option<Plan> {
        let formula = Collection::of(&self.scheme.gc).unwrap_or(Collection::Greedy);
        let at_once = !more && self.start.overwrite == 0.0;
        let plan = |phased: bool| {
            let plan = device.ftl().steady_plan(formula, self.seed, at_once, self.units_together());
            Plan { phased: phased && plan.phased, ..plan }
        };
        match self.start.layout {
            StartLayout::InOrder => None,
            StartLayout::Steady => {
                let plan = plan(true);
                let group = self.group(self.units_together()).filter(|_| self.units_together() > 1);
                let parted = group.map_or(plan.parted, |group| device.ftl().parted(&plan, group, occupied));
                Some(Plan { parted, ..plan })
            }
            StartLayout::AtTrigger => Some(plan(false)),
        }
    }

    /// How the drive came to its start, before anything was overwritten.
    fn settled_by_formula(device: &Device, formula: bool) -> Settled {
        let units_together = device.ftl().units_laid_together();
        Settled { formula, units_together, agrees: true, ..Settled::default() }
    }

    /// An empty drive with the policies that the scheme names, laid out for its systems and for these, which are given
    /// back: they are to be added when the drive is prepared.
    pub(crate) fn new_drive(
        &self,
        systems: Vec<SystemPolicy>,
    ) -> Result<(Device, Vec<SystemPolicy>), ConfigError> {
        let mut custom = Custom::new(&self.scheme.custom, self.seed)?;
        let mut all = crate::systems::of_scheme(&self.scheme, &self.device);
        all.append(&mut custom.systems);
        all.extend(systems);
        let start = |error: ConfigError| error.under("workload.start");
        all.iter().try_for_each(|system| system.get().check_start(&self.start).map_err(start))?;
        let mut device =
            Device::new_for(&self.device, &self.scheme, self.kept, self.seed, &all, custom.memory())?;
        custom.fill_slots(&mut device);
        Ok((device, all))
    }
}

/// How many of these logical pages hold data, from the first on.
fn occupied_of(occupancy: Occupancy, pages: Range<u32>, footprint: &[Lpa]) -> u32 {
    let all = pages.len() as u32;
    match occupancy {
        Occupancy::All => all,
        Occupancy::None | Occupancy::Footprint => 0,
        Occupancy::Span => {
            let within = footprint.iter().filter(|page| pages.contains(&page.0));
            within.map(|page| page.0 - pages.start + 1).max().unwrap_or(0)
        }
        Occupancy::Share(share) => (f64::from(all) * share).floor() as u32,
    }
}

/// Bytes that the host sees of a drive, or of an array of such drives.
pub fn logical_bytes(device: &DeviceConfig, scheme: &SchemeConfig) -> Result<u64, ConfigError> {
    let arranged = arranged(device, scheme)?;
    let drive = u64::from(arranged.plan.map.logical_units) * u64::from(arranged.geometry.unit_bytes);
    let Some(array) = &scheme.array else { return Ok(drive) };
    if array.layout == ArrayLayout::Striped && array.chunk_bytes > drive {
        let allowed = format!("512 to the {drive} bytes of a drive");
        return Err(ConfigError::new("scheme.array.chunk_bytes", array.chunk_bytes, allowed));
    }
    Ok(array.bytes(drive))
}

/// A drive on paper, or the drives of an array.
fn arranged(device: &DeviceConfig, scheme: &SchemeConfig) -> Result<Arrangement, ConfigError> {
    device.validate().map_err(|e| e.under("device"))?;
    scheme.validate().map_err(|e| e.under("scheme"))?;
    let member = match &scheme.array {
        Some(array) => &array.member(device, &scheme.firmware, 0)?,
        None => device,
    };
    let spare = member.bad_blocks.as_ref().map_or(0, |bad_blocks| bad_blocks.spare_blocks_per_plane);
    let blocks = member.geometry.blocks.saturating_sub(spare);
    let mut systems = crate::systems::of_scheme(scheme, member);
    systems.extend(Custom::new(&scheme.custom, 0)?.systems);
    crate::arrange::arrange(member, scheme, &systems, blocks).map_err(|error| match &scheme.array {
        Some(array) => array.of_member(error),
        None => error,
    })
}

/// Where the sets of planes of a drive (`scheme.nvm_set`) lie in what the host sees of it: name and bytes, in their order.
pub fn nvm_sets(
    device: &DeviceConfig,
    scheme: &SchemeConfig,
) -> Result<Vec<(String, Range<u64>)>, ConfigError> {
    if scheme.nvm_set.is_empty() {
        return Ok(Vec::new());
    }
    let arranged = arranged(device, scheme)?;
    let unit = u64::from(arranged.geometry.unit_bytes);
    let bytes = |units: Range<u32>| u64::from(units.start) * unit..u64::from(units.end) * unit;
    let named = arranged.sets.iter().flat_map(|sets| sets.named());
    Ok(named.map(|(name, units)| (name.to_owned(), bytes(units))).collect())
}
