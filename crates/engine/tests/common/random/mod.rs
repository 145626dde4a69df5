//! Random drives, schemes, hosts and requests.
#![allow(unused_imports, reason = "one of the programs of tests draws nothing")]

use super::replicator::{Replicator, To, replicator};
use super::*;
use proptest::prelude::*;
use wordline_engine::config::astro::{AstroConfig, Gather, UpdatePriority, UpdatesOf};
use wordline_engine::config::background::BackgroundConfig;
use wordline_engine::config::cache::{
    CacheBytes, CacheConfig, CacheKind, DramConfig, DramRows, MaxWritesHold, PauseConfig, RateLimitConfig,
    ReadAdmission, Rewrites, ThrottleConfig,
};
use wordline_engine::config::collision::{CollisionConfig, RecordedPairs, VictimTie};
use wordline_engine::config::device::*;
use wordline_engine::config::firmware::FirmwareConfig;
use wordline_engine::config::host::{Arrivals, HostConfig};
use wordline_engine::config::hotr::{HotrConfig, Staging, TrackedReads};
use wordline_engine::config::ideal::{IdealConfig, SecondServer};
use wordline_engine::config::isolation::Isolation;
use wordline_engine::config::nand_modes::{
    CacheModeConfig, CacheReadOrder, CopybackBlocks, CopybackConfig, SlcModeConfig,
};
use wordline_engine::config::pace::PaceConfig;
use wordline_engine::config::partition::{Adapts, BusyChannel, PartitionConfig, WhenBusy};
use wordline_engine::config::reclaim::{
    CountedPages, Holes, HostAccess, PageCountersConfig, PageMoves, ReclaimConfig, ReclaimKind,
    ReclaimPriority, ShuffleConfig, Ties,
};
use wordline_engine::config::run::{Occupancy, StartLayout};
use wordline_engine::config::scheme::*;
use wordline_engine::config::separation::SeparationKind;
use wordline_engine::config::slc_cache::{SlcCacheConfig, SlcCacheKind, WhenFull};
use wordline_engine::config::wear::{FreeBlock, WearConfig};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::sched::class::Class;
use wordline_engine::time::Ns;

mod devices;
mod loads;
mod mappings;
mod schemes;
mod systems;
mod upkeep;

pub use devices::*;
pub use loads::*;
pub use mappings::*;
pub use schemes::*;
pub use systems::*;
pub use upkeep::*;

/// Random cases of whole runs; more where `PROPTEST_CASES` asks for more.
pub fn cases() -> ProptestConfig {
    at_least(300)
}

/// So many cases, or more where the environment asks for more.
pub fn at_least(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: default.cases.max(cases),
        max_shrink_iters: 400,
        failure_persistence: None,
        ..default
    }
}
