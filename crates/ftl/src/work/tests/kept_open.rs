//! Superblocks that a system keeps open: from plan to plan, and for programs of the host that it sends there.

use super::harness::{Alone, PROGRAM, READ, fault};
use crate::blocks::BlockState;
use crate::events::{Event, WritePlace};
use crate::plan::{Pin, Place, Plan, Step};
use crate::work::{Counted, ask_again_for_places, close_kept};
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Ppa, SuperblockId};

/// One plane with pages 0 to 19; a system has put pages 0 to 2 into a superblock that it keeps open.
fn drive() -> (Alone, SuperblockId) {
    let mut drive = Alone::one_plane(&[]);
    drive.write_in_turn(0..20);
    drive.answers.keeps_open = true;
    let steps = vec![Step {
        pages: places(&drive, 0..3),
        pin: Pin::Span { first: Place { destination: 0, unit: 0 }, holes: vec![] },
    }];
    drive.plan(0, Plan { cause: Cause::Migration, destinations: vec![DomainId(0)], steps, erase: vec![] });
    drive.run_dry();
    let kept = drive.opened[0];
    (drive, kept)
}

fn places(drive: &Alone, pages: std::ops::Range<u32>) -> Vec<Ppa> {
    pages.map(|lpa| drive.place(lpa)).collect()
}

/// A plan that puts these pages there, one behind the other.
fn on(drive: &Alone, superblock: SuperblockId, unit: u32, pages: std::ops::Range<u32>) -> Plan {
    let pin = |number| Pin::In { superblock, unit: unit + number };
    let steps = places(drive, pages)
        .into_iter()
        .zip(0..)
        .map(|(page, number)| Step { pages: vec![page], pin: pin(number) });
    Plan { cause: Cause::Migration, destinations: vec![], steps: steps.collect(), erase: vec![] }
}

#[test]
fn a_superblock_stays_open_behind_a_plan_and_the_next_goes_on_behind_the_last_unit() {
    let (mut drive, kept) = drive();
    assert_eq!(drive.ftl.blocks().state(kept), BlockState::Open);
    // Its system hears that all that was under way there is programmed.
    let told: Vec<Event> = drive.told.iter().filter(|told| told.0 == 0).map(|told| told.1).collect();
    assert_eq!(told[told.len() - 2..], [Event::PlanDone(0), Event::Programmed(kept)]);
    let plan = on(&drive, kept, 4, 5..7);
    drive.plan(0, plan);
    drive.run_dry();
    let held: Vec<Option<u32>> = [Some(0), Some(1), Some(2), None, Some(5), Some(6), None, None].to_vec();
    assert_eq!((drive.held(kept), drive.ftl.blocks().state(kept)), (held, BlockState::Open));
    let late = on(&drive, kept, 5, 8..9);
    let error = fault(|| drive.plan(0, late));
    assert!(error.contains("unit 5 of destination 0: allowed: 6 (behind the last one used) to 7"), "{error}");
}

#[test]
fn a_superblock_that_is_closed_is_full_or_free_again_if_nothing_was_programmed() {
    let (mut drive, kept) = drive();
    drive.act(|drive| close_kept(drive, 0, kept));
    assert_eq!(drive.ftl.blocks().state(kept), BlockState::Full);
    // A plan whose pages are all given up before it reads them.
    let pages = places(&drive, 10..12);
    let steps =
        vec![Step { pages, pin: Pin::Span { first: Place { destination: 0, unit: 0 }, holes: vec![] } }];
    drive.trim_all(10..12);
    drive.plan(0, Plan { cause: Cause::Migration, destinations: vec![DomainId(0)], steps, erase: vec![] });
    drive.run_dry();
    let (empty, free) = (drive.opened[1], drive.ftl.domain_states()[0].free.len());
    assert_eq!(drive.ftl.blocks().state(empty), BlockState::Open);
    drive.act(|drive| close_kept(drive, 0, empty));
    assert_eq!(
        (drive.ftl.blocks().state(empty), drive.ftl.domain_states()[0].free.len()),
        (BlockState::Free, free + 1)
    );
    drive.run_dry();
}

