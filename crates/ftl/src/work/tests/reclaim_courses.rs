//! What reclaim does once it is decided: in place or in another order, one block of a superblock, at the hard limit, and when it is
//! over.

use super::harness::Alone;
use crate::blocks::BlockState;
use crate::events::Event;
use crate::plan::{Pin, Plan, Step};
use crate::reclaim::mover::Order;
use crate::reclaim::{Decision, ReclaimRecord, Routine};
use crate::work::Counted;
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DomainId, PlaneId};
use wordline_base::time::Ns;

/// A drive that reclaims after ten reads and must after twelve, with pages 0 to 35: of superblocks over all dies the first is full, of
/// blocks on one plane the first four.
fn drive(keys: &[(&str, &str)], wide: bool) -> Alone {
    let plain = [
        ("scheme.reclaim.policy", "superblock"),
        ("scheme.reclaim.threshold", "10"),
        ("scheme.reclaim.hard_limit", "12"),
        ("scheme.blocks.superblock", if wide { "drive" } else { "none" }),
    ];
    let keys = [&plain, keys].concat();
    let mut drive = if wide { Alone::new(&keys) } else { Alone::one_plane(&keys) };
    drive.write_in_turn(0..36);
    drive
}

/// Has a block reclaimed that page `lpa` lies in.
fn reclaimed(drive: &mut Alone, lpa: u32, decision: Decision) {
    drive.decisions.push_back(decision);
    drive.read_often(lpa, 10);
    drive.run_dry();
}

fn records(drive: &Alone) -> Vec<ReclaimRecord> {
    let record = |counted: &Counted| match counted {
        Counted::SuperblockReclaimed(record) => Some(record.clone()),
        _ => None,
    };
    drive.counted.iter().filter_map(record).collect()
}

#[test]
fn holes_stay_or_are_closed_up_as_the_scheme_says() {
    let (some, none) = (Some, None);
    for (holes, expected) in [
        ("keep", [some(0), none, some(2), some(3), none, none, none, some(7)]),
        ("close", [some(0), some(2), some(3), some(7), none, none, none, none]),
    ] {
        let mut drive = drive(&[("scheme.reclaim.holes", holes)], false);
        drive.trim_all([1, 4, 5, 6]);
        reclaimed(&mut drive, 0, Decision::Superblock);
        assert_eq!(drive.held(drive.superblock(0)), expected);
        let record = &records(&drive)[0];
        assert_eq!((record.moved, record.holes, &record.reads[..]), (4, 4, &[10][..]));
    }
}

#[test]
fn pages_go_into_the_order_that_is_asked_for() {
    let mut drive = drive(&[], false);
    // The first three change places in a circle, one place is left, and another names no page.
    let order = Order::Permuted(vec![2, 0, 1, 3, 9, 5, 6]);
    reclaimed(&mut drive, 0, Decision::Rearranged(Routine::Partial, order));
    let held = [Some(2), Some(0), Some(1), Some(3), None, Some(5), Some(6), None];
    assert_eq!(drive.held(drive.superblock(0)), held);
    assert_eq!(
        (records(&drive)[0].routine, drive.ftl.blocks().state(drive.at(0, 0))),
        (Routine::Partial, BlockState::Full)
    );
}

#[test]
fn rounds_count_how_often_data_was_reclaimed_and_begin_anew_with_an_erase() {
    let mut drive = drive(&[], false);
    for _ in 0..3 {
        reclaimed(&mut drive, 0, Decision::Superblock);
    }
    let of = |drive: &Alone| records(drive).iter().map(|record| record.round).collect::<Vec<_>>();
    assert_eq!(of(&drive), [0, 1, 2]);
    // Other data in a block that held this after its first round: the open block is filled, then whole blocks.
    let second = drive.at(0, 5);
    drive.write_in_turn(36..40);
    while drive.held(second)[7] != Some(47) {
        drive.write_in_turn(40..48);
    }
    drive.run_dry();
    reclaimed(&mut drive, 40, Decision::Superblock);
    assert_eq!((of(&drive), records(&drive)[3].superblock), (vec![0, 1, 2, 0], second.0));
}

#[test]
fn one_block_of_a_superblock_is_emptied_and_stays_until_the_superblock_is_erased() {
    let mut drive = drive(&[], true);
    let (superblock, die) = (drive.superblock(0), drive.die(0));
    let on_die: Vec<u32> = (0..32).filter(|&lpa| drive.die(lpa) == die).collect();
    reclaimed(&mut drive, 0, Decision::Block);
    assert_eq!((drive.moved(Cause::ReadReclaim), drive.count(&Counted::Evacuated), on_die.len()), (8, 1, 8));
    assert!(on_die.iter().all(|&lpa| drive.superblock(lpa) != superblock));
    assert_eq!(
        (drive.ftl.blocks().state(superblock), drive.ftl.blocks().valid(superblock)),
        (BlockState::Full, 24)
    );
    // A second block of it is asked about for itself.
    let other = (0..32).find(|&lpa| drive.die(lpa) != die).unwrap();
    let planes = [die, drive.die(other)].map(|die| (superblock, PlaneId(die)));
    reclaimed(&mut drive, other, Decision::Block);
    assert_eq!(drive.worn.iter().map(|worn| (worn.superblock, worn.plane)).collect::<Vec<_>>(), planes);
    assert_eq!(drive.ftl.blocks().valid(superblock), 16);
}

