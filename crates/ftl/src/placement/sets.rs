//! Sets of planes that hold logical pages of their own, and which pages those are.
//!
//! Each set has as many flash pages of the logical space for each of its planes. So there is an order in which all logical pages are
//! dealt out over the planes of the drive in turn, each to a plane of its set; whatever lays pages out by their number in that order
//! keeps to the sets.

use std::ops::Range;

use super::PlaneSet;
use wordline_base::divisor::Divisor;
use wordline_base::ids::{Lpa, PlaneId};
use wordline_config::ConfigError;
use wordline_config::device::DeviceConfig;
use wordline_config::scheme::SchemeConfig;
use wordline_flash::nand::Geometry;

/// A set.
#[derive(Clone, Debug)]
struct Set {
    /// `None` for the planes that are in no set of the scheme's.
    name: Option<String>,
    /// Its logical pages, by flash page.
    pages: Range<u32>,
    /// Planes that it has.
    width: Divisor,
    /// The positions of these planes in the order of placement.
    positions: Vec<u32>,
    planes: PlaneSet,
}

/// The sets of a drive: each plane is in one of them, and each logical page.
#[derive(Clone, Debug)]
pub struct PlaneSets {
    unit_shift: u32,
    /// Mapping units of all sets. Behind them lie the pages of the map.
    units: u32,
    /// Entries of each of those; 0 where the map isn't on flash.
    entries: u32,
    /// Planes of the drive.
    planes: Divisor,
    /// In the order of their logical pages.
    sets: Vec<Set>,
    /// Of each position in the order of placement: its set, and its number there.
    of_position: Vec<(u32, u32)>,
    /// Set of each plane.
    of_plane: Vec<u32>,
}

impl PlaneSets {
    /// Those of a scheme, on a drive whose planes are dealt out in this order; `None` without sets. Refuses planes that aren't there, and
    /// those of two sets. They hold nothing until they are given their logical pages ([`Self::share_out`]).
    pub fn new(
        device: &DeviceConfig,
        scheme: &SchemeConfig,
        geometry: &Geometry,
        plane_at: &[PlaneId],
    ) -> Result<Option<Self>, ConfigError> {
        if scheme.nvm_set.is_empty() {
            return Ok(None);
        }
        let mut sets: Vec<Set> =
            scheme.nvm_set.iter().map(|set| Set::named(Some(set.name.clone()))).collect();
        let mut rest = Set::named(None);
        let mut of_plane = vec![sets.len() as u32; plane_at.len()];
        let numbers: Vec<[u32; 4]> =
            (0..geometry.planes()).map(|plane| numbers_of(geometry, plane)).collect();
        for (number, set) in scheme.nvm_set.iter().enumerate() {
            let under = |error: ConfigError| error.under(&format!("scheme.nvm_set[{number}]"));
            set.check_on(&device.geometry).map_err(under)?;
            for (plane, &numbers) in numbers.iter().enumerate().filter(|(_, numbers)| set.has(**numbers)) {
                if let Some(other) = scheme.nvm_set.get(of_plane[plane] as usize) {
                    let [channel, way, die, plane] = numbers;
                    let allowed = format!(
                        "planes of its own: plane {plane} of die {die} of chip {way} on channel {channel} is in {:?} as well",
                        other.name
                    );
                    return Err(under(ConfigError::new("name", format!("{:?}", set.name), allowed)));
                }
                of_plane[plane] = number as u32;
            }
        }
        let mut of_position = Vec::with_capacity(plane_at.len());
        for (position, &plane) in plane_at.iter().enumerate() {
            let number = of_plane[plane.index()];
            let set = sets.get_mut(number as usize).unwrap_or(&mut rest);
            of_position.push((number, set.positions.len() as u32));
            set.positions.push(position as u32);
            set.planes.insert(plane);
        }
        sets.extend(Some(rest).filter(|rest| !rest.positions.is_empty()));
        sets.iter_mut().for_each(|set| set.width = Divisor::new(set.positions.len() as u32));
        let planes = Divisor::new(geometry.planes());
        let unit_shift = geometry.unit_shift;
        Ok(Some(Self { unit_shift, units: 0, entries: 0, planes, sets, of_position, of_plane }))
    }

    /// Of so many mapping units those that all sets have together: each plane gets the same number of flash pages, and no page of the map,
    /// each of so many `entries` (0: the map isn't on flash), has entries of two sets.
    pub fn whole(&self, units: u32, entries: u32) -> u32 {
        let rows = (u64::from(units) >> self.unit_shift) / u64::from(self.planes.value());
        let whole_rows = |set: &Set| {
            let (row, entries) = (set.width.value() << self.unit_shift, u64::from(entries.max(1)));
            entries / gcd(entries, u64::from(row))
        };
        let step = self.sets.iter().map(whole_rows).fold(1, lcm);
        (((rows - rows % step) * u64::from(self.planes.value())) << self.unit_shift) as u32
    }

