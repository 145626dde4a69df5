//! Garbage collection while the drive is idle: begins when it has been so for long enough, ends when a request comes.

use super::ftl::Ftl;
use serde::{Deserialize, Serialize};

use super::Device;
use crate::blocks::BlockState;
use crate::nand::Geometry;
use crate::stats::reclaim::BackgroundReport;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, SuperblockId};
use wordline_config::scheme::GcConfig;

/// Collection at idle time.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Background {
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
    pub(super) fn new(config: &GcConfig, geometry: &Geometry) -> Self {
        config.background.as_ref().map_or_else(Self::default, |background| Self {
            stop: (background.stop * f64::from(geometry.blocks_per_plane)).ceil() as u32,
            preemptible: background.preemptible,
            idle: false,
            winds_down: false,
        })
    }

    /// Whether it wants to be told when the drive is idle.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.stop > 0
    }
}

impl Ftl {
    /// Whether idle times are no longer used.
    pub(super) fn winds_down(&self) -> bool {
        self.background.winds_down
    }

    /// Whether a domain collects no more superblocks since only later requests would need them.
    pub(super) fn comes_to_rest(&self, domain: DomainId) -> bool {
        let state = &self.domain[domain.index()];
        let free = state.free.len();
        self.background.winds_down
            && state.stalled.is_empty()
            && free > self.thresholds.reserve
            && free >= state.demand
    }

    /// Whether more superblocks are to be collected because the drive is idle.
    pub(super) fn goes_on_in_background(&self, domain: DomainId, free_soon: u32) -> bool {
        let Background { stop, idle, winds_down, .. } = self.background;
        !winds_down && free_soon < stop && (idle || self.domain[domain.index()].collector.background)
    }

    /// Whether the next of them must wait. One at a time where a request may come between: then no more than a superpage
    /// or an erase is ever under way.
    pub(super) fn background_waits(&self, domain: DomainId) -> bool {
        let collector = &self.domain[domain.index()].collector;
        self.background.preemptible && (collector.collects() || collector.in_flight > 0)
    }

    /// Whether something is collected piece by piece, so that a request may come between.
    #[inline]
    pub(super) fn collects_gently(&self, domain: DomainId) -> bool {
        self.background.preemptible && self.domain[domain.index()].collector.background
    }
}

impl Device {
    /// The drive has been idle for long enough.
    pub(super) fn begin_background(&mut self) {
        if !self.ftl.background.is_on() || self.ftl.background.winds_down {
            return;
        }
        self.ftl.background.idle = true;
        self.observers.recorder.background.idle_times += 1;
        for domain in (0..self.ftl.domain.len() as u32).map(DomainId) {
            self.ftl.domain[domain.index()].collector.active = true;
            self.advance_collection(domain);
        }
    }

    /// From now on the drive comes to rest, or no longer: what is under way ends, and superblocks are emptied only for what
    /// waits for space.
    pub fn wind_down(&mut self, now: bool) {
        self.ftl.background.winds_down = now;
        if now {
            self.ftl.background.idle = false;
            self.ftl.stop_idle_folds();
        }
    }

    /// A request comes.
    pub(super) fn end_background(&mut self) {
        if !std::mem::take(&mut self.ftl.background.idle) || !self.ftl.background.preemptible {
            return;
        }
        for domain in (0..self.ftl.domain.len() as u32).map(DomainId) {
            let collector = &mut self.ftl.domain[domain.index()].collector;
            if std::mem::take(&mut collector.background) {
                self.give_up_victim(domain);
            }
        }
    }

    /// Reads no more of the victim, unless its space is needed. What was read of it moves; the rest stays.
    fn give_up_victim(&mut self, domain: DomainId) {
        if self.ftl.pace.is_some() {
            // What it has won counts already; it pauses where that suffices.
            return self.advance_collection(domain);
        }
        let for_cache = self.ftl.reserved_for_cache(domain);
        let state = &mut self.ftl.domain[domain.index()];
        let victim = state.collector.victim;
        let needed = state.free.len() < self.ftl.thresholds.trigger.max(state.demand) + for_cache;
        if !victim.is_some() || needed || state.collector.cause_of(victim) != Cause::Gc {
            return;
        }
        self.observers.recorder.background.given_up += 1;
        state.collector.victim = SuperblockId::NONE;
        state.collector.victims.retain(|&(other, _)| other != victim);
        state.collector.active = !state.collector.wanted.is_empty();
        self.ftl.blocks.set_state(victim, BlockState::Full);
        self.reclaim_given_up(victim);
        if self.rules.past_collection {
            self.tend_cache();
        }
        if self.ftl.rotation.is_some() {
            self.pass_turn(domain);
        }
        self.advance_collection(domain);
    }

    pub(super) fn background_report(&self) -> Option<BackgroundReport> {
        self.ftl.background.is_on().then_some(self.observers.recorder.background)
    }
}
