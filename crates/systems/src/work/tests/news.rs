//! Who is told of what, and what they ask for.

use super::harness::{Alone, Heard, Toy};
use crate::action::Action;
use crate::events::{Access, Distance, Event, ReadEvent};
use crate::policies::SystemPolicy;
use crate::watches::Watches;
use crate::work::{accessed, fetch, plan_started, read_done, tell, tell_one};
use wordline_base::class::Cause;
use wordline_base::ids::{DieId, Lpa, Ppa, SuperblockId};

const ERASED: Event = Event::Erased(SuperblockId(3));

/// The read of a page, where the drive of these tests has it.
fn read(lpa: u32) -> ReadEvent {
    ReadEvent { lpa: Lpa(lpa), ppa: Ppa(100 + lpa), die: DieId(lpa), flow: 0, joins: false }
}

#[test]
fn those_that_watch_are_told_in_the_order_of_their_numbers_and_others_are_not() {
    let watches = Watches::ERASED.and(Watches::MOVED);
    let mut drive = Alone::with(&[("a", watches), ("b", Watches::MOVED), ("c", Watches::ERASED)], |_| {});
    tell(&mut drive, &ERASED);
    assert_eq!(drive.heard(), [("a", Heard::Told(ERASED)), ("c", Heard::Told(ERASED))]);
}

#[test]
fn each_event_is_told_to_those_that_watch_for_it_alone() {
    let (lpa, ppa, superblock) = (Lpa(1), Ppa(2), SuperblockId(3));
    let events = [
        (Watches::READ, Event::Read(read(1))),
        (Watches::READ_DONE, Event::ReadDone(read(1))),
        (Watches::WRITTEN, Event::Written { lpa, old: ppa, new: ppa }),
        (Watches::MOVED, Event::Moved { lpa, old: ppa, new: ppa, cause: Cause::Gc }),
        (Watches::TRIMMED, Event::Trimmed { lpa, old: ppa }),
        (Watches::ALLOCATED, Event::Allocated { lpa, ppa }),
        (Watches::INVALIDATED, Event::Invalidated(ppa)),
        (Watches::COLLECTED, Event::Collected(superblock)),
        (Watches::ERASED, Event::Erased(superblock)),
        (Watches::PROGRAMMED, Event::Programmed(superblock)),
        (Watches::TRANSLATION, Event::Loaded { page: 1, lpa }),
        (Watches::TRANSLATION, Event::WrongGuess { lpa, guessed: ppa, found: lpa }),
        (Watches::IDLE, Event::Idle),
    ];
    for (watches, event) in events {
        let mut drive = Alone::with(&[("it", watches)], |_| {});
        for (_, other) in events {
            tell(&mut drive, &other);
        }
        let heard = drive.heard();
        assert!(heard.contains(&("it", Heard::Told(event))));
        let same = events.iter().filter(|(of, _)| *of == watches).count();
        assert_eq!(heard.len(), same, "{event:?}");
    }
}

#[test]
fn what_concerns_one_system_alone_is_told_to_that_whatever_it_watches_for() {
    let mut drive = Alone::with(&[("a", Watches::ERASED), ("b", Watches::NOTHING)], |_| {});
    tell_one(&mut drive, 1, &Event::PlanDone(0));
    tell(&mut drive, &Event::PlanDone(1));
    assert_eq!(drive.heard(), [("b", Heard::Told(Event::PlanDone(0)))]);
    tell_one(&mut drive, 2, &Event::Woken);
    assert_eq!(drive.heard(), [], "there is none of this number");
}

#[test]
fn an_end_of_programs_is_told_to_the_system_of_a_superblock_if_any_watches_for_that() {
    let event = Event::Programmed(SuperblockId(3));
    let mut drive = Alone::with(&[("a", Watches::NOTHING), ("b", Watches::ERASED)], |_| {});
    tell_one(&mut drive, 0, &event);
    assert_eq!(drive.heard(), []);
    let mut drive = Alone::with(&[("a", Watches::PROGRAMMED)], |_| {});
    tell_one(&mut drive, 0, &event);
    assert_eq!(drive.heard(), [("a", Heard::Told(event))]);
}

