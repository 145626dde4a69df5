//! Systems: what they are told, and what becomes of the plans that they ask for. Everything in checked mode.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is the failure")]

use std::sync::{Arc, Mutex};

use crate::common::*;
use wordline_engine::blocks::BlockState;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::SuperblockSpan;
use wordline_engine::host::HostOp;
use wordline_engine::ids::{DomainId, Lpa, Ppa, SuperblockId};
use wordline_engine::sched::class::Cause;
use wordline_engine::systems::{
    Action, DriveView, Event, Pin, Place, Plan, ReadEvent, Step, System, SystemPolicy, Watches,
};
use wordline_engine::time::Ns;
use wordline_engine::{Ending, RunError, Setup, Split, Stop, Unobserved, replay_in_parts};

/// What the system saw and did, shared with the test.
#[derive(Default)]
struct Seen {
    reads: u64,
    reads_done: u64,
    written: u64,
    moved: u64,
    invalidated: u64,
    erased: u64,
    idle: Vec<u64>,
    woken: Vec<u64>,
    plans_done: u64,
    /// Of every plan: each logical page and the place that it was pinned to.
    pinned: Vec<(Lpa, Ppa)>,
}

/// How a page is pinned.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pinning {
    Any,
    Exact,
    Span,
}

/// Every so many events sorts a full superblock by logical page into a fresh one.
struct Sorter {
    seen: Arc<Mutex<Seen>>,
    pinning: Pinning,
    every: u64,
    next: u32,
    asked: u64,
    ended: u64,
}

impl Sorter {
    fn plan(&mut self, drive: &DriveView<'_>) -> Option<Plan> {
        let domains = drive.domains().len() as u32;
        let domain = DomainId(self.next % domains);
        self.next += 1;
        let blocks = drive.blocks(domain);
        let full = blocks.state.iter().position(|&state| state == BlockState::Full)?;
        let source = SuperblockId(blocks.first.0 + full as u32);
        let mut pages: Vec<(Lpa, Ppa)> = (0..blocks.capacity)
            .map(|unit| drive.unit_at(source, unit))
            .filter_map(|ppa| drive.valid_lpa(ppa).map(|lpa| (lpa, ppa)))
            .collect();
        pages.sort();
        let sources: Vec<Ppa> = pages.iter().map(|page| page.1).collect();
        let holes = vec![1, 4, 5];
        let steps = match self.pinning {
            Pinning::Any => vec![Step { pages: sources, pin: Pin::Any }],
            Pinning::Exact => sources
                .iter()
                .enumerate()
                .map(|(unit, &page)| {
                    let place = Place { destination: 0, unit: unit as u32 };
                    Step { pages: vec![page], pin: Pin::Exact(place) }
                })
                .collect(),
            Pinning::Span => {
                let room = blocks.capacity as usize - holes.len();
                let pages = sources.into_iter().take(room).collect();
                vec![Step { pages, pin: Pin::Span { first: Place { destination: 0, unit: 0 }, holes } }]
            }
        };
        let destinations = if self.pinning == Pinning::Any { vec![] } else { vec![domain] };
        Some(Plan { cause: Cause::Migration, destinations, steps, erase: vec![source] })
    }
}

impl System for Sorter {
    fn name(&self) -> &str {
        "sorter"
    }

