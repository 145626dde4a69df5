//! Description of a trace file.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use wordline_config::error::{ConfigError, check_range};

use super::{ColumnsConfig, TraceFormat, TransformConfig};

/// A trace file, plain or compressed as gz, zst, xz or bz2 (told by content, not by name).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TraceConfig {
    /// The file; a relative path is taken from [`crate::OpenContext::base_dir`].
    pub path: PathBuf,
    /// Form of the lines.
    pub format: TraceFormat,
    /// Unit of the times, where the file differs from its format's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_unit: Option<TimeUnit>,
    /// Unit of measured response times, where it isn't told or differs from the format's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_unit: Option<TimeUnit>,
    /// Bytes of a sector, for the formats that count in sectors; 512 by default.
    pub sector_bytes: u64,
    /// Unit of offsets, bytes, where it differs from the format's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset_unit_bytes: Option<u64>,
    /// Unit of lengths, bytes, where it differs from the format's own (FlashSim's traces count 4 KiB pages).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length_unit_bytes: Option<u64>,
    /// The value of a type column of numbers (DiskSim, BIOtracer and SRT: of its lowest bit) that says read, 0 or 1,
    /// where it differs from the format's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_is: Option<u8>,
    /// Which event of a request counts, for the formats that tell of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<BlockEvent>,
    /// Which columns of a CSV or Parquet file hold what.
    #[serde(skip_serializing_if = "ColumnsConfig::is_default")]
    pub columns: ColumnsConfig,
    /// Sorts by time within so many requests; 0 leaves the order, and arrivals that go back are moved up.
    pub sort_window: u32,
    /// Only requests of this device; all devices when left out. For the formats with a device column (all but
    /// Wordline's own).
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
    /// A file of the same form that was recorded before, such as the making of the files that this one works on. All its
    /// requests come first, and aren't measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<PathBuf>,
    /// What is done to the requests then, step by step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub transform: Vec<TransformConfig>,
}

/// Event of a request in the block layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockEvent {
    /// Queued: blktrace's Q.
    #[serde(alias = "Q")]
    Queue,
    /// Issued to the driver: blktrace's D.
    #[default]
    #[serde(alias = "D")]
    Issue,
    /// Completed: blktrace's C.
    #[serde(alias = "C")]
    Complete,
}

impl BlockEvent {
    /// As a description names it.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::Issue => "issue",
            Self::Complete => "complete",
        }
    }
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
    /// As a description names it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Seconds => "s",
            Self::Milliseconds => "ms",
            Self::Microseconds => "us",
            Self::Ticks => "100ns",
            Self::Nanoseconds => "ns",
        }
    }

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
    /// Most requests within which a trace is sorted: 64 MiB of them.
    pub const MAX_SORT_WINDOW: u32 = 1 << 20;

    /// A whole file in a form that is told from its lines, with all defaults.
    pub fn of_file(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            format: TraceFormat::Auto,
            time_unit: None,
            latency_unit: None,
            sector_bytes: 512,
            offset_unit_bytes: None,
            length_unit_bytes: None,
            read_is: None,
            event: None,
            columns: ColumnsConfig::default(),
            sort_window: 0,
            device: None,
            out_of_range: OutOfRange::Error,
            skip_bad_lines: false,
            max_requests: None,
            repeat: 1,
            before: None,
            transform: Vec::new(),
        }
    }

    /// The file that was recorded before, in the same form, whole and as it is.
    pub(crate) fn recorded_before(&self) -> Option<Self> {
        let path = self.before.clone()?;
        Some(Self {
            path,
            before: None,
            max_requests: None,
            repeat: 1,
            transform: Vec::new(),
            ..self.clone()
        })
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        if self.path.as_os_str().is_empty() {
            return Err(ConfigError::new("path", "\"\"", "a file's name"));
        }
        check_range("sector_bytes", self.sector_bytes, 1, 1 << 20)?;
        for (key, unit) in
            [("offset_unit_bytes", self.offset_unit_bytes), ("length_unit_bytes", self.length_unit_bytes)]
        {
            unit.map_or(Ok(()), |bytes| check_range(key, bytes, 1, 1 << 30))?;
        }
        self.read_is.map_or(Ok(()), |value| check_range("read_is", value, 0, 1))?;
        check_range("sort_window", self.sort_window, 0, Self::MAX_SORT_WINDOW)?;
        self.columns.validate().map_err(|error| error.under("columns"))?;
        check_range("repeat", self.repeat, 1, 1_000_000)?;
        if let Some(before) = &self.before
            && (before.as_os_str().is_empty() || self.out_of_range == OutOfRange::Compact)
        {
            let allowed =
                "a file's name, and addresses that stay as they are: out_of_range = \"error\" or \"wrap\"";
            return Err(ConfigError::new("before", format!("{before:?}"), allowed));
        }
        for (index, step) in self.transform.iter().enumerate() {
            step.validate().map_err(|error| error.under(&format!("transform[{index}]")))?;
        }
        match self.max_requests {
            Some(count) => check_range("max_requests", count, 1, u64::MAX),
            None => Ok(()),
        }
    }
}
