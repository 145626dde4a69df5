//! Gates: dies that may not begin some classes of commands for a while. Everything in checked mode.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use std::sync::{Arc, Mutex};

use crate::common::*;
use wordline_engine::config::device::SuspendConfig;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{SchedulerKind, SuperblockSpan};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::DieId;
use wordline_engine::sched::class::{Class, FlashOp};
use wordline_engine::sched::gates::ClassSet;
use wordline_engine::sched::{QueueView, Scheduler};
use wordline_engine::stats::report::Report;
use wordline_engine::systems::{Action, DriveView, Event, System, SystemPolicy, Watches};
use wordline_engine::time::Ns;
use wordline_engine::{RunError, Setup};

/// Closes gates at given times; the first of them when the first read or write comes.
struct Script(Vec<(u64, Action)>);

impl Script {
    fn go_on(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        while self.0.first().is_some_and(|(time, _)| *time <= drive.now().0) {
            actions.push(self.0.remove(0).1);
        }
        actions.extend(self.0.first().map(|(time, _)| Action::WakeAt(Ns(*time))));
    }
}

impl System for Script {
    fn name(&self) -> &str {
        "script"
    }
    fn watches(&self) -> Watches {
        Watches::READ.and(Watches::WRITTEN)
    }
    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Read(_) => self.read(drive, actions),
            Event::Written { .. } => self.written(drive, actions),
            Event::Woken => self.woken(drive, actions),
            _ => {}
        }
    }
}

impl Script {
    fn read(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        self.go_on(drive, actions);
    }

    fn written(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        self.go_on(drive, actions);
    }

    fn woken(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        self.go_on(drive, actions);
    }
}

fn gate(dies: &[u32], classes: ClassSet, until: u64) -> Action {
    Action::Gate { dies: dies.iter().copied().map(DieId).collect(), classes, until: Ns(until) }
}

fn reads() -> ClassSet {
    ClassSet::doing(FlashOp::Read)
}

fn gated(setup: &Setup, script: Vec<(u64, Action)>, requests: Vec<HostRequest>) -> (Report, Vec<u64>) {
    let mut device = setup.prepare(&[]).unwrap();
    device.add_system(SystemPolicy::Custom(Box::new(Script(script))));
    let (report, record) = record_on(setup, device, &mut Listed(requests)).unwrap();
    (report, record.completions())
}

fn blame(report: &Report, part: &str) -> u128 {
    report.read.blame.mean.total_ns.get(part).copied().unwrap_or(0)
}

#[test]
fn a_read_waits_behind_a_closed_gate_until_it_opens() {
    let setup = setup(device(1, 1, 1, 1));
    let (report, done) = gated(&setup, vec![(0, gate(&[0], reads(), 100_000))], vec![read(7, 0)]);
    assert_eq!(done, [100_000 + TR + XFER]);
    assert_eq!((blame(&report, "gate"), blame(&report, "cell")), (99_993, TR.into()));
}

#[test]
fn a_die_does_what_its_gate_lets_through() {
    let setup = setup(device(1, 1, 1, 1));
    let script = vec![(0, gate(&[0], reads(), 700_000))];
    let (report, done) = gated(&setup, script, vec![read(0, 0), write(10, 1)]);
    assert_eq!(done, [700_000 + TR + XFER, 10 + XFER + TPROG]);
    // The part is the die's rest alone: while it programs, the read waits for the program.
    let program = u128::from(XFER + TPROG);
    assert_eq!(blame(&report, "die_wait.host_program"), program);
    assert_eq!(blame(&report, "gate"), 700_000 - program);
}

#[test]
fn a_gate_that_opens_while_the_die_is_busy_is_open_when_it_is_free() {
    let setup = setup(device(1, 1, 1, 1));
    let script = vec![(0, gate(&[0], reads(), 100_000))];
    let (report, done) = gated(&setup, script, vec![read(0, 0), write(10, 1)]);
    assert_eq!(done[0], 10 + XFER + TPROG + TR + XFER);
    assert_eq!(blame(&report, "gate"), 10);
}

