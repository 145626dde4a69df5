//! Parallel issue queueing: requests enter in batches whose requests don't conflict.
//!
//! C. Gao, L. Shi, M. Zhao, C. J. Xue, K. Wu, E. H.-M. Sha, "Exploiting parallelism in I/O scheduling for access conflict
//! minimization in flash-based solid state drives", MSST 2014.

use serde::{Deserialize, Serialize};

use super::{Choice, HostScheduler, HostView, Waiting};
use crate::host::HostOp;

/// Forms a batch from what waits, lets it in, then forms the next.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Piq {
    /// Requests of the batch that wait, by their order, the last to enter first.
    batch: Vec<u64>,
    /// Dies that a request of the batch goes to.
    taken: Vec<u32>,
}

impl Piq {
    /// A batch holds reads only or no reads, as the oldest request says, and at most one read of each die: of the
    /// requests of its kind each in order of arrival that conflicts with none before it.
    fn form(&mut self, waiting: &[Waiting]) {
        let is_read = |request: &Waiting| request.op == HostOp::Read;
        let reads = waiting.first().is_some_and(is_read);
        self.batch.clear();
        self.taken.clear();
        for request in waiting.iter().filter(|request| is_read(request) == reads) {
            if let Some(die) = request.die {
                if self.taken.contains(&die.0) {
                    continue;
                }
                self.taken.push(die.0);
            }
            self.batch.push(request.order);
        }
        self.batch.reverse();
    }
}

impl HostScheduler for Piq {
    fn choose(&mut self, view: &HostView<'_>) -> Choice {
        // A request of the batch may be gone: it had been overtaken too often.
        while let Some(order) = self.batch.pop() {
            if let Some(place) = view.waiting.iter().position(|request| request.order == order) {
                return Choice::Take(place);
            }
        }
        self.form(view.waiting);
        self.batch.pop();
        Choice::Take(0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{drained, read, write};
    use super::*;
    use wordline_base::time::Ns;

    #[test]
    fn requests_for_one_die_go_into_different_batches() {
        let waiting = vec![read(0, 0), read(1, 0), read(2, 0), read(3, 1), read(4, 2), read(5, 1)];
        assert_eq!(drained(&mut Piq::default(), waiting, &[]), [0, 3, 4, 1, 5, 2]);
    }

    #[test]
    fn reads_and_writes_go_into_different_batches_the_kind_of_the_oldest_first() {
        let waiting = vec![write(0), read(1, 0), write(2), read(3, 0), read(4, 1)];
        assert_eq!(drained(&mut Piq::default(), waiting, &[]), [0, 2, 1, 4, 3]);
    }

    #[test]
    fn a_request_that_arrives_later_joins_no_batch_that_is_formed() {
        let mut piq = Piq::default();
        let mut waiting = vec![read(0, 0), read(1, 1), read(2, 0)];
        let mut next =
            |waiting: &[Waiting]| piq.choose(&HostView { now: Ns(9), waiting, held: &[], die_load: &[] });
        assert_eq!(next(&waiting), Choice::Take(0));
        waiting.remove(0);
        waiting.push(read(3, 2));
        assert_eq!(next(&waiting), Choice::Take(0));
        waiting.remove(0);
        assert_eq!(next(&waiting), Choice::Take(0));
        waiting.remove(0);
        assert_eq!(next(&waiting), Choice::Take(0));
    }

    #[test]
    fn a_request_of_the_batch_that_has_gone_is_passed_over() {
        let mut piq = Piq::default();
        let mut next =
            |waiting: &[Waiting]| piq.choose(&HostView { now: Ns(9), waiting, held: &[], die_load: &[] });
        assert_eq!(next(&[read(0, 0), read(1, 1), read(2, 2)]), Choice::Take(0));
        assert_eq!(next(&[read(2, 2)]), Choice::Take(0));
        assert_eq!(next(&[read(7, 2)]), Choice::Take(0));
    }
}
