//! The controller's DRAM and the data cache in it.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};
use crate::left_out::is_default;

/// DRAM of the controller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramConfig {
    /// Bytes in all, for the map (4 for each logical page), the data cache and the policies' own structures; left
    /// out: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Time of an access of the data cache beside its data, ns.
    #[serde(default)]
    pub access_ns: u64,
    /// Bytes a second of the data cache; left out: no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_per_s: Option<u64>,
    /// Whether the units of a request that move at the same moment are one access; else each is one.
    #[serde(default)]
    pub whole_requests: bool,
    /// What an access of more than a row takes; left out: as any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<DramRows>,
}

/// Accesses of more than one row, as MQSim computes them (Tavakkol et al., FAST 2018): of an access of b bytes, every
/// second whole row takes `access_ns`, its bytes and `gap_ns`; the other rows take nothing; the rest beyond the last whole
/// row takes `access_ns` and moves at a rate of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DramRows {
    /// Bytes of a row.
    pub bytes: u64,
    /// Time from one row to the next, ns.
    #[serde(default)]
    pub gap_ns: u64,
    /// Rate of what is beyond the last whole row, bytes a second.
    pub rest_bytes_per_s: u64,
}

/// The data cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheConfig {
    /// What it is for.
    #[serde(default)]
    pub policy: CacheKind,
    /// Bytes of data that it holds, or `"rest"`: what of the DRAM the others leave.
    #[serde(default)]
    pub bytes: CacheBytes,
    /// Share of the cache: write-back begins when so much of it is dirty and not on its way to flash.
    #[serde(default = "default_high")]
    pub dirty_high: f64,
    /// Share at which write-back ends; left out: half of `dirty_high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty_low: Option<f64>,
    /// Which units that were read from flash are kept (by `lru`).
    #[serde(default)]
    pub admit_reads: ReadAdmission,
    /// Cold data first: the first write of a page in each period of this length goes to flash at once; a page that is
    /// written again in the period stays until the watermarks send it. ns; left out: all wait for the watermarks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cold_period_ns: Option<u64>,
    /// What a write of a unit does that waits in the cache already.
    #[serde(default, skip_serializing_if = "Rewrites::coalesce")]
    pub rewrites: Rewrites,
    /// Most units on their way to flash; while there are so many, writes wait. 0 = no bound.
    #[serde(default)]
    pub max_write_backs: u32,
    /// Most write requests inside the drive, with a cache or without. While there are so many, others wait in the host's
    /// queues. 0 = no bound.
    #[serde(default, skip_serializing_if = "is_default")]
    pub max_writes: u32,
    /// What waits while so many are inside.
    #[serde(default, skip_serializing_if = "MaxWritesHold::commands")]
    pub max_writes_hold: MaxWritesHold,
    /// Pauses of write-back; left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause: Option<PauseConfig>,
    /// Throttling of writes; left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttle: Option<ThrottleConfig>,
    /// A bound on the rate of writes beside reads; left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimitConfig>,
    /// Whether units whose plane collects stay until it doesn't, while others are written back ("GC-tolerant flush": Yan et al., FAST
    /// 2017). Needs a placement by address.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub past_collection: bool,
}

/// What a write of a unit does that the cache holds and flash doesn't yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rewrites {
    /// It takes the place of the older version: one program for both.
    #[default]
    Coalesce,
    /// It is appended as to a log: each takes a place and a program. The older version's program holds nothing that is valid.
    Append,
}

impl Rewrites {
    fn coalesce(&self) -> bool {
        *self == Self::Coalesce
    }
}

/// What the drive doesn't take from the host's queues while the most writes are inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxWritesHold {
    /// Any command.
    #[default]
    Commands,
    /// Writes, and what is behind one in its queue.
    Writes,
}

impl MaxWritesHold {
    fn commands(&self) -> bool {
        *self == Self::Commands
    }
}

/// Throttling of writes: where the cache holds more than a share of its units for flash, units enter one by one, with a gap that
/// grows in proportion to the excess. So writes enter at the rate at which the flash takes them, instead of in bursts
/// whenever a program ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThrottleConfig {
    /// Share of the cache, of units that are dirty or on their way to flash, above which it begins; below 1.
    pub from: f64,
    /// Gap behind a unit that leaves no room for another, ns.
    pub gap_ns: u64,
    /// Whether the gap is multiplied by the share of moves in what flash programs, as the last victim had it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_moves: bool,
}

/// A bound on the rate at which units of writes take places in the cache while the host reads: a bucket of tokens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimitConfig {
    /// Time in which the bucket gets a token, one for each unit, ns.
    pub gap_ns: u64,
    /// Whether that is multiplied by the share of moves in what flash programs, as the last victim had it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_moves: bool,
    /// Tokens of a full bucket: so many units enter at once.
    pub burst_units: u64,
    /// How long after a read of the host the bound holds, ns.
    pub beside_reads_ns: u64,
}

/// Pauses of write-back, in which the firmware is at something else, such as saving its tables. None begins while a write
/// waits for room, or for as long after one had to as a pause lasts: under pressure they are put off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PauseConfig {
    /// Units sent to flash from the begin of one pause to that of the next.
    pub every_units: u64,
    /// How long it lasts, ns.
    pub ns: u64,
    /// Units of writes that may enter the cache in a pause, beside those that it holds; left out: as many as it has
    /// room for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room_units: Option<u64>,
}

