//! Description of a YCSB run.

use serde::{Deserialize, Serialize};
use wordline_config::error::{ConfigError, check_range};

/// A YCSB run over a loaded database. Sizes in bytes.
///
/// B. F. Cooper et al., *Benchmarking Cloud Serving Systems with YCSB*, SoCC 2010. `workload` is `a` (50% updates), `b` (5%
/// updates), `c` (reads), `d` (5% inserts, reads of the latest), `e` (95% scans, 5% inserts), `f` (50% read-modify-writes). Keys
/// are hashed: a record sorts at a random place. Ranks of Zipf's law are scattered.
///
/// **The tree** is leveled, as RocksDB documents its own. For every record the model knows which level, or which file of level 0,
/// holds its newest version.
///
/// - *Update, insert*: into the log and the memtable. A full memtable becomes a file of level 0; a second one that fills
///   meanwhile waits.
/// - *Read*: memtable, files of level 0 from the newest, then the covering file of each level, until the record is found. In each
///   of these files a block is read if the filter lets the key pass: always without one, else with probability 0.6185^bits where
///   the key isn't. Reads of blocks are widened to 4 KiB (direct I/O); an LRU cache holds blocks.
/// - *Scan*: a block in each file that covers the start, then the blocks of the records that each level has in the range. Two are
///   single ones, then it reads ahead, doubling up to 256 KiB.
/// - *Compaction*: level 0 when it has `level0_files`, else the first level beyond its target: one file, round robin, with what
///   it overlaps below. Its reads and writes come in turns with the foreground. Files take effect when they are written, the old
///   ones are trimmed.
/// - *Start*: every record once, levels filled from the first up to three quarters of their targets.
///
/// Not modelled: compression, value separation, column families, reads of index and filter blocks, times of CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct YcsbConfig {
    /// Core workload.
    pub workload: YcsbWorkload,
    /// Operations; without end when left out, so that `requests` bounds the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<u64>,
    /// Records in the database at the start. It has room for a quarter more; inserts beyond that update records, and a note says how many.
    #[serde(default = "records")]
    pub records: u64,
    /// A record on disk, key and framing included.
    #[serde(default = "record_bytes")]
    pub record_bytes: u64,
    /// Which records are asked for; the workload's own when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<Distribution>,
    /// Skew of `zipfian` and `latest`.
    #[serde(default = "theta")]
    pub theta: f64,
    /// Longest scan, records; lengths are uniform from 1.
    #[serde(default = "scan_records")]
    pub scan_records: u64,
    /// An update reads the record first, as YCSB's binding of RocksDB does.
    #[serde(default = "yes")]
    pub update_reads: bool,
    /// Memtable.
    #[serde(default = "mib_64")]
    pub memtable_bytes: u64,
    /// The log is written after so many bytes; 0: after every update, with a flush.
    #[serde(default = "mib_1")]
    pub wal_sync_bytes: u64,
    /// A data block is closed when it holds this much.
    #[serde(default = "block_bytes")]
    pub block_bytes: u64,
    /// Cache of data blocks.
    #[serde(default = "mib_64")]
    pub block_cache_bytes: u64,
    /// Bits of a bloom filter for each key; 0: none.
    #[serde(default)]
    pub bloom_bits: u32,
    /// Files in level 0 that start a compaction.
    #[serde(default = "level0_files")]
    pub level0_files: u64,
    /// Target of level 1.
    #[serde(default = "mib_256")]
    pub level1_bytes: u64,
    /// Factor from a level's target to the next.
    #[serde(default = "size_ratio")]
    pub size_ratio: u64,
    /// Size of files that compactions write.
    #[serde(default = "mib_64")]
    pub file_bytes: u64,
    /// Longest request of the background.
    #[serde(default = "kib_512")]
    pub background_request_bytes: u64,
    /// Requests of the background for each one of the foreground, while there is work.
    #[serde(default = "one")]
    pub background_share: f64,
    /// Deleted files are trimmed.
    #[serde(default = "yes")]
    pub discard: bool,
}

/// YCSB's core workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum YcsbWorkload {
    /// 50% reads, 50% updates, Zipf.
    A,
    /// 95% reads, 5% updates, Zipf.
    B,
    /// Reads, Zipf.
    C,
    /// 95% reads, 5% inserts, latest.
    D,
    /// 95% scans, 5% inserts, Zipf.
    E,
    /// 50% reads, 50% read-modify-writes, Zipf.
    F,
}

/// Which records are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// All alike.
    Uniform,
    /// By Zipf's law; ranks are scattered over the records.
    Zipfian,
    /// By Zipf's law, the newest first.
    Latest,
}

const NO_WRITES: &str = "the workload writes nothing";

/// Shares of operations: reads, updates, inserts, scans, read-modify-writes.
pub(super) type Mix = [f64; 5];

