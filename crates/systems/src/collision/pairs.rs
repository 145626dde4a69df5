//! The list of colliding pairs of a die (§III-A, figure 5).

use serde::{Deserialize, Serialize};

use wordline_base::ids::{DieId, Ppa};
use wordline_base::lru::{Key, LruMap};

/// Two flash pages of a die, the smaller address first.
pub type PagePair = (Ppa, Ppa);

/// Pairs of a list that is short: all of them are compared. Longer ones are found by hash.
const FEW: usize = 16;

/// What is known of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Collisions, the paper's o.
    pub occurrences: u32,
    /// By die: collisions of the pair at which that die had at least two commands less.
    pub slack: &'a [u16],
}

impl Pair<'_> {
    /// The slack of the die that has most of it; at most [`Self::occurrences`].
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

/// The same where it has memory of its own: in long lists, and as bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct PairEntry {
    occurrences: u32,
    slack: Box<[u16]>,
}

impl PairEntry {
    fn view(&self) -> Pair<'_> {
        Pair { occurrences: self.occurrences, slack: &self.slack }
    }
}

/// The pairs of one die, in the order of their last collision.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(into = "Saved", from = "Saved")]
pub struct PairList {
    /// All of a list that is kept short.
    few: FewPairs,
    /// All of another.
    many: LruMap<PagePair, PairEntry>,
}

/// A list as bytes: the pairs, the oldest first.
#[derive(Serialize, Deserialize)]
#[serde(rename = "PairList")]
struct Saved {
    pairs: Vec<(PagePair, PairEntry)>,
}

impl From<PairList> for Saved {
    fn from(list: PairList) -> Self {
        if !list.many.is_empty() {
            return Self { pairs: list.many.into() };
        }
        let entry = |pair: Pair<'_>| PairEntry { occurrences: pair.occurrences, slack: pair.slack.into() };
        let pairs = list.few.iter().map(|(key, pair)| (key, entry(pair)));
        let mut pairs: Vec<_> = pairs.collect();
        pairs.reverse();
        Self { pairs }
    }
}

impl From<Saved> for PairList {
    fn from(Saved { pairs }: Saved) -> Self {
        let dies = pairs.first().map_or(0, |pair| pair.1.slack.len());
        if pairs.len() > FEW || pairs.iter().any(|pair| pair.1.slack.len() != dies) {
            return Self { few: FewPairs::default(), many: pairs.into() };
        }
        let mut few = FewPairs::default();
        for (key, entry) in &pairs {
            few.begin(key.number(), &entry.slack, FEW);
            if let Some(added) = few.entries.last_mut() {
                added.occurrences = entry.occurrences;
            }
        }
        Self { few, many: LruMap::default() }
    }
}

/// A pair whatever the order in which its pages are named.
#[inline]
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

/// One more collision while these dies were quiet.
#[inline]
fn add_collision(occurrences: &mut u32, slack: &mut [u16], quiet: &[u16]) {
    *occurrences = occurrences.saturating_add(1);
    for (slack, &more) in slack.iter_mut().zip(quiet) {
        *slack = slack.saturating_add(more);
    }
}

/// A pair of a short list.
#[derive(Clone, Copy, Debug)]
struct FewEntry {
    /// Both pages as one number ([`Key::number`]).
    key: u64,
    occurrences: u32,
    /// Which part of the list's slack is the pair's.
    row: u32,
}

/// A short list in two pieces of memory: what is compared, and the slack of all pairs.
#[derive(Clone, Debug, Default)]
struct FewPairs {
    /// The oldest first.
    entries: Vec<FewEntry>,
    /// A row of dies for each entry; rows are numbered from 0 on.
    slack: Vec<u16>,
    /// Dies in a row.
    dies: usize,
}

/// The entry of this place becomes the one that collided last.
#[inline]
fn make_youngest(entries: &mut [FewEntry], place: usize) -> Option<&mut FewEntry> {
    let from = entries.get_mut(place..)?;
    let entry = *from.first()?;
    for place in 1..from.len() {
        from[place - 1] = from[place];
    }
    let last = from.last_mut()?;
    *last = entry;
    Some(last)
}

