//! Policies of a user's own in the place of those that the scheme names.

use super::Device;
use crate::blocks::separation::{Separation, SeparationPolicy};
use crate::gc::{GcPolicy, VictimPolicy};
use crate::placement::{Placement, PlacementPolicy};
use crate::redundancy::{Redundancy, RedundancyPolicy};
use crate::replicate::{Arbiter, ArbiterPolicy};
use crate::sched::{Scheduler, SchedulerPolicy};

impl Device {
    /// Replaces the placement by a user's own.
    pub fn set_placement(&mut self, policy: Box<dyn Placement + Send>) {
        self.ftl.placement = PlacementPolicy::Custom(policy);
        self.note_policies();
    }

    /// Replaces the choice of the copy that serves a read by a user's own.
    pub fn set_arbiter(&mut self, policy: Box<dyn Arbiter + Send>) {
        self.ftl.replication.arbiter = ArbiterPolicy::Custom(policy);
    }

    /// Replaces the choice of victims by a user's own.
    pub fn set_gc(&mut self, policy: Box<dyn VictimPolicy + Send>) {
        self.ftl.gc = GcPolicy::Custom(policy);
        self.ftl.blocks.keep(self.ftl.needs(self.ftl.gc.needs()));
    }

    /// Replaces the decision which blocked reads are rebuilt. Parity is that of the scheme; without it there is nothing to
    /// decide.
    pub fn set_redundancy(&mut self, policy: Box<dyn Redundancy + Send>) {
        if let Some(redundancy) = &mut self.ftl.redundancy {
            redundancy.policy = RedundancyPolicy::Custom(policy);
        }
    }

    /// Replaces the scheduler by a user's own.
    pub fn set_scheduler(&mut self, policy: Box<dyn Scheduler + Send>) {
        self.flash.set_scheduler(SchedulerPolicy::Custom(policy));
    }

    /// Replaces the choice of the host's write points by a user's own.
    pub fn set_separation(&mut self, policy: Box<dyn Separation + Send>) {
        self.ftl.separation = SeparationPolicy::Custom(policy);
    }

    /// What is asked of the policies once, since it never changes.
    pub(super) fn note_policies(&mut self) {
        self.rules.places_moves = self.ftl.placement.places_moves() || self.systems.systems_place_moves();
    }
}
