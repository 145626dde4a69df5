//! Cache reads: the array reads the next page while the data of the one before leaves.
//!
//! Reads that come at 0 ns have their first page in the register at 20,100 ns; moves between the registers take 500 ns.

use super::harness::*;
use crate::Count;
use wordline_base::class::Class::{GcRead, HostProgram, HostRead};
use wordline_base::ids::DieId;
use wordline_base::parts::Part::{Cell, ChannelWait, Command, DieWait, Transfer};
use wordline_base::time::Ns;

const CACHE_READS: [(&str, &str); 2] =
    [("device.cache_mode.read", "true"), ("device.cache_mode.read_busy_ns", "500")];
const RANDOM: (&str, &str) = ("device.cache_mode.read_order", "\"random\"");

fn drive(keys: &[(&str, &str)]) -> Drive {
    Drive::new(&[&CACHE_READS, keys].concat())
}

/// Ends of reads that come together.
fn ends<const N: usize>(keys: &[(&str, &str)], places: [[u32; 3]; N]) -> [u64; N] {
    let mut drive = drive(keys);
    let reads = drive.come_together(0, HostRead, places);
    drive.run_dry();
    reads.map(|read| drive.end(read))
}

#[test]
fn the_next_read_waits_for_the_move_between_registers_and_then_for_its_own_array_only() {
    let mut drive = drive(&[]);
    let reads = drive.come_together(0, HostRead, [[0, 3, 0], [0, 3, 1], [0, 3, 2]]);
    drive.run_dry();
    let own = [(Command, 100), (Cell, 20_500), (Transfer, 4_000)];
    let command_of_next = [(ChannelWait(HostRead), 100)];
    drive.ended(reads[0], 24_700, &[&own[..], &command_of_next].concat());
    // Taken when the first is in the register; then it waits for the move of that.
    let waits = [(DieWait(HostRead), 20_100 + 500)];
    drive.ended(reads[1], 45_300, &[&own[..], &waits, &command_of_next].concat());
    let waits = [(DieWait(HostRead), 40_700 + 500)];
    drive.ended(reads[2], 65_800, &[&own[..], &waits].concat());
    let begun = [20_100, 40_700].map(|at| (at, Told::Counted(Count::CacheRead)));
    assert!(begun.iter().all(|begun| drive.told.contains(begun)));
    let arrays = drive.times_of(Told::Counted(Count::Array(DieId(0), Ns(READ))));
    // The first is told of when its command has the channel.
    assert_eq!(arrays, [0, 20_700, 41_300]);
}

#[test]
fn an_array_that_is_faster_than_the_channel_waits_for_it() {
    let mut drive = drive(&[("device.cell.read_ns", "[2000]")]);
    let reads = drive.come_together(0, HostRead, [[0, 3, 0], [0, 3, 1], [0, 3, 2]]);
    drive.run_dry();
    let own = [(Command, 100), (Cell, 2_500), (Transfer, 4_000)];
    let command_of_next = [(ChannelWait(HostRead), 100)];
    drive.ended(reads[0], 6_700, &[&own[..], &command_of_next].concat());
    // It is read from 2,700 to 4,700 ns; the data of the first leaves until 6,700.
    let waits = [(DieWait(HostRead), 2_100 + 500 + 2_000)];
    drive.ended(reads[1], 11_300, &[&own[..], &waits, &command_of_next].concat());
    let waits = [(DieWait(HostRead), 6_700 + 500 + 2_000)];
    drive.ended(reads[2], 15_800, &[&own[..], &waits].concat());
}

#[test]
fn only_the_next_page_of_the_block_follows_unless_any_may() {
    let apart = [READ_ALONE, 2 * READ_ALONE];
    let overlapping = [24_700, 45_200];
    assert_eq!(ends(&[], [[0, 3, 2], [0, 3, 3]]), overlapping);
    for second in [[0, 4, 3], [1, 3, 3], [0, 3, 1], [0, 3, 4]] {
        assert_eq!(ends(&[], [[0, 3, 2], second]), apart, "{second:?}");
    }
    // The first page of a block doesn't follow the last of the one before.
    assert_eq!(ends(&[], [[0, 3, 15], [0, 4, 0]]), apart);
    for second in [[0, 4, 0], [0, 4, 7], [1, 2, 5]] {
        assert_eq!(ends(&[RANDOM], [[0, 3, 15], second]), overlapping, "{second:?}");
    }
}

