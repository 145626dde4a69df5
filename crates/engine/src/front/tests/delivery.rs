//! Requests are handed on unit by unit, or answered without.

use super::harness::{ANSWER, Alone, BLANK, COMMAND, CROSS, Described, Did, FLUSH, PROGRAM, READ, UNIT};
use super::harness::{described, without_link};
use wordline_base::ids::Lpa;
use wordline_base::parts::Part;
use wordline_base::request::HostOp;

#[test]
fn of_each_unit_the_bytes_are_wanted_that_the_range_has() {
    let mut drive = Alone::new(&without_link());
    drive.submit(HostOp::Read, 1_000, 8_000);
    let wanted = [(0, 3_096), (1, 4_096), (2, 808)].map(|(unit, bytes)| (0, Did::Read(unit, bytes)));
    assert_eq!(drive.asked_for(), wanted);
    let range = |unit| drive.front.wanted_range(0, Lpa(unit), UNIT as u32);
    assert_eq!([0, 1, 2].map(range), [(1_000, 4_096), (0, 4_096), (0, 808)]);
    let from = |unit| drive.front.units_from(0, Lpa(unit), UNIT as u32);
    assert_eq!([0, 1, 2, 3].map(from), [3, 2, 1, 1]);
    assert_eq!(drive.front.units_from(9, Lpa(0), UNIT as u32), 1);
    assert_eq!([0, 9].map(|number| drive.front.request_id(number)), [0, u64::MAX]);
}

#[test]
fn a_range_within_a_unit_has_that_one_and_one_that_ends_with_a_unit_no_more() {
    let mut drive = Alone::new(&without_link());
    drive.submit(HostOp::Write, UNIT + 512, 1_024);
    drive.submit(HostOp::Write, UNIT - 512, 512);
    assert_eq!(drive.asked_for(), [(0, Did::Write(1, 1_024)), (0, Did::Write(0, 512))]);
}

#[test]
fn a_trim_forgets_the_units_that_lie_wholly_in_its_range_and_is_answered_at_once() {
    let mut drive = Alone::new(&described());
    let part = drive.submit(HostOp::Trim, 1_000, 3 * UNIT);
    let within = drive.submit(HostOp::Trim, 100, UNIT);
    let whole = drive.submit(HostOp::Trim, 4 * UNIT, UNIT);
    drive.run_dry();
    let forgotten = [(COMMAND, Did::Trim(1)), (COMMAND, Did::Trim(2)), (3 * COMMAND, Did::Trim(4))];
    assert_eq!(drive.asked_for(), forgotten);
    let ends = [part, within, whole].map(|id| drive.completed(id).unwrap());
    assert_eq!(ends, [COMMAND + ANSWER, COMMAND + 2 * ANSWER, COMMAND + 3 * ANSWER]);
}

#[test]
fn a_flush_waits_only_where_writes_are_held_whatever_its_range() {
    for length in [0, UNIT] {
        let mut plain = Alone::new(&described());
        let flush = plain.submit(HostOp::Flush, 0, length);
        plain.run_dry();
        assert_eq!((plain.asked_for(), plain.completed(flush)), (vec![], Some(COMMAND + ANSWER)));
        let mut holding = Alone::new(&Described { holds_writes: true, ..described() });
        let flush = holding.submit(HostOp::Flush, 0, length);
        holding.run_dry();
        assert_eq!(holding.asked_for(), [(COMMAND, Did::Flush)]);
        assert_eq!(holding.completed(flush), Some(COMMAND + FLUSH + ANSWER));
        assert_eq!(holding.told_of(flush).blamed(Part::WriteBack), FLUSH);
    }
}

#[test]
fn a_request_of_no_bytes_is_answered_at_once() {
    let mut drive = Alone::new(&Described { holds_writes: true, ..without_link() });
    for op in [HostOp::Read, HostOp::Write, HostOp::WriteFua, HostOp::Trim] {
        let id = drive.submit(op, UNIT, 0);
        assert_eq!(drive.completed(id), Some(0), "{op:?}");
    }
    assert_eq!(drive.asked_for(), []);
}

#[test]
fn units_that_are_done_at_once_end_a_request_only_if_no_others_are_under_way() {
    for looks_up in [false, true] {
        let mut drive = Alone::new(&Described { looks_up, ..without_link() });
        let (zeros, both) = (drive.read(BLANK, 3), drive.read(BLANK - 1, 2));
        assert_eq!((drive.completed(zeros), drive.completed(both)), (Some(0), None));
        drive.run_dry();
        assert_eq!(drive.completed(both), Some(READ));
    }
}

#[test]
fn the_work_for_requests_comes_one_after_the_other_before_they_are_delivered() {
    let mut drive = Alone::new(&Described { work: 1_000, ..described() });
    let ids = [drive.read(0, 1), drive.read(1, 1)];
    drive.run_dry();
    let [first, second] = [COMMAND + 1_000, COMMAND + 2_000];
    assert_eq!(drive.asked_for(), [(first, Did::Read(0, 4_096)), (second, Did::Read(1, 4_096))]);
    let blamed = ids.map(|id| (drive.told_of(id).blamed(Part::Cpu), drive.told_of(id).blamed(Part::CpuWait)));
    assert_eq!(blamed, [(1_000, 0), (1_000, 1_000 - COMMAND)]);
    assert_eq!(drive.completed(ids[0]), Some(first + READ + CROSS + ANSWER));
}

#[test]
fn a_write_with_fua_is_durable_and_delivered_as_any() {
    let mut drive = Alone::new(&without_link());
    let ids = [drive.write(0, 1), drive.submit(HostOp::WriteFua, UNIT, UNIT)];
    assert_eq!([0, 1].map(|number| drive.front.is_durable(number)), [false, true]);
    drive.run_dry();
    assert_eq!(ids.map(|id| drive.completed(id)), [Some(PROGRAM); 2]);
}
