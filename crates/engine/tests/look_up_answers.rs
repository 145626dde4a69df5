//! What a mapping policy or a system answers to a look-up: known, to be loaded, guessed; what a wrong answer costs, and which
//! answers are refused.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use crate::mapping::{PROGRAM, READ, busy, demand, mix};
use wordline_engine::config::scheme::*;
use wordline_engine::host::HostRequest;
use wordline_engine::ids::{Lpa, Ppa};
use wordline_engine::mapping::{Found, Lookup, MapView, Mapping, Update, WriteBack};
use wordline_engine::stats::report::Report;
use wordline_engine::systems::{Action, DriveView, Event, System, SystemPolicy, Watches};
use wordline_engine::{RunError, Setup};

/// Guesses; right for even pages, and at some other place for odd ones.
struct Guesser {
    elsewhere: fn(&MapView<'_>, Ppa) -> Ppa,
    knows: u32,
    found: std::sync::Arc<std::sync::Mutex<Vec<(Lpa, Lpa)>>>,
}

impl Mapping for Guesser {
    fn name(&self) -> &str {
        "guesser"
    }
    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        let truth = view.find(lookup.lpa);
        if self.knows == lookup.lpa.0 || !truth.is_some() {
            return Found::Known(truth);
        }
        Found::Guess(if lookup.lpa.0.is_multiple_of(2) { truth } else { (self.elsewhere)(view, truth) })
    }
    fn wrong_guess(&mut self, lpa: Lpa, _guessed: Ppa, found: Lpa) {
        self.knows = lpa.0;
        self.found.lock().unwrap().push((lpa, found));
    }
}

