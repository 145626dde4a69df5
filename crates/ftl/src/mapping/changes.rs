//! Changes of entries whose translation pages aren't cached: a bit for each entry.
//!
//! All changes of a page leave together, so of two changes the older one lies in the page whose first change is older.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::MapSizes;
use super::page_order::PageOrder;
use wordline_base::ids::Lpa;
use wordline_base::memory::prefetch;

/// Of 2^32 entries in pages of at least 64.
const MOST_WORDS: usize = 1 << 27;

/// Which entries have changed, and which page of them first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Changes {
    sizes: MapSizes,
    /// A page's bits begin with a word of their own.
    #[serde(serialize_with = "save_words", deserialize_with = "load_words")]
    words: Vec<u64>,
    /// By page.
    counts: Vec<u32>,
    order: PageOrder,
    total: u32,
}

impl Changes {
    /// None of a map.
    pub fn new(sizes: MapSizes) -> Self {
        let pages = sizes.translation_pages;
        Self {
            sizes,
            words: vec![0; pages as usize * words_of_page(&sizes)],
            counts: vec![0; pages as usize],
            order: PageOrder::new(pages),
            total: 0,
        }
    }

    /// All changes.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// Changes of entries of a page.
    pub fn of(&self, page: u32) -> u32 {
        self.counts.get(page as usize).copied().unwrap_or(0)
    }

    /// The page of the change that came first.
    pub fn oldest_page(&self) -> Option<u32> {
        self.order.oldest()
    }

    /// Whether an entry has changed.
    pub fn has(&self, lpa: Lpa) -> bool {
        let (word, bit) = self.place(lpa, self.sizes.page_of(lpa));
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Brings what [`Self::add`] changes towards the processor's caches.
    #[inline]
    pub fn fetch(&self, lpa: Lpa, page: u32) {
        prefetch(&self.words, self.place(lpa, page).0);
        prefetch(&self.counts, page as usize);
    }

    /// An entry of this page has changed.
    #[inline]
    pub fn add(&mut self, lpa: Lpa, page: u32) {
        let (word, bit) = self.place(lpa, page);
        let (Some(word), Some(count)) = (self.words.get_mut(word), self.counts.get_mut(page as usize)) else {
            return;
        };
        if *word & bit != 0 {
            return;
        }
        *word |= bit;
        *count += 1;
        self.total += 1;
        if *count == 1 {
            self.order.push(page);
        }
    }

    /// Forgets the changes of a page.
    pub fn clear(&mut self, page: u32) {
        let Some(count) = self.counts.get_mut(page as usize).filter(|count| **count > 0) else { return };
        self.total -= std::mem::take(count);
        self.order.remove(page);
        let words = words_of_page(&self.sizes);
        let first = page as usize * words;
        self.words.get_mut(first..first + words).unwrap_or_default().fill(0);
    }

    /// The word of an entry of this page, and its bit in it.
    #[inline]
    fn place(&self, lpa: Lpa, page: u32) -> (usize, u64) {
        let entry = lpa.0.wrapping_sub(page.wrapping_mul(self.sizes.entries_per_page));
        (page as usize * words_of_page(&self.sizes) + (entry / 64) as usize, 1 << (entry % 64))
    }
}

fn words_of_page(sizes: &MapSizes) -> usize {
    sizes.entries_per_page.div_ceil(64) as usize
}

/// Those that aren't zero, with their numbers: a snapshot has few of them.
fn save_words<S: Serializer>(words: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    let used: Vec<(u32, u64)> = (0..).zip(words.iter().copied()).filter(|&(_, word)| word != 0).collect();
    (words.len() as u64, used).serialize(serializer)
}

fn load_words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
    use serde::de::Error;
    let (length, used): (u64, Vec<(u32, u64)>) = Deserialize::deserialize(deserializer)?;
    let length = usize::try_from(length).ok().filter(|&length| length <= MOST_WORDS);
    let mut words = vec![0; length.ok_or_else(|| D::Error::custom("more changes than entries"))?];
    for (number, word) in used {
        let place = words.get_mut(number as usize);
        *place.ok_or_else(|| D::Error::custom("a change of no entry"))? = word;
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: MapSizes = MapSizes {
        logical_units: 700,
        physical_units: 800,
        translation_pages: 7,
        entries_per_page: 100,
        journal_pages: 0,
        pages_together: 1,
    };

    fn add(changes: &mut Changes, lpa: u32) {
        changes.add(Lpa(lpa), SIZES.page_of(Lpa(lpa)));
    }

    #[test]
    fn a_change_counts_once_and_leaves_with_its_page() {
        let mut changes = Changes::new(SIZES);
        [399, 300, 64, 699, 399, 363].into_iter().for_each(|lpa| add(&mut changes, lpa));
        assert_eq!((changes.total(), changes.of(3), changes.of(0)), (5, 3, 1));
        assert_eq!(changes.oldest_page(), Some(3));
        assert!([399, 300, 363].iter().all(|&lpa| changes.has(Lpa(lpa))) && !changes.has(Lpa(364)));
        changes.clear(3);
        assert!(![399, 300, 363].iter().any(|&lpa| changes.has(Lpa(lpa))));
        add(&mut changes, 300);
        assert_eq!((changes.total(), changes.oldest_page()), (3, Some(0)));
        changes.clear(5);
        changes.clear(0);
        assert_eq!((changes.total(), changes.oldest_page()), (2, Some(6)));
    }
}
