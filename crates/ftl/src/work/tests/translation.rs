//! The map on flash: which look-ups read a page of it, and who shares one.

use super::harness::{Alone, PROGRAM, READ};
use crate::work::Counted;

/// Time of a read of a page of the map, of 512 bytes, ns.
const MAP_READ: u64 = 10_001;

/// A drive whose map has eight entries a page, of which DRAM holds four.
fn drive() -> Alone {
    let keys = [
        ("scheme.mapping.policy", "demand"),
        ("scheme.mapping.cache_bytes", "32"),
        ("scheme.mapping.entry_bytes", "8"),
        ("scheme.mapping.translation_entry_bytes", "64"),
        ("scheme.mapping.translation_page_bytes", "512"),
    ];
    let mut drive = Alone::new(&keys);
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
