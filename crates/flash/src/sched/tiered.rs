//! Tiers of classes: FIFO (one tier), read-first (host reads before the rest), or a scheme's own order. Further copies, for
//! which nobody waits, come behind all of them unless a scheme's own order names them.

use super::queue::NONE;
use super::{QueueView, Scheduler};
use wordline_base::class::{ByClass, CLASSES, Class, FlashOp};
use wordline_base::time::Ns;
use wordline_config::astro::UpdatePriority;
use wordline_config::reclaim::ReclaimPriority;
use wordline_config::scheme::{SchedulerConfig, SchedulerKind};

/// What further copies need: nobody waits for them.
const COPIES: [Class; 2] = [Class::CopyRead, Class::CopyProgram];

/// The commands of read reclaim.
const RECLAIM: [Class; 3] = [Class::ReclaimRead, Class::ReclaimProgram, Class::ReclaimErase];

/// The commands of migration, in the same order.
const MIGRATION: [Class; 3] = [Class::MigrationRead, Class::MigrationProgram, Class::MigrationErase];

/// Serves tiers in their order, and within one tier the command that arrived first. A command that waited longer than
/// the bound goes next whatever its tier; of several, the one that arrived first.
#[derive(Clone, Debug)]
pub struct Tiered {
    tier: ByClass<u8>,
    /// The classes of each tier in which there are any, one bit each, in the order of the tiers.
    tiers: Vec<u32>,
    /// Units of writes that wait for room from which on nothing is suspended; 0: nothing ever is.
    suspends_below: u32,
    bound: Ns,
    /// Whether read reclaim goes before all else: then its tier isn't interrupted.
    reclaim_first: bool,
}

impl Tiered {
    /// From a scheme's description.
    pub fn new(config: &SchedulerConfig) -> Self {
        let tier = if config.tiers.is_empty() { named(config.policy) } else { listed(&config.tiers) };
        Self {
            tier,
            tiers: by_tier(&tier),
            suspends_below: match config.policy {
                SchedulerKind::ReadFirstSuspend => config.suspends_below_waiting_writes.unwrap_or(u32::MAX),
                SchedulerKind::Fifo | SchedulerKind::ReadFirst => 0,
            },
            bound: config.starvation_bound_ns.map_or(Ns::NEVER, Ns),
            reclaim_first: false,
        }
    }

    /// The same with the commands of read reclaim in another tier.
    #[must_use]
    pub fn with_reclaim(mut self, priority: ReclaimPriority) -> Self {
        // One tier before, and one behind all others.
        self.tier = self.tier.map(|tier| tier + 1);
        self.reclaim_first = priority == ReclaimPriority::Foreground;
        let tier = match priority {
            ReclaimPriority::Foreground => 0,
            ReclaimPriority::Equal => self.tier[Class::HostRead.index()],
            ReclaimPriority::Background => CLASSES as u8 + 3,
        };
        self.in_tiers(RECLAIM, [tier; 3])
    }

    /// The same with the commands of migration, which are those of orders by updates, in another tier.
    #[must_use]
    pub fn with_updates(self, priority: UpdatePriority) -> Self {
        let tiers = match priority {
            UpdatePriority::Reclaim => RECLAIM.map(|class| self.tier[class.index()]),
            UpdatePriority::Equal => [self.tier[Class::HostRead.index()]; 3],
            UpdatePriority::Background => [CLASSES as u8 + 4; 3],
        };
        self.in_tiers(MIGRATION, tiers)
    }

    fn in_tiers(mut self, classes: [Class; 3], tiers: [u8; 3]) -> Self {
        for (class, tier) in classes.into_iter().zip(tiers) {
            self.tier[class.index()] = tier;
        }
        self.tiers = by_tier(&self.tier);
        self
    }

    /// The class whose command goes next where some may have waited too long, or can't wait.
    #[inline(never)]
    fn next_with_exceptions(&self, view: &QueueView<'_>) -> Option<Class> {
        let mut best: Option<((u8, u64), Class)> = None;
        for class in view.waiting() {
            if let Some((order, waited)) = view.first(class) {
                let first = waited > self.bound || view.urgent & (1 << class.index()) != 0;
                let tier = if first { 0 } else { self.tier[class.index()] + 1 };
                let key = (tier, order);
                if best.is_none_or(|(other, _)| key < other) {
                    best = Some((key, class));
                }
            }
        }
        best.map(|(_, class)| class)
    }
}

