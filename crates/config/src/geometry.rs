//! Counts and sizes of the flash array, and what of it the host may use.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Counts and sizes of the flash array.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeometryConfig {
    /// Channels of the drive.
    pub channels: u32,
    /// Chips on each channel.
    pub ways: u32,
    /// Dies in each chip.
    pub dies: u32,
    /// Planes of each die.
    pub planes: u32,
    /// Blocks of each plane.
    pub blocks: u32,
    /// Flash pages of each block.
    pub pages: u32,
    /// Data bytes of a flash page.
    pub page_bytes: u32,
    /// Spare bytes of a flash page (OOB and parity).
    #[serde(default)]
    pub spare_bytes: u32,
    /// Bytes of a logical page: the flash page's size or a power-of-two fraction of it.
    pub mapping_unit_bytes: u32,
    /// Flash pages of a block that one program writes: 1, or the pages of a wordline where the chip programs all of it at
    /// once (one-shot programming). `cell.program_ns` is then the time for all of them.
    #[serde(default = "one_page")]
    pub pages_per_program: u32,
}

fn one_page() -> u32 {
    1
}

/// Usable share of the raw capacity. Exactly one of the two keys is given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CapacityConfig {
    /// Share of the *raw* capacity that the host can't use: (raw − user) / raw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overprovisioning: Option<f64>,
    /// Bytes the host sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_bytes: Option<u64>,
}

impl GeometryConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check_range("channels", self.channels, 1, 4096)?;
        check_range("ways", self.ways, 1, 4096)?;
        check_range("dies", self.dies, 1, 4096)?;
        check_range("planes", self.planes, 1, 32)?;
        check_range("blocks", self.blocks, 4, 1 << 24)?;
        check_range("pages", self.pages, 4, 1 << 16)?;
        check_range("page_bytes", self.page_bytes, 512, 1 << 20)?;
        check_range("spare_bytes", self.spare_bytes, 0, 1 << 20)?;
        check_range("mapping_unit_bytes", self.mapping_unit_bytes, 512, self.page_bytes)?;
        check_range("pages_per_program", self.pages_per_program, 1, 16)?;
        if !self.pages.is_multiple_of(self.pages_per_program) {
            let allowed = format!("a divisor of the {} pages of a block", self.pages);
            return Err(ConfigError::new("pages_per_program", self.pages_per_program, allowed));
        }
        if !self.page_bytes.is_multiple_of(512) {
            return Err(ConfigError::new("page_bytes", self.page_bytes, "a multiple of the 512-byte sector"));
        }
        let fraction = self.page_bytes / self.mapping_unit_bytes;
        if !self.page_bytes.is_multiple_of(self.mapping_unit_bytes) || !fraction.is_power_of_two() {
            let allowed = format!("page_bytes ({}) or a power-of-two fraction of it", self.page_bytes);
            return Err(ConfigError::new("mapping_unit_bytes", self.mapping_unit_bytes, allowed));
        }
        if !self.mapping_unit_bytes.is_multiple_of(512) {
            return Err(ConfigError::new(
                "mapping_unit_bytes",
                self.mapping_unit_bytes,
                "a multiple of the 512-byte sector",
            ));
        }
        let dies = u64::from(self.channels) * u64::from(self.ways) * u64::from(self.dies);
        if dies > 1 << 16 {
            return Err(ConfigError::new("channels × ways × dies", dies, "at most 65536 dies"));
        }
        let units = self.physical_units();
        let most = u128::from(u32::MAX) - 15;
        if units > most {
            let allowed = format!(
                "at most {most} (2^32 − 16) physical mapping units; use a larger mapping unit or fewer blocks"
            );
            return Err(ConfigError::new("mapping units of the drive", units, allowed));
        }
        Ok(())
    }

    /// Mapping units of the raw drive.
    pub fn physical_units(&self) -> u128 {
        [self.channels, self.ways, self.dies, self.planes, self.blocks, self.pages]
            .iter()
            .map(|&n| u128::from(n))
            .product::<u128>()
            * u128::from(self.page_bytes / self.mapping_unit_bytes.max(1))
    }
}

impl CapacityConfig {
    /// Mapping units that the host sees of so many raw ones, if there are as many.
    pub fn logical_units(&self, physical: u32, unit_bytes: u32) -> u64 {
        match (self.user_bytes, self.overprovisioning) {
            (Some(bytes), _) => bytes / u64::from(unit_bytes.max(1)),
            (None, share) => (f64::from(physical) * (1.0 - share.unwrap_or(0.0))) as u64,
        }
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        match (self.overprovisioning, self.user_bytes) {
            (Some(share), None) => check_range("overprovisioning", share, 0.0, 0.95),
            (None, Some(_)) => Ok(()),
            (Some(share), Some(_)) => Err(ConfigError::new(
                "overprovisioning",
                share,
                "only one of overprovisioning and user_bytes",
            )),
            (None, None) => Err(ConfigError::new(
                "overprovisioning",
                "nothing",
                "overprovisioning or user_bytes must be given",
            )),
        }
    }
}
