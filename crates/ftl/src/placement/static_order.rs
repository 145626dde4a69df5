//! Static placement: the plane follows from the logical address, by any of the 24 orders of channel, way, die and
//! plane (Hu et al., "Performance impact and interplay of SSD parallelism", ICS 2011).

use super::{Placement, PlacementView, PlaneSets, ProgramIntent, planes_in_order};
use crate::redundancy::PageStripes;
use crate::replicate::Reserved;
use std::sync::Arc;
use wordline_base::divisor::Divisor;
use wordline_base::ids::{Lpa, PlaneId};
use wordline_config::scheme::PlacementOrder;
use wordline_flash::nand::Geometry;

/// By the logical address alone: flash page number modulo the number of planes, in an order of levels.
#[derive(Clone, Debug)]
pub struct StaticPlacement {
    plane_at: Vec<PlaneId>,
    planes: Divisor,
    unit_shift: u32,
    /// Where pages are dealt out in another order than their own.
    dealt: Option<Dealt>,
}

/// Another order in which pages are dealt out.
#[derive(Clone, Debug)]
enum Dealt {
    /// Pages of stripes, with their parity.
    Stripes(PageStripes),
    /// Pages of sets of planes.
    Sets(Arc<PlaneSets>),
}

impl StaticPlacement {
    /// For a drive and an order, the fastest changing level first.
    pub fn new(geometry: &Geometry, order: PlacementOrder) -> Self {
        Self {
            plane_at: planes_in_order(geometry, order),
            planes: Divisor::new(geometry.planes()),
            unit_shift: geometry.unit_shift,
            dealt: None,
        }
    }

    /// Deals out stripes of logical pages, their parity included.
    pub fn deal_stripes(&mut self, stripes: &PageStripes) {
        self.dealt = Some(Dealt::Stripes(stripes.clone()));
    }

    /// Deals out the pages of each set over its planes.
    pub fn keep_to(&mut self, sets: &Arc<PlaneSets>) {
        self.dealt = Some(Dealt::Sets(Arc::clone(sets)));
    }

    /// Deals pages out over the other planes only.
    pub fn leave_out(&mut self, reserved: &Reserved) {
        self.plane_at.retain(|&plane| !reserved.has(plane));
        self.planes = Divisor::new(self.plane_at.len() as u32);
    }

    #[inline]
    fn of(&self, lpa: Lpa) -> PlaneId {
        let number = match &self.dealt {
            None => lpa.0,
            Some(Dealt::Stripes(stripes)) => stripes.dealt_as(lpa),
            Some(Dealt::Sets(sets)) => sets.dealt_as(lpa),
        };
        let (_, position) = self.planes.div_rem(number >> self.unit_shift);
        self.plane_at[position as usize]
    }
}

impl Placement for StaticPlacement {
    #[inline]
    fn place(&mut self, program: &ProgramIntent, _view: &PlacementView<'_>) -> PlaneId {
        self.of(program.lpa)
    }

    fn plane_by_address(&self, lpa: Lpa) -> Option<PlaneId> {
        Some(self.of(lpa))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_config::device::GeometryConfig;

    #[test]
    fn each_of_the_24_orders_walks_its_levels_fastest_first() {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 2,
            ways: 3,
            dies: 4,
            planes: 5,
            blocks: 4,
            pages: 4,
            page_bytes: 8192,
            spare_bytes: 0,
            mapping_unit_bytes: 4096,
            pages_per_program: 1,
        });
        let size = |letter| match letter {
            'C' => 2,
            'W' => 3,
            'D' => 4,
            _ => 5,
        };
        let orders = PlacementOrder::all();
        assert_eq!(orders.len(), 24);
        for order in orders {
            let name = String::from(order);
            let mut policy = StaticPlacement::new(&geometry, order);
            for lpa in 0..500u32 {
                let intent = ProgramIntent::host(Lpa(lpa), 0);
                let view = PlacementView {
                    geometry: &geometry,
                    outstanding: &[],
                    among: None,
                    has_room: &|_| true,
                    held: &|_| 0,
                };
                let mut rest = lpa / 2;
                let mut digits = std::collections::BTreeMap::new();
                for letter in name.chars() {
                    digits.insert(letter, rest % size(letter));
                    rest /= size(letter);
                }
                let expected = geometry.plane_at(digits[&'C'], digits[&'W'], digits[&'D'], digits[&'P']);
                assert_eq!(policy.place(&intent, &view), expected, "{name} {lpa}");
            }
        }
    }
}
