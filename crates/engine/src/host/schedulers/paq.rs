//! Physically addressed queueing: requests enter out of order, those for idle dies first.
//!
//! M. Jung, E. H. Wilson III, M. Kandemir, "Physically Addressed Queueing (PAQ): Improving Parallelism in Solid State
//! Disks", ISCA 2012.

use serde::{Deserialize, Serialize};

use super::{Choice, HostScheduler, HostView, Waiting};

/// Takes the oldest request of those whose die has the least to do. A request without a known die conflicts with none.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Paq;

impl HostScheduler for Paq {
    fn choose(&mut self, view: &HostView<'_>) -> Choice {
        let load = |request: &Waiting| {
            request.die.and_then(|die| view.die_load.get(die.index())).copied().unwrap_or(0)
        };
        let mut least = (0, u32::MAX);
        for (place, request) in view.waiting.iter().enumerate() {
            let load = load(request);
            if load < least.1 {
                least = (place, load);
            }
            if load == 0 {
                break;
            }
        }
        Choice::Take(least.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{read, write};
    use super::*;
    use wordline_base::time::Ns;

    fn choice(waiting: &[Waiting], die_load: &[u32]) -> Choice {
        Paq.choose(&HostView { now: Ns(9), waiting, held: &[], die_load })
    }

    #[test]
    fn the_oldest_request_for_the_least_loaded_die_enters() {
        let waiting = [read(0, 0), read(1, 0), read(2, 1), read(3, 2)];
        assert_eq!(choice(&waiting, &[0, 0, 0]), Choice::Take(0));
        assert_eq!(choice(&waiting, &[1, 0, 0]), Choice::Take(2));
        assert_eq!(choice(&waiting, &[3, 2, 1]), Choice::Take(3));
        assert_eq!(choice(&waiting, &[2, 2, 2]), Choice::Take(0));
    }

    #[test]
    fn a_request_of_unknown_die_conflicts_with_none() {
        assert_eq!(choice(&[read(0, 0), write(1)], &[1]), Choice::Take(1));
        assert_eq!(choice(&[read(0, 0), write(1)], &[0]), Choice::Take(0));
    }
}
