//! Copybacks: pages that move inside a die, with and without a check of their data.

use super::harness::*;
use crate::Count;
use wordline_base::class::Class::{GcErase, GcProgram, HostProgram, HostRead};
use wordline_base::parts::Part::{Cell, Command, DieWait, Suspend, Transfer};

const COPYBACKS: (&str, &str) = ("device.copyback.supported", "true");

/// A copyback alone: two commands, tR and tPROG.
const ALONE: u64 = READ_COMMAND + READ + PROGRAM_COMMAND + PROGRAM;

fn drive(keys: &[(&str, &str)]) -> Drive {
    Drive::new(&[&[COPYBACKS], keys].concat())
}

#[test]
fn a_page_moves_with_two_commands_on_the_channel_and_no_data() {
    let mut drive = drive(&[]);
    let moved = drive.copyback(0, GcProgram, [0, 3, 2], [0, 4, 0]);
    drive.run_dry();
    drive.ended(moved, 220_400, &[(Command, 400), (Cell, 220_000)]);
    assert_eq!(drive.granted(), [(0, 100, 0), (20_100, 20_400, 0)]);
    assert_eq!(drive.times_of(Told::Counted(Count::CopybackRead(1))), [20_100]);
    assert_eq!(drive.times_of(Told::Ends(GcProgram, 1, 1)), [220_400]);
}

#[test]
fn every_so_many_copybacks_of_a_die_the_data_goes_out_and_comes_back() {
    let mut drive = drive(&[("device.copyback.check_every", "2")]);
    let mut begin = 0;
    for number in 0..4 {
        let moved = drive.copyback(begin, GcProgram, [0, 3, 2 + number], [0, 4, number]);
        drive.run_dry();
        if number % 2 == 0 {
            drive.ended(moved, begin + ALONE, &[(Command, 400), (Cell, 220_000)]);
        } else {
            drive.ended(moved, begin + ALONE + 8_000, &[(Command, 400), (Transfer, 8_000), (Cell, 220_000)]);
        }
        begin = drive.end(moved);
    }
}

/// Ends of two copybacks that wait together for a die that is free at 24,100 ns, from then on.
fn ends_of_two(keys: &[(&str, &str)], sources: [[u32; 3]; 2], places: [[u32; 3]; 2]) -> [u64; 2] {
    let mut drive = drive(keys);
    drive.comes(0, HostRead, [0, 7, 14]);
    let moved = [0, 1].map(|number| drive.copyback(1, GcProgram, sources[number], places[number]));
    drive.run_dry();
    moved.map(|op| drive.end(op) - READ_ALONE)
}

#[test]
fn planes_copy_together_where_both_their_sources_and_their_places_fit() {
    let apart = [ALONE, 2 * ALONE];
    let (sources, places) = ([[0, 3, 2], [1, 5, 2]], [[0, 4, 0], [1, 4, 0]]);
    assert_eq!(ends_of_two(&[], sources, places), [ALONE + 30 + 70; 2]);
    assert_eq!(ends_of_two(&[], [[0, 3, 2], [1, 3, 3]], places), apart);
    assert_eq!(ends_of_two(&[], sources, [[0, 4, 0], [1, 4, 1]]), apart);
    let any = ("device.multi_plane.rule", "any");
    assert_eq!(ends_of_two(&[any], [[0, 3, 2], [1, 3, 3]], places), [ALONE + 30 + 70; 2]);
    // All data of both is checked.
    let checked = [("device.copyback.check_every", "1")];
    assert_eq!(ends_of_two(&checked, sources, places), [ALONE + 30 + 70 + 16_000; 2]);
}

#[test]
fn a_copyback_goes_with_no_program_whichever_is_first() {
    let mut drive = drive(&[]);
    drive.comes(0, HostRead, [0, 7, 14]);
    let moved = drive.copyback(1, GcProgram, [0, 3, 2], [0, 4, 0]);
    // By its page either of the others would fit it.
    let program = drive.comes(2, GcProgram, [1, 4, 0]);
    let last = drive.copyback(3, GcProgram, [0, 3, 3], [0, 5, 0]);
    drive.run_dry();
    assert_eq!([moved, program, last].map(|op| drive.end(op)), [244_500, 448_800, 669_200]);
}

