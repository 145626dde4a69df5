//! Page programs: a place is allocated when the write comes, and takes effect when the die takes the command.

use crate::blocks::separation::{Separation, SeparationPolicy};
use crate::placement::ProgramIntent;
use crate::work::above::AboveFtl;
use crate::work::collection::collect::check_collection;
use crate::work::collection::pace::count_stalled;
use crate::work::collection::slc_cache::open_point;
use crate::work::ftl::Ftl;
use crate::work::parity::pages::page_changes;
use crate::work::plans::awaited_moves::waits_for_move;
use crate::work::purposes::Purpose;
use crate::work::purposes::new_op;
use crate::work::translation::look_ups::is_translated;
use crate::work::writes::placed_writes::{is_placed_by_system, place_write};
use crate::work::writes::places::{allocate, intent, place};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{Lpa, PlaneId, Ppa};
use wordline_base::parts::Part;
use wordline_flash::sched::queue::{Op, OpId};
use wordline_flash::work::submit;

impl Ftl {
    /// Streams that the drive offers: beside them none may be named; `None` where each may, having no effect or being known to
    /// a policy of the user's own.
    pub fn streams(&self) -> Option<u16> {
        let offers = matches!(self.separation, SeparationPolicy::Stream) && self.points.host() > 1;
        offers.then(|| u16::from(self.points.host()))
    }
}

/// Sends one unit of a write request on its way: first a read where only a part of it is written.
/// `plane` is where the units of its flash page go, once the placement has been asked.
pub fn write_for_host<A: AboveFtl>(
    above: &mut A,
    request: u32,
    lpa: Lpa,
    bytes: u32,
    plane: &mut Option<PlaneId>,
) {
    let partial = bytes < above.ftl().geometry.unit_bytes;
    let stream = above.stream_of_request(request).unwrap_or(0);
    let point = host_point(above, lpa, stream);
    let purpose = Purpose { partial, point, ..Purpose::of_host(request, lpa) };
    let id = new_op(above, Op { bytes, ..Op::new(Class::HostProgram, Ppa::NONE) }, purpose);
    if !partial {
        if above.ftl().translation.is_asked() && !is_translated(above, id) {
            return;
        }
        if waits_for_move(above, id) {
            return;
        }
        let plane = *plane.get_or_insert_with(|| place(above, &ProgramIntent::host(lpa, stream)));
        return program_on(above, plane, id);
    }
    // One at a time for each page: each must build on what the one before it left.
    if above.ftl_mut().partial_writes.begin(lpa, id) {
        begin_read_modify_write(above, id);
    } else {
        above.flash_mut().pool[id].wait_from = above.flash().now();
    }
}

/// The write point of a page that the host writes.
#[inline]
pub fn host_point<A: AboveFtl>(above: &mut A, lpa: Lpa, stream: u16) -> u8 {
    let ftl = above.ftl_mut();
    match &mut ftl.separation {
        SeparationPolicy::Stream => match ftl.points.of_stream(stream) {
            Some(point) => point,
            None => no_such_stream(above, stream),
        },
        policy => policy.write_point(lpa, stream, ftl.points.host()).min(ftl.points.host() - 1),
    }
}

#[cold]
fn no_such_stream<A: AboveFtl>(above: &mut A, stream: u16) -> u8 {
    above.fail(format!("a write of stream {stream} on a drive of {} streams", above.ftl().points.host()));
    0
}

/// A write of a part of this page took effect: the next may begin.
pub(crate) fn next_partial_write<A: AboveFtl>(above: &mut A, lpa: Lpa) {
    let Some(id) = above.ftl_mut().partial_writes.end(lpa) else { return };
    above.flash_mut().blame_wait_on(Part::Conflict, id);
    begin_read_modify_write(above, id);
}

/// Reads the old content of a unit that is written in part; a unit without content needs none.
pub(crate) fn begin_read_modify_write<A: AboveFtl>(above: &mut A, id: OpId) {
    if above.ftl().translation.is_asked() && !is_translated(above, id) {
        return;
    }
    read_old_content(above, id);
}

