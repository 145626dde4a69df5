//! Further copies of pages: which copy serves, what becomes of copies, and that every count stays right. Everything in
//! checked mode, whose audit covers the copies.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::common::replicator::*;
use crate::common::*;
use wordline_engine::config::ConfigError;
use wordline_engine::config::copies::ArbiterKind;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{PlacementKind, SchedulerKind, SuperblockSpan};
use wordline_engine::device::Device;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::{DieId, Lpa, PlaneId, Ppa, SuperblockId};
use wordline_engine::replicate::{Arbiter, CopyLoss, CopyTarget, Reservation, Serving};
use wordline_engine::sched::class::Cause;
use wordline_engine::stats::report::Report;
use wordline_engine::systems::{Action, SystemPolicy};
use wordline_engine::{RunError, Setup, Unobserved};

/// Two dies on two channels, filled to a half in order: even pages on die 0, odd ones on die 1.
fn two_dies() -> Setup {
    let mut setup = setup(device(2, 1, 1, 1));
    setup.start = start(Occupancy::Share(0.5), 0.0);
    setup
}

fn prepare(setup: &Setup, systems: Vec<SystemPolicy>) -> Device {
    setup.prepare_with(systems, &[], None, &mut Unobserved).unwrap()
}

fn run_with(setup: &Setup, systems: Vec<SystemPolicy>, requests: Vec<HostRequest>) -> (Report, Record) {
    record_on(setup, prepare(setup, systems), &mut Listed(requests)).unwrap()
}

fn script(steps: Vec<(u64, Action)>) -> SystemPolicy {
    SystemPolicy::Custom(Box::new(Script { budget: 100, steps }))
}

fn trim(time: u64, page: u64, pages: u64) -> HostRequest {
    request(time, HostOp::Trim, page, pages)
}

const READ: u64 = TR + XFER;
const PROGRAM: u64 = TPROG + XFER;

/// Page 0 is read, copied to the other die, and read again while its own die erases a block from `erase` on.
fn read_while_erasing(arbiter: ArbiterKind) -> (Report, Record) {
    let mut setup = two_dies();
    setup.scheme.copies.arbiter = arbiter;
    let erase = Action::Empty(SuperblockId(1), Cause::Gc);
    // The last one keeps the window open until the erase has ended.
    let requests =
        vec![read(0, 0), trim(1_000_000, 32, 32), read(2_000_000, 3), read(2_001_000, 0), read(9_000_000, 1)];
    run_with(
        &setup,
        vec![replicator(1, To::LeastBusy, 1).policy(), script(vec![(2_000_000, erase)])],
        requests,
    )
}

#[test]
fn a_read_is_served_by_the_copy_while_the_die_of_the_primary_erases() {
    let (report, record) = read_while_erasing(ArbiterKind::Earliest);
    assert_eq!(report.flash.by_class["gc_erase"].operations, 1);
    let done = record.completions();
    // The read of page 3 is on the copy's die, 1 µs ahead.
    assert_eq!(done[3], 2_000_000 + 2 * READ);
    let copies = report.copies.unwrap();
    assert_eq!((copies.reads_by_copies, copies.reads_by_primary, copies.reads_sent_on), (1, 0, 0));
    assert_eq!(copies.systems[0].reads_served, 1);

    let (report, record) = read_while_erasing(ArbiterKind::Primary);
    assert_eq!(record.completions()[3], 2_000_000 + TERASE + READ);
    assert_eq!(report.copies.unwrap().reads_by_primary, 1);
}

#[test]
fn a_copy_costs_no_read_and_its_program_comes_behind_all_that_the_host_wants() {
    for scheduler in [SchedulerKind::ReadFirst, SchedulerKind::Fifo, SchedulerKind::ReadFirstSuspend] {
        let mut setup = two_dies();
        setup.scheme.scheduler.policy = scheduler;
        let replicator = replicator(1, To::LeastBusy, 1);
        let log = replicator.log.clone();
        let requests = vec![read(0, 0), write(0, 1), write(100_000, 3), read(9_000_000, 1)];
        let (report, record) = run_with(&setup, vec![replicator.policy()], requests);
        assert_eq!((report.flash.reads, report.flash.programs), (2, 3));
        assert_eq!(report.waf_by_cause["replication"], 0.5);
        // The copy is there to be programmed at 54 µs, before the second write comes.
        let times = (record.completions()[2], log.lock().unwrap().copied[0].2);
        assert_eq!(times, (2 * PROGRAM, 2 * PROGRAM), "{scheduler:?}");
    }
}

