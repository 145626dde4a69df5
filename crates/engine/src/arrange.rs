//! How a drive is arranged before anything is on it: what is reserved, which planes form superblocks, who writes where,
//! and what that leaves for the host.

use crate::blocks::{Domains, Points};
use crate::nand::Geometry;
use crate::placement::planes_in_order;
use crate::replicate::CopyBudget;
use crate::replicate::reservation::{Part, Reservation, Reserved};
use crate::space::{Room, SpacePlan};
use crate::systems::SystemPolicy;
use wordline_base::class::Cause;
use wordline_config::ConfigError;
use wordline_config::device::DeviceConfig;
use wordline_config::scheme::SchemeConfig;
pub use wordline_ftl::arrangement::Arrangement;

/// Asks every system what it needs, and refuses what doesn't fit. `blocks` superblocks of each domain are in use.
pub fn arrange(
    device: &DeviceConfig,
    scheme: &SchemeConfig,
    systems: &[SystemPolicy],
    blocks: u32,
) -> Result<Arrangement, ConfigError> {
    let geometry = Geometry::new(&device.geometry);
    let mut parts = vec![Part {
        system: None,
        name: "scheme".to_owned(),
        reservation: Reservation::of_scheme(&scheme.copies),
    }];
    for (number, system) in systems.iter().map(SystemPolicy::get).enumerate() {
        let (name, reservation) = (system.name().to_owned(), system.reservation());
        parts.push(Part { system: Some(number), name, reservation });
    }
    let reserved = Reserved::new(&geometry, parts)?;
    let mut plane_at = planes_in_order(&geometry, scheme.placement.order);
    let domains = Domains::new(&geometry, scheme.blocks.superblock, &plane_at);
    reserved.check_domains(&domains)?;
    systems.iter().try_for_each(|system| system.get().check(scheme, &geometry, &domains, &reserved))?;
    plane_at.retain(|&plane| !reserved.has(plane));
    let budgets: Vec<CopyBudget> = systems.iter().map(|system| system.get().copies()).collect();
    let copies = budgets.iter().any(|&budget| budget != CopyBudget::None);
    if copies && scheme.redundancy.is_on() {
        // A stripe is rebuilt for the primary copy only.
        let allowed = "\"none\" beside systems that make further copies of pages";
        return Err(ConfigError::new("scheme.redundancy.policy", scheme.redundancy.name(), allowed));
    }
    if copies && scheme.slc_cache.is_on() {
        // The room for copies doesn't know how much less a superblock in SLC mode holds.
        let allowed = "\"none\" beside systems that make further copies of pages";
        return Err(ConfigError::new("scheme.slc_cache.policy", "a cache", allowed));
    }
    if scheme.redundancy.in_pages() && (geometry.channels < 3 || reserved.has_dies()) {
        let allowed = "\"none\" on a drive of less than 3 channels, or whose dies are reserved";
        return Err(ConfigError::new("scheme.redundancy.policy", "parity_pages", allowed));
    }
    let mut points = Points::of_scheme(scheme);
    if copies {
        points.separate(Cause::Replication);
    }
    let room = Room { open: points.count(), blocks, reserved: &reserved };
    let plan = SpacePlan::new(device, scheme, &geometry, domains.width(), &room)?;
    let budgets = budgets.iter().map(|budget| budget.units(plan.map.logical_units)).collect();
    Ok(Arrangement { geometry, plane_at, domains, points, reserved, plan, budgets })
}
