//! Units of requests are done, and with the last of them the answer leaves over the link.

use super::link::take_link;
use super::{AroundFront, Direction, Request};
use wordline_base::ids::Lpa;
use wordline_base::parts::Parts;
use wordline_base::request::{HostOp, HostRequest};
use wordline_base::time::Ns;
use wordline_config::device::LinkData;

/// One part of a request is done at once.
#[inline(always)]
pub(crate) fn part_done<A: AroundFront>(around: &mut A, number: u32) {
    let request = &mut around.front_mut().requests[number as usize];
    request.left -= 1;
    if request.left == 0 {
        answer(around, number, None);
    }
}

/// One unit of a request is done, and what served it ends. The unit that is done last is the one that the request's blame follows.
#[inline(always)]
pub(crate) fn unit_done<A: AroundFront>(around: &mut A, number: u32, lpa: Lpa, served: A::Served) {
    let front = around.front_mut();
    let request = &mut front.requests[number as usize];
    request.left -= 1;
    if request.left == 0 {
        answer(around, number, Some(served));
    } else if front.rules.read_data == LinkData::Page {
        unit_crosses(around, number, lpa);
    }
}

/// A unit of a read is there before others of its request: its data takes the link now.
#[inline(never)]
fn unit_crosses<A: AroundFront>(around: &mut A, number: u32, lpa: Lpa) {
    let (now, unit_bytes) = (around.now(), around.geometry().unit_bytes);
    let front = around.front_mut();
    if front.request(number).request.op != HostOp::Read {
        return;
    }
    let (first, end) = front.wanted_range(number, lpa, unit_bytes);
    let bytes = u64::from(end.saturating_sub(first));
    front.requests[number as usize].crossed += bytes;
    let time = front.link_time(bytes, 0);
    front.occupy_link(Direction::ToHost, now, time);
}

/// Sends the answer of a request, which ended with what was served. When the host has it is certain from now on, so it is recorded
/// at once.
#[inline(always)]
pub(super) fn answer<A: AroundFront>(around: &mut A, number: u32, served: Option<A::Served>) {
    let now = around.now();
    let front = around.front_mut();
    let Some(number) = front.write_of_page(number) else { return };
    let Request { request: HostRequest { op, length, .. }, crossed, .. } = *front.request(number);
    let carried = if op == HostOp::Read { length.saturating_sub(crossed) } else { 0 };
    let time = front.link_time(carried, front.rules.completion_ns);
    // Of a request that was split, the last command stands for the whole from here on.
    let number = front.whole_if_last(number);
    // Its own data may have crossed page by page, and be on the link still.
    let crosses = crossed > 0 && front.link_free[Direction::ToHost as usize] > now;
    let at_once = time == Ns::ZERO && front.link_out.is_empty() && !crosses;
    let end = if at_once { now } else { take_link(around, Direction::ToHost, number, time) };
    if around.is_checked() {
        add_up_parts(around, number, end, served);
    }
    tell_parts(around, number, end, served);
    if at_once {
        complete(around, number);
    }
}

/// Where the time of a request went must add up to its response time.
fn add_up_parts<A: AroundFront>(around: &mut A, number: u32, end: Ns, served: Option<A::Served>) {
    let (front, inside) = around.front_and_inside(served);
    let request = front.request(number);
    let inside: u64 = inside.into_iter().flatten().map(Parts::total).sum();
    let outside: u64 = request.outside().iter().map(|&(_, ns)| ns).sum();
    let (id, latency) = (request.id, end.since(request.arrival).0);
    if inside + outside != latency {
        let total = inside + outside;
        around.fail(format!("request {id}: its parts add up to {total} of {latency} ns"));
    }
}

/// Tells where the time of a request went. Of a command of one nothing is told.
#[inline(always)]
fn tell_parts<A: AroundFront>(around: &mut A, number: u32, end: Ns, served: Option<A::Served>) {
    let front = around.front();
    let request = front.request(number);
    let told = request.measured || front.answers.is_some() || around.is_watched();
    if !told || front.split_requests.has_command(number) {
        return;
    }
    // Most drives have none of these.
    let all;
    let outside = if request.has_outside() {
        all = request.outside();
        all.as_slice()
    } else {
        &[]
    };
    if front.answers.is_some() {
        let (front, inside) = around.front_and_inside(served);
        if let Some(answers) = &mut front.answers {
            answers.note_parts(number, inside, outside);
        }
    }
    around.answer_is_certain(number, end, served, outside);
}

/// The host has the answer.
#[inline(always)]
pub(super) fn complete<A: AroundFront>(around: &mut A, number: u32) {
    let front = around.front_mut();
    if front.split_requests.has_command(number) {
        return front.end_command(number);
    }
    front.free_requests.push(number);
    front.completed += 1;
    if front.inside() == 0 {
        around.note_idle(true);
    }
    around.front_mut().tell_answer(number);
    around.completed(number);
}
