//! The data of writes that crosses page by page, behind the work for its command.

use super::harness::{ANSWER, Alone, COMMAND, CROSS, Described, Did, PROGRAM, UNIT, described, without_link};
use wordline_base::parts::Part;
use wordline_base::request::HostOp;
use wordline_config::device::LinkData;

const WORK: u64 = 1_000;

fn by_page(rules: Described) -> Described {
    let mut rules = Described { work: WORK, ..rules };
    rules.link.write_data = LinkData::Page;
    rules
}

#[test]
fn pages_are_written_as_they_come_and_the_write_is_answered_with_the_last() {
    let mut drive = Alone::new(&by_page(described()));
    // Half of page 0, all of page 1, an eighth of page 2.
    let write = drive.submit(HostOp::Write, 2_048, 6_656);
    drive.run_dry();
    let begin = COMMAND + WORK;
    let come = [begin + CROSS / 2, begin + 3 * CROSS / 2, begin + 3 * CROSS / 2 + CROSS / 8];
    let written =
        [(come[0], Did::Write(0, 2_048)), (come[1], Did::Write(1, 4_096)), (come[2], Did::Write(2, 512))];
    assert_eq!(drive.asked_for(), written);
    // Pages 0 and 2 lie on one die.
    assert_eq!(drive.completed(write), Some(come[0] + 2 * PROGRAM + ANSWER));
    let told = drive.told_of(write);
    assert_eq!((told.asked.offset, told.asked.length), (2_048, 6_656));
    assert_eq!(told.blamed(Part::Link), COMMAND + (come[2] - begin) + ANSWER);
    assert_eq!((told.blamed(Part::Cpu), told.blamed(Part::Cell)), (WORK, PROGRAM));
}

#[test]
fn pages_take_the_link_for_as_long_as_in_one_piece() {
    let mut rules = by_page(described());
    rules.link.bytes_per_s = Some(3_000_000_000);
    let mut drive = Alone::new(&rules);
    drive.write(0, 3);
    drive.run_dry();
    let come: Vec<_> = drive.asked_for().iter().map(|(at, _)| at - COMMAND - WORK).collect();
    assert_eq!(come, [1_366, 2_731, 4_096]);
}

#[test]
fn a_write_of_one_page_has_its_data_behind_its_command_under_its_own_number() {
    for op in [HostOp::Write, HostOp::WriteFua] {
        let mut drive = Alone::new(&by_page(described()));
        let write = drive.submit(op, 0, UNIT);
        drive.run_dry();
        assert_eq!(drive.asked_for(), [(COMMAND + WORK + CROSS, Did::Write(0, 4_096))]);
        assert_eq!(drive.completed(write), Some(COMMAND + WORK + CROSS + PROGRAM + ANSWER));
        assert_eq!(drive.front.requests.len(), 1);
    }
}

#[test]
fn data_without_time_is_there_with_the_work_for_its_command() {
    let mut drive = Alone::new(&by_page(without_link()));
    let (one, two) = (drive.write(0, 1), drive.write(2, 2));
    drive.step();
    assert_eq!(drive.asked_for().len(), 1, "in the same event");
    drive.run_dry();
    let written =
        [(WORK, Did::Write(0, 4_096)), (2 * WORK, Did::Write(2, 4_096)), (2 * WORK, Did::Write(3, 4_096))];
    assert_eq!(drive.asked_for(), written);
    assert_eq!([one, two].map(|id| drive.completed(id).unwrap()), [WORK + PROGRAM, WORK + 2 * PROGRAM]);
}

#[test]
fn another_command_may_pass_while_the_core_works_but_data_waits_for_data() {
    let mut drive = Alone::new(&by_page(described()));
    drive.write(0, 2);
    drive.read(1, 1);
    drive.write(3, 1);
    drive.run_dry();
    let data = COMMAND + WORK;
    let order = [
        (COMMAND + 2 * WORK, Did::Read(1, 4_096)),
        (data + CROSS, Did::Write(0, 4_096)),
        (data + 2 * CROSS, Did::Write(1, 4_096)),
        (data + 3 * CROSS, Did::Write(3, 4_096)),
    ];
    assert_eq!(drive.asked_for(), order);
}

#[test]
fn each_command_of_a_split_write_has_its_work_its_pages_and_an_answer() {
    let mut rules = by_page(described());
    rules.link.max_transfer_bytes = Some(2 * UNIT);
    let mut drive = Alone::new(&rules);
    let write = drive.write(0, 3);
    drive.run_dry();
    assert_eq!(drive.worked, [(COMMAND + WORK, write), (COMMAND + 2 * WORK, write)]);
    let data = COMMAND + WORK;
    let written = [1, 2, 3].map(|page| (data + page * CROSS, Did::Write(page as u32 - 1, 4_096)));
    assert_eq!(drive.asked_for(), written);
    // Page 2, of the second command, waits for the die of page 0.
    assert_eq!(drive.completed(write), Some(data + CROSS + 2 * PROGRAM + ANSWER));
    let told = drive.told_of(write);
    let second = 2 * COMMAND + (data + 3 * CROSS - (COMMAND + 2 * WORK)) + ANSWER;
    assert_eq!((told.blamed(Part::Link), told.blamed(Part::CpuWait)), (second, WORK - COMMAND));
    assert_eq!(drive.front.link_clock()[1].0, data + CROSS + 2 * PROGRAM + ANSWER);
}
