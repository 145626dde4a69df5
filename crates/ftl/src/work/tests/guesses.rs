//! Guesses: a place is read where a system supposes a page, and what is there decides.

use super::harness::{Alone, PROGRAM, READ, fault};
use crate::events::Event;
use crate::mapping::Found;
use crate::work::Counted;
use wordline_base::ids::{Lpa, Ppa};

/// One plane with pages 0 to 9, whose system is asked where pages are.
fn drive() -> Alone {
    let mut drive = Alone::one_plane(&[]);
    drive.write_in_turn(0..10);
    drive.ftl.ask_systems_for_places();
    drive
}

/// Has the system suppose a page where another one is.
fn suppose(drive: &mut Alone, lpa: u32, where_is: u32) -> Ppa {
    let ppa = drive.place(where_is);
    drive.answers.finds.insert(lpa, Found::Guess(ppa));
    ppa
}

fn guesses(drive: &Alone) -> [usize; 4] {
    let [wrong, outdated] = [false, true].map(|outdated| Counted::GuessWrong { outdated });
    let right = [false, true].map(|write| drive.count(&Counted::GuessRight { write })).iter().sum();
    let [wrong, outdated, withdrawn] =
        [wrong, outdated, Counted::GuessWithdrawn].map(|what| drive.count(&what));
    [right, wrong, outdated, withdrawn]
}

#[test]
fn a_right_guess_costs_one_read_and_a_wrong_one_another() {
    for (where_is, took, counted) in [(3, READ, [1, 0, 0, 0]), (4, 2 * READ, [0, 1, 0, 0])] {
        let mut drive = drive();
        let guessed = suppose(&mut drive, 3, where_is);
        let begin = drive.now();
        let read = drive.read(3);
        drive.run_dry();
        assert_eq!((drive.done(read), guesses(&drive)), (Some(begin + took), counted), "{where_is}");
        let wrong = Event::WrongGuess { lpa: Lpa(3), guessed, found: Lpa(where_is) };
        assert_eq!(drive.told.contains(&(99, wrong)), where_is == 4);
        assert_eq!(drive.found.len(), 1);
    }
}

#[test]
fn a_guess_of_where_a_page_was_before_finds_it_outdated_if_its_block_is_full() {
    for (lpa, found, counted) in [(3, Lpa(3), [0, 0, 1, 0]), (9, Lpa::NONE, [0, 1, 0, 0])] {
        let mut drive = drive();
        // Block 0 is full, block 1 with page 9 is open: its table may tell of what was there before its erase.
        let guessed = suppose(&mut drive, lpa, lpa);
        drive.answers.finds.clear();
        drive.write_in_turn([lpa]);
        drive.answers.finds.insert(lpa, Found::Guess(guessed));
        drive.read(lpa);
        drive.run_dry();
        assert_eq!(guesses(&drive), counted);
        assert!(drive.told.contains(&(99, Event::WrongGuess { lpa: Lpa(lpa), guessed, found })));
    }
}

#[test]
fn a_guess_that_became_wrong_while_it_waited_is_withdrawn_if_its_system_knows() {
    for (knows, counted) in [(true, [0, 0, 0, 1]), (false, [0, 0, 1, 0])] {
        let mut drive = Alone::new(&[("scheme.placement.policy", "dynamic")]);
        drive.answers.allowed = Some(vec![wordline_base::ids::PlaneId(0)]);
        drive.write_in_turn(0..9);
        drive.ftl.ask_systems_for_places();
        suppose(&mut drive, 3, 3);
        // The die programs while the page is rewritten on another channel.
        drive.write(20);
        let (begin, read) = (drive.now(), drive.read(3));
        drive.answers.allowed = Some(vec![wordline_base::ids::PlaneId(2)]);
        drive.write(3);
        if knows {
            drive.answers.finds.clear();
        }
        drive.run_dry();
        assert_eq!(guesses(&drive), counted, "{knows}");
        let in_vain = if knows { 0 } else { READ };
        assert_eq!(drive.done(read), Some(begin + PROGRAM + in_vain + READ), "{knows}");
    }
}

#[test]
fn a_guess_suffices_for_a_write_of_a_whole_page_and_a_part_builds_on_what_is_there() {
    let mut drive = drive();
    suppose(&mut drive, 3, 5);
    let begin = drive.now();
    let whole = drive.write(3);
    drive.run_until_done(whole);
    assert_eq!((drive.done(whole), guesses(&drive)), (Some(begin + PROGRAM), [0; 4]));
    for where_is in [6, 7] {
        suppose(&mut drive, 6, where_is);
        let part = drive.write_some(6, 512);
        drive.run_until_done(part);
    }
    drive.run_dry();
    assert_eq!(guesses(&drive), [1, 1, 0, 0]);
    assert_eq!(drive.count(&Counted::GuessRight { write: true }), 1);
}

#[test]
fn a_part_of_a_page_is_written_in_the_same_time_whether_its_place_is_known_or_guessed() {
    for guesses in [false, true] {
        let mut drive = drive();
        if guesses {
            suppose(&mut drive, 6, 6);
        }
        let begin = drive.now();
        let part = drive.write_some(6, 512);
        drive.run_until_done(part);
        assert_eq!(drive.done(part), Some(begin + READ + PROGRAM), "{guesses}");
    }
}

#[test]
fn answers_that_cannot_be_are_faults_that_name_them() {
    let table: [(Found, &str); 4] = [
        (Found::Known(Ppa(5)), "the mapping answered Known(Ppa(5)) for Lpa(3), but it is at Ppa(3)"),
        (Found::Load(0), "the mapping answered Load(0) for Lpa(3), of 0 translation pages"),
        (Found::Guess(Ppa(128)), "the mapping answered Guess(Ppa(128)) for Lpa(3), of 128 physical pages"),
        (
            Found::Guess(Ppa(4)),
            "the mapping answered Guess(Ppa(4)) for Lpa(3), again, the answer to question 17 about it",
        ),
    ];
    for (found, expected) in table {
        let mut drive = drive();
        drive.answers.insists = true;
        drive.answers.finds.insert(3, found);
        let error = fault(|| {
            drive.read(3);
            drive.run_dry();
        });
        assert!(error.ends_with(expected), "{error}");
    }
}