#[test]
fn what_runs_when_a_gate_closes_goes_on_to_its_end() {
    let setup = setup(device(1, 1, 1, 1));
    let script = vec![(0, gate(&[], reads(), 1)), (20_000, gate(&[0], reads(), 200_000))];
    let (_, done) = gated(&setup, script, vec![read(0, 0), read(1, 1)]);
    assert_eq!(done, [TR + XFER, 200_000 + TR + XFER]);
}

#[test]
fn a_gate_holds_on_its_dies_only_and_for_its_classes_only() {
    let setup = setup(device(2, 1, 1, 1));
    // Pages 1 and 3 lie on die 1, page 0 on die 0.
    let script = vec![(0, gate(&[1], reads(), 300_000))];
    let (_, done) = gated(&setup, script, vec![read(0, 0), read(0, 1), write(1, 3)]);
    let program = 1 + XFER + TPROG;
    assert_eq!(done, [TR + XFER, program + TR + XFER, program]);
}

#[test]
fn a_system_replaces_its_gate_and_leaves_those_of_others() {
    let setup = setup(device(1, 1, 1, 1));
    let mut device = setup.prepare(&[]).unwrap();
    let first = vec![(0, gate(&[0], reads(), 900_000)), (50_000, gate(&[0], reads(), 60_000))];
    device.add_system(SystemPolicy::Custom(Box::new(Script(first))));
    let second = vec![(0, gate(&[0], reads(), 80_000))];
    device.add_system(SystemPolicy::Custom(Box::new(Script(second))));
    let (_, record) = record_on(&setup, device, &mut Listed(vec![read(0, 0)])).unwrap();
    assert_eq!(record.completions(), [80_000 + TR + XFER]);
    // Opened earlier than it was to be, alone.
    let script = vec![(0, gate(&[0], reads(), 900_000)), (50_000, gate(&[0], ClassSet::NONE, 50_001))];
    assert_eq!(gated(&setup, script, vec![read(0, 0)]).1, [50_000 + TR + XFER]);
}

#[test]
fn a_read_behind_a_gate_suspends_nothing() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.device.suspend = SuspendConfig {
        program_ns: Some(20_000),
        erase_ns: None,
        resume_ns: 5_000,
        max_per_operation: 2,
        ..SuspendConfig::default()
    };
    setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
    let script = vec![(0, gate(&[0], reads(), 300_000))];
    let (report, done) = gated(&setup, script, vec![write(0, 0), read(100_000, 1)]);
    // Behind the gate the read doesn't interrupt, and the program was let alone when it opened.
    assert_eq!(report.flash.suspensions, 0);
    assert_eq!(done, [XFER + TPROG, XFER + TPROG + TR + XFER]);
}

/// Serves the class of the highest number that it is shown.
struct Backwards;

impl Scheduler for Backwards {
    fn next(&self, view: &QueueView<'_>) -> Option<Class> {
        let all = Class::ALL.into_iter().filter(|&class| view.first(class).is_some());
        let shown: Vec<_> = view.waiting().filter(|&class| view.first(class).is_some()).collect();
        assert_eq!(all.collect::<Vec<_>>(), shown, "nothing is shown behind a gate");
        shown.last().copied()
    }
    fn suspends(&self, _: Class, _: u32) -> bool {
        false
    }
    fn longest_suspension(&self) -> Ns {
        Ns::NEVER
    }
}

#[test]
fn a_scheduler_is_not_shown_what_waits_behind_a_gate() {
    let setup = setup(device(1, 1, 1, 1));
    let mut device = setup.prepare(&[]).unwrap();
    device.set_scheduler(Box::new(Backwards));
    let programs = ClassSet::doing(FlashOp::Program);
    let script = vec![(0, gate(&[0], programs, 120_000))];
    device.add_system(SystemPolicy::Custom(Box::new(Script(script))));
    let requests = vec![read(0, 0), write(1, 1), read(2, 2), read(3, 3)];
    let (_, record) = record_on(&setup, device, &mut Listed(requests)).unwrap();
    let one = TR + XFER;
    // The third read begins at 108 µs, behind the closed gate.
    assert_eq!(record.completions(), [one, 3 * one + XFER + TPROG, 2 * one, 3 * one]);
}

