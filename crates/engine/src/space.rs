//! How much the host may use, and what garbage collection keeps free.

use crate::config::ConfigError;
use crate::config::device::DeviceConfig;
use crate::config::scheme::SchemeConfig;
use crate::gc::collector::Thresholds;
use crate::nand::Geometry;
use crate::replicate::Reserved;

/// Sizes that follow from a device and a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpacePlan {
    /// Mapping units that the host sees.
    pub logical_units: u32,
    /// Thresholds of garbage collection.
    pub thresholds: Thresholds,
    /// Live units of a domain at which dynamic placement passes it over.
    pub room_limit: u32,
    /// Most copies that a domain may hold beside its share of the host's data.
    pub copy_room: u32,
    /// Most copies that a reserved domain may hold.
    pub reserved_room: u32,
}

impl SpacePlan {
    /// Checks that the spare space suffices for domains of `width` planes with `open` write points, whose superblocks hold
    /// no data of the host for good. What is reserved is not the host's.
    pub fn new(
        device: &DeviceConfig,
        scheme: &SchemeConfig,
        geometry: &Geometry,
        width: u32,
        open: u32,
        reserved: &Reserved,
    ) -> Result<Self, ConfigError> {
        let logical_units = logical_units(device, geometry, reserved)?;
        let planes = geometry.planes() - reserved.planes();
        let blocks = geometry.blocks_per_plane;
        let capacity = geometry.units_per_block() * width;
        // Static placement deals logical pages out in turn: no domain gets more than this.
        let pages = logical_units.div_ceil(geometry.units_per_page());
        let needed_units =
            u64::from(pages.div_ceil(planes)) * u64::from(geometry.units_per_page()) * u64::from(width);
        // A block counts as full with one flash page filled in part: less than a page can't be won back for sure.
        let certain = u64::from(capacity - geometry.units_per_program() + 1);
        let needed = needed_units.div_ceil(certain) + u64::from(reserved.blocks());
        let spare = u64::from(blocks).saturating_sub(needed) as u32;
        let (key, value) = capacity_key(device);
        if spare < open + 2 {
            let allowed = format!(
                "a capacity that leaves at least {} spare blocks in each plane of {blocks}; this one leaves {spare}",
                open + 2
            );
            return Err(ConfigError::new(&format!("device.capacity.{key}"), value, allowed));
        }
        let share = |share: f64| (share * f64::from(blocks)).ceil() as u32;
        let trigger = share(scheme.gc.trigger).max(2);
        let most = spare - open;
        if trigger > most {
            let allowed = format!(
                "at most {:.4}: {most} of the {blocks} blocks of a plane, since only {spare} are spare and {open} are open",
                f64::from(most) / f64::from(blocks)
            );
            return Err(ConfigError::new("scheme.gc.trigger", scheme.gc.trigger, allowed));
        }
        let stop = scheme.gc.stop.map_or(trigger, share).clamp(trigger, most.max(trigger));
        let row = geometry.units_per_program() * width;
        let read_ahead = match scheme.gc.read_ahead_pages {
            0 => (2 * row).max(4 * geometry.units_per_page()),
            pages => pages.saturating_mul(geometry.units_per_page()).max(2 * row),
        };
        let mean = u64::from(logical_units) * u64::from(width) / u64::from(planes);
        let half_spare = (u64::from(blocks) * u64::from(capacity) - mean) / 2;
        let usable = u64::from(blocks - open - 2) * certain;
        Ok(Self {
            logical_units,
            thresholds: Thresholds { trigger, stop, reserve: 1, read_ahead },
            room_limit: (mean + half_spare).min(usable).max(mean + 1) as u32,
            copy_room: usable.saturating_sub(needed_units) as u32,
            reserved_room: usable as u32,
        })
    }
}

fn capacity_key(device: &DeviceConfig) -> (&'static str, String) {
    match (device.capacity.user_bytes, device.capacity.overprovisioning) {
        (Some(bytes), _) => ("user_bytes", bytes.to_string()),
        (None, share) => ("overprovisioning", share.unwrap_or(0.0).to_string()),
    }
}

fn logical_units(
    device: &DeviceConfig,
    geometry: &Geometry,
    reserved: &Reserved,
) -> Result<u32, ConfigError> {
    let physical = (geometry.planes() - reserved.planes()) * geometry.units_per_plane();
    let unit = u64::from(geometry.unit_bytes);
    let units = match (device.capacity.user_bytes, device.capacity.overprovisioning) {
        (Some(bytes), _) => bytes / unit,
        (None, share) => (f64::from(physical) * (1.0 - share.unwrap_or(0.0))).floor() as u64,
    };
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