    fn watches(&self) -> Watches {
        [
            Watches::READ,
            Watches::READ_DONE,
            Watches::WRITTEN,
            Watches::MOVED,
            Watches::INVALIDATED,
            Watches::ERASED,
        ]
        .into_iter()
        .fold(Watches::IDLE, Watches::and)
    }

    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Read(ref read) => self.read(read, drive),
            Event::ReadDone(_) => self.read_done(),
            Event::Written { lpa, new, .. } => self.written(lpa, new, drive, actions),
            Event::Moved { lpa, old, new, cause } => self.moved(lpa, old, new, cause, drive),
            Event::Invalidated(_) => self.invalidated(),
            Event::Erased(superblock) => self.erased(superblock, drive),
            Event::Idle => self.idle(drive, actions),
            Event::Woken => self.woken(drive),
            Event::PlanDone(number) => self.plan_done(number),
            _ => {}
        }
    }

    fn save(&self) -> Vec<u8> {
        let written = self.seen.lock().unwrap().written;
        [u64::from(self.next), self.asked, self.ended, written]
            .into_iter()
            .flat_map(u64::to_le_bytes)
            .collect()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), String> {
        let numbers: Vec<u64> =
            state.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap())).collect();
        let [next, asked, ended, written] = numbers[..] else { return Err("not four numbers".to_owned()) };
        (self.next, self.asked, self.ended) = (next as u32, asked, ended);
        self.seen.lock().unwrap().written = written;
        Ok(())
    }
}

impl Sorter {
    fn read(&mut self, read: &ReadEvent, drive: &DriveView<'_>) {
        assert_eq!(drive.die_of(read.ppa), read.die);
        self.seen.lock().unwrap().reads += 1;
    }

    fn read_done(&mut self) {
        self.seen.lock().unwrap().reads_done += 1;
    }

    fn written(&mut self, lpa: Lpa, new: Ppa, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        assert_eq!(drive.find(lpa), new);
        let mut seen = self.seen.lock().unwrap();
        seen.written += 1;
        let due = seen.written.is_multiple_of(self.every) && self.asked == self.ended;
        drop(seen);
        if due && let Some(plan) = self.plan(drive) {
            self.asked += 1;
            actions.push(Action::Plan(plan));
        }
    }

    fn moved(&mut self, lpa: Lpa, old: Ppa, new: Ppa, cause: Cause, drive: &DriveView<'_>) {
        assert_eq!(drive.find(lpa), new);
        assert_ne!(old, new);
        let mut seen = self.seen.lock().unwrap();
        seen.moved += u64::from(cause == Cause::Migration);
        if cause == Cause::Migration {
            seen.pinned.push((lpa, new));
        }
    }

    fn invalidated(&mut self) {
        self.seen.lock().unwrap().invalidated += 1;
    }

    fn erased(&mut self, superblock: SuperblockId, drive: &DriveView<'_>) {
        assert_eq!(drive.state(superblock), BlockState::Free);
        self.seen.lock().unwrap().erased += 1;
    }

    fn idle(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        self.seen.lock().unwrap().idle.push(drive.now().0);
        actions.push(Action::WakeAt(drive.now() + Ns(777)));
    }

    fn woken(&mut self, drive: &DriveView<'_>) {
        self.seen.lock().unwrap().woken.push(drive.now().0);
    }

    fn plan_done(&mut self, number: u64) {
        assert_eq!(number, self.ended);
        self.ended += 1;
        self.seen.lock().unwrap().plans_done += 1;
    }
}

fn sorter(seen: &Arc<Mutex<Seen>>, pinning: Pinning, every: u64) -> SystemPolicy {
    let seen = Arc::clone(seen);
    SystemPolicy::Custom(Box::new(Sorter { seen, pinning, every, next: 0, asked: 0, ended: 0 }))
}

fn busy(span: SuperblockSpan, unit_bytes: u32) -> Setup {
    let mut setup = setup(device(2, 1, 2, 2));
    setup.device.geometry.blocks = 16;
    setup.device.geometry.page_bytes = 8192;
    setup.device.geometry.mapping_unit_bytes = unit_bytes;
    setup.scheme.blocks.superblock = span;
    setup.scheme.gc.trigger = 0.1;
    setup.start = start(Occupancy::Share(0.9), 0.3);
    setup.host = closed(16);
    setup
}

