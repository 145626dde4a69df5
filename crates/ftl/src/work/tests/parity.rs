//! Parity of rows: where it is, when it is made, and reads that are rebuilt from it.

use super::harness::{Alone, PROGRAM, READ};
use crate::events::Event;
use crate::plan::{Pin, Place, Plan, Step};
use crate::reclaim::Decision;
use crate::work::Counted;
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DomainId, Lpa};

/// A drive whose superblocks go over its four dies, one page of each row being parity.
fn drive() -> Alone {
    let keys = [
        ("scheme.blocks.superblock", "drive"),
        ("scheme.redundancy.policy", "parity_rows"),
        ("scheme.redundancy.xor_ns", "50"),
        ("scheme.redundancy.when", "any_wait"),
    ];
    let mut drive = Alone::new(&keys);
    drive.write_in_turn(0..48);
    drive.run_dry();
    drive
}

#[test]
fn each_row_has_three_pages_of_data_and_its_parity_on_a_fourth_die() {
    let drive = drive();
    let geometry = drive.ftl.geometry();
    for row in (0..48).step_by(3) {
        let mut dies: Vec<u32> = (row..row + 3).map(|lpa| drive.die(lpa)).collect();
        dies.sort_unstable();
        dies.dedup();
        assert_eq!(dies.len(), 3, "row of page {row}");
        let place = geometry.place(drive.place(row));
        let parity = (0..4).find(|die| !dies.contains(die)).unwrap();
        let plane = wordline_base::ids::PlaneId(parity);
        let there = geometry.first_unit(plane, place.block, place.page);
        assert_eq!(drive.ftl.oob().lpa(there, drive.ftl.layout()), Lpa::PARITY);
    }
}

#[test]
fn a_read_whose_die_programs_is_rebuilt_from_the_rest_of_its_row() {
    let mut drive = drive();
    // Programs on one die only.
    let (mut write, begin) = (100, drive.now());
    while (0..4).filter(|&die| drive.flash.loads()[die] > 0).count() == 0 {
        drive.write(write);
        write += 1;
    }
    let busy = (0..4).find(|&die| drive.flash.loads()[die as usize] > 0).unwrap();
    let blocked = (0..48).find(|&lpa| drive.die(lpa) == busy).unwrap();
    let read = drive.read(blocked);
    drive.run_until_done(read);
    assert_eq!(drive.count(&Counted::ReconstructedRead), 1);
    assert_eq!(drive.count(&Counted::SourceReads(3)), 1);
    let took = drive.done(read).unwrap() - begin;
    assert!((READ + 50..PROGRAM).contains(&took), "{took}");
    drive.run_dry();
}

/// A drive of the same kind with so many pages.
fn empty_drive(keys: &[(&str, &str)]) -> Alone {
    let plain = [("scheme.blocks.superblock", "drive"), ("scheme.redundancy.policy", "parity_rows")];
    Alone::new(&[&plain, keys].concat())
}

#[test]
fn the_parity_of_a_row_is_made_with_the_last_of_its_data() {
    let mut drive = empty_drive(&[]);
    for lpa in 0..13 {
        let begin = drive.now();
        drive.write(lpa);
        drive.run_dry();
        assert_eq!(drive.ended(Class::ParityProgram), (lpa as usize + 1) / 3, "{lpa}");
        // It is programmed beside that, on another die: 5 ns later where both share a channel.
        assert!(drive.now() - begin <= PROGRAM + 5);
        assert_eq!(drive.ftl.row_is_whole(drive.place(lpa)), lpa % 3 == 2);
    }
}

#[test]
fn a_superblock_that_moves_has_the_parity_of_its_full_rows_made_anew() {
    let mut drive = empty_drive(&[]);
    // A superblock of eight rows, and a page behind it; four of its pages are given up.
    drive.write_in_turn(0..25);
    drive.trim_all([0, 5, 10, 23]);
    let (superblock, before) = (drive.superblock(1), drive.ended(Class::ParityProgram));
    drive.empty(superblock, Cause::WearLevelling);
    drive.run_dry();
    // 20 pages: six rows, and two pages of a seventh.
    assert_eq!((drive.moved(Cause::WearLevelling), drive.ended(Class::ParityProgram) - before), (20, 6));
    let whole = (0..24).filter(|&lpa| drive.place(lpa).is_some() && drive.ftl.row_is_whole(drive.place(lpa)));
    assert_eq!(whole.count(), 18);
    assert!(drive.told.contains(&(99, Event::Erased(superblock))));
}

