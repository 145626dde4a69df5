//! The policies alone, without a simulator: decisions are functions of their state and of what they are shown.

#[path = "../src/quiet_after_read.rs"]
mod quiet_after_read;
#[path = "../src/round_robin.rs"]
mod round_robin;

use quiet_after_read::{QuietAfterRead, QuietAfterReadConfig};
use round_robin::{RoundRobin, RoundRobinConfig};
use wordline_engine::blocks::BlockState;
use wordline_engine::blocks::table::{BlockView, NOT_A_CANDIDATE};
use wordline_engine::gc::VictimPolicy;
use wordline_engine::ids::SuperblockId;
use wordline_engine::systems::System;

/// The superblocks of a domain, each of 16 units.
fn domain(valid: &[u32]) -> BlockView<'_> {
    BlockView {
        first: SuperblockId(100),
        valid,
        state: &[BlockState::Full; 4],
        erases: &[0; 4],
        full_order: &[],
        changed: &[],
        clock: 0,
        capacity: 16,
        most_valid: 12,
    }
}

#[test]
fn a_round_passes_over_what_wins_nothing_and_what_is_not_full() {
    let valid = [3, 16, 5, NOT_A_CANDIDATE + 1];
    let mut policy = RoundRobin::new(RoundRobinConfig::default());
    let mut choose = || policy.choose(&domain(&valid)).map(|superblock| superblock.0);
    assert_eq!([choose(), choose(), choose()], [Some(100), Some(102), Some(100)]);
}

#[test]
fn fuller_superblocks_are_taken_only_where_there_is_no_other() {
    let mut policy = RoundRobin::new(RoundRobinConfig { most_valid: 0.25 });
    let mut choose = |valid: &[u32; 4]| policy.choose(&domain(valid)).map(|superblock| superblock.0);
    assert_eq!(choose(&[10, 4, 10, 10]), Some(101));
    assert_eq!(choose(&[10, 10, 10, 10]), Some(102));
    assert_eq!(choose(&[16, 16, 16, 16]), None);
}

#[test]
fn a_round_goes_on_where_it_was_saved() {
    let valid = [3, 3, 3, 3];
    let mut policy = RoundRobin::new(RoundRobinConfig::default());
    policy.choose(&domain(&valid));
    let mut second = RoundRobin::new(RoundRobinConfig::default());
    second.restore(&policy.save()).expect("its own state");
    assert_eq!(second.choose(&domain(&valid)), policy.choose(&domain(&valid)));
    assert!(second.restore(&[1, 2, 3]).is_err());
}

#[test]
fn a_die_is_quiet_at_most_half_of_the_time() {
    let mut system = QuietAfterRead::new(QuietAfterReadConfig { quiet_ns: 100 }).expect("allowed");
    let until: Vec<_> = [0, 50, 199, 200].map(|now| system.quiet_until(3, now)).into();
    assert_eq!(until, [Some(100), None, None, Some(300)]);
    assert_eq!(system.quiet_until(0, 60), Some(160), "another die");
    let mut second = QuietAfterRead::new(QuietAfterReadConfig { quiet_ns: 100 }).expect("allowed");
    second.restore(&system.save()).expect("its own state");
    assert_eq!(second.quiet_until(3, 399), None);
    assert!(QuietAfterRead::new(QuietAfterReadConfig { quiet_ns: 0 }).is_err());
}
