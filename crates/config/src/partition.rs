//! Reads and writes on channels of their own (Lim, Shin, Han, Electronics 2022; papers/002).

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Channels for reads and channels for writes (`[scheme.partition]`); off by default. `docs/pacp.md` has the rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartitionConfig {
    /// Whether it is on; default false.
    #[serde(default)]
    pub enabled: bool,
    /// Requests of each page that are remembered, the paper's N; 1 to 3, default 1 (§4.1).
    #[serde(default = "one")]
    pub history: u32,
    /// When a channel counts as busy: `all_dies` (default), `any_die` or `bus`. The paper doesn't say (Algorithm 1).
    #[serde(default)]
    pub busy: BusyChannel,
    /// What a program does whose channels are all busy: `other` (default, Algorithm 1: it goes to the channels of the other type) or
    /// `wait`.
    #[serde(default)]
    pub when_busy: WhenBusy,
    /// Channels for reads at first; at least 1, and at least 1 less than there are; left out: half of them, rounded down.
    /// The paper doesn't say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_read_channels: Option<u32>,
    /// Until when the number of channels of each type follows the pages of each type: `always` (default, §3.2), `warm_up` (until the
    /// measured window opens: the split of a first pass) or `never`.
    #[serde(default)]
    pub adapts: Adapts,
    /// Pages that the host accesses from one adjustment to the next; 1 to 10^12, default 4,096. The paper doesn't say.
    #[serde(default = "default_interval")]
    pub interval_accesses: u64,
    /// How the number of read channels is rounded: `nearest` (default), `down` or `up`. The paper doesn't say.
    #[serde(default)]
    pub rounding: Rounding,
    /// Where a page goes that is read before it was ever written (`scheme.mapping.unmapped_reads = "allocate"`): `anywhere` (default,
    /// Algorithm 1, line 4: it has no history) or `read_channels`. The paper doesn't say whether the request counts.
    #[serde(default)]
    pub first_reads: FirstReads,
    /// Whether garbage collection of a write channel moves pages that are predicted to be read to read channels; default true
    /// (§3.3, piggybacked).
    #[serde(default = "yes")]
    pub migrate_with_gc: bool,
    /// Whether such pages are moved while the drive is idle, too; default true (§3.3, GC-aware).
    #[serde(default = "yes")]
    pub migrate_at_idle: bool,
    /// Most programs of migration at idle time, as a share of all programs; 0 to 1, default 0.03. The paper doesn't say; it
    /// counts at most 0.027, piggybacked ones included (figure 8).
    #[serde(default = "default_idle_share")]
    pub idle_share: f64,
}

/// Where a page goes that is read before it was ever written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstReads {
    /// To any channel, like a page without history.
    #[default]
    Anywhere,
    /// To a read channel: the read that it gets its place for counts.
    ReadChannels,
}

/// When a channel counts as busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BusyChannel {
    /// Commands wait or run on each of its dies.
    #[default]
    AllDies,
    /// Commands wait or run on one of its dies.
    AnyDie,
    /// Its bus carries something, or a die waits for it.
    Bus,
}

/// What a program does whose channels are all busy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenBusy {
    /// It goes to the channels of the other type.
    #[default]
    Other,
    /// The same unless those are all busy as well. Beside Algorithm 1, which doesn't ask.
    OtherIfIdle,
    /// It waits there.
    Wait,
}

/// Until when the number of channels of each type changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Adapts {
    /// All the time.
    #[default]
    Always,
    /// Until the measured window opens.
    WarmUp,
    /// It doesn't.
    Never,
}

/// How a number of channels is made whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rounding {
    /// To the nearest; a half up.
    #[default]
    Nearest,
    /// Down.
    Down,
    /// Up.
    Up,
}

impl Default for PartitionConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            history: one(),
            busy: BusyChannel::default(),
            when_busy: WhenBusy::default(),
            first_read_channels: None,
            adapts: Adapts::default(),
            interval_accesses: default_interval(),
            rounding: Rounding::default(),
            migrate_with_gc: true,
            migrate_at_idle: true,
            first_reads: FirstReads::default(),
            idle_share: default_idle_share(),
        }
    }
}

fn one() -> u32 {
    1
}

fn yes() -> bool {
    true
}

fn default_idle_share() -> f64 {
    0.03
}

fn default_interval() -> u64 {
    4_096
}

impl PartitionConfig {
    /// Refuses what can't be. Paths in errors are relative to `[partition]`.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("history", self.history, 1, 3)?;
        if let Some(channels) = self.first_read_channels {
            check_range("first_read_channels", channels, 1, u32::MAX)?;
        }
        check_range("idle_share", self.idle_share, 0.0, 1.0)?;
        check_range("interval_accesses", self.interval_accesses, 1, 1_000_000_000_000)
    }
}