#[test]
fn a_superblock_that_is_closed_early_gets_the_parity_of_the_row_that_was_begun() {
    let keys = [
        ("scheme.reclaim.policy", "superblock"),
        ("scheme.reclaim.threshold", "5"),
        ("scheme.reclaim.hard_limit", "6"),
        ("scheme.redundancy.when", "any_wait"),
    ];
    let mut drive = empty_drive(&keys);
    // A row, and one page of the next.
    drive.write_in_turn(0..4);
    drive.decisions.push_back(Decision::Leave);
    let parities = [5, 6].map(|reads| {
        while drive.flash.disturb().unwrap().counts().block_of(drive.place(0)) < reads {
            let read = drive.read(0);
            drive.run_until_done(read);
        }
        drive.run_dry();
        (drive.count(&Counted::ClosedEarly), drive.ended(Class::ParityProgram))
    });
    assert_eq!(parities, [(0, 1), (1, 2)]);
    assert!(drive.ftl.row_is_whole(drive.place(3)));
    // While the die of page 3 programs, that page is rebuilt from what its row was given: the parity alone.
    let die = drive.die(3);
    while drive.flash.loads()[die as usize] == 0 {
        drive.run_dry();
        drive.write(10);
    }
    let (begin, read) = (drive.now(), drive.read(3));
    drive.run_until_done(read);
    // The data of that program has the channel first.
    assert_eq!((drive.count(&Counted::SourceReads(1)), drive.done(read)), (1, Some(begin + 5 + READ)));
    drive.run_dry();
}

#[test]
fn a_read_whose_row_is_not_whole_or_has_another_busy_die_waits() {
    let on = |drive: &Alone, die: u32| (0..48).find(|&lpa| drive.die(lpa) == die).unwrap();
    let mut drive = drive();
    // Two dies program: no row is left with one that does.
    let first = drive.write_together(&[100, 101]);
    let busy: Vec<u32> = (0..4).filter(|&die| drive.flash.loads()[die as usize] > 0).collect();
    assert!(busy.len() >= 2);
    let read = drive.read(on(&drive, busy[0]));
    drive.run_until_done(read);
    assert_eq!((drive.count(&Counted::BlockedRead), drive.count(&Counted::ReconstructedRead)), (1, 0));
    drive.run_until_done(first);
    drive.run_dry();
    // The row of the page that was written last has no parity yet, while a page moves to a fresh superblock on its die.
    let mut drive = empty_drive(&[("scheme.redundancy.when", "any_wait")]);
    drive.write_in_turn(0..4);
    let plane = |ppa| drive.ftl.geometry().plane_of(ppa).0;
    let fresh = drive.at(0, 15);
    let unit = (0..24).find(|&unit| plane(drive.ftl.unit_at(fresh, unit)) == plane(drive.place(3))).unwrap();
    let pin = Pin::Exact(Place { destination: 0, unit });
    let (cause, steps) = (Cause::Migration, vec![Step { pages: vec![drive.place(0)], pin }]);
    drive.plan(0, Plan { cause, destinations: vec![DomainId(0)], steps, erase: vec![] });
    drive.run_until(|drive| drive.moved(cause) == 1);
    let (begin, read) = (drive.now(), drive.read(3));
    drive.run_until_done(read);
    assert_eq!((drive.count(&Counted::IncompleteRow), drive.done(read)), (1, Some(begin + PROGRAM + READ)));
    drive.run_dry();
}

#[test]
fn a_page_that_is_rewritten_before_all_of_its_row_is_read_is_read_anew() {
    let mut drive = drive();
    // One die programs; another of the row reads for a while.
    let mut next = 100;
    while (0..4).filter(|&die| drive.flash.loads()[die] > 0).count() != 1 {
        drive.run_dry();
        drive.write(next);
        next += 1;
    }
    let busy = (0..4).find(|&die| drive.flash.loads()[die as usize] > 0).unwrap();
    let blocked = (0..48).find(|&lpa| drive.die(lpa) == busy).unwrap();
    let reading: Vec<u32> = (0..48).filter(|&lpa| drive.die(lpa) == (busy + 1) % 4).take(3).collect();
    for lpa in reading {
        drive.read(lpa);
    }
    let read = drive.read(blocked);
    assert_eq!(drive.count(&Counted::SourceReads(3)), 1);
    // The next places are on dies that are free or read.
    drive.write(blocked);
    drive.run_dry();
    assert_eq!([Counted::AbandonedRead, Counted::ReconstructedRead].map(|what| drive.count(&what)), [1, 0]);
    let newest = drive.ftl.versions().unwrap().newest(Lpa(blocked));
    assert!(drive.done(read).is_some() && drive.found.last() == Some(&(Lpa(blocked), Some(newest))));
}