#[test]
fn a_gate_that_cannot_be_is_named() {
    for (action, expected) in [
        (gate(&[1], reads(), 10), "DieId(1) of a drive of 1 dies"),
        (gate(&[0], reads(), u64::MAX), "never opens"),
    ] {
        let setup = setup(device(1, 1, 1, 1));
        let mut device = setup.prepare(&[]).unwrap();
        device.add_system(SystemPolicy::Custom(Box::new(Script(vec![(0, action)]))));
        let error = record_on(&setup, device, &mut Listed(vec![read(0, 0)])).map(|_| ()).unwrap_err();
        let RunError::Inconsistent(text) = error else { panic!("{error}") };
        assert!(text.contains("the system script") && text.contains(expected), "{text}");
    }
}

/// Two halves of the dies: one begins no reads, the other nothing else, and in the next window the reverse.
struct Halves {
    window: u64,
    turn: u32,
    turns: Arc<Mutex<u32>>,
}

impl Halves {
    fn close(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let (dies, until) = (drive.geometry().dies(), drive.now().0 + self.window);
        let changes = ClassSet::doing(FlashOp::Program).and(ClassSet::doing(FlashOp::Erase));
        for (half, classes) in [(self.turn % 2, reads()), (1 - self.turn % 2, changes)] {
            let dies: Vec<u32> = (0..dies).filter(|die| die % 2 == half).collect();
            actions.push(gate(&dies, classes, until));
        }
        self.turn += 1;
        *self.turns.lock().unwrap() += 1;
        actions.push(Action::WakeAt(Ns(until)));
    }
}

impl System for Halves {
    fn name(&self) -> &str {
        "halves"
    }
    fn watches(&self) -> Watches {
        Watches::READ
    }
    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Read(_) => self.read(drive, actions),
            Event::Woken => self.woken(drive, actions),
            _ => {}
        }
    }
}

impl Halves {
    fn read(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        if self.turn == 0 {
            self.close(drive, actions);
        }
    }

    fn woken(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        self.close(drive, actions);
    }
}

#[test]
fn halves_that_read_and_write_in_turn_stay_consistent_under_collection_and_trim() {
    for span in [SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Drive] {
        for scheduler in [SchedulerKind::Fifo, SchedulerKind::ReadFirst, SchedulerKind::ReadFirstSuspend] {
            let mut setup = setup(device(2, 1, 2, 2));
            setup.device.geometry.blocks = 16;
            setup.device.suspend = SuspendConfig {
                program_ns: Some(20_000),
                erase_ns: Some(30_000),
                resume_ns: 5_000,
                max_per_operation: 2,
                ..SuspendConfig::default()
            };
            setup.scheme.blocks.superblock = span;
            setup.scheme.scheduler.policy = scheduler;
            setup.scheme.gc.trigger = 0.1;
            setup.start = start(Occupancy::Share(0.9), 0.3);
            setup.host = closed(16);
            let mut device = setup.prepare(&[]).unwrap();
            let pages = device.logical_bytes() / 4096;
            let turns = Arc::default();
            let halves = Halves { window: 2_000_000, turn: 0, turns: Arc::clone(&turns) };
            device.add_system(SystemPolicy::Custom(Box::new(halves)));
            let mut random = Random(11);
            let mut mix = made(4_000, move |_| {
                let op = match random.below(10) {
                    0..4 => HostOp::Read,
                    9 => HostOp::Trim,
                    _ => HostOp::Write,
                };
                let length = 1 + random.below(4);
                request(0, op, random.below(pages - length), length)
            });
            let (report, _) = record_on(&setup, device, &mut mix).unwrap();
            assert!(*turns.lock().unwrap() > 20 && report.gc.victims > 5, "{span:?} {scheduler:?}");
            assert!(blame(&report, "gate") > 0, "{span:?} {scheduler:?}");
            assert!(report.write.blame.mean.total_ns["gate"] > 0, "{span:?} {scheduler:?}");
        }
    }
}
