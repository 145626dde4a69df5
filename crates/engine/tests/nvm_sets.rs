//! Sets of planes (`scheme.nvm_set`) in whole runs.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use proptest::prelude::*;
use wordline_engine::Setup;
use wordline_engine::config::mapping::MappingKind;
use wordline_engine::config::nvm_set::NvmSetConfig;
use wordline_engine::config::run::{Occupancy, StartLayout};
use wordline_engine::config::scheme::{GcKind, PlacementKind, PlacementOrder, SuperblockSpan};
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

/// A drive of any small shape whose planes are divided by channels, chips, dies or planes: each number goes to one of two sets or to none.
fn divided() -> impl Strategy<Value = Setup> {
    let shape = ((1u32..4, 1u32..3), (1u32..3, 1u32..3), (0usize..4, 0u32..27));
    let scheme = (0usize..24, any::<bool>(), any::<bool>(), 0usize..6, any::<bool>());
    let begins = (0.3..1.0f64, 0.0..1.0f64, 0usize..3, 0.0..1.5f64);
    (shape, scheme, begins).prop_map(|(shape, scheme, (most, second, layout, overwrite))| {
        let ((channels, ways), (dies, planes), (level, mut owners)) = shape;
        let (order, dynamic, by_die, gc, demand) = scheme;
        let mut setup = setup(device(channels, ways, dies, planes));
        setup.device.geometry.page_bytes = 8192;
        setup.device.capacity.overprovisioning = Some(0.45);
        let count = [channels, ways, dies, planes][level];
        let mut lists = [Vec::new(), Vec::new()];
        for number in 0..count {
            if let Some(list) = lists.get_mut(owners as usize % 3) {
                list.push(number);
            }
            owners /= 3;
        }
        let made = |(number, list): (usize, Vec<u32>)| {
            let mut set = set(&format!("set {number}"));
            let keys = [&mut set.channels, &mut set.ways, &mut set.dies, &mut set.planes];
            if let Some(key) = keys.into_iter().nth(level) {
                *key = Some(list);
            }
            set
        };
        let lists = lists.into_iter().enumerate().filter(|(_, list)| !list.is_empty());
        setup.scheme.nvm_set = lists.map(made).collect();
        setup.scheme.placement.order = PlacementOrder::all()[order];
        if dynamic {
            setup.scheme.placement.policy = PlacementKind::Dynamic;
        }
        if by_die && level < 3 {
            setup.scheme.blocks.superblock = SuperblockSpan::Die;
        }
        setup.scheme.gc.policy = GcKind::ALL[gc];
        if demand {
            setup.scheme.mapping.policy = MappingKind::Demand;
            (setup.scheme.mapping.cache_bytes, setup.scheme.mapping.translation_page_bytes) = (512, 256);
        }
        setup.scheme = only_read(setup.scheme);
        setup.start = start(Occupancy::Share(most), overwrite);
        setup.start.layout = [StartLayout::InOrder, StartLayout::Steady, StartLayout::AtTrigger][layout];
        let names = setup.scheme.nvm_set.iter().skip(1).map(|set| set.name.clone());
        setup.start.set_occupancy = names.map(|name| (name, Occupancy::Share(second))).collect();
        setup.host = closed(12);
        setup
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_page_is_ever_programmed_outside_its_set_on_any_drive(setup in divided(), seed in 1u64..1000) {
        let all = pages(&setup);
        let mut random = Random(seed);
        // A program outside its set ends the run with an error, and the audit asks for every page at the end.
        let mut source = made(3_000, |_| any_request(&mut random, all));
        let report = run(&setup, &mut source).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert!(report.checked.is_some_and(|checked| checked.reads_verified > 0));
    }
}
