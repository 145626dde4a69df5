//! A drive as bytes, and back.

use std::io::{Read, Write};

use serde::Serialize;

use super::{Identity, SnapshotError};
use crate::config::{ConfigError, DeviceConfig, SchemeConfig};
use crate::device::{self, Device};
use crate::run::{RunError, Setup};

/// What the state of a drive depends on.
#[derive(Serialize)]
struct Made<'a> {
    device: &'a DeviceConfig,
    scheme: &'a SchemeConfig,
    checked: bool,
}

impl Setup {
    fn drive_identity(&self) -> Result<Identity, SnapshotError> {
        let made = Made { device: &self.device, scheme: &self.scheme, checked: self.checked };
        Identity::new("a drive", &made)
    }

    /// A drive that holds nothing: what a snapshot is loaded into, once it has the policies of a user's own.
    pub fn empty_drive(&self) -> Result<Device, ConfigError> {
        let mut drive = Device::new(&self.device, &self.scheme, self.checked, self.seed)?;
        drive.seed_errors(self.seed);
        Ok(drive)
    }

    /// Writes the whole state of a drive, requests in flight included. Of this setup count the device, the scheme and
    /// whether the drive is checked.
    pub fn save_drive(&self, drive: &Device, out: &mut dyn Write) -> Result<(), SnapshotError> {
        device::snapshot::save(drive, &self.drive_identity()?, out)
    }

    /// The drive of a snapshot. Its random streams are those of the seed that it was prepared with.
    pub fn load_drive(&self, input: &mut dyn Read) -> Result<Device, RunError> {
        Ok(self.load_into(self.empty_drive()?, input)?)
    }

    /// The same, for a drive with policies of a user's own: `empty` is a new one that has them.
    pub fn load_into(&self, empty: Device, input: &mut dyn Read) -> Result<Device, SnapshotError> {
        device::snapshot::load(empty, &self.drive_identity()?, input)
    }
}
