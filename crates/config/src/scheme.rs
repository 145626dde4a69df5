//! What the firmware decides: a named bundle of policies with their parameters.

use serde::{Deserialize, Serialize};

use super::astro::AstroConfig;
use super::background::BackgroundConfig;
use super::block_map::BlockMapConfig;
use super::collision::CollisionConfig;
use super::copies::CopiesConfig;
use super::error::{ConfigError, check_range};
use super::errors::ReadCounting;
use super::firmware::FirmwareConfig;
use super::hotr::HotrConfig;
use super::ideal::IdealConfig;
use super::isolation::Isolation;
pub use super::mapping::{
    BatchUntil, Eviction, Loads, MappingConfig, MappingKind, ShareOf, StoredPages, UnmappedReads,
};
use super::nvm_set::{self, NvmSetConfig};
use super::owned;
use super::pace::PaceConfig;
use super::partition::PartitionConfig;
use super::reclaim::{HostAccess, ReclaimConfig};
use super::redundancy::RedundancyConfig;
use super::separation::SeparationConfig;
use super::slc_cache::SlcCacheConfig;
use super::wear::WearConfig;
use crate::custom::{self, CustomConfig};
use crate::left_out::is_default;
use wordline_base::class::Class;

/// A scheme. `presets/schemes/*.toml` are of this form; a device may carry defaults in its `[scheme]` table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchemeConfig {
    /// Short name, as in results.
    #[serde(default)]
    pub name: String,
    /// One sentence for `wordline show schemes`.
    #[serde(default)]
    pub description: String,
    /// What reads are counted by: `off`, `block` or `page`.
    #[serde(default)]
    pub read_counts: ReadCounting,
    /// Address translation.
    #[serde(default)]
    pub mapping: MappingConfig,
    /// Where programs go.
    #[serde(default)]
    pub placement: PlacementConfig,
    /// What is allocated and erased as one.
    #[serde(default)]
    pub blocks: BlocksConfig,
    /// Which of the host's write points takes a page.
    #[serde(default)]
    pub separation: SeparationConfig,
    /// Garbage collection.
    #[serde(default)]
    pub gc: GcConfig,
    /// What happens to blocks that were read too often.
    #[serde(default)]
    pub reclaim: ReclaimConfig,
    /// How erases are spread over the blocks.
    #[serde(default)]
    pub wear: WearConfig,
    /// Blocks in SLC mode in front of the others.
    #[serde(default)]
    pub slc_cache: SlcCacheConfig,
    /// Work of no request's.
    #[serde(default)]
    pub maintenance: MaintenanceConfig,
    /// What a die does next.
    #[serde(default)]
    pub scheduler: SchedulerConfig,
    /// What the firmware's work costs the controller's cores.
    #[serde(default)]
    pub firmware: FirmwareConfig,
    /// Parity inside the drive.
    #[serde(default)]
    pub redundancy: RedundancyConfig,
    /// What of the drive can't be built.
    #[serde(default)]
    pub ideal: IdealConfig,
    /// Further copies of pages.
    #[serde(default)]
    pub copies: CopiesConfig,
    /// Replication of pages that keep colliding.
    #[serde(default, skip_serializing_if = "is_default")]
    pub collision: CollisionConfig,
    /// Copies of hot read pages in a staging space.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hotr: HotrConfig,
    /// Reads and writes on channels of their own.
    #[serde(default, skip_serializing_if = "is_default")]
    pub partition: PartitionConfig,
    /// Regions in order, whose translation is guessed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub astro: AstroConfig,
    /// A map of blocks instead of pages, with log blocks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub block_map: BlockMapConfig,
    /// The data cache in the controller's DRAM.
    #[serde(default)]
    pub cache: super::cache::CacheConfig,
    /// Sets of planes that hold logical pages of their own; none by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nvm_set: Vec<NvmSetConfig>,
    /// Several drives as one; left out: one drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub array: Option<super::array::ArrayConfig>,
    /// Policies of a user's own with their parameters, by name ([`custom`]).
    #[serde(default, skip_serializing_if = "CustomConfig::is_empty")]
    pub custom: CustomConfig,
}

/// Where programs go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementConfig {
    /// How the plane of a program is chosen.
    #[serde(default)]
    pub policy: PlacementKind,
    /// Order of channel, way, die and plane, the fastest changing first; any of the 24.
    #[serde(default)]
    pub order: PlacementOrder,
}

