//! Read reclaim: when a worn block is asked about, and what is done about it.

use super::harness::Alone;
use crate::blocks::BlockState;
use crate::events::Event;
use crate::reclaim::Decision;
use crate::work::Counted;
use wordline_base::class::Cause;

/// A drive with 33 pages that reclaims after ten reads.
fn drive() -> Alone {
    let keys = [("scheme.reclaim.policy", "superblock"), ("scheme.reclaim.threshold", "10")];
    let mut drive = Alone::new(&keys);
    drive.write_in_turn(0..33);
    drive
}

#[test]
fn a_block_is_asked_about_with_the_read_that_reaches_the_threshold() {
    let mut drive = drive();
    drive.decisions.push_back(Decision::Superblock);
    let source = drive.superblock(3);
    drive.read_often(3, 9);
    assert!(drive.worn.is_empty());
    drive.read_often(3, 1);
    assert_eq!((drive.worn.len(), drive.worn[0].superblock, drive.worn[0].reads), (1, source, 10));
    drive.run_dry();
    assert_eq!(drive.moved(Cause::ReadReclaim), 8);
    assert_eq!(drive.ftl.blocks().state(source), BlockState::Free);
    assert!(drive.told.contains(&(99, Event::Erased(source))));
    let worn = [Counted::Worn, Counted::Reclaims { over_limit: false }].map(|what| drive.count(&what));
    assert_eq!(worn, [1, 1]);
}

#[test]
fn a_block_that_is_left_is_asked_about_again_with_its_next_read() {
    let mut drive = drive();
    drive.read_often(3, 12);
    assert_eq!(drive.worn.iter().map(|worn| worn.reads).collect::<Vec<_>>(), [10, 11, 12]);
    assert_eq!(drive.moved(Cause::ReadReclaim), 0);
    drive.run_dry();
}

#[test]
fn a_block_whose_reclaim_is_under_way_is_not_asked_about_again() {
    let mut drive = drive();
    drive.decisions.push_back(Decision::Superblock);
    // The moves go on beside the last five.
    drive.read_often(3, 15);
    drive.run_dry();
    assert_eq!(drive.worn.len(), 1);
}

#[test]
fn an_open_block_is_left_alone_until_it_is_full() {
    let mut drive = drive();
    let open = drive.superblock(32);
    assert_eq!(drive.ftl.blocks().state(open), BlockState::Open);
    drive.read_often(32, 15);
    assert!(drive.worn.is_empty());
    drive.decisions.push_back(Decision::Superblock);
    drive.write_in_turn(33..61);
    assert_eq!(drive.ftl.blocks().state(open), BlockState::Full);
    drive.read_often(32, 1);
    assert_eq!(drive.worn.len(), 1);
    drive.run_dry();
}
