//! Garbage collection while the drive is idle: begins when it has been so for long enough, ends when a request comes.

use crate::work::above::AboveFtl;
use crate::work::collection::collect::advance_collection;
use crate::work::collection::rotating::pass_turn;
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::reclaim::reclaim_given_up;
use serde::{Deserialize, Serialize};

use crate::blocks::BlockState;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, SuperblockId};
use wordline_config::scheme::GcConfig;
use wordline_flash::nand::Geometry;

/// Collection at idle time.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Background {
    /// Free superblocks of a domain at which it stops; 0: there is none.
    stop: u32,
    preemptible: bool,
    /// Whether the drive is idle.
    idle: bool,
    /// Whether the drive comes to rest: no request will come, so nothing is collected or folded for later ones.
    #[serde(skip)]
    winds_down: bool,
}

impl Background {
    pub(crate) fn new(config: &GcConfig, geometry: &Geometry) -> Self {
        config.background.as_ref().map_or_else(Self::default, |background| Self {
            stop: (background.stop * f64::from(geometry.blocks_per_plane)).ceil() as u32,
            preemptible: background.preemptible,
            idle: false,
            winds_down: false,
        })
    }

    /// Whether it wants to be told when the drive is idle.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.stop > 0
    }
}

impl Ftl {
    /// Whether idle times are no longer used.
    pub fn winds_down(&self) -> bool {
        self.background.winds_down
    }

    /// Whether a domain collects no more superblocks since only later requests would need them.
    pub(crate) fn comes_to_rest(&self, domain: DomainId) -> bool {
        let state = &self.domain[domain.index()];
        let free = state.free.len();
        self.background.winds_down
            && state.stalled.is_empty()
            && free > self.thresholds.reserve
            && free >= state.demand
    }

    /// Whether more superblocks are to be collected because the drive is idle.
    pub(crate) fn goes_on_in_background(&self, domain: DomainId, free_soon: u32) -> bool {
        let Background { stop, idle, winds_down, .. } = self.background;
        !winds_down && free_soon < stop && (idle || self.domain[domain.index()].collector.background)
    }

    /// Whether the next of them must wait. One at a time where a request may come between: then no more than a superpage
    /// or an erase is ever under way.
    pub(crate) fn background_waits(&self, domain: DomainId) -> bool {
        let collector = &self.domain[domain.index()].collector;
        self.background.preemptible && (collector.collects() || collector.in_flight > 0)
    }

    /// Whether something is collected piece by piece, so that a request may come between.
    #[inline]
    pub(crate) fn collects_gently(&self, domain: DomainId) -> bool {
        self.background.preemptible && self.domain[domain.index()].collector.background
    }
}

impl Ftl {
    /// From now on the drive comes to rest, or no longer: what is under way ends, and superblocks are emptied only for what
    /// waits for space.
    pub fn wind_down(&mut self, now: bool) {
        self.background.winds_down = now;
        if now {
            self.background.idle = false;
            self.stop_idle_folds();
        }
    }
}

/// The drive has been idle for long enough.
pub fn begin_background<A: AboveFtl>(above: &mut A) {
    if !above.ftl().background.is_on() || above.ftl().background.winds_down {
        return;
    }
    above.ftl_mut().background.idle = true;
    above.counted(Counted::IdleTime);
    for domain in (0..above.ftl().domain.len() as u32).map(DomainId) {
        above.ftl_mut().domain[domain.index()].collector.active = true;
        advance_collection(above, domain);
    }
}

/// A request comes.
pub fn end_background<A: AboveFtl>(above: &mut A) {
    if !std::mem::take(&mut above.ftl_mut().background.idle) || !above.ftl().background.preemptible {
        return;
    }
    for domain in (0..above.ftl().domain.len() as u32).map(DomainId) {
        let collector = &mut above.ftl_mut().domain[domain.index()].collector;
        if std::mem::take(&mut collector.background) {
            give_up_victim(above, domain);
        }
    }
}

/// Reads no more of the victim, unless its space is needed. What was read of it moves; the rest stays.
fn give_up_victim<A: AboveFtl>(above: &mut A, domain: DomainId) {
    if above.ftl().pace.is_some() {
        // What it has won counts already; it pauses where that suffices.
        return advance_collection(above, domain);
    }
    let for_cache = above.ftl().reserved_for_cache(domain);
    let ftl = above.ftl_mut();
    let state = &mut ftl.domain[domain.index()];
    let victim = state.collector.victim;
    let needed = state.free.len() < ftl.thresholds.trigger.max(state.demand) + for_cache;
    if !victim.is_some() || needed || state.collector.cause_of(victim) != Cause::Gc {
        return;
    }
    above.counted(Counted::VictimGivenUp);
    let state = &mut above.ftl_mut().domain[domain.index()];
    state.collector.victim = SuperblockId::NONE;
    state.collector.victims.retain(|&(other, _)| other != victim);
    state.collector.active = !state.collector.wanted.is_empty();
    above.ftl_mut().blocks.set_state(victim, BlockState::Full);
    reclaim_given_up(above, victim);
    if above.ftl().rules.past_collection {
        above.plane_is_free();
    }
    if above.ftl().rotation.is_some() {
        pass_turn(above, domain);
    }
    advance_collection(above, domain);
}
