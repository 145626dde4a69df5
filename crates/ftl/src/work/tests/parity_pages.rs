//! Parity of logical pages: what is read for it, what is joined, and reads that are rebuilt while their plane collects.

use super::harness::{Alone, PROGRAM, READ};
use crate::work::Counted;
use wordline_base::class::{Cause, Class};
use wordline_base::ids::SuperblockId;

/// Four channels of a plane each. The pages of stripes lie like this, and again from stripe 4 on:
///
/// 0: P 0 1 2    1: 3 P 4 5    2: 6 7 P 8    3: 9 10 11 P
fn empty_drive(keys: &[(&str, &str)]) -> Alone {
    let plain = [
        ("device.geometry.channels", "4"),
        ("device.geometry.ways", "1"),
        ("scheme.redundancy.policy", "parity_pages"),
        ("scheme.gc.rotating", "true"),
    ];
    Alone::new(&[&plain, keys].concat())
}

/// With nine stripes, written one after the other: the first block of each plane is full.
fn drive(keys: &[(&str, &str)]) -> Alone {
    filled(keys, 9)
}

fn filled(keys: &[(&str, &str)], stripes: u32) -> Alone {
    let mut drive = empty_drive(keys);
    for stripe in 0..stripes {
        let write = drive.write_together(&[3 * stripe, 3 * stripe + 1, 3 * stripe + 2]);
        drive.run_until_done(write);
        drive.run_dry();
    }
    drive
}

/// Reads and programs of parity so far.
fn parity(drive: &Alone) -> [usize; 2] {
    [Class::ParityRead, Class::ParityProgram].map(|class| drive.ended(class))
}

/// What is read and programmed for this.
fn taken(drive: &mut Alone, act: impl FnOnce(&mut Alone)) -> [usize; 2] {
    let before = parity(drive);
    act(drive);
    drive.run_dry();
    let after = parity(drive);
    [after[0] - before[0], after[1] - before[1]]
}

#[test]
fn the_fewer_of_the_old_pages_and_the_others_are_read() {
    let mut drive = empty_drive(&[]);
    // Pages that are written, and what is read: the old ones with their parity, or the others of the stripe; of equally many the old.
    let table: [(&[u32], usize); 8] = [
        (&[0], 0),       // nothing else is there
        (&[1], 1),       // the parity (page 0 would do as well)
        (&[2], 1),       // the parity, as nothing was at page 2; the others would be two
        (&[0], 2),       // page 0 and the parity
        (&[0, 1], 1),    // page 2; the old ones would be three
        (&[0, 1, 2], 0), // the stripe is whole
        (&[3, 4, 5, 6], 0),
        (&[3, 4, 6], 1), // page 5; page 6 was alone in its stripe
    ];
    for (number, (pages, reads)) in table.into_iter().enumerate() {
        let stripes = if pages.contains(&6) { 2 } else { 1 };
        let write = |drive: &mut Alone| {
            drive.write_together(pages);
        };
        assert_eq!(taken(&mut drive, write), [reads, stripes], "write {number}");
    }
    // To the parity a page that is trimmed is zeros: its old version and the old parity are read.
    assert_eq!(taken(&mut drive, |drive| drive.trim(0)), [2, 1]);
}

#[test]
fn what_changes_while_pages_are_read_is_joined_and_what_changes_later_takes_a_parity_of_its_own() {
    // Page 0 and the parity; page 1's old version as well.
    let beside = |after: u64| {
        let mut drive = drive(&[]);
        taken(&mut drive, |drive| {
            drive.write(0);
            drive.run(drive.now() + after);
            drive.write(1);
        })
    };
    assert_eq!(beside(READ / 2), [3, 1]);
    // Page 0's plane reads its old version behind the program of the new one.
    assert_eq!(beside(PROGRAM + READ + 100), [4, 2]);
}

