//! Stripes of logical pages: as many flash pages of data as there are channels but one, and one of parity, each on a channel of
//! its own at the same place of it.
//!
//! The pages of a stripe are dealt out over the planes next to each other, in the order of placement with the channel as its
//! fastest level; its parity lies among them, on another channel from one row of planes to the next. A page that is moved stays
//! in its plane, and so the stripe stays what it is, whoever moves it.

use wordline_base::divisor::Divisor;
use wordline_base::ids::Lpa;
use wordline_flash::nand::Geometry;

/// Which logical pages form a stripe, and in which order data and parity are dealt out over the planes. Logical pages from
/// [`Self::data_units`] on are parity.
#[derive(Clone, Debug)]
pub struct PageStripes {
    /// Flash pages of a stripe, its parity included.
    width: Divisor,
    /// Those that hold data.
    members: Divisor,
    /// Stripes next to each other that use each plane once.
    in_row: Divisor,
    unit_shift: u32,
    data_units: u32,
}

impl PageStripes {
    /// Over the channels of a drive, of which there must be three or more; of the units that the host may have, it gets those of
    /// whole stripes.
    pub fn new(geometry: &Geometry, data_units: u32) -> Self {
        let members = geometry.channels.max(2) - 1;
        Self {
            width: Divisor::new(members + 1),
            members: Divisor::new(members),
            in_row: Divisor::new((geometry.planes() / (members + 1)).max(1)),
            unit_shift: geometry.unit_shift,
            data_units: data_units - data_units % (members << geometry.unit_shift),
        }
    }

    /// Units of the host.
    pub fn data_units(&self) -> u32 {
        self.data_units
    }

    /// Units of a stripe of flash pages that hold data.
    pub fn units_of_stripe(&self) -> u32 {
        self.members.value() << self.unit_shift
    }

    /// Units of parity for so many of the host's, of whole stripes.
    pub fn parity_units(&self, data_units: u32) -> u32 {
        data_units / self.members.value()
    }

    /// Place of the parity among the flash pages of a stripe.
    fn place_of_parity(&self, stripe: u32) -> u32 {
        self.width.div_rem(self.in_row.div_rem(stripe).0).1
    }

    /// The stripe of a logical page: of each unit of a flash page there is one.
    pub fn stripe(&self, lpa: Lpa) -> u32 {
        if let Some(parity) = lpa.0.checked_sub(self.data_units) {
            return parity;
        }
        let unit = lpa.0 & ((1 << self.unit_shift) - 1);
        (self.members.div_rem(lpa.0 >> self.unit_shift).0 << self.unit_shift) + unit
    }

    /// The logical page of a stripe's parity.
    pub fn parity(&self, stripe: u32) -> Lpa {
        Lpa(self.data_units + stripe)
    }

    /// The logical pages of a stripe that hold data.
    pub fn pages(&self, stripe: u32) -> impl Iterator<Item = Lpa> + use<> {
        let (shift, members) = (self.unit_shift, self.members.value());
        let unit = stripe & ((1 << shift) - 1);
        let first = (stripe >> shift) * members;
        (first..first + members).map(move |page| Lpa((page << shift) + unit))
    }

    /// Place of a logical page in the order in which all are dealt out over the planes, in units.
    #[inline]
    pub fn dealt_as(&self, lpa: Lpa) -> u32 {
        let stripe = self.stripe(lpa);
        let (unit, stripe) = (stripe & ((1 << self.unit_shift) - 1), stripe >> self.unit_shift);
        let parity = self.place_of_parity(stripe);
        let place = if lpa.0 < self.data_units {
            let member = self.members.div_rem(lpa.0 >> self.unit_shift).1;
            member + u32::from(member >= parity)
        } else {
            parity
        };
        ((stripe * self.width.value() + place) << self.unit_shift) + unit
    }

    /// The reverse.
    #[inline]
    pub fn dealt_at(&self, place: u32) -> Lpa {
        let unit = place & ((1 << self.unit_shift) - 1);
        let (stripe, place) = self.width.div_rem(place >> self.unit_shift);
        let parity = self.place_of_parity(stripe);
        if place == parity {
            return self.parity((stripe << self.unit_shift) + unit);
        }
        let member = place - u32::from(place > parity);
        Lpa(((stripe * self.members.value() + member) << self.unit_shift) + unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placement::planes_in_order;
    use wordline_config::device::GeometryConfig;
    use wordline_config::scheme::PlacementOrder;

    #[test]
    fn stripes_lie_on_all_channels_at_one_place_and_parity_is_spread_evenly() {
        for (channels, ways, planes, page_bytes) in [(3, 1, 1, 4096), (4, 2, 2, 8192), (5, 1, 3, 16384)] {
            let geometry = Geometry::new(&GeometryConfig {
                channels,
                ways,
                dies: 1,
                planes,
                blocks: 12,
                pages: 10,
                page_bytes,
                spare_bytes: 0,
                mapping_unit_bytes: 4096,
                pages_per_program: 1,
            });
            let stripes = PageStripes::new(&geometry, geometry.physical_units() / 2);
            let data = stripes.data_units();
            assert!(geometry.physical_units() / 2 - data < stripes.units_of_stripe());
            let all = data + stripes.parity_units(data);
            let order = planes_in_order(&geometry, PlacementOrder::all()[0]);
            let plane = |lpa: Lpa| {
                let page = stripes.dealt_as(lpa) >> geometry.unit_shift;
                order[page as usize % order.len()].0
            };
            let mut parity_on = vec![0u32; geometry.planes() as usize];
            let mut dealt = vec![false; all as usize];
            for lpa in (0..all).map(Lpa) {
                let place = stripes.dealt_as(lpa);
                assert_eq!(stripes.dealt_at(place), lpa);
                assert!(!std::mem::replace(&mut dealt[place as usize], true));
            }
            let on_channel = geometry.planes() / channels;
            for stripe in 0..stripes.parity_units(data) {
                let parity = stripes.parity(stripe);
                let members: Vec<Lpa> = stripes.pages(stripe).chain([parity]).collect();
                assert!(members.iter().all(|&lpa| stripes.stripe(lpa) == stripe));
                let mut on: Vec<u32> = members.iter().map(|&lpa| plane(lpa) / on_channel).collect();
                on.sort_unstable();
                assert_eq!(on, (0..channels).collect::<Vec<_>>());
                assert!(members.iter().all(|&lpa| plane(lpa) % on_channel == plane(parity) % on_channel));
                parity_on[plane(parity) as usize] += 1;
            }
            let (least, most) = (parity_on.iter().min(), parity_on.iter().max());
            let units = 1 << geometry.unit_shift;
            assert!(most.zip(least).is_some_and(|(most, least)| most - least <= units), "{parity_on:?}");
        }
    }
}
