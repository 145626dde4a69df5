//! Victims: which superblock is emptied next and in what order that goes, what waits for it, and its erase.

use super::harness::{Alone, ERASE, PROGRAM};
use crate::blocks::BlockState;
use crate::blocks::table::BlockView;
use crate::events::Event;
use crate::gc::VictimPolicy;
use crate::work::Counted;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Lpa, SuperblockId};

/// A policy that chooses the first of these superblocks that is full.
struct Listed(Vec<SuperblockId>);

impl VictimPolicy for Listed {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let full = |listed: &&SuperblockId| blocks.state[listed.index()] == BlockState::Full;
        self.0.iter().find(full).copied()
    }
}

/// A policy that chooses one superblock, whatever its state.
struct Stubborn(SuperblockId);

impl VictimPolicy for Stubborn {
    fn choose(&mut self, _blocks: &BlockView<'_>) -> Option<SuperblockId> {
        Some(self.0)
    }
}

/// A plane of 128 pages of which the host sees 80.
const EIGHTY: [(&str, &str); 1] = [("device.capacity.overprovisioning", "0.375")];

/// One plane: pages 0 to 79 fill blocks 0 to 9, and these overwrites those behind. With the 113th write the last but one of 16
/// blocks is opened, which is one free block too few.
fn filled(overwritten: impl IntoIterator<Item = u32>) -> Alone {
    let mut drive = Alone::one_plane(&EIGHTY);
    drive.write_in_turn(0..80);
    drive.write_in_turn(overwritten);
    drive.run_dry();
    drive
}

/// Of block 2 three pages, of block 5 five, of the other eight four: 40 pages.
fn unevenly() -> impl Iterator<Item = u32> {
    let of = |block: u32, count: u32| block * 8..block * 8 + count;
    of(2, 3).chain(of(5, 5)).chain([0, 1, 3, 4, 6, 7, 8, 9].into_iter().flat_map(move |block| of(block, 4)))
}

#[test]
fn the_superblock_with_fewest_valid_pages_is_told_of_moved_in_order_and_erased() {
    // Blocks 10 to 13 take 32 overwrites; the next one opens block 14, and two blocks are to be free. What collection moves goes
    // to block 15, which the host may not have: a second victim is needed, block 4 with the page that was just overwritten.
    let mut drive = filled(unevenly().take(32));
    let victim = drive.at(0, 5);
    assert_eq!((drive.count(&Counted::Emptied(Cause::Gc)), drive.ftl.blocks().valid(victim)), (0, 3));
    let from = drive.told.len();
    let pages: Vec<u32> = (45..48).chain(37..40).collect();
    let old: Vec<_> = pages.iter().map(|&lpa| drive.place(lpa)).collect();
    drive.write(36);
    drive.run_dry();
    let story: Vec<Event> = drive.story(from).into_iter().map(|(_, event)| event).collect();
    let begins = story.iter().position(|&event| event == Event::Collected(victim)).unwrap();
    let moved: Vec<(usize, Event)> =
        story.iter().copied().enumerate().filter(|(_, event)| matches!(event, Event::Moved { .. })).collect();
    let expected: Vec<Event> = pages
        .iter()
        .zip(old)
        .map(|(&lpa, old)| Event::Moved { lpa: Lpa(lpa), old, new: drive.place(lpa), cause: Cause::Gc })
        .collect();
    assert_eq!(moved.iter().map(|moved| moved.1).collect::<Vec<_>>(), expected);
    let erased = story.iter().position(|&event| event == Event::Erased(victim)).unwrap();
    assert!(begins < moved[0].0 && moved[2].0 < erased);
    assert_eq!(story.last(), Some(&Event::Erased(drive.at(0, 4))));
    let domain = DomainId(0);
    assert_eq!(drive.count(&Counted::Collects { domain, valid: 3 }), 2);
    assert_eq!(drive.held(drive.at(0, 15)).into_iter().flatten().collect::<Vec<_>>(), pages);
    assert_eq!(drive.ftl.domain_states()[0].free.len(), 2);
}

#[test]
fn a_victim_without_valid_pages_is_erased_at_once() {
    // Block 3 is overwritten as a whole, and three pages of each of eight others.
    let others = [0, 1, 2, 4, 5, 6, 7, 8];
    let mut drive = filled((24..32).chain(others.into_iter().flat_map(|block| block * 8..block * 8 + 3)));
    let (victim, begin) = (drive.at(0, 3), drive.now());
    drive.write(79);
    drive.run_dry();
    assert_eq!(drive.count(&Counted::Collects { domain: DomainId(0), valid: 0 }), 1);
    assert_eq!((drive.moved(Cause::Gc), drive.ftl.blocks().state(victim)), (0, BlockState::Free));
    assert_eq!(drive.now() - begin, PROGRAM + ERASE);
}

