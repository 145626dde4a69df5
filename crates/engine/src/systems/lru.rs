//! A table that knows in which order its entries were used last.

use std::hash::Hash;

use lru::LruCache;
use serde::{Deserialize, Serialize};

/// Entries by key, in order of use. Runs with it repeat: nothing that it gives depends on hashes or addresses. As bytes it
/// is the entries, the oldest first.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    into = "Vec<(K, V)>",
    from = "Vec<(K, V)>",
    bound(
        serialize = "K: Serialize + Hash + Eq + Copy, V: Serialize + Clone",
        deserialize = "K: Deserialize<'de> + Hash + Eq + Copy, V: Deserialize<'de>"
    )
)]
pub struct LruMap<K: Hash + Eq, V>(LruCache<K, V>);

impl<K: Hash + Eq, V> Default for LruMap<K, V> {
    fn default() -> Self {
        Self(LruCache::unbounded())
    }
}

impl<K: Hash + Eq + Copy, V> From<Vec<(K, V)>> for LruMap<K, V> {
    fn from(entries: Vec<(K, V)>) -> Self {
        let mut map = Self::default();
        entries.into_iter().for_each(|(key, value)| map.insert(key, value));
        map
    }
}

impl<K: Hash + Eq + Copy, V: Clone> From<LruMap<K, V>> for Vec<(K, V)> {
    fn from(map: LruMap<K, V>) -> Self {
        map.0.iter().rev().map(|(&key, value)| (key, value.clone())).collect()
    }
}

impl<K: Hash + Eq + Copy, V> LruMap<K, V> {
    /// Entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// An entry, whose place in the order stays.
    pub fn get(&self, key: K) -> Option<&V> {
        self.0.peek(&key)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.0.peek_mut(&key)
    }

    /// An entry, which is the one used last from now on.
    pub fn touch(&mut self, key: K) -> Option<&mut V> {
        self.0.get_mut(&key)
    }

    /// A new entry, the one used last; one of this key is replaced.
    pub fn insert(&mut self, key: K, value: V) {
        self.0.put(key, value);
    }

    /// An entry is gone.
    pub fn remove(&mut self, key: K) -> Option<V> {
        self.0.pop(&key)
    }

    /// The entry that was not used for longest is gone.
    pub fn pop_oldest(&mut self) -> Option<(K, V)> {
        self.0.pop_lru()
    }

    /// The key of the entry that was not used for longest.
    pub fn oldest(&self) -> Option<K> {
        self.0.peek_lru().map(|(&key, _)| key)
    }

    /// Nothing is left.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Keys and entries, the one used last first.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.0.iter().map(|(&key, value)| (key, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(map: &LruMap<u32, u32>) -> Vec<u32> {
        map.iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn entries_are_in_the_order_of_their_last_use() {
        let mut map = LruMap::default();
        (0..4).for_each(|key| map.insert(key, key * 10));
        assert_eq!(keys(&map), [3, 2, 1, 0]);
        assert_eq!(map.touch(1), Some(&mut 10));
        assert_eq!(map.get(0), Some(&0));
        assert_eq!((keys(&map), map.oldest()), (vec![1, 3, 2, 0], Some(0)));
        assert_eq!((map.remove(3), map.remove(3)), (Some(30), None));
        assert_eq!(map.pop_oldest(), Some((0, 0)));
        map.insert(2, 5);
        map.insert(7, 6);
        assert_eq!((keys(&map), map.len()), (vec![7, 2, 1], 3));
        let entries: Vec<(u32, u32)> = map.clone().into();
        assert_eq!(entries, [(1, 10), (2, 5), (7, 6)]);
        assert_eq!(keys(&LruMap::from(entries)), [7, 2, 1]);
        map.clear();
        assert!(map.is_empty() && map.pop_oldest().is_none() && map.iter().next().is_none());
    }
}