fn default_high() -> f64 {
    0.5
}

impl Default for CacheConfig {
    fn default() -> Self {
        Self {
            policy: CacheKind::default(),
            bytes: CacheBytes::default(),
            dirty_high: default_high(),
            dirty_low: None,
            admit_reads: ReadAdmission::default(),
            cold_period_ns: None,
            rewrites: Rewrites::default(),
            max_write_backs: 0,
            max_writes: 0,
            max_writes_hold: MaxWritesHold::Commands,
            pause: None,
            throttle: None,
            past_collection: false,
            rate_limit: None,
        }
    }
}

/// What the data cache is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheKind {
    /// No cache: a write is answered when it is programmed.
    #[default]
    None,
    /// Writes until they are in flash.
    WriteBuffer,
    /// Reads and writes; the least recently used gives way.
    Lru,
}

/// Which units that were read from flash are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadAdmission {
    /// All.
    #[default]
    All,
    /// None.
    None,
}

/// Size of the data cache: a number or a word in TOML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BytesForm", into = "BytesForm")]
pub enum CacheBytes {
    /// What the other users of the DRAM leave.
    #[default]
    Rest,
    /// So many.
    Bytes(u64),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum BytesForm {
    Bytes(u64),
    Word(String),
}

impl From<CacheBytes> for BytesForm {
    fn from(bytes: CacheBytes) -> Self {
        match bytes {
            CacheBytes::Rest => Self::Word("rest".into()),
            CacheBytes::Bytes(bytes) => Self::Bytes(bytes),
        }
    }
}

impl TryFrom<BytesForm> for CacheBytes {
    type Error = String;

    fn try_from(form: BytesForm) -> Result<Self, String> {
        match form {
            BytesForm::Bytes(bytes) => Ok(Self::Bytes(bytes)),
            BytesForm::Word(word) if word == "rest" => Ok(Self::Rest),
            BytesForm::Word(word) => Err(format!("`{word}`: allowed: a number of bytes, or rest")),
        }
    }
}

/// Largest share above which throttling may begin.
const MOST_FROM: f64 = 0.99;

/// Most units of a burst.
const MOST_BURST: u64 = 1 << 26;

/// Longest access, ns.
const LONGEST_NS: u64 = 10_000_000_000;

impl DramConfig {
    /// Whether an access takes time.
    pub fn takes_time(&self) -> bool {
        self.access_ns > 0 || self.bytes_per_s.is_some() || self.rows.is_some()
    }

    /// Refuses what no DRAM can do.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("access_ns", self.access_ns, 0, LONGEST_NS)?;
        if let Some(rows) = &self.rows {
            check_range("bytes", rows.bytes, 1, 1 << 40)
                .and_then(|()| check_range("gap_ns", rows.gap_ns, 0, LONGEST_NS))
                .and_then(|()| {
                    check_range("rest_bytes_per_s", rows.rest_bytes_per_s, 1_000, 1_000_000_000_000_000_000)
                })
                .map_err(|error| error.under("rows"))?;
        }
        check_range("bytes_per_s", self.bytes_per_s.unwrap_or(1_000), 1_000, 1_000_000_000_000_000)
    }
}

impl CacheConfig {
    /// Refuses what no cache can do.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("cold_period_ns", self.cold_period_ns.unwrap_or(1), 1, 1_000_000_000_000_000)?;
        check_range("dirty_high", self.dirty_high, 0.0, 1.0)?;
        if let Some(PauseConfig { every_units, ns, .. }) = self.pause {
            check_range("every_units", every_units, 1, 1 << 40)
                .and_then(|()| check_range("ns", ns, 1, LONGEST_NS))
                .map_err(|error| error.under("pause"))?;
        }
        if let Some(ThrottleConfig { from, gap_ns, .. }) = self.throttle {
            check_range("from", from, 0.0, MOST_FROM)
                .and_then(|()| check_range("gap_ns", gap_ns, 1, LONGEST_NS))
                .map_err(|error| error.under("throttle"))?;
        }
        if let Some(RateLimitConfig { gap_ns, burst_units, beside_reads_ns, .. }) = self.rate_limit {
            check_range("gap_ns", gap_ns, 1, LONGEST_NS)
                .and_then(|()| check_range("burst_units", burst_units, 1, MOST_BURST))
                .and_then(|()| check_range("beside_reads_ns", beside_reads_ns, 1, LONGEST_NS))
                .map_err(|error| error.under("rate_limit"))?;
        }
        check_range("dirty_low", self.low(), 0.0, self.dirty_high)
    }

    /// Share at which write-back ends.
    pub fn low(&self) -> f64 {
        self.dirty_low.unwrap_or(self.dirty_high / 2.0)
    }

    /// Bytes of DRAM that it takes, when the others leave `free` (`None`: no limit).
    pub fn take(&self, free: Option<u64>) -> Result<u64, ConfigError> {
        match (self.policy, self.bytes, free) {
            (CacheKind::None, ..) => Ok(0),
            (_, CacheBytes::Bytes(bytes), _) => Ok(bytes),
            (_, CacheBytes::Rest, Some(free)) => Ok(free),
            (_, CacheBytes::Rest, None) => Err(ConfigError::new(
                "scheme.cache.bytes",
                "rest",
                "a number of bytes, since device.dram.bytes sets no limit",
            )),
        }
    }
}