#[test]
fn writes_and_trims_void_copies_and_those_on_their_way() {
    // On its way when the page is written, or trimmed, or gone with its page after it was made.
    let cases = [
        (vec![write(0, 1), read(0, 0), write(60_000, 0)], CopyLoss::Written, false),
        (vec![write(0, 1), read(0, 0), trim(60_000, 0, 1)], CopyLoss::Trimmed, false),
        (vec![read(0, 0), write(1_000_000, 0)], CopyLoss::Written, true),
        (vec![read(0, 0), trim(1_000_000, 0, 1)], CopyLoss::Trimmed, true),
    ];
    for (requests, why, made) in cases {
        let setup = two_dies();
        let replicator = replicator(1, To::LeastBusy, 1);
        let log = replicator.log.clone();
        let (report, _) = run_with(&setup, vec![replicator.policy()], requests);
        let log = log.lock().unwrap();
        let (gone, other) = if made { (&log.dropped, &log.given_up) } else { (&log.given_up, &log.dropped) };
        assert_eq!(gone.get(&why), Some(&1), "{why:?} {made}");
        assert!(other.is_empty(), "{other:?}");
        assert_eq!(log.copied.len(), usize::from(made));
        let of_system = &report.copies.unwrap().systems[0];
        let counted = if made { &of_system.dropped } else { &of_system.given_up };
        assert!(counted.is_empty() || counted[why.name()] == 1);
        assert!(of_system.reads_served == 0);
    }
}

#[test]
fn a_copy_asked_for_without_a_read_is_read_first() {
    let setup = two_dies();
    let copy = Action::Copy { lpa: Lpa(4), to: CopyTarget::Plane(PlaneId(1)) };
    let requests = vec![read(0, 0), read(1_000_000, 4)];
    let (report, _) = run_with(&setup, vec![script(vec![(100_000, copy)])], requests);
    assert_eq!(report.flash.by_class["copy_read"].operations, 1);
    assert_eq!(report.flash.by_class["copy_program"].operations, 1);
    let copies = report.copies.unwrap();
    assert_eq!((copies.systems[0].made, copies.systems[0].extra_reads), (1, 1));
    assert_eq!(copies.reads_by_primary, 1, "of equal copies the primary serves");
}

#[test]
fn a_promoted_copy_is_the_primary_and_the_original_can_be_dropped() {
    let setup = two_dies();
    let first = Ppa(0);
    // The copy is the first page of the first free block of die 1.
    let copy = setup_copy_place(&setup);
    let steps = vec![
        (100_000, Action::Copy { lpa: Lpa(0), to: CopyTarget::Die(DieId(1)) }),
        (1_000_000, Action::Promote { lpa: Lpa(0), ppa: copy }),
        (1_000_000, Action::DropCopy { lpa: Lpa(0), ppa: first }),
        // Nothing is there to be dropped or promoted any more.
        (1_100_000, Action::DropCopy { lpa: Lpa(0), ppa: first }),
        (1_100_000, Action::Promote { lpa: Lpa(0), ppa: first }),
    ];
    let replicator = replicator(0, To::LeastBusy, 0);
    let log = replicator.log.clone();
    let requests = vec![read(0, 2), read(2_000_000, 0), write(3_000_000, 0), read(5_000_000, 0)];
    let (report, _) = run_with(&setup, vec![script(steps), replicator.policy()], requests);
    let dies: Vec<_> = log.lock().unwrap().reads.iter().map(|read| read.1.0).collect();
    assert_eq!(dies, [0, 1, 0], "on the other die until it is written anew");
    let system = &report.copies.unwrap().systems[0];
    assert_eq!((system.promoted, system.units_now, system.units_max), (1, 0, 1));
    assert_eq!(system.dropped["asked"], 1);
}

fn setup_copy_place(setup: &Setup) -> Ppa {
    let replicator = replicator(1, To::LeastBusy, 1);
    let log = replicator.log.clone();
    run_with(setup, vec![replicator.policy()], vec![read(0, 0)]);
    let copied = log.lock().unwrap().copied.clone();
    copied[0].1
}

