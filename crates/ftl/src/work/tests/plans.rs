//! Plans: pages go where they are pinned, in order, and what is emptied is erased.

use super::harness::{Alone, READ};
use crate::blocks::BlockState;
use crate::events::Event;
use crate::plan::{Pin, Plan, Step};
use wordline_base::class::Cause;
use wordline_base::ids::{Ppa, SuperblockId};

/// A drive with 40 pages, the superblock of the first of them, and its places in order.
fn drive() -> (Alone, SuperblockId, Vec<Ppa>) {
    let mut drive = Alone::new(&[]);
    drive.write_in_turn(0..40);
    let source = drive.superblock(0);
    let places = (0..8).map(|unit| drive.ftl.unit_at(source, unit)).collect();
    (drive, source, places)
}

/// The pages of the places of a superblock.
fn pages(drive: &Alone, superblock: SuperblockId) -> Vec<Option<u32>> {
    let page = |unit| drive.ftl.valid_lpa(drive.ftl.unit_at(superblock, unit)).map(|lpa| lpa.0);
    (0..8).map(page).collect()
}

#[test]
fn pages_move_to_a_fresh_superblock_in_the_order_of_the_plan_and_the_source_is_erased() {
    let (mut drive, source, mut places) = drive();
    let before = pages(&drive, source);
    places.reverse();
    let domain = drive.ftl.blocks().split(source).0;
    drive.plan(3, Plan::into_fresh(Cause::ReadReclaim, domain, source, &places));
    drive.run_dry();
    let there = drive.superblock(0);
    let mut reversed = before;
    reversed.reverse();
    assert_eq!(pages(&drive, there), reversed);
    assert_eq!(drive.ftl.blocks().state(source), BlockState::Free);
    assert_eq!(drive.told.iter().filter(|told| told.0 == 3).count(), 1);
    assert!(drive.told.contains(&(3, Event::PlanDone(0))));
}

#[test]
fn the_place_of_a_page_that_was_overwritten_stays_unused() {
    let (mut drive, source, places) = drive();
    let domain = drive.ftl.blocks().split(source).0;
    let overwritten = pages(&drive, source)[2].unwrap();
    let kept = pages(&drive, source)[3].unwrap();
    drive.plan(0, Plan::into_fresh(Cause::ReadReclaim, domain, source, &places));
    drive.write(overwritten);
    drive.run_dry();
    let there = drive.superblock(kept);
    assert_eq!((pages(&drive, there)[2], pages(&drive, there)[3]), (None, Some(kept)));
    assert!(drive.superblock(overwritten) != there);
}

#[test]
fn holes_of_a_span_are_passed_over() {
    let (mut drive, source, places) = drive();
    let domain = drive.ftl.blocks().split(source).0;
    let with_holes: Vec<Ppa> =
        (0..8).map(|unit| if unit % 2 == 0 { places[unit / 2] } else { Ppa::NONE }).collect();
    let first = pages(&drive, source);
    drive.plan(0, Plan::into_fresh(Cause::Migration, domain, source, &with_holes));
    drive.run_dry();
    // Four pages are not of the plan: they stay, and so does their superblock.
    assert_eq!(drive.ftl.blocks().state(source), BlockState::Full);
    assert_eq!(drive.ftl.blocks().valid(source), 4);
    let there = drive.superblock(first[0].unwrap());
    let expected: Vec<Option<u32>> =
        (0..8).map(|unit| if unit % 2 == 0 { first[unit / 2] } else { None }).collect();
    assert_eq!(pages(&drive, there), expected);
}

#[test]
fn pages_without_a_pin_go_where_pages_of_their_domain_go() {
    let (mut drive, source, places) = drive();
    let domain = drive.ftl.blocks().split(source).0;
    let steps = vec![Step { pages: places, pin: Pin::Any }];
    drive.plan(0, Plan { cause: Cause::Migration, destinations: vec![], steps, erase: vec![source] });
    drive.run_dry();
    assert_eq!(drive.moved(Cause::Migration), 8);
    assert_eq!(drive.ftl.blocks().state(source), BlockState::Free);
    assert!((0..40).all(|lpa| drive.superblock(lpa) != source));
    assert_eq!(drive.ftl.blocks().split(drive.superblock(0)).0, domain);
}

#[test]
fn a_read_that_comes_while_its_page_moves_is_served_and_finds_the_page() {
    let (mut drive, source, places) = drive();
    let domain = drive.ftl.blocks().split(source).0;
    drive.plan(0, Plan::into_fresh(Cause::ReadReclaim, domain, source, &places));
    drive.run(drive.now() + READ + 1);
    let reads: Vec<u32> = (0..40).map(|lpa| drive.read(lpa)).collect();
    drive.run_dry();
    assert!(reads.iter().all(|&read| drive.done(read).is_some()));
}

#[test]
#[should_panic(expected = "unit 1 of destination 0: allowed: 2 (behind the last one used) to 7")]
fn a_plan_that_goes_back_is_refused() {
    let (mut drive, source, places) = drive();
    let domain = drive.ftl.blocks().split(source).0;
    let exact = |unit| Pin::Exact(crate::plan::Place { destination: 0, unit });
    let steps =
        vec![Step { pages: vec![places[0]], pin: exact(1) }, Step { pages: vec![places[1]], pin: exact(1) }];
    drive.plan(0, Plan { cause: Cause::Migration, destinations: vec![domain], steps, erase: vec![] });
}
