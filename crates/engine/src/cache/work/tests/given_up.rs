//! What operations leave that end in vain.

use super::harness::{Alone, Did, PROGRAM, READ, described};
use wordline_base::ids::Lpa;
use wordline_config::cache::CacheKind::{Lru, WriteBuffer};

/// Nothing is under way in the cache or around it.
fn assert_at_rest(drive: &mut Alone) {
    drive.run_dry();
    assert_eq!((drive.cache.audit_rest(), drive.in_flight(), drive.open()), (Ok(()), 0, 0));
}

#[test]
fn a_read_whose_unit_is_trimmed_meanwhile_leaves_nothing_in_the_cache() {
    let mut drive = Alone::filled(&described(Lru));
    let read = drive.read(3);
    drive.run(1_000);
    drive.trim(3);
    assert_at_rest(&mut drive);
    assert_eq!((drive.done(read), drive.cached()), (Some(READ), vec![]));
}

#[test]
fn a_read_whose_unit_is_rewritten_and_programmed_meanwhile_changes_nothing_of_what_is_held() {
    let mut drive = Alone::filled(&described(Lru));
    let read = drive.read(3);
    drive.run(1_000);
    drive.write(3);
    drive.flush();
    assert_eq!(drive.did, [(0, Did::Read(3)), (1_000, Did::Program(3))]);
    assert_at_rest(&mut drive);
    assert_eq!((drive.done(read), drive.cached()), (Some(READ), vec![3]));
    let table = &drive.cache.state.table;
    let slot = table.find(Lpa(3)).unwrap();
    assert_eq!((table.version(slot), table.in_flash(slot), table.is_clean(slot)), (2, 2, true));
}

#[test]
fn a_read_for_the_rest_of_a_unit_is_not_carried_out_when_the_host_has_read_that_meanwhile() {
    let mut drive = Alone::filled(&described(Lru));
    drive.read(3);
    drive.run(1_000);
    drive.write_sector(3);
    drive.flush();
    assert_at_rest(&mut drive);
    assert_eq!(drive.did, [(0, Did::Read(3)), (READ, Did::Program(3))]);
}

#[test]
fn a_read_for_the_rest_of_a_unit_that_is_trimmed_meanwhile_ends_and_nothing_is_programmed() {
    let mut drive = Alone::filled(&described(WriteBuffer));
    drive.write_sector(3);
    let flush = drive.flush();
    drive.run(1_000);
    assert_eq!(drive.did, [(0, Did::Read(3))]);
    drive.trim(3);
    assert_eq!(drive.done(flush), Some(1_000), "nothing is left to wait for");
    assert_at_rest(&mut drive);
    assert_eq!((drive.now(), drive.did.len(), drive.cached()), (READ, 1, vec![]));
}

#[test]
fn a_read_for_the_rest_of_a_unit_that_is_written_whole_meanwhile_is_not_carried_out() {
    let mut drive = Alone::filled(&described(WriteBuffer));
    drive.read(1);
    drive.write_sector(3);
    let flush = drive.flush();
    drive.run(5_000);
    drive.write(3);
    assert_at_rest(&mut drive);
    assert_eq!(drive.did, [(0, Did::Read(1)), (READ, Did::Program(3))]);
    assert_eq!((drive.done(flush), drive.counts().merges), (Some(READ + PROGRAM), 1));
}

#[test]
fn a_unit_that_is_trimmed_while_its_entry_is_looked_up_is_sent_no_further() {
    let mut described = described(WriteBuffer);
    described.looks_up = true;
    let mut drive = Alone::new(&described);
    let write = drive.write_through(3);
    drive.write(5);
    drive.flush();
    drive.run(1_000);
    drive.trim(3);
    drive.trim(5);
    assert_at_rest(&mut drive);
    assert_eq!((drive.done(write), drive.did.len()), (Some(super::harness::LOOK_UP), 0));
}
