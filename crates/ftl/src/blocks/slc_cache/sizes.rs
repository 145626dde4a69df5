//! How large the SLC cache of a drive is.

use serde::{Deserialize, Serialize};
use wordline_config::slc_cache::{SlcCacheConfig, SlcCacheKind};
use wordline_config::{ConfigError, DeviceConfig};

use wordline_flash::nand::Geometry;

/// Sizes of the cache in blocks of each plane, and so in superblocks of each domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheSizes {
    /// It always has these.
    pub least: u32,
    /// It never has more.
    pub most: u32,
    /// Share of the free native space that is used.
    pub share: f64,
}

impl CacheSizes {
    /// Sizes on this drive; zero without a cache.
    ///
    /// # Errors
    /// A cache on a drive that has no cells for it; paths are whole.
    pub fn new(
        config: &SlcCacheConfig,
        device: &DeviceConfig,
        geometry: &Geometry,
    ) -> Result<Self, ConfigError> {
        if !config.is_on() {
            return Ok(Self::default());
        }
        let pages = geometry.pages_per_block / device.cell.technology.bits() as u32;
        if device.slc_mode.is_none() || pages == 0 {
            let allowed =
                "none, for a device without [slc_mode] or with fewer pages in a block than bits in a cell";
            let policy = if config.policy == SlcCacheKind::Static { "static" } else { "dynamic" };
            return Err(ConfigError::new("scheme.slc_cache.policy", policy, allowed));
        }
        // One block in SLC mode of every plane.
        let row = u64::from(pages) * u64::from(geometry.page_bytes) * u64::from(geometry.planes());
        let blocks = geometry.blocks_per_plane;
        let up = |bytes: u64| u32::try_from(bytes.div_ceil(row)).unwrap_or(u32::MAX);
        let down = |bytes: u64| u32::try_from(bytes / row).unwrap_or(u32::MAX);
        let share = config.share.unwrap_or(1.0);
        Ok(match config.policy {
            SlcCacheKind::Dynamic => {
                let least = up(config.min_bytes);
                let most = config.max_bytes.map_or(blocks, down).min(blocks).max(least);
                Self { least, most, share }
            }
            SlcCacheKind::None | SlcCacheKind::Static => {
                let fixed = config.bytes.map_or((share * f64::from(blocks)).ceil() as u32, up);
                Self { least: fixed, most: fixed, share: 0.0 }
            }
        })
    }
}
