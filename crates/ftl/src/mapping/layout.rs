//! The preconditioned layout: where sequential writes put each logical page, or random overwrites without end, as a formula
//! instead of a table.

use super::ParityLayout;
use super::dealt::Dealt;
use super::scattered::Scattered;
use crate::blocks::Domains;
use crate::blocks::steady::{Phase, Plan};
use crate::placement::PlaneSets;
use crate::redundancy::PageStripes;
use std::sync::Arc;
use wordline_base::divisor::Divisor;
use wordline_base::ids::{DomainId, Lpa, PlaneId, Ppa};
use wordline_base::snapshot::{In, Out, Part, SnapshotError};
use wordline_flash::nand::Geometry;

/// Logical pages 0 to `occupied` − 1, or the first ones of each set of planes, written once in order over all planes, or scattered.
#[derive(Clone, Debug)]
pub struct Layout {
    occupied: u32,
    /// The first so many hold data: all of those where they are dealt out in their own order, else none.
    first: u32,
    /// Units that lie on flash: those, and their parity where that is logical pages.
    laid: u32,
    /// Another order in which they are dealt out.
    dealt: Option<Box<Dealt>>,
    unit_shift: u32,
    units_per_plane: u32,
    planes: Divisor,
    units_in_plane: Divisor,
    /// Plane of each position in the order of placement, and the reverse.
    plane_at: Vec<u32>,
    position_of: Vec<u32>,
    /// Where rows hold parity as well.
    parity: Option<Box<ParityLayout>>,
    /// Where random overwrites went on until they changed nothing more.
    scattered: Option<Box<Scattered>>,
    steady: Option<Plan>,
}

impl Layout {
    /// Over the planes in the order `plane_at`, holding the first `occupied` logical pages. Planes that are left out hold
    /// nothing.
    pub fn new(geometry: &Geometry, plane_at: &[PlaneId], occupied: u32) -> Self {
        // A position beyond all stands for a plane that is left out: no logical page comes out of it.
        let mut position_of = vec![u32::MAX; geometry.planes() as usize];
        for (position, plane) in plane_at.iter().enumerate() {
            position_of[plane.index()] = position as u32;
        }
        Self {
            occupied,
            first: occupied,
            laid: occupied,
            dealt: None,
            unit_shift: geometry.unit_shift,
            units_per_plane: geometry.units_per_plane(),
            planes: Divisor::new(plane_at.len() as u32),
            units_in_plane: Divisor::new(geometry.units_per_plane()),
            plane_at: plane_at.iter().map(|plane| plane.0).collect(),
            position_of,
            parity: None,
            scattered: None,
            steady: None,
        }
    }

    /// The same pages in the steady state of random overwrites.
    #[must_use]
    pub fn scattered(self, geometry: &Geometry, domains: &Domains, steady: Plan) -> Self {
        let planes: Vec<PlaneId> = self.plane_at.iter().map(|&plane| PlaneId(plane)).collect();
        let dealt: Vec<u32> =
            planes.iter().map(|&plane| self.units_in_rows(plane)(u64::MAX) as u32).collect();
        let orders = match self.dealt.as_deref() {
            Some(Dealt::Sets(sets, _)) => (0..sets.len()).map(|set| sets.positions(set).to_vec()).collect(),
            _ => vec![(0..planes.len() as u32).collect()],
        };
        let scattered = Scattered::new(geometry, domains, &planes, &dealt, &orders, steady);
        Self { scattered: Some(Box::new(scattered)), steady: Some(steady), ..self }
    }

    /// What the scattered layout follows from; `None` for one in order.
    pub fn steady(&self) -> Option<Plan> {
        self.steady
    }

    /// What is open in a domain, and under way; `None` in order.
    pub fn phase(&self, domain: DomainId) -> Option<&Phase> {
        self.scattered.as_ref().map(|scattered| scattered.phase(domain))
    }

    /// The same around the parity of each row.
    #[must_use]
    pub fn with_parity(self, parity: Option<ParityLayout>) -> Self {
        Self { parity: parity.map(Box::new), ..self }
    }

    /// The same with a parity page for each stripe of logical pages, of which whole ones are laid out.
    #[must_use]
    pub fn with_stripes(self, stripes: Option<PageStripes>) -> Self {
        let Some(stripes) = stripes else { return self };
        let laid = self.occupied + stripes.parity_units(self.occupied);
        let dealt = Dealt::Stripes(stripes, self.occupied);
        Self { first: 0, laid, dealt: Some(Box::new(dealt)), ..self }
    }

