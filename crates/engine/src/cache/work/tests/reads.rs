//! Reads: what the cache serves, and what it keeps.

use super::harness::{ACCESS, Alone, Did, READ, UNIT, described};
use wordline_config::cache::CacheKind::{Lru, WriteBuffer};
use wordline_config::cache::ReadAdmission;

#[test]
fn a_dirty_unit_is_served_after_an_access_to_the_dram() {
    let mut drive = Alone::new(&described(WriteBuffer));
    let write = drive.write(3);
    drive.run(1_000);
    let read = drive.read(3);
    drive.run_dry();
    assert_eq!((drive.done(write), drive.done(read)), (Some(ACCESS), Some(1_000 + ACCESS)));
    assert_eq!((drive.counts().read_hits, drive.counts().read_misses, drive.did.len()), (1, 0, 0));
}

#[test]
fn accesses_to_the_dram_go_one_at_a_time() {
    let mut drive = Alone::new(&described(WriteBuffer));
    let both = [drive.write(3), drive.read(3)];
    drive.run_dry();
    assert_eq!(both.map(|request| drive.done(request)), [Some(ACCESS), Some(2 * ACCESS)]);
    assert_eq!(drive.blamed.iter().map(|wait| wait.2).collect::<Vec<_>>(), [ACCESS, 2 * ACCESS]);
}

#[test]
fn what_was_written_back_is_served_where_it_stays_and_read_from_flash_where_not() {
    for (policy, time, reads) in [(Lru, ACCESS, 0), (WriteBuffer, READ, 1)] {
        let mut drive = Alone::new(&described(policy));
        drive.write(3);
        drive.flush();
        drive.run_dry();
        let (now, read) = (drive.now(), drive.read(3));
        drive.run_dry();
        assert_eq!(drive.done(read), Some(now + time), "{policy:?}");
        assert_eq!(drive.counts().read_misses, reads, "{policy:?}");
    }
}

#[test]
fn what_was_read_from_flash_is_kept_where_reads_are_admitted() {
    for (admit_reads, again) in [(ReadAdmission::All, ACCESS), (ReadAdmission::None, READ)] {
        let mut described = described(Lru);
        described.cache.admit_reads = admit_reads;
        let mut drive = Alone::filled(&described);
        let first = drive.read(3);
        drive.run(READ);
        let second = drive.read(3);
        drive.run_dry();
        assert_eq!((drive.done(first), drive.done(second)), (Some(READ), Some(READ + again)));
    }
}

#[test]
fn a_unit_that_is_held_in_part_is_read_for_what_it_lacks_and_then_held() {
    let mut drive = Alone::filled(&described(Lru));
    drive.write_sector(3);
    drive.run(1_000);
    let (sector, whole) = (drive.read_bytes(3 * UNIT, 512), drive.read(3));
    drive.run_dry();
    assert_eq!((drive.done(sector), drive.done(whole)), (Some(1_000 + ACCESS), Some(1_000 + READ)));
    let counts = drive.counts();
    assert_eq!((counts.read_hits, counts.read_misses, counts.read_misses_in_part), (1, 1, 1));
    let (now, again) = (drive.now(), drive.read(3));
    drive.run_dry();
    assert_eq!(drive.done(again), Some(now + ACCESS));
    assert_eq!(drive.dirty.len(), 1, "its sector is still to be written");
}

#[test]
fn the_rest_of_a_unit_that_flash_does_not_have_is_zeros() {
    let mut drive = Alone::new(&described(WriteBuffer));
    drive.write_sector(3);
    drive.run(1_000);
    let read = drive.read(3);
    drive.run_dry();
    assert_eq!((drive.done(read), drive.counts().read_hits), (Some(1_000 + ACCESS), 1));
}

#[test]
fn a_read_that_waits_for_its_plane_is_served_when_its_turn_comes_if_it_was_written_meanwhile() {
    let mut drive = Alone::filled(&described(WriteBuffer));
    drive.read(1);
    let read = drive.read(3);
    drive.run(5_000);
    drive.write(3);
    drive.run_dry();
    assert_eq!(drive.done(read), Some(READ + ACCESS));
    assert_eq!((drive.counts().late_read_hits, &drive.did[..]), (1, &[(0, Did::Read(1))][..]));
}
