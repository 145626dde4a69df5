//! Dies that share a channel: who has it, who waits, and on whom that is blamed.

use super::harness::*;
use wordline_base::class::Class::{self, GcErase, GcRead, HostProgram, HostRead};
use wordline_base::parts::Part::{Cell, ChannelWait, Command, Transfer};

/// A drive of two channels of four dies each under this arbitration.
fn drive(arbitration: &str) -> Drive {
    Drive::new(&[("device.geometry.ways", "4"), ("device.channel.arbitration", arbitration)])
}

fn comes(drive: &mut Drive, at: u64, class: Class, die: u32) -> u32 {
    let place = drive.page(die, 0, 3, 0);
    drive.comes_to(at, class, place)
}

#[test]
fn two_reads_share_the_channel_and_the_wait_is_blamed_on_the_class_of_the_first() {
    for class in [HostRead, GcRead] {
        let mut drive = drive("command_first");
        let first = comes(&mut drive, 0, class, 0);
        let second = comes(&mut drive, 0, HostRead, 1);
        drive.run_dry();
        assert_eq!(drive.end(first), READ_ALONE);
        // 100 ns for the first one's command; its data leaves from 20,100 to 24,100 ns, the second one's is there at 20,200 ns.
        let waits = (ChannelWait(class), 4_000);
        drive.ended(second, 28_100, &[waits, (Command, 100), (Cell, 20_000), (Transfer, 4_000)]);
    }
}

#[test]
fn dies_of_two_channels_do_not_meet() {
    let mut drive = drive("command_first");
    let reads = [0, 4].map(|die| comes(&mut drive, 0, HostRead, die));
    drive.run_dry();
    assert_eq!(reads.map(|read| drive.end(read)), [READ_ALONE; 2]);
}

#[test]
fn bare_commands_go_before_data_or_who_came_first_does_as_the_arbitration_says() {
    // Die 0 has the channel until 4,300 ns, for which die 1 waits with 4,300 ns of data, and then die 2 with a command.
    let ends = |arbitration, class| {
        let mut drive = drive(arbitration);
        comes(&mut drive, 0, HostProgram, 0);
        let data = comes(&mut drive, 10, HostProgram, 1);
        let bare = comes(&mut drive, 20, class, 2);
        drive.run_dry();
        [data, bare].map(|op| drive.end(op))
    };
    let free = 4_300;
    for (class, alone) in [(HostRead, READ_ALONE), (GcErase, ERASE_ALONE)] {
        let command = if class == HostRead { READ_COMMAND } else { ERASE_COMMAND };
        let command_first = [free + command + PROGRAM_ALONE, free + alone];
        let in_order = [free + PROGRAM_ALONE, 2 * free + alone];
        assert_eq!(ends("command_first", class), command_first, "{class:?}");
        assert_eq!(ends("fifo", class), in_order, "{class:?}");
        assert_eq!(ends("data_out_first", class), in_order, "{class:?}");
    }
}

#[test]
fn a_wait_is_what_was_left_of_the_transfer_under_way_and_all_that_went_before() {
    let mut drive = drive("command_first");
    comes(&mut drive, 0, HostProgram, 0);
    let program = comes(&mut drive, 10, HostProgram, 1);
    comes(&mut drive, 15, GcErase, 2);
    let read = comes(&mut drive, 20, HostRead, 3);
    drive.run_dry();
    let waits = [(ChannelWait(HostProgram), 4_280), (ChannelWait(GcErase), 50)];
    drive.ended(read, 28_450, &[&waits[..], &[(Command, 100), (Cell, 20_000), (Transfer, 4_000)]].concat());
    let waits = [(ChannelWait(HostProgram), 4_290), (ChannelWait(GcErase), 50), (ChannelWait(HostRead), 100)];
    let own = [(Command, 300), (Transfer, 4_000), (Cell, 200_000)];
    drive.ended(program, 208_750, &[&waits[..], &own].concat());
}

#[test]
fn the_channel_chooses_when_all_that_want_it_in_a_nanosecond_are_known() {
    // At 24,100 ns the data of die 0 has left, that of die 2 is ready, and a command comes to die 1.
    let ends = |arbitration| {
        let mut drive = drive(arbitration);
        let first = comes(&mut drive, 0, HostRead, 0);
        let place = drive.page(1, 0, 3, 0);
        drive.comes_behind(first, HostRead, place);
        let data = comes(&mut drive, 4_000, HostRead, 2);
        drive.run_dry();
        [drive.end(data), drive.end(drive.came[0])]
    };
    assert_eq!(ends("command_first"), [24_100 + 100 + 4_000, 24_100 + READ_ALONE]);
    assert_eq!(ends("data_out_first"), [24_100 + 4_000, 24_100 + 4_000 + READ_ALONE]);
}

#[test]
fn data_that_leaves_goes_before_data_that_comes_where_that_is_first() {
    // Die 0 has the channel from 18,000 until 22,300 ns; die 1 wants to program from 18,100 ns on, the data of die 2 is ready at
    // 20,100 ns.
    let ends = |arbitration| {
        let mut drive = drive(arbitration);
        let read = comes(&mut drive, 0, HostRead, 2);
        comes(&mut drive, 18_000, HostProgram, 0);
        let program = comes(&mut drive, 18_100, HostProgram, 1);
        drive.run_dry();
        [read, program].map(|op| drive.end(op))
    };
    assert_eq!(ends("data_out_first"), [26_300, 26_300 + PROGRAM_ALONE]);
    for arbitration in ["fifo", "command_first"] {
        assert_eq!(ends(arbitration), [30_600, 22_300 + PROGRAM_ALONE], "{arbitration}");
    }
}

#[test]
fn a_command_goes_between_the_data_of_two_planes() {
    let mut drive = Drive::new(&[]);
    let [one, other] = drive.come_together(0, HostRead, [[0, 3, 2], [1, 3, 2]]);
    let place = drive.page(1, 0, 3, 0);
    let command = drive.comes_to(21_000, HostRead, place);
    drive.run_dry();
    // The data of plane 0 leaves from 20,130 to 24,130 ns.
    assert_eq!(drive.end(one), 24_130);
    let parts = [(Command, 130), (Cell, 20_000), (Transfer, 4_000), (ChannelWait(HostRead), 4_100)];
    drive.ended(other, 28_230, &parts);
    assert_eq!(drive.end(command), 24_130 + READ_ALONE);
}

#[test]
fn data_that_leaves_goes_before_a_command_that_came_later_unless_commands_are_first() {
    // Die 0 has the channel from 18,000 to 22,300 ns; the data of die 2 is ready at 20,100 ns, and a read comes to die 1 then.
    let ends = |arbitration| {
        let mut drive = drive(arbitration);
        let data = comes(&mut drive, 0, HostRead, 2);
        comes(&mut drive, 18_000, HostProgram, 0);
        let command = comes(&mut drive, 21_000, HostRead, 1);
        drive.run_dry();
        [data, command].map(|op| drive.end(op))
    };
    for arbitration in ["fifo", "data_out_first"] {
        assert_eq!(ends(arbitration), [26_300, 26_300 + READ_ALONE], "{arbitration}");
    }
    assert_eq!(ends("command_first"), [26_400, 22_300 + READ_ALONE]);
}