/// Its place is known.
pub(crate) fn read_old_content<A: AboveFtl>(above: &mut A, id: OpId) {
    if waits_for_move(above, id) {
        return;
    }
    let ppa = above.ftl().lookup(above.ftl().purposes[id].lpa);
    above.flash_mut().pool[id].source = Ppa::NONE;
    if ppa.is_some() {
        above.flash_mut().pool[id].class = Class::read_for(above.flash().pool[id].class.cause());
        above.flash_mut().pool[id].ppa = ppa;
        above.flash_mut().pool[id].bytes = bytes_of_old_content(above, id);
        let ftl = above.ftl_mut();
        ftl.partial_writes.reads(ftl.purposes[id].lpa, ppa);
        submit(above, id);
    } else {
        program_anywhere(above, id);
    }
}

/// Bytes of a unit that are read for a write of a part of it.
pub(crate) fn bytes_of_old_content<A: AboveFtl>(above: &A, id: OpId) -> u32 {
    above.ftl().geometry.unit_bytes - moved_by_program(above, id, 0)
}

/// Bytes of a unit that its program moves, where those are the written ones; else `otherwise`.
pub fn moved_by_program<A: AboveFtl>(above: &A, id: OpId, otherwise: u32) -> u32 {
    if !above.ftl().rules.written_only {
        return otherwise;
    }
    let Purpose { lpa, whose, tag, .. } = above.ftl().purposes[id];
    let class = above.flash().pool[id].class;
    let written = match class.cause() {
        Cause::Host if whose.is_waited_for() => {
            let (start, end) = above.wanted_range(whose.request(), lpa, above.ftl().geometry.unit_bytes);
            end - start
        }
        Cause::WriteBack => tag,
        _ => otherwise,
    };
    written.min(above.ftl().geometry.unit_bytes)
}

/// Asks the placement for a unit that is no move and sends it there.
pub fn program_anywhere<A: AboveFtl>(above: &mut A, id: OpId) {
    let intent = &intent(above, id);
    let plane = place(above, intent);
    program_on(above, plane, id);
}

/// Allocates a place on a plane (where there are superblocks: in its domain) and queues the program, or lets it wait
/// for space.
pub fn program_on<A: AboveFtl>(above: &mut A, plane: PlaneId, id: OpId) {
    let lpa = above.ftl().purposes[id].lpa;
    let class = above.flash().pool[id].class;
    if class.cause() == Cause::WriteBack && above.ftl().points.host() > 1 {
        above.take_point_of_cached(id);
    }
    if matches!(class.cause(), Cause::Host | Cause::WriteBack) && lpa.0 < above.ftl().logical_units {
        above.tell_access_of(id, true);
    }
    let otherwise = above.ftl().geometry.unit_bytes;
    let bytes = moved_by_program(above, id, otherwise);
    let now = above.flash().now();
    let op = &mut above.flash_mut().pool[id];
    op.order = 0;
    op.class = Class::program_for(op.class.cause());
    op.bytes = bytes;
    op.wait_from = now;
    if is_placed_by_system(above, lpa, class.cause()) && place_write(above, id) {
        return;
    }
    program_anew(above, plane, id);
}

/// The same of a unit that no system sends anywhere.
pub(crate) fn program_anew<A: AboveFtl>(above: &mut A, plane: PlaneId, id: OpId) {
    if above.ftl().striped.is_some() {
        page_changes(above, id);
    }
    let class = above.flash().pool[id].class;
    let domain = above.ftl().domains.of(plane);
    above.ftl_mut().observe_pace(domain);
    above.ftl_mut().domain[domain.index()].live += 1;
    // What the firmware writes for itself doesn't queue behind what waits for its pace.
    let passes = above.ftl().pace.is_some() && class.cause() == Cause::Mapping;
    let waits = !passes && !above.ftl().domain[domain.index()].stalled.is_empty();
    match open_point(above, domain, id).filter(|_| !waits) {
        Some(point) => allocate(above, domain, id, point),
        None => {
            count_stalled(above, domain, id);
            above.ftl_mut().domain[domain.index()].stalled.push_back(id);
            check_collection(above, domain);
        }
    }
}
