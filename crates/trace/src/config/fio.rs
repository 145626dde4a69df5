//! A job's load, as a source of a flow.

use serde::{Deserialize, Serialize};
use wordline_config::error::{ConfigError, check_range};

use super::fio_course::check_files;
use super::{FileOrder, FilePart, HostZones, JobPlace, SizeWeight, Strided, Verify};
use wordline_config::left_out::is_default;

/// The load of one job. All addresses are relative to the flow's range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FioConfig {
    /// First byte that is used.
    #[serde(default)]
    pub offset_bytes: u64,
    /// Bytes that are used from there on; up to the end of the flow's range when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Several files that it uses, in the place of `offset_bytes` and `size_bytes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FilePart>,
    /// Which of them comes next.
    #[serde(default, skip_serializing_if = "FileOrder::is_default")]
    pub file_order: FileOrder,
    /// Bytes to transfer or trim in a pass; as many as the job uses when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub io_bytes: Option<u64>,
    /// Passes; when left out one with `io_bytes`, else without end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loops: Option<u64>,
    /// Requests that transfer or trim; no bound when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number_ios: Option<u64>,
    /// Reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<Direction>,
    /// Writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<Direction>,
    /// Trims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trim: Option<Direction>,
    /// Share of reads among reads and writes, where a job does both.
    #[serde(default = "half")]
    pub read_share: f64,
    /// Trims come first and a write to the same place follows each (`trimwrite`, `randtrimwrite`).
    #[serde(default)]
    pub write_after_trim: bool,
    /// Random places may come again before all have come (`norandommap`).
    #[serde(default)]
    pub with_replacement: bool,
    /// Sequential requests begin so many bytes behind the end of the last, or before it where this is below 0 (`rw=read:4k`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub hole_bytes: i64,
    /// Requests to a random place and on from there before the next place is drawn (`rw=randread:8`); 0 is 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub run_requests: u64,
    /// All these go to the same place (`rw_sequencer=identical`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub same_place: bool,
    /// Zones, one after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strided: Option<Strided>,
    /// Zones that are written at their write pointers; exclusive with `strided`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zones: Option<HostZones>,
    /// What is written is read back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verify>,
    /// A flush follows every so many writes; 0: none.
    #[serde(default)]
    pub fsync: u64,
    /// The same, for a job that has two such numbers (`fdatasync` beside `fsync`); where both meet one flush comes.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fdatasync: u64,
    /// At the end of each pass a flush for each file.
    #[serde(default)]
    pub end_fsync: bool,
    /// At the end of each pass one flush.
    #[serde(default, skip_serializing_if = "is_default")]
    pub end_syncfs: bool,
    /// Writes are written through (FUA).
    #[serde(default)]
    pub dsync: bool,
    /// Rates are means of a Poisson process, else distances are equal.
    #[serde(default)]
    pub poisson: bool,
    /// Seconds after which no request is issued; told to the host as `stop_ns`, kept here for the reader.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime_s: Option<f64>,
    /// Where the job stands, for errors in the words of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobPlace>,
}

fn half() -> f64 {
    0.5
}

/// What a job does in one direction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Direction {
    /// Lengths of requests.
    pub sizes: Vec<SizeWeight>,
    /// Random offsets are multiples of this, bytes.
    pub align_bytes: u64,
    /// Share of requests that go to random places; the others continue behind the last of this direction.
    #[serde(default)]
    pub random_share: f64,
    /// Which random places.
    #[serde(default)]
    pub access: Access,
    /// Requests per second, in an open loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
}

/// Which places random requests go to. Ranks of `zipf`, `pareto` and `normal` are scattered, as fio hashes them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// All alike.
    #[default]
    Random,
    /// Zipf's law with this exponent.
    Zipf(f64),
    /// Pareto with this input: `h` of the requests go to 1 − `h` of the places.
    Pareto(f64),
    /// Normal, a mean of twelve draws, moved by up to half of this to either side, in percent of the places, 50 at most.
    Normal(f64),
    /// Zones, one behind the other.
    Zoned(Vec<Zone>),
    /// These blocks, again and again; with a stride all of them lie one length of the list further each time.
    Sequence {
        /// Numbers of blocks.
        blocks: Vec<u64>,
        /// Whether they move on.
        #[serde(default)]
        stride: bool,
    },
}

/// A part of the places that gets a part of the requests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Percent of the requests.
    pub access: f64,
    /// Percent of the places; exclusive with `bytes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<f64>,
    /// Bytes; exclusive with `space`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

impl FioConfig {
    /// Whether its requests have times.
    pub(crate) fn has_rates(&self) -> bool {
        let ways = [&self.read, &self.write, &self.trim];
        ways.iter().any(|way| way.as_ref().is_some_and(|way| way.iops.is_some()))
    }

    /// Whether it goes through zones: then which of its places came before isn't kept.
    pub(crate) fn is_in_zones(&self) -> bool {
        self.strided.is_some() || self.zones.is_some()
    }

