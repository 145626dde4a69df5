//! What is known while pages are overwritten without simulated time.

mod chosen_plane;
mod old_pages;

use crate::work::above::AboveFtl;
use crate::work::ftl::Ftl;
use crate::work::writes::places::place;
use chosen_plane::ChosenPlane;
use old_pages::OldPages;

use crate::placement::{Placement, ProgramIntent};
use wordline_base::ids::{Lpa, PlaneId};

/// While pages are overwritten; afterwards nobody asks for it.
#[derive(Debug)]
pub struct Untimed {
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

impl Ftl {
    /// On how many flash pages each unit that was overwritten since it was asked last lay.
    pub fn old_pages_for_unit(&mut self) -> Option<f64> {
        self.untimed.as_mut().and_then(|untimed| untimed.old_pages.take())
    }
}

/// From now on pages are overwritten.
pub fn begin_untimed<A: AboveFtl>(above: &mut A) {
    if above.ftl().untimed.is_none() {
        let old_pages = OldPages::new(above.ftl().domains.len(), above.ftl().geometry.unit_shift);
        let together = above.caches_data().then(|| above.ftl().geometry.units_per_program());
        let plane = ChosenPlane::new(above.ftl().geometry.unit_shift, together);
        let planes = vec![plane; above.ftl().points.count() as usize];
        above.ftl_mut().untimed = Some(Box::new(Untimed { old_pages, planes }));
    }
}

/// The plane of a page of the host that goes to this write point, of which the placement is asked as often as with simulated time.
pub(crate) fn plane_untimed<A: AboveFtl>(above: &mut A, lpa: Lpa, stream: u16, point: u8) -> PlaneId {
    let number = usize::from(point);
    let last = above.ftl().untimed.as_ref().and_then(|untimed| untimed.planes.get(number));
    let known = last.and_then(|last| last.for_next(lpa));
    let plane = match known.filter(|&plane| above.ftl().has_room(plane)) {
        Some(plane) => plane,
        None => {
            let fixed = above.ftl().placement.plane_by_address(lpa).is_some();
            let plane = place(above, &ProgramIntent::host(lpa, stream));
            if let Some(last) = above.ftl_mut().last_untimed(number).filter(|_| !fixed) {
                last.choose(plane);
            }
            plane
        }
    };
    if let Some(last) = above.ftl_mut().last_untimed(number) {
        last.written(lpa);
    }
    plane
}
