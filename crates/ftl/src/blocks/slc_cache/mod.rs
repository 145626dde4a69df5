//! The SLC cache: how many superblocks of a domain it may have, and which of them is folded next.

pub mod dynamic;
pub mod fixed;
mod sizes;

use crate::blocks::{BlockState, BlockTable};
pub use sizes::CacheSizes;
use wordline_base::ids::{DomainId, SuperblockId};
use wordline_config::slc_cache::{SlcCacheConfig, SlcCacheKind};

pub use dynamic::Dynamic;
pub use fixed::Fixed;

/// The cache of one domain, read-only.
#[derive(Clone, Copy)]
pub struct CacheView<'a> {
    /// The domain.
    pub domain: DomainId,
    /// The superblocks of the cache, the first opened first.
    pub used: &'a [SuperblockId],
    /// All superblocks, with their valid units and stage of life.
    pub blocks: &'a BlockTable,
    /// Mapping units of a native superblock.
    pub capacity: u32,
    /// Mapping units of the domain on a full drive.
    pub logical: u32,
    /// Mapping units that it holds, and those on their way.
    pub live: u32,
}

/// Rules the SLC cache.
///
/// A pure decision on one domain. The engine asks for [`Self::size`] when a write of the host needs another superblock
/// of the cache, and keeps the answer within the configured bounds; it never opens one in SLC mode beyond the least size
/// when few superblocks are free.
pub trait SlcCache {
    /// Superblocks that the cache of this domain may have now.
    fn size(&self, view: &CacheView<'_>) -> u32;

    /// The superblock that is folded next: one of `view.used` that is [`BlockState::Full`]; any other answer counts as
    /// none. By default one without valid units, else the first opened.
    fn fold(&self, view: &CacheView<'_>) -> Option<SuperblockId> {
        let full = || view.used.iter().copied().filter(|&id| view.blocks.state(id) == BlockState::Full);
        full().find(|&id| view.blocks.valid(id) == 0).or_else(|| full().next())
    }

    wordline_base::state_methods!(SlcCache);
}

/// A built-in policy, or a user's own.
pub enum SlcCachePolicy {
    /// Always the same size.
    Fixed(Fixed),
    /// A share of the free space.
    Dynamic(Dynamic),
    /// A user's own.
    Custom(Box<dyn SlcCache + Send>),
}

wordline_base::policies!(SlcCachePolicy, "SLC cache", rebuilt: [Fixed, Dynamic], stored: []);

impl SlcCachePolicy {
    /// The policy that a scheme names.
    pub fn new(config: &SlcCacheConfig, sizes: &CacheSizes) -> Self {
        match config.policy {
            SlcCacheKind::None | SlcCacheKind::Static => Self::Fixed(Fixed { superblocks: sizes.least }),
            SlcCacheKind::Dynamic => Self::Dynamic(Dynamic { share: sizes.share }),
        }
    }
}

impl SlcCache for SlcCachePolicy {
    fn size(&self, view: &CacheView<'_>) -> u32 {
        match self {
            Self::Fixed(policy) => policy.size(view),
            Self::Dynamic(policy) => policy.size(view),
            Self::Custom(policy) => policy.size(view),
        }
    }

    fn fold(&self, view: &CacheView<'_>) -> Option<SuperblockId> {
        match self {
            Self::Fixed(policy) => policy.fold(view),
            Self::Dynamic(policy) => policy.fold(view),
            Self::Custom(policy) => policy.fold(view),
        }
    }
}
