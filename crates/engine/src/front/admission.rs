//! Requests enter the drive, whole or as commands.

use super::link::take_link;
use super::{AroundFront, Direction, Request};

/// A request enters the drive now. Its range must lie in the drive.
#[inline(always)]
pub(crate) fn submit<A: AroundFront>(around: &mut A, request: Request) {
    if around.front().inside() == 0 {
        around.note_idle(false);
    }
    let number = around.front_mut().insert_request(request);
    around.entered(number);
    let front = around.front();
    let time = front.time_to_come(&request.request);
    if let Some(most) = front.most_of_a_command(&request.request) {
        send_in_commands(around, number, most);
    } else if front.comes_at_once(time) {
        around.work_for(number);
    } else {
        take_link(around, Direction::ToDrive, number, time);
    }
}

/// The request comes in as commands of `most` bytes and a last one of the rest, one behind the other on the link: even if
/// that takes no time, each in an event of its own, as requests do that are submitted one by one.
#[inline(never)]
fn send_in_commands<A: AroundFront>(around: &mut A, whole: u32, most: u64) {
    let front = around.front_mut();
    let request = *front.request(whole);
    let length = request.request.length;
    let count = length.div_ceil(most) as u32;
    front.requests[whole as usize].left = count;
    for first in (0..u64::from(count)).map(|before| before * most) {
        let command = request.command(first, most.min(length - first));
        let front = around.front_mut();
        let number = front.insert_part(whole, command);
        let time = front.time_to_come(&command.request);
        take_link(around, Direction::ToDrive, number, time);
    }
}
