//! The layout that uniformly random overwrites lead to, as a formula: superblocks that hold as many units as in the steady
//! state of their collection ([`crate::blocks::steady`]), any of the domain's logical pages in any place.
//!
//! A logical page stays in the domain to which the order of placement deals it. There it has a number; a permutation of the
//! domain's groups of numbers, each what one request writes there, says in which superblock it lies, and a permutation of the
//! superblock's places in which of them. Of what is open or being collected only some rows are such places.

use crate::blocks::Domains;
use crate::blocks::mixing::Mixing;
use crate::blocks::order::{Order, Places, Spot};
use crate::blocks::steady::{Phase, Plan, phases};
use crate::blocks::together::group_of_all;
use wordline_base::divisor::Divisor;
use wordline_base::ids::{DomainId, PlaneId};
use wordline_base::permutation::Permutation;
use wordline_flash::nand::Geometry;

/// Most upper bits of a slot by which the index into the superblocks of a domain goes.
const MOST_INDEX_BITS: u32 = 10;

/// The planes of a domain that hold data, and its logical pages.
#[derive(Clone, Debug)]
struct Part {
    /// In the order of placement.
    planes: Vec<u32>,
    order: Order,
    /// Units that one request writes.
    group: Divisor,
    /// Units, of which the last group may be whole or not.
    units: u32,
    /// How groups lie that were moved.
    moved: Mixing,
    /// Number of a group of the domain to its slots: slots are counted from the first superblock on.
    slots: Permutation,
    phase: Phase,
    contents: Contents,
}

impl Part {
    /// The slot of a unit of the domain.
    #[inline]
    fn slot(&self, number: u32) -> u32 {
        let (group, rest) = self.group.div_rem(number);
        self.slots.forward(group) * self.group.value() + rest
    }

    /// The unit of a slot; none has that of what the last group lacks.
    #[inline]
    fn number(&self, slot: u32) -> Option<u32> {
        let (group, rest) = self.group.div_rem(slot);
        let number = self.slots.back(group) * self.group.value() + rest;
        (number < self.units).then_some(number)
    }
}

/// What the superblocks of a domain hold.
#[derive(Clone, Debug)]
struct Contents {
    /// Slots before each superblock, and all of them at the end.
    before: Vec<u32>,
    /// First superblock that can hold a slot, by the slot's upper bits.
    index: Vec<u32>,
    shift: u32,
}

impl Contents {
    fn new(valid_units: &[u32]) -> Self {
        let mut before = Vec::with_capacity(valid_units.len() + 1);
        let mut sum = 0;
        before.push(sum);
        for valid in valid_units {
            sum += valid;
            before.push(sum);
        }
        let bits = (usize::BITS - valid_units.len().leading_zeros()).min(MOST_INDEX_BITS);
        let shift = (u32::BITS - sum.leading_zeros()).saturating_sub(bits);
        let first = |slot: u32| before.partition_point(|&before| before <= slot).saturating_sub(1) as u32;
        let index = (0..=sum >> shift).map(|upper| first(upper << shift)).collect();
        Self { before, index, shift }
    }

    /// Superblock of a slot, and the slot's number in it.
    #[inline]
    fn find(&self, slot: u32) -> (u32, u32) {
        let mut superblock = self.index[(slot >> self.shift) as usize] as usize;
        while self.before[superblock + 1] <= slot {
            superblock += 1;
        }
        (superblock as u32, slot - self.before[superblock])
    }
}

/// Where units lie, by domain.
#[derive(Clone, Debug)]
pub struct Scattered {
    unit_shift: u32,
    rows: Divisor,
    key: u64,
    /// Domain of each position in the order of placement, and how many of its planes come before.
    of_position: Vec<(u32, u32)>,
    domain_of_plane: Vec<u32>,
    /// Place of each plane among those of its domain that hold data.
    column_of_plane: Vec<u32>,
    parts: Vec<Part>,
}

