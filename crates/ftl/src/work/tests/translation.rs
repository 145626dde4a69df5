//! The map on flash: which look-ups read a page of it, and who shares one.

use super::harness::{Alone, PROGRAM, READ};
use crate::work::Counted;
use wordline_base::class::Cause;
use wordline_base::ids::Lpa;

/// Time of a read of a page of the map, of 512 bytes, ns.
const MAP_READ: u64 = 10_001;

/// Eight entries in a page of the map, four of them in DRAM.
const KEYS: [(&str, &str); 5] = [
    ("scheme.mapping.policy", "demand"),
    ("scheme.mapping.cache_bytes", "32"),
    ("scheme.mapping.entry_bytes", "8"),
    ("scheme.mapping.translation_entry_bytes", "64"),
    ("scheme.mapping.translation_page_bytes", "512"),
];

fn drive() -> Alone {
    drive_of(&[])
}

/// A drive of 64 pages none of whose entries in DRAM was changed.
fn drive_of(keys: &[(&str, &str)]) -> Alone {
    let mut drive = Alone::new(&[&KEYS, keys].concat());
    drive.write_in_turn(0..64);
    // What was changed gives way to entries that weren't.
    for lpa in 56..60 {
        drive.read(lpa);
        drive.run_dry();
    }
    drive.counted.clear();
    drive
}

fn loads(drive: &Alone) -> usize {
    drive.count(&Counted::MapLoad)
}

#[test]
fn a_miss_reads_the_page_of_the_map_first_and_a_hit_does_not() {
    let mut drive = drive();
    let begin = drive.now();
    let miss = drive.read(0);
    drive.run_dry();
    assert_eq!((drive.done(miss), loads(&drive)), (Some(begin + MAP_READ + READ), 1));
    let begin = drive.now();
    let hit = drive.read(0);
    drive.run_dry();
    assert_eq!((drive.done(hit), loads(&drive)), (Some(begin + READ), 1));
}

#[test]
fn look_ups_that_wait_for_one_page_of_the_map_share_its_read() {
    let mut drive = drive();
    let reads = [drive.read(0), drive.read(1), drive.read(2)];
    drive.run_dry();
    assert_eq!(loads(&drive), 1);
    assert!(reads.iter().all(|&read| drive.done(read).is_some()));
    let apart = [drive.read(16), drive.read(24)];
    drive.run_dry();
    assert_eq!(loads(&drive), 3);
    assert!(apart.iter().all(|&read| drive.done(read).is_some()));
}

#[test]
fn changed_entries_that_give_way_are_programmed_with_their_page() {
    let mut drive = drive();
    drive.write_in_turn([0, 8, 16, 24, 32, 40]);
    drive.run_dry();
    // Room for four: the changes of two pages, at least, are on flash.
    assert!(drive.count(&Counted::MapWrite { journal: false }) >= 2);
    assert!(drive.ftl.translation().policy.get().dirty_entries() <= 4);
}

#[test]
fn a_write_whose_entry_is_missing_waits_for_it() {
    let mut drive = drive();
    let begin = drive.now();
    let write = drive.write(50);
    drive.run_until_done(write);
    assert!(drive.done(write).unwrap() - begin >= MAP_READ + PROGRAM);
    assert_eq!(loads(&drive), 1);
    drive.run_dry();
}

#[test]
fn a_page_of_the_map_that_was_never_written_is_known_to_be_empty_without_a_read() {
    let mut drive = Alone::new(&KEYS);
    let read = drive.read(100);
    assert_eq!((drive.done(read), loads(&drive), drive.found.last()), (Some(0), 0, Some(&(Lpa(100), None))));
    drive.run_dry();
}

#[test]
fn look_ups_have_a_read_each_where_the_scheme_says_so() {
    let mut drive = drive_of(&[("scheme.mapping.loads", "each")]);
    let begin = drive.now();
    let reads = [0, 1, 2].map(|lpa| drive.read(lpa));
    drive.run_dry();
    assert_eq!(loads(&drive), 3);
    // The second and the third wait for the same flash page, and take one turn; then each reads its own page.
    let done = reads.map(|read| drive.done(read).unwrap() - begin);
    assert_eq!(done[1..], [2 * MAP_READ + READ, 2 * MAP_READ + READ + 5]);
}

#[test]
fn a_look_up_waits_for_the_changed_entry_that_gives_way_to_it_where_the_scheme_says_so() {
    let took = |eviction: &str| {
        let mut drive = drive_of(&[("scheme.mapping.eviction", eviction)]);
        // All four places hold changes of four pages of the map; the oldest gives way.
        drive.write_in_turn([0, 8, 16, 24]);
        drive.run_dry();
        drive.counted.clear();
        let (begin, read) = (drive.now(), drive.read(41));
        drive.run_until_done(read);
        let took = drive.done(read).unwrap() - begin;
        drive.run_dry();
        let counted = [Counted::MapLoad, Counted::MapWriteBackRead, Counted::MapWrite { journal: false }];
        assert_eq!(counted.map(|what| drive.count(&what)), [1, 1, 1], "{eviction}");
        took
    };
    assert_eq!(took("background"), MAP_READ + READ);
    // Its page is read and programmed with the change first.
    assert_eq!(took("foreground"), MAP_READ + MAP_READ + PROGRAM + READ);
}

#[test]
fn a_page_of_the_map_that_changes_while_it_is_programmed_is_programmed_once_more() {
    let mut drive = drive();
    drive.write_in_turn([0, 8, 16, 24]);
    drive.run_dry();
    drive.counted.clear();
    // The change of page 0 gives way, and is programmed...
    drive.read(40);
    let programs = |drive: &Alone| drive.count(&Counted::MapWrite { journal: false });
    assert!(drive.run_until(|drive| programs(drive) == 1));
    drive.run(drive.now() + PROGRAM / 2);
    // ... when another entry of its page changes and gives way too.
    drive.write_in_turn([1]);
    for lpa in [48, 50, 52, 54] {
        drive.write_in_turn([lpa]);
    }
    drive.run_dry();
    let translation = drive.ftl.translation();
    assert!(programs(&drive) >= 2 && translation.works.len() == translation.free.len());
}

#[test]
fn writes_look_up_their_entries_and_moves_do_not() {
    let mut drive = drive();
    let looked_up =
        |drive: &Alone| drive.counted.iter().filter(|what| matches!(what, Counted::LookUp { .. })).count();
    drive.write_in_turn([0, 1]);
    assert_eq!(looked_up(&drive), 2);
    let superblock = drive.superblock(4);
    drive.empty(superblock, Cause::WearLevelling);
    drive.run_dry();
    assert_eq!((looked_up(&drive), drive.moved(Cause::WearLevelling) > 0), (2, true));
}