/// Sends every read on when its die takes it.
struct Elsewhere;

impl Arbiter for Elsewhere {
    fn serve(&self, read: &Serving<'_>) -> usize {
        if read.again { read.candidates.iter().position(|candidate| !candidate.here).unwrap_or(0) } else { 0 }
    }
}

#[test]
fn a_read_that_is_sent_on_keeps_what_it_waited_for() {
    let setup = two_dies();
    let copy = Action::Copy { lpa: Lpa(0), to: CopyTarget::Die(DieId(1)) };
    let mut device = prepare(&setup, vec![script(vec![(100_000, copy)])]);
    device.set_arbiter(Box::new(Elsewhere));
    // Both dies program when page 0 is wanted: die 0 for 504,096 ns, die 1 for 100 µs more.
    let requests = vec![read(0, 2), write(2_000_000, 4), write(2_100_000, 5), read(2_200_000, 0)];
    let (report, record) = record_on(&setup, device, &mut Listed(requests)).unwrap();
    assert_eq!(record.completions()[3], 2_100_000 + PROGRAM + READ);
    let copies = report.copies.unwrap();
    assert_eq!((copies.reads_sent_on, copies.reads_by_copies), (1, 1));
    // Blame of the read: the rest of one program on the first die, and of the other on the second.
    let waited = report.read.blame.mean.total_ns["die_wait.host_program"];
    assert_eq!(waited, u128::from(100_000 + PROGRAM - 200_000));
}

/// A drive under pressure: little spare space, every kind of request.
fn busy(span: SuperblockSpan, unit_bytes: u32, pages_per_program: u32) -> Setup {
    let mut setup = setup(device(2, 1, 2, 2));
    setup.device.geometry.blocks = 16;
    setup.device.geometry.page_bytes = 8192;
    setup.device.geometry.mapping_unit_bytes = unit_bytes;
    setup.device.geometry.pages_per_program = pages_per_program;
    setup.device.capacity.overprovisioning = Some(0.5);
    setup.scheme.blocks.superblock = span;
    setup.scheme.gc.trigger = 0.13;
    // The host's work would keep most of the copies waiting.
    setup.scheme.scheduler.starvation_bound_ns = Some(1_000_000);
    setup.start = start(Occupancy::Share(0.9), 0.3);
    setup.host = closed(16);
    setup
}

/// Reads, writes (some of a part of a unit) and TRIMs, half of them on an eighth of the drive.
fn mix(bytes: u64, count: u64) -> impl wordline_engine::host::RequestSource {
    let mut random = Random(5);
    made(count, move |_| {
        let op = match random.below(10) {
            0..6 => HostOp::Read,
            9 => HostOp::Trim,
            _ => HostOp::Write,
        };
        let space = if random.below(2) == 0 { bytes } else { bytes / 8 };
        let length = 512 * (1 + random.below(40));
        let mut request = request(0, op, 0, 1);
        request.offset = random.below((space - length) / 512) * 512;
        request.length = length;
        request
    })
}

#[test]
fn copies_stay_right_under_collection_trim_partial_writes_superblocks_and_plans() {
    let spans = [SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Channels, SuperblockSpan::Drive];
    let (mut moved, mut served, mut promoted) = (0, 0, 0);
    for span in spans {
        for (unit, at_once) in [(8192, 1), (4096, 1), (2048, 2)] {
            for to in [To::LeastBusy, To::EveryPlane] {
                let setup = busy(span, unit, at_once);
                let one = Replicator { drop_every: 9, extra_every: 13, ..replicator(2, to, 60) };
                let two =
                    Replicator { name: "other", promote_every: 11, plan_every: 40, ..replicator(3, to, 30) };
                let logs = [one.log.clone(), two.log.clone()];
                let device = prepare(&setup, vec![one.policy(), two.policy()]);
                let bytes = device.logical_bytes();
                let what = format!("{span:?} {unit} {at_once} {to:?}");
                let (report, _) = record_on(&setup, device, &mut mix(bytes, 3_000))
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(report.gc.victims > 0, "{what}");
                let copies = report.copies.unwrap();
                for (log, (system, budget)) in logs.iter().zip(copies.systems.iter().zip([60, 30])) {
                    let log = log.lock().unwrap();
                    let given_up: u64 = log.given_up.values().sum();
                    assert!(!log.copied.is_empty(), "{what}");
                    assert_eq!(log.copied.len() as u64 + given_up, log.asked, "{what}");
                    assert!(system.units_max <= budget && system.budget_units == budget, "{what}");
                    moved += log.moved;
                    served += system.reads_served;
                    promoted += log.promoted;
                }
                assert!(report.waf_by_cause["replication"] > 0.0, "{what}");
            }
        }
    }
    assert!(moved > 100 && served > 1000 && promoted > 100, "{moved} {served} {promoted}");
}