/// How the plane of a program is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlacementKind {
    /// By the logical address alone.
    #[default]
    Static,
    /// Round robin over idle resources, level by level (Tavakkol et al. 2016).
    Dynamic,
}

/// One level of the hierarchy of parallel resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Level {
    /// Channel.
    Channel,
    /// Chip on a channel.
    Way,
    /// Die of a chip.
    Die,
    /// Plane of a die.
    Plane,
}

impl Level {
    fn letter(self) -> char {
        match self {
            Self::Channel => 'C',
            Self::Way => 'W',
            Self::Die => 'D',
            Self::Plane => 'P',
        }
    }
}

/// An order of the four levels, the fastest changing first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlacementOrder(pub [Level; 4]);

impl Default for PlacementOrder {
    fn default() -> Self {
        Self([Level::Channel, Level::Way, Level::Die, Level::Plane])
    }
}

impl PlacementOrder {
    /// All 24 orders, in the alphabetical order of their names.
    pub fn all() -> Vec<Self> {
        let levels = [Level::Channel, Level::Die, Level::Plane, Level::Way];
        let mut orders = Vec::with_capacity(24);
        for a in levels {
            for b in levels {
                for c in levels {
                    for d in levels {
                        if a != b && a != c && a != d && b != c && b != d && c != d {
                            orders.push(Self([a, b, c, d]));
                        }
                    }
                }
            }
        }
        orders
    }
}

impl From<PlacementOrder> for String {
    fn from(order: PlacementOrder) -> Self {
        order.0.iter().map(|level| level.letter()).collect()
    }
}

impl TryFrom<String> for PlacementOrder {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::all().into_iter().find(|&order| String::from(order).eq_ignore_ascii_case(&text)).ok_or_else(
            || format!("`{text}` is not an order: allowed: C, W, D and P once each, such as CWDP"),
        )
    }
}

/// Work of no request's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaintenanceConfig {
    /// Time without a request in the drive after which it counts as idle, ns.
    #[serde(default = "default_idle")]
    pub idle_after_ns: u64,
}

impl Default for MaintenanceConfig {
    fn default() -> Self {
        Self { idle_after_ns: default_idle() }
    }
}

fn default_idle() -> u64 {
    1_000_000
}

/// What is allocated and erased as one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlocksConfig {
    /// Blocks of which planes form one superblock.
    #[serde(default)]
    pub superblock: SuperblockSpan,
    /// Write points of the host in each domain, 1 to 64: writes of different streams fill different blocks. With 2 or more the
    /// drive offers so many streams, numbered from 0; with 1 it offers none.
    #[serde(default = "one")]
    pub host_write_points: u32,
}

impl Default for BlocksConfig {
    fn default() -> Self {
        Self { superblock: SuperblockSpan::default(), host_write_points: one() }
    }
}

fn one() -> u32 {
    1
}

impl BlocksConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        check_range("host_write_points", self.host_write_points, 1, 64)
    }
}

/// Blocks of which planes form one superblock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SuperblockSpan {
    /// No superblocks: each block on its own.
    #[default]
    None,
    /// The planes of a die.
    Die,
    /// All planes of a chip.
    Chip,
    /// The planes of the dies at the same place of every channel.
    Channels,
    /// Every plane of the drive.
    Drive,
}

impl SuperblockSpan {
    /// Every one, the narrowest first.
    pub const ALL: [Self; 5] = [Self::None, Self::Die, Self::Chip, Self::Channels, Self::Drive];
}

/// Garbage collection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GcConfig {
    /// Which block is collected.
    #[serde(default)]
    pub policy: GcKind,
    /// Superblocks that `d_choices` draws for each victim; 1 to 65,536, default 10.
    #[serde(default = "default_choices")]
    pub choices: u32,
    /// Superblocks, the longest full, among which `windowed_greedy` chooses; 1 to 2^30, default 64.
    #[serde(default = "default_window")]
    pub window: u32,
    /// Collection starts when fewer than this share of the blocks is free (at least 2 blocks).
    #[serde(default = "default_trigger")]
    pub trigger: f64,
    /// Collection stops when at least this share is free; left out: as soon as the trigger is met again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<f64>,
    /// Collection while the drive is idle; left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<BackgroundConfig>,
    /// Collection whose rate follows the host's writes; left out: it begins at `trigger` and ends at `stop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pace: Option<PaceConfig>,
    /// What of the host's streams stays apart when its pages are moved: `initial` (nothing) or `persistent`.
    #[serde(default)]
    pub isolation: Isolation,
    /// What the host does about pages that collection is moving.
    #[serde(default)]
    pub host_access: HostAccess,
    /// Flash pages read ahead of their programs, at least as many as two programs of all planes of a superblock take; 0 = these,
    /// and at least four pages.
    #[serde(default)]
    pub read_ahead_pages: u32,
    /// Whether the superblocks at the same place of each channel take turns: at most one of them is collected at a time. They
    /// must lie on one channel each.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rotating: bool,
    /// Whether moves are copybacks where the device has them; otherwise all go through the controller, and block their die.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub copyback: bool,
}

