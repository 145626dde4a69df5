//! How a drive is arranged before anything is on it: what is reserved, which planes form superblocks, who writes where,
//! and what that leaves for the host.

use crate::blocks::{Domains, Points};
use crate::placement::{PlaneSets, planes_in_order};
use crate::replicate::CopyBudget;
use crate::replicate::reservation::{Part, Reservation, Reserved};
use crate::space::{Room, SpacePlan};
use std::sync::Arc;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, PlaneId};
use wordline_config::ConfigError;
use wordline_config::device::DeviceConfig;
use wordline_config::error::word;
use wordline_config::scheme::{SchemeConfig, SuperblockSpan};
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
    /// Sets of planes with logical pages of their own; `None` without.
    pub sets: Option<Arc<PlaneSets>>,
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
        if let Some(torn) = reserved.torn(&domains) {
            let fits =
                |&span: &SuperblockSpan| reserved.torn(&Domains::new(&geometry, span, &plane_at)).is_none();
            let fitting: Vec<String> =
                SuperblockSpan::ALL.iter().filter(|span| fits(span)).map(word).collect();
            let allowed = format!("{}, for {torn}", fitting.join(", "));
            let span = word(&scheme.blocks.superblock);
            return Err(ConfigError::new("scheme.blocks.superblock", span, allowed));
        }
        check(&geometry, &domains, &reserved)?;
        plane_at.retain(|&plane| !reserved.has(plane));
        let sets = PlaneSets::new(device, scheme, &geometry, &plane_at)?;
        if let Some(sets) = &sets {
            check_sets(sets, scheme, systems, &domains)?;
        }
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
        let room = Room { open: points.count(), blocks, reserved: &reserved, sets: sets.as_ref() };
        let plan = SpacePlan::new(device, scheme, &geometry, domains.width(), &room)?;
        let budgets = budgets.iter().map(|budget| budget.units(plan.map.logical_units)).collect();
        let sets = sets.map(|mut sets| {
            let entries = if plan.map.translation_pages > 0 { plan.map.entries_per_page } else { 0 };
            sets.share_out(plan.map.logical_units, entries);
            Arc::new(sets)
        });
        Ok(Self { geometry, plane_at, domains, points, reserved, sets, plan, budgets })
    }
}

/// Refuses what doesn't keep to sets of planes: systems, which place and copy pages all over the drive, and superblocks of planes that
/// lie in several sets.
fn check_sets(
    sets: &PlaneSets,
    scheme: &SchemeConfig,
    systems: &[Needs],
    domains: &Domains,
) -> Result<(), ConfigError> {
    let names: Vec<&str> = scheme.nvm_set.iter().map(|set| set.name.as_str()).collect();
    if let Some(system) = systems.first() {
        let allowed = format!("left out beside the system {}, which knows no sets of planes", system.name);
        return Err(ConfigError::new("scheme.nvm_set", names.join(", "), allowed));
    }
    let in_one = |domain: u32| {
        let mut planes = domains.planes(DomainId(domain)).iter().map(|&plane| sets.of_plane(plane));
        let first = planes.next();
        planes.all(|set| Some(set) == first)
    };
    if !(0..domains.len() as u32).all(in_one) {
        let span = format!("{:?}", scheme.blocks.superblock).to_lowercase();
        let allowed =
            "superblocks whose planes lie in one set each (scheme.nvm_set), as those of \"none\" do";
        return Err(ConfigError::new("scheme.blocks.superblock", format!("{span:?}"), allowed));
    }
    Ok(())
}
