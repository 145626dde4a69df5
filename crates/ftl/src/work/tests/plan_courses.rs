//! Plans: when they begin, what they read ahead, and what ends them.

use super::harness::{Alone, PROGRAM, READ};
use crate::blocks::BlockState;
use crate::events::Event;
use crate::plan::{Pin, Place, Plan, Step};
use crate::work::{Counted, ask_for_plan_of};
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, PlaneId, Ppa};

const DOMAIN: DomainId = DomainId(0);

fn places(drive: &Alone, block: u32) -> Vec<Ppa> {
    (0..8).map(|unit| drive.ftl.unit_at(drive.at(0, block), unit)).collect()
}

fn exact(destination: usize, unit: u32) -> Pin {
    Pin::Exact(Place { destination, unit })
}

/// One plane of 16 blocks of which two are free: block 0 has one valid page of eight, the other blocks more.
fn nearly_full() -> Alone {
    let mut drive = Alone::one_plane(&[]);
    drive.write_in_turn(0..64);
    drive.write_in_turn((0..7).chain((8..64).filter(|lpa| lpa % 8 < 6)).take(48));
    drive.run_dry();
    assert_eq!(drive.ftl.domain_states()[0].free.len(), 2);
    drive
}

/// A plan that puts pages of a block into two fresh ones.
fn into_two(drive: &Alone, block: u32) -> Plan {
    let steps =
        (0..2).map(|number| Step { pages: vec![places(drive, block)[6 + number]], pin: exact(number, 0) });
    let (cause, steps) = (Cause::Migration, steps.collect());
    Plan { cause, destinations: vec![DOMAIN, DOMAIN], steps, erase: vec![] }
}

#[test]
fn a_plan_waits_until_a_block_can_be_spared_for_each_destination_and_collection_wins_what_is_missing() {
    let mut drive = nearly_full();
    let plan = into_two(&drive, 4);
    drive.plan(0, plan);
    // It needs two beside the reserve.
    assert_eq!((drive.opened.len(), drive.ftl.domain_states()[0].demand), (0, 3));
    assert!(drive.run_until(|drive| !drive.opened.is_empty()));
    assert!(drive.told.iter().any(|told| matches!(told.1, Event::Erased(_))));
    assert_eq!((drive.opened.len(), drive.ftl.domain_states()[0].demand), (2, 0));
    drive.run_dry();
    assert!(drive.told.contains(&(0, Event::PlanDone(0))) && drive.moved(Cause::Migration) == 2);
}

#[test]
fn a_plan_whose_pages_collection_has_erased_before_it_began_ends_with_nothing_done() {
    let mut drive = nearly_full();
    // Block 0 is what collection takes first, and page 7 is all that it holds.
    let plan = into_two(&drive, 0);
    drive.plan(0, plan);
    drive.run_dry();
    assert!(drive.told.contains(&(0, Event::PlanDone(0))));
    assert_eq!((drive.moved(Cause::Migration), drive.opened.len()), (0, 0));
    assert_eq!(drive.ftl.domain_states()[0].demand, 0);
}

#[test]
fn pages_of_a_program_unit_are_programmed_when_the_last_of_them_is_read() {
    let mut drive = Alone::new(&[("scheme.blocks.superblock", "drive")]);
    drive.write_in_turn(0..36);
    let source = drive.superblock(0);
    let pages: Vec<Ppa> = (0..6).map(|unit| drive.ftl.unit_at(source, unit)).collect();
    let (begin, from) = (drive.now(), drive.told.len());
    let pin = Pin::Span { first: Place { destination: 0, unit: 0 }, holes: vec![] };
    let steps = vec![Step { pages, pin }];
    drive.plan(0, Plan { cause: Cause::Migration, destinations: vec![DOMAIN], steps, erase: vec![] });
    drive.run_dry();
    let story = drive.story(from).into_iter();
    let moved: Vec<u64> =
        story.filter(|(_, event)| matches!(event, Event::Moved { .. })).map(|(at, _)| at - begin).collect();
    // As collection's: the second row's two pages are read before the first row is programmed on their dies.
    assert_eq!(moved, [10_010, 10_010, 20_010, 20_010, 120_015, 120_015]);
}