#[test]
fn a_write_that_finds_nothing_to_win_goes_on_when_a_page_is_given_up() {
    let mut drive = Alone::one_plane(&EIGHTY);
    drive.ftl.set_gc(Box::new(Listed(vec![drive.at(0, 0), drive.at(0, 10)])));
    drive.write_in_turn((0..80).chain((72..80).cycle().take(40)));
    // Blocks 0 to 14 are full, one is collection's, and of block 0 all is valid.
    let write = drive.write(79);
    drive.run_until(|_| false);
    assert_eq!((drive.done(write), drive.count(&Counted::Stalled), drive.moved(Cause::Gc)), (None, 1, 0));
    drive.trim(5);
    drive.run_dry();
    assert!(drive.done(write).is_some());
    let chosen = [7, 0].map(|valid| drive.count(&Counted::Collects { domain: DomainId(0), valid }));
    assert_eq!((chosen, drive.moved(Cause::Gc)), ([1, 1], 7));
}

#[test]
#[should_panic(
    expected = "the GC policy chose SuperblockId(15), which is not a full superblock of DomainId(0)"
)]
fn a_policy_that_chooses_what_is_not_full_is_a_fault() {
    let mut drive = filled(unevenly().take(32));
    drive.ftl.set_gc(Box::new(Stubborn(drive.at(0, 15))));
    drive.write(36);
}

#[test]
#[should_panic(
    expected = "the GC policy chose SuperblockId(16), which is not a full superblock of DomainId(0)"
)]
fn a_policy_that_chooses_beyond_the_domain_is_a_fault() {
    let mut drive = filled(unevenly().take(32));
    drive.ftl.set_gc(Box::new(Stubborn(SuperblockId(16))));
    drive.write(36);
}

#[test]
fn no_more_is_read_ahead_than_the_scheme_allows() {
    for (pages, most) in [("0", 4), ("2", 2), ("6", 6)] {
        let mut drive = Alone::one_plane(&[("scheme.gc.read_ahead_pages", pages)]);
        drive.write_in_turn(0..17);
        drive.empty(drive.at(0, 0), Cause::WearLevelling);
        let mut seen = 0;
        drive.run_until(|drive| {
            seen = seen.max(drive.ftl.domain_states()[0].collector.in_flight);
            false
        });
        assert_eq!((seen, drive.moved(Cause::WearLevelling)), (most, 8), "{pages}");
    }
}

#[test]
fn superblocks_that_are_asked_for_are_emptied_one_after_the_other() {
    let mut drive = Alone::one_plane(&[]);
    drive.write_in_turn(0..33);
    let [first, second] = [2, 0].map(|block| drive.at(0, block));
    // There would be room for the three pages of the second beside the eight of the first.
    drive.trim_all(0..5);
    let from = drive.told.len();
    for superblock in [first, second, first] {
        drive.empty(superblock, Cause::WearLevelling);
    }
    let alone = |drive: &Alone| drive.ftl.domain_states()[0].collector.victims.len() < 2;
    assert!(alone(&drive) && !drive.run_until(|drive| !alone(drive)), "the second began beside the first");
    drive.run_dry();
    let pages: Vec<u32> = drive
        .story(from)
        .iter()
        .filter_map(|(_, event)| match event {
            Event::Moved { lpa, .. } => Some(lpa.0),
            Event::Erased(superblock) => Some(100 + superblock.0),
            _ => None,
        })
        .collect();
    let expected: Vec<u32> = (16..24).chain([102]).chain(5..8).chain([100]).collect();
    assert_eq!(pages, expected);
}

#[test]
fn what_is_asked_for_is_left_alone_where_it_is_open_or_free() {
    let mut drive = Alone::one_plane(&[]);
    drive.write_in_turn(0..10);
    drive.empty(drive.at(0, 1), Cause::WearLevelling);
    drive.empty(drive.at(0, 9), Cause::WearLevelling);
    drive.run_dry();
    assert!(drive.counted.iter().all(|counted| !matches!(counted, Counted::Emptied(_))));
}

#[test]
fn space_is_won_before_what_is_asked_for_is_emptied() {
    let mut drive = filled(unevenly().take(32));
    let (asked, from) = (drive.at(0, 13), drive.told.len());
    drive.write(36);
    drive.empty(asked, Cause::WearLevelling);
    assert_eq!(drive.ftl.domains_that_wait_to_level(), 1);
    drive.run_dry();
    assert_eq!(drive.ftl.domains_that_wait_to_level(), 0);
    let erased: Vec<SuperblockId> = drive
        .story(from)
        .iter()
        .filter_map(|(_, event)| if let Event::Erased(superblock) = event { Some(*superblock) } else { None })
        .collect();
    let last = erased.iter().position(|&superblock| superblock == asked).unwrap();
    assert!(last > 0 && erased[0] == drive.at(0, 5), "{erased:?}");
    assert_eq!(drive.moved(Cause::WearLevelling), 8);
}

