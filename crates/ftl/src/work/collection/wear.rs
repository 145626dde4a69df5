//! Static wear levelling at work: when a domain's erase counts lie too far apart, cold data is moved off a block that is
//! hardly worn onto one that is worn most, where it stays for long.

use std::collections::VecDeque;

use crate::work::above::AboveFtl;
use crate::work::collection::collect::want_emptied;
use crate::work::ftl::Ftl;
use serde::{Deserialize, Serialize};

use crate::blocks::{BlockState, Needs};
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, SuperblockId};
use wordline_config::wear::WearConfig;

/// State of static wear levelling.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StaticWear {
    spread: u32,
    interval: u32,
    /// Erases of each domain since its last static move.
    erases: Vec<u32>,
}

impl StaticWear {
    /// `None` where there is none.
    pub(crate) fn new(config: &WearConfig, domains: usize) -> Option<Box<Self>> {
        let interval = config.static_interval;
        config
            .static_spread
            .map(|spread| Box::new(Self { spread, interval, erases: vec![interval; domains] }))
    }
}

impl Ftl {
    /// What of the past of the superblocks somebody looks at.
    pub fn needs(&self, gc: Needs) -> Needs {
        Needs { last_change: gc.last_change || self.static_wear.is_some(), ..gc }
    }

    /// Domains in which cold data is wanted elsewhere, and its move has not begun: space comes first.
    pub fn domains_that_wait_to_level(&self) -> u32 {
        let waits = |wanted: &VecDeque<(SuperblockId, Cause)>| {
            wanted.iter().any(|&(_, cause)| cause == Cause::WearLevelling)
        };
        self.domain.iter().filter(|domain| waits(&domain.collector.wanted)).count() as u32
    }

    /// Of the full superblocks that lag behind the most worn one by more than the bound: the least worn, of equals the one
    /// that changed longest ago, then the lowest number.
    fn least_worn(&self, domain: DomainId, spread: u32) -> Option<SuperblockId> {
        let blocks = self.blocks.view(domain);
        let most = blocks.erases.iter().copied().max()?;
        let limit = most.checked_sub(spread)?;
        (0..blocks.state.len())
            .filter(|&index| blocks.state[index] == BlockState::Full && blocks.erases[index] < limit)
            .min_by_key(|&index| (blocks.erases[index], blocks.changed.get(index).copied(), index))
            .map(|index| SuperblockId(blocks.first.0 + index as u32))
    }
}

/// A superblock of this domain was erased.
pub(crate) fn level_wear<A: AboveFtl>(above: &mut A, domain: DomainId) {
    if above.ftl().winds_down() {
        return;
    }
    let Some(wear) = &mut above.ftl_mut().static_wear else { return };
    let erases = &mut wear.erases[domain.index()];
    *erases = erases.saturating_add(1);
    if *erases < wear.interval {
        return;
    }
    let spread = wear.spread;
    let collector = &above.ftl().domain[domain.index()].collector;
    let under_way = collector.wanted.iter().any(|wanted| wanted.1 == Cause::WearLevelling)
        || collector.victims.iter().any(|victim| victim.1 == Cause::WearLevelling);
    let least_worn = if under_way { None } else { above.ftl().least_worn(domain, spread) };
    if let Some(superblock) = least_worn {
        if let Some(wear) = &mut above.ftl_mut().static_wear {
            wear.erases[domain.index()] = 0;
        }
        want_emptied(above, superblock, Cause::WearLevelling);
    }
}