    /// Gives each set its part of so many mapping units ([`Self::whole`]).
    pub fn share_out(&mut self, units: u32, entries: u32) {
        let rows = (units >> self.unit_shift) / self.planes.value();
        let mut first = 0;
        for set in &mut self.sets {
            let end = first + rows * set.width.value();
            set.pages = first..end;
            first = end;
        }
        (self.units, self.entries) = (units, entries);
    }

    /// How many sets there are, what is in no set of the scheme's included.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// Whether there is none; never for a drive.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// The sets of the scheme's by name, each with its logical pages in mapping units.
    pub fn named(&self) -> impl Iterator<Item = (&str, Range<u32>)> {
        self.sets
            .iter()
            .enumerate()
            .filter_map(|(number, set)| Some((set.name.as_deref()?, self.units(number))))
    }

    /// The logical pages of a set, in mapping units.
    pub fn units(&self, set: usize) -> Range<u32> {
        let pages = self.sets.get(set).map_or(0..0, |set| set.pages.clone());
        pages.start << self.unit_shift..pages.end << self.unit_shift
    }

    /// The planes of a set.
    pub fn planes(&self, set: usize) -> Option<&PlaneSet> {
        self.sets.get(set).map(|set| &set.planes)
    }

    /// The positions of a set's planes in the order of placement.
    pub fn positions(&self, set: usize) -> &[u32] {
        self.sets.get(set).map_or(&[], |set| &set.positions)
    }

    /// The set of a plane.
    pub fn of_plane(&self, plane: PlaneId) -> usize {
        self.of_plane.get(plane.index()).map_or(usize::MAX, |&set| set as usize)
    }

    /// The set of a position in the order of placement, and its number among the set's.
    pub fn of_position(&self, position: u32) -> (usize, u32) {
        self.of_position
            .get(position as usize)
            .map_or((usize::MAX, 0), |&(set, number)| (set as usize, number))
    }

    /// The set of a logical page; of a page of the map, that of its entries.
    #[inline]
    pub fn of(&self, lpa: Lpa) -> usize {
        let unit = match lpa.0.checked_sub(self.units) {
            None => lpa.0,
            Some(page) => page.saturating_mul(self.entries),
        };
        let page = unit >> self.unit_shift;
        let found = self.sets.iter().position(|set| page < set.pages.end);
        found.unwrap_or(self.sets.len().saturating_sub(1))
    }

    /// Place of a logical page in the order in which all are dealt out over the planes, in units. Pages of the map are dealt out anew.
    #[inline]
    pub fn dealt_as(&self, lpa: Lpa) -> u32 {
        let Some(set) = self.sets.get(self.of(lpa)) else { return lpa.0 };
        let first = set.pages.start << self.unit_shift;
        let number = match lpa.0.checked_sub(self.units) {
            None => lpa.0 - first,
            // Those of a set are dealt out from its first plane on.
            Some(page) => page - first / self.entries.max(1),
        };
        let (page, unit) = (number >> self.unit_shift, number & ((1 << self.unit_shift) - 1));
        let (row, number) = set.width.div_rem(page);
        let position = set.positions.get(number as usize).copied().unwrap_or(0);
        ((row * self.planes.value() + position) << self.unit_shift) + unit
    }

    /// The reverse; [`Lpa::NONE`] for a place beyond the set's pages.
    #[inline]
    pub fn dealt_at(&self, place: u32) -> Lpa {
        let unit = place & ((1 << self.unit_shift) - 1);
        let (row, position) = self.planes.div_rem(place >> self.unit_shift);
        let (number, before) = self.of_position(position);
        let Some(set) = self.sets.get(number) else { return Lpa::NONE };
        let page =
            u64::from(set.pages.start) + u64::from(row) * u64::from(set.width.value()) + u64::from(before);
        if page < u64::from(set.pages.end) {
            Lpa(((page as u32) << self.unit_shift) + unit)
        } else {
            Lpa::NONE
        }
    }
}

impl Set {
    fn named(name: Option<String>) -> Self {
        Self { name, pages: 0..0, width: Divisor::new(1), positions: Vec::new(), planes: PlaneSet::default() }
    }
}