/// Reads, writes and TRIMs all over the drive.
fn mix(pages: u64, count: u64) -> impl wordline_engine::host::RequestSource {
    let mut random = Random(5);
    made(count, move |_| {
        let op = match random.below(10) {
            0..4 => HostOp::Read,
            9 => HostOp::Trim,
            _ => HostOp::Write,
        };
        let length = 1 + random.below(4);
        request(0, op, random.below(pages - length), length)
    })
}

#[test]
fn plans_of_every_pin_leave_the_drive_consistent_under_collection_and_trim() {
    for span in [SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Channels, SuperblockSpan::Drive] {
        for pinning in [Pinning::Any, Pinning::Exact, Pinning::Span] {
            for (unit, at_once) in [(8192, 1), (4096, 1), (4096, 4)] {
                let mut setup = busy(span, unit);
                setup.device.geometry.pages_per_program = at_once;
                setup.device.capacity.overprovisioning = Some(0.45);
                let mut device = setup.prepare(&[]).unwrap();
                let pages = device.logical_bytes() / 4096;
                let seen = Arc::default();
                device.add_system(sorter(&seen, pinning, 50));
                let (report, _) = record_on(&setup, device, &mut mix(pages, 3_000)).unwrap();
                let seen = seen.lock().unwrap();
                let what = format!("{span:?} {pinning:?} {unit} {at_once}");
                assert!(seen.plans_done > 3, "{what}: {} plans", seen.plans_done);
                // The window ends with the last answer, the moves may go on.
                let counted = report.other_moves["migration"].moved_units;
                assert!((seen.moved / 2..=seen.moved).contains(&counted), "{what}");
                assert!(report.gc.victims > 0 && seen.erased > seen.plans_done, "{what}");
                assert!(report.flash.by_class["migration_read"].operations > 0, "{what}");
                assert!(report.waf_by_cause["migration"] > 0.0, "{what}");
            }
        }
    }
}

#[test]
fn pinned_pages_lie_where_they_were_pinned_to() {
    // One plane, nothing else going on: the pages of a superblock go to a fresh one in ascending order, around the holes.
    let mut setup = setup(device(1, 1, 1, 1));
    setup.start = start(Occupancy::Share(0.5), 0.0);
    let mut device = setup.prepare(&[]).unwrap();
    let seen = Arc::default();
    device.add_system(sorter(&seen, Pinning::Span, 1));
    // The write takes logical page 5 out of the first superblock.
    record_on(&setup, device, &mut Listed(vec![write(0, 5)])).unwrap();
    let seen = seen.lock().unwrap();
    let first = seen.pinned[0].1.0;
    // 16 pages of the block: 0 … 15 without 5, of which 13 fit beside three holes.
    let expected: Vec<(Lpa, Ppa)> = [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13]
        .into_iter()
        .zip([0, 2, 3, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
        .map(|(lpa, unit)| (Lpa(lpa), Ppa(first + unit)))
        .collect();
    assert_eq!(seen.pinned, expected);
    assert_eq!(seen.plans_done, 1);
}

#[test]
fn a_source_is_erased_only_when_the_last_program_has_ended() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.start = start(Occupancy::Share(0.5), 0.0);
    let mut device = setup.prepare(&[]).unwrap();
    let seen = Arc::default();
    device.add_system(sorter(&seen, Pinning::Exact, 1));
    let (report, _) = record_on(&setup, device, &mut Listed(vec![write(0, 5), read(60_000_000, 0)])).unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!((seen.erased, seen.moved), (1, 15));
    // The host's own program, 15 reads and programs, an erase; the read of the host comes after all of them.
    assert_eq!((report.flash.reads, report.flash.programs, report.flash.erases), (16, 16, 1));
    assert_eq!(report.read.latency_ns.max, TR + XFER);
}

#[test]
fn the_drive_is_idle_when_no_request_is_inside_and_a_system_is_woken_when_it_asked_for_it() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.scheme.maintenance.idle_after_ns = 10_000;
    let mut device = setup.prepare(&[]).unwrap();
    let seen = Arc::default();
    device.add_system(sorter(&seen, Pinning::Any, u64::MAX));
    let done = TR + XFER;
    let requests = vec![read(0, 0), read(1, 0), read(done + 5_000, 0), read(done * 4, 0), read(done * 9, 0)];
    let (_, record) = record_on(&setup, device, &mut Listed(requests)).unwrap();
    let ends = record.completions();
    let seen = seen.lock().unwrap();
    // Not between the second and the third, which are less than 10 µs apart; not after the last, with nothing to come.
    assert_eq!(seen.idle, [ends[2] + 10_000, ends[3] + 10_000]);
    assert_eq!(seen.woken, [ends[2] + 10_777, ends[3] + 10_777]);
    assert_eq!((seen.reads, seen.reads_done), (5, 5));
}