/// Replays with the guesser; tells what wrong guesses found.
fn guessing(
    setup: &Setup,
    elsewhere: fn(&MapView<'_>, Ppa) -> Ppa,
    requests: Vec<HostRequest>,
) -> (Report, Record, Vec<(Lpa, Lpa)>) {
    let mut drive = setup.prepare(&[]).unwrap();
    let found = std::sync::Arc::default();
    let policy = Guesser { elsewhere, knows: u32::MAX, found: std::sync::Arc::clone(&found) };
    drive.set_mapping(Box::new(policy));
    let (report, record) = record_on(setup, drive, &mut Listed(requests)).unwrap();
    let found = found.lock().unwrap().clone();
    (report, record, found)
}

#[test]
fn a_right_guess_costs_nothing_and_a_wrong_one_its_read() {
    let setup = setup(device(1, 1, 1, 1));
    let next = |_: &MapView<'_>, truth: Ppa| Ppa(truth.0 + 1);
    let (report, record, found) = guessing(&setup, next, vec![read(0, 4), read(1_000_000, 7)]);
    assert_eq!(record.completions(), [READ, 1_000_000 + 2 * READ]);
    let counters = report.mapping.unwrap().counters;
    assert_eq!((counters.guessed, counters.guesses_right, counters.guesses_wrong), (2, 1, 1));
    assert_eq!(found, [(Lpa(7), Lpa(8))]);
    let parts = &report.read.blame.mean.total_ns;
    assert_eq!((parts["misprediction"], parts["cell"]), (u128::from(READ), u128::from(2 * TR)));
    assert_eq!(parts.values().sum::<u128>(), report.read.blame.mean.response_total_ns);
}

#[test]
fn the_time_of_a_wrong_guess_covers_its_wait_too() {
    let setup = setup(device(1, 1, 1, 1));
    // The wrong place and the right one are on the die that is busy with another read.
    let next = |_: &MapView<'_>, truth: Ppa| Ppa(truth.0 + 1);
    let (report, record, _) = guessing(&setup, next, vec![read(0, 4), read(0, 7)]);
    assert_eq!(record.completions(), [READ, 3 * READ]);
    assert_eq!(report.read.blame.mean.total_ns["misprediction"], u128::from(2 * READ));
}

#[test]
fn guessing_at_an_erased_page_or_one_that_is_being_programmed_is_wrong_and_harmless() {
    let setup = setup(device(1, 1, 1, 1));
    // The last page of the drive is erased: nobody can tell what was there.
    let erased = |view: &MapView<'_>, _: Ppa| Ppa(view.sizes.physical_units - 1);
    let (_, record, found) = guessing(&setup, erased, vec![read(0, 7)]);
    assert_eq!((record.completions(), found), (vec![2 * READ], vec![(Lpa(7), Lpa::NONE)]));
    // Logical page 0 is being written: where it comes to is guessed for another.
    let coming = |view: &MapView<'_>, _: Ppa| view.find(Lpa(0));
    let requests = vec![write(0, 0), read(XFER + 1_000, 7)];
    let (_, record, found) = guessing(&setup, coming, requests);
    assert_eq!(record.completions(), [PROGRAM, PROGRAM + 2 * READ]);
    assert_eq!(found, [(Lpa(7), Lpa(0))]);
}

#[test]
fn an_outdated_copy_is_a_wrong_guess() {
    let setup = setup(device(1, 1, 1, 1));
    // Where logical page 7 was before the write: the seventh page of the first block.
    let before = |_: &MapView<'_>, _: Ppa| Ppa(7);
    let (report, record, found) = guessing(&setup, before, vec![write(0, 7), read(1_000_000, 7)]);
    assert_eq!(record.completions(), [PROGRAM, 1_000_000 + 2 * READ]);
    assert_eq!(found, [(Lpa(7), Lpa(7))]);
    assert_eq!(report.mapping.unwrap().counters.guesses_outdated, 1);
}

/// Says what it is told to.
struct Saying(fn(&Lookup, &MapView<'_>) -> Found);

impl Mapping for Saying {
    fn name(&self) -> &str {
        "saying"
    }
    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        (self.0)(lookup, view)
    }
    fn updated(&mut self, update: &Update, _: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        if update.lpa == Lpa(99) {
            writes.push(WriteBack { page: 1 << 20, whole: true });
        }
    }
}

#[test]
fn a_mapping_that_says_what_cannot_be_is_named() {
    type Say = fn(&Lookup, &MapView<'_>) -> Found;
    let wrong: [(Say, HostRequest, &str); 5] = [
        (|_, _| Found::Known(Ppa(77)), read(0, 5), "Known(Ppa(77)) for Lpa(5), but it is at Ppa(5)"),
        (|_, _| Found::Load(6), read(0, 5), "Load(6) for Lpa(5), of 6 translation pages"),
        (|_, _| Found::Guess(Ppa(512)), read(0, 5), "Guess(Ppa(512)) for Lpa(5), of 512 physical pages"),
        (|_, _| Found::Load(0), read(0, 5), "Load(0) for Lpa(5), again, the answer to question 17"),
        (
            |lookup, view| Found::Known(view.find(lookup.lpa)),
            write(0, 99),
            "the mapping asked to write translation page 1048576 of 6",
        ),
    ];
    for (say, request, expected) in wrong {
        let setup = demand(device(1, 1, 1, 1), 8);
        let mut drive = setup.prepare(&[]).unwrap();
        drive.set_mapping(Box::new(Saying(say)));
        let error = record_on(&setup, drive, &mut Listed(vec![request])).map(|_| ()).unwrap_err();
        let RunError::Inconsistent(text) = error else { panic!("{error}") };
        assert!(text.contains(expected), "{text}");
    }
}

/// Never has an entry written.
struct Forgetful(u32);

impl Mapping for Forgetful {
    fn name(&self) -> &str {
        "forgetful"
    }
    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        if std::mem::replace(&mut self.0, u32::MAX) == lookup.lpa.0 {
            return Found::Known(view.find(lookup.lpa));
        }
        Found::Load(view.sizes.page_of(lookup.lpa))
    }
    fn loaded(&mut self, _: u32, lookup: &Lookup, _: &MapView<'_>, _: &mut Vec<WriteBack>) {
        self.0 = lookup.lpa.0;
    }
    fn keeps_map_on_flash(&self) -> bool {
        true
    }
}

#[test]
fn checked_mode_finds_an_entry_that_was_lost_when_it_is_loaded_and_at_the_end() {
    let lost = |requests| {
        let setup = demand(device(1, 1, 1, 1), 8);
        let mut drive = setup.prepare(&[]).unwrap();
        drive.set_mapping(Box::new(Forgetful(u32::MAX)));
        match record_on(&setup, drive, &mut Listed(requests)).map(|_| ()) {
            Err(RunError::Inconsistent(text)) => text.contains("the map on flash has Lpa(5) at Ppa(5)"),
            other => panic!("{other:?}"),
        }
    };
    assert!(lost(vec![write(0, 5)]));
    assert!(lost(vec![write(0, 5), read(10_000_000, 5), read(20_000_000, 6)]));
}

/// Notes what it is asked: page, pages of the request from there on, flow.
struct Listener(Asked);

type Asked = std::sync::Arc<std::sync::Mutex<Vec<(u32, u32, Option<u16>)>>>;

impl Mapping for Listener {
    fn name(&self) -> &str {
        "listener"
    }
    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        self.0.lock().unwrap().push((lookup.lpa.0, lookup.units, lookup.flow));
        Found::Known(view.find(lookup.lpa))
    }
}

#[test]
fn a_look_up_says_how_much_of_its_request_is_to_come_and_whose_it_is() {
    let setup = setup(device(1, 1, 1, 1));
    let mut drive = setup.prepare(&[]).unwrap();
    let asked = Asked::default();
    drive.set_mapping(Box::new(Listener(asked.clone())));
    // Parts of pages count as pages.
    let some = HostRequest { offset: 5 * 4096 + 512, length: 8192, flow: 3, ..read(0, 5) };
    record_on(&setup, drive, &mut Listed(vec![some, write(1_000_000, 9)])).unwrap();
    let flow = Some(3);
    assert_eq!(*asked.lock().unwrap(), [(5, 3, flow), (6, 2, flow), (7, 1, flow), (9, 1, Some(0))]);
}

/// A system that knows where even pages are, supposes where those divisible by three are, and leaves the rest to
/// the mapping policy.
struct Regions;

impl System for Regions {
    fn name(&self) -> &str {
        "regions"
    }
    fn watches(&self) -> Watches {
        Watches::TRANSLATION
    }
    fn find(&mut self, lookup: &Lookup, drive: &DriveView<'_>) -> Option<Found> {
        let ppa = drive.find(lookup.lpa);
        match lookup.lpa.0 {
            even if even.is_multiple_of(2) => Some(Found::Known(ppa)),
            third if third.is_multiple_of(3) && ppa.is_some() => Some(Found::Guess(ppa)),
            _ => None,
        }
    }
}

#[test]
fn a_system_answers_before_the_policy() {
    let setup = demand(device(1, 1, 1, 1), 8);
    let mut drive = setup.prepare(&[]).unwrap();
    drive.add_system(SystemPolicy::Custom(Box::new(Regions)));
    let requests = vec![read(0, 4), read(1_000_000, 9), read(2_000_000, 7)];
    let (report, record) = record_on(&setup, drive, &mut Listed(requests)).unwrap();
    assert_eq!(record.completions(), [READ, 1_000_000 + READ, 2_000_000 + 2 * READ]);
    let counters = report.mapping.unwrap().counters;
    assert_eq!((counters.hits, counters.guessed, counters.misses), (1, 1, 1));
}

/// A system that guesses the same wrong place whenever a page of the map has been loaded.
struct Stubborn(bool);

impl System for Stubborn {
    fn name(&self) -> &str {
        "stubborn"
    }
    fn watches(&self) -> Watches {
        Watches::TRANSLATION
    }
    fn find(&mut self, _: &Lookup, _: &DriveView<'_>) -> Option<Found> {
        self.0.then_some(Found::Guess(Ppa(8)))
    }
    fn told(&mut self, event: &Event, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {
        match *event {
            Event::WrongGuess { .. } => self.0 = false,
            Event::Loaded { .. } => self.0 = true,
            _ => {}
        }
    }
}

#[test]
fn a_page_whose_entry_was_loaded_is_known_whatever_a_system_guesses() {
    for entries in [0, 1, 8] {
        let setup = demand(device(1, 1, 1, 1), entries);
        let mut drive = setup.prepare(&[]).unwrap();
        drive.add_system(SystemPolicy::Custom(Box::new(Stubborn(true))));
        let (report, record) = record_on(&setup, drive, &mut Listed(vec![read(0, 7)])).unwrap();
        assert_eq!(record.completions(), [3 * READ]);
        let counters = report.mapping.unwrap().counters;
        assert_eq!((counters.guesses_wrong, counters.guesses_right, counters.loads), (1, 0, 1));
    }
}

/// Answers by chance: knows, guesses right, guesses anywhere on the drive, or has the map read.
struct Chance(Random, u32);

impl Mapping for Chance {
    fn name(&self) -> &str {
        "chance"
    }
    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        let truth = view.find(lookup.lpa);
        if std::mem::replace(&mut self.1, u32::MAX) == lookup.lpa.0 {
            return Found::Known(truth);
        }
        match self.0.below(5) {
            0 if truth.is_some() => Found::Guess(truth),
            1 | 2 => Found::Guess(Ppa(self.0.below(u64::from(view.sizes.physical_units)) as u32)),
            3 => Found::Load(self.0.below(u64::from(view.sizes.translation_pages)) as u32),
            _ => Found::Known(truth),
        }
    }
    fn loaded(&mut self, _: u32, lookup: &Lookup, _: &MapView<'_>, _: &mut Vec<WriteBack>) {
        self.1 = lookup.lpa.0;
    }
    fn wrong_guess(&mut self, lpa: Lpa, _: Ppa, _: Lpa) {
        if self.0.below(2) == 0 {
            self.1 = lpa.0;
        }
    }
}

#[test]
fn whatever_a_policy_answers_reads_find_the_newest_version() {
    for span in [SuperblockSpan::None, SuperblockSpan::Drive] {
        for (at_once, suspends) in [(1, false), (2, true)] {
            let mut setup = busy(span, PlacementKind::Dynamic, at_once);
            if suspends {
                setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
                setup.device.suspend.program_ns = Some(10_000);
                setup.device.suspend.erase_ns = Some(20_000);
                setup.device.suspend.max_per_operation = 3;
            }
            let mut drive = setup.prepare(&[]).unwrap();
            drive.set_mapping(Box::new(Chance(Random(7), u32::MAX)));
            let bytes = drive.logical_bytes();
            let (report, _) = record_on(&setup, drive, &mut mix(5, 3_000, bytes)).unwrap();
            let counters = report.mapping.unwrap().counters;
            assert!(counters.guesses_wrong > 100 && counters.guesses_right > 100, "{counters:?}");
            assert!(report.gc.victims > 0);
        }
    }
}
