//! Pages that come one after the other, again and again.

use crate::info::hash::mix;
use crate::info::sample::{Sample, SampleKey};

/// Links that are followed at most.
const MOST: usize = 1 << 18;

/// Two pages one after the other in bursts of one kind, and when they came.
pub(super) struct Links {
    seen: Sample<Link, Seen>,
}

/// A hash of two pages.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Link(u64);

impl SampleKey for Link {
    fn spread(&self) -> u64 {
        self.0
    }
}

impl Default for Links {
    fn default() -> Self {
        Self { seen: Sample::of(MOST) }
    }
}

#[derive(Default)]
struct Seen {
    times: u64,
    /// Number of the burst that it came in last, and the sum of the distances.
    last: u64,
    apart: u64,
}

impl Links {
    /// Two pages one after the other in the burst of this number.
    pub(super) fn add(&mut self, burst: u64, from: u64, to: u64) {
        let link = Link(mix(mix(from).wrapping_add(to.rotate_left(17))));
        let Some(seen) = self.seen.at(link) else { return };
        if seen.times > 0 {
            seen.apart += burst - seen.last;
        }
        seen.times += 1;
        seen.last = burst;
    }

    /// How often a link comes before it does no more, and bursts from one time to the next, of bursts of so many links on average.
    pub(super) fn times_and_sequences(&self, links_each: f64) -> (f64, f64) {
        let (mut uses, mut apart, mut several) = (0, 0, 0_u64);
        for seen in self.seen.values() {
            uses += seen.times;
            apart += seen.apart;
            several += u64::from(seen.times > 1);
        }
        let different = self.seen.len() as u64;
        let again = uses - different;
        if again == 0 {
            return (1.0, 1.0);
        }
        let sequences = (apart as f64 / again as f64).max(1.0);
        // In each place a sequence is in use now: those aren't at their end.
        let in_use = (sequences * links_each * self.seen.rate()).min(several as f64);
        let ended = different as f64 - in_use;
        let times = if ended * 4.0 >= different as f64 {
            uses as f64 / ended
        } else {
            uses as f64 / different as f64
        };
        (times, sequences)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_that_come_in_turn_are_found() {
        let mut links = Links::default();
        // Four sequences in turn, each ten times, then four others.
        for burst in 0..4_000_u64 {
            let sequence = burst / 40 * 4 + burst % 4;
            (0..9).for_each(|step| links.add(burst, sequence * 100 + step, sequence * 100 + step + 1));
        }
        let (times, sequences) = links.times_and_sequences(9.0);
        assert!((times - 10.0).abs() < 0.2 && (sequences - 4.0).abs() < 0.01, "{times} {sequences}");
    }

    #[test]
    fn what_never_comes_again_comes_once() {
        let mut links = Links::default();
        (0..1_000).for_each(|burst| links.add(burst, burst, burst + 1));
        assert_eq!(links.times_and_sequences(1.0), (1.0, 1.0));
        // A few do by chance, long after.
        (1_000..1_010).for_each(|burst| links.add(burst, burst - 1_000, burst - 999));
        assert!(links.times_and_sequences(1.0).0 < 1.05);
    }

    #[test]
    fn a_sample_of_many_links_finds_the_same() {
        let mut links = Links::default();
        for burst in 0..600_000_u64 {
            links.add(burst, burst / 8 * 4 + burst % 4, 1 << 40);
        }
        (600_000..1_200_000).for_each(|burst| links.add(burst, burst, 1 << 41));
        let (times, _) = links.times_and_sequences(1.0);
        assert!((times - 4.0 / 3.0).abs() < 0.05, "{times}");
    }
}
