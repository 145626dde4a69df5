//! Several drives as one.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// An array of drives of the same description behind one address space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrayConfig {
    /// Drives, 2 to 64.
    pub members: u32,
    /// How addresses are spread over them.
    pub layout: ArrayLayout,
    /// Striped arrays: bytes on one drive before the next one follows; a multiple of 512. Default 64 KiB.
    #[serde(default = "default_chunk")]
    pub chunk_bytes: u64,
    /// Mirrored arrays: which copy serves a read.
    #[serde(default)]
    pub serve: MirrorServe,
    /// Mirrored arrays: for so long one member after the other serves reads alone, its programs and erases held back;
    /// ns, 0 = no such windows. (Skourtis et al., "Flash on Rails: Consistent Flash Performance through Redundancy",
    /// USENIX ATC 2014, switch drives between reading and writing in this way.)
    #[serde(default)]
    pub read_window_ns: u64,
}

fn default_chunk() -> u64 {
    65_536
}

/// How addresses are spread over the drives of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrayLayout {
    /// Chunk by chunk in turn (RAID 0).
    Striped,
    /// The same data on every drive (RAID 1). A write is answered when all have it.
    Mirrored,
}

/// Which copy serves a read of a mirrored array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MirrorServe {
    /// That of the first drive.
    First,
    /// Drive after drive.
    RoundRobin,
    /// That whose die has the fewest flash pages waiting or running; the first of equals.
    #[default]
    ShortestQueue,
}

impl ArrayConfig {
    /// Refuses what can't be put together.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("members", self.members, 2, 64)?;
        check_range("chunk_bytes", self.chunk_bytes, 512, 1 << 40)?;
        check_range("read_window_ns", self.read_window_ns, 0, 1_000_000_000_000)?;
        if !self.chunk_bytes.is_multiple_of(512) {
            return Err(ConfigError::new(
                "chunk_bytes",
                self.chunk_bytes,
                "a multiple of the 512-byte sector",
            ));
        }
        Ok(())
    }
}
