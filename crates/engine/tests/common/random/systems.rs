//! Systems that make copies or part the channels.

use super::*;

/// A partition of the channels, with adjustments after few accesses.
pub fn partitions() -> impl Strategy<Value = PartitionConfig> {
    let busy = prop_oneof![Just(BusyChannel::AllDies), Just(BusyChannel::AnyDie), Just(BusyChannel::Bus)];
    let adapts = prop_oneof![Just(Adapts::Always), Just(Adapts::WarmUp), Just(Adapts::Never)];
    let ways = (busy, adapts, 0usize..3, any::<bool>(), any::<bool>());
    (1u32..4, ways, 1u64..100).prop_map(|(history, (busy, adapts, when_busy, with_gc, at_idle), interval)| {
        PartitionConfig {
            enabled: true,
            history,
            busy,
            when_busy: [WhenBusy::Other, WhenBusy::OtherIfIdle, WhenBusy::Wait][when_busy],
            adapts,
            interval_accesses: interval,
            migrate_with_gc: with_gc,
            migrate_at_idle: at_idle,
            ..PartitionConfig::default()
        }
    })
}

/// No system, or one that copies the page of every so-manieth read, with what else it does as often.
pub fn replicators() -> impl Strategy<Value = Option<Replicator>> {
    let to = prop_oneof![Just(To::LeastBusy), Just(To::EveryPlane)];
    let some = (1u64..4, to, 1u32..100, prop::array::uniform4(0u64..12)).prop_map(
        |(every, to, budget, [drop_every, promote_every, plan_every, extra_every])| Replicator {
            drop_every,
            promote_every,
            plan_every,
            extra_every,
            ..replicator(every, to, budget)
        },
    );
    prop::option::of(some)
}

/// The systems that a scheme names: none, or with lists and budgets of any size.
pub fn systems() -> impl Strategy<Value = (CollisionConfig, HotrConfig)> {
    let collision = (0u32..8, 0.0..0.2f64, any::<bool>(), any::<bool>(), any::<bool>(), 2u32..9, 1u32..4);
    let collision =
        collision.prop_map(|(pairs_per_die, copies_share, later, all, replace_copies, reads, least)| {
            CollisionConfig {
                enabled: true,
                pairs_per_die,
                copies_share,
                least_occurrences: least,
                rate_window_ns: 1_000_000,
                tie: if later { VictimTie::Later } else { VictimTie::Earlier },
                record: if all { RecordedPairs::All } else { RecordedPairs::New },
                reads_considered: reads,
                replace_copies,
            }
        });
    let hotr = (any::<bool>(), 0.0..0.2f64, 0.0..1.0f64, 1u32..40, any::<bool>(), any::<bool>());
    let hotr = hotr.prop_map(|(chip, staging_share, hot_share, list_length, all, erases_block)| HotrConfig {
        enabled: true,
        staging: if chip { Staging::Chip } else { Staging::Overprovisioned },
        staging_share,
        hot_share: (hot_share < 0.5).then_some(2.0 * hot_share),
        list_length,
        migrate: if all { TrackedReads::All } else { TrackedReads::Blocked },
        erases_block,
        ..HotrConfig::default()
    });
    (
        prop_oneof![Just(CollisionConfig::default()), collision],
        prop_oneof![2 => Just(HotrConfig::default()), 1 => hotr],
    )
}
