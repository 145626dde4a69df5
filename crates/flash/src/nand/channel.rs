//! A channel: one transfer at a time, to or from one die.

use serde::{Deserialize, Serialize};

use wordline_base::class::Class;
use wordline_base::clock::ClassClock;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

/// State of one channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Channel {
    /// When the transfer that was granted last ends.
    pub free_at: Ns,
    /// Its class.
    pub class: Class,
    /// Bus time granted so far, by class.
    pub clock: ClassClock,
    /// Dies that wait, in order of arrival; each waits once at most.
    pub waiting: Vec<DieId>,
}

impl Default for Channel {
    fn default() -> Self {
        Self { free_at: Ns::ZERO, class: Class::HostRead, clock: ClassClock::default(), waiting: Vec::new() }
    }
}

impl Channel {
    /// Whether who wants it at `now` gets it at once. In the nanosecond in which a transfer ends more may come:
    /// the channel chooses between them when all are known.
    #[inline]
    pub fn is_free(&self, now: Ns) -> bool {
        (self.free_at < now || self.free_at == Ns::ZERO) && self.waiting.is_empty()
    }

    /// Takes the die at this place out of those that wait: few do, and mostly one.
    #[inline]
    pub fn take(&mut self, place: usize) -> Option<DieId> {
        let die = *self.waiting.get(place)?;
        if place + 1 < self.waiting.len() {
            self.waiting.copy_within(place + 1.., place);
        }
        self.waiting.pop();
        Some(die)
    }

    /// Grants the bus from `now` on; returns when the transfer ends.
    #[inline]
    pub fn grant(&mut self, class: Class, now: Ns, duration: Ns) -> Ns {
        self.free_at = now + duration;
        self.class = class;
        self.clock.add(class, duration.0);
        self.free_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_is_taken_from_any_place_and_the_others_stay_in_order() {
        let mut channel = Channel { waiting: [3, 1, 2, 0].map(DieId).to_vec(), ..Channel::default() };
        assert_eq!(channel.take(4), None);
        let taken: Vec<_> = [1, 2, 0, 0, 0].into_iter().map(|place| channel.take(place)).collect();
        assert_eq!(taken, [Some(DieId(1)), Some(DieId(0)), Some(DieId(3)), Some(DieId(2)), None]);
    }
}