    /// The same of a drive whose planes are divided into sets: the first so many units of each hold data.
    #[must_use]
    pub fn with_sets(self, sets: Arc<PlaneSets>, occupied: Vec<u32>) -> Self {
        let units = occupied.iter().sum();
        let dealt = Some(Box::new(Dealt::Sets(sets, occupied)));
        Self { occupied: units, first: 0, laid: units, dealt, ..self }
    }

    /// The logical pages that hold data, one run after the other; of a layout without sets, one run.
    pub fn runs(&self) -> Vec<std::ops::Range<u32>> {
        match self.dealt.as_deref() {
            Some(Dealt::Sets(sets, occupied)) => {
                let first = (0..sets.len()).map(|set| sets.units(set).start);
                first.zip(occupied).map(|(first, &units)| first..first + units).collect()
            }
            _ => std::iter::once(0..self.occupied).collect(),
        }
    }

    /// Units that it puts on flash, those of parity included that are logical pages.
    pub fn laid(&self) -> u32 {
        self.laid
    }

    /// Whether a row of a domain is whole, data and parity; never without parity.
    pub fn is_whole(&self, domain: DomainId, row: u32) -> bool {
        let full_pages = self.occupied >> self.unit_shift;
        self.parity.as_ref().is_some_and(|parity| parity.is_whole(domain, row, full_pages))
    }

    /// Logical pages that it holds.
    pub fn occupied(&self) -> u32 {
        self.occupied
    }

    /// Where the layout puts a logical page; [`Ppa::NONE`] beyond what is occupied.
    #[inline(always)]
    pub fn ppa(&self, lpa: Lpa) -> Ppa {
        if self.holds(lpa) { self.place(lpa) } else { Ppa::NONE }
    }

    /// Whether a logical page is laid out.
    #[inline(always)]
    pub fn holds(&self, lpa: Lpa) -> bool {
        lpa.0 < self.first || self.dealt.as_ref().is_some_and(|dealt| dealt.holds(lpa))
    }

    /// Where the layout puts a logical page that it holds.
    #[inline(never)]
    fn place(&self, lpa: Lpa) -> Ppa {
        let lpa = self.dealt.as_ref().map_or(lpa, |dealt| Lpa(dealt.place(lpa)));
        let unit = lpa.0 & ((1 << self.unit_shift) - 1);
        if let Some(parity) = &self.parity {
            let (plane, row) = parity.place(lpa.0 >> self.unit_shift);
            return Ppa(plane * self.units_per_plane + (row << self.unit_shift) + unit);
        }
        let (row, position) = self.planes.div_rem(lpa.0 >> self.unit_shift);
        if let Some(scattered) = &self.scattered {
            let (plane, rest) = scattered.place(row, position, unit);
            return Ppa(plane * self.units_per_plane + rest);
        }
        Ppa(self.plane_at[position as usize] * self.units_per_plane + (row << self.unit_shift) + unit)
    }

    /// Where a logical page lies, or would if all were occupied.
    pub fn home(&self, lpa: Lpa) -> Ppa {
        self.place(lpa)
    }

    /// The logical page that lies at a physical page, or would if all were occupied; for a layout in order.
    pub fn at_home(&self, ppa: Ppa) -> Lpa {
        let (plane, rest) = self.units_in_plane.div_rem(ppa.0);
        let unit = rest & ((1 << self.unit_shift) - 1);
        let position = self.position_of.get(plane as usize).copied().unwrap_or(u32::MAX);
        let page = u64::from(rest >> self.unit_shift) * u64::from(self.planes.value()) + u64::from(position);
        let place = u32::try_from((page << self.unit_shift) + u64::from(unit));
        place.map_or(Lpa::NONE, |place| self.dealt.as_ref().map_or(Lpa(place), |dealt| dealt.home(place)))
    }

    /// What the layout puts at a physical page; [`Lpa::NONE`] where it puts nothing.
    #[inline(never)]
    pub fn lpa(&self, ppa: Ppa) -> Lpa {
        let place = self.dealt_to(ppa);
        match &self.dealt {
            Some(dealt) if place.is_some() => dealt.at(place.0),
            _ => place,
        }
    }

