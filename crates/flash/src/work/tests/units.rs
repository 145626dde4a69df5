//! Units of one flash page, or of one program: what moves, and who waits.

use super::harness::*;
use crate::sched::queue::Op;
use wordline_base::class::Class::{self, GcProgram, HostProgram, HostRead};
use wordline_base::ids::Ppa;
use wordline_base::parts::Part::{Cell, Command, DieWait, Transfer};
use wordline_base::time::Ns;

/// Units of which so many bytes are wanted, by their number in the flash page.
fn units(class: Class, page: Ppa, wanted: &[(u32, u32)]) -> Vec<Op> {
    wanted.iter().map(|&(unit, bytes)| Op { bytes, ..Op::new(class, Ppa(page.0 + unit)) }).collect()
}

/// What the data of a read takes of which these bytes of these units are wanted.
fn data_of(keys: &[(&str, &str)], wanted: &[(u32, u32)]) -> u64 {
    let mut drive = Drive::new(keys);
    let page = drive.page(0, 0, 3, 2);
    let read = drive.come(0, &units(HostRead, page, wanted));
    drive.run_dry();
    drive.end(read) - READ_COMMAND - READ
}

#[test]
fn a_read_moves_the_bytes_that_are_wanted_and_those_of_a_unit_once() {
    assert_eq!(data_of(&[FOUR_UNITS], &[(1, 1024)]), 1_000);
    assert_eq!(data_of(&[FOUR_UNITS], &[(1, 512)]), 500);
    assert_eq!(data_of(&[FOUR_UNITS], &[(0, 1024), (2, 1024), (3, 256)]), 2_250);
    // Of a unit that several want the most that one does.
    assert_eq!(data_of(&[FOUR_UNITS], &[(2, 512), (1, 256), (2, 128), (2, 1024)]), 1_250);
}

#[test]
fn the_bytes_of_a_page_of_many_units_are_added_up_likewise() {
    let keys = [("device.geometry.page_bytes", "16384"), ("device.geometry.mapping_unit_bytes", "512")];
    assert_eq!(data_of(&keys, &[(4, 512), (20, 512), (31, 512), (20, 512), (4, 256)]), 1_500);
}

#[test]
fn no_transfer_moves_more_than_a_flash_page() {
    assert_eq!(Drive::new(&[]).flash.transfer(3 * PAGE), Ns(DATA));
}

#[test]
fn a_channel_that_moves_whole_pages_moves_a_whole_page_whatever_is_wanted() {
    let keys = [FOUR_UNITS, ("device.channel.transfer", "page")];
    assert_eq!(data_of(&keys, &[(1, 512)]), DATA);
    assert_eq!(data_of(&keys, &[(1, 1024)]), DATA);
}

#[test]
fn the_units_of_a_page_wait_together_and_end_together() {
    let mut drive = Drive::new(&[FOUR_UNITS]);
    drive.comes(0, HostProgram, [0, 3, 0]);
    let page = drive.page(0, 1, 3, 2);
    let first = drive.come(1_300, &units(HostRead, page, &[(0, 1024), (3, 1024)]));
    drive.run_dry();
    // The program has one unit of data.
    let parts = [(DieWait(HostProgram), 200_000), (Command, 100), (Cell, 20_000), (Transfer, 2_000)];
    for unit in [first, first + 1] {
        drive.ended(unit, 223_400, &parts);
    }
}

/// When a program of this class ends that has so many units of the first and the second page of a block.
fn end_of_program(drive: &mut Drive, class: Class, filled: [u32; 2]) -> u64 {
    let begin = drive.flash.now().0;
    let pages = [0, 1].map(|page| drive.page(0, 0, 3, page));
    let of = |page: usize| (0..filled[page]).map(move |unit| (unit, 1024)).collect::<Vec<_>>();
    let all = [0, 1].map(|page| units(class, pages[page], &of(page))).concat();
    let program = drive.come(begin, &all);
    drive.run_dry();
    drive.end(program) - begin
}

#[test]
fn a_program_moves_the_units_that_are_filled() {
    let mut drive = Drive::new(&[FOUR_UNITS]);
    assert_eq!(end_of_program(&mut drive, HostProgram, [3, 0]), PROGRAM_COMMAND + 3_000 + PROGRAM);
}

#[test]
fn a_program_of_several_pages_moves_each_that_is_filled_and_programs_them_at_once() {
    let two = [FOUR_UNITS, ("device.geometry.pages_per_program", "2")];
    let whole = [two[0], two[1], ("device.channel.transfer", "page")];
    for (keys, filled, data) in
        [(&two[..], [4, 1], 5_000), (&two, [2, 0], 2_000), (&whole, [4, 1], 8_000), (&whole, [1, 0], 4_000)]
    {
        let mut drive = Drive::new(keys);
        let end = end_of_program(&mut drive, GcProgram, filled);
        assert_eq!(end, PROGRAM_COMMAND + data + PROGRAM, "{filled:?}");
        assert_eq!(drive.times_of(Told::Ends(GcProgram, 1, 2)), [end]);
    }
}