impl Scattered {
    /// Units that are dealt out over the planes in the order `plane_at`: so many to each position. `orders` are the positions over which
    /// pages are dealt out in turn, those of each set of planes or all of them.
    pub fn new(
        geometry: &Geometry,
        domains: &Domains,
        plane_at: &[PlaneId],
        dealt: &[u32],
        orders: &[Vec<u32>],
        plan: Plan,
    ) -> Self {
        let mut planes = vec![Vec::new(); domains.len()];
        let mut column_of_plane = vec![u32::MAX; geometry.planes() as usize];
        let mut of_position = Vec::with_capacity(plane_at.len());
        for &plane in plane_at {
            let domain = domains.of(plane);
            let before = &mut planes[domain.index()];
            column_of_plane[plane.index()] = before.len() as u32;
            of_position.push((domain.0, before.len() as u32));
            before.push(plane.0);
        }
        let mut units = vec![0; domains.len()];
        for (&(domain, _), dealt) in of_position.iter().zip(dealt) {
            units[domain as usize] += dealt;
        }
        let Plan { together, rows_at_once, .. } = plan;
        let domain_at = |&position: &u32| of_position[position as usize].0;
        let orders = orders.iter().map(|order| order.iter().map(domain_at).collect::<Vec<u32>>());
        let group = group_of_all(geometry, orders, together, rows_at_once).unwrap_or(1);
        let (rows, shift) = (geometry.pages_per_block, geometry.unit_shift);
        let whole = domains.width();
        let mut whole_ones = phases(plan, [rows, whole << shift, group]);
        let mut parts = Vec::with_capacity(planes.len());
        for ((domain, planes), units) in planes.into_iter().enumerate().zip(units) {
            let width = planes.len() as u32;
            let groups = units.div_ceil(group);
            let phase = if width == whole {
                whole_ones.next(groups * group)
            } else {
                // A write point goes over planes that hold nothing of the host, too: nothing is open there.
                let plan = Plan { phased: false, ..plan };
                phases(plan, [rows, width << shift, group]).next(groups * group)
            };
            let key = plan.seed.rotate_left(32) ^ (domain as u64).wrapping_mul(0xd134_2543_de82_ef95);
            let rows_at_once = Divisor::new(rows_at_once);
            let mut part = Part {
                order: Order { width: Divisor::new(width), unit_shift: shift, rows, rows_at_once },
                group: Divisor::new(group),
                moved: Mixing::new(Divisor::new(group), shift, &plan.parted),
                units,
                slots: Permutation::new(groups, key),
                planes,
                contents: Contents::new(&phase.valid),
                phase,
            };
            if groups * group > units {
                // The last group is never written as a whole, and lies where another one might.
                let (block, _) = part.contents.find(part.slot((groups - 1) * group));
                part.phase.valid[block as usize] -= groups * group - units;
            }
            parts.push(part);
        }
        Self {
            unit_shift: geometry.unit_shift,
            rows: Divisor::new(geometry.pages_per_block),
            key: plan.seed,
            of_position,
            domain_of_plane: (0..geometry.planes()).map(|plane| domains.of(PlaneId(plane)).0).collect(),
            column_of_plane,
            parts,
        }
    }

    /// What is open in a domain, and under way.
    pub fn phase(&self, domain: DomainId) -> &Phase {
        &self.parts[domain.index()].phase
    }

    /// The places of a superblock. What one request wrote lies side by side where the host filled it, and among others where
    /// moves did.
    #[inline]
    fn places(&self, domain: u32, block: u32, part: &Part) -> Places {
        let rows @ [first, _] = part.phase.window(block, self.rows.value());
        let number = u64::from(domain) << 32 | u64::from(block);
        let key = (self.key ^ number).wrapping_mul(0x2545_f491_4f6c_dd1d);
        if part.group.value() == 1 || first > 0 {
            return Places::new(part.order.by_rows(), rows, part.group, key);
        }
        let places = Places::new(part.order, rows, part.group, key);
        if part.phase.is_of_host(block, key) { places } else { places.mixed(part.moved, key) }
    }

    /// Valid units of a superblock.
    pub fn units_of(&self, domain: DomainId, block: u32) -> u32 {
        self.parts[domain.index()].phase.valid.get(block as usize).copied().unwrap_or(0)
    }

    /// Where a unit lies of the flash page that was dealt to this position in this turn: plane, and unit of the plane.
    #[inline]
    pub fn place(&self, turn: u32, position: u32, unit: u32) -> (u32, u32) {
        let (domain, before) = self.of_position[position as usize];
        let part = &self.parts[domain as usize];
        let number = ((turn * part.order.width.value() + before) << self.unit_shift) + unit;
        let (block, number) = part.contents.find(part.slot(number));
        let Spot { row, column, unit } = self.places(domain, block, part).spot(number);
        let row = block * self.rows.value() + row;
        (part.planes[column as usize], (row << self.unit_shift) + unit)
    }

