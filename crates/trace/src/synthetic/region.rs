//! The part of the drive that a generator uses.

use wordline_config::error::ConfigError;

use crate::config::SyntheticConfig;

/// Slots: places where a request may start. Slot `i` begins at `start + i * alignment`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    /// First byte; a multiple of the alignment.
    pub start: u64,
    /// Distance of slots, bytes.
    pub alignment: u64,
    /// Number of slots, at least 1.
    pub slots: u64,
}

impl Region {
    /// The region on a drive of this size; refused when a request doesn't fit.
    pub(super) fn new(config: &SyntheticConfig, drive_bytes: u64) -> Result<Self, ConfigError> {
        let alignment = config.alignment().max(1);
        let (start, end) = config.region.bounds(drive_bytes).map_err(|error| error.under("region"))?;
        let first = start.div_ceil(alignment);
        let region = Self {
            start: first.saturating_mul(alignment),
            alignment,
            slots: (end / alignment).saturating_sub(first),
        };
        let largest = config.sizes.largest();
        if region.slots == 0 || region.bytes() < largest {
            let bytes = region.bytes();
            let allowed = format!(
                "at most {bytes} bytes, what the region holds at an alignment of {alignment} bytes (drive: \
                 {drive_bytes} bytes)"
            );
            return Err(ConfigError::new("sizes", largest, allowed));
        }
        Ok(region)
    }

    /// Length, bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.slots.saturating_mul(self.alignment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{PatternConfig, RegionConfig, Sizes};

    fn region(
        region: RegionConfig,
        sizes: Sizes,
        alignment_bytes: Option<u64>,
        drive: u64,
    ) -> Result<Region, ConfigError> {
        let config = SyntheticConfig {
            requests: 1,
            read_share: 1.0,
            trim_share: 0.0,
            pattern: PatternConfig::default(),
            region,
            sizes,
            alignment_bytes,
            interarrival: None,
        };
        Region::new(&config, drive)
    }

    #[test]
    fn the_whole_drive_is_used_by_default() {
        let found = region(RegionConfig::default(), Sizes::Fixed(4096), None, 1 << 20).unwrap();
        assert_eq!(found, Region { start: 0, alignment: 4096, slots: 256 });
    }

    #[test]
    fn bounds_are_drawn_in_to_the_alignment() {
        let half = RegionConfig { start_bytes: Some(100), bytes: Some(10_000), ..RegionConfig::default() };
        let found = region(half, Sizes::Fixed(512), Some(4096), 1 << 20).unwrap();
        assert_eq!(found, Region { start: 4096, alignment: 4096, slots: 1 });
        let shares = RegionConfig { start_share: Some(0.5), share: Some(0.75), ..RegionConfig::default() };
        let found = region(shares, Sizes::Fixed(4096), None, 1 << 20).unwrap();
        assert_eq!(found, Region { start: 1 << 19, alignment: 4096, slots: 128 });
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let all = RegionConfig::default;
        assert!(region(all(), Sizes::Fixed(4096), None, 4095).is_err());
        assert!(region(all(), Sizes::Fixed(4096), None, 0).is_err());
        let long = RegionConfig { bytes: Some(2 << 20), ..all() };
        assert!(region(long, Sizes::Fixed(512), None, 1 << 20).is_err());
        let late = RegionConfig { start_bytes: Some(1 << 20), ..all() };
        assert!(region(late, Sizes::Fixed(512), None, 1 << 20).is_err());
    }
}
