//! One die: what a command takes, what waits for it, and which goes next.

use super::harness::*;
use wordline_base::class::Class::{GcErase, GcRead, HostProgram, HostRead, MapRead};
use wordline_base::parts::Part::{Cell, Command, DieWait, Transfer};

#[test]
fn a_command_alone_takes_its_cycles_on_the_channel_its_array_time_and_its_data() {
    let mut drive = Drive::new(&[]);
    let read = drive.comes(0, HostRead, [0, 3, 2]);
    let program = drive.comes(100_000, HostProgram, [1, 3, 2]);
    let erase = drive.comes(500_000, GcErase, [0, 4, 0]);
    drive.run_dry();
    drive.ended(read, 24_100, &[(Command, 100), (Cell, 20_000), (Transfer, 4_000)]);
    drive.ended(program, 304_300, &[(Command, 300), (Transfer, 4_000), (Cell, 200_000)]);
    assert_eq!(drive.end(erase), 1_500_050);
    // The command and the data of a read are one grant each, those of a program one together.
    let granted = [(0, 100), (20_100, 24_100), (100_000, 104_300), (500_000, 500_050)];
    assert_eq!(drive.granted(), granted.map(|(from, until)| (from, until, 0)));
    assert_eq!(drive.times_of(Told::Ends(GcErase, 1, 1)), [1_500_050]);
}

#[test]
fn a_wait_for_the_die_is_blamed_on_the_classes_that_occupied_it() {
    let mut drive = Drive::new(&[]);
    drive.comes(0, GcRead, [0, 3, 0]);
    let program = drive.comes(1_000, HostProgram, [0, 4, 0]);
    let read = drive.comes(5_000, HostRead, [0, 5, 0]);
    drive.run_dry();
    let waits = [(DieWait(GcRead), 23_100)];
    drive.ended(
        program,
        228_400,
        &[&waits[..], &[(Command, 300), (Transfer, 4_000), (Cell, 200_000)]].concat(),
    );
    let waits = [(DieWait(GcRead), 19_100), (DieWait(HostProgram), 204_300)];
    drive.ended(read, 252_500, &[&waits[..], &[(Command, 100), (Cell, 20_000), (Transfer, 4_000)]].concat());
}

#[test]
fn reads_of_the_host_and_of_the_map_go_before_programs_where_reads_are_first() {
    let mut drive = Drive::new(&[("scheme.scheduler.policy", "read_first")]);
    drive.comes(0, HostRead, [0, 3, 0]);
    let program = drive.comes(1_000, HostProgram, [0, 4, 0]);
    let gc = drive.comes(2_000, GcRead, [0, 3, 1]);
    let map = drive.comes(3_000, MapRead, [0, 3, 2]);
    let read = drive.comes(4_000, HostRead, [0, 3, 3]);
    drive.run_dry();
    let ends = [map, read, program, gc].map(|op| drive.end(op));
    assert_eq!(ends, [2 * READ_ALONE, 3 * READ_ALONE, 276_600, 300_700]);
}

/// When a program ends that comes at this time, during a read, where another read has come whenever the die is free, seven in all.
fn end_among_reads(bound_ns: &str, comes_at: u64) -> u64 {
    let keys =
        [("scheme.scheduler.policy", "read_first"), ("scheme.scheduler.starvation_bound_ns", bound_ns)];
    let mut drive = Drive::new(&keys);
    drive.comes(0, HostRead, [0, 3, 0]);
    let program = drive.comes(comes_at, HostProgram, [0, 4, 0]);
    for read in 1..7 {
        drive.comes(read * READ_ALONE - 50, HostRead, [0, 3, 0]);
    }
    drive.run_dry();
    drive.end(program)
}

#[test]
fn a_command_that_has_waited_longer_than_the_bound_goes_first() {
    // The die chooses every 24,100 ns; behind the fifth read the program has waited for 100,000 ns, and for one more.
    assert_eq!(end_among_reads("100000", 20_500), 6 * READ_ALONE + PROGRAM_ALONE);
    assert_eq!(end_among_reads("100000", 20_499), 5 * READ_ALONE + PROGRAM_ALONE);
    assert_eq!(end_among_reads("1000000", 20_499), 7 * READ_ALONE + PROGRAM_ALONE);
}

#[test]
fn the_array_takes_what_the_type_of_the_page_takes_and_in_slc_mode_what_the_mode_does() {
    let mut drive = Drive::new(&TWO_BITS);
    drive.answers.slc_blocks.insert(4);
    let mut alone = |class, block, page| {
        let begin = drive.flash.now().0;
        let op = drive.comes(begin, class, [0, block, page]);
        drive.run_dry();
        drive.end(op) - begin
    };
    assert_eq!([0, 1].map(|page| alone(HostRead, 3, page)), [24_100, 44_100]);
    assert_eq!([0, 1].map(|page| alone(HostProgram, 3, page)), [204_300, 404_300]);
    assert_eq!([0, 1].map(|page| alone(HostRead, 4, page)), [19_100; 2]);
    assert_eq!([0, 1].map(|page| alone(HostProgram, 4, page)), [154_300; 2]);
    assert_eq!([3, 4].map(|block| alone(GcErase, block, 0)), [1_000_050, 900_050]);
}

#[test]
fn a_read_whose_page_is_elsewhere_when_its_turn_comes_takes_no_time() {
    let mut drive = Drive::new(&[]);
    let first = drive.comes(0, HostRead, [0, 3, 0]);
    let elsewhere = drive.comes(1, HostRead, [0, 3, 1]);
    let last = drive.comes(2, HostRead, [0, 3, 2]);
    drive.answers.elsewhere.insert(elsewhere);
    drive.run_dry();
    assert_eq!([first, last].map(|read| drive.end(read)), [READ_ALONE, 2 * READ_ALONE]);
    assert_eq!((drive.has_ended(elsewhere), &drive.sent_on[..]), (false, &[elsewhere][..]));
}

#[test]
fn what_is_sent_on_comes_before_what_came_to_its_new_die_later() {
    let mut drive = Drive::new(&[]);
    drive.comes(0, HostRead, [0, 3, 0]);
    let sent = drive.comes(1, HostRead, [0, 3, 1]);
    let place = drive.page(2, 0, 3, 0);
    drive.comes_to(2, HostProgram, place);
    let place = drive.page(2, 0, 3, 1);
    let later = drive.comes_to(3, HostRead, place);
    drive.answers.elsewhere.insert(sent);
    drive.run(READ_ALONE);
    assert_eq!(drive.sent_on, [sent]);
    drive.answers.elsewhere.clear();
    drive.sent_on.clear();
    drive.flash.pool[sent].ppa = drive.page(2, 0, 3, 2);
    drive.submit(sent);
    drive.run_dry();
    // Die 2 programs from 2 ns on.
    let free = 2 + PROGRAM_ALONE;
    assert_eq!([sent, later].map(|read| drive.end(read)), [1, 2].map(|reads| free + reads * READ_ALONE));
}
