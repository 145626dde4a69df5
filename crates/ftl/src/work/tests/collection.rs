//! Collection: what is moved, when it is erased, and who waits for space.

use super::harness::{Alone, ERASE, PROGRAM, READ, scattered};
use crate::blocks::BlockState;
use crate::events::Event;
use crate::work::{self, Counted};
use wordline_base::class::Cause;
use wordline_base::ids::Lpa;

/// A drive that is full, and overwritten so often.
fn overwritten(times: u32, overrides: &[(&str, &str)]) -> Alone {
    let mut drive = Alone::new(overrides);
    let pages = drive.ftl.logical_units();
    drive.write_in_turn(0..pages);
    drive.write_in_turn(scattered(times * pages, pages));
    drive
}

#[test]
fn a_victim_is_told_of_then_moved_and_erased_when_nothing_of_it_is_valid() {
    let mut drive = overwritten(2, &[]);
    drive.run_dry();
    let mut valid = vec![0_i32; drive.ftl.blocks().len()];
    let mut collected = vec![false; valid.len()];
    let mut erased = 0;
    let of = |drive: &Alone, ppa| drive.ftl.blocks().of(drive.ftl.geometry(), ppa).index();
    for &(_, event) in &drive.told {
        match event {
            Event::Written { new, .. } => valid[of(&drive, new)] += 1,
            Event::Moved { old, new, cause, .. } => {
                assert_eq!(cause, Cause::Gc);
                assert!(collected[of(&drive, old)], "moved from what wasn't collected");
                valid[of(&drive, new)] += 1;
            }
            Event::Invalidated(ppa) => valid[of(&drive, ppa)] -= 1,
            Event::Collected(superblock) => collected[superblock.index()] = true,
            Event::Erased(superblock) => {
                assert_eq!(valid[superblock.index()], 0, "{superblock:?} was erased with valid pages");
                assert!(std::mem::take(&mut collected[superblock.index()]));
                erased += 1;
            }
            _ => {}
        }
    }
    assert!(erased > 20 && drive.moved(Cause::Gc) > 50, "{erased} {}", drive.moved(Cause::Gc));
    assert_eq!(drive.count(&Counted::Emptied(Cause::Gc)), erased);
}

#[test]
fn writes_that_find_no_space_wait_for_an_erase_and_all_of_them_are_done() {
    let mut drive = overwritten(1, &[]);
    let pages = drive.ftl.logical_units();
    let writes: Vec<u32> = scattered(pages, pages).map(|lpa| drive.write(lpa)).collect();
    assert!(drive.count(&Counted::Stalled) > 0);
    drive.run_dry();
    assert!(writes.iter().all(|&write| drive.done(write).is_some()));
}

#[test]
fn the_host_leaves_a_free_superblock_to_collection() {
    let mut drive = overwritten(1, &[]);
    let pages = drive.ftl.logical_units();
    for lpa in scattered(pages, pages) {
        drive.write(lpa);
        // Only collection takes the last one, and gives one back for it.
        for (number, domain) in drive.ftl.domain_states().iter().enumerate() {
            let collects = domain.collector.collects() || domain.collector.in_flight > 0;
            assert!(!domain.free.is_empty() || collects, "domain {number}");
        }
    }
    drive.run_dry();
}

#[test]
fn a_superblock_that_is_asked_for_is_emptied_though_space_suffices() {
    let mut drive = Alone::new(&[]);
    // The first block of each of four planes.
    drive.write_in_turn(0..33);
    let superblock = drive.superblock(0);
    assert_eq!(drive.ftl.blocks().state(superblock), BlockState::Full);
    let begin = drive.now();
    work::want_emptied(&mut drive, superblock, Cause::WearLevelling);
    work::AboveFtl::finish_event(&mut drive);
    drive.run_dry();
    assert_eq!((drive.moved(Cause::WearLevelling), drive.moved(Cause::Gc)), (8, 0));
    assert!(drive.told.contains(&(99, Event::Erased(superblock))));
    assert_eq!(drive.ftl.blocks().state(superblock), BlockState::Free);
    // One die does it all: reads go ahead of programs, the erase follows the last.
    assert!(drive.now() - begin >= 8 * PROGRAM + READ + ERASE, "{}", drive.now() - begin);
    let elsewhere = (0..33).map(|lpa| drive.superblock(lpa)).all(|other| other != superblock);
    assert!(elsewhere);
}

#[test]
fn what_is_overwritten_while_it_moves_stays_where_the_host_put_it() {
    let mut drive = Alone::new(&[]);
    drive.write_in_turn(0..33);
    let superblock = drive.superblock(0);
    let pages: Vec<u32> = (0..33).filter(|&lpa| drive.superblock(lpa) == superblock).collect();
    work::want_emptied(&mut drive, superblock, Cause::WearLevelling);
    work::AboveFtl::finish_event(&mut drive);
    // Their reads are under way.
    drive.run(drive.now() + READ / 2);
    let overwritten = [pages[0], pages[7]];
    for lpa in overwritten {
        drive.write(lpa);
    }
    drive.run_dry();
    let written = |lpa: u32| {
        let of =
            |event: &&(usize, Event)| matches!(event.1, Event::Written { lpa: page, .. } if page == Lpa(lpa));
        drive.told.iter().filter(of).count()
    };
    assert!(overwritten.iter().all(|&lpa| written(lpa) == 2));
    assert!(drive.moved(Cause::WearLevelling) < 8);
    assert_eq!(drive.ftl.blocks().state(superblock), BlockState::Free);
}

#[test]
fn superblocks_that_are_never_written_are_moved_when_the_others_wear() {
    let untouched = |overrides: &[(&str, &str)]| {
        let mut drive = Alone::new(overrides);
        let pages = drive.ftl.logical_units();
        drive.write_in_turn(0..pages);
        // A quarter of the pages is written over and over.
        drive.write_in_turn(scattered(8 * pages, pages / 4));
        drive.run_dry();
        let moved = drive.moved(Cause::WearLevelling);
        (drive.ftl.blocks().erase_counts().iter().filter(|&&erases| erases == 0).count(), moved)
    };
    let (without, none) = untouched(&[]);
    let (with, moved) =
        untouched(&[("scheme.wear.static_spread", "4"), ("scheme.wear.static_interval", "2")]);
    assert!(none == 0 && moved > 0 && with < without / 2, "{without} {with} {moved}");
}
