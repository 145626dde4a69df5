//! Description of a trace file.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use wordline_engine::config::error::{ConfigError, check_range};

/// A trace file, plain, gz or zst (told by content, not by name).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceConfig {
    /// The file; a relative path is taken from [`crate::OpenContext::base_dir`].
    pub path: PathBuf,
    /// Form of the lines.
    pub format: TraceFormat,
    /// Unit of the times, where the file differs from its format's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_unit: Option<TimeUnit>,
    /// Bytes of a sector, for the formats that count in sectors (MQSim, SSDsim, DiskSim); 512 by default.
    pub sector_bytes: u64,
    /// Only requests of this device; all devices when left out. For the formats with a device column (MSR's disk
    /// number, MQSim, SSDsim, DiskSim).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<u16>,
    /// What becomes of requests beyond the drive's end.
    pub out_of_range: OutOfRange,
    /// Counts bad lines and goes on, instead of stopping at the first.
    pub skip_bad_lines: bool,
    /// Stops after this many requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_requests: Option<u64>,
    /// Replays the file this many times, each directly after the last arrival of the one before.
    pub repeat: u32,
}

/// Form of a trace's lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceFormat {
    /// Told from the first lines.
    #[default]
    Auto,
    /// MSR Cambridge CSV.
    Msr,
    /// MQSim ASCII.
    Mqsim,
    /// SSDsim ASCII.
    Ssdsim,
    /// DiskSim ASCII.
    Disksim,
    /// Wordline CSV.
    Wordline,
}

/// Unit of a trace's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeUnit {
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// 100 ns, the ticks of Windows file times.
    #[serde(rename = "100ns")]
    Ticks,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
}

/// What becomes of requests beyond the drive's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutOfRange {
    /// They are an error.
    #[default]
    Error,
    /// Offsets are taken modulo the drive's size; a request that would straddle the end is moved back to end there.
    Wrap,
    /// All 1 MiB regions of the trace are laid out from the drive's start in the order in which they are first
    /// touched; regions of different devices stay apart. An error when they don't fit.
    Compact,
}

impl TimeUnit {
    /// Length of the unit, ns.
    pub fn ns(self) -> u64 {
        match self {
            Self::Seconds => 1_000_000_000,
            Self::Milliseconds => 1_000_000,
            Self::Microseconds => 1_000,
            Self::Ticks => 100,
            Self::Nanoseconds => 1,
        }
    }
}

impl TraceConfig {
    /// A whole file in a form that is told from its lines, with all defaults.
    pub fn of_file(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            format: TraceFormat::Auto,
            time_unit: None,
            sector_bytes: 512,
            device: None,
            out_of_range: OutOfRange::Error,
            skip_bad_lines: false,
            max_requests: None,
            repeat: 1,
        }
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if self.path.as_os_str().is_empty() {
            return Err(ConfigError::new("path", "\"\"", "a file's name"));
        }
        check_range("sector_bytes", self.sector_bytes, 1, 1 << 20)?;
        check_range("repeat", self.repeat, 1, 1_000_000)?;
        match self.max_requests {
            Some(count) => check_range("max_requests", count, 1, u64::MAX),
            None => Ok(()),
        }
    }
}