#[test]
fn each_half_takes_what_its_own_page_takes() {
    let keys = [&TWO_BITS[..], &[("device.multi_plane.rule", "any")]].concat();
    let mut drive = drive(&keys);
    drive.answers.slc_blocks.insert(6);
    let mut alone = |from, to| {
        let begin = drive.flash.now().0;
        let moved = drive.copyback(begin, GcProgram, from, to);
        drive.run_dry();
        drive.end(moved) - begin - 400
    };
    assert_eq!(alone([0, 3, 1], [0, 4, 0]), 240_000);
    assert_eq!(alone([0, 3, 0], [0, 4, 1]), 420_000);
    // A page that was in SLC mode is folded.
    assert_eq!(alone([0, 6, 1], [0, 4, 2]), 215_000);
    // The slower of two pages, whichever plane it is of.
    for pages in [[0, 1], [1, 0]] {
        let sources = [[0, 3, pages[0]], [1, 3, pages[1]]];
        assert_eq!(ends_of_two(&keys, sources, [[0, 4, 0], [1, 4, 0]]), [240_500; 2]);
        let places = [[0, 4, pages[0]], [1, 4, pages[1]]];
        assert_eq!(ends_of_two(&keys, [[0, 3, 0], [1, 3, 0]], places), [420_500; 2]);
    }
}

#[test]
fn only_the_second_half_is_suspended() {
    let mut drive = drive(&SUSPENDS);
    let moved = drive.copyback(0, GcProgram, [0, 3, 2], [0, 4, 0]);
    let read = drive.comes(10_000, HostRead, [0, 3, 2]);
    drive.run_dry();
    // The array begins to program at 20,400 ns.
    assert_eq!(drive.end(read), 25_400 + READ_ALONE);
    let own = [(Command, 400), (Cell, 220_000), (Suspend, 5_600), (DieWait(HostRead), READ_ALONE)];
    drive.ended(moved, ALONE + 5_600 + READ_ALONE, &own);
}

#[test]
fn a_read_of_the_place_that_is_copied_to_waits_for_it() {
    let mut drive = drive(&SUSPENDS);
    let moved = drive.copyback(0, GcProgram, [0, 3, 2], [0, 4, 0]);
    let read = drive.comes(50_000, HostRead, [0, 4, 0]);
    drive.run_dry();
    assert_eq!([moved, read].map(|op| drive.end(op)), [ALONE, ALONE + READ_ALONE]);
}

#[test]
fn the_commands_of_a_copyback_go_before_data_but_not_with_a_check() {
    for (check_every, second_half) in [("0", [26_300, 26_600]), ("1", [26_350, 34_650])] {
        let keys = [("device.geometry.ways", "8"), ("device.copyback.check_every", check_every)];
        let mut drive = drive(&keys);
        let mut comes = |at, class, die| {
            let place = drive.page(die, 0, 3, 0);
            drive.comes_to(at, class, place)
        };
        comes(0, HostProgram, 1);
        comes(10, HostProgram, 2);
        drive.copyback(20, GcProgram, [0, 3, 2], [0, 4, 0]);
        drive.run(20_000);
        // The first command goes before the data of die 2.
        assert_eq!(drive.granted(), [(0, 4_300, 1), (4_300, 4_400, 0), (4_400, 8_700, 2)]);
        // When the copyback has read, at 24,400 ns, die 3 has the channel until 26,300; later die 4 wants it.
        for (at, class, die) in [(22_000, HostProgram, 3), (25_000, GcErase, 4)] {
            let place = drive.page(die, 0, 3, 0);
            drive.comes_to(at, class, place);
        }
        drive.run_dry();
        assert!(drive.granted().contains(&(second_half[0], second_half[1], 0)), "{check_every}");
    }
}

#[test]
fn no_program_comes_in_beside_a_copyback_and_no_copyback_beside_a_program() {
    let keys = [("device.cache_mode.program", "true")];
    let mut drive = drive(&keys);
    drive.copyback(0, GcProgram, [0, 3, 2], [0, 4, 0]);
    let program = drive.comes(1, GcProgram, [0, 4, 1]);
    let moved = drive.copyback(2, GcProgram, [0, 3, 3], [0, 4, 2]);
    drive.run_dry();
    assert_eq!(drive.end(program), ALONE + PROGRAM_ALONE);
    assert_eq!(drive.end(moved), 2 * ALONE + PROGRAM_ALONE);
}