    /// The reverse: of what lies at a unit of a plane, the turn of its flash page, the plane to whose position that was dealt,
    /// and the unit of the flash page; `None` where nothing is valid.
    #[inline]
    pub fn dealt(&self, plane: u32, rest: u32) -> Option<(u32, u32, u32)> {
        let domain = self.domain_of_plane[plane as usize];
        let column = self.column_of_plane[plane as usize];
        let part = &self.parts[domain as usize];
        let (block, row) = self.rows.div_rem(rest >> self.unit_shift);
        let before = &part.contents.before;
        let (&first_slot, &end) = (before.get(block as usize)?, before.get(block as usize + 1)?);
        if column == u32::MAX || first_slot == end {
            return None;
        }
        let mask = (1 << self.unit_shift) - 1;
        let places = self.places(domain, block, part);
        let slot = first_slot + places.number(Spot { row, column, unit: rest & mask })?;
        if slot >= end {
            return None;
        }
        let number = part.number(slot)?;
        let (turn, before) = part.order.width.div_rem(number >> self.unit_shift);
        Some((turn, *part.planes.get(before as usize)?, number & mask))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use crate::blocks::steady::{Collection, Parted, QUARTERS};
    use crate::mapping::Layout;
    use crate::placement::planes_in_order;
    use wordline_base::ids::{Lpa, Ppa};
    use wordline_config::device::GeometryConfig;
    use wordline_config::scheme::{PlacementOrder, SuperblockSpan};

    fn geometry() -> Geometry {
        Geometry::new(&GeometryConfig {
            channels: 3,
            ways: 2,
            dies: 1,
            planes: 2,
            blocks: 24,
            pages: 9,
            page_bytes: 16384,
            spare_bytes: 0,
            mapping_unit_bytes: 8192,
            pages_per_program: 1,
        })
    }

    fn plan(seed: u64) -> Plan {
        let collection = Collection::Greedy;
        let (superblocks, rows_at_once, together) = (24, 1, 1);
        Plan {
            superblocks,
            free: [2, 3],
            paced: None,
            phased: true,
            rows_at_once,
            collection,
            seed,
            together,
            parted: Parted::default(),
        }
    }

    #[test]
    fn the_formula_and_its_inverse_agree_stay_in_the_domain_and_count_right() {
        let geometry = geometry();
        let most = geometry.physical_units();
        for span in [SuperblockSpan::None, SuperblockSpan::Channels, SuperblockSpan::Drive] {
            let mut planes = planes_in_order(&geometry, PlacementOrder::all()[5]);
            let domains = Domains::new(&geometry, span, &planes);
            // One plane may be left out: its domain holds less.
            for left_out in [None, planes.last().copied()] {
                planes.retain(|plane| Some(*plane) != left_out);
                let room = most / geometry.planes() * planes.len() as u32;
                let all = [0, 1, 7, room / 5, room * 4 / 5 + 1, room].map(|occupied| {
                    [
                        (None, 1, 1),
                        (Some(60), 1, 3),
                        (Some(60), 2, 1),
                        (None, 4, 3),
                        (Some(60), 24, 3),
                        (None, 72, 1),
                    ]
                    .map(|way| (occupied, way))
                });
                for (occupied, (paced, together, rows_at_once)) in all.into_iter().flatten() {
                    let parted = Parted { levels: [1 << 30, 1 << 29, 0, 0, 0, 0], among: [5; QUARTERS] };
                    let plan = Plan { paced, together, rows_at_once, parted, ..plan(11) };
                    let layout =
                        Layout::new(&geometry, &planes, occupied).scattered(&geometry, &domains, plan);
                    let mut units = std::collections::BTreeMap::new();
                    for lpa in (0..occupied).map(Lpa) {
                        let ppa = layout.ppa(lpa);
                        assert_eq!(layout.lpa(ppa), lpa, "{span:?} {occupied}");
                        let (plane, block) = geometry.block_of(ppa);
                        let dealt = planes[(lpa.0 >> 1) as usize % planes.len()];
                        assert_eq!(domains.of(plane), domains.of(dealt));
                        assert!(Some(plane) != left_out);
                        *units.entry((domains.of(plane), block)).or_insert(0) += 1;
                    }
                    let found = (0..most).filter(|&ppa| layout.lpa(Ppa(ppa)).is_some()).count();
                    assert_eq!(found, occupied as usize, "{span:?}");
                    for domain in (0..domains.len() as u32).map(DomainId) {
                        let all = layout.units_of(&geometry, &domains, domain);
                        let counted = (0..24).map(|block| units.get(&(domain, block)).copied().unwrap_or(0));
                        assert!(all.into_iter().eq(counted), "{span:?} {occupied} {domain:?}");
                    }
                }
            }
        }
    }

    /// What one request wrote is in one superblock of each domain, what shares a flash page in one flash page; and where the host
    /// filled the superblock, one place follows the other as programs do.
    #[test]
    fn what_one_request_wrote_lies_together() {
        let geometry = geometry();
        let planes = planes_in_order(&geometry, PlacementOrder::all()[5]);
        for (span, together, of_domain) in [
            (SuperblockSpan::None, 2, 2),
            (SuperblockSpan::None, 8, 2),
            (SuperblockSpan::Drive, 2, 2),
            (SuperblockSpan::Drive, 8, 8),
            (SuperblockSpan::Drive, 24, 24),
            (SuperblockSpan::Drive, 72, 72),
        ] {
            let domains = Domains::new(&geometry, span, &planes);
            let parted = Parted { among: [5; QUARTERS], ..Parted::default() };
            let plan = Plan { together, rows_at_once: 3, paced: Some(60), parted, ..plan(4) };
            let occupied = geometry.physical_units() * 3 / 4 / together * together;
            let layout = Layout::new(&geometry, &planes, occupied).scattered(&geometry, &domains, plan);
            let (mut whole, mut all) = (0, 0);
            for first in (0..occupied).step_by(together as usize) {
                let mut of = std::collections::BTreeMap::new();
                for lpa in (first..first + together).map(Lpa) {
                    let ppa = layout.ppa(lpa);
                    let (plane, block) = geometry.block_of(ppa);
                    of.entry(domains.of(plane)).or_insert_with(Vec::new).push((block, ppa));
                }
                for units in of.values() {
                    assert_eq!(units.len() as u32, of_domain, "{span:?} {together}");
                    assert!(units.iter().all(|unit| unit.0 == units[0].0), "{span:?} {units:?}");
                    assert!(units.chunks(2).all(|pair| pair[0].1.0 + 1 == pair[1].1.0), "{span:?} {units:?}");
                    // Three rows of a plane, then the next plane.
                    let rank = |ppa: Ppa| {
                        let (plane, rest) = geometry.plane_of(ppa);
                        let column = planes.iter().position(|&other| other == plane).unwrap() as u32;
                        let (row, unit) = (rest / 2 % 9, rest % 2);
                        (row / 3 * 36 + column * 3 + row % 3) * 2 + unit
                    };
                    let follow = units.windows(2).all(|pair| rank(pair[0].1) + 1 == rank(pair[1].1));
                    whole += usize::from(follow);
                    all += 1;
                }
            }
            let share = f64::from(layout.phase(DomainId(0)).unwrap().by_host) / f64::from(u32::MAX);
            if of_domain == 8 {
                let found = whole as f64 / all as f64;
                assert!((0.1..0.9).contains(&share) && (found - share).abs() < 0.3, "{found} {share}");
            }
        }
    }

    #[test]
    fn free_superblocks_are_the_last_ones_and_the_oldest_hold_least() {
        let geometry = geometry();
        let planes = planes_in_order(&geometry, PlacementOrder::all()[0]);
        let domains = Domains::new(&geometry, SuperblockSpan::None, &planes);
        let plan = Plan { phased: false, ..plan(1) };
        let layout = Layout::new(&geometry, &planes, geometry.physical_units() * 3 / 4);
        let layout = layout.scattered(&geometry, &domains, plan);
        let units = layout.units_of(&geometry, &domains, DomainId(2));
        assert!(units[..21].is_sorted() && units[0] > 0 && units[20] == 18, "{units:?}");
        assert_eq!(units[21..], [0, 0, 0]);
    }

    #[test]
    fn of_what_is_open_only_the_rows_that_were_filled_hold_anything() {
        let geometry = geometry();
        let planes = planes_in_order(&geometry, PlacementOrder::all()[0]);
        let domains = Domains::new(&geometry, SuperblockSpan::Drive, &planes);
        let layout = Layout::new(&geometry, &planes, geometry.physical_units() * 3 / 4);
        let layout = layout.scattered(&geometry, &domains, Plan { paced: Some(400), ..plan(5) });
        let phase = layout.phase(DomainId(0)).unwrap();
        let held = |block: u32| {
            let rows = (0..9).map(|row| layout.lpa(geometry.first_unit(PlaneId(3), block, row)).is_some());
            rows.collect::<Vec<_>>()
        };
        for open in [phase.host, phase.moves].into_iter().flatten() {
            let rows = open.first..open.first + open.rows;
            assert_eq!(
                held(open.block),
                (0..9).map(|row| rows.contains(&row)).collect::<Vec<_>>(),
                "{open:?}"
            );
        }
        let victim = phase.victim.unwrap();
        assert!(held(victim.block)[..victim.first as usize].iter().all(|held| !held), "{victim:?}");
        assert!(phase.host.is_some() && phase.moves.is_some() && victim.first > 0);
    }
}