#[test]
fn copies_change_nothing_of_what_the_host_finds_and_leave_it_its_space() {
    // Far more copies are asked for than there is space.
    let mut setup = busy(SuperblockSpan::None, 4096, 1);
    setup.device.capacity.overprovisioning = Some(0.42);
    setup.start = start(Occupancy::All, 1.0);
    for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
        setup.scheme.placement.policy = placement;
        let replicator = replicator(1, To::EveryPlane, 1_000_000);
        let device = prepare(&setup, vec![replicator.policy()]);
        let bytes = device.logical_bytes();
        let (report, _) = record_on(&setup, device, &mut mix(bytes, 6_000)).unwrap();
        let system = &report.copies.unwrap().systems[0];
        assert!(system.given_up["no_space"] > 0 && system.made > 100, "{system:?}");
    }
}

#[test]
fn a_system_gets_no_more_copies_than_its_budget() {
    let setup = two_dies();
    let replicator = replicator(1, To::LeastBusy, 3);
    let log = replicator.log.clone();
    let requests = (0..5).map(|page| read(page * 1_000_000, page)).collect();
    let (report, _) = run_with(&setup, vec![replicator.policy()], requests);
    assert_eq!(log.lock().unwrap().given_up[&CopyLoss::OverBudget], 2);
    let system = &report.copies.unwrap().systems[0];
    assert_eq!((system.units_max, system.made, system.given_up["over_budget"]), (3, 3, 2));
}

#[test]
fn a_reserved_die_holds_copies_and_nothing_else() {
    for (placement, span) in
        [(PlacementKind::Static, SuperblockSpan::None), (PlacementKind::Dynamic, SuperblockSpan::Die)]
    {
        let mut setup = busy(span, 4096, 1);
        setup.scheme.placement.policy = placement;
        let whole = setup.logical_bytes().unwrap();
        setup.scheme.copies.reserved_dies = vec![2];
        assert_eq!(
            setup.logical_bytes().unwrap(),
            whole / 4 * 3,
            "a quarter of the raw capacity is reserved"
        );
        let replicator = replicator(1, To::Reserved, 400);
        let log = replicator.log.clone();
        let device = prepare(&setup, vec![replicator.policy()]);
        let bytes = device.logical_bytes();
        let (report, _) = record_on(&setup, device, &mut mix(bytes, 6_000)).unwrap();
        let reserved = &report.drive.reserved[0];
        assert_eq!((reserved.system.as_str(), &reserved.dies), ("scheme", &vec![2]));
        assert_eq!(reserved.dies_bytes, 2 * 16 * 16 * 8192);
        for (number, die) in report.dies.iter().enumerate() {
            let (host, copies) = (die.busy_ns["host_program"], die.busy_ns.get("copy_program").copied());
            assert_eq!(host == 0, number == 2, "{placement:?}");
            assert_eq!(copies.unwrap_or(0) > 0, number == 2, "{placement:?}");
        }
        assert!(report.dies[2].busy_ns["gc_erase"] > 0, "the staging space is collected like any other");
        assert!(log.lock().unwrap().reads.iter().any(|read| read.1 == DieId(2)));
    }
}

