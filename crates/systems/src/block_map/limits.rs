//! What a map of blocks can't be combined with.

use super::BlockMap;
use wordline_config::block_map::BlockMapKind;
use wordline_config::error::word;
use wordline_config::run::{Occupancy, StartLayout};
use wordline_config::scheme::{GcKind, MappingKind, PlacementKind, UnmappedReads};
use wordline_config::{ConfigError, SchemeConfig, StartConfig};
use wordline_flash::nand::Geometry;
use wordline_ftl::replicate::Reserved;

/// The choice of most slots that leaves them empty.
const NONE: &str = "\"none\"";

impl BlockMap {
    /// Whether the drive and the rest of the scheme leave it what it needs.
    pub(super) fn check_beside(
        &self,
        scheme: &SchemeConfig,
        geometry: &Geometry,
        reserved: &Reserved,
    ) -> Result<(), ConfigError> {
        let beside = |key: &str, value: String, allowed: &str| {
            let allowed = format!("{allowed} beside scheme.block_map.policy");
            Err(ConfigError::new(key, value, allowed))
        };
        let mapping = &scheme.mapping;
        if mapping.policy != MappingKind::Page {
            return beside("scheme.mapping.policy", word(&mapping.policy), "\"page\"");
        }
        if mapping.unmapped_reads != UnmappedReads::Zeros {
            return beside("scheme.mapping.unmapped_reads", "\"allocate\"".to_owned(), "\"zeros\"");
        }
        if scheme.placement.policy != PlacementKind::Static {
            return beside("scheme.placement.policy", "\"dynamic\"".to_owned(), "\"static\"");
        }
        if scheme.gc.policy != GcKind::default() {
            return beside("scheme.gc.policy", word(&scheme.gc.policy), "\"greedy\", which is never asked,");
        }
        if scheme.blocks.host_write_points != 1 {
            return beside(
                "scheme.blocks.host_write_points",
                scheme.blocks.host_write_points.to_string(),
                "1",
            );
        }
        let on = |on: bool, value: String| on.then_some(value);
        let (gc, copies) = (&scheme.gc, &scheme.copies.reserved_dies);
        // Keys and values as they can be typed.
        let parts = [
            ("scheme.gc.background", on(gc.background.is_some(), "a table".to_owned()), "left out"),
            ("scheme.gc.pace.band", gc.paced_band().map(|band| band.to_string()), "0"),
            ("scheme.reclaim.policy", on(scheme.reclaim.is_on(), word(&scheme.reclaim.policy)), NONE),
            (
                "scheme.wear.static_spread",
                scheme.wear.static_spread.map(|spread| spread.to_string()),
                "left out",
            ),
            ("scheme.slc_cache.policy", on(scheme.slc_cache.is_on(), word(&scheme.slc_cache.policy)), NONE),
            (
                "scheme.redundancy.policy",
                on(scheme.redundancy.is_on(), word(&scheme.redundancy.name())),
                NONE,
            ),
            ("scheme.partition.enabled", on(scheme.partition.enabled, true.to_string()), "false"),
            ("scheme.astro.enabled", on(scheme.astro.enabled, true.to_string()), "false"),
            ("scheme.collision.enabled", on(scheme.collision.enabled, true.to_string()), "false"),
            ("scheme.hotr.enabled", on(scheme.hotr.enabled, true.to_string()), "false"),
            ("scheme.copies.reserved_dies", on(reserved.planes() > 0, format!("{copies:?}")), "[]"),
            ("device.bad_blocks", on(self.bad_blocks, "a table".to_owned()), "left out"),
        ];
        if let Some((key, value, allowed)) =
            parts.into_iter().find_map(|(key, value, allowed)| Some((key, value?, allowed)))
        {
            return beside(key, value, allowed);
        }
        if self.config.policy == BlockMapKind::Block && geometry.units_per_program() > 1 {
            let allowed = format!(
                "\"bast\" or \"fast\", as {} mapping units are programmed at once: a block map puts each at its own place",
                geometry.units_per_program()
            );
            return Err(ConfigError::new("scheme.block_map.policy", "\"block\"", &allowed));
        }
        // One superblock is kept, and one is filled by a merge.
        let spare = geometry.blocks_per_plane.saturating_sub(self.needed(geometry));
        if self.config.log_blocks + 2 > spare {
            let allowed = format!(
                "up to {}: each plane has {spare} blocks more than the host's data takes, and merges take two",
                spare.saturating_sub(2)
            );
            return Err(ConfigError::new("scheme.block_map.log_blocks", self.config.log_blocks, &allowed));
        }
        Ok(())
    }
}

/// A start from which the logical blocks can be known.
pub(super) fn check_start(start: &StartConfig) -> Result<(), ConfigError> {
    let allowed =
        "beside scheme.block_map.policy: log blocks fill while requests are served (workload.window)";
    if start.layout != StartLayout::InOrder {
        return Err(ConfigError::new("layout", start.layout.quoted(), format!("\"in_order\" {allowed}")));
    }
    if start.overwrite != 0.0 {
        return Err(ConfigError::new("overwrite", start.overwrite, format!("0 {allowed}")));
    }
    if start.occupancy.follows_requests() {
        let value = if start.occupancy == Occupancy::Span { "\"span\"" } else { "\"footprint\"" };
        let allowed = "\"all\", \"none\" or a share beside scheme.block_map.policy";
        return Err(ConfigError::new("occupancy", value, allowed));
    }
    Ok(())
}
