//! What is known while pages are overwritten without simulated time.

mod chosen_plane;
mod old_pages;

use crate::device::ftl::Ftl;
use chosen_plane::ChosenPlane;
use old_pages::OldPages;

use crate::device::Device;
use crate::placement::{Placement, ProgramIntent};
use wordline_base::ids::{Lpa, PlaneId};

/// While pages are overwritten; afterwards nobody asks for it.
#[derive(Debug)]
pub(in crate::device) struct Untimed {
    /// Where what was overwritten lay.
    pub old_pages: OldPages,
    /// For each write point.
    planes: Vec<ChosenPlane>,
}

impl Ftl {
    fn last_untimed(&mut self, point: usize) -> Option<&mut ChosenPlane> {
        self.untimed.as_mut().and_then(|untimed| untimed.planes.get_mut(point))
    }
}

impl Device {
    /// From now on pages are overwritten.
    pub(in crate::device) fn begin_untimed(&mut self) {
        if self.ftl.untimed.is_none() {
            let old_pages = OldPages::new(self.ftl.domains.len(), self.geometry.unit_shift);
            let together = self.controller.cache.is_on().then(|| self.geometry.units_per_program());
            let plane = ChosenPlane::new(self.geometry.unit_shift, together);
            let planes = vec![plane; self.ftl.points.count() as usize];
            self.ftl.untimed = Some(Box::new(Untimed { old_pages, planes }));
        }
    }

    /// On how many flash pages each unit that was overwritten since it was asked last lay.
    pub(crate) fn old_pages_for_unit(&mut self) -> Option<f64> {
        self.ftl.untimed.as_mut().and_then(|untimed| untimed.old_pages.take())
    }

    /// The plane of a page of the host that goes to this write point, of which the placement is asked as often as with simulated time.
    pub(in crate::device) fn plane_untimed(&mut self, lpa: Lpa, stream: u16, point: u8) -> PlaneId {
        let number = usize::from(point);
        let last = self.ftl.untimed.as_ref().and_then(|untimed| untimed.planes.get(number));
        let known = last.and_then(|last| last.for_next(lpa));
        let plane = match known.filter(|&plane| self.ftl.has_room(plane)) {
            Some(plane) => plane,
            None => {
                let fixed = self.ftl.placement.plane_by_address(lpa).is_some();
                let plane = self.place(&ProgramIntent::host(lpa, stream));
                if let Some(last) = self.ftl.last_untimed(number).filter(|_| !fixed) {
                    last.choose(plane);
                }
                plane
            }
        };
        if let Some(last) = self.ftl.last_untimed(number) {
            last.written(lpa);
        }
        plane
    }
}
