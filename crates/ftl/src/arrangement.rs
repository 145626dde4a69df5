//! How a drive is arranged before anything is on it: what is reserved, which planes form superblocks, who writes where,
//! and what that leaves for the host.

use crate::blocks::{Domains, Points};
use crate::placement::planes_in_order;
use crate::replicate::CopyBudget;
use crate::replicate::reservation::{Part, Reservation, Reserved};
use crate::space::{Room, SpacePlan};
use wordline_base::class::Cause;
use wordline_base::ids::PlaneId;
use wordline_config::ConfigError;
use wordline_config::device::DeviceConfig;
use wordline_config::scheme::SchemeConfig;
use wordline_flash::nand::Geometry;

/// What a system needs of a drive.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    /// Its name.
    pub name: String,
    /// Space of its own.
    pub reservation: Reservation,
    /// Copies that it may have.
    pub copies: CopyBudget,
}

/// A drive on paper.
pub struct Arrangement {
    /// Counts and addresses.
    pub geometry: Geometry,
    /// Planes that data of the host may be on, in the order of placement.
    pub plane_at: Vec<PlaneId>,
    /// Which planes form superblocks.
    pub domains: Domains,
    /// Who writes where.
    pub points: Points,
    /// What is reserved.
    pub reserved: Reserved,
    /// What that leaves.
    pub plan: SpacePlan,
    /// Most copies of each system, mapping units.
    pub budgets: Vec<u32>,
}

impl Arrangement {
    /// A drive for what these systems need, in the order of their numbers; refuses what doesn't fit. `blocks` superblocks of each
    /// domain are in use; `check` may refuse what reservations and superblocks come to.
    pub fn new(
        device: &DeviceConfig,
        scheme: &SchemeConfig,
        systems: &[Needs],
        blocks: u32,
        check: impl FnOnce(&Geometry, &Domains, &Reserved) -> Result<(), ConfigError>,
    ) -> Result<Self, ConfigError> {
        let geometry = Geometry::new(&device.geometry);
        let mut parts = vec![Part {
            system: None,
            name: "scheme".to_owned(),
            reservation: Reservation::of_scheme(&scheme.copies),
        }];
        for (number, needs) in systems.iter().enumerate() {
            let (name, reservation) = (needs.name.clone(), needs.reservation.clone());
            parts.push(Part { system: Some(number), name, reservation });
        }
        let reserved = Reserved::new(&geometry, parts)?;
        let mut plane_at = planes_in_order(&geometry, scheme.placement.order);
        let domains = Domains::new(&geometry, scheme.blocks.superblock, &plane_at);
        reserved.check_domains(&domains)?;
        check(&geometry, &domains, &reserved)?;
        plane_at.retain(|&plane| !reserved.has(plane));
        let budgets: Vec<CopyBudget> = systems.iter().map(|needs| needs.copies).collect();
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
        Ok(Self { geometry, plane_at, domains, points, reserved, plan, budgets })
    }
}
