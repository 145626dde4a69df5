//! Wear levelling: erase counts come closer, at a bounded price.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::wear::{FreeBlock, WearConfig};
use wordline_engine::stats::report::Report;

/// One plane of 64 blocks; nine tenths of the writes go to a tenth of the pages, the others are never written.
fn hot_and_cold(wear: WearConfig) -> Setup {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.device.geometry.blocks = 64;
    setup.start = start(Occupancy::All, 0.0);
    setup.scheme.wear = wear;
    setup.host = closed(8);
    setup
}

fn worn(wear: WearConfig) -> Report {
    let setup = hot_and_cold(wear);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(3);
    run(&setup, &mut made(30_000, move |_| write(0, random.below(pages / 10)))).unwrap()
}

#[test]
fn static_wear_levelling_brings_the_erase_counts_together_at_a_bounded_price() {
    let without = worn(WearConfig::default());
    let with = worn(WearConfig { static_spread: Some(8), static_interval: 10, ..WearConfig::default() });
    let spread = |report: &Report| report.erase_counts.max - report.erase_counts.min;
    println!("{:?} {:?} {:?}", without.erase_counts, with.erase_counts, with.waf_by_cause);
    // Cold blocks are never erased without it.
    assert_eq!(without.erase_counts.min, 0);
    assert!(spread(&without) > 60, "{}", spread(&without));
    assert!(spread(&with) < spread(&without) / 2, "{}", spread(&with));
    assert!(with.erase_counts.std < without.erase_counts.std / 2.0);
    // One superblock moves for each ten erases at most.
    let moves = with.other_moves["wear_levelling"];
    assert!(moves.victims > 20 && moves.victims <= with.flash.erases / 10 + 1, "{moves:?}");
    let extra = with.waf_by_cause["wear_levelling"];
    assert!(extra > 0.0 && extra <= 0.1 * with.waf.unwrap(), "{extra}");
    assert!(!without.waf_by_cause.contains_key("wear_levelling"));
}

#[test]
fn no_block_is_moved_while_the_erase_counts_lie_within_the_bound() {
    let report = worn(WearConfig { static_spread: Some(100_000), ..WearConfig::default() });
    assert!(!report.other_moves.contains_key("wear_levelling"));
}

#[test]
fn a_drive_always_short_of_space_that_moves_nothing_says_so() {
    let noted = |trigger: f64| {
        let mut setup = hot_and_cold(WearConfig { static_spread: Some(2), ..WearConfig::default() });
        setup.scheme.gc.trigger = trigger;
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut random = Random(3);
        let report = run(&setup, &mut made(30_000, move |_| write(0, random.below(pages / 10)))).unwrap();
        let noted = report.notes().iter().any(|note| note.kind == "no_wear_levelling");
        (report.other_moves.contains_key("wear_levelling"), noted)
    };
    assert_eq!(noted(0.05), (true, false));
    // As many as are free when no block holds an invalid page.
    assert_eq!(noted(0.25), (false, true));
}

#[test]
fn moves_are_as_far_apart_as_the_interval_says() {
    let moves = |static_interval| {
        let wear = WearConfig { static_spread: Some(2), static_interval, ..WearConfig::default() };
        let report = worn(wear);
        (report.other_moves["wear_levelling"].victims, report.flash.erases)
    };
    let [(often, _), (seldom, erases)] = [moves(5), moves(50)];
    assert!(often > 3 * seldom, "{often} {seldom}");
    assert!(seldom >= erases / 50 - 1 && seldom <= erases / 50 + 1, "{seldom} of {erases}");
}

#[test]
fn taking_the_least_worn_free_block_evens_out_what_is_written() {
    let of = |free_block| {
        let mut setup = hot_and_cold(WearConfig { free_block, ..WearConfig::default() });
        setup.scheme.gc.trigger = 0.2;
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut random = Random(3);
        let report = run(
            &setup,
            &mut made(40_000, move |_| {
                let hot = random.below(10) < 8;
                write(0, random.below(if hot { pages / 10 } else { pages }))
            }),
        );
        report.unwrap().erase_counts.std
    };
    let (oldest, least_worn) = (of(FreeBlock::Oldest), of(FreeBlock::LeastWorn));
    println!("{oldest} {least_worn}");
    assert!(least_worn < 0.8 * oldest, "{least_worn} {oldest}");
}