#[test]
fn what_another_plan_fills_or_another_system_keeps_is_neither_filled_nor_closed() {
    let (mut drive, kept) = drive();
    let plan = on(&drive, kept, 3, 5..8);
    let (other, of_other) = (on(&drive, kept, 6, 8..9), on(&drive, kept, 6, 8..9));
    drive.plan(0, plan);
    let busy = fault(|| drive.plan(0, other));
    assert!(
        busy.contains("SuperblockId(3), which another plan fills: allowed: when that has ended"),
        "{busy}"
    );
    let closed = fault(|| close_kept(&mut drive, 0, kept));
    assert!(closed.contains("the system system 0 closed SuperblockId(3)"), "{closed}");
    drive.run_dry();
    let stolen = fault(|| drive.plan(1, of_other));
    assert!(stolen.contains("allowed: superblocks that the system keeps open"), "{stolen}");
}

#[test]
fn programs_of_the_host_go_where_a_system_sends_them() {
    let (mut drive, kept) = drive();
    drive.answers.places = Some(WritePlace::Into(kept));
    drive.write_in_turn([15, 16]);
    drive.answers.places = Some(WritePlace::At { superblock: kept, unit: 6 });
    drive.write_in_turn([17]);
    drive.answers.places = Some(WritePlace::Free);
    drive.write_in_turn([18]);
    drive.run_dry();
    let held = [Some(0), Some(1), Some(2), Some(15), Some(16), None, Some(17), None];
    assert_eq!((drive.held(kept), drive.superblock(18)), (held.to_vec(), drive.at(0, 2)));
    drive.answers.places = Some(WritePlace::At { superblock: kept, unit: 6 });
    let error = fault(|| {
        drive.write(15);
    });
    assert!(error.contains("sent a program to unit 6 of SuperblockId(3): allowed: 7 to 7"), "{error}");
}

#[test]
fn a_program_that_a_system_has_wait_goes_on_when_it_is_asked_again() {
    let (mut drive, kept) = drive();
    drive.answers.places = Some(WritePlace::Wait);
    let write = drive.write(15);
    drive.run_until(|_| false);
    drive.act(ask_again_for_places);
    assert_eq!((drive.done(write), drive.count(&Counted::Stalled)), (None, 1));
    drive.answers.places = Some(WritePlace::Into(kept));
    drive.act(ask_again_for_places);
    drive.run_dry();
    assert_eq!((drive.done(write).is_some(), drive.superblock(15)), (true, kept));
}

#[test]
fn a_part_of_a_page_that_is_outdated_when_its_place_is_known_is_read_anew() {
    let (mut drive, kept) = drive();
    drive.answers.places = Some(WritePlace::Wait);
    let part = drive.write_some(15, 512);
    drive.run_until(|_| false);
    // The whole page is written meanwhile.
    drive.answers.places = Some(WritePlace::Free);
    drive.write_in_turn([15]);
    let (begin, verified) = (drive.now(), drive.count(&Counted::Verified));
    drive.answers.places = Some(WritePlace::Into(kept));
    drive.act(ask_again_for_places);
    drive.run_dry();
    assert_eq!(drive.count(&Counted::Verified) - verified, 1);
    assert_eq!(drive.done(part), Some(begin + READ + PROGRAM));
    assert_eq!(drive.superblock(15), kept);
}

#[test]
fn a_full_superblock_in_which_nothing_is_valid_is_erased_where_systems_make_space() {
    for collects in [false, true] {
        let mut drive = Alone::one_plane(&[]);
        drive.answers.collects = collects;
        drive.write_in_turn((0..9).chain(0..8));
        drive.run_dry();
        let expected = if collects { BlockState::Free } else { BlockState::Full };
        assert_eq!(drive.ftl.blocks().state(drive.at(0, 0)), expected);
    }
}
