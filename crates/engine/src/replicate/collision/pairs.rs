//! The list of colliding pairs of a die (§III-A, figure 5).

use serde::{Deserialize, Serialize};

use crate::ids::{DieId, Ppa};
use crate::systems::lru::LruMap;

/// Two flash pages of a die, the smaller address first.
pub type PagePair = (Ppa, Ppa);

/// What is known of a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairEntry {
    /// Collisions, the paper's o.
    pub occurrences: u32,
    /// By die: collisions of the pair at which that die had at least two commands less.
    pub slack: Box<[u16]>,
}

impl PairEntry {
    /// The slack of the die that has most of it.
    #[inline]
    pub fn most_slack(&self) -> u16 {
        self.slack.iter().copied().fold(0, u16::max)
    }

    /// The die with the most slack, the paper's d. Of equals the one with the fewest commands now, then the first.
    /// `None` if no die had any.
    pub fn destination(&self, outstanding: &[u32]) -> Option<(DieId, u32)> {
        let most = self.most_slack();
        if most == 0 {
            return None;
        }
        let load = |die: usize| outstanding.get(die).copied().unwrap_or(u32::MAX);
        let (mut best, mut least) = (None, 0);
        for (die, _) in self.slack.iter().enumerate().filter(|&(_, &slack)| slack == most) {
            if best.is_none() || load(die) < least {
                (best, least) = (Some(die), load(die));
            }
        }
        best.map(|die| (DieId(die as u32), u32::from(most)))
    }

    /// Share of the pair's collisions that would not have been, had one page been on that die (equation 1).
    pub fn avoided(&self, die: DieId) -> f64 {
        let slack = self.slack.get(die.index()).copied().unwrap_or(0);
        if self.occurrences == 0 { 0.0 } else { f64::from(slack) / f64::from(self.occurrences) }
    }
}

/// The pairs of one die, in the order of their last collision.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PairList {
    pairs: LruMap<PagePair, PairEntry>,
}

/// A pair whatever the order in which its pages are named.
pub fn pair(a: Ppa, b: Ppa) -> PagePair {
    (a.min(b), a.max(b))
}

/// For each die 1 if it has at least two commands less than `owner`: what a collision on that die adds to its slack. A die
/// that is to get none has [`u32::MAX`] commands.
pub fn note_quiet(owner: DieId, outstanding: &[u32], quiet: &mut Vec<u16>) {
    let here = outstanding.get(owner.index()).copied().unwrap_or(0);
    quiet.clear();
    match here.checked_sub(2) {
        Some(most) => quiet.extend(outstanding.iter().map(|&load| u16::from(load <= most))),
        None => quiet.resize(outstanding.len(), 0),
    }
}

impl PairList {
    /// A pair collided, while these dies were quiet ([`note_quiet`]). At most `most` pairs are kept.
    #[inline]
    pub fn record(&mut self, pair: PagePair, quiet: &[u16], most: u32) -> Option<&PairEntry> {
        if most == 0 {
            return None;
        }
        if self.pairs.touch(pair).is_none() {
            return self.begin(pair, quiet, most);
        }
        let entry = self.pairs.youngest_mut()?;
        entry.occurrences = entry.occurrences.saturating_add(1);
        for (slack, &more) in entry.slack.iter_mut().zip(quiet) {
            *slack = slack.saturating_add(more);
        }
        Some(entry)
    }

    /// A pair that is not there collided.
    fn begin(&mut self, pair: PagePair, quiet: &[u16], most: u32) -> Option<&PairEntry> {
        let entry = if self.pairs.len() >= most as usize {
            // The memory of the pair that is forgotten serves the new one.
            self.pairs.pass_oldest_on(pair)?
        } else {
            self.pairs.add(pair, PairEntry::default());
            self.pairs.youngest_mut()?
        };
        entry.occurrences = 1;
        if entry.slack.len() == quiet.len() {
            entry.slack.copy_from_slice(quiet);
        } else {
            entry.slack = quiet.into();
        }
        Some(entry)
    }

