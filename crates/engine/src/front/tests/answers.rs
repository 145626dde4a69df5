//! Answers that are kept for the host.

use super::harness::{Alone, COMMAND, READ, UNIT, described, without_link};
use wordline_base::request::{HostOp, HostRequest};
use wordline_base::time::Ns;

#[test]
fn completions_are_counted_until_they_are_asked_for() {
    let mut drive = Alone::new(&described());
    for unit in 0..3 {
        drive.read(unit, 1);
    }
    assert!(!drive.front.has_completed());
    drive.run_dry();
    assert!(drive.front.has_completed());
    assert_eq!((drive.front.take_completed(), drive.front.take_completed()), (3, 0));
    assert!(!drive.front.has_completed());
    drive.flush();
    drive.run_dry();
    assert!(drive.front.has_completed());
}

#[test]
fn the_numbers_of_answered_requests_are_kept_in_order_where_they_are_asked_for() {
    let mut drive = Alone::new(&described());
    let mut answered = Vec::new();
    drive.read(0, 1);
    drive.run_dry();
    drive.front.take_answered(&mut answered);
    assert!(answered.is_empty());
    drive.front.keep_answered(true);
    let (write, read) = (drive.write(2, 1), drive.read(1, 1));
    drive.run_dry();
    drive.front.take_answered(&mut answered);
    assert_eq!(answered, [read, write]);
    drive.front.take_answered(&mut answered);
    assert_eq!(answered.len(), 2);
    drive.front.keep_answered(false);
    drive.read(0, 1);
    drive.run_dry();
    drive.front.take_answered(&mut answered);
    assert_eq!(answered.len(), 2);
}

#[test]
fn kept_answers_say_where_their_time_went_whether_measured_or_not() {
    let mut drive = Alone::new(&described());
    drive.front.keep_answers();
    assert!(drive.front.keeps_answers() && drive.front.take_answers().is_none());
    for measured in [false, true] {
        let now = drive.now();
        let (time, op) = (Ns(now), HostOp::Read);
        let request = HostRequest { time, op, offset: 0, length: UNIT, flow: 0, stream: 0 };
        let id = drive.submit_of(request, now, measured);
        drive.run_dry();
        let answers = drive.front.take_answers().unwrap();
        let kept: Vec<_> = answers.iter().map(|(id, parts)| (id, parts.total())).collect();
        assert_eq!(kept, [(id, drive.now() - now)]);
        assert!(!drive.front.keeps_answers());
        drive.front.give_back_answers(answers);
        assert!(drive.front.take_answers().is_none(), "those that were lent are gone");
    }
}

#[test]
fn the_parts_of_an_earlier_request_of_the_same_number_are_forgotten() {
    let mut drive = Alone::new(&without_link());
    drive.front.keep_answers();
    drive.write(0, 1);
    drive.run_dry();
    let answers = drive.front.take_answers().unwrap();
    drive.front.give_back_answers(answers);
    drive.read(0, 1);
    drive.run_dry();
    let answers = drive.front.take_answers().unwrap();
    assert_eq!(answers.iter().map(|(_, parts)| parts.total()).collect::<Vec<_>>(), [READ]);
}

#[test]
fn answers_come_together_in_the_order_in_which_the_host_has_them() {
    let mut drive = Alone::new(&described());
    drive.front.keep_answers();
    let ids = [drive.write(0, 1), drive.read(1, 1), drive.flush()];
    drive.run_dry();
    let answers = drive.front.take_answers().unwrap();
    let order: Vec<_> = answers.iter().map(|(id, _)| id).collect();
    assert_eq!(order, [ids[2], ids[1], ids[0]]);
    assert!(answers.iter().all(|(_, parts)| parts.total() > COMMAND));
}
