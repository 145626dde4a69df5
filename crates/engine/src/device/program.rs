//! Page programs: a place is allocated when the write comes, and takes effect when the die takes the command.

use super::Device;
use super::purposes::Purpose;
use crate::blocks::separation::{Separation, SeparationPolicy};
use crate::placement::ProgramIntent;
use crate::sched::queue::{Op, OpId};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{Lpa, PlaneId, Ppa};
use wordline_base::parts::Part;
use wordline_flash::work::submit;

impl Device {
    /// Sends one unit of a write request on its way: first a read where only a part of it is written.
    /// `plane` is where the units of its flash page go, once the placement has been asked.
    pub(super) fn write_for_host(&mut self, request: u32, lpa: Lpa, bytes: u32, plane: &mut Option<PlaneId>) {
        let partial = bytes < self.geometry.unit_bytes;
        let stream = self.front.requests[request as usize].stream();
        let point = self.host_point(lpa, stream);
        let purpose = Purpose { partial, point, ..Purpose::of_host(request, lpa) };
        let id = self.new_op(Op { bytes, ..Op::new(Class::HostProgram, Ppa::NONE) }, purpose);
        if !partial {
            if self.ftl.translation.is_asked() && !self.is_translated(id) {
                return;
            }
            if self.waits_for_move(id) {
                return;
            }
            let plane = *plane.get_or_insert_with(|| self.place(&ProgramIntent::host(lpa, stream)));
            return self.program_on(plane, id);
        }
        // One at a time for each page: each must build on what the one before it left.
        if self.ftl.partial_writes.begin(lpa, id) {
            self.begin_read_modify_write(id);
        } else {
            self.flash.pool[id].wait_from = self.flash.now();
        }
    }

    /// The write point of a page that the host writes.
    #[inline]
    pub(super) fn host_point(&mut self, lpa: Lpa, stream: u16) -> u8 {
        match &mut self.ftl.separation {
            SeparationPolicy::Stream => match self.ftl.points.of_stream(stream) {
                Some(point) => point,
                None => self.no_such_stream(stream),
            },
            policy => policy.write_point(lpa, stream, self.ftl.points.host()).min(self.ftl.points.host() - 1),
        }
    }

    /// Streams that the drive offers: beside them none may be named; `None` where each may, having no effect or being known to
    /// a policy of the user's own.
    pub fn streams(&self) -> Option<u16> {
        let offers = matches!(self.ftl.separation, SeparationPolicy::Stream) && self.ftl.points.host() > 1;
        offers.then(|| u16::from(self.ftl.points.host()))
    }

    #[cold]
    fn no_such_stream(&mut self, stream: u16) -> u8 {
        self.fail(format!("a write of stream {stream} on a drive of {} streams", self.ftl.points.host()));
        0
    }

    /// A write of a part of this page took effect: the next may begin.
    pub(super) fn next_partial_write(&mut self, lpa: Lpa) {
        let Some(id) = self.ftl.partial_writes.end(lpa) else { return };
        self.flash.blame_wait_on(Part::Conflict, id);
        self.begin_read_modify_write(id);
    }

    /// Reads the old content of a unit that is written in part; a unit without content needs none.
    pub(super) fn begin_read_modify_write(&mut self, id: OpId) {
        if self.ftl.translation.is_asked() && !self.is_translated(id) {
            return;
        }
        self.read_old_content(id);
    }

    /// Its place is known.
    pub(super) fn read_old_content(&mut self, id: OpId) {
        if self.waits_for_move(id) {
            return;
        }
        let ppa = self.ftl.lookup(self.ftl.purposes[id].lpa);
        self.flash.pool[id].source = Ppa::NONE;
        if ppa.is_some() {
            self.flash.pool[id].class = Class::read_for(self.flash.pool[id].class.cause());
            self.flash.pool[id].ppa = ppa;
            self.flash.pool[id].bytes = self.geometry.unit_bytes - self.moved_by_program(id, 0);
            self.ftl.partial_writes.reads(self.ftl.purposes[id].lpa, ppa);
            submit(self, id);
        } else {
            self.program_anywhere(id);
        }
    }

    /// Bytes of a unit that its program moves, where those are the written ones; else `otherwise`.
    pub(super) fn moved_by_program(&self, id: OpId, otherwise: u32) -> u32 {
        if !self.rules.written_only {
            return otherwise;
        }
        let Purpose { lpa, whose, tag, .. } = self.ftl.purposes[id];
        let class = self.flash.pool[id].class;
        let written = match class.cause() {
            Cause::Host if whose.is_waited_for() => {
                let (start, end) = self.front.wanted_range(whose.request(), lpa, self.geometry.unit_bytes);
                end - start
            }
            Cause::WriteBack => tag,
            _ => otherwise,
        };
        written.min(self.geometry.unit_bytes)
    }

    /// Asks the placement for a unit that is no move and sends it there.
    pub(super) fn program_anywhere(&mut self, id: OpId) {
        let plane = self.place(&self.intent(id));
        self.program_on(plane, id);
    }

    /// Allocates a place on a plane (where there are superblocks: in its domain) and queues the program, or lets it wait
    /// for space.
    pub(super) fn program_on(&mut self, plane: PlaneId, id: OpId) {
        let lpa = self.ftl.purposes[id].lpa;
        let class = self.flash.pool[id].class;
        if class.cause() == Cause::WriteBack && self.ftl.points.host() > 1 {
            self.take_point_of_cached(id);
        }
        if matches!(class.cause(), Cause::Host | Cause::WriteBack) && lpa.0 < self.ftl.logical_units {
            self.tell_access_of(id, true);
        }
        let bytes = self.moved_by_program(id, self.geometry.unit_bytes);
        let now = self.flash.now();
        let op = &mut self.flash.pool[id];
        op.order = 0;
        op.class = Class::program_for(op.class.cause());
        op.bytes = bytes;
        op.wait_from = now;
        if self.is_placed_by_system(lpa, class.cause()) && self.place_write(id) {
            return;
        }
        self.program_anew(plane, id);
    }

    /// The same of a unit that no system sends anywhere.
    pub(super) fn program_anew(&mut self, plane: PlaneId, id: OpId) {
        if self.ftl.striped.is_some() {
            self.page_changes(id);
        }
        let class = self.flash.pool[id].class;
        let domain = self.ftl.domains.of(plane);
        self.ftl.observe_pace(domain);
        self.ftl.domain[domain.index()].live += 1;
        // What the firmware writes for itself doesn't queue behind what waits for its pace.
        let passes = self.ftl.pace.is_some() && class.cause() == Cause::Mapping;
        let waits = !passes && !self.ftl.domain[domain.index()].stalled.is_empty();
        match self.open_point(domain, id).filter(|_| !waits) {
            Some(point) => self.allocate(domain, id, point),
            None => {
                self.count_stalled(domain, id);
                self.ftl.domain[domain.index()].stalled.push_back(id);
                self.check_collection(domain);
            }
        }
    }
}