impl YcsbWorkload {
    pub(crate) fn mix(self) -> Mix {
        match self {
            Self::A => [0.5, 0.5, 0.0, 0.0, 0.0],
            Self::B => [0.95, 0.05, 0.0, 0.0, 0.0],
            Self::C => [1.0, 0.0, 0.0, 0.0, 0.0],
            Self::D => [0.95, 0.0, 0.05, 0.0, 0.0],
            Self::E => [0.0, 0.0, 0.05, 0.95, 0.0],
            Self::F => [0.5, 0.0, 0.0, 0.0, 0.5],
        }
    }

    pub(crate) fn distribution(self) -> Distribution {
        if self == Self::D { Distribution::Latest } else { Distribution::Zipfian }
    }
}

fn records() -> u64 {
    4_000_000
}
fn record_bytes() -> u64 {
    1_150
}
fn theta() -> f64 {
    0.99
}
fn scan_records() -> u64 {
    100
}
fn yes() -> bool {
    true
}
fn kib_512() -> u64 {
    512 << 10
}
fn mib_1() -> u64 {
    1 << 20
}
fn mib_64() -> u64 {
    64 << 20
}
fn mib_256() -> u64 {
    256 << 20
}
fn block_bytes() -> u64 {
    4096
}
fn level0_files() -> u64 {
    4
}
fn size_ratio() -> u64 {
    10
}
fn one() -> f64 {
    1.0
}

impl YcsbConfig {
    /// Its keys that nothing reads, and why.
    pub(super) fn without_effect(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let [_, updates, inserts, scans, modifies] = self.workload.mix();
        let writes = updates + inserts + modifies > 0.0;
        let uniform = self.distribution.unwrap_or(self.workload.distribution()) == Distribution::Uniform;
        let unread = [
            ("theta", uniform, "distribution = \"uniform\" has no skew"),
            ("scan_records", scans == 0.0, "the workload has no scans"),
            ("update_reads", updates == 0.0, "the workload has no updates"),
            ("wal_sync_bytes", !writes, NO_WRITES),
            ("background_request_bytes", !writes, NO_WRITES),
            ("background_share", !writes, NO_WRITES),
            ("discard", !writes, NO_WRITES),
        ];
        unread.into_iter().filter(|(_, unread, _)| *unread).map(|(key, _, why)| (key, why))
    }

    /// A run of this workload with all defaults.
    pub fn of(workload: YcsbWorkload) -> Self {
        Self {
            workload,
            operations: None,
            records: records(),
            record_bytes: record_bytes(),
            distribution: None,
            theta: theta(),
            scan_records: scan_records(),
            update_reads: true,
            memtable_bytes: mib_64(),
            wal_sync_bytes: mib_1(),
            block_bytes: block_bytes(),
            block_cache_bytes: mib_64(),
            bloom_bits: 0,
            level0_files: level0_files(),
            level1_bytes: mib_256(),
            size_ratio: size_ratio(),
            file_bytes: mib_64(),
            background_request_bytes: kib_512(),
            background_share: one(),
            discard: true,
        }
    }

    /// Refuses what can't be run on any drive.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        check_range("operations", self.operations.unwrap_or(1), 1, 1 << 48)?;
        check_range("records", self.records, 1000, 1 << 32)?;
        check_range("record_bytes", self.record_bytes, 16, 1 << 20)?;
        check_range("theta", self.theta, 0.0, 10.0)?;
        check_range("scan_records", self.scan_records, 1, 1 << 20)?;
        check_range("memtable_bytes", self.memtable_bytes, 1 << 16, 1 << 40)?;
        check_range("wal_sync_bytes", self.wal_sync_bytes, 0, 1 << 30)?;
        check_range("block_bytes", self.block_bytes, 512, 1 << 24)?;
        check_range("block_cache_bytes", self.block_cache_bytes, 0, 1 << 40)?;
        check_range("bloom_bits", self.bloom_bits, 0, 64)?;
        check_range("level0_files", self.level0_files, 1, 20)?;
        check_range("level1_bytes", self.level1_bytes, 1 << 20, 1 << 44)?;
        check_range("size_ratio", self.size_ratio, 2, 100)?;
        check_range("file_bytes", self.file_bytes, 1 << 16, 1 << 40)?;
        check_range("background_request_bytes", self.background_request_bytes, 4096, 1 << 30)?;
        check_range("background_share", self.background_share, 0.01, 1000.0)
    }

    /// Records of a data block: it is closed when it is full.
    pub(crate) fn block_records(&self) -> u64 {
        self.block_bytes.div_ceil(self.record_bytes).max(1)
    }

    /// Space that a run takes at most, about: the data, what a compaction writes beside it, and logs.
    pub(crate) fn space(&self) -> u64 {
        self.records * self.record_bytes * 5 / 2 + 4 * self.memtable_bytes + 8 * self.file_bytes
    }
}
