//! The SLC cache: what it takes, when it is folded, and what that waits for.

use super::harness::Alone;
use crate::blocks::BlockState;
use crate::events::Event;
use crate::work::{Counted, cache_sees_requests, fold_while_idle};
use wordline_base::class::Cause;
use wordline_base::ids::Lpa;
use wordline_flash::nand::CellMode;

/// Program of a page in SLC mode and natively, its data included, ns.
const FAST: u64 = 20_005;
const SLOW: u64 = 100_005;

/// One plane of TLC: 16 blocks of 9 pages, of 3 in SLC mode, and a cache of three blocks.
fn drive(keys: &[(&str, &str)]) -> Alone {
    let fixed = [("scheme.slc_cache.policy", "static"), ("scheme.slc_cache.bytes", "36864")];
    cached(&[&fixed, keys].concat())
}

fn cached(keys: &[(&str, &str)]) -> Alone {
    let plain = [
        ("device.cell.technology", "tlc"),
        ("device.geometry.pages", "9"),
        ("device.slc_mode.read_ns", "5000"),
        ("device.slc_mode.program_ns", "20000"),
        ("device.slc_mode.erase_ns", "500000"),
    ];
    Alone::one_plane(&[&plain, keys].concat())
}

/// How long each of these writes takes, one after the other.
fn took(drive: &mut Alone, pages: impl IntoIterator<Item = u32>) -> Vec<u64> {
    let one = |lpa| {
        let begin = drive.now();
        let write = drive.write(lpa);
        drive.run_until_done(write);
        drive.done(write).unwrap() - begin
    };
    pages.into_iter().map(one).collect()
}

fn mode(drive: &Alone, lpa: u32) -> CellMode {
    drive.ftl.mode_of_logical_page(Lpa(lpa)).unwrap()
}

#[test]
fn writes_go_to_the_cache_until_it_is_full_and_past_it_from_then_on() {
    let mut drive = drive(&[]);
    assert_eq!(took(&mut drive, 0..12), [vec![FAST; 9], vec![SLOW; 3]].concat());
    assert_eq!([Counted::Cached, Counted::PastCache].map(|what| drive.count(&what)), [9, 3]);
    assert_eq!([0, 8, 9].map(|lpa| mode(&drive, lpa)), [CellMode::Slc, CellMode::Slc, CellMode::Native]);
}

#[test]
fn a_block_of_the_cache_in_which_nothing_is_valid_is_erased_at_once_and_takes_writes_again() {
    let mut drive = drive(&[]);
    took(&mut drive, 0..9);
    let first = drive.superblock(0);
    drive.trim_all(0..2);
    assert_eq!(drive.ftl.blocks().state(first), BlockState::Full);
    let begin = drive.now();
    drive.trim(2);
    drive.run_dry();
    assert_eq!((drive.now() - begin, drive.count(&Counted::CacheEmptied)), (500_000, 1));
    assert_eq!((drive.ftl.blocks().state(first), drive.moved(Cause::Migration)), (BlockState::Free, 0));
    assert_eq!(took(&mut drive, 20..24), [FAST, FAST, FAST, SLOW]);
}

#[test]
fn an_idle_drive_folds_the_cache_block_by_block_the_oldest_first() {
    let mut drive = drive(&[]);
    took(&mut drive, 0..9);
    let blocks = [0, 3, 6].map(|lpa| drive.superblock(lpa));
    let from = drive.told.len();
    drive.act(fold_while_idle);
    let mut most = 0;
    drive.run_until(|drive| {
        most = most.max(drive.ftl.domain_states()[0].collector.victims.len());
        false
    });
    let erased = drive.story(from).into_iter().map(|(_, event)| event);
    let erased: Vec<Event> = erased.filter(|event| matches!(event, Event::Erased(_))).collect();
    assert_eq!((erased, most), (blocks.map(Event::Erased).to_vec(), 1));
    assert_eq!(drive.count(&Counted::Folded), 9);
    assert!((0..9).all(|lpa| mode(&drive, lpa) == CellMode::Native));
    drive.run_dry();
    assert_eq!(took(&mut drive, 10..11), [FAST]);
}

#[test]
fn a_fold_waits_while_requests_are_inside_and_goes_on_behind_them() {
    let mut drive = drive(&[("scheme.gc.read_ahead_pages", "2")]);
    took(&mut drive, 0..9);
    drive.act(fold_while_idle);
    cache_sees_requests(&mut drive, true);
    drive.run_until(|_| false);
    // What was read ahead is programmed, and no more is read.
    assert_eq!((drive.count(&Counted::Folded), drive.moved(Cause::Migration)), (2, 2));
    drive.act(|drive| cache_sees_requests(drive, false));
    drive.run_dry();
    // The first block to its end; the others are for the next idle time.
    assert_eq!(
        (drive.count(&Counted::Folded), mode(&drive, 2), mode(&drive, 3)),
        (3, CellMode::Native, CellMode::Slc)
    );
}

#[test]
fn writes_wait_for_a_fold_where_nothing_may_go_past_the_cache() {
    let mut drive = drive(&[("scheme.slc_cache.when_full", "fold_first")]);
    let writes: Vec<u32> = (0..10).map(|lpa| drive.write(lpa)).collect();
    assert_eq!(drive.count(&Counted::Stalled), 1);
    drive.run_dry();
    assert!(writes.iter().all(|&write| drive.done(write).is_some()));
    assert_eq!(
        [Counted::Cached, Counted::PastCache, Counted::Folded].map(|what| drive.count(&what)),
        [10, 0, 3]
    );
}

#[test]
fn a_cache_that_shares_free_space_shrinks_as_the_drive_fills() {
    let keys = [("scheme.slc_cache.policy", "dynamic"), ("scheme.slc_cache.share", "0.5")];
    let mut drive = cached(&keys);
    let logical = u64::from(drive.ftl.logical_units());
    let size = |drive: &Alone| drive.ftl.slc_space().unwrap().size;
    // Half of the blocks of nine that aren't filled, of three pages each.
    for filled in [0, 18, 36, 54] {
        assert_eq!(size(&drive), (logical - filled) / 2 / 9 * 3, "{filled}");
        drive.write_in_turn(filled as u32..filled as u32 + 18);
        drive.run_dry();
    }
}

#[test]
#[ignore = "the first write that goes on looks at those behind it, which have room by then, and begins another fold; that fold is also \
            what lets writes go on where the cache grows again without one"]
fn writes_that_find_room_in_one_block_wait_for_one_fold() {
    let mut drive = drive(&[("scheme.slc_cache.when_full", "fold_first")]);
    for lpa in 0..12 {
        drive.write(lpa);
    }
    drive.run_dry();
    assert_eq!(drive.count(&Counted::Folded), 3);
}
