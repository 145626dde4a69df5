//! Copies on their way and afterwards: whence they are read, what they become void by, what they are bounded by, and how they are
//! followed.

use super::harness::{Alone, ERASE, PROGRAM, READ, fault};
use crate::arrangement::Needs;
use crate::events::Event;
use crate::replicate::{CopyBudget, CopyCounters, CopyLoss, CopyTarget, Reservation};
use crate::work::{ask_for_copy, drop_copy, promote_copy};
use wordline_base::class::Cause;
use wordline_base::ids::{DieId, DomainId, Lpa, PlaneId, Ppa};

/// A drive with 40 pages whose two systems may make so many copies each.
fn drive_of(keys: &[(&str, &str)], units: u32, reserved: &[u32]) -> Alone {
    let needs = |name: &str, dies: &[u32]| Needs {
        name: name.into(),
        copies: CopyBudget::Units(units),
        reservation: Reservation { dies: dies.iter().copied().map(DieId).collect(), blocks: 0.0 },
    };
    let mut drive = Alone::for_systems(keys, &[needs("copier", reserved), needs("other", &[])]);
    drive.write_in_turn(0..40);
    drive.run_dry();
    drive
}

fn drive() -> Alone {
    drive_of(&[], 10, &[])
}

/// The die after that of a page.
fn next_die(drive: &Alone, lpa: u32) -> DieId {
    DieId((drive.die(lpa) + 1) % 4)
}

/// Makes a copy on the next die; its place.
fn copied(drive: &mut Alone, lpa: u32) -> Ppa {
    drive.copy(0, lpa, CopyTarget::Die(next_die(drive, lpa)));
    drive.run_dry();
    drive.ftl.copies().of(Lpa(lpa))[0].ppa
}

fn counters(drive: &Alone) -> &CopyCounters {
    &drive.ftl.replication().owners[0].counters
}

/// Why system 0 was told that a page has no copy, in order.
fn losses(drive: &Alone, page: u32) -> Vec<CopyLoss> {
    let loss = |told: &(usize, Event)| match told {
        (0, Event::CopyDropped { lpa, why, .. }) if lpa.0 == page => Some(*why),
        _ => None,
    };
    drive.told.iter().filter_map(loss).collect()
}

#[test]
fn a_copy_of_what_a_read_has_just_brought_needs_no_read_of_its_own() {
    for (read_before, took, extra) in [(true, PROGRAM, 0), (false, READ + PROGRAM, 1)] {
        let mut drive = drive();
        let (begin, to) = (drive.now(), CopyTarget::Die(next_die(&drive, 5)));
        let read = read_before.then(|| (Lpa(5), drive.place(5)));
        drive.act(|drive| ask_for_copy(drive, 0, Lpa(5), to, read));
        drive.run_dry();
        assert_eq!((drive.now() - begin, counters(&drive).extra_reads), (took, extra));
        assert_eq!((counters(&drive).made, counters(&drive).now), (1, 1));
    }
}

#[test]
fn what_is_outdated_or_holds_nothing_is_not_copied() {
    let mut drive = drive();
    let old = drive.place(5);
    drive.write_in_turn([5]);
    let to = CopyTarget::Die(next_die(&drive, 5));
    drive.act(|drive| ask_for_copy(drive, 0, Lpa(5), to, Some((Lpa(5), old))));
    drive.act(|drive| ask_for_copy(drive, 0, Lpa(60), to, None));
    assert_eq!([5, 60].map(|lpa| losses(&drive, lpa)), [[CopyLoss::Outdated], [CopyLoss::Outdated]]);
    assert!(drive.flash.pool.is_empty() && counters(&drive).now == 0);
}

#[test]
fn a_copy_on_its_way_comes_to_nothing_when_its_page_is_written_or_trimmed() {
    for trims in [false, true] {
        // As its read begins, while that is under way, and while its program waits for its die.
        for after in [0, READ / 2, READ + 1] {
            let mut drive = drive();
            let die = next_die(&drive, 5);
            let on_die = (0..40).filter(|&lpa| drive.ftl.plane_by_address(Lpa(lpa)) == Some(PlaneId(die.0)));
            let on_die: Vec<u32> = on_die.take(2).collect();
            drive.write_together(&on_die);
            drive.copy(0, 5, CopyTarget::Die(die));
            drive.run(drive.now() + after);
            if trims {
                drive.trim(5);
            } else {
                drive.write(5);
            }
            drive.run_dry();
            let why = if trims { CopyLoss::Trimmed } else { CopyLoss::Written };
            assert_eq!((losses(&drive, 5), counters(&drive).now), (vec![why], 0), "{trims} {after}");
            assert!(drive.ftl.copies().of(Lpa(5)).is_empty());
        }
    }
}