#[test]
fn a_plan_for_idle_times_moves_page_by_page_and_ends_with_the_next_request() {
    let mut drive = Alone::one_plane(&[]);
    drive.write_in_turn(0..9);
    let pages = places(&drive, 0);
    let plan = |pages: &[Ppa]| {
        let steps = vec![Step { pages: pages.to_vec(), pin: Pin::Any }];
        Plan { cause: Cause::Migration, destinations: vec![], steps, erase: vec![] }
    };
    let (begin, first) = (drive.now(), plan(&pages));
    drive.act(|drive| ask_for_plan_of(drive, 0, first, true));
    // Two pages are programmed, the third is being read.
    drive.run(begin + 2 * (READ + PROGRAM) + 1);
    drive.ftl.end_idle_plans();
    drive.run_dry();
    assert_eq!((drive.moved(Cause::Migration), drive.now()), (2, begin + 2 * (READ + PROGRAM) + READ));
    assert!(drive.told.contains(&(0, Event::PlanDone(0))));
    // One that isn't for idle times goes on.
    let second = plan(&pages[2..]);
    drive.plan(0, second);
    drive.ftl.end_idle_plans();
    drive.run_dry();
    assert_eq!((drive.moved(Cause::Migration), drive.ftl.blocks().valid(drive.at(0, 0))), (8, 0));
}

#[test]
fn sources_are_counted_as_emptied_when_the_plan_begins_and_given_back_if_something_stays() {
    let mut drive = Alone::one_plane(&[]);
    drive.write_in_turn(0..20);
    let (source, pages) = (drive.at(0, 0), places(&drive, 0));
    let steps = vec![Step { pages: pages[..5].to_vec(), pin: Pin::Any }];
    drive.plan(
        0,
        Plan { cause: Cause::Migration, destinations: vec![], steps, erase: vec![source, drive.at(0, 1)] },
    );
    assert_eq!(drive.count(&Counted::Emptied(Cause::Migration)), 2);
    let state = |drive: &Alone, block| drive.ftl.blocks().state(drive.at(0, block));
    assert_eq!([0, 1].map(|block| state(&drive, block)), [BlockState::Collecting; 2]);
    drive.run_dry();
    assert_eq!([0, 1].map(|block| state(&drive, block)), [BlockState::Full; 2]);
    assert!(drive.ftl.domain_states()[0].collector.planned.is_empty());
}

#[test]
fn pages_without_a_pin_go_to_the_planes_that_a_system_leaves_where_it_is_asked_about_moves() {
    for (asks, plane) in [(true, PlaneId(3)), (false, PlaneId(0))] {
        let mut drive = Alone::new(&[("scheme.placement.policy", if asks { "dynamic" } else { "static" })]);
        drive.write_in_turn(0..40);
        let lpas: Vec<u32> = drive.held(drive.at(0, 0)).into_iter().flatten().collect();
        drive.ftl.note_who_places_moves(asks);
        drive.answers.allowed = asks.then(|| vec![PlaneId(3)]);
        let steps = vec![Step { pages: places(&drive, 0), pin: Pin::Any }];
        let erase = vec![drive.at(0, 0)];
        drive.plan(0, Plan { cause: Cause::Migration, destinations: vec![], steps, erase });
        drive.run_dry();
        assert!(lpas.iter().all(|&lpa| drive.ftl.geometry().plane_of(drive.place(lpa)).0 == plane));
    }
}

#[test]
fn what_collection_moves_goes_to_the_plane_that_a_system_leaves_if_that_has_space_to_spare() {
    for (busy, plane) in [(false, PlaneId(3)), (true, PlaneId(0))] {
        let mut drive = Alone::new(&[("scheme.placement.policy", "dynamic")]);
        drive.write_in_turn(0..40);
        let lpas: Vec<u32> = drive.held(drive.at(0, 0)).into_iter().flatten().collect();
        drive.ftl.note_who_places_moves(true);
        if busy {
            // A domain that empties superblocks itself counts on the places that it has.
            drive.empty(drive.at(3, 0), Cause::WearLevelling);
        }
        drive.answers.allowed = Some(vec![PlaneId(3)]);
        drive.empty(drive.at(0, 0), Cause::WearLevelling);
        drive.run_dry();
        assert!(lpas.iter().all(|&lpa| drive.ftl.geometry().plane_of(drive.place(lpa)).0 == plane), "{busy}");
    }
}