/// Asks for one plan, whatever it is.
struct Once(Option<Plan>);

impl System for Once {
    fn name(&self) -> &str {
        "once"
    }
    fn watches(&self) -> Watches {
        Watches::READ
    }
    fn told(&mut self, event: &Event, _drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        if let Event::Read(_) = *event {
            actions.extend(self.0.take().map(Action::Plan));
        }
    }
}

#[test]
fn a_plan_that_cannot_be_carried_out_is_named() {
    let at = |destination, unit| Pin::Exact(Place { destination, unit });
    let step = |page, pin| Step { pages: vec![Ppa(page)], pin };
    let plan =
        |steps| Plan { cause: Cause::Migration, destinations: vec![DomainId(0)], steps, erase: vec![] };
    let wrong = [
        (plan(vec![step(1 << 30, Pin::Any)]), "none of the"),
        (plan(vec![step(0, at(1, 0))]), "no destination 1"),
        (plan(vec![step(0, at(0, 16))]), "allowed: 0 (behind the last one used) to 15"),
        (plan(vec![step(0, at(0, 3)), step(1, at(0, 3))]), "allowed: 4"),
        (
            plan(vec![step(0, Pin::In { superblock: SuperblockId(3), unit: 0 })]),
            "allowed: superblocks that the system keeps open",
        ),
        (Plan { cause: Cause::Host, ..plan(vec![]) }, "its cause is Host"),
        (Plan { destinations: vec![DomainId(7)], ..plan(vec![]) }, "none of the 1 domains"),
        (Plan { erase: vec![SuperblockId(99)], ..plan(vec![]) }, "none of the 32 superblocks"),
    ];
    for (plan, expected) in wrong {
        let setup = setup(device(1, 1, 1, 1));
        let mut device = setup.prepare(&[]).unwrap();
        device.add_system(SystemPolicy::Custom(Box::new(Once(Some(plan)))));
        let error = record_on(&setup, device, &mut Listed(vec![read(0, 0)])).map(|_| ()).unwrap_err();
        let RunError::Inconsistent(text) = error else { panic!("{error}") };
        assert!(text.contains("plan 0 of the system once") && text.contains(expected), "{text}");
    }
}

/// Puts the first three pages into one superblock, each by a plan of its own.
struct GoesOn {
    kept: Vec<SuperblockId>,
    closes_early: bool,
    places: Arc<Mutex<Vec<Ppa>>>,
}

impl GoesOn {
    fn plan(&self, page: u32, drive: &DriveView<'_>) -> Action {
        let pin = match self.kept.first() {
            None => Pin::Exact(Place { destination: 0, unit: 0 }),
            Some(&superblock) => Pin::In { superblock, unit: 3 * page },
        };
        let destinations = if self.kept.is_empty() { vec![DomainId(0)] } else { vec![] };
        let steps = vec![Step { pages: vec![drive.find(Lpa(page))], pin }];
        Action::Plan(Plan { cause: Cause::Migration, destinations, steps, erase: vec![] })
    }
}