#[test]
fn all_planes_of_a_cache_read_follow_those_of_the_one_before() {
    // The command of two planes takes 130 ns, their data 8,000.
    let pair = [[0, 3, 0], [1, 3, 0]];
    let mut drive = drive(&[]);
    let reads = drive.come_together(0, HostRead, [pair[0], pair[1], [0, 3, 1], [1, 3, 1]]);
    drive.run_dry();
    assert_eq!(reads.map(|read| drive.end(read)), [24_760, 28_760, 45_260, 49_260]);
    // The first waited for the whole command behind it.
    let waits = [(ChannelWait(HostRead), 130)];
    drive.ended(
        reads[0],
        24_760,
        &[&waits[..], &[(Command, 130), (Cell, 20_500), (Transfer, 4_000)]].concat(),
    );
    // Block 4 was not read before: its page goes for itself, when the data of the other has left.
    let apart = ends(&[], [pair[0], pair[1], [0, 3, 1], [1, 4, 1]]);
    assert_eq!(apart[..3], [24_730, 28_730, 20_130 + 100 + 500 + 20_000 + 500 + 4_000]);
    assert_eq!(apart[3], apart[2] + READ_ALONE);
}

#[test]
fn no_read_follows_while_the_scheduler_wants_a_program() {
    let mut drive = drive(&[]);
    let first = drive.comes(0, HostRead, [0, 3, 0]);
    drive.comes(1, HostProgram, [1, 5, 0]);
    let next = drive.comes(2, HostRead, [0, 3, 1]);
    drive.run_dry();
    assert_eq!([first, next].map(|read| drive.end(read)), [24_100, 24_100 + PROGRAM_ALONE + READ_ALONE]);
}

#[test]
fn no_read_follows_another_while_a_program_is_suspended() {
    let mut drive = drive(&SUSPENDS);
    drive.comes(0, HostProgram, [0, 3, 0]);
    let reads = drive.come_together(50_000, HostRead, [[1, 5, 4], [1, 5, 5]]);
    drive.run_dry();
    assert_eq!(reads.map(|read| drive.end(read)), [1, 2].map(|reads| 55_000 + reads * READ_ALONE));
}

#[test]
fn reads_of_collection_are_overlapped_and_blamed_likewise() {
    let mut drive = drive(&[RANDOM]);
    drive.comes(0, GcRead, [0, 3, 0]);
    let read = drive.comes(1, HostRead, [0, 5, 0]);
    drive.run_dry();
    let own = [(Command, 100), (Cell, 20_500), (Transfer, 4_000)];
    drive.ended(read, 45_200, &[&own[..], &[(DieWait(GcRead), 20_099 + 500)]].concat());
}

#[test]
fn a_read_whose_page_is_elsewhere_is_passed_by_the_one_behind_it() {
    let mut drive = drive(&[RANDOM]);
    let [first, elsewhere, last] = drive.come_together(0, HostRead, [[0, 3, 0], [0, 4, 1], [0, 5, 2]]);
    drive.answers.elsewhere.insert(elsewhere);
    drive.run_dry();
    assert_eq!(drive.sent_on, [elsewhere]);
    assert_eq!([first, last].map(|read| drive.end(read)), [24_700, 45_200]);
}

#[test]
fn a_read_that_comes_while_the_data_of_the_only_one_leaves_waits_for_that() {
    let mut drive = drive(&[]);
    let first = drive.comes(0, HostRead, [0, 3, 0]);
    let next = drive.comes(21_000, HostRead, [0, 3, 1]);
    drive.run_dry();
    assert_eq!([first, next].map(|read| drive.end(read)), [READ_ALONE, 2 * READ_ALONE]);
}

#[test]
fn a_read_waits_for_the_channel_with_the_command_behind_it_whosever_that_is() {
    let mut drive = drive(&[RANDOM]);
    let first = drive.comes(0, HostRead, [0, 3, 0]);
    drive.comes(1, GcRead, [0, 5, 0]);
    // The other die has the channel from 18,000 to 22,300 ns.
    let place = drive.page(1, 0, 3, 0);
    drive.comes_to(18_000, HostProgram, place);
    drive.run_dry();
    let waits = [(ChannelWait(HostProgram), 2_200), (ChannelWait(GcRead), 100)];
    drive.ended(first, 26_900, &[&waits[..], &[(Command, 100), (Cell, 20_500), (Transfer, 4_000)]].concat());
}