#[test]
fn where_blocks_stand_alone_reclaim_of_a_block_erases_it() {
    let mut drive = drive(&[], false);
    reclaimed(&mut drive, 0, Decision::Block);
    assert_eq!(
        (drive.count(&Counted::Evacuated), drive.ftl.blocks().state(drive.at(0, 0))),
        (0, BlockState::Free)
    );
    assert_eq!(records(&drive).len(), 1);
}

#[test]
fn a_systems_plan_comes_before_the_policys_word_and_is_the_systems() {
    let mut drive = drive(&[], false);
    drive.decisions.push_back(Decision::Superblock);
    let pages = (0..3).map(|lpa| drive.place(lpa)).collect();
    let steps = vec![Step { pages, pin: Pin::Any }];
    let plan = Plan { cause: Cause::ReadReclaim, destinations: vec![], steps, erase: vec![] };
    drive.answers.reclaims = Some(plan);
    drive.read_often(0, 10);
    drive.run_dry();
    assert_eq!((drive.worn.len(), drive.decisions.len(), drive.moved(Cause::ReadReclaim)), (0, 1, 3));
    assert!(drive.told.contains(&(7, Event::PlanDone(0))));
}

#[test]
fn a_policys_plan_is_carried_out_and_nobodys() {
    let mut drive = drive(&[], false);
    let pages = (0..3).map(|lpa| drive.place(lpa)).collect();
    let steps = vec![Step { pages, pin: Pin::Any }];
    let plan = Plan { cause: Cause::ReadReclaim, destinations: vec![], steps, erase: vec![drive.at(0, 0)] };
    reclaimed(&mut drive, 0, Decision::Plan(plan));
    assert_eq!(drive.moved(Cause::ReadReclaim), 3);
    assert!(drive.told.contains(&(usize::MAX, Event::PlanDone(0))));
    // Five pages are left in it: it may be asked about again.
    assert_eq!(drive.ftl.blocks().state(drive.at(0, 0)), BlockState::Full);
    drive.read_often(3, 1);
    assert_eq!(drive.worn.len(), 2);
}

#[test]
fn a_worn_block_is_told_of_once_with_the_time_at_which_it_became_so_when_it_is_erased() {
    let mut drive = drive(&[], false);
    drive.read_often(0, 9);
    let last = drive.read(0);
    // The array has been read, and the page crosses the channel.
    drive.run_until(|drive| drive.count(&Counted::Worn) == 1);
    let worn = drive.flash.now();
    drive.run_until_done(last);
    drive.decisions.push_back(Decision::Superblock);
    drive.read_often(0, 1);
    drive.run_dry();
    let erased: Vec<Ns> = drive
        .counted
        .iter()
        .filter_map(|counted| if let Counted::WornErased(since) = counted { Some(*since) } else { None })
        .collect();
    assert_eq!((erased, drive.count(&Counted::Worn)), (vec![worn], 1));
}

#[test]
fn an_open_block_at_the_hard_limit_is_closed_early_and_reclaimed() {
    let mut drive = drive(&[], false);
    let open = drive.superblock(32);
    drive.decisions.push_back(Decision::Superblock);
    drive.read_often(32, 11);
    assert_eq!((drive.ftl.blocks().state(open), drive.count(&Counted::ClosedEarly)), (BlockState::Open, 0));
    drive.read_often(32, 1);
    assert_eq!(drive.count(&Counted::ClosedEarly), 1);
    drive.run_dry();
    assert_eq!((drive.moved(Cause::ReadReclaim), drive.ftl.blocks().state(open)), (4, BlockState::Free));
    assert_eq!(drive.count(&Counted::Reclaims { over_limit: true }), 1);
    // The host goes on elsewhere.
    drive.write_in_turn([36]);
    assert!(drive.superblock(36) != drive.superblock(32));
}

#[test]
fn what_is_over_the_limit_goes_before_all_else_until_it_is_erased() {
    let mut drive = drive(&[], false);
    drive.read_often(0, 11);
    assert_eq!(drive.flash.urgent(), 0);
    drive.decisions.push_back(Decision::Superblock);
    drive.read_often(0, 1);
    let classes = [Class::ReclaimRead, Class::ReclaimProgram, Class::ReclaimErase];
    let urgent = classes.iter().fold(0, |mask, class| mask | 1 << class.index());
    assert_eq!(drive.flash.urgent() & urgent, urgent);
    let erased = drive.told.len();
    drive.run_until(|drive| drive.story(erased).iter().any(|told| told.1 == Event::Erased(drive.at(0, 0))));
    assert_eq!(drive.flash.urgent(), 0);
    assert_eq!(drive.count(&Counted::OverLimit), 1);
}

#[test]
fn a_drive_that_comes_to_rest_reclaims_nothing() {
    let mut drive = drive(&[], false);
    drive.ftl.wind_down(true);
    reclaimed(&mut drive, 0, Decision::Superblock);
    assert_eq!((drive.worn.len(), drive.moved(Cause::ReadReclaim)), (0, 0));
    drive.ftl.wind_down(false);
    drive.read_often(0, 1);
    drive.run_dry();
    assert_eq!((drive.worn.len(), drive.moved(Cause::ReadReclaim)), (1, 8));
}

#[test]
fn a_block_that_collection_empties_anyway_is_not_asked_about() {
    let mut drive = drive(&[], false);
    drive.empty(drive.at(0, 0), Cause::Gc);
    let reads: Vec<u32> = (0..10).map(|_| drive.read(7)).collect();
    drive.run_dry();
    assert!(reads.iter().all(|&read| drive.done(read).is_some()));
    assert_eq!(
        (drive.worn.len(), drive.moved(Cause::Gc), drive.ftl.domain_of(drive.place(7))),
        (0, 8, DomainId(0))
    );
}