impl System for GoesOn {
    fn name(&self) -> &str {
        "goes-on"
    }
    fn watches(&self) -> Watches {
        Watches::READ
    }
    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Read(_) => self.read(drive, actions),
            Event::PlanDone(number) => self.plan_done(number, drive, actions),
            _ => {}
        }
    }
    fn plan_started(&mut self, number: u64, opened: &[SuperblockId], _drive: &DriveView<'_>) -> bool {
        assert_eq!(opened.len(), usize::from(number == 0));
        self.kept.extend_from_slice(opened);
        true
    }
}

impl GoesOn {
    fn read(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        if self.kept.is_empty() {
            actions.push(self.plan(0, drive));
        }
    }

    fn plan_done(&mut self, number: u64, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let superblock = self.kept[0];
        assert_eq!(drive.state(superblock), BlockState::Open);
        if number == 2 || self.closes_early {
            self.places.lock().unwrap().extend((0..3).map(|page| drive.find(Lpa(page))));
            self.places.lock().unwrap().extend((0..3).map(|page| drive.unit_at(superblock, 3 * page)));
            actions.push(Action::Close(superblock));
        }
        if number < 2 {
            actions.push(self.plan(number as u32 + 1, drive));
        }
    }
}

#[test]
fn a_destination_that_stays_open_is_filled_by_plan_after_plan() {
    let run = |closes_early| {
        let setup = setup(device(1, 1, 1, 1));
        let mut device = setup.prepare(&[]).unwrap();
        let places = Arc::default();
        let system = GoesOn { kept: vec![], closes_early, places: Arc::clone(&places) };
        device.add_system(SystemPolicy::Custom(Box::new(system)));
        let requests = vec![read(0, 20), read(100_000_000, 0)];
        let result = record_on(&setup, device, &mut Listed(requests));
        let places = places.lock().unwrap().clone();
        (result.map(|(report, _)| report), places)
    };
    let (report, places) = run(false);
    assert_eq!(report.unwrap().other_moves["migration"].moved_units, 3);
    assert_eq!(places[..3], places[3..]);
    let RunError::Inconsistent(text) = run(true).0.unwrap_err() else { panic!() };
    assert!(text.contains("plan 1 of the system goes-on") && text.contains("keeps open"), "{text}");
}

/// Asks for a plan that never finds as many free superblocks as it wants, and has its source emptied otherwise.
struct Patient {
    asked: bool,
    ended: Arc<Mutex<u64>>,
}

impl System for Patient {
    fn name(&self) -> &str {
        "patient"
    }
    fn watches(&self) -> Watches {
        Watches::READ
    }
    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Read(ref read) => self.read(read, drive, actions),
            Event::PlanDone(_) => self.plan_done(),
            _ => {}
        }
    }
}

impl Patient {
    fn read(&mut self, read: &ReadEvent, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        if !std::mem::replace(&mut self.asked, true) {
            let source = drive.superblock_of(read.ppa);
            let units: Vec<Ppa> = (0..16).map(|unit| drive.unit_at(source, unit)).collect();
            let mut plan = Plan::into_fresh(Cause::Migration, DomainId(0), source, &units);
            plan.destinations = vec![DomainId(0); 40];
            actions.extend([Action::Plan(plan), Action::Empty(source, Cause::WearLevelling)]);
        }
    }

    fn plan_done(&mut self) {
        *self.ended.lock().unwrap() += 1;
    }
}

#[test]
fn a_plan_whose_source_is_erased_while_it_waits_moves_nothing() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.start = start(Occupancy::Share(0.5), 0.0);
    let mut device = setup.prepare(&[]).unwrap();
    let ended = Arc::default();
    device.add_system(SystemPolicy::Custom(Box::new(Patient { asked: false, ended: Arc::clone(&ended) })));
    // The source is written anew in the meantime: as the next free superblocks are.
    let requests = (0..600).map(|number| write(100_000_000 + number * 3_000_000, 100 + number % 40));
    let requests = [read(0, 0)].into_iter().chain(requests).collect();
    let (report, _) = record_on(&setup, device, &mut Listed(requests)).unwrap();
    assert_eq!(*ended.lock().unwrap(), 1);
    assert_eq!(report.other_moves["wear_levelling"].moved_units, 16);
    assert!(!report.other_moves.contains_key("migration"), "{:?}", report.other_moves);
}

