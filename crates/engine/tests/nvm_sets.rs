//! Sets of planes (`scheme.nvm_set`) in whole runs.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::nvm_set::NvmSetConfig;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{PlacementKind, SuperblockSpan};
use wordline_engine::host::{HostOp, HostRequest};

fn set(name: &str) -> NvmSetConfig {
    NvmSetConfig { name: name.to_owned(), ..NvmSetConfig::default() }
}

/// One channel of two dies of two planes, with these sets.
fn two_dies(sets: Vec<NvmSetConfig>) -> Setup {
    let mut setup = setup(device(1, 1, 2, 2));
    setup.scheme.nvm_set = sets;
    setup
}

fn by_die() -> Vec<NvmSetConfig> {
    [0, 1].map(|die| NvmSetConfig { dies: Some(vec![die]), ..set(&format!("die {die}")) }).into()
}

fn pages(setup: &Setup) -> u64 {
    setup.logical_bytes().unwrap() / 4096
}

#[test]
fn sets_of_a_channel_share_its_bus_and_nothing_else() {
    let apart = two_dies(by_die());
    let half = pages(&apart) / 2;
    // A read beside a program: of the other die it waits for nothing once the data is in.
    let done = completions(&apart, vec![write(0, 0), read(XFER, half)]);
    assert_eq!(done, [XFER + TPROG, XFER + TR + XFER]);
    // Two reads: the second waits for the first one's data on the bus.
    assert_eq!(completions(&apart, vec![read(0, 1), read(0, half + 1)]), [TR + XFER, TR + 2 * XFER]);
    // Pages 0 and 1 lie on the two planes of the first die.
    assert_eq!(completions(&apart, vec![read(0, 0), read(0, 1)]), [TR + XFER, 2 * (TR + XFER)]);

    // Without sets they lie where they come, and the same read may wait for the program.
    let shared = two_dies(Vec::new());
    let page = half - half % 4;
    let done = completions(&shared, vec![write(0, 0), read(XFER, page)]);
    assert_eq!(done, [XFER + TPROG, XFER + TPROG + TR + XFER]);
}

#[test]
fn sets_of_the_planes_of_a_die_share_the_die() {
    let by_plane = |plane| NvmSetConfig { planes: Some(vec![plane]), ..set(&format!("plane {plane}")) };
    let apart = two_dies([0, 1].map(by_plane).into());
    let half = pages(&apart) / 2;
    let done = completions(&apart, vec![write(0, 0), read(XFER, half), read(XFER, half + 1)]);
    assert_eq!(done, [XFER + TPROG, XFER + TPROG + TR + XFER, XFER + TR + XFER]);
}

#[test]
fn collection_of_one_set_leaves_the_latencies_of_another_alone() {
    let latencies = |sets: Vec<NvmSetConfig>| {
        let mut setup = setup(device(2, 1, 1, 2));
        setup.scheme.nvm_set = sets;
        setup.start = start(Occupancy::All, 0.0);
        let half = pages(&setup) / 2;
        let mut random = Random(1);
        let requests = (0..12_000).map(|number| match number % 4 {
            0 => read(number * 150_000, half + random.below(half)),
            _ => write(number * 150_000, random.below(half)),
        });
        let (report, _) = record(&setup, requests.collect());
        assert!(report.gc.moved_units > 500);
        (report.read.latency_ns.min, report.read.latency_ns.max)
    };
    let of = |channel| NvmSetConfig { channels: Some(vec![channel]), ..set(&format!("channel {channel}")) };
    assert_eq!(latencies([0, 1].map(of).into()), (TR + XFER, TR + XFER));
    let (least, most) = latencies(Vec::new());
    assert!(least == TR + XFER && most > TERASE, "{most}");
}

/// Requests to all of the drive.
fn mixed(setup: &Setup, count: u64) -> Vec<HostRequest> {
    let all = pages(setup);
    let mut random = Random(7);
    let any = |number: u64| {
        let op = if random.below(3) == 0 { HostOp::Read } else { HostOp::Write };
        request(number * 20_000, op, random.below(all), 1)
    };
    (0..count).map(any).collect()
}

#[test]
fn a_run_with_sets_may_be_split_anywhere() {
    for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
        let mut setup = two_dies(by_die());
        setup.scheme.placement.policy = placement;
        setup.start = start(Occupancy::Share(0.8), 0.5);
        setup.start.set_occupancy = [("die 1".to_owned(), Occupancy::All)].into();
        let requests = mixed(&setup, 4_000);
        let whole = in_parts(&setup, &requests, &[]).unwrap();
        assert_eq!(in_parts(&setup, &requests, &[after(1), after(1_700)]).unwrap(), whole);
    }
}

#[test]
fn a_set_of_all_planes_changes_nothing_but_the_capacity() {
    let of = |sets| {
        let mut setup = two_dies(sets);
        setup.start = start(Occupancy::Share(0.8), 1.0);
        setup
    };
    let (one, none) = (of(vec![set("all")]), of(Vec::new()));
    let rest = pages(&none) - pages(&one);
    assert!(rest < 4, "{rest}");
    let mut none = none;
    none.device.capacity.overprovisioning = None;
    none.device.capacity.user_bytes = Some(one.logical_bytes().unwrap());
    let requests = mixed(&one, 6_000);
    assert_eq!(completions(&one, requests.clone()), completions(&none, requests));
}

#[test]
fn sets_that_a_drive_cannot_have_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Setup)| {
        let mut setup = two_dies(by_die());
        change(&mut setup);
        setup.prepare(&[]).map_or_else(|error| error.to_string(), |_| String::new())
    };
    assert_eq!(refused(&|_| ()), "");
    assert_eq!(
        refused(&|setup| setup.scheme.nvm_set[1].dies = Some(vec![1, 2])),
        "scheme.nvm_set[1].dies = 2: allowed: 0 to 1, as on the drive"
    );
    assert_eq!(
        refused(&|setup| setup.scheme.nvm_set[1].dies = None),
        "scheme.nvm_set[1].name = \"die 1\": allowed: planes of its own: plane 0 of die 0 of chip 0 on channel 0 is in \"die 0\" as well"
    );
    assert_eq!(
        refused(&|setup| setup.scheme.blocks.superblock = SuperblockSpan::Chip),
        "scheme.blocks.superblock = \"chip\": allowed: superblocks whose planes lie in one set each (scheme.nvm_set), as those of \"none\" do"
    );
    assert_eq!(refused(&|setup| setup.scheme.blocks.superblock = SuperblockSpan::Die), "");
    let half = |name: &str| [(name.to_owned(), Occupancy::Share(0.5))].into();
    assert_eq!(
        refused(&|setup| setup.start.set_occupancy = half("die 2")),
        "workload.start.set_occupancy.die 2 = 0.5: allowed: names of scheme.nvm_set: die 0, die 1"
    );
    assert_eq!(
        refused(&|setup| (setup.start.set_occupancy, setup.scheme.nvm_set) = (half("a"), Vec::new())),
        "workload.start.set_occupancy.a = 0.5: allowed: left out: the scheme has no set (scheme.nvm_set)"
    );
    assert_eq!(
        refused(&|setup| setup.start.set_occupancy = [("die 0".to_owned(), Occupancy::Span)].into()),
        "workload.start.set_occupancy.die 0 = \"span\": allowed: all, none, or a share from 0 to 1"
    );
}
