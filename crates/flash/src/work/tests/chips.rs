//! Chips that take commands as one: a chip of dies 0 and 1, and one of dies 2 and 3, share a channel.

use super::harness::*;
use crate::sched::gates::ClassSet;
use crate::work::look_at_touched;
use wordline_base::class::Class::{self, GcRead, HostProgram, HostRead};
use wordline_base::class::FlashOp;
use wordline_base::ids::DieId;
use wordline_base::parts::Part::{Cell, ChannelWait, Chip, Command, DieWait, Suspend, Transfer};
use wordline_base::time::Ns;

fn chips(keys: &[(&str, &str)]) -> Drive {
    let chips = [
        ("device.geometry.dies", "2"),
        ("device.channel.commands", "chip"),
        ("device.channel.arbitration", "data_out_first"),
    ];
    Drive::new(&[&chips, keys].concat())
}

/// An operation on a page of plane 0 of a die comes.
fn comes(drive: &mut Drive, at: u64, class: Class, die: u32, page: u32) -> u32 {
    let place = drive.page(die, 0, 3, page);
    drive.comes_to(at, class, place)
}

/// What a read takes that waits for nothing.
const OWN_READ: [(wordline_base::parts::Part, u64); 3] = [(Command, 100), (Cell, 20_000), (Transfer, 4_000)];
const OWN_PROGRAM: [(wordline_base::parts::Part, u64); 3] =
    [(Command, 300), (Cell, 200_000), (Transfer, 4_000)];

#[test]
fn the_dies_of_a_chip_that_have_work_begin_back_to_back() {
    let mut drive = chips(&[]);
    let all = [0, 1].map(|die| (HostRead, drive.page(die, 0, 3, 0)));
    let reads = drive.come_all(0, all);
    drive.run_dry();
    drive.ended(reads[0], 24_100, &OWN_READ);
    drive.ended(reads[1], 28_100, &[&OWN_READ[..], &[(ChannelWait(HostRead), 4_000)]].concat());
    assert_eq!(drive.granted()[..2], [(0, 100, 0), (100, 200, 1)]);
}

#[test]
fn a_die_waits_until_no_die_of_its_chip_has_a_command() {
    let mut drive = chips(&[]);
    comes(&mut drive, 0, HostRead, 0, 0);
    let other = comes(&mut drive, 1, HostRead, 1, 0);
    drive.run_dry();
    drive.ended(other, 48_200, &[&OWN_READ[..], &[(Chip, 24_099)]].concat());
}

#[test]
fn chips_of_a_channel_begin_each_for_itself() {
    let mut drive = chips(&[]);
    comes(&mut drive, 0, HostRead, 0, 0);
    let other = comes(&mut drive, 50, HostRead, 2, 0);
    drive.run_dry();
    // It takes its command when the channel is free, at 100 ns; its data waits from 20,200 to 24,100 ns.
    drive.ended(other, 28_100, &[&OWN_READ[..], &[(Chip, 50), (ChannelWait(HostRead), 3_900)]].concat());
}

#[test]
fn the_chip_behind_the_one_that_began_last_has_the_next_turn() {
    let mut drive = chips(&[]);
    comes(&mut drive, 0, HostRead, 0, 0);
    let again = comes(&mut drive, 1, HostRead, 0, 1);
    // It comes while the data of the first leaves: from 24,100 ns on both chips could begin.
    let other = comes(&mut drive, 21_000, HostRead, 2, 0);
    drive.run_dry();
    drive.ended(other, 48_200, &[&OWN_READ[..], &[(Chip, 3_100)]].concat());
    let waits = [(DieWait(HostRead), 24_099), (Chip, 100), (ChannelWait(HostRead), 3_900)];
    drive.ended(again, 52_200, &[&OWN_READ[..], &waits].concat());
}

#[test]
fn the_oldest_command_says_what_all_dies_of_the_chip_do_and_who_is_first() {
    let mut drive = chips(&[]);
    comes(&mut drive, 0, HostRead, 0, 0);
    let oldest = comes(&mut drive, 10, HostProgram, 1, 0);
    let read = comes(&mut drive, 20, HostRead, 0, 1);
    let along = comes(&mut drive, 30, HostProgram, 0, 2);
    drive.run_dry();
    drive.ended(oldest, 228_400, &[&OWN_PROGRAM[..], &[(Chip, 24_090)]].concat());
    let waits = [(DieWait(HostRead), 24_070), (ChannelWait(HostProgram), 4_300)];
    drive.ended(along, 232_700, &[&OWN_PROGRAM[..], &waits].concat());
    let waits = [(DieWait(HostRead), 24_080), (DieWait(HostProgram), 208_600)];
    drive.ended(read, 256_800, &[&OWN_READ[..], &waits].concat());
}