#[test]
fn a_copy_follows_when_its_block_is_emptied_and_stays_on_its_die() {
    let mut drive = drive();
    let old = copied(&mut drive, 5);
    // Its block is filled with other copies, so that it can be emptied.
    for lpa in (0..40).filter(|&lpa| drive.die(lpa) == drive.die(5) && lpa != 5).take(7).collect::<Vec<_>>() {
        copied(&mut drive, lpa);
    }
    let superblock = drive.ftl.blocks().of(drive.ftl.geometry(), old);
    drive.empty(superblock, Cause::WearLevelling);
    drive.run_dry();
    let new = drive.ftl.copies().of(Lpa(5))[0].ppa;
    let die = |ppa| drive.ftl.geometry().die_at(ppa).0;
    assert!(new != old && die(new) == die(old));
    assert!(drive.told.contains(&(0, Event::CopyMoved { lpa: Lpa(5), old, new })));
    assert_eq!((counters(&drive).moved, counters(&drive).now), (8, 8));
    assert!(drive.told.iter().all(|told| !matches!(told.1, Event::Moved { .. })));
}

#[test]
fn only_the_owner_of_a_copy_drops_or_promotes_it() {
    let mut drive = drive();
    let (copy, primary) = (copied(&mut drive, 5), drive.place(5));
    drive.act(|drive| drop_copy(drive, 1, Lpa(5), copy));
    drive.act(|drive| promote_copy(drive, 1, Lpa(5), copy));
    assert_eq!((drive.ftl.copies().of(Lpa(5)).len(), drive.place(5)), (1, primary));
    drive.act(|drive| drop_copy(drive, 0, Lpa(5), copy));
    assert_eq!((losses(&drive, 5), drive.ftl.copies().of(Lpa(5)).len()), (vec![CopyLoss::Asked], 0));
    assert!(drive.told.contains(&(99, Event::Invalidated(copy))));
    drive.run_dry();
}

#[test]
fn a_promoted_copy_counts_once_wherever_it_goes_and_not_when_the_page_is_written() {
    let mut drive = drive();
    let copy = copied(&mut drive, 5);
    let [from, to] = [drive.place(5), copy].map(|ppa| drive.ftl.domain_of(ppa));
    let extra = |drive: &Alone| [from, to].map(|domain| drive.ftl.replication().extra(domain));
    assert_eq!(extra(&drive), [0, 1]);
    drive.act(|drive| promote_copy(drive, 0, Lpa(5), copy));
    // The primary lies in the copies' space, and the old one is a copy.
    assert_eq!((extra(&drive), counters(&drive).promoted), ([1, 1], 1));
    let back = drive.ftl.copies().of(Lpa(5))[0].ppa;
    drive.act(|drive| promote_copy(drive, 0, Lpa(5), back));
    drive.run_dry();
    drive.write_in_turn([5]);
    drive.run_dry();
    assert_eq!(extra(&drive), [0, 0]);
}

#[test]
fn a_domain_takes_as_many_copies_as_there_is_room_for_beside_what_the_host_may_want() {
    let mut drive = drive_of(&[], 400, &[]);
    let room = drive.ftl.replication().room;
    let mut asked = 0;
    while counters(&drive).all_given_up()[CopyLoss::NoSpace as usize] == 0 {
        assert!(asked < 200);
        drive.copy(0, asked % 40, CopyTarget::Plane(PlaneId(2)));
        drive.run_dry();
        asked += 1;
    }
    assert_eq!(losses(&drive, (asked - 1) % 40).last(), Some(&CopyLoss::NoSpace));
    assert_eq!(
        (u64::from(drive.ftl.replication().extra(DomainId(2))), counters(&drive).made),
        (room.into(), u64::from(asked) - 1)
    );
    assert!(room > 8);
}

#[test]
fn places_on_planes_that_are_not_wanted_are_passed_over_and_stay_unused() {
    let mut drive = drive_of(&[("scheme.blocks.superblock", "drive")], 10, &[]);
    // A row goes over planes 0 to 3 in the domain's order.
    let planes = drive.ftl.domains().planes(DomainId(0)).to_vec();
    for (lpa, column, passed) in [(5, 2, 2), (6, 3, 2), (7, 3, 5), (8, 0, 5)] {
        drive.copy(0, lpa, CopyTarget::Plane(planes[column]));
        drive.run_dry();
        let copy = drive.ftl.copies().of(Lpa(lpa))[0].ppa;
        assert_eq!(drive.ftl.geometry().plane_of(copy).0, planes[column]);
        assert_eq!(counters(&drive).passed_over, passed, "{lpa}");
    }
}

