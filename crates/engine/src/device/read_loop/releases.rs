//! When channels that dies wait for become free.

use super::due::Due;
use crate::time::Ns;

/// So many of the list that were taken stay in it at most.
const TAKEN: usize = 64;

/// The channels that dies wait for, by the time at which they become free; of one time, in the order in which that was
/// noted. There are few, and most are noted behind most others: a sorted list is shorter work than a heap.
pub(super) struct ChannelReleases {
    /// Those from `first` on; the ones before it were taken.
    sorted: Vec<Due>,
    first: usize,
    time: Ns,
    order: u64,
}

impl Default for ChannelReleases {
    fn default() -> Self {
        Self { sorted: Vec::new(), first: 0, time: Ns::NEVER, order: 0 }
    }
}

impl ChannelReleases {
    /// A channel that isn't among them becomes free at `time`.
    #[inline]
    pub fn note(&mut self, time: Ns, channel: u32) {
        let release = Due::new(time, self.order, channel);
        self.order += 1;
        self.sorted.push(release);
        let waiting = &mut self.sorted[self.first..];
        for place in (1..waiting.len()).rev() {
            if waiting[place - 1] < release {
                break;
            }
            waiting.swap(place - 1, place);
        }
        self.time = self.time.min(time);
    }

    /// When the first becomes free; [`Ns::NEVER`] without any.
    #[inline(always)]
    pub fn time(&self) -> Ns {
        self.time
    }

    /// Takes the first.
    #[inline(always)]
    pub fn take(&mut self) -> Option<u32> {
        let taken = *self.sorted.get(self.first)?;
        self.first += 1;
        if self.first == TAKEN {
            self.sorted.drain(..TAKEN);
            self.first = 0;
        }
        self.time = self.sorted.get(self.first).map_or(Ns::NEVER, |next| next.time());
        Some(taken.resource())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_soonest_goes_first_and_of_one_time_the_first_noted(times in prop::collection::vec(0u64..12, 0..400)) {
            let (mut releases, mut model) = (ChannelReleases::default(), Vec::new());
            for (channel, time) in (0u32..).zip(times) {
                if time < 3 {
                    prop_assert_eq!(releases.time(), model.first().map_or(Ns::NEVER, |&(time, _)| time));
                    let first = (!model.is_empty()).then(|| model.remove(0).1);
                    prop_assert_eq!(releases.take(), first);
                }
                releases.note(Ns(time), channel);
                model.push((Ns(time), channel));
                model.sort_by_key(|&(time, _)| time);
            }
        }
    }
}
