//! A table that knows in which order its entries were used last.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
struct Node<K, V> {
    key: K,
    value: V,
    newer: u32,
    older: u32,
}

/// Entries by key, linked in order of use. Runs with it repeat: nothing of it depends on hashes or addresses. As bytes it
/// is the entries, the oldest first.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    into = "Vec<(K, V)>",
    from = "Vec<(K, V)>",
    bound(
        serialize = "K: Serialize + Ord + Copy, V: Serialize + Clone",
        deserialize = "K: Deserialize<'de> + Ord + Copy, V: Deserialize<'de>"
    )
)]
pub struct LruMap<K, V> {
    index: BTreeMap<K, u32>,
    nodes: Vec<Option<Node<K, V>>>,
    free: Vec<u32>,
    newest: u32,
    oldest: u32,
}

impl<K, V> Default for LruMap<K, V> {
    fn default() -> Self {
        Self { index: BTreeMap::new(), nodes: Vec::new(), free: Vec::new(), newest: NONE, oldest: NONE }
    }
}

impl<K: Ord + Copy, V> From<Vec<(K, V)>> for LruMap<K, V> {
    fn from(entries: Vec<(K, V)>) -> Self {
        let mut map = Self::default();
        entries.into_iter().for_each(|(key, value)| map.insert(key, value));
        map
    }
}

impl<K: Ord + Copy, V: Clone> From<LruMap<K, V>> for Vec<(K, V)> {
    fn from(map: LruMap<K, V>) -> Self {
        let mut entries: Self = map.iter().map(|(key, value)| (key, value.clone())).collect();
        entries.reverse();
        entries
    }
}

impl<K: Ord + Copy, V> LruMap<K, V> {
    /// Entries.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// An entry, whose place in the order stays.
    pub fn get(&self, key: K) -> Option<&V> {
        self.node(*self.index.get(&key)?).map(|node| &node.value)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        let slot = *self.index.get(&key)?;
        self.nodes.get_mut(slot as usize)?.as_mut().map(|node| &mut node.value)
    }

    /// An entry, which is the one used last from now on.
    pub fn touch(&mut self, key: K) -> Option<&mut V> {
        let slot = *self.index.get(&key)?;
        if slot != self.newest {
            self.unlink(slot);
            self.link_newest(slot);
        }
        self.nodes.get_mut(slot as usize)?.as_mut().map(|node| &mut node.value)
    }

    /// A new entry, the one used last; one of this key is replaced.
    pub fn insert(&mut self, key: K, value: V) {
        self.remove(key);
        let node = Some(Node { key, value, newer: NONE, older: NONE });
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => {
                self.nodes.push(None);
                (self.nodes.len() - 1) as u32
            }
        };
        if let Some(place) = self.nodes.get_mut(slot as usize) {
            *place = node;
        }
        self.index.insert(key, slot);
        self.link_newest(slot);
    }

    /// An entry is gone.
    pub fn remove(&mut self, key: K) -> Option<V> {
        let slot = self.index.remove(&key)?;
        self.unlink(slot);
        self.free.push(slot);
        self.nodes.get_mut(slot as usize)?.take().map(|node| node.value)
    }

    /// The entry that was not used for longest is gone.
    pub fn pop_oldest(&mut self) -> Option<(K, V)> {
        let key = self.oldest()?;
        self.remove(key).map(|value| (key, value))
    }

    /// The key of the entry that was not used for longest.
    pub fn oldest(&self) -> Option<K> {
        self.node(self.oldest).map(|node| node.key)
    }

    /// Nothing is left.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Keys and entries, the one used last first.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        let mut slot = self.newest;
        std::iter::from_fn(move || {
            let node = self.node(slot)?;
            slot = node.older;
            Some((node.key, &node.value))
        })
    }

    fn node(&self, slot: u32) -> Option<&Node<K, V>> {
        self.nodes.get(slot as usize)?.as_ref()
    }

    fn node_mut(&mut self, slot: u32) -> Option<&mut Node<K, V>> {
        self.nodes.get_mut(slot as usize)?.as_mut()
    }

    fn unlink(&mut self, slot: u32) {
        let Some((newer, older)) = self.node(slot).map(|node| (node.newer, node.older)) else { return };
        match self.node_mut(newer) {
            Some(node) => node.older = older,
            None => self.newest = older,
        }
        match self.node_mut(older) {
            Some(node) => node.newer = newer,
            None => self.oldest = newer,
        }
    }

    fn link_newest(&mut self, slot: u32) {
        let second = self.newest;
        if let Some(node) = self.node_mut(slot) {
            (node.newer, node.older) = (NONE, second);
        }
        match self.node_mut(second) {
            Some(node) => node.newer = slot,
            None => self.oldest = slot,
        }
        self.newest = slot;
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
