//! For how long the plane holds that a placement chose: for the units of one flash page that a request writes, or, behind a data
//! cache, for a program unit.

use wordline_base::ids::{Lpa, PlaneId};

/// The plane that was chosen last.
#[derive(Clone, Debug)]
pub struct ChosenPlane {
    unit_shift: u32,
    /// Units of a program of the data cache.
    together: Option<u32>,
    plane: Option<PlaneId>,
    /// The page that was written last, and how many since the plane was chosen.
    last: Lpa,
    units: u32,
}

impl ChosenPlane {
    /// On a drive whose flash pages have 2^`unit_shift` units; behind a data cache so many are `together`.
    pub fn new(unit_shift: u32, together: Option<u32>) -> Self {
        Self { unit_shift, together, plane: None, last: Lpa::NONE, units: 0 }
    }

    /// The plane for the next page; `None`: it is to be chosen.
    #[inline]
    pub fn for_next(&self, lpa: Lpa) -> Option<PlaneId> {
        let goes_on = match self.together {
            Some(together) => self.units < together,
            None => {
                let page = |lpa: Lpa| lpa.0 >> self.unit_shift;
                lpa.0 == self.last.0.wrapping_add(1) && page(lpa) == page(self.last)
            }
        };
        self.plane.filter(|_| goes_on)
    }

    /// It was chosen.
    pub fn choose(&mut self, plane: PlaneId) {
        (self.plane, self.units) = (Some(plane), 0);
    }

    /// A page was written.
    #[inline]
    pub fn written(&mut self, lpa: Lpa) {
        self.last = lpa;
        self.units += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(together: Option<u32>, pages: &[u32]) -> Vec<bool> {
        let mut chosen = ChosenPlane::new(2, together);
        let mut asked = Vec::new();
        for &page in pages {
            let known = chosen.for_next(Lpa(page)).is_some();
            asked.push(!known);
            if !known {
                chosen.choose(PlaneId(0));
            }
            chosen.written(Lpa(page));
        }
        asked
    }

    #[test]
    fn it_holds_for_a_flash_page_of_a_request_or_a_program_unit() {
        assert_eq!(asked(None, &[2, 3, 4, 5, 9, 4]), [true, false, true, false, true, true]);
        assert_eq!(asked(Some(3), &[2, 3, 4, 5, 9, 4]), [true, false, false, true, false, false]);
    }
}