#[test]
fn a_reservation_of_a_system_is_its_own() {
    let setup = busy(SuperblockSpan::None, 4096, 1);
    let mine = Reservation { dies: vec![DieId(3)], blocks: 0.05 };
    let owner = Replicator { reservation: mine, ..replicator(2, To::Reserved, 50) };
    let other = Replicator { name: "other", ..replicator(2, To::EveryPlane, 50) };
    let log = other.log.clone();
    let device = prepare(&setup, vec![owner.policy(), other.policy()]);
    let bytes = device.logical_bytes();
    let (report, _) = record_on(&setup, device, &mut mix(bytes, 1_000)).unwrap();
    assert_eq!(report.drive.reserved[0].system, "replicator");
    let units_of_a_die = 2 * 16 * 16 * 2;
    assert!(log.lock().unwrap().copied.iter().all(|copy| copy.1.0 / units_of_a_die != 3));
    assert!(log.lock().unwrap().given_up[&CopyLoss::NoSpace] > 0);
}

fn refused(setup: &Setup, systems: Vec<SystemPolicy>) -> ConfigError {
    let Err(RunError::Config(error)) = setup.prepare_with(systems, &[], None, &mut Unobserved) else {
        panic!("accepted")
    };
    error
}

#[test]
fn what_cannot_be_reserved_is_refused_with_the_reason() {
    let reserve = |dies: &[u32]| {
        let mut setup = busy(SuperblockSpan::None, 4096, 1);
        setup.scheme.copies.reserved_dies = dies.to_vec();
        setup
    };
    assert_eq!(
        refused(&reserve(&[4]), vec![]).to_string(),
        "scheme.copies.reserved_dies = 4: allowed: dies 0 to 3"
    );
    assert!(refused(&reserve(&[1, 1]), vec![]).to_string().contains("each die once"));
    assert!(refused(&reserve(&[0, 1, 2, 3]), vec![]).to_string().contains("not every die"));
    let own = Reservation { dies: vec![DieId(1)], blocks: 0.0 };
    let system = Replicator { reservation: own, ..replicator(1, To::Reserved, 5) };
    let error = refused(&reserve(&[1]), vec![system.policy()]).to_string();
    assert!(error.contains("reserved_dies of the system replicator"), "{error}");
    let mut across = reserve(&[1]);
    across.scheme.blocks.superblock = SuperblockSpan::Channels;
    let error = refused(&across, vec![]).to_string();
    assert!(
        error.contains("scheme.blocks.superblock = \"channels\": allowed: \"none\", \"die\"")
            && error.contains("2 of its 4 planes"),
        "{error}"
    );
    let mut much = reserve(&[]);
    much.scheme.copies.reserved_blocks = 0.4;
    assert_eq!(refused(&much, vec![]).path, "device.capacity.overprovisioning");
    much.scheme.copies.reserved_blocks = 1.5;
    assert_eq!(refused(&much, vec![]).path, "scheme.copies.reserved_blocks");
}

#[test]
fn wrong_asks_are_faults_that_name_the_system() {
    let cases = [
        (Action::Copy { lpa: Lpa(1 << 20), to: CopyTarget::Die(DieId(1)) }, "beyond the"),
        (Action::Copy { lpa: Lpa(0), to: CopyTarget::Die(DieId(2)) }, "of a drive of 2 dies"),
        (Action::Copy { lpa: Lpa(0), to: CopyTarget::Plane(PlaneId(9)) }, "of a drive of 2 planes"),
        (Action::Copy { lpa: Lpa(0), to: CopyTarget::Reserved }, "in reserved space"),
    ];
    for (action, expected) in cases {
        let setup = two_dies();
        let device = prepare(&setup, vec![script(vec![(10_000, action)])]);
        let error = record_on(&setup, device, &mut Listed(vec![read(0, 0)])).map(|_| ()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("script") && text.contains(expected), "{text}");
    }
    let setup = two_dies();
    let mut device = setup.prepare(&[]).unwrap();
    device.add_system(replicator(1, To::LeastBusy, 3).policy());
    let error = record_on(&setup, device, &mut Listed(vec![read(0, 0)])).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("the drive must be laid out for it"), "{error}");
}

#[test]
fn a_baseline_may_have_a_reserved_die_that_stays_empty() {
    let mut setup = busy(SuperblockSpan::None, 4096, 1);
    setup.scheme.copies.reserved_dies = vec![0];
    let device = setup.prepare(&[]).unwrap();
    let bytes = device.logical_bytes();
    let (report, _) = record_on(&setup, device, &mut mix(bytes, 500)).unwrap();
    assert!(report.copies.is_none());
    assert_eq!(report.dies[0].array_ns, 0);
    assert!(report.dies[1].array_ns > 0);
}
