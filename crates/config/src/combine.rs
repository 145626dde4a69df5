//! Which parts of a scheme go together: decided by the slots that they fill.

use crate::error::ConfigError;
use crate::layers::{Layer, Layers};
use crate::scheme::SchemeConfig;

/// A place for one decision. Two parts that fill the same slot exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// What the firmware knows of the map.
    Mapping,
    /// Where programs without a pin go.
    Placement,
    /// Which block garbage collection empties.
    Victims,
    /// What is emptied when a block was read too often.
    Reclaim,
    /// Which erased block is written next.
    FreeBlocks,
    /// What is moved so that unworn blocks are worn.
    StaticWear,
    /// What is collected while the drive is idle.
    Idle,
    /// How fast is collected beside the host's writes.
    Pace,
    /// Which of the host's write points takes a page.
    WritePoints,
    /// What of the host's streams stays apart when it moves.
    Isolation,
    /// What the controller's memory holds of the data.
    Cache,
    /// What a die does next.
    Scheduler,
    /// How many bits the cells of a block hold.
    CellMode,
    /// What is redundant inside the drive.
    Redundancy,
    /// Who serves a read while its die is busy with something else.
    Service,
    /// Which of the pages that collide get a copy.
    CollidingPages,
    /// Which of the pages that are read get a copy.
    HotPages,
    /// Which planes a page keeps to.
    NvmSets,
    /// How several drives are one.
    Array,
}

impl Slot {
    /// Its name, as errors and the matrix print it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mapping => "mapping",
            Self::Placement => "placement",
            Self::Victims => "victims",
            Self::Reclaim => "reclaim",
            Self::FreeBlocks => "free blocks",
            Self::StaticWear => "static wear",
            Self::Idle => "idle",
            Self::Pace => "pace",
            Self::WritePoints => "write points",
            Self::Isolation => "isolation",
            Self::Cache => "cache",
            Self::Scheduler => "scheduler",
            Self::CellMode => "cell_mode",
            Self::Redundancy => "redundancy",
            Self::Service => "service",
            Self::CollidingPages => "colliding pages",
            Self::HotPages => "hot pages",
            Self::NvmSets => "nvm_sets",
            Self::Array => "array",
        }
    }
}

/// A part that a scheme may have: some keys of its description.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Short name, unique.
    pub name: &'static str,
    /// The slots that it fills.
    pub slots: &'static [Slot],
    /// Slots that must be left as by default beside it.
    pub without: &'static [Slot],
    /// Its keys, TOML relative to the scheme.
    pub keys: &'static str,
}

const fn part(name: &'static str, slots: &'static [Slot], keys: &'static str) -> Part {
    Part { name, slots, without: &[], keys }
}

/// A part that makes copies of pages: the mechanism of copies knows neither parity nor SLC blocks.
const fn copier(name: &'static str, slots: &'static [Slot], keys: &'static str) -> Part {
    Part { name, slots, without: &[Slot::Redundancy, Slot::CellMode], keys }
}

/// An SLC cache: its superblocks take the writes of all streams.
const fn slc_cache(name: &'static str, keys: &'static str) -> Part {
    Part { name, slots: &[Slot::CellMode], without: &[Slot::Isolation], keys }
}

/// A policy of read reclaim that sends pages to other blocks of their superblock: parity goes from block to block itself.
const fn rearranger(name: &'static str, keys: &'static str) -> Part {
    Part { name, slots: &[Slot::Reclaim], without: &[Slot::Redundancy], keys }
}

/// A map of blocks: it knows where pages are, sends them there, and makes space by merges; nothing else may move any.
const fn block_map(name: &'static str, keys: &'static str) -> Part {
    Part {
        name,
        slots: &[Slot::Mapping, Slot::Placement, Slot::Victims, Slot::WritePoints],
        without: &[
            Slot::Reclaim,
            Slot::StaticWear,
            Slot::Idle,
            Slot::Pace,
            Slot::Redundancy,
            Slot::CellMode,
            Slot::CollidingPages,
            Slot::HotPages,
            Slot::NvmSets,
        ],
        keys,
    }
}

