//! How much the host may use, and what garbage collection keeps free.

use crate::blocks::slc_cache::CacheSizes;
use crate::gc::collector::Thresholds;
use crate::mapping::{MapSizes, journaled};
use crate::placement::PlaneSets;
use crate::redundancy::PageStripes;
use crate::replicate::Reserved;
use wordline_config::ConfigError;
use wordline_config::bad_blocks::BadBlocksConfig;
use wordline_config::device::DeviceConfig;
use wordline_config::scheme::{MappingKind, SchemeConfig};
use wordline_flash::nand::Geometry;

/// Sizes that follow from a device and a scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpacePlan {
    /// Mapping units that the host sees, and pages of the map.
    pub map: MapSizes,
    /// Units of parity that are logical pages, behind those.
    pub parity_units: u32,
    /// Thresholds of garbage collection.
    pub thresholds: Thresholds,
    /// Superblocks that are free or as good as won where paced collection rests.
    pub paced_free: u32,
    /// Superblocks in use that a domain needs at least.
    pub least_superblocks: u32,
    /// Live units of a domain at which dynamic placement passes it over.
    pub room_limit: u32,
    /// Most copies that a domain may hold beside its share of the host's data.
    pub copy_room: u32,
    /// Most copies that a reserved domain may hold.
    pub reserved_room: u32,
    /// Sizes of the SLC cache.
    pub cache: CacheSizes,
}

/// What data of the host may not use.
pub struct Room<'a> {
    /// Write points of a domain, whose superblocks hold no data of the host for good.
    pub open: u32,
    /// Superblocks of a domain that are in use.
    pub blocks: u32,
    /// What is reserved.
    pub reserved: &'a Reserved,
    /// Sets of planes with logical pages of their own.
    pub sets: Option<&'a PlaneSets>,
}