    /// Bytes of its requests.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = u64> {
        let ways = [&self.read, &self.write, &self.trim].into_iter().flatten();
        ways.flat_map(|way| &way.sizes).map(|size| size.bytes)
    }

    /// Bytes of its shortest request.
    pub(crate) fn smallest(&self) -> u64 {
        self.sizes().min().unwrap_or(1)
    }

    /// Whether passes end with flushes.
    pub(crate) fn flushes_at_ends(&self) -> bool {
        self.end_fsync || self.end_syncfs
    }

    fn without_last_flushes(self) -> Self {
        Self { end_fsync: false, end_syncfs: false, ..self }
    }

    /// The same load for ever.
    pub(crate) fn without_end(self) -> Self {
        Self { io_bytes: None, loops: None, number_ios: None, verify: None, ..self.without_last_flushes() }
    }

    /// Of its requests the share of those that write, and their direction; `None` if none do.
    pub(crate) fn writing(&self) -> Option<(f64, &Direction)> {
        let write = self.write.as_ref();
        if self.write_after_trim {
            let way = self.trim.as_ref().or(write).or(self.read.as_ref())?;
            return Some((0.5, way));
        }
        let write = write?;
        if self.has_rates() {
            let rate = |way: &Option<Direction>| way.as_ref().and_then(|way| way.iops).unwrap_or(0.0);
            let all = rate(&self.read) + rate(&self.write) + rate(&self.trim);
            return Some((write.iops.unwrap_or(0.0) / all, write));
        }
        // Two directions take turns by chance, of which reads come first.
        let share = match (&self.read, &self.trim) {
            (None, None) => 1.0,
            (Some(_), _) => 1.0 - self.read_share,
            (None, Some(_)) => self.read_share,
        };
        Some((share, write))
    }

    /// Refuses what can't be generated on any drive.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        check_range("read_share", self.read_share, 0.0, 1.0)?;
        for (name, direction) in [("read", &self.read), ("write", &self.write), ("trim", &self.trim)] {
            if let Some(direction) = direction {
                direction.validate().map_err(|error| error.under(name))?;
            }
        }
        check_files(&self.files, self.file_order)?;
        self.strided.map_or(Ok(()), |zones| zones.validate().map_err(|error| error.under("strided")))?;
        self.zones.map_or(Ok(()), |zones| zones.validate().map_err(|error| error.under("zones")))?;
        let in_vain = self.strided.is_some() || self.write.is_none() || self.write_after_trim;
        if self.zones.is_some() && in_vain {
            let allowed = "left out beside strided and write_after_trim, and of a job that writes nothing";
            return Err(ConfigError::new("zones", "a table", allowed));
        }
        self.verify.map_or(Ok(()), |verify| verify.validate().map_err(|error| error.under("verify")))?;
        check_range("hole_bytes", self.hole_bytes, -(1 << 40), 1 << 40)?;
        check_range("run_requests", self.run_requests, 0, 1 << 48)?;
        check_range("io_bytes", self.io_bytes.unwrap_or(1), 1, u64::MAX)?;
        check_range("number_ios", self.number_ios.unwrap_or(1), 1, u64::MAX)?;
        let is_endless = self.io_bytes.is_none() && self.loops.is_none() && self.number_ios.is_none();
        if is_endless && self.verify.is_some_and(|verify| verify.only && verify.backlog.is_none()) {
            return Err(ConfigError::new(
                "verify.only",
                true,
                "a job that ends: with io_bytes, loops or number_ios",
            ));
        }
        check_range("loops", self.loops.unwrap_or(1), 1, 1 << 32)?;
        if self.read.is_none() && self.write.is_none() && self.trim.is_none() {
            return Err(ConfigError::new("read", "nothing", "one of read, write and trim"));
        }
        Ok(())
    }
}

impl Direction {
    fn validate(&self) -> Result<(), ConfigError> {
        check_range("align_bytes", self.align_bytes, 1, 1 << 40)?;
        check_range("random_share", self.random_share, 0.0, 1.0)?;
        check_range("iops", self.iops.unwrap_or(1.0), 1e-6, 1e9)?;
        if self.sizes.is_empty() || self.sizes.iter().all(|size| size.weight <= 0.0) {
            return Err(ConfigError::new("sizes", "nothing", "a size with a weight above 0"));
        }
        for size in &self.sizes {
            check_range("sizes", size.bytes, 1, 1 << 30)?;
            check_range("sizes", size.weight, 0.0, 1e12)?;
        }
        match &self.access {
            Access::Random => Ok(()),
            Access::Zipf(theta) => check_range("access.zipf", *theta, 0.0, 10.0),
            Access::Pareto(input) => check_range("access.pareto", *input, 1e-6, 1.0 - 1e-6),
            Access::Normal(percent) => check_range("access.normal", *percent, 0.0, 100.0),
            Access::Zoned(zones) => check_range("access.zoned", zones.len(), 1, 256),
            Access::Sequence { blocks, .. } => check_range("access.sequence", blocks.len(), 1, 64),
        }
    }
}
