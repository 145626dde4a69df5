//! Whose turn it is at a channel, and among chips that take commands as one.

use super::harness::*;
use wordline_base::class::Class::{HostProgram, HostRead};

/// Ends of a read whose data, and of one whose command, waits for a channel that a program's data keeps until 24,350 ns; the
/// command has come at this time, the data at 20,100 ns.
fn ends_of(arbitration: &str, command_at: u64) -> [u64; 2] {
    let mut drive = Drive::new(&[("device.geometry.ways", "4"), ("device.channel.arbitration", arbitration)]);
    let data = drive.comes_to(0, HostRead, drive.page(0, 0, 3, 0));
    drive.comes_to(20_050, HostProgram, drive.page(1, 0, 3, 0));
    let command = drive.comes_to(command_at, HostRead, drive.page(2, 0, 3, 0));
    drive.run_dry();
    [data, command].map(|op| drive.end_of(op).unwrap())
}

#[test]
fn the_arbitration_says_who_has_the_channel_next() {
    let free = 20_050 + PROGRAM_COMMAND + DATA;
    let data_first = [free + DATA, free + DATA + alone(HostRead)];
    let command_first = [free + READ_COMMAND + DATA, free + alone(HostRead)];
    assert_eq!(ends_of("fifo", 20_060), command_first);
    assert_eq!(ends_of("fifo", 20_200), data_first);
    for command_at in [20_060, 20_200] {
        assert_eq!(ends_of("command_first", command_at), command_first);
        assert_eq!(ends_of("data_out_first", command_at), data_first);
    }
}

fn chips() -> Drive {
    Drive::new(&[
        ("device.geometry.dies", "2"),
        ("device.channel.commands", "chip"),
        ("device.channel.arbitration", "data_out_first"),
    ])
}

#[test]
fn the_die_of_the_oldest_command_begins_first_on_its_chip() {
    let mut drive = chips();
    drive.comes_to(0, HostRead, drive.page(0, 0, 9, 5));
    let older = drive.comes_to(1, HostRead, drive.page(1, 0, 3, 0));
    let younger = drive.comes_to(2, HostRead, drive.page(0, 0, 3, 0));
    drive.run_dry();
    assert_eq!(drive.end_of(older), Some(2 * alone(HostRead)));
    assert_eq!(drive.end_of(younger), Some(2 * alone(HostRead) + DATA));
}

#[test]
fn the_chips_of_a_channel_take_turns() {
    let mut drive = chips();
    drive.comes_to(0, HostRead, drive.page(0, 0, 3, 0));
    drive.comes_to(0, HostRead, drive.page(0, 0, 4, 1));
    // It comes while the first one's data leaves: both chips could begin when that has left.
    let other = drive.comes_to(READ_COMMAND + READ + 500, HostRead, drive.page(2, 0, 3, 0));
    drive.run_dry();
    assert_eq!(drive.end_of(other), Some(2 * alone(HostRead)));
}