fn gcd(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// Least common multiple of numbers of which none is 0.
fn lcm(one: u64, other: u64) -> u64 {
    one / gcd(one, other) * other
}

/// Channel, chip, die and plane of a plane of the drive.
fn numbers_of(geometry: &Geometry, plane: u32) -> [u32; 4] {
    let (die, plane) = (plane / geometry.planes_per_die, plane % geometry.planes_per_die);
    let (chip, die) = (die / geometry.dies_per_chip, die % geometry.dies_per_chip);
    [chip / geometry.ways, chip % geometry.ways, die, plane]
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use crate::placement::planes_in_order;
    use std::collections::BTreeSet;
    use wordline_config::scheme::PlacementOrder;
    use wordline_config::{Layer, resolve_run};

    fn described(sets: &str) -> (DeviceConfig, SchemeConfig) {
        let text = include_str!("../../../../presets/devices/mqsim.toml");
        let small = [
            ("device.geometry.channels", "3"),
            ("device.geometry.ways", "2"),
            ("device.geometry.dies", "2"),
            ("device.geometry.planes", "2"),
            ("device.geometry.blocks", "8"),
            ("device.geometry.pages", "9"),
            ("device.geometry.page_bytes", "8192"),
            ("device.geometry.mapping_unit_bytes", "4096"),
            ("scheme.nvm_set", sets),
        ];
        let keys = small.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let layer = |text| Layer::from_toml("test", text).unwrap();
        resolve_run(&layer(text), &layer(""), &keys).unwrap()
    }

    fn made(sets: &str, order: usize) -> Result<(Geometry, Vec<PlaneId>, PlaneSets), String> {
        let (device, scheme) = described(sets);
        let geometry = Geometry::new(&device.geometry);
        let order = planes_in_order(&geometry, PlacementOrder::all()[order]);
        let sets = PlaneSets::new(&device, &scheme, &geometry, &order).map_err(|error| error.to_string())?;
        Ok((geometry, order, sets.unwrap()))
    }

    const SETS: [&str; 4] = [
        "[{ name = 'a', channels = [0] }, { name = 'b', channels = [2], planes = [1] }]",
        "[{ name = 'a', ways = [1] }, { name = 'b', ways = [0] }]",
        "[{ name = 'a', dies = [0], planes = [0] }]",
        "[{ name = 'all' }]",
    ];

    #[test]
    fn numbers_are_those_by_which_a_geometry_finds_a_plane() {
        let (geometry, ..) = made(SETS[0], 0).unwrap();
        for plane in 0..geometry.planes() {
            let [channel, way, die, number] = numbers_of(&geometry, plane);
            assert_eq!(geometry.plane_at(channel, way, die, number), PlaneId(plane));
        }
    }

    #[test]
    fn every_page_is_dealt_to_a_plane_of_its_set_and_each_plane_gets_as_many() {
        for (sets, order) in SETS.iter().flat_map(|sets| [0, 5, 17, 23].map(|order| (sets, order))) {
            for (units, entries) in [(0, 0), (47, 0), (48, 0), (100, 0), (3000, 0), (3000, 512), (3000, 5)] {
                let (geometry, plane_at, mut sets) = made(sets, order).unwrap();
                let all = sets.whole(units, entries);
                sets.share_out(all, entries);
                let row = geometry.planes() << geometry.unit_shift;
                assert!(all <= units && units - all < row * entries.max(1));
                let mut dealt = BTreeSet::new();
                for lpa in (0..all).map(Lpa) {
                    let place = sets.dealt_as(lpa);
                    assert_eq!(sets.dealt_at(place), lpa);
                    let plane = plane_at[(place >> geometry.unit_shift) as usize % plane_at.len()];
                    assert!(sets.planes(sets.of(lpa)).unwrap().has(plane));
                    assert_eq!(sets.of_plane(plane), sets.of(lpa));
                    dealt.insert(place);
                }
                assert!(dealt.into_iter().eq(0..all), "no place is left out");
                assert!((all..all + 500).all(|place| sets.dealt_at(place) == Lpa::NONE));
                let ranges: Vec<_> = (0..sets.len()).map(|set| sets.units(set)).collect();
                assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
                assert_eq!(ranges.last().map_or(0, |range| range.end), all);
                // A page of the map is of the set of all its entries, and lies there.
                for page in (0..all).step_by(entries.max(1) as usize).filter(|_| entries > 0) {
                    let of_map = Lpa(all + page / entries);
                    assert!((page..page + entries).all(|lpa| sets.of(Lpa(lpa)) == sets.of(of_map)));
                    let plane = (sets.dealt_as(of_map) >> geometry.unit_shift) as usize % plane_at.len();
                    assert_eq!(sets.of_plane(plane_at[plane]), sets.of(of_map));
                }
            }
        }
    }

    #[test]
    fn what_is_left_over_is_a_set_without_a_name_behind_the_others() {
        let (.., mut sets) = made(SETS[0], 0).unwrap();
        sets.share_out(24 * 2 * 10, 0);
        let named: Vec<_> = sets.named().map(|(name, units)| (name.to_owned(), units)).collect();
        assert_eq!(named, [("a".to_owned(), 0..8 * 20), ("b".to_owned(), 8 * 20..12 * 20)]);
        assert_eq!((sets.len(), sets.units(2)), (3, 12 * 20..24 * 20));
        let (.., whole) = made(SETS[1], 0).unwrap();
        assert_eq!(whole.len(), 2);
    }

    #[test]
    fn planes_that_are_not_there_and_those_of_two_sets_are_refused() {
        let cases = [
            (
                "[{ name = 'a', channels = [0, 3] }]",
                "scheme.nvm_set[0].channels = 3: allowed: 0 to 2, as on the drive",
            ),
            (
                "[{ name = 'a', channels = [0] }, { name = 'b', ways = [1], planes = [0] }]",
                "scheme.nvm_set[1].name = \"b\": allowed: planes of its own: plane 0 of die 0 of chip 1 on channel 0 is in \"a\" as well",
            ),
        ];
        for (sets, message) in cases {
            assert_eq!(made(sets, 0).unwrap_err(), message);
        }
    }
}
