//! The link: one transfer at a time each way.

use super::harness::{ANSWER, Alone, COMMAND, CROSS, Did, PROGRAM, READ, UNIT, described};
use crate::front::{Direction, Front, transfer_ended};
use wordline_base::parts::Part;
use wordline_base::request::HostOp;
use wordline_base::time::Ns;
use wordline_config::device::LinkConfig;

#[test]
fn commands_cross_one_by_one_and_so_do_answers_with_the_data_of_reads() {
    let mut drive = Alone::new(&described());
    let reads = [0, 1].map(|unit| drive.read(unit, 1));
    drive.run_dry();
    assert_eq!(drive.asked_for(), [(COMMAND, Did::Read(0, 4096)), (2 * COMMAND, Did::Read(1, 4096))]);
    let first = COMMAND + READ + CROSS + ANSWER;
    let ends = [first, first + CROSS + ANSWER];
    assert_eq!(reads.map(|id| drive.completed(id).unwrap()), ends);
    // The second waits behind the first both ways.
    let link = reads.map(|id| drive.told_of(id).blamed(Part::Link));
    assert_eq!(link, [COMMAND + CROSS + ANSWER, ends[1] - READ]);
}

#[test]
fn the_data_of_a_write_crosses_with_its_command_and_its_answer_alone() {
    let mut drive = Alone::new(&described());
    let write = drive.write(0, 1);
    drive.run_dry();
    assert_eq!(drive.asked_for(), [(COMMAND + CROSS, Did::Write(0, 4096))]);
    assert_eq!(drive.completed(write), Some(COMMAND + CROSS + PROGRAM + ANSWER));
}

#[test]
fn data_takes_its_time_rounded_up_however_much_it_is_and_none_takes_none() {
    let front = |bytes_per_s| Front::new(LinkConfig { bytes_per_s, ..LinkConfig::default() });
    let times = [(Some(3), 1), (Some(3), 3), (Some(1 << 30), 1 << 40), (Some(3), 0), (None, 1 << 40)]
        .map(|(rate, bytes)| front(rate).link_time(bytes, 7).0 - 7);
    assert_eq!(times, [333_333_334, 1_000_000_000, 1_024_000_000_000, 0, 0]);
}

#[test]
fn a_command_without_time_comes_at_once_but_behind_what_is_on_its_way() {
    let mut rules = described();
    rules.link.submission_ns = 0;
    let mut drive = Alone::new(&rules);
    drive.read(0, 1);
    assert_eq!(drive.asked_for(), [(0, Did::Read(0, 4096))]);
    drive.write(2, 1);
    drive.read(1, 1);
    assert_eq!(drive.asked_for().len(), 1);
    drive.run_dry();
    let behind = [(CROSS, Did::Write(2, 4096)), (CROSS, Did::Read(1, 4096))];
    assert_eq!(drive.asked_for()[1..], behind);
}

#[test]
fn an_answer_without_time_comes_at_once_but_behind_what_is_on_its_way() {
    let mut rules = described();
    (rules.link.submission_ns, rules.link.completion_ns) = (0, 0);
    let mut drive = Alone::new(&rules);
    let flush = drive.flush();
    assert_eq!(drive.completed(flush), Some(0));
    let read = drive.read(0, 1);
    drive.run(READ + 500);
    let behind = drive.flush();
    assert_eq!(drive.completed(behind), None);
    drive.run_dry();
    let order: Vec<_> = drive.told.iter().map(|told| (told.id, told.end)).collect();
    assert_eq!(order, [(flush, 0), (read, READ + CROSS), (behind, READ + CROSS)]);
    assert_eq!(drive.told_of(behind).blamed(Part::Link), CROSS - 500);
}

#[test]
fn answers_leave_in_the_order_in_which_requests_are_done() {
    let mut drive = Alone::new(&described());
    let (write, read) = (drive.write(0, 1), drive.read(1, 1));
    drive.run_dry();
    assert_eq!(drive.completed(read), Some(2 * COMMAND + CROSS + READ + CROSS + ANSWER));
    assert_eq!(drive.completed(write), Some(COMMAND + CROSS + PROGRAM + ANSWER));
}

#[test]
fn a_link_that_others_share_is_taken_as_long_as_they_say() {
    let mut drive = Alone::new(&described());
    drive.front.set_link_clock([Ns(700), Ns(90_000)]);
    let read = drive.read(0, 1);
    assert_eq!(drive.front.link_clock(), [Ns(700 + COMMAND), Ns(90_000)]);
    drive.run_dry();
    assert_eq!(drive.completed(read), Some(90_000 + CROSS + ANSWER));
    assert_eq!(drive.front.link_clock(), [700 + COMMAND, 90_000 + CROSS + ANSWER].map(Ns));
}

#[test]
fn a_transfer_that_nobody_began_is_a_fault() {
    for direction in [Direction::ToDrive, Direction::ToHost] {
        let mut drive = Alone::new(&described());
        transfer_ended(&mut drive, direction);
        assert_eq!(drive.fault.as_deref(), Some("a transfer over the link ended, and none was begun"));
    }
}

#[test]
fn a_read_takes_the_link_to_the_host_for_its_bytes_alone() {
    let mut drive = Alone::new(&described());
    let read = drive.submit(HostOp::Read, UNIT / 2, UNIT / 4);
    drive.run_dry();
    assert_eq!(drive.asked_for(), [(COMMAND, Did::Read(0, 1024))]);
    assert_eq!(drive.completed(read), Some(COMMAND + READ + CROSS / 4 + ANSWER));
}