/// The drive of four dies as one domain: superblocks of four pages in a row, eight rows, of which the first is full and holds these
/// pages only.
fn wide(valid: std::ops::Range<u32>) -> (Alone, SuperblockId) {
    let mut drive = Alone::new(&[("scheme.blocks.superblock", "drive")]);
    drive.write_in_turn(0..36);
    let superblock = drive.superblock(0);
    drive.trim_all((0..32).filter(|lpa| !valid.contains(lpa)));
    (drive, superblock)
}

/// When each of the moves told from here on was done, after `begin`.
fn moves(drive: &Alone, from: usize, begin: u64) -> Vec<u64> {
    let moved = drive.story(from).into_iter().filter(|(_, event)| matches!(event, Event::Moved { .. }));
    moved.map(|(at, _)| at - begin).collect()
}

#[test]
fn moves_fill_a_row_and_what_is_left_over_is_programmed_when_nothing_more_comes() {
    let (mut drive, victim) = wide(0..6);
    let (begin, from) = (drive.now(), drive.told.len());
    drive.empty(victim, Cause::WearLevelling);
    drive.run_dry();
    let to = drive.superblock(0);
    assert_eq!((0..6).map(|lpa| drive.ftl.unit_of(drive.place(lpa))).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    assert!((0..6).all(|lpa| drive.superblock(lpa) == to));
    // The first row's reads end on both channels after one page of data, and two; its programs are sent with the last. The dies of
    // pages 4 and 5, one a channel, read those first: they are with the controller when a third page has crossed.
    assert_eq!(moves(&drive, from, begin), [10_010, 10_010, 20_010, 20_010, 120_015, 120_015]);
    assert_eq!(drive.now() - begin, 120_015 + PROGRAM + ERASE);
}

#[test]
fn the_programs_of_a_row_are_sent_together_with_the_last_of_its_pages() {
    let (mut drive, victim) = wide(0..4);
    let (begin, from) = (drive.now(), drive.told.len());
    drive.empty(victim, Cause::WearLevelling);
    drive.run_dry();
    // Two of the reads end 5 ns earlier.
    assert_eq!(moves(&drive, from, begin), [10_010; 4]);
}

#[test]
fn a_superblock_is_free_with_the_last_of_its_erases() {
    let (mut drive, victim) = wide(0..1);
    // A write to the second die of channel 0 keeps it from the erase for as long as a program.
    let on_second = (36..40).find(|&lpa| drive.ftl.plane_by_address(Lpa(lpa)).unwrap().0 == 1).unwrap();
    let begin = drive.now();
    drive.write(on_second);
    drive.trim(0);
    drive.empty(victim, Cause::WearLevelling);
    let ends = [begin + ERASE, begin + PROGRAM + ERASE];
    let told = (99, Event::Erased(victim));
    drive.run(ends[0]);
    assert_eq!(drive.ftl.blocks().state(victim), BlockState::Erasing);
    drive.run(ends[1] - 1);
    assert!(!drive.told.contains(&told) && drive.ftl.domain_states()[0].collector.collects());
    drive.run(ends[1]);
    assert!(drive.told.contains(&told) && !drive.ftl.domain_states()[0].collector.collects());
    assert_eq!(drive.ftl.blocks().erase_counts()[victim.index()], 1);
    drive.run_dry();
}

#[test]
fn places_of_a_victim_come_row_by_row_plane_by_plane_however_many_are_taken() {
    let drive = Alone::new(&[
        ("scheme.blocks.superblock", "drive"),
        ("device.geometry.page_bytes", "8192"),
        ("device.geometry.pages", "4"),
    ]);
    let victim = drive.at(0, 3);
    // Rows of four pages of two units; the order of filling is the same, as programs are of one page.
    let expected: Vec<_> = (0..32).map(|unit| drive.ftl.unit_at(victim, unit)).collect();
    for together in [1, 3, 8, 40] {
        let mut places = drive.ftl.victim_places(DomainId(0), victim);
        let (mut all, mut some) = (Vec::new(), vec![wordline_base::ids::Ppa::NONE; together]);
        loop {
            let count = places.take(&mut some);
            all.extend_from_slice(&some[..count]);
            if count < together {
                break;
            }
        }
        assert_eq!(all, expected, "{together}");
    }
}
