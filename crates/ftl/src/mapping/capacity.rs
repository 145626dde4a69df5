//! How much of the map a cache holds: so many bytes, a share of the whole map, or a share of what holds data at the moment.

use serde::{Deserialize, Serialize};

use wordline_config::scheme::{MappingConfig, ShareOf};

/// Room of a cache, in what it caches: entries, or pages of them.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Capacity {
    /// The most that it ever holds.
    most: u32,
    /// What it holds at any time, for a fixed capacity; else the share of what is occupied.
    share: Option<f64>,
}

impl Capacity {
    /// Of `all` things of `bytes` each.
    pub fn new(config: &MappingConfig, all: u32, bytes: u64) -> Self {
        let most = match config.cache_share {
            Some(share) => (f64::from(all) * share) as u64,
            None => config.cache_bytes / bytes.max(1),
        };
        Self {
            most: most.min(u64::from(all)) as u32,
            share: config.cache_share.filter(|_| config.cache_share_of == ShareOf::Occupied),
        }
    }

    /// A cache that must hold something.
    pub fn at_least_one(self) -> Self {
        Self { most: self.most.max(1), ..self }
    }

    /// The most that it ever holds, for which memory is reserved.
    pub fn most(self) -> u32 {
        self.most
    }

    /// What it holds while so many of the things are occupied.
    #[inline]
    pub fn now(self, occupied: u32) -> u32 {
        match self.share {
            None => self.most,
            Some(share) => ((f64::from(occupied) * share) as u32).min(self.most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capacity(share: Option<f64>, of: ShareOf) -> Capacity {
        let config = MappingConfig {
            cache_bytes: 80,
            cache_share: share,
            cache_share_of: of,
            ..MappingConfig::default()
        };
        Capacity::new(&config, 100, 8)
    }

    #[test]
    fn a_share_of_the_map_is_fixed_and_one_of_the_occupied_entries_grows_with_them() {
        assert_eq!(capacity(None, ShareOf::Occupied).now(3), 10);
        let of_map = capacity(Some(0.25), ShareOf::Map);
        assert_eq!((of_map.now(0), of_map.now(100)), (25, 25));
        let of_occupied = capacity(Some(0.25), ShareOf::Occupied);
        assert_eq!([0, 8, 40, 100].map(|occupied| of_occupied.now(occupied)), [0, 2, 10, 25]);
        assert_eq!(of_occupied.most(), 25);
        assert_eq!(capacity(Some(0.0), ShareOf::Map).at_least_one().now(0), 1);
    }
}
