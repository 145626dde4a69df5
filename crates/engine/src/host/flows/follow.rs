//! Flows that begin and end when others have ended, and flows that keep step.

use super::{Flows, Of, Queue};
use wordline_base::request::SourceError;
use wordline_base::time::Ns;

impl Flows<'_> {
    /// Ends and begins the flows that do so when others have ended.
    pub(super) fn follow(&mut self) -> Result<(), SourceError> {
        if !self.together.is_settled() {
            return Ok(());
        }
        let mut changed = true;
        while changed {
            changed = self.end_with_others() | self.begin_behind_others()?;
        }
        Ok(())
    }

    fn end_with_others(&mut self) -> bool {
        let mut ending = Vec::new();
        for queue in self.queues.iter_mut().filter(|queue| !queue.ends.is_empty()) {
            if queue.over().is_some() {
                ending.append(&mut queue.ends);
            }
        }
        for &flow in &ending {
            if let Some(queue) = self.queues.get_mut(usize::from(flow)) {
                queue.course.cut(&mut queue.submitter, &mut self.together);
                queue.next = Ns::NEVER;
            }
        }
        !ending.is_empty()
    }

    fn begin_behind_others(&mut self) -> Result<bool, SourceError> {
        let mut began = false;
        for flow in 0..self.queues.len() {
            let queue = &self.queues[flow];
            if queue.course.part() != Of::Waiting {
                continue;
            }
            let over = |&other: &u16| self.queues.get(usize::from(other)).map_or(Some(Ns::ZERO), Queue::over);
            let free = queue.after.iter().try_fold(Ns::ZERO, |latest, other| Some(latest.max(over(other)?)));
            let Some(free) = free else { continue };
            let queue = &mut self.queues[flow];
            queue.course.begin(&mut queue.submitter, free, queue.start);
            queue.look(&mut self.together)?;
            began = true;
        }
        Ok(began)
    }

    /// Whether a flow isn't ahead of one that it keeps step with.
    pub(super) fn keeps_step(&self, flow: usize) -> bool {
        let Some(own) = self.queues[flow].in_step else { return true };
        let goes = |queue: &&Queue| matches!(queue.course.part(), Of::Settling | Of::Own | Of::Beyond);
        let beside = |other: &Queue| match other.in_step {
            Some(step) if step.group == own.group => {
                let turns = |given: u64, weight: u32| u128::from(given) * u128::from(weight);
                turns(self.queues[flow].given, step.weight) <= turns(other.given, own.weight)
            }
            _ => true,
        };
        self.queues.iter().filter(goes).all(beside)
    }
}
