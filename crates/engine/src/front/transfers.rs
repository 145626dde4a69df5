//! A transfer over the link has ended, and what it carried goes on.

use super::completion::complete;
use super::parts::data_came;
use super::requests::Carried;
use super::{AroundFront, Direction};

/// The first transfer of one direction of the link has ended.
pub(crate) fn transfer_ended<A: AroundFront>(around: &mut A, direction: Direction) {
    let queue = around.front_mut().queue_of(direction);
    let first = queue.pop_front();
    if let Some(&(end, _)) = queue.front() {
        around.set_timer(direction, end);
    }
    let Some((_, number)) = first else {
        return around.fail("a transfer over the link ended, and none was begun".into());
    };
    match direction {
        Direction::ToHost => complete(around, number),
        Direction::ToDrive if around.front().request(number).carried == Carried::Command => {
            around.work_for(number);
        }
        Direction::ToDrive => data_came(around, number),
    }
}