/// The result of a mixed run of 2,000 requests that is saved and goes on behind every one of `stops`; how often a plan was
/// under way then.
fn sorted_in_parts(setup: &Setup, pinning: Pinning, stops: &[u64]) -> (String, u64) {
    let mut under_way = 0;
    let mut bytes: Option<Vec<u8>> = None;
    for after_requests in stops.iter().copied().chain([u64::MAX]) {
        let mut drive =
            if bytes.is_some() { setup.empty_drive() } else { Ok(setup.prepare(&[]).unwrap()) }.unwrap();
        let seen = Arc::default();
        drive.add_system(sorter(&seen, pinning, 50));
        let pages = drive.logical_bytes() / 4096;
        let (mut save, mut input) = (Vec::new(), bytes.as_deref());
        let resume = input.as_mut().map(|bytes| bytes as &mut dyn std::io::Read);
        let stop = Stop { after_requests, ..Stop::default() };
        let split = Split { resume, stop, save: Some(&mut save), workload: "" };
        let mut source = mix(pages, 2_000);
        match replay_in_parts(setup, &mut drive, &mut source, &mut Unobserved, split).unwrap() {
            Ending::Finished(outcome) => return (serde_json::to_string(&outcome.report).unwrap(), under_way),
            Ending::Stopped { .. } => bytes = Some(save),
        }
        let state = drive.systems().next().unwrap().save();
        under_way += u64::from(state[8..16] != state[16..24]);
    }
    unreachable!("the last part ends with the run")
}

#[test]
fn a_run_may_be_split_while_plans_are_under_way() {
    for pinning in [Pinning::Any, Pinning::Exact, Pinning::Span] {
        let mut setup = busy(SuperblockSpan::Die, 4096);
        setup.device.capacity.overprovisioning = Some(0.45);
        let stops: Vec<u64> = (1..10).map(|part| part * 197).collect();
        let (expected, _) = sorted_in_parts(&setup, pinning, &[]);
        let (result, under_way) = sorted_in_parts(&setup, pinning, &stops);
        assert!(result == expected, "{pinning:?}");
        assert!(under_way > 2, "{pinning:?}: {under_way} plans under way");
    }
}

#[test]
fn a_drive_with_a_system_that_cannot_fork_names_it() {
    let mut drive = busy(SuperblockSpan::Die, 4096).prepare(&[]).unwrap();
    drive.add_system(sorter(&Arc::default(), Pinning::Any, 50));
    let error = drive.fork().err().unwrap().to_string();
    assert_eq!(error, "the system `sorter` can't be forked: its method `fork` returns none");
}

/// After so many writes empties all full superblocks of the first domain at once, row by row.
struct RowByRow(u32);

impl System for RowByRow {
    fn name(&self) -> &str {
        "row by row"
    }
    fn watches(&self) -> Watches {
        Watches::WRITTEN
    }
    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let Event::Written { .. } = *event else { return };
        self.0 = self.0.wrapping_sub(1);
        if self.0 != 0 {
            return;
        }
        let blocks = drive.blocks(DomainId(0));
        let full = (blocks.first.0..).zip(blocks.state).filter(|(_, state)| **state == BlockState::Full);
        let full: Vec<SuperblockId> = full.map(|(number, _)| SuperblockId(number)).collect();
        let of_row = |unit| full.iter().map(move |&superblock| drive.unit_at(superblock, unit));
        let pages = (0..blocks.capacity).flat_map(of_row).filter(|&ppa| drive.valid_lpa(ppa).is_some());
        let steps = vec![Step { pages: pages.collect(), pin: Pin::Any }];
        let plan = Plan { cause: Cause::ReadReclaim, destinations: vec![], steps, erase: full };
        actions.push(Action::Plan(plan));
    }
}

