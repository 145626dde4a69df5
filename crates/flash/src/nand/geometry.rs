//! Where things are: from page numbers to planes, dies and channels, and back.

use wordline_base::divisor::Divisor;
use wordline_base::ids::{DieId, PlaneId, Ppa};
use wordline_config::device::GeometryConfig;

/// A physical page taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its plane.
    pub plane: PlaneId,
    /// Block of the plane.
    pub block: u32,
    /// Flash page of the block.
    pub page: u32,
    /// Mapping unit of the flash page.
    pub unit: u32,
}

/// Counts of the drive, with the divisions prepared.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// Channels of the drive.
    pub channels: u32,
    /// Chips on each channel.
    pub ways: u32,
    /// Dies of each chip.
    pub dies_per_chip: u32,
    /// Planes of each die.
    pub planes_per_die: u32,
    /// Blocks of each plane.
    pub blocks_per_plane: u32,
    /// Flash pages of each block.
    pub pages_per_block: u32,
    /// Data bytes of a flash page.
    pub page_bytes: u32,
    /// Spare bytes of a flash page.
    pub spare_bytes: u32,
    /// Bytes of a mapping unit.
    pub unit_bytes: u32,
    /// log2 of the mapping units in a flash page.
    pub unit_shift: u32,
    /// Flash pages of a block that are programmed at once.
    pub pages_per_program: u32,
    units_per_plane: Divisor,
    units_per_block: Divisor,
    planes_in_die: Divisor,
    dies_on_channel: Divisor,
    /// log2 of the bytes of a mapping unit, where they are a power of two.
    unit_bytes_shift: Option<u8>,
}

impl Geometry {
    /// From a validated description.
    pub fn new(config: &GeometryConfig) -> Self {
        let unit_shift = (config.page_bytes / config.mapping_unit_bytes.max(1)).max(1).trailing_zeros();
        let units_per_block = config.pages << unit_shift;
        Self {
            channels: config.channels,
            ways: config.ways,
            dies_per_chip: config.dies,
            planes_per_die: config.planes,
            blocks_per_plane: config.blocks,
            pages_per_block: config.pages,
            page_bytes: config.page_bytes,
            spare_bytes: config.spare_bytes,
            unit_bytes: config.mapping_unit_bytes,
            unit_shift,
            pages_per_program: config.pages_per_program,
            units_per_plane: Divisor::new(units_per_block * config.blocks),
            units_per_block: Divisor::new(units_per_block),
            planes_in_die: Divisor::new(config.planes),
            dies_on_channel: Divisor::new(config.ways * config.dies),
            unit_bytes_shift: config
                .mapping_unit_bytes
                .is_power_of_two()
                .then(|| config.mapping_unit_bytes.trailing_zeros() as u8),
        }
    }

    /// Dies of the drive.
    pub fn dies(&self) -> u32 {
        self.channels * self.dies_on_channel.value()
    }

    /// Planes of the drive.
    pub fn planes(&self) -> u32 {
        self.dies() * self.planes_per_die
    }

    /// Mapping units of a flash page.
    pub fn units_per_page(&self) -> u32 {
        1 << self.unit_shift
    }

    /// Mapping units that one program of one plane takes.
    #[inline]
    pub fn units_per_program(&self) -> u32 {
        self.pages_per_program << self.unit_shift
    }

    /// Mapping units of a block.
    pub fn units_per_block(&self) -> u32 {
        self.units_per_block.value()
    }

    /// Mapping units of a plane.
    pub fn units_per_plane(&self) -> u32 {
        self.units_per_plane.value()
    }

    /// Mapping units of the raw drive.
    pub fn physical_units(&self) -> u32 {
        self.planes() * self.units_per_plane()
    }

    /// Plane and unit in it.
    #[inline(always)]
    pub fn plane_of(&self, ppa: Ppa) -> (PlaneId, u32) {
        let (plane, rest) = self.units_per_plane.div_rem(ppa.0);
        (PlaneId(plane), rest)
    }

    /// Number of the unit in which a byte lies, of units one behind the other.
    #[inline]
    pub fn unit_of_byte(&self, byte: u64) -> u64 {
        match self.unit_bytes_shift {
            Some(shift) => byte >> (shift & 63),
            None => byte / u64::from(self.unit_bytes),
        }
    }

    /// Die of a plane, and the plane's number in that die.
    #[inline]
    pub fn die_of(&self, plane: PlaneId) -> (DieId, u32) {
        let (die, plane) = self.planes_in_die.div_rem(plane.0);
        (DieId(die), plane)
    }

    /// Die of a unit, and the number of its plane in that die.
    #[inline(always)]
    pub fn die_at(&self, ppa: Ppa) -> (DieId, u32) {
        self.die_of(self.plane_of(ppa).0)
    }

    /// The dies that share the channel of a die, in order of number.
    pub fn dies_beside(&self, die: usize) -> impl Iterator<Item = usize> + use<> {
        let together = (self.dies() / self.channels).max(1) as usize;
        let first = die - die % together;
        (first..first + together).filter(move |&other| other != die)
    }

    /// Channel of a die.
    pub fn channel_of(&self, die: DieId) -> u32 {
        self.dies_on_channel.div_rem(die.0).0
    }

    /// Plane and block of a page.
    #[inline(always)]
    pub fn block_of(&self, ppa: Ppa) -> (PlaneId, u32) {
        let (plane, rest) = self.plane_of(ppa);
        (plane, self.units_per_block.div_rem(rest).0)
    }

    /// Flash page of its block in which a mapping unit lies.
    #[inline(always)]
    pub fn page_in_block(&self, ppa: Ppa) -> u32 {
        // Planes are whole blocks, so it takes no division by the units of a plane.
        self.units_per_block.div_rem(ppa.0).1 >> self.unit_shift
    }

    /// A page taken apart.
    #[inline]
    pub fn place(&self, ppa: Ppa) -> Place {
        let (plane, rest) = self.plane_of(ppa);
        let (block, rest) = self.units_per_block.div_rem(rest);
        Place { plane, block, page: rest >> self.unit_shift, unit: rest & (self.units_per_page() - 1) }
    }

    /// First unit of a flash page.
    #[inline]
    pub fn first_unit(&self, plane: PlaneId, block: u32, page: u32) -> Ppa {
        Ppa(plane.0 * self.units_per_plane() + block * self.units_per_block() + (page << self.unit_shift))
    }

    /// Plane at these coordinates.
    pub fn plane_at(&self, channel: u32, way: u32, die: u32, plane: u32) -> PlaneId {
        PlaneId(((channel * self.ways + way) * self.dies_per_chip + die) * self.planes_per_die + plane)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_come_apart_and_together_for_odd_counts() {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 3,
            ways: 5,
            dies: 2,
            planes: 3,
            blocks: 7,
            pages: 11,
            page_bytes: 16384,
            spare_bytes: 0,
            mapping_unit_bytes: 4096,
            pages_per_program: 1,
        });
        assert_eq!(geometry.physical_units(), 3 * 5 * 2 * 3 * 7 * 11 * 4);
        for number in 0..geometry.physical_units() {
            let place = geometry.place(Ppa(number));
            let first = geometry.first_unit(place.plane, place.block, place.page);
            assert_eq!(first.0 + place.unit, number);
            assert_eq!(geometry.page_in_block(Ppa(number)), place.page);
            let (die, _) = geometry.die_of(place.plane);
            assert_eq!(geometry.channel_of(die), place.plane.0 / (5 * 2 * 3));
        }
    }
}