/// The first block of the plane of pages 3, 6 and 9 is collected, and its first page is being programmed elsewhere.
fn collecting(keys: &[(&str, &str)]) -> (Alone, SuperblockId) {
    let mut drive = drive(keys);
    let superblock = drive.superblock(3);
    assert!([6, 9].iter().all(|&lpa| drive.superblock(lpa) == superblock));
    drive.empty(superblock, Cause::Gc);
    drive.run_until(|drive| drive.moved(Cause::Gc) == 1);
    (drive, superblock)
}

#[test]
fn a_read_whose_plane_collects_is_rebuilt_in_the_time_of_a_read_and_the_joining() {
    let (mut drive, _) = collecting(&[("scheme.redundancy.xor_ns", "70")]);
    let (begin, read) = (drive.now(), drive.read(9));
    drive.run_until_done(read);
    assert_eq!(drive.done(read), Some(begin + READ + 70));
    let counted = [Counted::BlockedRead, Counted::SourceReads(3), Counted::ReconstructedRead];
    assert_eq!(counted.map(|what| drive.count(&what)), [1, 1, 1]);
    drive.run_dry();
}

#[test]
fn reads_that_are_joined_together_are_done_one_after_the_other() {
    let (mut drive, _) = collecting(&[("scheme.redundancy.xor_ns", "50000")]);
    let begin = drive.now();
    let reads = [drive.read(9), drive.read(6)];
    drive.run_dry();
    // The second one's pages are read behind the first's.
    assert_eq!(reads.map(|read| drive.done(read).unwrap() - begin), [READ + 50_000, 2 * READ + 50_000]);
}

#[test]
fn a_read_waits_where_joining_takes_longer_or_its_stripe_is_changing() {
    let (mut drive, _) = collecting(&[("scheme.redundancy.xor_ns", "200000")]);
    let (begin, read) = (drive.now(), drive.read(9));
    drive.run_until_done(read);
    assert_eq!(drive.count(&Counted::ReconstructedRead), 0);
    assert!(drive.done(read).unwrap() >= begin + PROGRAM);
    drive.run_dry();

    let (mut drive, _) = collecting(&[]);
    drive.write(10);
    let (begin, read) = (drive.now(), drive.read(9));
    drive.run_until_done(read);
    let counted = [Counted::IncompleteRow, Counted::ReconstructedRead].map(|what| drive.count(&what));
    assert_eq!(counted, [1, 0]);
    assert!(drive.done(read).unwrap() >= begin + PROGRAM);
    drive.run_dry();
}

#[test]
fn a_read_whose_plane_began_to_collect_while_it_waited_is_rebuilt_when_its_turn_comes() {
    // Dies of two planes, which copy back on one while they read on the other.
    let keys = [
        ("device.geometry.planes", "2"),
        ("device.copyback.supported", "true"),
        ("device.copyback.blocks", "plane"),
    ];
    let mut drive = filled(&keys, 18);
    let on = |drive: &Alone, plane: u32| -> Vec<u32> {
        let there = |&lpa: &u32| drive.ftl.geometry().plane_of(drive.place(lpa)).0.0 == plane;
        (0..54).filter(there).collect()
    };
    let (other, wanted) = (on(&drive, 1)[0], on(&drive, 0)[3]);
    let begin = drive.now();
    drive.read(other);
    let read = drive.read(wanted);
    drive.empty(drive.superblock(wanted), Cause::Gc);
    drive.run_until_done(read);
    assert_eq!(drive.count(&Counted::ReconstructedRead), 1);
    assert_eq!(drive.done(read), Some(begin + 2 * READ));
    drive.run_dry();
}

#[test]
fn other_moves_than_those_of_collection_are_waited_for() {
    let mut drive = drive(&[]);
    drive.empty(drive.superblock(3), Cause::WearLevelling);
    drive.run_until(|drive| drive.moved(Cause::WearLevelling) == 1);
    let (begin, read) = (drive.now(), drive.read(9));
    drive.run_until_done(read);
    assert_eq!(drive.count(&Counted::BlockedRead), 0);
    assert!(drive.done(read).unwrap() >= begin + PROGRAM);
    drive.run_dry();
}