impl Default for GcConfig {
    fn default() -> Self {
        Self {
            policy: GcKind::default(),
            choices: default_choices(),
            window: default_window(),
            trigger: default_trigger(),
            stop: None,
            background: None,
            pace: None,
            isolation: Isolation::default(),
            host_access: HostAccess::default(),
            read_ahead_pages: 0,
            rotating: false,
            copyback: true,
        }
    }
}

fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_yes(on: &bool) -> bool {
    *on
}

fn default_trigger() -> f64 {
    0.01
}

fn default_choices() -> u32 {
    10
}

fn default_window() -> u32 {
    64
}

/// Which block is collected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GcKind {
    /// The one with the fewest valid pages.
    #[default]
    Greedy,
    /// The one with the fewest valid pages of `choices` drawn at random.
    DChoices,
    /// Any, each with the same chance.
    Random,
    /// The one that became full longest ago.
    Fifo,
    /// The one with the largest age × (1 − u) / 2u, a share u of it being valid (Kawaguchi et al. 1995).
    CostBenefit,
    /// The one with the fewest valid pages of the `window` that became full longest ago.
    WindowedGreedy,
}

impl GcKind {
    /// Every one that is built in.
    pub const ALL: [Self; 6] =
        [Self::Greedy, Self::DChoices, Self::Random, Self::Fifo, Self::CostBenefit, Self::WindowedGreedy];
}

/// What a die does next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchedulerConfig {
    /// Order between the classes of commands.
    #[serde(default)]
    pub policy: SchedulerKind,
    /// An order of classes of one's own, instead of the policy's: tiers from first to last; the classes of one
    /// tier go in order of arrival. Classes that are left out form a last tier.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tiers: Vec<Vec<Class>>,
    /// A command that waited longer than this goes next whatever its class, ns; left out: no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starvation_bound_ns: Option<u64>,
    /// `read_first_suspend`: nothing is suspended while so many mapping units of writes, or more, wait for room in the data
    /// cache, 1 to 2^30; left out: that doesn't matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspends_below_waiting_writes: Option<u32>,
}

/// Order between the classes of commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchedulerKind {
    /// In order of arrival.
    Fifo,
    /// Host reads before all else, and reads and programs of further copies behind it.
    #[default]
    ReadFirst,
    /// Host reads before all else, suspending a running program or erase where the device can.
    ReadFirstSuspend,
}

