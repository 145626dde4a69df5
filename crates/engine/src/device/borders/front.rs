//! What the front asks the drive, and what it tells: requests go to the firmware and to whoever reads and writes, the news to the
//! systems and the observers.

use std::ops::Range;

use crate::cache::work as cache;
use crate::cores::work_for_request;
use crate::device::Device;
use crate::device::timers::Timer;
use crate::front::{AroundFront, Direction, Front, Units};
use crate::probe::Answer;
use crate::sched::queue::OpId;
use wordline_base::ids::DieId;
use wordline_base::parts::{Part, Parts};
use wordline_base::time::Ns;
use wordline_flash::Flash;
use wordline_flash::nand::Geometry;

/// The parts of the time of a request that an operation was the last of, before its command, and those of that.
#[inline(always)]
fn inside(flash: &Flash, served: Option<(OpId, Option<DieId>)>) -> [Option<&Parts>; 2] {
    let Some((unit, die)) = served else { return [None; 2] };
    [flash.pool.parts(unit), die.map(|die| &flash.die(die).command.parts)]
}

impl AroundFront for Device {
    /// An operation, and the die whose running command served it.
    type Served = (OpId, Option<DieId>);

    #[inline(always)]
    fn front(&self) -> &Front {
        &self.front
    }

    #[inline(always)]
    fn front_mut(&mut self) -> &mut Front {
        &mut self.front
    }

    #[inline(always)]
    fn now(&self) -> Ns {
        self.flash.now()
    }

    #[inline(always)]
    fn set_timer(&mut self, direction: Direction, at: Ns) {
        self.flash.set_timer(Timer::of_link(direction).number(), at);
    }

    #[cold]
    fn fail(&mut self, what: String) {
        Self::fail(self, what);
    }

    #[inline(always)]
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    #[inline(always)]
    fn work_for(&mut self, request: u32) {
        work_for_request(self, request);
    }

    #[inline(always)]
    fn read(&mut self, request: u32, units: Units) {
        self.read_units(request, units);
    }

    #[inline(always)]
    fn write(&mut self, request: u32, units: Units) {
        self.write_units(request, units);
    }

    fn trim(&mut self, request: u32, units: Range<u32>) {
        self.trim_units(request, units);
    }

    #[inline(always)]
    fn holds_writes(&self) -> bool {
        self.controller.cache.is_on()
    }

    fn flush(&mut self, request: u32) {
        cache::flush(self, request);
    }

    #[inline(always)]
    fn is_checked(&self) -> bool {
        self.ftl.versions().is_some()
    }

    #[inline(always)]
    fn is_watched(&self) -> bool {
        self.observers.probe.is_some()
    }

    #[inline(always)]
    fn front_and_inside(&mut self, served: Option<Self::Served>) -> (&mut Front, [Option<&Parts>; 2]) {
        (&mut self.front, inside(&self.flash, served))
    }

    #[inline(always)]
    fn entered(&mut self, request: u32) {
        let now = self.flash.now();
        self.observers.monitor.timed.submitted(now);
        if let Some(probe) = &mut self.observers.probe {
            let request = self.front.request(request);
            probe.arrived(request.id(), request.asked(), now);
        }
    }

    #[inline(always)]
    fn answer_is_certain(
        &mut self,
        request: u32,
        end: Ns,
        served: Option<Self::Served>,
        outside: &[(Part, u64)],
    ) {
        let (request, inside) = (self.front.request(request), inside(&self.flash, served));
        let (asked, arrival, measured) = (request.asked(), request.arrival(), request.is_measured());
        if let Some(probe) = &mut self.observers.probe {
            let id = request.id();
            probe.answer(&Answer { id, request: asked, arrival, end, measured, inside, outside });
        }
        if measured {
            let (recorder, latency) = (&mut self.observers.recorder, end.since(arrival));
            recorder.request(asked.op, latency, asked.length, inside, outside);
            if let Some(tenants) = &mut recorder.tenants {
                tenants.request(asked, latency, inside, outside);
            }
        }
    }

    #[inline(always)]
    fn completed(&mut self, request: u32) {
        let (request, now) = (self.front.request(request), self.flash.now());
        let (asked, latency) = (request.asked(), now.since(request.arrival()));
        let recorder = &mut self.observers.recorder;
        if recorder.answered(asked.op, asked.length, asked.stream) {
            recorder.end_batch(now, recorder.programs());
        }
        if let Some(tenants) = &mut recorder.tenants {
            tenants.answered(asked);
        }
        self.observers.monitor.timed.answered(asked.op, asked.length, latency, now);
        if let Some(probe) = &mut self.observers.probe {
            probe.completed(request.id(), latency, now);
        }
    }

    #[inline(always)]
    fn note_idle(&mut self, idle: bool) {
        Self::note_idle(self, idle);
    }
}
