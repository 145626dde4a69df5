//! The front saved and restored.

use super::harness::{Alone, Described, UNIT, described};
use crate::front::Front;
use crate::snapshot::{In, Out, Part};
use wordline_base::request::HostOp;
use wordline_config::device::{LinkConfig, LinkData};

fn rules() -> Described {
    let mut rules = Described { work: 700, holds_writes: true, ..described() };
    rules.link.max_transfer_bytes = Some(3 * UNIT);
    (rules.link.read_data, rules.link.write_data) = (LinkData::Page, LinkData::Page);
    rules
}

/// What was saved of a front, restored behind a link.
fn restored(front: &Front, link: &LinkConfig) -> Front {
    let mut bytes = Vec::new();
    let mut out = Out::begin(&mut bytes).unwrap();
    front.save(&mut out).unwrap();
    out.finish().unwrap();
    let mut new = Front::new(link.clone());
    let mut source = &bytes[..];
    let mut input = In::begin(&mut source).unwrap();
    new.restore(&mut input).unwrap();
    new
}

fn run(mut between: impl FnMut(&mut Alone)) -> Alone {
    let mut drive = Alone::new(&rules());
    drive.front.keep_answered(true);
    for round in 0..6 {
        drive.write(round, 5);
        drive.read(2 * round, 4);
        drive.submit(HostOp::Trim, 0, 3 * UNIT);
        drive.flush();
        for _ in 0..7 {
            between(&mut drive);
            drive.step();
        }
    }
    while drive.next().is_some() {
        between(&mut drive);
        drive.step();
    }
    drive.run_dry();
    drive
}

#[test]
fn a_front_that_is_saved_and_restored_goes_on_as_if_it_had_not_been() {
    let plain = run(|_| {});
    let saved = run(|drive| drive.front = restored(&drive.front, &rules().link));
    let forked = run(|drive| drive.front = drive.front.fork().unwrap());
    for other in [saved, forked] {
        assert_eq!(plain.did, other.did);
        assert_eq!(plain.front.link_clock(), other.front.link_clock());
        let answered = |drive: &Alone| drive.front.answered.clone();
        assert_eq!((answered(&plain), plain.front.completed), (answered(&other), other.front.completed));
    }
    assert_eq!(plain.told.len(), 24);
}

#[test]
fn lists_of_requests_that_disagree_do_not_fit() {
    let inside = || {
        let mut drive = Alone::new(&rules());
        drive.read(0, 9);
        drive.front
    };
    assert!(inside().fits());
    let changes: [fn(&mut Front); 4] = [
        |front| front.requests.truncate(3),
        |front| front.free_requests.extend([0, 1]),
        |front| {
            let part = *front.request(1);
            front.insert_part(40, part);
        },
        |front| {
            let part = *front.request(1);
            front.free_requests.push(1);
            front.insert_part(0, part);
        },
    ];
    for change in changes {
        let mut front = inside();
        change(&mut front);
        assert!(!front.fits());
    }
}