/// Every part. A new policy is one line here; the tests then run it alone and with every other that it goes with.
pub const PARTS: &[Part] = &[
    part("page-map", &[Slot::Mapping], "mapping.policy = 'page'"),
    part("dftl", &[Slot::Mapping], "mapping.policy = 'demand'\nmapping.cache_bytes = 512"),
    part("segments", &[Slot::Mapping], "mapping.policy = 'segments'\nmapping.host_memory = true"),
    part("tpftl", &[Slot::Mapping], "mapping.policy = 'tpftl'\nmapping.cache_bytes = 512"),
    Part {
        name: "journaled",
        slots: &[Slot::Mapping],
        // Its journal is of all pages.
        without: &[Slot::NvmSets],
        keys: "mapping.policy = 'journaled'",
    },
    part("static", &[Slot::Placement], "placement.policy = 'static'"),
    part("dynamic", &[Slot::Placement], "placement.policy = 'dynamic'"),
    part("greedy", &[Slot::Victims], "gc.policy = 'greedy'"),
    part("d-choices", &[Slot::Victims], "gc.policy = 'd_choices'"),
    part("random", &[Slot::Victims], "gc.policy = 'random'"),
    part("fifo-victims", &[Slot::Victims], "gc.policy = 'fifo'"),
    part("cost-benefit", &[Slot::Victims], "gc.policy = 'cost_benefit'"),
    part("windowed-greedy", &[Slot::Victims], "gc.policy = 'windowed_greedy'"),
    part(
        "block-reclaim",
        &[Slot::Reclaim],
        "reclaim = { policy = 'block', threshold = 60, priority = 'background' }",
    ),
    part("superblock-reclaim", &[Slot::Reclaim], "reclaim = { policy = 'superblock', threshold = 60 }"),
    rearranger(
        "shuffler",
        "reclaim = { policy = 'shuffler', threshold = 60, shuffle = { full = 0.2, partial = 0.05 } }",
    ),
    rearranger("page-reclaim", "reclaim = { policy = 'page', threshold = 60 }"),
    rearranger(
        "page-8-reclaim",
        "reclaim = { policy = 'page', threshold = 60, holes = 'close', pages = { group = 8, restart = true } }",
    ),
    part("oldest-free", &[Slot::FreeBlocks], "wear.free_block = 'oldest'"),
    part("least-worn-free", &[Slot::FreeBlocks], "wear.free_block = 'least_worn'"),
    part("static-wear", &[Slot::StaticWear], "wear = { static_spread = 2, static_interval = 4 }"),
    part("idle-gc", &[Slot::Idle], "gc.background.stop = 0.3"),
    part("paced-gc", &[Slot::Pace], "gc.pace.band = 2"),
    part("hot-cold", &[Slot::WritePoints], "separation.policy = 'hot_cold'\nblocks.host_write_points = 2"),
    Part {
        name: "persistent-streams",
        slots: &[Slot::WritePoints, Slot::Isolation],
        without: &[Slot::StaticWear, Slot::CollidingPages, Slot::HotPages],
        keys: "gc.isolation = 'persistent'\nblocks.host_write_points = 2",
    },
    part("write-buffer", &[Slot::Cache], "cache = { policy = 'write_buffer', bytes = 262_144 }"),
    part("lru-cache", &[Slot::Cache], "cache = { policy = 'lru', bytes = 262_144 }"),
    slc_cache("slc-static", "slc_cache = { policy = 'static', share = 0.06 }"),
    slc_cache("slc-dynamic", "slc_cache.policy = 'dynamic'"),
    part("fifo", &[Slot::Scheduler], "scheduler.policy = 'fifo'"),
    part("read-first", &[Slot::Scheduler], "scheduler.policy = 'read_first'"),
    part("suspend", &[Slot::Scheduler], "scheduler.policy = 'read_first_suspend'"),
    part(
        "parity",
        // Its rows of a superblock are those of native cells.
        &[Slot::Redundancy, Slot::CellMode],
        "redundancy.policy = 'parity_rows'\nredundancy.when = 'any_wait'\nredundancy.xor_ns = 500",
    ),
    Part {
        name: "parity-pages",
        slots: &[
            Slot::Redundancy,
            Slot::CellMode,
            Slot::Mapping,
            Slot::Placement,
            Slot::WritePoints,
            Slot::Reclaim,
        ],
        without: &[Slot::Pace],
        keys: "redundancy.policy = 'parity_pages'\nredundancy.xor_ns = 500",
    },
    copier("collision", &[Slot::CollidingPages], "collision = { enabled = true, copies_share = 0.02 }"),
    copier(
        "hotr",
        &[Slot::HotPages],
        "hotr = { enabled = true, staging = 'overprovisioned', staging_share = 0.02, hot_share = 0.5 }",
    ),
    Part {
        name: "partition",
        slots: &[Slot::Placement],
        without: &[Slot::Isolation, Slot::NvmSets],
        keys: "partition = { enabled = true, interval_accesses = 64 }\nplacement.policy = 'dynamic'",
    },
    Part {
        name: "astro",
        slots: &[Slot::Reclaim],
        without: &[Slot::CollidingPages, Slot::HotPages, Slot::Isolation, Slot::NvmSets],
        keys: "astro = { enabled = true, region_pages = 48, pages_per_bit = 4, planes = 0, at_once = 2, read_threshold = 90 }",
    },
    Part {
        name: "nvm-sets",
        slots: &[Slot::NvmSets],
        without: &[Slot::Redundancy, Slot::CellMode, Slot::CollidingPages, Slot::HotPages, Slot::Array],
        keys: "nvm_set = [{ name = 'first-dies', dies = [0] }]",
    },
    block_map("block-map", "block_map = { policy = 'block', log_blocks = 2 }"),
    block_map("bast", "block_map = { policy = 'bast', log_blocks = 3 }"),
    block_map("fast", "block_map = { policy = 'fast', log_blocks = 3 }"),
    part("mirror", &[Slot::Array], "array = { members = 2, layout = 'mirrored' }"),
    part("stripe", &[Slot::Array], "array = { members = 2, layout = 'striped', chunk_bytes = 4096 }"),
    part("ideal-reads", &[Slot::Service], "ideal.second_server = 'die_and_channel'"),
];

