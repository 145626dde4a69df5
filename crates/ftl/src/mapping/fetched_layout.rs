//! What the layout's formula put at the places of victims that are about to be read: asked once, when what they hold is
//! fetched ahead, instead of again when they are read.

use super::Layout;
use wordline_base::divisor::Divisor;
use wordline_base::ids::{Lpa, Ppa};

/// The last answers of [`Layout::lpa`], each at the place in the table that its physical page has. It says nothing that the
/// layout doesn't say, and may be empty or dropped at any time.
#[derive(Debug)]
pub struct FetchedLayout {
    units_per_plane: Divisor,
    /// Units of each plane that have places of their own; those as many units further on take the same.
    window: u32,
    /// Physical page and one more in the upper half, logical page in the lower one; 0 where nothing was asked.
    answers: Vec<u64>,
}

impl FetchedLayout {
    /// For victims of which so many units of each plane are fetched ahead, on a drive of so many planes.
    pub fn new(planes: u32, units_per_plane: u32, window: u32) -> Self {
        let window = window.max(1).next_power_of_two();
        let units_per_plane = Divisor::new(units_per_plane);
        Self { units_per_plane, window, answers: vec![0; planes as usize * window as usize] }
    }

    /// Asks the layout, and notes its answer.
    #[inline]
    pub fn ask(&mut self, ppa: Ppa, layout: &Layout) -> Lpa {
        let lpa = layout.lpa(ppa);
        let place = self.place(ppa);
        if let Some(answer) = self.answers.get_mut(place) {
            *answer = (u64::from(ppa.0) + 1) << 32 | u64::from(lpa.0);
        }
        lpa
    }

    /// What the layout puts at a physical page.
    #[inline]
    pub fn lpa(&self, ppa: Ppa, layout: &Layout) -> Lpa {
        match self.answers.get(self.place(ppa)) {
            Some(&answer) if answer >> 32 == u64::from(ppa.0) + 1 => Lpa(answer as u32),
            _ => layout.lpa(ppa),
        }
    }

    #[inline]
    fn place(&self, ppa: Ppa) -> usize {
        let plane = self.units_per_plane.div_rem(ppa.0).0;
        (plane * self.window + (ppa.0 & (self.window - 1))) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::ids::PlaneId;
    use wordline_config::device::GeometryConfig;
    use wordline_flash::nand::Geometry;

    #[test]
    fn it_says_what_the_layout_says_asked_before_or_not() {
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
        let planes: Vec<_> = (0..6).map(PlaneId).collect();
        let layout = Layout::new(&geometry, &planes, 300);
        for window in [0, 1, 6, 64] {
            let mut dealt = FetchedLayout::new(6, geometry.units_per_plane(), window);
            for ppa in (0..geometry.physical_units()).map(Ppa) {
                assert_eq!(dealt.lpa(ppa, &layout), layout.lpa(ppa), "{window} {ppa:?}");
                if ppa.0 % 3 > 0 {
                    assert_eq!(dealt.ask(ppa, &layout), layout.lpa(ppa));
                }
                let before = Ppa(ppa.0 / 2);
                assert_eq!(dealt.lpa(before, &layout), layout.lpa(before), "{window} {before:?}");
            }
        }
    }
}
