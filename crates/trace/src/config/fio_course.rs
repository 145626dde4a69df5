//! How a job goes through its files: which comes next, in which zones, and what is read back.

use serde::{Deserialize, Serialize};
use wordline_config::error::{ConfigError, check_range};

/// Most files of a job.
const MAX_FILES: usize = 65_536;

/// A file of a job that has several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilePart {
    /// Its first byte that is used, from the start of the flow's range.
    pub start_bytes: u64,
    /// Bytes that are used from there on.
    pub bytes: u64,
}

/// Which file of several a request goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileOrder {
    /// Which comes next.
    #[serde(default)]
    pub kind: FileOrderKind,
    /// Requests until another one does; `sequential` goes on when as many bytes as the file has were transferred.
    #[serde(default = "one")]
    pub requests: u64,
}

fn one() -> u64 {
    1
}

impl Default for FileOrder {
    fn default() -> Self {
        Self { kind: FileOrderKind::default(), requests: one() }
    }
}

impl FileOrder {
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Which file comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOrderKind {
    /// The one behind, and the first behind the last.
    #[default]
    RoundRobin,
    /// Any, by chance.
    Random,
    /// The one behind, when the file was gone through.
    Sequential,
}

/// Zones that are used one after the other (`zonemode=strided`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strided {
    /// Length of a zone, bytes (`zonerange`).
    pub zone_bytes: u64,
    /// Bytes to transfer in a zone before the next (`zonesize`).
    pub transfer_bytes: u64,
    /// Bytes between two zones (`zoneskip`).
    #[serde(default)]
    pub skip_bytes: u64,
}

/// Zones that are written at their write pointers (`zonemode=zbd`), which the host keeps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostZones {
    /// Length of a zone, bytes (`zonesize`).
    pub zone_bytes: u64,
    /// Of these the bytes that can be written (`zonecapacity`); all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_bytes: Option<u64>,
    /// Most zones that are being written at a time (`max_open_zones`); no bound when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_open: Option<u64>,
    /// Of these the job's own (`job_max_open_zones`), where copies share out the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_open_of_job: Option<u64>,
    /// First zone of the job: where copies of it share the zones out.
    #[serde(default)]
    pub first: u64,
    /// Each so-manieth zone from the first on is the job's.
    #[serde(default = "one")]
    pub every: u64,
    /// Reads go wherever they are drawn to; else to what the job has written (`read_beyond_wp`).
    #[serde(default)]
    pub reads_beyond: bool,
    /// Share of the job's bytes from which on zones are emptied before they are full (`zone_reset_threshold`).
    #[serde(default)]
    pub reset_share: f64,
    /// Zones that are emptied then for each write (`zone_reset_frequency`); 0: none.
    #[serde(default)]
    pub reset_frequency: f64,
}

/// Reading back of what was written (`verify`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verify {
    /// After so many writes those since the last time are read; left out: all at the end of a pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlog: Option<u64>,
    /// How many of these are read at most; all when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u64>,
    /// In the order of their places, each once; else in the order in which they were written.
    #[serde(default)]
    pub sorted: bool,
    /// Nothing is written: the places of the writes are read (`verify_only`).
    #[serde(default)]
    pub only: bool,
}

impl Strided {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check_range("zone_bytes", self.zone_bytes, 1, 1 << 60)?;
        check_range("transfer_bytes", self.transfer_bytes, 1, 1 << 60)?;
        check_range("skip_bytes", self.skip_bytes, 0, 1 << 60)
    }
}

impl Default for HostZones {
    fn default() -> Self {
        Self {
            zone_bytes: 1 << 28,
            capacity_bytes: None,
            most_open: None,
            most_open_of_job: None,
            first: 0,
            every: one(),
            reads_beyond: false,
            reset_share: 0.0,
            reset_frequency: 0.0,
        }
    }
}

impl HostZones {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check_range("zone_bytes", self.zone_bytes, 512, 1 << 60)?;
        check_range("capacity_bytes", self.capacity_bytes.unwrap_or(1), 1, self.zone_bytes)?;
        check_range("most_open", self.most_open.unwrap_or(1), 1, 1 << 32)?;
        check_range("most_open_of_job", self.most_open_of_job.unwrap_or(1), 1, 1 << 32)?;
        check_range("every", self.every, 1, 1 << 16)?;
        check_range("first", self.first, 0, self.every - 1)?;
        check_range("reset_share", self.reset_share, 0.0, 1.0)?;
        check_range("reset_frequency", self.reset_frequency, 0.0, 1.0)
    }
}

impl Verify {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check_range("backlog", self.backlog.unwrap_or(1), 1, 1 << 32)?;
        check_range("batch", self.batch.unwrap_or(1), 1, 1 << 32)
    }
}

/// Refuses files that no job has.
pub(super) fn check_files(files: &[FilePart], order: FileOrder) -> Result<(), ConfigError> {
    check_range("files", files.len(), 0, MAX_FILES)?;
    for file in files {
        check_range("files", file.bytes, 1, 1 << 60)?;
        check_range("files", file.start_bytes, 0, 1 << 60)?;
    }
    check_range("file_order.requests", order.requests, 1, 1 << 48)
}
