//! Firmware's work on the controller's cores, before a request enters the flash queues, before a move is programmed,
//! and for decisions.

use super::Device;
use super::timers::Timer;
use crate::cpu::{Booking, Cost, Task, Work};
use crate::front::deliver;
use crate::host::{HostOp, HostRequest};
use crate::sched::queue::{NONE, OpId};
use wordline_base::time::Ns;
use wordline_flash::work::submit;
use wordline_ftl::work::Ftl;
use wordline_ftl::work::place_planned;

/// What the firmware has to do for a request.
fn work_of(ftl: &Ftl, request: &HostRequest) -> [Work; 4] {
    let &HostRequest { op, offset, length, .. } = request;
    let unit = u64::from(ftl.geometry().unit_bytes);
    // A flush may carry any range.
    let end = offset.saturating_add(length);
    let touched = if length == 0 { 0 } else { end.div_ceil(unit) - offset / unit };
    let whole = (end / unit).saturating_sub(offset.div_ceil(unit));
    let searched = (Cost::SearchStep, touched * ftl.translation().search_steps());
    let not_searched = (Cost::SearchStep, 0);
    match op {
        HostOp::Read => [(Cost::ReadRequest, 1), (Cost::Lookup, touched), (Cost::MapUpdate, 0), searched],
        // What is written in part is looked up first, to be read.
        HostOp::Write | HostOp::WriteFua => {
            let looked_up = (Cost::Lookup, touched - whole);
            [(Cost::WriteRequest, 1), looked_up, (Cost::MapUpdate, touched), searched]
        }
        HostOp::Trim => [(Cost::TrimRequest, 1), (Cost::Lookup, 0), (Cost::MapUpdate, whole), not_searched],
        HostOp::Flush => [(Cost::FlushRequest, 1), (Cost::Lookup, 0), (Cost::MapUpdate, 0), not_searched],
    }
}

impl Device {
    /// Lets the firmware work on a request; then the request enters the flash queues.
    #[inline(always)]
    pub(super) fn run_firmware(&mut self, number: u32) {
        if self.controller.cpu.is_on() { self.take_core(number) } else { deliver(self, number) }
    }

    #[inline(never)]
    fn take_core(&mut self, number: u32) {
        let work = work_of(&self.ftl, self.front.request(number).asked());
        let Some(Booking { begin, end }) = self.controller.cpu.book(self.flash.now(), &work) else {
            return deliver(self, number);
        };
        self.front.note_work(number, begin.since(self.flash.now()), end.since(begin));
        self.go_on_after(end, Task::Request(number));
    }

    /// A task goes on when its work is done.
    pub(super) fn go_on_after(&mut self, end: Ns, task: Task) {
        let first = self.controller.cpu.after(end, task);
        self.wait_for_cores(first);
    }

    fn wait_for_cores(&mut self, first: Option<Ns>) {
        if let Some(end) = first {
            self.flash.set_timer(Timer::Cores.number(), end);
        }
    }

    /// The firmware has done its work for the task that is next.
    pub(super) fn firmware_done(&mut self) {
        let task = self.controller.cpu.take_task();
        self.wait_for_cores(self.controller.cpu.first_end());
        match task {
            Some(Task::Request(number)) => deliver(self, number),
            Some(Task::Programs(first)) => self.enqueue_linked(first),
            Some(Task::Place(unit)) => place_planned(self, unit),
            None => self.fail("the firmware's work was done, and nothing waited for it".into()),
        }
    }

    /// Queues the programs of moved flash pages of one domain once the firmware has done its work for all of them:
    /// together, so that planes still program together. Those of a domain keep their order, on however many cores: a
    /// block is programmed page by page.
    #[inline(always)]
    pub(super) fn enqueue_moves(&mut self, heads: &[OpId]) {
        if self.controller.cpu.is_on() {
            return self.work_on_moves(heads);
        }
        heads.iter().for_each(|&head| submit(self, head));
    }

    #[inline(never)]
    fn work_on_moves(&mut self, heads: &[OpId]) {
        let Some((end, queue)) = self.charge_moves(heads) else {
            return heads.iter().for_each(|&head| submit(self, head));
        };
        let mut first = NONE;
        for &head in heads.iter().rev() {
            self.flash.pool[head].next = first;
            first = head;
        }
        let first = self.controller.cpu.after_in_queue(queue, end, Task::Programs(first));
        self.wait_for_cores(first);
    }

    /// The work of moving these flash pages: when all of it is done, and its queue; `None` when it takes no time.
    fn charge_moves(&mut self, heads: &[OpId]) -> Option<(Ns, usize)> {
        let queue = self.ftl.domain_of(self.flash.pool[*heads.first()?].ppa).index();
        let mut end = None;
        for &head in heads.iter().filter(|&&head| self.flash.pool[head].class.is_move()) {
            let units = self.flash.pool.units(head).count() as u64;
            end = end.max(
                self.controller.cpu.book(self.flash.now(), &[(Cost::Move, units)]).map(|booking| booking.end),
            );
        }
        end.map(|end| (end, queue))
    }

    fn enqueue_linked(&mut self, first: OpId) {
        let mut head = first;
        while head != NONE {
            let next = std::mem::replace(&mut self.flash.pool[head].next, NONE);
            submit(self, head);
            head = next;
        }
    }

    /// Work that nothing waits for: it occupies a core, and so delays what comes later. Returns how long from now it
    /// takes to be done, for those who do wait.
    #[inline]
    pub(super) fn charge(&mut self, cost: Cost, n: u64) -> Ns {
        if !self.controller.cpu.is_on() {
            return Ns::ZERO;
        }
        self.controller
            .cpu
            .book(self.flash.now(), &[(cost, n)])
            .map_or(Ns::ZERO, |booking| booking.end.since(self.flash.now()))
    }
}
