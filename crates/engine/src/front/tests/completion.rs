//! Units are done, answers leave, and where the time of requests went is told.

use super::harness::{
    ANSWER, Alone, BLANK, COMMAND, CROSS, Described, Did, READ, UNIT, described, without_link,
};
use wordline_base::parts::Part;
use wordline_base::request::{HostOp, HostRequest};
use wordline_base::time::Ns;
use wordline_config::device::LinkData;

fn by_unit(mut rules: Described) -> Described {
    rules.link.read_data = LinkData::Page;
    rules
}

#[test]
fn units_of_a_read_cross_as_they_come_and_the_last_with_the_answer() {
    let ends = [described(), by_unit(described())].map(|rules| {
        let mut drive = Alone::new(&rules);
        let read = drive.read(0, 4);
        drive.run_dry();
        drive.completed(read).unwrap()
    });
    // Two dies read two units each.
    let last = COMMAND + 2 * READ;
    assert_eq!(ends, [last + 4 * CROSS + ANSWER, last + 2 * CROSS + ANSWER]);
}

#[test]
fn of_a_unit_that_crosses_alone_the_wanted_bytes_do() {
    let mut drive = Alone::new(&by_unit(described()));
    let read = drive.submit(HostOp::Read, UNIT / 2, UNIT);
    drive.run_dry();
    let crossed = COMMAND + READ + CROSS / 2 + CROSS / 2 + ANSWER;
    assert_eq!(drive.completed(read), Some(crossed));
    assert_eq!(drive.told_of(read).blamed(Part::Link), crossed - READ);
}

#[test]
fn units_of_a_write_never_cross_to_the_host() {
    let mut drive = Alone::new(&by_unit(described()));
    drive.write(0, 2);
    drive.run_dry();
    let end = drive.told[0].end;
    assert_eq!(drive.front.link_clock()[1], Ns(end));
    assert_eq!(drive.told[0].blamed(Part::Link), COMMAND + 2 * CROSS + ANSWER);
}

#[test]
fn an_answer_without_data_waits_for_data_of_its_own_that_is_on_the_link() {
    let mut rules = by_unit(Described { looks_up: true, ..described() });
    (rules.link.submission_ns, rules.link.completion_ns) = (0, 0);
    let mut drive = Alone::new(&rules);
    let zeros = drive.read(BLANK, 3);
    assert_eq!(drive.completed(zeros), None);
    drive.run_dry();
    assert_eq!(drive.completed(zeros), Some(3 * CROSS));
}

#[test]
fn time_at_the_host_belongs_to_the_response_time() {
    let mut drive = Alone::new(&described());
    drive.run(1_000);
    let request =
        HostRequest { time: Ns(400), op: HostOp::Read, offset: 0, length: UNIT, flow: 3, stream: 5 };
    let read = drive.submit_of(request, 400, true);
    assert_eq!((drive.front.request(0).flow(), drive.front.request(0).stream()), (3, 5));
    drive.run_dry();
    let told = drive.told_of(read);
    assert_eq!(told.blamed(Part::Admission), 600);
    assert_eq!(told.latency, 600 + COMMAND + READ + CROSS + ANSWER);
    assert_eq!(told.asked, request);
}

#[test]
fn nothing_is_blamed_outside_where_the_link_takes_no_time() {
    let mut drive = Alone::new(&without_link());
    let read = drive.read(0, 1);
    drive.run_dry();
    let told = drive.told_of(read);
    assert_eq!((told.latency, told.blamed(Part::Cell)), (READ, READ));
    assert_eq!(told.parts.iter().filter(|&(_, ns)| ns > 0).count(), 1);
}

#[test]
fn parts_that_do_not_add_up_are_a_fault_in_checked_mode() {
    for (is_checked, wrong_by) in [(true, 7), (true, -7), (false, 7)] {
        let mut drive = Alone::new(&described());
        (drive.wrong_by, drive.is_checked) = (wrong_by, is_checked);
        drive.read(0, 1);
        drive.run(READ + 10_000);
        let all = (COMMAND + READ + CROSS + ANSWER) as i64;
        let wrong = format!("request 0: its parts add up to {} of {all} ns", all + wrong_by);
        assert_eq!(drive.fault, is_checked.then_some(wrong));
    }
}

#[test]
fn answers_are_told_of_requests_that_are_measured_and_of_all_to_who_watches() {
    for (watched, measured, told) in [(false, false, 0), (false, true, 1), (true, false, 1)] {
        let mut drive = Alone::new(&Described { watched, ..described() });
        let request =
            HostRequest { time: Ns(0), op: HostOp::Read, offset: 0, length: UNIT, flow: 0, stream: 0 };
        let read = drive.submit_of(request, 0, measured);
        drive.run_dry();
        assert_eq!((drive.told.len(), drive.completed(read).is_some()), (told, true));
    }
}

#[test]
fn the_drive_is_idle_from_the_last_answer_to_the_next_request() {
    let mut drive = Alone::new(&described());
    drive.read(0, 1);
    drive.run(10);
    drive.read(2, 1);
    drive.run_dry();
    let idle = drive.now();
    drive.run(idle + 500);
    drive.flush();
    drive.run_dry();
    let news = drive.did.iter().copied().filter(|(_, did)| matches!(did, Did::Idle(_)));
    let end = idle + 500 + COMMAND + ANSWER;
    let expected = [(0, false), (idle, true), (idle + 500, false), (end, true)];
    assert_eq!(news.collect::<Vec<_>>(), expected.map(|(at, idle)| (at, Did::Idle(idle))));
}
