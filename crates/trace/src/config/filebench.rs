//! Description of a Filebench run.

use serde::{Deserialize, Serialize};
use wordline_config::error::{ConfigError, check_range};

/// A Filebench personality on files that are there. Sizes in bytes.
///
/// V. Tarasov, E. Zadok, S. Shepler, *Filebench*, ;login: 41(1), 2016. One loop of each `personality`:
///
/// | personality | operations |
/// |---|---|
/// | `fileserver` | create and write a file, append, read whole, delete, stat |
/// | `webserver` | read ten files whole, append to a log |
/// | `webproxy` | delete, create and append, read five whole, append to a log |
/// | `varmail` | delete; create, append, fsync; read, append, fsync; read |
///
/// **The file system** is modelled after ext4's documentation.
///
/// - Extents: the smallest free run that holds a file; freed space is trimmed after the commit.
/// - A page cache with LRU and read-ahead: twice or four times what the program asks for at first, then doubling up to
///   `read_ahead_bytes`.
/// - Dirty pages are written in the order of their addresses when they are more than `dirty_share` of the cache, down to half of
///   that, or all after `write_back_loops`.
/// - A journal in ordered mode, committed by fsync or after `commit_loops`: descriptor and changed pages, flush, commit record,
///   flush. Metadata go to their places when the write-back writes everything or the journal wraps.
/// - Files have gamma-distributed sizes (shape 1.5) and are picked at random.
///
/// Not modelled: updates of access times, several threads' interleaving (the queue depth stands for them), time: periods are
/// counted in loops.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilebenchConfig {
    /// Which one.
    pub personality: Personality,
    /// Loops of the personality; without end when left out, so that `requests` bounds the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loops: Option<u64>,
    /// Files of the set.
    pub files: u64,
    /// Mean size of files; sizes follow a gamma distribution of shape 1.5.
    pub mean_file_bytes: u64,
    /// Mean size of appends (uniform from 1 byte to twice that), and of the files that webproxy and varmail create.
    pub append_bytes: u64,
    /// Bytes of one read or write of the program: how far the kernel reads ahead at first depends on it.
    pub io_bytes: u64,
    /// Share of the files that exist at the start.
    #[serde(default = "share_80")]
    pub existing: f64,
    /// Page cache.
    #[serde(default = "mib_512")]
    pub page_cache_bytes: u64,
    /// Largest read ahead.
    #[serde(default = "kib_128")]
    pub read_ahead_bytes: u64,
    /// Longest write of the write-back.
    #[serde(default = "kib_512")]
    pub write_bytes: u64,
    /// Share of the page cache that may be dirty before the write-back begins.
    #[serde(default = "tenth")]
    pub dirty_share: f64,
    /// The write-back begins anyway after so many loops; 0: only when pages are many.
    #[serde(default)]
    pub write_back_loops: u64,
    /// The journal commits after so many loops, if no program asks for it before.
    #[serde(default = "commit_loops")]
    pub commit_loops: u64,
    /// Journal.
    #[serde(default = "mib_128")]
    pub journal_bytes: u64,
    /// Requests of the write-back for each one of the program, while there are any.
    #[serde(default = "one")]
    pub background_share: f64,
    /// Space of deleted files is trimmed.
    #[serde(default = "yes")]
    pub discard: bool,
}

/// What the threads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Personality {
    /// Create and write a file, append, read whole, delete, stat.
    Fileserver,
    /// Read ten files whole, append to a log.
    Webserver,
    /// Delete and create a file, read five, append to a log.
    Webproxy,
    /// Delete, create with fsync, read and append with fsync, read.
    Varmail,
}

fn share_80() -> f64 {
    0.8
}
fn kib_128() -> u64 {
    128 << 10
}
fn kib_512() -> u64 {
    512 << 10
}
fn mib_128() -> u64 {
    128 << 20
}
fn mib_512() -> u64 {
    512 << 20
}
fn tenth() -> f64 {
    0.1
}
fn commit_loops() -> u64 {
    10_000
}
fn one() -> f64 {
    1.0
}
fn yes() -> bool {
    true
}

impl FilebenchConfig {
    /// A personality with the sizes of its usual file and of papers/003, table 2, on 5 GB of files.
    pub fn of(personality: Personality) -> Self {
        let (files, mean_file_bytes, append_bytes, io_bytes) = match personality {
            Personality::Fileserver => (40_000, 128 << 10, 16 << 10, 16 << 10),
            Personality::Webserver => (320_000, 16 << 10, 8 << 10, 1 << 20),
            Personality::Webproxy | Personality::Varmail => (320_000, 16 << 10, 16 << 10, 1 << 20),
        };
        Self {
            personality,
            loops: None,
            files,
            mean_file_bytes,
            append_bytes,
            io_bytes,
            existing: share_80(),
            page_cache_bytes: mib_512(),
            read_ahead_bytes: kib_128(),
            write_bytes: kib_512(),
            dirty_share: tenth(),
            write_back_loops: 0,
            commit_loops: commit_loops(),
            journal_bytes: mib_128(),
            background_share: one(),
            discard: yes(),
        }
    }

    /// Refuses what can't be run on any drive.
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        check_range("loops", self.loops.unwrap_or(1), 1, 1 << 48)?;
        check_range("files", self.files, 16, 1 << 28)?;
        check_range("mean_file_bytes", self.mean_file_bytes, 1, 1 << 32)?;
        check_range("append_bytes", self.append_bytes, 1, 1 << 30)?;
        check_range("io_bytes", self.io_bytes, 512, 1 << 30)?;
        check_range("existing", self.existing, 0.01, 1.0)?;
        check_range("page_cache_bytes", self.page_cache_bytes, 1 << 20, 1 << 40)?;
        check_range("read_ahead_bytes", self.read_ahead_bytes, 4096, 1 << 26)?;
        check_range("write_bytes", self.write_bytes, 4096, 1 << 30)?;
        check_range("dirty_share", self.dirty_share, 0.001, 1.0)?;
        check_range("write_back_loops", self.write_back_loops, 0, 1 << 48)?;
        check_range("commit_loops", self.commit_loops, 1, 1 << 48)?;
        check_range("journal_bytes", self.journal_bytes, 1 << 20, 1 << 34)?;
        check_range("background_share", self.background_share, 0.01, 1000.0)
    }
}
