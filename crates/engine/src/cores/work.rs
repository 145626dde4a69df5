//! Firmware's work: what it is for, and what waits for it.

use super::around::AroundCores;
use super::cpu::{Booking, Cost, Task, Work};
use crate::host::{HostOp, HostRequest};
use crate::sched::queue::{NONE, OpId};
use wordline_base::time::Ns;

/// What the firmware has to do for a request.
fn work_of(request: &HostRequest, unit_bytes: u32, search_steps: u64) -> [Work; 4] {
    let &HostRequest { op, offset, length, .. } = request;
    let unit = u64::from(unit_bytes);
    // A flush may carry any range.
    let end = offset.saturating_add(length);
    let touched = if length == 0 { 0 } else { end.div_ceil(unit) - offset / unit };
    let whole = (end / unit).saturating_sub(offset.div_ceil(unit));
    let searched = (Cost::SearchStep, touched * search_steps);
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

/// Lets the firmware work on a request; then the request enters the flash queues.
#[inline(always)]
pub(crate) fn work_for_request<A: AroundCores>(around: &mut A, request: u32) {
    if around.cores().is_on() { take_core(around, request) } else { around.deliver(request) }
}

#[inline(never)]
fn take_core<A: AroundCores>(around: &mut A, request: u32) {
    let now = around.now();
    let work = work_of(around.asked(request), around.unit_bytes(), around.search_steps());
    let Some(Booking { begin, end }) = around.cores_mut().book(now, &work) else {
        return around.deliver(request);
    };
    around.note_work(request, begin.since(now), end.since(begin));
    go_on_after(around, end, Task::Request(request));
}

/// A task goes on when its work is done.
fn go_on_after<A: AroundCores>(around: &mut A, end: Ns, task: Task) {
    let first = around.cores_mut().after(end, task);
    wait_for_first(around, first);
}

fn wait_for_first<A: AroundCores>(around: &mut A, first: Option<Ns>) {
    if let Some(end) = first {
        around.set_timer(end);
    }
}

/// The firmware has done its work for the task that is next.
pub(crate) fn work_done<A: AroundCores>(around: &mut A) {
    let task = around.cores_mut().take_task();
    let first = around.cores().first_end();
    wait_for_first(around, first);
    match task {
        Some(Task::Request(number)) => around.deliver(number),
        Some(Task::Programs(first)) => enqueue_linked(around, first),
        Some(Task::Place(unit)) => around.place(unit),
        None => around.fail("the firmware's work was done, and nothing waited for it".into()),
    }
}

/// Queues the programs of moved flash pages of one domain once the firmware has done its work for all of them:
/// together, so that planes still program together. Those of a domain keep their order, on however many cores: a
/// block is programmed page by page.
#[inline(always)]
pub(crate) fn enqueue_moves<A: AroundCores>(around: &mut A, heads: &[OpId]) {
    if around.cores().is_on() {
        return work_on_moves(around, heads);
    }
    heads.iter().for_each(|&head| around.enqueue(head));
}

#[inline(never)]
fn work_on_moves<A: AroundCores>(around: &mut A, heads: &[OpId]) {
    let Some((end, queue)) = charge_moves(around, heads) else {
        return heads.iter().for_each(|&head| around.enqueue(head));
    };
    let mut first = NONE;
    for &head in heads.iter().rev() {
        *around.next_mut(head) = first;
        first = head;
    }
    let first = around.cores_mut().after_in_queue(queue, end, Task::Programs(first));
    wait_for_first(around, first);
}

/// The work of moving these flash pages: when all of it is done, and its queue; `None` when it takes no time.
fn charge_moves<A: AroundCores>(around: &mut A, heads: &[OpId]) -> Option<(Ns, usize)> {
    let (now, queue) = (around.now(), around.domain_of(*heads.first()?));
    let mut end = None;
    for &head in heads {
        if let Some(units) = around.units_moved(head) {
            let work = [(Cost::Move, units), (Cost::Shuffle, around.units_rearranged(head))];
            end = end.max(around.cores_mut().book(now, &work).map(|booking| booking.end));
        }
    }
    end.map(|end| (end, queue))
}

fn enqueue_linked<A: AroundCores>(around: &mut A, first: OpId) {
    let mut head = first;
    while head != NONE {
        let next = std::mem::replace(around.next_mut(head), NONE);
        around.enqueue(head);
        head = next;
    }
}

/// Whether a page of a plan gets its place only when the firmware has had its time for it.
pub(crate) fn places_later<A: AroundCores>(around: &mut A, unit: OpId) -> bool {
    let now = around.now();
    let booking = around.cores_mut().book(now, &[(Cost::Move, 1)]);
    if let Some(booking) = booking {
        go_on_after(around, booking.end, Task::Place(unit));
    }
    booking.is_some()
}

/// Work that nothing waits for: it occupies a core, and so delays what comes later.
#[inline]
pub(crate) fn charge<A: AroundCores>(around: &mut A, cost: Cost, n: u64) {
    if around.cores().is_on() {
        let now = around.now();
        around.cores_mut().book(now, &[(cost, n)]);
    }
}