    /// The number, in the order in which pages are dealt out, of the one at a physical page.
    #[inline]
    fn dealt_to(&self, ppa: Ppa) -> Lpa {
        let (plane, rest) = self.units_in_plane.div_rem(ppa.0);
        if let Some(scattered) = &self.scattered {
            let Some((turn, plane, unit)) = scattered.dealt(plane, rest) else { return Lpa::NONE };
            let page = turn * self.planes.value() + self.position_of[plane as usize];
            return Lpa((page << self.unit_shift) + unit);
        }
        let unit = rest & ((1 << self.unit_shift) - 1);
        let page = if let Some(parity) = &self.parity {
            let Some(page) = parity.page(plane, rest >> self.unit_shift) else { return Lpa::NONE };
            page
        } else {
            let row = u64::from(rest >> self.unit_shift);
            row * u64::from(self.planes.value()) + u64::from(self.position_of[plane as usize])
        };
        let lpa = (page << self.unit_shift) + u64::from(unit);
        // Of sets each has an end of its own.
        let has_sets = matches!(self.dealt.as_deref(), Some(Dealt::Sets(..)));
        if lpa < u64::from(self.laid) || has_sets { Lpa(lpa as u32) } else { Lpa::NONE }
    }

    /// Mapping units that it puts into each superblock of a domain, in the order of their numbers.
    pub fn units_of(&self, geometry: &Geometry, domains: &Domains, domain: DomainId) -> Vec<u32> {
        let blocks = geometry.blocks_per_plane;
        if let Some(scattered) = &self.scattered {
            return (0..blocks).map(|block| scattered.units_of(domain, block)).collect();
        }
        let mut units = vec![0; blocks as usize];
        for &plane in domains.planes(domain).iter().filter(|_| self.laid > 0) {
            let (in_rows, mut before) = (self.units_in_rows(plane), 0);
            for (units, block) in units.iter_mut().zip(1..) {
                let up_to_here = in_rows(block * u64::from(geometry.pages_per_block));
                *units += (up_to_here - before) as u32;
                before = up_to_here;
            }
        }
        units
    }

    /// Among which planes pages are dealt out that a plane gets its part of: its number there, how many they are, and units dealt out.
    fn turn_of(&self, plane: PlaneId) -> [u64; 3] {
        let position = self.position_of[plane.index()];
        let of_set = self.dealt.as_ref().and_then(|dealt| dealt.turn_of(position));
        of_set.unwrap_or([position, self.planes.value(), self.laid]).map(u64::from)
    }

    /// Mapping units that it puts into the first flash pages of a plane, in order, by the number of those.
    fn units_in_rows(&self, plane: PlaneId) -> impl Fn(u64) -> u64 {
        let [position, planes, laid] = self.turn_of(plane);
        let full_pages = laid >> self.unit_shift;
        let rest = laid & ((1 << self.unit_shift) - 1);
        // Full flash pages of this plane, then the last one, which may be filled in part.
        let pages = (full_pages + planes - 1).saturating_sub(position) / planes;
        let holds_rest = full_pages % planes == position;
        move |rows| {
            if let Some(parity) = &self.parity {
                let (pages, next) = parity.pages_in_rows(plane, rows as u32, full_pages as u32);
                return (u64::from(pages) << self.unit_shift) + if next { rest } else { 0 };
            }
            let units = pages.min(rows) << self.unit_shift;
            units + if holds_rest && pages < rows { rest } else { 0 }
        }
    }
}