#[test]
fn a_chip_passes_over_what_is_elsewhere() {
    let mut drive = chips(&[]);
    comes(&mut drive, 0, HostRead, 0, 0);
    let elsewhere = comes(&mut drive, 1, HostRead, 0, 1);
    let program = comes(&mut drive, 2, HostProgram, 1, 0);
    drive.answers.elsewhere.insert(elsewhere);
    drive.run_dry();
    assert_eq!(drive.sent_on, [elsewhere]);
    assert_eq!(drive.end(program), READ_ALONE + PROGRAM_ALONE);
}

#[test]
fn while_a_die_is_suspended_the_others_of_its_chip_read_for_the_host_and_do_nothing_else() {
    let mut drive = chips(&SUSPENDS);
    let program = comes(&mut drive, 0, HostProgram, 0, 0);
    let read = comes(&mut drive, 50_000, HostRead, 0, 1);
    let other = comes(&mut drive, 51_000, HostRead, 1, 0);
    let gc = comes(&mut drive, 51_500, GcRead, 1, 1);
    drive.run_dry();
    drive.ended(read, 79_100, &[&OWN_READ[..], &[(DieWait(HostProgram), 5_000)]].concat());
    // Its command goes behind that of die 0 at 55,000 ns, and its data behind that one's.
    drive.ended(other, 83_100, &[&OWN_READ[..], &[(Chip, 4_000), (ChannelWait(HostRead), 4_000)]].concat());
    // The program goes on when both have read: for 4,000 ns its die rests.
    let waits = [(Suspend, 5_600), (DieWait(HostRead), 24_100), (Chip, 4_000)];
    drive.ended(program, 238_000, &[&OWN_PROGRAM[..], &waits].concat());
    assert_eq!(drive.end(gc), 238_000 + READ_ALONE);
}

#[test]
fn a_read_stops_what_its_own_die_does_only() {
    let mut drive = chips(&SUSPENDS);
    let program = comes(&mut drive, 0, HostProgram, 0, 0);
    let read = comes(&mut drive, 50_000, HostRead, 1, 1);
    drive.run_dry();
    assert_eq!([program, read].map(|op| drive.end(op)), [PROGRAM_ALONE, PROGRAM_ALONE + READ_ALONE]);
}

#[test]
fn what_waits_behind_a_gate_of_its_die_has_no_say_in_its_chip() {
    let mut drive = chips(&[]);
    drive.flash.close_gate(DieId(1), 0, ClassSet::doing(FlashOp::Program), Ns(50_000));
    look_at_touched(&mut drive);
    let held = comes(&mut drive, 0, HostProgram, 1, 0);
    let reads = [(10, 0), (20, 1)].map(|(at, die)| comes(&mut drive, at, HostRead, die, 1));
    drive.run_dry();
    let ends = reads.map(|read| drive.end(read));
    assert_eq!(ends, [10 + READ_ALONE, 10 + 2 * READ_ALONE]);
    assert_eq!(drive.end(held), 50_000 + PROGRAM_ALONE);
}

#[test]
fn gates_of_all_dies_that_open_are_heard_of_by_all_chips() {
    let mut drive = chips(&[]);
    drive.flash.close_all_gates(ClassSet::ALL, Ns(500_000));
    let read = comes(&mut drive, 10, HostRead, 1, 0);
    drive.run(1_000);
    drive.flash.close_all_gates(ClassSet::NONE, Ns::ZERO);
    look_at_touched(&mut drive);
    drive.run_dry();
    assert_eq!(drive.end(read), 1_000 + READ_ALONE);
}

#[test]
fn what_waits_behind_a_gate_of_one_die_does_not_bring_its_class_forward_at_another() {
    let mut drive = chips(&[]);
    drive.flash.close_gate(DieId(1), 0, ClassSet::doing(FlashOp::Program), Ns(400_000));
    comes(&mut drive, 0, HostRead, 0, 0);
    comes(&mut drive, 1, HostProgram, 1, 0);
    let read = comes(&mut drive, 10, HostRead, 0, 1);
    let program = comes(&mut drive, 20, HostProgram, 0, 2);
    drive.run_dry();
    assert_eq!([read, program].map(|op| drive.end(op)), [48_200, 48_200 + PROGRAM_ALONE]);
}

#[test]
fn data_of_another_chip_does_not_come_between_the_commands_of_a_chip() {
    let mut drive = chips(&[]);
    let data = comes(&mut drive, 0, HostRead, 2, 0);
    let all = [0, 1].map(|die| (HostRead, drive.page(die, 0, 3, 0)));
    drive.come_all(20_050, all);
    drive.run_dry();
    // It is ready at 20,100 ns, and waits for the rest of one command and for the other.
    drive.ended(data, 24_250, &[&OWN_READ[..], &[(ChannelWait(HostRead), 150)]].concat());
}
