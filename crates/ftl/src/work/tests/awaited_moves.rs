//! Pages on their way, where the host waits for their moves.

use super::harness::{Alone, PROGRAM, READ};
use crate::events::Event;
use crate::plan::Plan;
use crate::work::Counted;
use wordline_base::class::Cause;
use wordline_base::ids::Lpa;

/// One plane whose block 0, with pages 0 to 7, is being reclaimed.
fn moving(access: &str) -> Alone {
    let keys = [("scheme.reclaim.policy", "superblock"), ("scheme.reclaim.host_access", access)];
    let mut drive = Alone::one_plane(&keys);
    drive.write_in_turn(0..20);
    let source = drive.at(0, 0);
    let places: Vec<_> = (0..8).map(|unit| drive.ftl.unit_at(source, unit)).collect();
    let domain = drive.ftl.blocks().split(source).0;
    drive.plan(0, Plan::into_fresh(Cause::ReadReclaim, domain, source, &places));
    drive
}

/// When the move of a page took effect for good: its old place is nobody's.
fn moved(drive: &Alone, lpa: u32) -> u64 {
    let old = drive.ftl.unit_at(drive.at(0, 0), lpa);
    drive.story(0).into_iter().find(|&(_, event)| event == Event::Invalidated(old)).unwrap().0
}

#[test]
fn a_read_is_answered_when_its_page_is_moved_without_a_read_of_its_own() {
    let mut drive = moving("wait");
    let begin = drive.now();
    let (read, elsewhere) = (drive.read(2), drive.read(12));
    drive.run_dry();
    assert_eq!(drive.done(read), Some(moved(&drive, 2)));
    // One that isn't moved comes behind the four that are read ahead.
    assert_eq!(drive.done(elsewhere), Some(begin + 5 * READ));
    // Eight reads of the plan, one of the host: the page is verified where it is now.
    assert_eq!(drive.count(&Counted::Verified), 10);
}

#[test]
fn without_waiting_the_page_is_read_at_its_old_place() {
    let mut drive = moving("old_place");
    let begin = drive.now();
    let read = drive.read(2);
    drive.run_dry();
    assert_eq!(drive.done(read), Some(begin + 5 * READ));
    assert!(moved(&drive, 2) > begin + 5 * READ);
}

#[test]
fn writes_follow_the_move_in_the_order_in_which_they_came() {
    let mut drive = moving("wait");
    let writes = [drive.write(2), drive.write(2)];
    let partial = drive.write_some(3, 512);
    drive.run_dry();
    let done = writes.map(|write| drive.done(write).unwrap());
    assert!(moved(&drive, 2) + PROGRAM <= done[0] && done[0] < done[1]);
    assert!(moved(&drive, 3) + READ + PROGRAM <= drive.done(partial).unwrap());
    let written =
        drive.told.iter().filter(|told| matches!(told.1, Event::Written { lpa: Lpa(2), .. })).count();
    assert_eq!(written, 3);
}

#[test]
fn a_read_that_waits_for_a_page_that_is_trimmed_finds_no_data() {
    let mut drive = moving("wait");
    let read = drive.read(7);
    drive.trim(7);
    assert_eq!((drive.done(read), drive.found.last()), (Some(drive.now()), Some(&(Lpa(7), None))));
    drive.run_dry();
    assert_eq!(drive.moved(Cause::ReadReclaim), 7);
}

#[test]
fn what_waits_is_the_caches_to_answer_if_that_has_the_page_by_then() {
    let mut drive = moving("wait");
    let read = drive.read(2);
    drive.answers.cached.insert(2);
    drive.run_dry();
    assert_eq!(drive.done(read), Some(moved(&drive, 2)));
    assert_eq!(drive.count(&Counted::Verified), 8);
}

#[test]
fn moves_of_collection_are_waited_for_by_a_key_of_their_own() {
    for (access, waits) in [("wait", true), ("old_place", false)] {
        let mut drive = Alone::one_plane(&[("scheme.gc.host_access", access)]);
        drive.write_in_turn(0..20);
        drive.empty(drive.at(0, 0), Cause::Gc);
        let begin = drive.now();
        let read = drive.read(7);
        drive.run_dry();
        assert_eq!(drive.done(read) == Some(moved(&drive, 7)), waits, "{access}");
        assert_eq!(drive.done(read).unwrap() <= begin + 5 * READ, !waits, "{access}");
    }
}