#[test]
fn pages_of_a_plan_find_the_space_that_only_its_own_sources_hold() {
    for cause_of_stop in [1_u64, 400] {
        let mut setup = setup(device(1, 1, 1, 1));
        setup.start = start(Occupancy::All, 0.0);
        setup.host = closed(4);
        let mut device = setup.prepare(&[]).unwrap();
        let pages = device.logical_bytes() / 4096;
        device.add_system(SystemPolicy::Custom(Box::new(RowByRow(40))));
        let mut random = Random(3);
        let mut writes = made(40 + cause_of_stop, move |_| write(0, random.below(pages)));
        let (report, _) = record_on(&setup, device, &mut writes).unwrap();
        assert!(report.checked.is_some(), "audited at rest");
        assert_eq!(report.write.requests, 40 + cause_of_stop);
    }
}

/// Gathers some pages from all over the drive now and then, and sees which pages move for that.
struct Gatherer {
    random: Random,
    writes: u64,
    named: std::collections::BTreeSet<Lpa>,
    moved: Arc<Mutex<u64>>,
}

impl System for Gatherer {
    fn name(&self) -> &str {
        "gatherer"
    }
    fn watches(&self) -> Watches {
        Watches::WRITTEN.and(Watches::MOVED)
    }
    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Written { .. } => self.written(drive, actions),
            Event::Moved { lpa, cause, .. } => self.moved(lpa, cause),
            _ => {}
        }
    }
}

impl Gatherer {
    fn written(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        self.writes += 1;
        if !self.writes.is_multiple_of(40) {
            return;
        }
        let domain = DomainId(self.random.below(drive.domains().len() as u64) as u32);
        let first = self.random.below(u64::from(drive.logical_units() - 12)) as u32;
        let sources = (first..first + 12).map(Lpa).filter(|&lpa| drive.find(lpa).is_some());
        let named: Vec<Lpa> = sources.collect();
        self.named.extend(&named);
        let pages = named.iter().map(|&lpa| drive.find(lpa)).collect();
        let pin = Pin::Span { first: Place { destination: 0, unit: 0 }, holes: vec![] };
        let steps = vec![Step { pages, pin }];
        let plan = Plan { cause: Cause::Migration, destinations: vec![domain], steps, erase: vec![] };
        actions.push(Action::Plan(plan));
    }

    fn moved(&mut self, lpa: Lpa, cause: Cause) {
        if cause == Cause::Migration {
            assert!(self.named.contains(&lpa), "{lpa:?} is in no plan");
            *self.moved.lock().unwrap() += 1;
        }
    }
}

#[test]
fn a_plan_moves_no_page_that_came_to_where_one_of_its_own_was() {
    for seed in 0..20 {
        let mut setup = busy(SuperblockSpan::None, 4096);
        setup.start = start(Occupancy::Share(1.0), 1.0);
        let mut device = setup.prepare(&[]).unwrap();
        let pages = device.logical_bytes() / 4096;
        let moved = Arc::default();
        let gatherer = Gatherer {
            random: Random(seed),
            writes: 0,
            named: Default::default(),
            moved: Arc::clone(&moved),
        };
        device.add_system(SystemPolicy::Custom(Box::new(gatherer)));
        let mut random = Random(seed + 100);
        // Few of the pages that are named are written: the others stay where they are until collection moves them.
        let mut writes = made(1_500, move |_| write(0, random.below(pages / 2)));
        record_on(&setup, device, &mut writes).unwrap();
        assert!(*moved.lock().unwrap() > 0);
    }
}
