//! The policies of read reclaim that there are, as one type.

use crate::events::WornBlock;
use crate::page_counters::PageCounters;
use crate::reclaim::{BlockReclaim, Decision, ReadReclaim, SuperblockReclaim};
use crate::shuffler::Shuffler;
use crate::view::DriveView;
use wordline_base::ids::Lpa;
use wordline_config::reclaim::{ReclaimConfig, ReclaimKind};
use wordline_flash::nand::Geometry;

/// The built-in policies, and a user's own.
#[derive(Default)]
pub enum ReclaimPolicy {
    /// Nothing is reclaimed.
    #[default]
    None,
    /// The block alone.
    Block(BlockReclaim),
    /// The superblock.
    Superblock(SuperblockReclaim),
    /// The superblock, its blocks exchanging cards.
    Shuffler(Box<Shuffler>),
    /// The superblock, its pages regrouped by their counts.
    Page(PageCounters),
    /// A user's own.
    Custom(Box<dyn ReadReclaim + Send>),
}

impl ReclaimPolicy {
    /// What the random stream of the policy gives next; `None` where it has none.
    pub fn next_drawn(&self) -> Option<u64> {
        match self {
            Self::Shuffler(policy) => Some(policy.next_drawn()),
            Self::Page(policy) => policy.next_drawn(),
            Self::None | Self::Block(_) | Self::Superblock(_) | Self::Custom(_) => None,
        }
    }

    /// The one that a scheme names, for a drive with so many logical pages in a run with this seed.
    pub fn new(config: &ReclaimConfig, geometry: &Geometry, logical_units: u32, seed: u64) -> Self {
        match config.policy {
            ReclaimKind::None => Self::None,
            ReclaimKind::Block => Self::Block(BlockReclaim),
            ReclaimKind::Superblock => Self::Superblock(SuperblockReclaim),
            ReclaimKind::Shuffler => Self::Shuffler(Box::new(Shuffler::new(config.shuffle, seed))),
            ReclaimKind::Page => Self::Page(PageCounters::new(config.pages, geometry, logical_units, seed)),
        }
    }
}

impl ReadReclaim for ReclaimPolicy {
    fn reclaim(&mut self, worn: &WornBlock, drive: &DriveView<'_>) -> Decision {
        match self {
            Self::None => Decision::Leave,
            Self::Block(policy) => policy.reclaim(worn, drive),
            Self::Superblock(policy) => policy.reclaim(worn, drive),
            Self::Shuffler(policy) => policy.reclaim(worn, drive),
            Self::Page(policy) => policy.reclaim(worn, drive),
            Self::Custom(policy) => policy.reclaim(worn, drive),
        }
    }

    fn counts_pages(&self) -> bool {
        match self {
            Self::Page(policy) => policy.counts_pages(),
            Self::Custom(policy) => policy.counts_pages(),
            Self::None | Self::Block(_) | Self::Superblock(_) | Self::Shuffler(_) => false,
        }
    }

    #[inline]
    fn page_read(&mut self, lpa: Lpa) {
        match self {
            Self::Page(policy) => policy.page_read(lpa),
            Self::Custom(policy) => policy.page_read(lpa),
            Self::None | Self::Block(_) | Self::Superblock(_) | Self::Shuffler(_) => {}
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Page(policy) => policy.bytes(),
            Self::Custom(policy) => policy.bytes(),
            Self::None | Self::Block(_) | Self::Superblock(_) | Self::Shuffler(_) => 0,
        }
    }
}

wordline_base::policies!(ReclaimPolicy, "policy of read reclaim",
    none: [None], rebuilt: [Block, Superblock], stored: [Shuffler, Page]);
