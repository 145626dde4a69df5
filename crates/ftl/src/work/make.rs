//! Making the layer: its parts, in the order in which they need each other.

use super::collection::background::Background;
use super::collection::pace;
use super::collection::rotating::Rotation;
use super::collection::slc_cache::SlcState;
use super::collection::wear::StaticWear;
use super::collection::wear_out::BadPlan;
use super::copies::making::Replication;
use super::ftl::{Ftl, Rules};
use super::parity::pages::StripedPages;
use super::parity::rows::Redundant;
use super::plans::Plans;
use super::purposes::Purposes;
use super::reclaim::Reclaim;
use super::translation::look_ups::Translation;
use super::writes::partial_writes::PartialWrites;
use crate::arrangement::Arrangement;
use crate::blocks::separation::SeparationPolicy;
use crate::blocks::slc_cache::SlcCachePolicy;
use crate::blocks::{BlockTable, Domains, Isolated, Stripes};
use crate::durable::{Kept, Oob};
use crate::gc::{GcPolicy, VictimPolicy};
use crate::mapping::{Copies, Layout, PageMap};
use crate::placement::PlacementPolicy;
use crate::redundancy::{PageStripes, RedundancyPolicy};
use crate::versions::Versions;
use std::collections::VecDeque;
use wordline_config::ConfigError;
use wordline_config::device::DeviceConfig;
use wordline_config::isolation::Isolation;
use wordline_config::scheme::SchemeConfig;
use wordline_flash::nand::Geometry;

impl Ftl {
    /// The layer of an empty drive so arranged, whose blocks are as `wear_out` says. `seed` is that of the run; `counts_pages`: the policy of read reclaim counts reads of logical pages. It is to be laid out
    /// ([`lay_out`](super::lay_out)).
    pub fn new(
        device: &DeviceConfig,
        scheme: &SchemeConfig,
        arranged: Arrangement,
        wear_out: BadPlan,
        kept: Kept,
        seed: u64,
        counts_pages: bool,
    ) -> Result<Self, ConfigError> {
        let replication = Replication::new(scheme, &arranged);
        let Arrangement { geometry, plane_at, domains, points, reserved, sets, plan, .. } = arranged;
        let blocks = block_table(device, scheme, &geometry, &domains)?;
        let redundancy = RedundancyPolicy::new(&scheme.redundancy).map(|policy| {
            let (stripes, xor_ns) = (Stripes::new(&geometry, &domains), scheme.redundancy.xor_ns);
            Box::new(Redundant::new(policy, stripes, &geometry, blocks.len(), xor_ns))
        });
        // Pages of the map are logical pages behind those of the host.
        let units = plan.map.logical_units + plan.map.map_pages() + plan.parity_units;
        let striped = scheme.redundancy.in_pages().then(|| {
            let stripes = PageStripes::new(&geometry, plan.map.logical_units);
            Box::new(StripedPages::new(stripes, scheme.redundancy.xor_ns))
        });
        let slc = SlcState::new(
            &scheme.slc_cache,
            plan.cache,
            &points,
            domains.len(),
            (u64::from(units) * u64::from(domains.width()) / u64::from(geometry.planes())) as u32,
        );
        let rotation = if scheme.gc.rotating { Some(Rotation::new(&geometry, &domains)?) } else { None };
        let layout = Layout::new(&geometry, &plane_at, 0);
        let translation = Translation::new(
            &scheme.mapping,
            plan.map,
            blocks.capacity(),
            geometry.unit_bytes,
            kept == Kept::Checked,
        );
        let units_per_row = geometry.units_per_program() * domains.width();
        let mut ftl = Self {
            rules: Rules::new(device, scheme),
            held: VecDeque::new(),
            geometry: geometry.clone(),
            logical_units: plan.map.logical_units,
            thresholds: plan.thresholds,
            pace: pace::of_scheme(&scheme.gc, plan.paced_free, units_per_row, blocks.capacity()),
            room_limit: plan.room_limit,
            map: PageMap::new(units),
            oob: Oob::new(geometry.physical_units(), kept.sequence_numbers()),
            versions: kept.sequence_numbers().then(|| Versions::new(units)),
            mapped_units: 0,
            points,
            domain: Vec::new(),
            copies: Copies::default(),
            replication,
            placement: PlacementPolicy::new(&scheme.placement, &geometry),
            gc: GcPolicy::new(&scheme.gc, seed),
            plans: Plans::default(),
            purposes: Purposes::default(),
            partial_writes: PartialWrites::default(),
            slc,
            slc_policy: SlcCachePolicy::new(&scheme.slc_cache, &plan.cache),
            redundancy,
            striped,
            wear_out: wear_out.start(plan.least_superblocks),
            translation,
            reclaim: Reclaim::new(&scheme.reclaim, &geometry, blocks.len(), counts_pages),
            background: Background::new(&scheme.gc, &geometry),
            rotation,
            static_wear: StaticWear::new(&scheme.wear, domains.len()),
            separation: SeparationPolicy::new(&scheme.separation, plan.map.logical_units),
            isolated: (scheme.gc.isolation == Isolation::Persistent)
                .then(|| Box::new(Isolated::new(blocks.len()))),
            untimed: None,
            fetched_layout: None,
            layout,
            domains,
            sets,
            blocks,
        };
        ftl.placement.leave_out(&reserved);
        if let Some(striped) = &ftl.striped {
            ftl.placement.deal_stripes(&striped.stripes);
        }
        if let Some(sets) = &ftl.sets {
            ftl.placement.keep_to(sets);
        }
        ftl.blocks.keep(ftl.needs(ftl.gc.needs()));
        Ok(ftl)
    }
}

/// The superblocks, all of them free.
fn block_table(
    device: &DeviceConfig,
    scheme: &SchemeConfig,
    geometry: &Geometry,
    domains: &Domains,
) -> Result<BlockTable, ConfigError> {
    let data_planes = scheme.redundancy.data_planes(domains.width(), geometry.planes_per_die)?;
    let mut blocks = BlockTable::new(geometry, domains.width(), data_planes, |plane| domains.of(plane));
    if device.slc_mode.is_some() {
        blocks.allow_slc_mode(geometry.pages_per_block / device.cell.technology.bits() as u32);
    }
    blocks.set_least_won(crate::space::least_won(scheme, geometry));
    if scheme.slc_cache.is_on() {
        blocks.keep_slc_from_collection();
    }
    Ok(blocks)
}