impl FewPairs {
    #[inline]
    fn record(&mut self, key: u64, quiet: &[u16], most: usize) -> Option<Pair<'_>> {
        let mut found = usize::MAX;
        for (place, entry) in self.entries.iter().enumerate() {
            // One of the list's few places at most: choosing is quicker than leaving the loop there.
            found = if entry.key == key { place } else { found };
        }
        if found >= self.entries.len() {
            return self.begin(key, quiet, most);
        }
        let dies = self.dies;
        let entry = make_youngest(&mut self.entries, found)?;
        let row = entry.row as usize * dies;
        let (occurrences, slack) = (&mut entry.occurrences, self.slack.get_mut(row..row + dies)?);
        add_collision(occurrences, slack, quiet);
        Some(Pair { occurrences: *occurrences, slack })
    }

    /// A pair that is not there collided; of `most` pairs the oldest gives way.
    #[inline]
    fn begin(&mut self, key: u64, quiet: &[u16], most: usize) -> Option<Pair<'_>> {
        if self.entries.is_empty() {
            self.dies = quiet.len();
        }
        if self.entries.len() < most {
            self.entries.push(FewEntry { key, occurrences: 1, row: self.entries.len() as u32 });
            self.slack.resize(self.slack.len().max(self.entries.len() * self.dies), 0);
        }
        let is_new = self.entries.last().is_some_and(|entry| entry.key == key);
        let dies = self.dies;
        let entry = if is_new { self.entries.last_mut()? } else { make_youngest(&mut self.entries, 0)? };
        (entry.key, entry.occurrences) = (key, 1);
        let row = entry.row as usize * dies;
        let slack = self.slack.get_mut(row..row + dies)?;
        slack.iter_mut().zip(quiet).for_each(|(slack, &quiet)| *slack = quiet);
        Some(Pair { occurrences: 1, slack })
    }

    /// Pairs and what is known of them, the one that collided last first.
    fn iter(&self) -> impl Iterator<Item = (PagePair, Pair<'_>)> {
        self.entries.iter().rev().filter_map(|entry| {
            let row = entry.row as usize * self.dies;
            let slack = self.slack.get(row..row + self.dies)?;
            let key = (Ppa((entry.key >> 32) as u32), Ppa(entry.key as u32));
            Some((key, Pair { occurrences: entry.occurrences, slack }))
        })
    }
}

