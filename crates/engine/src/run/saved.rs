//! A drive as bytes, and back.

use std::io::{Read, Write};

use serde::Serialize;

use super::{RunError, Setup, WritePattern};
use crate::device::{self, Device};
use crate::snapshot::{Identity, SnapshotError};
use wordline_config::{ConfigError, DeviceConfig, SchemeConfig, StartConfig};
use wordline_ftl::durable::Kept;

/// What the state of a drive depends on.
#[derive(Serialize)]
struct Made<'a> {
    device: &'a DeviceConfig,
    scheme: &'a SchemeConfig,
    #[serde(rename = "workload.start")]
    start: &'a StartConfig,
    seed: u64,
    #[serde(rename = "checked")]
    kept: Kept,
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: &'a Option<WritePattern>,
    #[serde(skip_serializing_if = "str::is_empty")]
    policies: &'a str,
}

impl Setup {
    fn drive_identity(&self) -> Result<Identity, SnapshotError> {
        let Self {
            device,
            scheme,
            host: _,
            start,
            window: _,
            measure: _,
            seed,
            kept,
            pattern,
            settling: _,
            policies,
        } = self;
        Identity::new("a drive", &Made { device, scheme, start, seed: *seed, kept: *kept, pattern, policies })
    }

    /// Why a drive that was prepared for `other` is none of this setup: the first key that differs; `None` if it is the
    /// same drive.
    pub fn differs_from_drive_of(&self, other: &Self) -> Result<Option<String>, SnapshotError> {
        Ok(other.drive_identity()?.difference(&self.drive_identity()?))
    }

    /// A drive that holds nothing: what a snapshot is loaded into, once it has the policies of a user's own.
    pub fn empty_drive(&self) -> Result<Device, ConfigError> {
        let (mut drive, systems) = self.new_drive(Vec::new())?;
        drive.seed_errors(self.seed);
        systems.into_iter().for_each(|system| drive.add_system(system));
        Ok(drive)
    }

    /// Writes the whole state of a drive, requests in flight included. Of this setup count what the drive was prepared
    /// from: the device, the scheme, the start, the pattern of its writes, the seed, and what it keeps to be verified by.
    pub fn save_drive(&self, drive: &Device, out: &mut dyn Write) -> Result<(), SnapshotError> {
        device::snapshot::save(drive, &self.drive_identity()?, out)
    }

    /// The drive of a snapshot.
    pub fn load_drive(&self, input: &mut dyn Read) -> Result<Device, RunError> {
        Ok(self.load_into(self.empty_drive()?, input)?)
    }

    /// The same, for a drive with policies of a user's own: `empty` is a new one that has them.
    pub fn load_into(&self, empty: Device, input: &mut dyn Read) -> Result<Device, SnapshotError> {
        device::snapshot::load(empty, &self.drive_identity()?, input)
    }
}