impl SpacePlan {
    /// Checks that the spare space suffices for domains of `width` planes.
    pub fn new(
        device: &DeviceConfig,
        scheme: &SchemeConfig,
        geometry: &Geometry,
        width: u32,
        room: &Room<'_>,
    ) -> Result<Self, ConfigError> {
        let &Room { open, blocks, reserved, sets } = room;
        let logical_units = logical_units(device, geometry, reserved)?;
        let stripes = scheme.redundancy.in_pages().then(|| PageStripes::new(geometry, logical_units));
        let logical_units = stripes.as_ref().map_or(logical_units, PageStripes::data_units);
        let parity_units = stripes.as_ref().map_or(0, |stripes| stripes.parity_units(logical_units));
        let entries =
            if scheme.mapping.policy.is_on_flash() { entries_per_page(scheme, geometry) } else { 0 };
        let logical_units = sets.map_or(logical_units, |sets| sets.whole(logical_units, entries));
        if logical_units == 0 {
            let (key, value) = capacity_key(device);
            let allowed = if sets.is_some() {
                "a flash page for each plane, and whole pages of the map for each set, at least (scheme.nvm_set)"
            } else {
                "a whole stripe of scheme.redundancy at least"
            };
            return Err(ConfigError::new(&format!("device.capacity.{key}"), value, allowed));
        }
        let planes = geometry.planes() - reserved.planes();
        if scheme.redundancy.is_on() && device.slc_mode.is_some() {
            let allowed = "\"none\", as the device has an SLC mode (device.slc_mode)";
            return Err(ConfigError::new("scheme.redundancy.policy", scheme.redundancy.name(), allowed));
        }
        let data_planes = scheme.redundancy.data_planes(width, geometry.planes_per_die)?;
        let capacity = geometry.units_per_block() * data_planes;
        // Static placement deals logical pages out in turn: no domain gets more than this.
        let map = map_sizes(scheme, geometry, logical_units)?;
        let in_page = u64::from(geometry.units_per_page());
        let per_plane =
            |units: u32| u64::from(units.div_ceil(geometry.units_per_page()).div_ceil(planes)) * in_page;
        let of_map = if map.pages_together > 1 {
            let groups = map.translation_groups() + map.journal_groups();
            u64::from(groups.div_ceil(planes)) * u64::from(map.pages_together)
        } else {
            // Each page of the map may lie alone in a program unit.
            per_plane(map.map_pages()) * u64::from(geometry.units_per_program())
        };
        let needed_units = (per_plane(logical_units + parity_units) + of_map) * u64::from(width);
        // A block counts as full with one flash page filled in part: less than a page can't be won back for sure.
        let certain = u64::from(capacity - least_won(scheme, geometry) + 1);
        let needed = needed_units.div_ceil(certain) + u64::from(reserved.blocks());
        let spare = u64::from(blocks).saturating_sub(needed) as u32;
        let cache = CacheSizes::new(&scheme.slc_cache, device, geometry)?;
        // Its open superblock is among those of the write points already.
        let for_cache = cache.least.saturating_sub(1);
        let (key, value) = capacity_key(device);
        let reserve = reserve(device);
        if spare <= open + reserve {
            let all = geometry.blocks_per_plane;
            let taken = [
                (u64::from(all - blocks), "bad or kept for bad ones (device.bad_blocks)"),
                (u64::from(reserved.blocks()), "reserved (scheme.copies.reserved_blocks)"),
                (of_map * u64::from(width) / certain, "for the map (scheme.mapping)"),
            ];
            let taken = taken.iter().filter(|(blocks, _)| *blocks > 0);
            let taken: String = taken.map(|(blocks, of)| format!(", {blocks} being {of}")).collect();
            let allowed = format!(
                "a capacity that leaves at least {} spare blocks in each plane of {all}; this one leaves {spare}{taken}",
                open + reserve + 1
            );
            return Err(ConfigError::new(&format!("device.capacity.{key}"), value, allowed));
        }
        if spare - open - reserve - 1 < for_cache {
            let allowed = format!(
                "at most {} blocks in each plane of {blocks}, since only {spare} are spare; this takes {}",
                spare - open - reserve,
                cache.least
            );
            let (key, value) = scheme.slc_cache.least_key();
            return Err(ConfigError::new(key, value, allowed));
        }
        let share = |share: f64| (share * f64::from(blocks)).ceil() as u32;
        let trigger = share(scheme.gc.trigger).max(reserve + 1);
        let most = spare - open - for_cache;
        if trigger > most {
            let allowed = format!(
                "at most {:.4}: {most} of the {blocks} blocks of a plane, since only {spare} are spare and {} are open or reserved",
                f64::from(most) / f64::from(blocks),
                open + for_cache
            );
            return Err(ConfigError::new("scheme.gc.trigger", scheme.gc.trigger, allowed));
        }
        let stop = scheme.gc.stop.map_or(trigger, share).clamp(trigger, most.max(trigger));
        let thresholds =
            Thresholds { trigger, stop, reserve, read_ahead: read_ahead(scheme, geometry, width) };
        let mean = (u64::from(logical_units) + u64::from(parity_units) + u64::from(map.map_pages()))
            * u64::from(width)
            / u64::from(planes);
        let half_spare = (u64::from(blocks - for_cache) * u64::from(capacity)).saturating_sub(mean) / 2;
        let usable = u64::from(blocks - open - reserve - 1 - for_cache) * certain;
        if map.journal_pages > 0 {
            journaled::check_room(&scheme.mapping, &map, geometry.unit_bytes, [mean, usable])?;
        }
        Ok(Self {
            least_superblocks: blocks - spare + open + for_cache + trigger,
            map,
            parity_units,
            paced_free: paced_free(thresholds, open, most),
            thresholds,
            cache,
            room_limit: (mean + half_spare).min(usable).max(mean + 1) as u32,
            copy_room: usable.saturating_sub(needed_units) as u32,
            reserved_room: usable as u32,
        })
    }
}

