//! Copyback: whole flash pages move inside a die, read and programmed by one command without their data on the channel.
//!
//! A copyback is a form of a program command, whatever its class: its units say where they come from
//! ([`Op::source`]) and where they go ([`Op::ppa`]).

use crate::work::above::AboveFtl;
use crate::work::collection::moves::program_gathered;
use crate::work::counted::Counted;
use crate::work::purposes::Purpose;
use crate::work::purposes::new_op;
use crate::work::reads::read::holds_newest;
use crate::work::writes::places::take_place;
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DomainId, Ppa};
use wordline_flash::sched::queue::{NONE, Op, OpId};

/// Moves a flash page of a victim by copyback, to the next place of its domain's write point for this cause; `false`,
/// with nothing done, when a unit of it isn't valid or that place isn't on its plane (or die).
pub(crate) fn copy_back<A: AboveFtl>(above: &mut A, domain: DomainId, page: Ppa, cause: Cause) -> bool {
    let number = above.ftl().point_of_moves_from(cause, above.ftl().blocks.of(&above.ftl().geometry, page));
    let units = page.0..page.0 + above.ftl().geometry.units_per_page();
    if !next_place_suits(above, domain, number, page)
        || units.clone().any(|unit| above.ftl().valid_lpa(Ppa(unit)).is_none())
    {
        return false;
    }
    let destination = take_place(above, domain, number);
    if above.has_failed() {
        return false;
    }
    let (mut head, bytes) = (NONE, above.ftl().geometry.unit_bytes);
    for source in units.clone().map(Ppa) {
        let Some(lpa) = above.ftl().valid_lpa(source) else { continue };
        let ppa = Ppa(destination.0 + (source.0 - page.0));
        let class = Class::program_for(cause);
        let op = Op { source, bytes, copyback: true, ..Op::new(class, ppa) };
        let id = new_op(above, op, Purpose { point: number, ..Purpose::of(lpa) });
        if head == NONE {
            head = id;
        } else {
            above.flash_mut().pool.chain(head, id);
        }
    }
    let state = &mut above.ftl_mut().domain[domain.index()];
    state.live += units.len() as u32;
    state.collector.in_flight += units.len() as u32;
    let row_is_full = state.points[usize::from(number)].at_row_start();
    above.enqueue_moves(&[head]);
    if row_is_full {
        program_gathered(above, domain, number);
    }
    true
}

/// Whether the next flash page of the write point can be reached by copyback from `page`, in the same cell mode. Not
/// where programs take several pages, or where the placement is asked for moves.
fn next_place_suits<A: AboveFtl>(above: &A, domain: DomainId, number: u8, page: Ppa) -> bool {
    let point = &above.ftl().domain[domain.index()].points[usize::from(number)];
    let to = above.ftl().domains.planes(domain)[point.column() as usize];
    let from = above.ftl().geometry.plane_of(page).0;
    let near = if above.flash().copybacks().same_plane_only {
        from == to
    } else {
        above.ftl().geometry.die_of(from).0 == above.ftl().geometry.die_of(to).0
    };
    let mode = if point.has_place() { above.ftl().blocks.mode(point.superblock) } else { point.mode };
    let plain = above.ftl().geometry.pages_at_once(mode) == 1 && !above.ftl().rules.places_moves;
    let room = point.has_place() || !above.ftl().domain[domain.index()].free.is_empty();
    room && near && plain && point.open_unit == NONE && mode == above.ftl().cell_mode(page)
}

/// Checked mode: what a copyback reads must be the newest version of what it moves, unless that was overwritten.
pub fn verify_source<A: AboveFtl>(above: &mut A, unit: OpId) {
    let lpa = above.ftl().purposes[unit].lpa;
    let source = above.flash().pool[unit].source;

    if above.ftl().versions.is_none() || !above.ftl().holds(lpa, source) {
        return;
    }
    above.counted(Counted::Verified);
    if above.ftl().oob.lpa(source, &above.ftl().layout) != lpa || !holds_newest(above, lpa, source) {
        above.fail(format!("a copyback of {lpa:?} from {source:?} found something else there"));
    }
}