impl Part {
    /// The slot that both fill, or that one fills and the other can't have filled: they exclude each other.
    pub fn excludes(&self, other: &Self) -> Option<Slot> {
        let common = |a: &'static [Slot], b: &'static [Slot]| a.iter().copied().find(|slot| b.contains(slot));
        common(self.slots, other.slots)
            .or_else(|| common(self.without, other.slots))
            .or_else(|| common(self.slots, other.without))
    }

    /// Its keys as a layer over a scheme.
    pub fn layer(&self) -> Result<Layer, ConfigError> {
        Layer::from_toml(self.name, self.keys)
    }
}

/// A scheme of these parts, all else as by default. An error names the slot that two of them fill, or the key that is
/// refused.
pub fn combine(parts: &[&Part]) -> Result<SchemeConfig, ConfigError> {
    let mut layers = Layers::new();
    for (number, part) in parts.iter().enumerate() {
        for other in &parts[..number] {
            if let Some(slot) = part.excludes(other) {
                let both = format!("{}+{}", other.name, part.name);
                let allowed = format!("one part for the slot {}", slot.name());
                return Err(ConfigError::new("scheme", both, allowed));
            }
        }
        layers = layers.with(part.layer()?.under("scheme"));
    }
    let scheme = layers.scheme()?;
    scheme.validate().map_err(|error| error.under("scheme"))?;
    Ok(scheme)
}
