//! Policies of a user's own in the place of those that the scheme names.

use crate::blocks::separation::Separation;
use crate::blocks::slc_cache::SlcCache;
use crate::device::{Device, MAP, READ_COUNTERS};
use crate::gc::VictimPolicy;
use crate::mapping::Mapping;
use crate::placement::Placement;
use crate::reclaim::ReadReclaim;
use crate::redundancy::Redundancy;
use crate::replicate::Arbiter;
use crate::sched::{Scheduler, SchedulerPolicy};
use crate::systems::{ReclaimPolicy, Watches};

impl Device {
    /// Replaces the placement by a user's own.
    pub fn set_placement(&mut self, policy: Box<dyn Placement + Send>) {
        self.ftl.set_placement(policy);
        self.note_policies();
    }

    /// Replaces the choice of the copy that serves a read by a user's own.
    pub fn set_arbiter(&mut self, policy: Box<dyn Arbiter + Send>) {
        self.ftl.set_arbiter(policy);
    }

    /// Replaces the choice of victims by a user's own.
    pub fn set_gc(&mut self, policy: Box<dyn VictimPolicy + Send>) {
        self.ftl.set_gc(policy);
    }

    /// Replaces the decision which blocked reads are rebuilt. Parity is that of the scheme; without it there is nothing to
    /// decide.
    pub fn set_redundancy(&mut self, policy: Box<dyn Redundancy + Send>) {
        self.ftl.set_redundancy(policy);
    }

    /// Replaces the choice of what is reclaimed by a user's own. It is asked only where the scheme reclaims at all.
    pub fn set_reclaim(&mut self, policy: Box<dyn ReadReclaim + Send>) {
        self.ftl.count_pages_for_reclaim(policy.counts_pages());
        self.replace_in_dram(READ_COUNTERS, policy.bytes());
        *self.systems.reclaim_mut() = ReclaimPolicy::Custom(policy);
    }

    /// Replaces the policy of the data cache by a user's own. The scheme must have a cache.
    pub fn set_cache_policy(&mut self, policy: Box<dyn crate::cache::CachePolicy + Send>) {
        if !self.controller.cache.set_policy(policy) {
            self.fail("a cache policy was set, but scheme.cache.policy is none".into());
        }
    }

    /// Replaces the policy of the SLC cache by a user's own. Nothing happens to a drive without such a cache.
    pub fn set_slc_cache(&mut self, policy: Box<dyn SlcCache + Send>) {
        self.ftl.set_slc_cache(policy);
    }

    /// Replaces the mapping policy by a user's own. Translation pages exist if the scheme's policy keeps the map on
    /// flash.
    pub fn set_mapping(&mut self, policy: Box<dyn Mapping + Send>) {
        self.replace_in_dram(MAP, policy.bytes());
        self.ftl.set_mapping(policy);
    }

    /// Bytes of controller memory that the tables of address translation take.
    pub fn mapping_bytes(&self) -> u64 {
        self.ftl.mapping_bytes()
    }

    /// Replaces the scheduler by a user's own.
    pub fn set_scheduler(&mut self, policy: Box<dyn Scheduler + Send>) {
        self.flash.set_scheduler(SchedulerPolicy::Custom(policy));
    }

    /// Replaces the choice of the host's write points by a user's own.
    pub fn set_separation(&mut self, policy: Box<dyn Separation + Send>) {
        self.ftl.set_separation(policy);
    }

    /// What is asked of the policies once, since it never changes.
    pub(in crate::device) fn note_policies(&mut self) {
        self.ftl.note_who_places_moves(self.systems.watch(Watches::MOVES_PLACEMENT));
    }
}