impl SchemeConfig {
    /// Refuses what no firmware can do, and what nothing reads. Paths in errors are relative to the scheme.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.validate_values()?;
        owned::check(self, owned::SCHEME)
    }

    /// Where the host waits for moves, nothing of them may wait for the host.
    fn check_access_to_victims(&self) -> Result<(), ConfigError> {
        let paused = [
            (self.gc.is_paced(), "scheme.gc.pace"),
            (self.gc.background.is_some(), "scheme.gc.background"),
            (self.slc_cache.is_on(), "scheme.slc_cache"),
        ];
        let by = paused.iter().find(|(is_on, _)| *is_on && self.gc.host_access == HostAccess::Wait);
        match by {
            None => Ok(()),
            Some((_, key)) => {
                let allowed = format!("old_place beside {key}, by which moves pause for the host");
                Err(ConfigError::new("gc.host_access", "wait", allowed))
            }
        }
    }

    /// Refuses what no firmware can do. A scheme that is laid over a drive's own may leave the choice of policies to that, so which of
    /// its keys are read isn't known yet.
    pub fn validate_values(&self) -> Result<(), ConfigError> {
        self.mapping.validate().map_err(|e| e.under("mapping"))?;
        self.blocks.validate().map_err(|e| e.under("blocks"))?;
        let points = self.blocks.host_write_points;
        self.separation.validate(points).map_err(|e| e.under("separation"))?;
        self.redundancy.validate().map_err(|e| e.under("redundancy"))?;
        self.redundancy.check_beside(self)?;
        self.gc.isolation.check_beside(self)?;
        self.gc.validate().map_err(|e| e.under("gc"))?;
        self.check_access_to_victims()?;
        if self.gc.rotating && self.slc_cache.is_on() {
            let allowed = "false beside scheme.slc_cache, whose folds wait for the host";
            return Err(ConfigError::new("gc.rotating", true, allowed));
        }
        self.reclaim.validate().map_err(|e| e.under("reclaim"))?;
        if self.reclaim.policy.rearranges() && self.redundancy.is_on() {
            let policy = format!("{:?}", self.reclaim.policy).to_lowercase();
            let allowed =
                "none, block or superblock beside scheme.redundancy: parity goes from block to block";
            return Err(ConfigError::new("reclaim.policy", policy, allowed));
        }
        self.wear.validate().map_err(|e| e.under("wear"))?;
        self.copies.validate().map_err(|e| e.under("copies"))?;
        self.collision.validate().map_err(|e| e.under("collision"))?;
        self.hotr.validate().map_err(|e| e.under("hotr"))?;
        self.partition.validate().map_err(|e| e.under("partition"))?;
        self.astro.validate().map_err(|e| e.under("astro"))?;
        self.block_map.validate().map_err(|e| e.under("block_map"))?;
        self.slc_cache.validate().map_err(|e| e.under("slc_cache"))?;
        self.scheduler.validate().map_err(|e| e.under("scheduler"))?;
        self.firmware.validate().map_err(|e| e.under("firmware"))?;
        self.cache.validate().map_err(|e| e.under("cache"))?;
        // Paced collection waits in the middle of a victim for what the cache would keep back.
        if self.cache.past_collection
            && (self.placement.policy != PlacementKind::Static || self.gc.is_paced())
        {
            let allowed = "false beside scheme.gc.pace, and without placement.policy = \"static\"";
            return Err(ConfigError::new("cache.past_collection", true, allowed));
        }
        self.array.as_ref().map_or(Ok(()), |array| array.validate().map_err(|e| e.under("array")))?;
        nvm_set::check(&self.nvm_set)?;
        NvmSetConfig::check_beside(self)?;
        custom::validate(&self.custom).map_err(|e| e.under("custom"))
    }
}

impl GcConfig {
    /// Whether its rate follows the host's writes: not with a band of 0.
    pub fn is_paced(&self) -> bool {
        self.paced_band().is_some()
    }

    /// How far the host's programs may be ahead of paced collection, superpages.
    pub fn paced_band(&self) -> Option<u32> {
        self.pace.as_ref().map(|pace| pace.band).filter(|&band| band > 0)
    }

    fn validate(&self) -> Result<(), ConfigError> {
        check_range("choices", self.choices, 1, 1 << 16)?;
        check_range("window", self.window, 1, 1 << 30)?;
        check_range("trigger", self.trigger, 0.0, 0.9)?;
        if let Some(stop) = self.stop {
            check_range("stop", stop, self.trigger, 0.95)?;
        }
        if let Some(background) = &self.background {
            let foreground = self.stop.unwrap_or(self.trigger);
            background.validate(foreground).map_err(|e| e.under("background"))?;
        }
        if let Some(pace) = &self.pace {
            pace.validate().map_err(|e| e.under("pace"))?;
            if self.rotating && self.is_paced() {
                // Who pauses in the middle of a victim would keep the turn.
                return Err(ConfigError::new("rotating", true, "false beside scheme.gc.pace"));
            }
        }
        check_range("read_ahead_pages", self.read_ahead_pages, 0, 1 << 20)
    }
}

impl SchedulerConfig {
    fn validate(&self) -> Result<(), ConfigError> {
        let mut seen: Vec<Class> = Vec::new();
        for &class in self.tiers.iter().flatten() {
            if seen.contains(&class) {
                return Err(ConfigError::new("tiers", format!("{class:?}"), "each class in one tier only"));
            }
            seen.push(class);
        }
        // A drive says so for schemes of which some don't suspend.
        let waiting = self.suspends_below_waiting_writes;
        waiting.map_or(Ok(()), |waiting| check_range("suspends_below_waiting_writes", waiting, 1, 1 << 30))
    }
}
