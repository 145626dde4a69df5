//! Static wear levelling: what is moved, where it goes, and how often.

use super::harness::Alone;
use crate::blocks::BlockState;
use crate::work::Counted;
use wordline_base::class::Cause;

/// One plane with 64 pages in blocks 0 to 7, and so many overwrites of those of block 7: the others are never written again.
fn worn(spread: &str, interval: &str) -> Alone {
    let keys = [("scheme.wear.static_spread", spread), ("scheme.wear.static_interval", interval)];
    let mut drive = Alone::one_plane(&keys);
    drive.write_in_turn(0..64);
    drive
}

fn hot() -> impl Iterator<Item = u32> {
    (56..64).cycle()
}

fn levels(drive: &Alone) -> bool {
    let collector = &drive.ftl.domain_states()[0].collector;
    collector.wanted.iter().chain(&collector.victims).any(|asked| asked.1 == Cause::WearLevelling)
}

fn erases(drive: &Alone) -> Vec<u32> {
    drive.ftl.blocks().erase_counts().to_vec()
}

#[test]
fn the_least_worn_superblock_goes_to_the_most_worn_free_one_once_that_is_ahead_by_more_than_the_bound() {
    let mut drive = worn("4", "1000");
    let mut pages = hot();
    while !levels(&drive) {
        assert!(erases(&drive).iter().max().unwrap() <= &5);
        drive.write(pages.next().unwrap());
        drive.run_until(levels);
    }
    // Some block has been erased five times, and blocks 0 to 6 never.
    let most = erases(&drive).iter().copied().max().unwrap();
    assert_eq!((most, erases(&drive)[..7].iter().sum::<u32>()), (5, 0));
    drive.run_until(|drive| drive.moved(Cause::WearLevelling) > 0);
    let to = drive.superblock(0);
    assert_eq!(
        (drive.ftl.blocks().state(drive.at(0, 0)), erases(&drive)[to.index()]),
        (BlockState::Collecting, 5)
    );
    drive.run_dry();
    assert_eq!((drive.moved(Cause::WearLevelling), erases(&drive)[0]), (8, 1));
    assert!((0..8).all(|lpa| drive.superblock(lpa) == to));
}

#[test]
fn between_two_moves_of_cold_data_lie_as_many_erases_as_the_scheme_says() {
    for (interval, least) in [("3", 3), ("9", 9)] {
        let mut drive = worn("1", interval);
        let (mut begins, mut before) = (Vec::new(), false);
        for lpa in hot().take(800) {
            drive.write(lpa);
            drive.run_until(|drive| {
                let now = levels(drive);
                if now && !std::mem::replace(&mut before, now) {
                    begins.push(erases(drive).iter().sum::<u32>());
                }
                before = now;
                false
            });
        }
        let between = begins.windows(2).map(|pair| pair[1] - pair[0]).min();
        assert_eq!(between, Some(least), "{begins:?}");
    }
}

#[test]
fn a_drive_that_comes_to_rest_levels_nothing() {
    for (rests, levels) in [(false, true), (true, false)] {
        let mut drive = worn("1", "1");
        drive.ftl.wind_down(rests);
        drive.write_in_turn(hot().take(400));
        drive.run_dry();
        assert_eq!(drive.count(&Counted::Emptied(Cause::WearLevelling)) > 0, levels);
    }
}

#[test]
fn of_equally_worn_superblocks_that_comes_first_which_changed_longest_ago() {
    let mut drive = worn("4", "1000");
    // Pages of blocks 0 and 1 are given up: block 2 changed longest ago.
    drive.write_in_turn([3, 11]);
    let mut pages = hot();
    while !levels(&drive) {
        drive.write(pages.next().unwrap());
        drive.run_until(levels);
    }
    let collector = &drive.ftl.domain_states()[0].collector;
    let asked: Vec<_> = collector.wanted.iter().chain(&collector.victims).collect();
    assert!(asked.contains(&&(drive.at(0, 2), Cause::WearLevelling)), "{asked:?}");
    drive.run_dry();
}