#[test]
fn what_they_ask_for_is_done_in_its_order_when_the_event_is_over() {
    let mut drive = Alone::with(&[("a", Watches::ERASED), ("b", Watches::ERASED)], |toy| {
        toy.asks = [Action::AskAgain, Action::Close(SuperblockId(7))].into();
    });
    tell(&mut drive, &ERASED);
    tell(&mut drive, &ERASED);
    assert_eq!(drive.acts, []);
    let close = || Action::Close(SuperblockId(7));
    let expected =
        [(0, None, Action::AskAgain), (1, None, Action::AskAgain), (0, None, close()), (1, None, close())];
    assert_eq!(drive.finish(), expected);
    assert_eq!(drive.finish(), []);
}

#[test]
fn what_is_done_may_make_them_ask_for_more_which_is_done_too() {
    let empty = || Action::Empty(SuperblockId(3), Cause::Migration);
    let mut drive = Alone::with(&[("a", Watches::ERASED)], |toy| {
        toy.asks = [empty(), Action::AskAgain].into();
    });
    tell(&mut drive, &ERASED);
    assert_eq!(drive.finish(), [(0, None, empty()), (0, None, Action::AskAgain)]);
    assert_eq!(drive.heard().len(), 2, "the second time it was told of the erase that it had asked for");
}

#[test]
fn what_is_asked_for_at_the_end_of_a_read_carries_that_read() {
    let mut drive = Alone::with(&[("a", Watches::READ_DONE.and(Watches::ERASED))], |toy| {
        toy.asks = [Action::AskAgain, Action::AskAgain].into();
    });
    read_done(&mut drive, Lpa(5), |_| read(5));
    tell(&mut drive, &ERASED);
    let expected = [(0, Some((Lpa(5), Ppa(105))), Action::AskAgain), (0, None, Action::AskAgain)];
    assert_eq!(drive.finish(), expected);
}

#[test]
fn an_end_of_a_read_that_no_system_awaits_is_told_to_none() {
    let mut drive = Alone::with(&[("a", Watches::READ_DONE)], |toy| toy.awaits = false);
    read_done(&mut drive, Lpa(5), |_| panic!("nobody asks which read"));
    assert_eq!(drive.heard(), []);
    // One that awaits it is enough for both.
    let mut toy = Toy::new("b", Watches::NOTHING, &drive.log);
    toy.awaits = true;
    drive.systems.add(SystemPolicy::Custom(Box::new(toy)));
    read_done(&mut drive, Lpa(5), |_| read(5));
    assert_eq!(drive.heard(), [("a", Heard::Told(Event::ReadDone(read(5))))]);
}

#[test]
fn an_entry_is_changed_if_any_system_says_so_and_all_are_told() {
    let access = Access { lpa: Lpa(4), write: false };
    let names = [("a", Watches::ACCESS), ("b", Watches::ERASED), ("c", Watches::ACCESS)];
    for (changing, expected) in [("a", true), ("b", false), ("none", false)] {
        let mut drive = Alone::with(&names, |toy| toy.changes_entries = toy.name == changing);
        assert_eq!(accessed(&mut drive, access), expected);
        assert_eq!(drive.heard(), [("a", Heard::Accessed(access)), ("c", Heard::Accessed(access))]);
    }
}

#[test]
fn the_system_of_a_plan_says_whether_it_keeps_what_was_opened() {
    let mut drive =
        Alone::with(&[("a", Watches::NOTHING), ("b", Watches::NOTHING)], |toy| toy.keeps = toy.name == "b");
    let kept: Vec<bool> = (0..3).map(|number| plan_started(&mut drive, number, 0, &[])).collect();
    assert_eq!(kept, [false, true, false]);
}

#[test]
fn systems_fetch_ahead_where_one_does_for_pages_that_hold_something() {
    let fetches = |name: &'static str| {
        let drive = Alone::with(&[("a", Watches::NOTHING)], |toy| toy.fetches = toy.name == name);
        [3, 99].into_iter().for_each(|lpa| fetch(&drive, Lpa(lpa), Distance::Far));
        drive.heard()
    };
    assert_eq!(fetches("a"), [("a", Heard::Fetches(Lpa(3), DieId(3), Distance::Far))]);
    assert_eq!(fetches("b"), []);
}
