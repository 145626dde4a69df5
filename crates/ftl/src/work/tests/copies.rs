//! Further copies: where they are made, whom they serve, and what becomes of them.

use super::harness::{Alone, PROGRAM, READ};
use crate::arrangement::Needs;
use crate::events::Event;
use crate::replicate::{CopyBudget, CopyLoss, CopyTarget};
use wordline_base::ids::{DieId, Lpa};

/// A drive with 40 pages whose system may make two copies.
fn drive() -> Alone {
    let needs = Needs { name: "copier".into(), copies: CopyBudget::Units(2), ..Needs::default() };
    let mut drive = Alone::for_systems(&[], &[needs]);
    drive.write_in_turn(0..40);
    drive
}

fn other_die(drive: &Alone, lpa: u32) -> DieId {
    DieId((drive.die(lpa) + 1) % 4)
}

#[test]
fn a_copy_is_read_and_programmed_on_the_die_that_was_asked_for() {
    let mut drive = drive();
    let die = other_die(&drive, 5);
    let begin = drive.now();
    drive.copy(0, 5, CopyTarget::Die(die));
    drive.run_dry();
    let copies = drive.ftl.copies().of(Lpa(5));
    assert_eq!(copies.len(), 1);
    assert_eq!(drive.ftl.geometry().die_at(copies[0].ppa).0, die);
    assert!(drive.told.contains(&(0, Event::Copied { lpa: Lpa(5), ppa: copies[0].ppa })));
    assert_eq!(drive.now() - begin, READ + PROGRAM);
}

#[test]
fn a_read_goes_to_the_copy_whose_die_is_free() {
    let mut drive = drive();
    let die = other_die(&drive, 5);
    drive.copy(0, 5, CopyTarget::Die(die));
    drive.run_dry();
    // The die of the primary programs.
    let blocker = (0..40).find(|&lpa| lpa != 5 && drive.die(lpa) == drive.die(5)).unwrap();
    while drive.flash.loads()[drive.die(5) as usize] == 0 {
        drive.write(blocker);
    }
    let begin = drive.now();
    let read = drive.read(5);
    drive.run_until_done(read);
    assert!(drive.done(read).unwrap() - begin < PROGRAM);
    drive.run_dry();
}

#[test]
fn an_overwritten_page_loses_its_copies() {
    let mut drive = drive();
    drive.copy(0, 5, CopyTarget::Die(other_die(&drive, 5)));
    drive.run_dry();
    let copy = drive.ftl.copies().of(Lpa(5))[0].ppa;
    drive.write(5);
    drive.run_dry();
    assert!(drive.ftl.copies().of(Lpa(5)).is_empty());
    let dropped = Event::CopyDropped { lpa: Lpa(5), ppa: copy, why: CopyLoss::Written };
    assert!(drive.told.contains(&(0, dropped)));
}

#[test]
fn a_system_gets_no_more_copies_than_it_may_have() {
    let mut drive = drive();
    for lpa in [5, 6, 7] {
        let die = other_die(&drive, lpa);
        drive.copy(0, lpa, CopyTarget::Die(die));
        drive.run_dry();
    }
    let refused = |told: &&(usize, Event)| {
        matches!(told.1, Event::CopyDropped { lpa: Lpa(7), why: CopyLoss::OverBudget, .. })
    };
    assert_eq!(drive.told.iter().filter(refused).count(), 1);
    assert!(drive.ftl.copies().of(Lpa(7)).is_empty());
}

#[test]
fn a_promoted_copy_changes_places_with_its_primary() {
    let mut drive = drive();
    drive.copy(0, 5, CopyTarget::Die(other_die(&drive, 5)));
    drive.run_dry();
    let (primary, copy) = (drive.place(5), drive.ftl.copies().of(Lpa(5))[0].ppa);
    crate::work::promote_copy(&mut drive, 0, Lpa(5), copy);
    assert_eq!((drive.place(5), drive.ftl.copies().of(Lpa(5))[0].ppa), (copy, primary));
    drive.run_dry();
}
