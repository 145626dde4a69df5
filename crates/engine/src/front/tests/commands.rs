//! Requests that are split into commands.

use super::harness::{
    ANSWER, Alone, BLANK, COMMAND, CROSS, Described, Did, READ, UNIT, described, without_link,
};
use wordline_base::parts::Part;
use wordline_base::request::HostOp;

fn of_small_commands(most: u64, mut rules: Described) -> Alone {
    rules.link.max_transfer_bytes = Some(most);
    Alone::new(&rules)
}

#[test]
fn a_request_comes_as_commands_and_is_answered_with_the_last_of_them() {
    let mut drive = of_small_commands(2 * UNIT, described());
    let read = drive.read(0, 5);
    assert_eq!(drive.front.inside(), 1);
    drive.run(READ);
    assert_eq!((drive.front.inside(), drive.front.split_requests.commands()), (1, 3));
    drive.run_dry();
    let come = [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3)];
    let come = come.map(|(unit, command)| (command * COMMAND, Did::Read(unit, 4096)));
    assert_eq!(drive.asked_for(), come);
    // One die reads units 0, 2 and 4.
    let told = drive.told_of(read);
    assert_eq!(drive.completed(read), Some(COMMAND + 3 * READ + CROSS + ANSWER));
    assert_eq!((told.asked.offset, told.asked.length), (0, 5 * UNIT));
    assert_eq!(told.blamed(Part::Link), 3 * COMMAND + CROSS + ANSWER);
    assert_eq!(drive.front.take_completed(), 1);
}

#[test]
fn the_last_command_to_be_answered_counts_wherever_it_lies() {
    let mut drive = of_small_commands(UNIT, described());
    let read = drive.read(BLANK - 1, 3);
    drive.run_dry();
    // Those of zeros were answered long before.
    assert_eq!(drive.completed(read), Some(COMMAND + READ + CROSS + ANSWER));
    assert_eq!(drive.told_of(read).blamed(Part::Link), COMMAND + CROSS + ANSWER);
    assert_eq!(drive.front.link_clock()[1].0, COMMAND + READ + CROSS + ANSWER);
}

#[test]
fn the_answers_of_all_commands_take_the_link() {
    let mut rules = described();
    // As long as a read: that of the first command is still under way when the last is done.
    rules.link.bytes_per_s = Some(81_920_000);
    let mut drive = of_small_commands(UNIT, rules);
    let read = drive.read(0, 2);
    drive.run_dry();
    assert_eq!(drive.completed(read), Some(COMMAND + READ + 2 * (READ + ANSWER)));
}

#[test]
fn a_request_that_one_command_carries_and_one_without_data_are_not_split() {
    let mut drive = of_small_commands(UNIT, described());
    let (read, trim) = (drive.read(0, 1), drive.submit(HostOp::Trim, 0, 3 * UNIT));
    drive.run_dry();
    assert_eq!(drive.front.requests.len(), 2);
    assert_eq!(drive.completed(trim), Some(2 * COMMAND + ANSWER));
    assert_eq!(drive.completed(read), Some(COMMAND + READ + CROSS + ANSWER));
}

#[test]
fn commands_come_in_events_of_their_own_where_the_link_takes_no_time() {
    let mut drive = of_small_commands(UNIT, without_link());
    let read = drive.read(0, 2);
    assert_eq!(drive.asked_for(), []);
    drive.step();
    assert_eq!(drive.asked_for(), [(0, Did::Read(0, 4096))]);
    drive.step();
    assert_eq!(drive.asked_for()[1..], [(0, Did::Read(1, 4096))]);
    drive.run_dry();
    assert_eq!(drive.completed(read), Some(READ));
}

#[test]
fn the_numbers_of_commands_are_used_again() {
    let mut drive = of_small_commands(UNIT, described());
    for _ in 0..3 {
        drive.write(0, 4);
        drive.run_dry();
    }
    assert_eq!(drive.front.requests.len(), 5);
    assert_eq!(drive.told.len(), 3);
}
