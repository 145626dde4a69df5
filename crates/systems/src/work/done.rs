//! What systems ask for is done: not at once, in the middle of a change of tables, but when the event that they were told of is
//! over.

use super::around::AroundSystems;
use crate::action::Action;
use wordline_base::time::Ns;

/// Does what systems asked for, in its order, and what they ask for meanwhile.
#[inline(always)]
pub fn do_what_was_asked<A: AroundSystems>(around: &mut A) {
    if !around.systems().asked.is_empty() {
        act(around);
    }
}

fn act<A: AroundSystems>(around: &mut A) {
    let mut next = 0;
    while let Some((number, read, action)) = around.systems().asked.get(next).cloned() {
        next += 1;
        if let Action::WakeAt(time) = action {
            let next_ns = Ns(around.now().0 + 1);
            around.systems_mut().wake_later(number, time.max(next_ns));
        }
        around.act(number, read, action);
    }
    around.systems_mut().asked.clear();
}
