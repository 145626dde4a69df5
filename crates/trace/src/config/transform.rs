//! Descriptions of what is done to the requests of a trace, step by step.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use wordline_base::request::HostOp;
use wordline_config::error::{ConfigError, check_range};

use super::TraceFormat;

/// One step. Steps are carried out in the order in which they stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", try_from = "TransformForm")]
pub enum TransformConfig {
    /// Keeps the requests of a span of time, which begins at 0 afterwards.
    SliceTime {
        /// First time that is kept, ns.
        from_ns: u64,
        /// First time that isn't, ns; the end when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        to_ns: Option<u64>,
    },
    /// Keeps a number of requests; the first of them arrives at 0.
    SliceCount {
        /// Requests that are passed over.
        skip: u64,
        /// Requests that are kept; all when left out.
        #[serde(skip_serializing_if = "Option::is_none")]
        count: Option<u64>,
    },
    /// Keeps the requests that all given conditions fit.
    Filter {
        /// What they do; anything when empty.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        ops: Vec<OpName>,
        /// Their devices (flows); any when empty.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        devices: Vec<u16>,
        /// First byte of a range that they touch. A flush touches none.
        #[serde(skip_serializing_if = "Option::is_none")]
        from_bytes: Option<u64>,
        /// First byte behind that range.
        #[serde(skip_serializing_if = "Option::is_none")]
        to_bytes: Option<u64>,
    },
    /// Multiplies every arrival time.
    ScaleTime {
        /// Factor: 0.5 doubles the rate.
        factor: f64,
    },
    /// Scales time so that the mean rate, (requests - 1) / span, is this. The trace is read twice.
    TargetIops {
        /// Requests a second.
        iops: f64,
    },
    /// Lays all 1 MiB regions out from 0 in the order of their first use; devices stay apart.
    Compact,
    /// Takes addresses modulo a size; a request that would straddle the end is moved back to end there.
    Wrap {
        /// The size, bytes.
        bytes: u64,
    },
    /// Takes the start of a partition from all addresses; an address before it is an error.
    Subtract {
        /// First byte of the partition.
        bytes: u64,
    },
    /// Splits requests that are longer than a size, at addresses that are multiples of it.
    Split {
        /// Longest request, bytes.
        bytes: u64,
    },
    /// Joins requests of one kind and device that go on where the one directly before ends.
    Join {
        /// Longest request that comes of it, bytes.
        bytes: u64,
        /// Longest time from the first of them to the last, ns.
        within_ns: u64,
    },
    /// Goes through everything so many times, each directly after the last arrival of the time before.
    Repeat {
        /// How often.
        times: u32,
    },
    /// Merges other traces by time, each from its own start: this one becomes flow 0, the others 1, 2 and so on. They are read as
    /// this one is, in its form and units, unless `format` names another form.
    Merge {
        /// The files.
        paths: Vec<PathBuf>,
        /// Form of all of them.
        format: TraceFormat,
    },
}

/// An operation by its letter or word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpName {
    /// Reads.
    #[serde(alias = "R")]
    Read,
    /// Writes, with FUA or without.
    #[serde(alias = "W")]
    Write,
    /// Trims.
    #[serde(alias = "T")]
    Trim,
    /// Flushes.
    #[serde(alias = "F")]
    Flush,
}

impl OpName {
    /// Whether it names this operation.
    pub(crate) fn is(self, op: HostOp) -> bool {
        match self {
            Self::Read => op == HostOp::Read,
            Self::Write => op.is_write(),
            Self::Trim => op == HostOp::Trim,
            Self::Flush => op == HostOp::Flush,
        }
    }
}

impl TransformConfig {
    /// Most traces that are merged with one.
    pub const MAX_MERGED: usize = 1024;

    /// Longest request of several joined ones, where none is given, bytes.
    pub const LONGEST_JOINED: u64 = 512 << 10;