/// The tiers of a policy that has a name.
fn named(policy: SchedulerKind) -> ByClass<u8> {
    let mut tier = [1; CLASSES];
    if policy != SchedulerKind::Fifo {
        tier[Class::HostRead.index()] = 0;
        // A read of the host may wait for its page of the map.
        tier[Class::MapRead.index()] = 0;
    }
    COPIES.iter().for_each(|copies| tier[copies.index()] = 2);
    tier
}

/// The tiers of a scheme's own order: what it doesn't name comes behind, and copies behind that.
fn listed(tiers: &[Vec<Class>]) -> ByClass<u8> {
    let last = tiers.len().min(CLASSES) as u8;
    let mut tier = [last; CLASSES];
    COPIES.iter().for_each(|copies| tier[copies.index()] = last + 1);
    for (number, classes) in tiers.iter().enumerate() {
        for &class in classes {
            tier[class.index()] = number.min(CLASSES) as u8;
        }
    }
    tier
}

/// The classes of each tier, one bit each; tiers without any are left out.
fn by_tier(tier: &ByClass<u8>) -> Vec<u32> {
    let mut tiers = [0; u8::MAX as usize + 1];
    for (class, &tier) in tier.iter().enumerate() {
        tiers[usize::from(tier)] |= 1 << class;
    }
    tiers.into_iter().filter(|&classes| classes != 0).collect()
}

impl Scheduler for Tiered {
    #[inline(always)]
    fn next(&self, view: &QueueView<'_>) -> Option<Class> {
        if self.bound != Ns::NEVER || view.urgent != 0 {
            return self.next_with_exceptions(view);
        }
        // The tiers by a loop: what an iterator would find is more work to find.
        for &tier in &self.tiers {
            let mut classes = view.waiting & tier;
            let (mut first, mut earliest) = (CLASSES, u64::MAX);
            while classes != 0 {
                let class = classes.trailing_zeros() as usize;
                classes &= classes - 1;
                let head = view.queues[class].head;
                if head != NONE && view.pool[head].order < earliest {
                    (first, earliest) = (class, view.pool[head].order);
                }
            }
            if let Some(&class) = Class::ALL.get(first) {
                return Some(class);
            }
        }
        None
    }

    fn suspends(&self, running: Class, waiting_writes: u32) -> bool {
        let first = self.reclaim_first && self.tier[running.index()] == 0;
        waiting_writes < self.suspends_below && running.op() != FlashOp::Read && !first
    }

    fn longest_suspension(&self) -> Ns {
        self.bound
    }