    /// In how many pairs but this each of its pages appears: the first, the second.
    pub fn appearances(&self, pair: PagePair) -> (u32, u32) {
        let others = || self.pairs.iter().map(|(key, _)| key).filter(|&key| key != pair);
        let count = |page: Ppa| others().filter(|key| key.0 == page || key.1 == page).count() as u32;
        (count(pair.0), count(pair.1))
    }

    /// A pair.
    pub fn get(&self, pair: PagePair) -> Option<&PairEntry> {
        self.pairs.get(pair)
    }

    /// Pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// A page of the die was replicated: all is forgotten.
    pub fn clear(&mut self) {
        self.pairs.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A collision of a pair on a die while the dies had so many commands.
    fn collide<'a>(
        list: &'a mut PairList,
        pair: PagePair,
        owner: DieId,
        outstanding: &[u32],
        most: u32,
    ) -> Option<&'a PairEntry> {
        let mut quiet = Vec::new();
        note_quiet(owner, outstanding, &mut quiet);
        list.record(pair, &quiet, most)
    }

    fn p(page: char) -> Ppa {
        Ppa(page as u32)
    }

    #[test]
    fn figure_5_pages_d_and_b_collide_13_times_and_die_1_would_have_avoided_10_of_them() {
        let mut list = PairList::default();
        // Die 0 has three commands. Die 1 has one, at ten of the thirteen collisions; die 2 at four, die 3 never.
        for time in 0..13 {
            let loads = [3, if time < 10 { 1 } else { 2 }, if time < 4 { 0 } else { 3 }, 2];
            collide(&mut list, pair(p('D'), p('B')), DieId(0), &loads, 5);
        }
        let entry = list.get(pair(p('B'), p('D'))).unwrap();
        assert_eq!((entry.occurrences, &*entry.slack), (13, &[0, 10, 4, 0][..]));
        assert_eq!(entry.destination(&[3, 2, 3, 2]), Some((DieId(1), 10)));
        assert!((entry.avoided(DieId(1)) - 0.77).abs() < 0.005);
    }

    #[test]
    fn slack_needs_a_difference_of_two_and_a_die_that_counts() {
        let mut list = PairList::default();
        collide(&mut list, pair(p('A'), p('B')), DieId(2), &[0, 1, 2, u32::MAX], 5);
        assert_eq!(&*list.get(pair(p('A'), p('B'))).unwrap().slack, &[1, 0, 0, 0]);
        let none = PairEntry { occurrences: 1, slack: vec![0; 4].into() };
        assert_eq!(none.destination(&[0; 4]), None);
        // Of equals the die with the fewest commands, then the first.
        let equal = PairEntry { occurrences: 3, slack: vec![2, 3, 3, 3].into() };
        assert_eq!(equal.destination(&[0, 1, 0, 0]), Some((DieId(2), 3)));
    }

    #[test]
    fn the_pair_that_did_not_collide_for_longest_gives_way_and_begins_anew() {
        let mut list = PairList::default();
        for page in ['A', 'B', 'C', 'A', 'D'] {
            collide(&mut list, pair(p('Z'), p(page)), DieId(0), &[2, 0], 3);
        }
        assert_eq!(list.len(), 3);
        assert!(list.get(pair(p('B'), p('Z'))).is_none(), "A collided again after B");
        assert_eq!(list.get(pair(p('A'), p('Z'))).unwrap().occurrences, 2);
        let fresh = list.get(pair(p('D'), p('Z'))).unwrap();
        assert_eq!((fresh.occurrences, &*fresh.slack), (1, &[0, 1][..]));
        assert!(collide(&mut PairList::default(), pair(p('A'), p('B')), DieId(0), &[2, 0], 0).is_none());
    }

    #[test]
    fn appearances_count_the_remaining_pairs() {
        let mut list = PairList::default();
        for (a, b) in [('A', 'B'), ('B', 'C'), ('B', 'D'), ('A', 'E'), ('F', 'G')] {
            collide(&mut list, pair(p(a), p(b)), DieId(0), &[3, 0], 5);
        }
        assert_eq!(list.appearances(pair(p('A'), p('B'))), (1, 2));
        assert_eq!(list.appearances(pair(p('F'), p('G'))), (0, 0));
        list.clear();
        assert!(list.is_empty());
    }
}