    /// Whether a second of the trace isn't one of the run behind it.
    pub(crate) fn changes_pace(&self) -> bool {
        matches!(self, Self::ScaleTime { .. } | Self::TargetIops { .. } | Self::Repeat { .. })
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        match self {
            Self::SliceTime { from_ns, to_ns: Some(to_ns) } if to_ns <= from_ns => {
                Err(ConfigError::new("to_ns", to_ns, format!("above from_ns, {from_ns}")))
            }
            Self::SliceCount { count: Some(0), .. } => Err(ConfigError::new("count", 0, "1 or more")),
            Self::Filter { from_bytes, to_bytes: Some(to), .. } if *to <= from_bytes.unwrap_or(0) => {
                Err(ConfigError::new("to_bytes", to, "above from_bytes"))
            }
            Self::ScaleTime { factor } => check_range("factor", *factor, 1e-12, 1e12),
            Self::TargetIops { iops } => check_range("iops", *iops, 1e-9, 1e9),
            Self::Wrap { bytes } | Self::Split { bytes } | Self::Join { bytes, .. } => {
                check_range("bytes", *bytes, 1, u64::MAX)
            }
            Self::Repeat { times } => check_range("times", *times, 1, 1_000_000),
            Self::Merge { paths, .. } => check_range("paths", paths.len(), 1, Self::MAX_MERGED)
                .map_err(|error| ConfigError { allowed: "1 to 1024 files".into(), ..error }),
            _ => Ok(()),
        }
    }
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TransformKind {
    SliceTime,
    SliceCount,
    Filter,
    ScaleTime,
    TargetIops,
    Compact,
    Wrap,
    Subtract,
    Split,
    Join,
    Repeat,
    Merge,
}

/// The keys of all kinds beside one another: see [`super::forms`]. Unknown keys are kept until the kind is known, so that
/// of an unknown kind with keys of its own the kind is told.
#[derive(Deserialize)]
struct TransformForm {
    kind: TransformKind,
    from_ns: Option<u64>,
    to_ns: Option<u64>,
    skip: Option<u64>,
    count: Option<u64>,
    ops: Option<Vec<OpName>>,
    devices: Option<Vec<u16>>,
    from_bytes: Option<u64>,
    to_bytes: Option<u64>,
    factor: Option<f64>,
    iops: Option<f64>,
    bytes: Option<u64>,
    within_ns: Option<u64>,
    times: Option<u32>,
    paths: Option<Vec<PathBuf>>,
    format: Option<TraceFormat>,
    #[serde(flatten)]
    unknown: BTreeMap<String, IgnoredAny>,
}

impl TransformForm {
    /// Refuses keys that are given and none of `own`.
    fn only(&self, own: &[&str]) -> Result<(), String> {
        if let Some(key) = self.unknown.keys().next() {
            let known: Vec<String> = own.iter().map(|key| format!("`{key}`")).collect();
            let expected = if own.is_empty() {
                "there are no such fields for this kind".to_owned()
            } else {
                format!("expected one of {}", known.join(", "))
            };
            return Err(format!("unknown field `{key}`, {expected}"));
        }
        let given = [
            ("from_ns", self.from_ns.is_some()),
            ("to_ns", self.to_ns.is_some()),
            ("skip", self.skip.is_some()),
            ("count", self.count.is_some()),
            ("ops", self.ops.is_some()),
            ("devices", self.devices.is_some()),
            ("from_bytes", self.from_bytes.is_some()),
            ("to_bytes", self.to_bytes.is_some()),
            ("factor", self.factor.is_some()),
            ("iops", self.iops.is_some()),
            ("bytes", self.bytes.is_some()),
            ("within_ns", self.within_ns.is_some()),
            ("times", self.times.is_some()),
            ("paths", self.paths.is_some()),
            ("format", self.format.is_some()),
        ];
        let others: Vec<_> = given.into_iter().filter(|(key, _)| !own.contains(key)).collect();
        super::forms::refuse(&others)
    }
}

impl TryFrom<TransformForm> for TransformConfig {
    type Error = String;

    fn try_from(form: TransformForm) -> Result<Self, String> {
        use super::forms::needed;
        Ok(match form.kind {
            TransformKind::SliceTime => {
                form.only(&["from_ns", "to_ns"])?;
                Self::SliceTime { from_ns: form.from_ns.unwrap_or(0), to_ns: form.to_ns }
            }
            TransformKind::SliceCount => {
                form.only(&["skip", "count"])?;
                Self::SliceCount { skip: form.skip.unwrap_or(0), count: form.count }
            }
            TransformKind::Filter => {
                form.only(&["ops", "devices", "from_bytes", "to_bytes"])?;
                Self::Filter {
                    ops: form.ops.unwrap_or_default(),
                    devices: form.devices.unwrap_or_default(),
                    from_bytes: form.from_bytes,
                    to_bytes: form.to_bytes,
                }
            }
            TransformKind::ScaleTime => {
                form.only(&["factor"])?;
                Self::ScaleTime { factor: needed("factor", form.factor)? }
            }
            TransformKind::TargetIops => {
                form.only(&["iops"])?;
                Self::TargetIops { iops: needed("iops", form.iops)? }
            }
            TransformKind::Compact => {
                form.only(&[])?;
                Self::Compact
            }
            TransformKind::Wrap => {
                form.only(&["bytes"])?;
                Self::Wrap { bytes: needed("bytes", form.bytes)? }
            }
            TransformKind::Subtract => {
                form.only(&["bytes"])?;
                Self::Subtract { bytes: needed("bytes", form.bytes)? }
            }
            TransformKind::Split => {
                form.only(&["bytes"])?;
                Self::Split { bytes: needed("bytes", form.bytes)? }
            }
            TransformKind::Join => {
                form.only(&["bytes", "within_ns"])?;
                Self::Join {
                    bytes: form.bytes.unwrap_or(Self::LONGEST_JOINED),
                    within_ns: form.within_ns.unwrap_or(0),
                }
            }
            TransformKind::Repeat => {
                form.only(&["times"])?;
                Self::Repeat { times: needed("times", form.times)? }
            }
            TransformKind::Merge => {
                form.only(&["paths", "format"])?;
                Self::Merge { paths: needed("paths", form.paths)?, format: form.format.unwrap_or_default() }
            }
        })
    }
}