    fn precedes(&self, waiting: Class, coming: Class) -> bool {
        self.tier[waiting.index()] <= self.tier[coming.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sched::queue::{Fifo, Op, OpPool};
    use wordline_base::ids::Ppa;

    /// Serves what waits — (class, since) in order of arrival — at time 1000, and returns the order.
    fn served(config: &SchedulerConfig, waiting: &[(Class, u64)]) -> Vec<Class> {
        served_by(&Tiered::new(config), waiting)
    }

    fn served_by(policy: &Tiered, waiting: &[(Class, u64)]) -> Vec<Class> {
        let mut pool = OpPool::default();
        let mut queues = [Fifo::default(); CLASSES];
        for (order, &(class, since)) in waiting.iter().enumerate() {
            let op = Op { order: order as u64, arrived: Ns(since), ..Op::new(class, Ppa(0)) };
            let id = pool.insert(op);
            queues[class.index()].push(&mut pool, id);
        }
        std::iter::from_fn(|| {
            let class = policy.next(&QueueView {
                queues: &queues,
                waiting: u32::MAX,
                urgent: 0,
                pool: &pool,
                now: Ns(1000),
            })?;
            queues[class.index()].pop(&mut pool);
            Some(class)
        })
        .collect()
    }

    use Class::{CopyProgram, CopyRead, GcErase, GcProgram, GcRead, HostProgram, HostRead};

    #[test]
    fn fifo_serves_in_order_of_arrival() {
        let config = SchedulerConfig { policy: SchedulerKind::Fifo, ..Default::default() };
        let order = [GcErase, HostRead, HostProgram, HostRead, GcRead];
        assert_eq!(served(&config, &order.map(|class| (class, 900))), order);
    }

    #[test]
    fn read_first_serves_host_reads_and_then_the_rest_in_order_of_arrival() {
        let config = SchedulerConfig::default();
        let waiting = [(GcProgram, 1), (HostProgram, 2), (HostRead, 3), (GcRead, 4), (HostRead, 5)];
        assert_eq!(served(&config, &waiting), [HostRead, HostRead, GcProgram, HostProgram, GcRead]);
    }

    #[test]
    fn every_scheduler_serves_copies_behind_all_else() {
        let waiting = [(CopyProgram, 1), (CopyRead, 1), (GcErase, 2), (HostProgram, 3), (HostRead, 4)];
        let tiers = vec![vec![HostProgram]];
        let cases = [
            (SchedulerKind::Fifo, vec![], [GcErase, HostProgram, HostRead, CopyProgram, CopyRead]),
            (SchedulerKind::ReadFirst, vec![], [HostRead, GcErase, HostProgram, CopyProgram, CopyRead]),
            (
                SchedulerKind::ReadFirstSuspend,
                vec![],
                [HostRead, GcErase, HostProgram, CopyProgram, CopyRead],
            ),
            (SchedulerKind::Fifo, tiers, [HostProgram, GcErase, HostRead, CopyProgram, CopyRead]),
        ];
        for (policy, tiers, order) in cases {
            let config = SchedulerConfig { policy, tiers, ..Default::default() };
            assert_eq!(served(&config, &waiting), order, "{config:?}");
        }
    }

    #[test]
    fn an_order_of_ones_own_may_name_copies() {
        let tiers = vec![vec![CopyProgram], vec![HostRead]];
        let config = SchedulerConfig { tiers, ..Default::default() };
        let waiting = [(HostRead, 1), (CopyProgram, 2), (GcErase, 3), (CopyRead, 3)];
        assert_eq!(served(&config, &waiting), [CopyProgram, HostRead, GcErase, CopyRead]);
    }

    #[test]
    fn a_command_that_waited_beyond_the_bound_goes_first() {
        let config = SchedulerConfig { starvation_bound_ns: Some(500), ..Default::default() };
        let waiting = [(HostProgram, 499), (GcProgram, 501), (HostRead, 600)];
        assert_eq!(served(&config, &waiting), [HostProgram, HostRead, GcProgram]);
    }

    #[test]
    fn tiers_of_ones_own_come_in_their_order_and_the_rest_last() {
        let tiers = vec![vec![Class::GcErase], vec![Class::HostProgram, Class::HostRead]];
        let config = SchedulerConfig { tiers, ..Default::default() };
        let waiting = [(GcRead, 1), (HostProgram, 1), (HostRead, 1), (GcErase, 1)];
        assert_eq!(served(&config, &waiting), [GcErase, HostProgram, HostRead, GcRead]);
    }

    #[test]
    fn orders_by_updates_go_with_reclaim_with_the_reads_of_the_host_or_behind_all() {
        use Class::{MigrationProgram, ReclaimProgram};
        let waiting = [(MigrationProgram, 1), (HostRead, 2), (ReclaimProgram, 3), (GcRead, 4)];
        let orders = [
            (
                UpdatePriority::Reclaim,
                ReclaimPriority::Background,
                [HostRead, GcRead, MigrationProgram, ReclaimProgram],
            ),
            (
                UpdatePriority::Reclaim,
                ReclaimPriority::Foreground,
                [MigrationProgram, ReclaimProgram, HostRead, GcRead],
            ),
            (
                UpdatePriority::Equal,
                ReclaimPriority::Background,
                [MigrationProgram, HostRead, GcRead, ReclaimProgram],
            ),
            (
                UpdatePriority::Background,
                ReclaimPriority::Background,
                [HostRead, GcRead, ReclaimProgram, MigrationProgram],
            ),
        ];
        for (updates, reclaim, expected) in orders {
            let policy = Tiered::new(&SchedulerConfig::default()).with_reclaim(reclaim).with_updates(updates);
            assert_eq!(served_by(&policy, &waiting), expected, "{updates:?} {reclaim:?}");
        }
    }

    #[test]
    fn only_read_first_suspend_interrupts_and_never_a_read() {
        let suspends =
            |policy, class| Tiered::new(&SchedulerConfig { policy, ..Default::default() }).suspends(class, 9);
        assert!(suspends(SchedulerKind::ReadFirstSuspend, GcErase));
        assert!(suspends(SchedulerKind::ReadFirstSuspend, HostProgram));
        assert!(!suspends(SchedulerKind::ReadFirstSuspend, GcRead));
        assert!(!suspends(SchedulerKind::ReadFirst, HostProgram));
    }

    #[test]
    fn nothing_is_suspended_while_as_many_writes_wait_as_the_bound_says() {
        let policy = Tiered::new(&SchedulerConfig {
            policy: SchedulerKind::ReadFirstSuspend,
            suspends_below_waiting_writes: Some(3),
            ..Default::default()
        });
        assert!(policy.suspends(GcErase, 2) && !policy.suspends(GcErase, 3) && !policy.suspends(GcRead, 0));
    }
}