#[test]
fn reserved_dies_hold_copies_of_their_owner_and_nothing_of_the_host() {
    let mut drive = drive_of(&[], 10, &[3]);
    assert!((0..40).all(|lpa| drive.die(lpa) != 3));
    drive.copy(0, 5, CopyTarget::Reserved);
    drive.run_dry();
    assert_eq!(drive.ftl.geometry().die_at(drive.ftl.copies().of(Lpa(5))[0].ppa).0, DieId(3));
    // Another system has no share in it.
    drive.copy(1, 6, CopyTarget::Die(DieId(3)));
    drive.run_dry();
    assert!(drive.ftl.copies().of(Lpa(6)).is_empty());
    let refused = Event::CopyDropped { lpa: Lpa(6), ppa: Ppa::NONE, why: CopyLoss::NoSpace };
    assert!(drive.told.contains(&(1, refused)));
}

#[test]
fn copies_that_cannot_be_are_refused_with_what_is_wrong() {
    let none = CopyBudget::None;
    let needs = [none, CopyBudget::Units(2)].map(|copies| Needs {
        name: "copier".into(),
        copies,
        ..Needs::default()
    });
    let table: [(usize, u32, CopyTarget, &str); 5] = [
        (0, 5, CopyTarget::Die(DieId(0)), "without a budget for copies"),
        (1, 9999, CopyTarget::Die(DieId(0)), "of Lpa(9999), beyond the 256 logical pages"),
        (1, 5, CopyTarget::Die(DieId(4)), "on DieId(4) of a drive of 4 dies"),
        (1, 5, CopyTarget::Plane(PlaneId(4)), "on PlaneId(4) of a drive of 4 planes"),
        (1, 5, CopyTarget::Reserved, "in reserved space, and has none"),
    ];
    for (system, lpa, to, what) in table {
        let mut drive = Alone::for_systems(&[], &needs);
        drive.write_in_turn(0..8);
        let error = fault(|| drive.copy(system, lpa, to));
        assert!(error.ends_with(&format!("the system system {system} asked for a copy {what}")), "{error}");
    }
}

#[test]
fn copies_of_no_page_and_at_no_place_are_refused_and_those_of_others_left_alone() {
    let refused = |act: fn(&mut Alone, usize, Lpa, Ppa), lpa: u32, ppa: u32| {
        let mut drive = drive();
        copied(&mut drive, 5);
        fault(|| drive.act(|drive| act(drive, 0, Lpa(lpa), Ppa(ppa))))
    };
    let beyond = "a copy of Lpa(9999), beyond the 256 logical pages";
    assert!(refused(drop_copy, 9999, 0).ends_with(&format!("dropped {beyond}")));
    assert!(refused(promote_copy, 9999, 0).ends_with(&format!("promoted {beyond}")));
    assert!(refused(drop_copy, 5, 99_999).contains("dropped Ppa(99999), none of the "));
    let mut drive = drive();
    copied(&mut drive, 5);
    drive.act(|drive| drop_copy(drive, 0, Lpa(5), Ppa::NONE));
    assert_eq!(drive.ftl.copies().of(Lpa(5)).len(), 1);
}

#[test]
fn a_read_is_sent_on_once_when_its_die_takes_it_and_another_copy_serves_it_better_by_then() {
    let mut drive = drive();
    copied(&mut drive, 5);
    let [here, there] = [drive.die(5), next_die(&drive, 5).0];
    // The die of the copy erases, that of the primary programs.
    let erased = drive.at(there, 0);
    drive.trim_all(drive.held(erased).into_iter().flatten());
    let blocker =
        (0..40).find(|&lpa| drive.place(lpa).is_some() && drive.die(lpa) == here && lpa != 5).unwrap();
    drive.answers.serves = Some(0);
    let begin = drive.now();
    drive.empty(erased, Cause::WearLevelling);
    drive.write(blocker);
    let read = drive.read(5);
    // Asked again as its turn comes, but not a second time.
    drive.answers.serves = Some(1);
    assert!(drive.run_until(|drive| drive.ftl.replication().reads_sent_on == 1));
    drive.answers.serves = Some(0);
    drive.run_until_done(read);
    assert_eq!(drive.done(read), Some(begin + ERASE + READ));
    drive.run_dry();
    let replication = drive.ftl.replication();
    let counted = (replication.reads_sent_on, counters(&drive).reads, replication.reads_by_primary);
    assert_eq!(counted, (1, 1, 0));
}
