//! Several drives as one.

use serde::{Deserialize, Serialize};

use super::device::{DeviceConfig, LinkData};
use super::error::{ConfigError, check_range};
use super::firmware::FirmwareConfig;

/// An array of drives of the same description behind one address space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrayConfig {
    /// Drives, 2 to 64.
    pub members: u32,
    /// How addresses are spread over them.
    pub layout: ArrayLayout,
    /// What a member is: a drive as described, or a part of its channels. Default: a drive.
    #[serde(default)]
    pub of: ArrayMember,
    /// Striped arrays: bytes on one drive before the next one follows; a multiple of 512, at most a drive. Default 64 KiB. What
    /// a drive has behind its last whole chunk isn't used.
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

/// What the members of an array are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrayMember {
    /// Each is a whole drive of the description.
    #[default]
    Drives,
    /// Together they are one drive of the description: each has an equal part of its channels, with the chips there, and
    /// all share its link.
    Channels,
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
    /// Bytes of an array of drives of so many bytes each.
    pub fn bytes(&self, member_bytes: u64) -> u64 {
        match self.layout {
            ArrayLayout::Mirrored => member_bytes,
            ArrayLayout::Striped => {
                member_bytes / self.chunk_bytes * self.chunk_bytes * u64::from(self.members)
            }
        }
    }

    /// The description of a member.
    pub fn member(
        &self,
        device: &DeviceConfig,
        firmware: &FirmwareConfig,
        number: u32,
    ) -> Result<DeviceConfig, ConfigError> {
        let mut member = device.clone();
        if self.of == ArrayMember::Drives {
            return Ok(member);
        }
        let channels = device.geometry.channels;
        if !channels.is_multiple_of(self.members) {
            let allowed = format!("a divisor of the {channels} channels beside of = \"channels\"");
            return Err(ConfigError::new("scheme.array.members", self.members, allowed));
        }
        if *firmware != FirmwareConfig::default() {
            let allowed =
                "drives, where scheme.firmware names a cost: the cores aren't shared by parts of a drive";
            return Err(ConfigError::new("scheme.array.of", "channels", allowed));
        }
        if device.link.write_data == LinkData::Page {
            let allowed = "\"request\" beside scheme.array.of = \"channels\": what all parts get crosses their link with the command";
            return Err(ConfigError::new("device.link.write_data", "\"page\"", allowed));
        }
        member.geometry.channels = channels / self.members;
        if let Some(bad_blocks) = &mut member.bad_blocks {
            let shape = &device.geometry;
            let planes = channels / self.members * shape.ways * shape.dies * shape.planes;
            bad_blocks.factory.retain(|[plane, _]| plane / planes == number);
            bad_blocks.factory.iter_mut().for_each(|[plane, _]| *plane %= planes);
        }
        member.capacity.user_bytes = device.capacity.user_bytes.map(|bytes| bytes / u64::from(self.members));
        member.dram.bytes = device.dram.bytes.map(|bytes| bytes / u64::from(self.members));
        Ok(member)
    }

    /// What is refused of a member, where that is a part of the drive that was described: its values are those of the part.
    pub fn of_member(&self, mut error: ConfigError) -> ConfigError {
        if self.of == ArrayMember::Channels {
            let parts = self.members;
            error.allowed.push_str(&format!(
                ", in each of {parts} parts of the drive (scheme.array.of = \"channels\")"
            ));
        }
        error
    }

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