impl PairList {
    /// A pair collided, while these dies were quiet ([`note_quiet`]). At most `most` pairs are kept.
    #[inline]
    pub fn record(&mut self, pair: PagePair, quiet: &[u16], most: u32) -> Option<Pair<'_>> {
        if most as usize <= FEW {
            return self.few.record(pair.number(), quiet, most as usize);
        }
        self.record_by_hash(pair, quiet, most)
    }

    /// The same in a list that is not kept short.
    fn record_by_hash(&mut self, pair: PagePair, quiet: &[u16], most: u32) -> Option<Pair<'_>> {
        if !self.few.entries.is_empty() {
            // As read from bytes.
            self.many = Saved::from(std::mem::take(self)).pairs.into();
        }
        if self.many.touch(pair).is_none() {
            return self.begin_by_hash(pair, quiet, most);
        }
        let entry = self.many.youngest_mut()?;
        add_collision(&mut entry.occurrences, &mut entry.slack, quiet);
        Some(entry.view())
    }

    fn begin_by_hash(&mut self, pair: PagePair, quiet: &[u16], most: u32) -> Option<Pair<'_>> {
        let entry = if self.many.len() >= most as usize {
            // The memory of the pair that is forgotten serves the new one.
            self.many.pass_oldest_on(pair)?
        } else {
            self.many.add(pair, PairEntry::default());
            self.many.youngest_mut()?
        };
        entry.occurrences = 1;
        if entry.slack.len() == quiet.len() {
            entry.slack.copy_from_slice(quiet);
        } else {
            entry.slack = quiet.into();
        }
        Some(entry.view())
    }

    /// Pairs and what is known of them, the one that collided last first.
    fn iter(&self) -> impl Iterator<Item = (PagePair, Pair<'_>)> {
        self.few.iter().chain(self.many.iter().map(|(key, entry)| (key, entry.view())))
    }

    /// In how many pairs but this each of its pages appears: the first, the second.
    pub fn appearances(&self, pair: PagePair) -> (u32, u32) {
        let others = || self.iter().map(|(key, _)| key).filter(|&key| key != pair);
        let count = |page: Ppa| others().filter(|key| key.0 == page || key.1 == page).count() as u32;
        (count(pair.0), count(pair.1))
    }

    /// A pair.
    pub fn get(&self, pair: PagePair) -> Option<Pair<'_>> {
        self.iter().find(|(key, _)| *key == pair).map(|(_, pair)| pair)
    }

    /// Pairs.
    pub fn len(&self) -> usize {
        self.few.entries.len() + self.many.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A page of the die was replicated: all is forgotten.
    pub fn clear(&mut self) {
        self.few.entries.clear();
        if !self.many.is_empty() {
            self.many.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A collision of a pair on a die while the dies had so many commands.
    fn collide<'a>(
        list: &'a mut PairList,
        pair: PagePair,
        owner: DieId,
        outstanding: &[u32],
        most: u32,
    ) -> Option<Pair<'a>> {
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
        assert_eq!((entry.occurrences, entry.slack), (13, &[0, 10, 4, 0][..]));
        assert_eq!(entry.destination(&[3, 2, 3, 2]), Some((DieId(1), 10)));
        assert!((entry.avoided(DieId(1)) - 0.77).abs() < 0.005);
    }

    #[test]
    fn slack_needs_a_difference_of_two_and_a_die_that_counts() {
        let mut list = PairList::default();
        collide(&mut list, pair(p('A'), p('B')), DieId(2), &[0, 1, 2, u32::MAX], 5);
        assert_eq!(list.get(pair(p('A'), p('B'))).unwrap().slack, [1, 0, 0, 0]);
        let none = Pair { occurrences: 1, slack: &[0; 4] };
        assert_eq!(none.destination(&[0; 4]), None);
        // Of equals the die with the fewest commands, then the first.
        let equal = Pair { occurrences: 3, slack: &[2, 3, 3, 3] };
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
        assert_eq!((fresh.occurrences, fresh.slack), (1, &[0, 1][..]));
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

    /// What a list holds, the oldest first, as bytes.
    fn bytes(list: &PairList) -> Vec<u8> {
        postcard::to_allocvec(list).unwrap()
    }

    proptest! {
        #[test]
        fn short_lists_hold_what_long_ones_do(
            most in 1..=FEW,
            steps in prop::collection::vec((0u32..7, 0u32..7, any::<[bool; 4]>()), 0..200),
        ) {
            let (mut list, mut long) = (PairList::default(), PairList::default());
            for (step, (a, b, quiet)) in steps.into_iter().enumerate() {
                let (key, quiet) = (pair(Ppa(a), Ppa(b)), quiet.map(u16::from));
                let few = list.record(key, &quiet, most as u32).map(|pair| (pair.occurrences, pair.slack.to_vec()));
                // Of a long list the oldest is forgotten by hand.
                if long.get(key).is_none() && long.len() == most {
                    long.many.pop_oldest();
                }
                let many = long.record_by_hash(key, &quiet, u32::MAX);
                prop_assert_eq!(few, many.map(|pair| (pair.occurrences, pair.slack.to_vec())));
                prop_assert_eq!(bytes(&list), bytes(&long));
                prop_assert_eq!(list.appearances(key), long.appearances(key));
                if step % 50 == 49 {
                    list.clear();
                    long.clear();
                } else if step % 20 == 19 {
                    list = postcard::from_bytes(&bytes(&list)).unwrap();
                }
            }
        }
    }

    #[test]
    fn a_long_list_goes_on_where_its_bytes_end() {
        let mut list = PairList::default();
        for page in 0..3 {
            list.record_by_hash(pair(Ppa(page), Ppa(9)), &[1, 0], 100);
        }
        let mut read: PairList = postcard::from_bytes(&bytes(&list)).unwrap();
        assert_eq!((read.few.entries.len(), read.many.len()), (3, 0));
        for list in [&mut list, &mut read] {
            assert_eq!(list.record(pair(Ppa(1), Ppa(9)), &[1, 1], 100).map(|pair| pair.occurrences), Some(2));
        }
        assert_eq!(bytes(&read), bytes(&list));
    }
}