/// Free superblocks of a domain that the host leaves to collection. One takes the pages of a victim, whose erase gives it back; where
/// that may fail, another has to be there.
fn reserve(device: &DeviceConfig) -> u32 {
    1 + u32::from(device.bad_blocks.as_ref().is_some_and(BadBlocksConfig::grows))
}

/// Superblocks of a domain that are free, open, or as good as won where paced collection rests: as many as with thresholds, of
/// which the open ones hold one more half full on average; and so many that the host finds a free one beside the reserve
/// whenever one of its `open` write points is full, with the victim all but emptied. Spare ones there are `most`.
fn paced_free(thresholds: Thresholds, open: u32, most: u32) -> u32 {
    (thresholds.stop + 1).max(thresholds.reserve + 1 + open).min(most + 1)
}

/// Mapping units that are read ahead of their programs.
fn read_ahead(scheme: &SchemeConfig, geometry: &Geometry, width: u32) -> u32 {
    let row = geometry.units_per_program() * width;
    match scheme.gc.read_ahead_pages {
        0 => (2 * row).max(4 * geometry.units_per_page()),
        pages => pages.saturating_mul(geometry.units_per_page()).max(2 * row),
    }
}

/// Entries of a page of the map.
fn entries_per_page(scheme: &SchemeConfig, geometry: &Geometry) -> u32 {
    let bytes = scheme.mapping.page_bytes(geometry.unit_bytes);
    (bytes / scheme.mapping.translation_entry_bytes.max(1)).max(1)
}

/// Entries of the map, and the pages that keep them where the map lies on flash.
fn map_sizes(
    scheme: &SchemeConfig,
    geometry: &Geometry,
    logical_units: u32,
) -> Result<MapSizes, ConfigError> {
    let entries_per_page = entries_per_page(scheme, geometry);
    let translation_pages =
        if scheme.mapping.policy.is_on_flash() { logical_units.div_ceil(entries_per_page) } else { 0 };
    let sizes = MapSizes {
        logical_units,
        physical_units: geometry.physical_units(),
        translation_pages,
        entries_per_page,
        journal_pages: 0,
        pages_together: 1,
    };
    match scheme.mapping.policy {
        MappingKind::Journaled => journaled::with_journal(&scheme.mapping, sizes, geometry),
        _ => Ok(sizes),
    }
}

/// Mapping units that a superblock must win to be collected: those of a program, where several are in one, for each write
/// point of collection, which may fill its last program in part.
pub fn least_won(scheme: &SchemeConfig, geometry: &Geometry) -> u32 {
    match geometry.units_per_program() {
        1 => 1,
        units if scheme.separation.separate_hot_moves => 2 * units,
        units => units,
    }
}

fn capacity_key(device: &DeviceConfig) -> (&'static str, String) {
    match (device.capacity.user_bytes, device.capacity.overprovisioning) {
        (Some(bytes), _) => ("user_bytes", bytes.to_string()),
        (None, share) => ("overprovisioning", share.unwrap_or(0.0).to_string()),
    }
}

/// Mapping units of the host's as far as the description of a drive tells: reserved ones are among them.
pub fn described_units(device: &DeviceConfig, geometry: &Geometry) -> u32 {
    let physical = geometry.physical_units();
    device.capacity.logical_units(physical, geometry.unit_bytes).min(u64::from(physical)) as u32
}

fn logical_units(
    device: &DeviceConfig,
    geometry: &Geometry,
    reserved: &Reserved,
) -> Result<u32, ConfigError> {
    let physical = (geometry.planes() - reserved.planes()) * geometry.units_per_plane();
    let unit = u64::from(geometry.unit_bytes);
    let units = device.capacity.logical_units(physical, geometry.unit_bytes);
    if units == 0 || units > u64::from(physical) {
        let (key, value) = capacity_key(device);
        let allowed = format!(
            "{unit} bytes (a mapping unit) up to less than the raw {} bytes",
            u64::from(physical) * unit
        );
        return Err(ConfigError::new(&format!("device.capacity.{key}"), value, allowed));
    }
    Ok(units as u32)
}
