//! Blocks that can't be used: from the factory, and those that fail in use.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};
use super::geometry::GeometryConfig;

/// Bad blocks (`[device.bad_blocks]`); without the table no block is ever bad.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BadBlocksConfig {
    /// Chance of each block to be bad from the factory; 0 to 0.5, default 0. Drawn from the run's seed.
    #[serde(default)]
    pub factory_share: f64,
    /// Blocks that are bad from the factory whatever is drawn: pairs of plane (channel-major) and block of the plane.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub factory: Vec<[u32; 2]>,
    /// Good blocks of each plane that are reserved for bad ones; 0 to the blocks of a plane − 1, default 0.
    #[serde(default)]
    pub spare_blocks_per_plane: u32,
    /// Chance of a program of one plane to fail; 0 to 1, default 0.
    #[serde(default)]
    pub program_failures: f64,
    /// Chance of an erase of one block to fail; 0 to 1, default 0.
    #[serde(default)]
    pub erase_failures: f64,
    /// Mean number of erases with which a block fails; left out: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endurance_cycles: Option<u32>,
    /// The same of a block that is always used in SLC mode; left out: as in native mode. Each erase takes its share of a block's life,
    /// by the mode that it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slc_endurance_cycles: Option<u32>,
    /// Standard deviation of these numbers over the blocks, as a share of them; 0 to 0.3, default 0.
    #[serde(default)]
    pub endurance_spread: f64,
}

impl BadBlocksConfig {
    /// Whether blocks go bad in use.
    pub fn grows(&self) -> bool {
        self.program_failures > 0.0 || self.erase_failures > 0.0 || self.endurance_cycles.is_some()
    }

    /// Refuses what no flash can be. Paths in errors are relative to `[bad_blocks]`.
    pub fn validate(&self, geometry: &GeometryConfig) -> Result<(), ConfigError> {
        check_range("factory_share", self.factory_share, 0.0, 0.5)?;
        let most = geometry.blocks.saturating_sub(1);
        check_range("spare_blocks_per_plane", self.spare_blocks_per_plane, 0, most)?;
        check_range("program_failures", self.program_failures, 0.0, 1.0)?;
        check_range("erase_failures", self.erase_failures, 0.0, 1.0)?;
        check_range("endurance_cycles", self.endurance_cycles.unwrap_or(1), 1, 1_000_000_000)?;
        if let Some(cycles) = self.slc_endurance_cycles {
            check_range("slc_endurance_cycles", cycles, 1, 1_000_000_000)?;
            if self.endurance_cycles.is_none() {
                let allowed = "none without endurance_cycles";
                return Err(ConfigError::new("slc_endurance_cycles", cycles, allowed));
            }
        }
        check_range("endurance_spread", self.endurance_spread, 0.0, 0.3)?;
        let planes = [geometry.channels, geometry.ways, geometry.dies, geometry.planes];
        let planes: u64 = planes.into_iter().map(u64::from).product();
        for &[plane, block] in &self.factory {
            if u64::from(plane) >= planes || block >= geometry.blocks {
                let allowed = format!("planes 0 to {}, blocks 0 to {most}", planes.saturating_sub(1));
                return Err(ConfigError::new("factory", format!("[{plane}, {block}]"), allowed));
            }
        }
        Ok(())
    }
}
