//! How a workload writes, as far as its drive's start follows from it.

use serde::{Deserialize, Serialize};
pub use wordline_base::draws::Overwrites;

use super::Setup;
use crate::arrange::arrange;
use crate::blocks::steady::Collection;
use crate::blocks::together;
use crate::custom::Custom;
use wordline_config::separation::SeparationKind;

/// How the writes came before a workload's first request, where they weren't single mapping units all over the drive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WritePattern {
    /// What the requests are by whose writes the drive is prepared, as text, where the state that they lead to isn't known as a
    /// formula, or caches follow from them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<String>,
    /// Mapping units that each writes together, at multiples of that; 1: each by itself, or not as many.
    pub units_together: u32,
}

impl WritePattern {
    /// Of writes of so many mapping units, or of these requests; `None` where single units are all that is known.
    pub fn of(units_together: u32, requests: Option<String>) -> Option<Self> {
        (units_together > 1 || requests.is_some()).then_some(Self { requests, units_together })
    }
}

impl Setup {
    /// Whether the state that a workload leads to is known without carrying its writes out.
    pub fn has_steady_formula(&self, overwrites: Overwrites) -> bool {
        let separated = self.scheme.separation.policy == SeparationKind::HotCold;
        let known = !separated && Collection::of(&self.scheme.gc).is_some() && self.scheme.custom.is_empty();
        known && overwrites.evenly && self.units_written_together(overwrites.bytes).is_some()
    }

    /// Mapping units that a write of so many bytes writes together, where the drive's superblocks are made up of such groups.
    pub fn units_written_together(&self, bytes: u64) -> Option<u32> {
        let unit = u64::from(self.device.geometry.mapping_unit_bytes.max(1));
        if bytes <= unit {
            return unit.is_multiple_of(bytes.max(1)).then_some(1);
        }
        // Of what comes as several commands each is a request to the drive.
        let most = self.device.link.max_transfer_bytes.filter(|&most| most < bytes);
        let bytes = match most {
            Some(most) => Some(most).filter(|&most| bytes.is_multiple_of(most))?,
            None => bytes,
        };
        let units = u32::try_from(bytes / unit).ok().filter(|_| bytes.is_multiple_of(unit))?;
        // An array writes to its drives what its own layout makes of a request.
        if self.scheme.array.is_some() {
            return None;
        }
        self.group(units).map(|_| units)
    }

    /// Mapping units of a domain that a request of so many writes, if superblocks are made up of them.
    pub(super) fn group(&self, units: u32) -> Option<u32> {
        let mut systems = crate::systems::of_scheme(&self.scheme, &self.device);
        systems.extend(Custom::new(&self.scheme.custom, self.seed).ok()?.systems);
        let blocks = self.device.geometry.blocks;
        let arranged = arrange(&self.device, &self.scheme, &systems, blocks).ok()?;
        let domain = |&plane| arranged.domains.of(plane).0;
        let of_position: Vec<u32> = arranged.plane_at.iter().map(domain).collect();
        let rows_at_once = arranged.geometry.pages_per_program;
        let Some(sets) = &arranged.sets else {
            return together::group_of_domain(&arranged.geometry, &of_position, units, rows_at_once);
        };
        if units > 1 && !self.start.set_occupancy.is_empty() {
            // How far moves part what is written together depends on how full a set is.
            return None;
        }
        let at = |&position: &u32| of_position.get(position as usize).copied();
        let orders = (0..sets.len()).map(|set| sets.positions(set).iter().filter_map(at).collect());
        together::group_of_all(&arranged.geometry, orders, units, rows_at_once)
    }

    /// Mapping units that were written together before the first request.
    pub(super) fn units_together(&self) -> u32 {
        self.pattern.as_ref().map_or(1, |pattern| pattern.units_together.max(1))
    }

    /// Whether writes are carried out before the first request, or accesses to caches.
    pub(super) fn carries_requests_out(&self) -> bool {
        self.pattern.as_ref().is_some_and(|pattern| pattern.requests.is_some())
    }
}