impl Part for Layout {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        let of_sets = self.dealt.as_ref().map_or(&[][..], |dealt| dealt.of_sets());
        out.put(&(self.occupied, self.steady, of_sets))
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        let of_sets: Vec<u32>;
        (self.occupied, self.steady, of_sets) = input.take()?;
        let physical = u64::from(self.units_per_plane) * u64::from(self.planes.value());
        self.laid = match self.dealt.as_deref_mut() {
            Some(dealt) => dealt.take_up(self.occupied, of_sets)?,
            None => self.occupied,
        };
        self.first = if self.dealt.is_none() { self.occupied } else { 0 };
        if u64::from(self.laid) > physical {
            return Err(SnapshotError::Misfit("more pages laid out than the drive has".to_owned()));
        }
        Ok(())
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        Ok(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_config::device::GeometryConfig;

    #[test]
    fn the_formula_and_its_inverse_agree_and_count_right() {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 3,
            ways: 1,
            dies: 1,
            planes: 2,
            blocks: 5,
            pages: 7,
            page_bytes: 16384,
            spare_bytes: 0,
            mapping_unit_bytes: 8192,
            pages_per_program: 1,
        });
        let planes: Vec<_> = [4, 0, 2, 5, 1, 3].map(PlaneId).to_vec();
        for occupied in [0, 1, 2, 3, 11, 12, 13, 200, geometry.physical_units()] {
            let layout = Layout::new(&geometry, &planes, occupied);
            let mut by_plane_and_row = std::collections::BTreeMap::new();
            for lpa in (0..occupied).map(Lpa) {
                let ppa = layout.ppa(lpa);
                assert_eq!(layout.lpa(ppa), lpa);
                assert_eq!((layout.home(lpa), layout.at_home(ppa)), (ppa, lpa));
                let (plane, rest) = geometry.plane_of(ppa);
                *by_plane_and_row.entry((plane, rest >> 1)).or_insert(0u64) += 1;
            }
            assert_eq!(layout.ppa(Lpa(occupied)), Ppa::NONE);
            let found = (0..geometry.physical_units()).filter(|&ppa| layout.lpa(Ppa(ppa)).is_some()).count();
            assert_eq!(found, occupied as usize);
            for &plane in &planes {
                for rows in 0..=35 {
                    let counted: u64 = (0..rows)
                        .map(|row| by_plane_and_row.get(&(plane, row as u32)).copied().unwrap_or(0))
                        .sum();
                    assert_eq!(layout.units_in_rows(plane)(rows), counted, "{occupied} {plane:?} {rows}");
                }
            }
        }
    }

    #[test]
    fn the_formula_around_parity_and_its_inverse_agree_and_count_right() {
        use crate::blocks::Domains;
        use crate::blocks::Stripes;
        use crate::placement::planes_in_order;
        use wordline_config::scheme::{PlacementOrder, SuperblockSpan};
        for (pages_per_program, planes_per_die) in [(1, 1), (3, 1), (1, 2)] {
            let geometry = Geometry::new(&GeometryConfig {
                channels: 3,
                ways: 2,
                dies: 3,
                planes: planes_per_die,
                blocks: 2,
                pages: 6,
                page_bytes: 8192,
                spare_bytes: 0,
                mapping_unit_bytes: 4096,
                pages_per_program,
            });
            let orders = [PlacementOrder::all()[0], PlacementOrder::all()[17]];
            let spans = [SuperblockSpan::Chip, SuperblockSpan::Channels, SuperblockSpan::Drive];
            for (order, span) in orders.into_iter().flat_map(|order| spans.map(|span| (order, span))) {
                let planes = planes_in_order(&geometry, order);
                let domains = Domains::new(&geometry, span, &planes);
                let stripes = Stripes::new(&geometry, &domains);
                let most = geometry.physical_units() / stripes.width() * stripes.data_planes();
                for occupied in [0, 1, 2, 37, 38, 101, most / 2 + 1, most - 1, most] {
                    let parity = ParityLayout::new(&geometry, &planes, &domains, stripes.clone());
                    let layout = Layout::new(&geometry, &planes, occupied).with_parity(Some(parity));
                    let what = format!("{span:?} {pages_per_program} {planes_per_die} {occupied}");
                    let mut units = std::collections::BTreeMap::new();
                    for lpa in (0..occupied).map(Lpa) {
                        let ppa = layout.ppa(lpa);
                        assert_eq!(layout.lpa(ppa), lpa, "{what}");
                        assert!(!stripes.holds_parity(&geometry, ppa), "{what}");
                        let (plane, rest) = geometry.plane_of(ppa);
                        let dealt = planes[(lpa.0 >> 1) as usize % planes.len()];
                        assert_eq!(domains.of(plane), domains.of(dealt), "{what}");
                        *units.entry((plane, rest >> 1)).or_insert(0u64) += 1;
                    }
                    let all = (0..geometry.physical_units()).map(Ppa);
                    let found = all.filter(|&ppa| layout.lpa(ppa).is_some()).count();
                    assert_eq!(found, occupied as usize, "{what}");
                    let held = |plane, row| units.get(&(plane, row)).copied().unwrap_or(0);
                    for &plane in &planes {
                        for rows in 0..=12 {
                            let counted: u64 = (0..rows).map(|row| held(plane, row)).sum();
                            assert_eq!(
                                layout.units_in_rows(plane)(u64::from(rows)),
                                counted,
                                "{what} {rows}"
                            );
                        }
                    }
                    for domain in (0..domains.len() as u32).map(DomainId) {
                        for row in 0..12 {
                            let data = domains.planes(domain).iter().map(|&plane| held(plane, row));
                            let whole = data.sum::<u64>() == 2 * u64::from(stripes.data_planes());
                            assert_eq!(layout.is_whole(domain, row), whole, "{what} {row}");
                        }
                    }
                }
            }
        }
    }
}
