//! No description and no request makes the engine panic.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use proptest::prelude::*;
use wordline_engine::config::cache::{CacheBytes, CacheConfig, CacheKind, DramConfig, ReadAdmission};
use wordline_engine::config::device::*;
use wordline_engine::config::host::{Arrivals, HostConfig};
use wordline_engine::config::isolation::Isolation;
use wordline_engine::config::nand_modes::*;
use wordline_engine::config::reclaim::HostAccess;
use wordline_engine::config::run::{Occupancy, StartConfig, StartLayout, WindowConfig};
use wordline_engine::config::scheme::*;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::sched::class::Class;
use wordline_engine::time::Ns;
use wordline_engine::{Overwrites, RunError, Setup, WritePattern};

/// Mostly a usual value, else an extreme one.
fn or_extreme(usual: std::ops::Range<u32>) -> impl Strategy<Value = u32> {
    let extreme = prop::sample::select(vec![
        0,
        1,
        2,
        31,
        33,
        511,
        4095,
        65_537,
        1 << 24,
        1 << 31,
        u32::MAX - 1,
        u32::MAX,
    ]);
    prop_oneof![60 => usual, 1 => extreme]
}

fn time() -> impl Strategy<Value = u64> {
    let extreme = prop::sample::select(vec![0, 1, 10_000_000_000, 10_000_000_001, i64::MAX as u64, u64::MAX]);
    prop_oneof![80 => 0u64..5_000_000, 1 => extreme]
}

fn number() -> impl Strategy<Value = f64> {
    let extreme = prop::sample::select(vec![
        0.0,
        -0.0,
        -1.0,
        1.0,
        0.95,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE,
        f64::MAX,
        1e-300,
    ]);
    prop_oneof![30 => 0.0..0.7f64, 1 => extreme]
}

fn rate() -> impl Strategy<Value = f64> {
    prop_oneof![30 => 0.001..1e6f64, 1 => number()]
}

fn geometries() -> impl Strategy<Value = GeometryConfig> {
    let counts = (
        or_extreme(1..5),
        or_extreme(1..4),
        or_extreme(1..3),
        or_extreme(1..5),
        or_extreme(10..60),
        or_extreme(4..20),
    );
    let page =
        prop_oneof![30 => prop::sample::select(vec![4096u32, 12_288, 16_384]), 1 => or_extreme(0..9000)];
    let unit = prop_oneof![
        30 => (0u32..4).prop_map(Err),
        1 => or_extreme(0..9000).prop_map(Ok)
    ];
    (counts, page, or_extreme(0..2000), unit).prop_map(|(counts, page_bytes, spare_bytes, unit)| {
        let (channels, ways, dies, planes, blocks, pages) = counts;
        let mapping_unit_bytes = unit.unwrap_or_else(|shift| page_bytes >> shift);
        GeometryConfig {
            channels,
            ways,
            dies,
            planes,
            blocks,
            pages,
            page_bytes,
            spare_bytes,
            mapping_unit_bytes,
            pages_per_program: if pages.is_multiple_of(3) { 3 } else { 1 },
        }
    })
}

fn devices() -> impl Strategy<Value = DeviceConfig> {
    let technology = prop::sample::select(vec![
        CellTechnology::Slc,
        CellTechnology::Mlc,
        CellTechnology::Tlc,
        CellTechnology::Qlc,
    ]);
    let types =
        || prop_oneof![30 => Just(vec![]), 5 => Just(vec![0]), 1 => prop::collection::vec(0u8..6, 0..30)];
    let times =
        || prop_oneof![20 => prop::collection::vec(time(), 1), 1 => prop::collection::vec(time(), 0..6)];
    let cell = (technology, times(), times(), time(), types(), types()).prop_map(
        |(technology, read_ns, program_ns, erase_ns, page_types, first_pages)| CellConfig {
            technology,
            read_ns,
            program_ns,
            erase_ns,
            page_types,
            first_pages,
        },
    );
    let capacity = prop_oneof![
        40 => number().prop_map(|share| CapacityConfig { overprovisioning: Some(share), user_bytes: None }),
        1 => any::<u64>().prop_map(|bytes| CapacityConfig { overprovisioning: None, user_bytes: Some(bytes) }),
        1 => (0u64..1 << 22).prop_map(|bytes| CapacityConfig { overprovisioning: None, user_bytes: Some(bytes) }),
        1 => Just(CapacityConfig { overprovisioning: None, user_bytes: None })
    ];
    let channel = (
        rate(),
        or_extreme(1..33),
        prop::array::uniform6(time()),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(mega_transfers_per_s, width_bits, times, page, transfer_spare, first)| {
            ChannelConfig {
                mega_transfers_per_s,
                width_bits,
                read_command_ns: times[0],
                read_command_extra_plane_ns: times[1],
                program_command_ns: times[2],
                program_command_extra_plane_ns: times[3],
                erase_command_ns: times[4],
                erase_command_extra_plane_ns: times[5],
                transfer: if page { TransferUnit::Page } else { TransferUnit::Requested },
                transfer_spare,
                arbitration: if first { ChannelArbitration::DataOutFirst } else { ChannelArbitration::Fifo },
                commands: if first && width_bits % 2 == 0 { CommandTaker::Chip } else { CommandTaker::Die },
                program_data: if width_bits % 3 == 0 { ProgramData::Written } else { ProgramData::Unit },
            }
        });
    let rules = prop::sample::select(vec![
        MultiPlaneRule::None,
        MultiPlaneRule::SameBlockAndPage,
        MultiPlaneRule::SamePage,
        MultiPlaneRule::Any,
    ]);
    let suspend = (prop::option::of(time()), prop::option::of(time()), time(), or_extreme(0..9)).prop_map(
        |(program_ns, erase_ns, resume_ns, max_per_operation)| SuspendConfig {
            program_ns,
            erase_ns,
            resume_ns,
            max_per_operation,
            ..SuspendConfig::default()
        },
    );
    let rates = prop::option::of(prop_oneof![30 => 1_000u64..1 << 33, 1 => any::<u64>()]);
    let most = prop_oneof![(0u64..20).prop_map(|pages| pages << 14), any::<u64>()];
    let link = (rates, time(), time(), prop::option::weighted(0.2, most)).prop_map(
        |(bytes_per_s, submission_ns, completion_ns, max_transfer_bytes)| LinkConfig {
            bytes_per_s,
            submission_ns,
            completion_ns,
            host_memory_ns: submission_ns,
            read_data: if submission_ns % 2 == 0 { LinkData::Request } else { LinkData::Page },
            write_data: if completion_ns % 2 == 0 { LinkData::Request } else { LinkData::Page },
            max_transfer_bytes,
        },
    );
    let slc_mode = prop::option::of(prop::array::uniform3(time())).prop_map(|times| {
        times.map(|[read_ns, program_ns, erase_ns]| SlcModeConfig { read_ns, program_ns, erase_ns })
    });
    let cache_mode = (any::<bool>(), any::<bool>(), any::<bool>(), time(), time()).prop_map(
        |(read, program, random, read_busy_ns, program_busy_ns)| CacheModeConfig {
            read,
            program,
            read_order: if random { CacheReadOrder::Random } else { CacheReadOrder::Sequential },
            read_busy_ns,
            program_busy_ns,
        },
    );
    let copyback = (any::<bool>(), any::<bool>(), or_extreme(0..9), prop::bool::weighted(0.05)).prop_map(
        |(supported, same_plane_only, check_every, plane)| CopybackConfig {
            supported,
            same_plane_only,
            check_every,
            blocks: if plane { CopybackBlocks::Plane } else { CopybackBlocks::Die },
        },
    );
    // Beside most of the modes above it is refused.
    let apart = prop_oneof![7 => Just(IndependentPlanes::None), 1 => Just(IndependentPlanes::Reads)];
    let modes = (slc_mode, cache_mode, copyback, apart);
    let dram = (
        prop_oneof![2 => Just(None), 1 => any::<u64>().prop_map(Some), 1 => (0u64..1 << 24).prop_map(Some)],
        time(),
        prop::option::of(prop_oneof![30 => 1_000u64..1 << 33, 1 => any::<u64>()]),
    )
        .prop_map(|(bytes, access_ns, bytes_per_s)| DramConfig {
            bytes,
            access_ns,
            bytes_per_s,
            ..DramConfig::default()
        });
    (geometries(), capacity, cell, channel, rules, or_extreme(0..9), suspend, (link, dram), modes).prop_map(
        |(geometry, capacity, cell, channel, rule, window, suspend, (link, dram), modes)| DeviceConfig {
            name: String::new(),
            description: String::new(),
            geometry,
            capacity,
            cell,
            channel,
            multi_plane: MultiPlaneConfig { rule, window },
            die: DieConfig { independent_planes: modes.3 },
            suspend,
            link,
            slc_mode: modes.0,
            cache_mode: modes.1,
            copyback: modes.2,
            errors: None,
            bad_blocks: None,
            cpu: Default::default(),
            energy: Default::default(),
            reads_only: false,
            rated: None,
            dram,
        },
    )
}

fn caches() -> impl Strategy<Value = CacheConfig> {
    let policies = prop::sample::select(vec![CacheKind::None, CacheKind::WriteBuffer, CacheKind::Lru]);
    let bytes = prop_oneof![
        4 => (0u64..1 << 20).prop_map(CacheBytes::Bytes),
        1 => any::<u64>().prop_map(CacheBytes::Bytes),
        1 => Just(CacheBytes::Rest)
    ];
    let high = prop_oneof![20 => 0.0..1.0f64, 1 => number()];
    let low = prop_oneof![20 => Just(None), 1 => number().prop_map(Some)];
    (policies, bytes, high, low, any::<bool>()).prop_map(|(policy, bytes, dirty_high, dirty_low, all)| {
        let admit_reads = if all { ReadAdmission::All } else { ReadAdmission::None };
        CacheConfig {
            policy,
            bytes,
            dirty_high,
            dirty_low,
            admit_reads,
            cold_period_ns: all.then_some(40_000),
            max_write_backs: u32::from(all),
            ..CacheConfig::default()
        }
    })
}

/// Mostly the default; journals of any size, with changes of any size.
fn mappings() -> impl Strategy<Value = MappingConfig> {
    let journal = (or_extreme(0..40), any::<bool>(), or_extreme(4..20), or_extreme(4..20));
    let journaled = journal.prop_map(|(pages, beyond, entry, translation)| MappingConfig {
        policy: MappingKind::Journaled,
        journal_bytes: if beyond { u64::from(pages) << 32 } else { u64::from(pages) * 4096 },
        journal_entry_bytes: entry,
        translation_entry_bytes: translation,
        ..Default::default()
    });
    prop_oneof![4 => Just(MappingConfig::default()), 1 => journaled]
}

fn schemes() -> impl Strategy<Value = SchemeConfig> {
    let spans = prop::sample::select(vec![
        SuperblockSpan::None,
        SuperblockSpan::Die,
        SuperblockSpan::Chip,
        SuperblockSpan::Channels,
        SuperblockSpan::Drive,
    ]);
    let classes = prop::sample::select(vec![
        Class::HostRead,
        Class::HostProgram,
        Class::GcRead,
        Class::GcProgram,
        Class::GcErase,
    ]);
    let tiers = prop_oneof![
        20 => Just(vec![]),
        1 => prop::collection::vec(prop::collection::vec(classes, 0..3), 0..12)
    ];
    let scheduler = prop::sample::select(vec![
        SchedulerKind::Fifo,
        SchedulerKind::ReadFirst,
        SchedulerKind::ReadFirstSuspend,
    ]);
    let collection = prop::sample::select(GcKind::ALL.to_vec());
    (
        (spans, any::<bool>(), 0usize..24, any::<bool>(), mappings()),
        (
            prop_oneof![20 => 0.0..0.2f64, 1 => number()],
            prop_oneof![2 => Just(None), 1 => number().prop_map(Some)],
            or_extreme(0..50),
            (collection, or_extreme(1..20), or_extreme(1..20)),
        ),
        (scheduler, tiers, prop::option::of(time())),
        caches(),
    )
        .prop_map(
            |(
                (superblock, dynamic, order, allocate, mapping),
                (trigger, stop, read_ahead_pages, gc),
                scheduler,
                cache,
            )| {
                only_read(SchemeConfig {
                    mapping: MappingConfig {
                        unmapped_reads: if allocate { UnmappedReads::Allocate } else { UnmappedReads::Zeros },
                        ..mapping
                    },
                    placement: PlacementConfig {
                        policy: if dynamic { PlacementKind::Dynamic } else { PlacementKind::Static },
                        order: PlacementOrder::all()[order],
                    },
                    blocks: BlocksConfig { superblock, ..BlocksConfig::default() },
                    gc: GcConfig {
                        policy: gc.0,
                        choices: gc.1,
                        window: gc.2,
                        trigger,
                        stop,
                        background: None,
                        pace: None,
                        isolation: Isolation::default(),
                        host_access: HostAccess::default(),
                        read_ahead_pages,
                        rotating: false,
                        copyback: true,
                    },
                    scheduler: SchedulerConfig {
                        policy: scheduler.0,
                        tiers: scheduler.1,
                        starvation_bound_ns: scheduler.2,
                        ..Default::default()
                    },
                    cache,
                    ..Default::default()
                })
            },
        )
}

fn hosts() -> impl Strategy<Value = (HostConfig, StartConfig, WindowConfig)> {
    let host = (
        any::<bool>(),
        prop_oneof![30 => 0.001..10.0f64, 1 => number()],
        or_extreme(1..40),
        time(),
        or_extreme(0..9),
        or_extreme(0..9),
    )
        .prop_map(|(open, time_scale, queue_depth, think_time_ns, max_outstanding, max_inside)| {
            HostConfig {
                arrivals: if open { Arrivals::Open } else { Arrivals::Closed },
                time_scale,
                queue_depth,
                think_time_ns,
                max_outstanding,
                max_inside,
                ..HostConfig::default()
            }
        });
    let occupancy = prop_oneof![
        Just(Occupancy::All),
        Just(Occupancy::None),
        Just(Occupancy::Footprint),
        Just(Occupancy::Span),
        number().prop_map(Occupancy::Share)
    ];
    let layout = prop_oneof![Just(StartLayout::InOrder), Just(StartLayout::Steady)];
    let start = (occupancy, layout, prop_oneof![20 => Just(0.0), 10 => 0.0..2.0f64, 1 => number()]).prop_map(
        |(occupancy, layout, overwrite)| StartConfig {
            occupancy,
            layout,
            overwrite,
            ..StartConfig::default()
        },
    );
    let window = (time(), prop_oneof![0u64..12, any::<u64>()], number()).prop_map(
        |(warmup_ns, warmup_requests, warmup_drive_writes)| WindowConfig {
            warmup_ns,
            warmup_requests,
            warmup_drive_writes,
        },
    );
    (host, start, window)
}

/// Whether preparing it takes a moment only: not too many pages to overwrite, nor tables of blocks to fill.
fn is_small(setup: &Setup) -> bool {
    let geometry = &setup.device.geometry;
    let planes = [geometry.channels, geometry.ways, geometry.dies, geometry.planes, geometry.blocks];
    let blocks: u128 = planes.into_iter().map(u128::from).product();
    let overwrites = geometry.physical_units() <= 1 << 16;
    blocks <= 1 << 20 && (overwrites || setup.start.overwrite == 0.0)
}

const REQUESTS: u64 = 40;

/// Some requests of all kinds within a drive of so many bytes.
fn some(seed: u64, bytes: u64, late: bool) -> Vec<HostRequest> {
    let mut random = Random(seed);
    (0..REQUESTS)
        .map(|number| {
            let op = [HostOp::Write, HostOp::Read, HostOp::Trim, HostOp::Flush, HostOp::WriteFua]
                [random.below(5) as usize];
            let (offset, most) = (random.below(bytes), 40_000.min(bytes));
            let length = random.below(most + 1).min(bytes - offset);
            let time = Ns(if late { 1 << 59 } else { 0 } + number * random.below(1_000_000));
            HostRequest { time, op, offset, length, flow: 0, stream: 0 }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, max_shrink_iters: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_description_is_refused_with_a_reason_or_runs(
        device in devices(),
        scheme in schemes(),
        (host, start, window) in hosts(),
        seed: u64,
        late: bool,
        units_together in prop::option::of(1u32..200),
    ) {
        let pattern = units_together.and_then(|units| WritePattern::of(units, None));
        let kept = Kept::Checked;
        let setup = Setup { host, start, window, seed, kept, pattern, ..Setup::of(device, scheme) };
        let bytes = match setup.validate().and_then(|()| setup.logical_bytes()) {
            Ok(bytes) => bytes,
            Err(error) => {
                let told = error.to_string();
                prop_assert!(told.contains(" = ") && told.contains(": allowed: "), "{}", told);
                let root = told.split('.').next().unwrap_or_default();
                prop_assert!(["device", "scheme", "workload"].contains(&root), "{}", told);
                prop_assert!(matches!(setup.prepare(&[]).err(), None | Some(RunError::Config(_))));
                return Ok(());
            }
        };
        // What is written over and over before the run must be smaller still.
        let carried_out = setup.start.layout == StartLayout::Steady && !setup.has_steady_formula(Overwrites::ALONE);
        if !is_small(&setup) || (carried_out && bytes / u64::from(setup.device.geometry.mapping_unit_bytes) > 4096) {
            return Ok(());
        }
        let requests = some(seed, bytes, late);
        match run(&setup, &mut Listed(requests)) {
            Ok(report) => {
                let measured = report.read.requests + report.write.requests + report.trim.requests + report.flush.requests;
                prop_assert!(measured <= REQUESTS);
            }
            Err(RunError::Config(error)) => prop_assert!(!error.allowed.is_empty()),
            Err(RunError::NothingMeasured { requests }) => prop_assert_eq!(requests, REQUESTS),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        }
    }
}

#[test]
fn a_share_of_occupied_pages_outside_0_to_1_is_refused_from_a_program_too() {
    for share in [1.5, f64::INFINITY, f64::NAN, -0.5] {
        let mut setup = setup(device(1, 1, 1, 1));
        setup.start = start(Occupancy::Share(share), 1.0);
        let told = setup.validate().map_err(|error| error.to_string());
        assert!(told.is_err_and(|told| told.contains("workload.start.occupancy")), "{share}");
    }
}

#[test]
fn overwrites_before_the_run_never_collect_the_flash_page_that_they_fill() {
    let mut drive = device(2, 3, 1, 4);
    (drive.geometry.blocks, drive.geometry.pages) = (27, 9);
    drive.geometry.mapping_unit_bytes = 2048;
    drive.capacity.overprovisioning = Some(0.2);
    let mut setup = setup(drive);
    setup.scheme.gc.trigger = 0.0;
    for seed in 0..20 {
        let setup = Setup { seed, start: start(Occupancy::All, 1.0), ..setup.clone() };
        assert!(setup.prepare(&[]).unwrap().audit().is_ok(), "seed {seed}");
    }
}

#[test]
fn a_good_share_of_the_descriptions_runs() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let everything = (devices(), schemes(), hosts());
    let runs = (0..2000).filter(|_| {
        let (device, scheme, (host, start, window)) = everything.new_tree(&mut runner).unwrap().current();
        let setup = Setup { host, start, window, kept: Kept::Checked, ..Setup::of(device, scheme) };
        setup.logical_bytes().is_ok() && is_small(&setup) && run(&setup, &mut Listed(vec![])).is_ok()
    });
    let runs = runs.count();
    assert!((200..1800).contains(&runs), "{runs} of 2000: neither all refused nor all accepted");
}

#[test]
fn a_request_beyond_the_drive_is_an_error_that_says_where() {
    let setup = setup(device(1, 1, 1, 1));
    let bytes = setup.logical_bytes().unwrap();
    let ask = |op, offset, length| {
        let request = HostRequest { time: Ns(5), op, offset, length, flow: 0, stream: 0 };
        run(&setup, &mut Listed(vec![read(0, 0), request])).map(|_| ()).map_err(|error| error.to_string())
    };
    for op in [HostOp::Read, HostOp::Write, HostOp::Trim] {
        assert_eq!(ask(op, bytes - 512, 512), Ok(()));
        assert_eq!(ask(op, bytes, 0), Ok(()));
        for (offset, length) in
            [(bytes - 512, 513), (bytes, 1), (u64::MAX, 0), (u64::MAX, u64::MAX), (0, bytes + 1)]
        {
            let end = u128::from(offset) + u128::from(length);
            let told =
                format!("request 1 (from 0) covers bytes {offset} to {end}, beyond the drive's {bytes}");
            assert_eq!(ask(op, offset, length), Err(told));
        }
    }
    assert_eq!(ask(HostOp::Flush, u64::MAX, u64::MAX), Ok(()), "a flush has no range");
}

#[test]
fn arrivals_that_step_back_or_come_at_the_end_of_time_are_served() {
    let setup = setup(device(1, 1, 1, 1));
    let done = completions(&setup, vec![read(1_000_000, 0), read(0, 1)]);
    assert_eq!(done, [1_000_000 + TR + XFER, 1_000_000 + 2 * (TR + XFER)]);
    let late = u64::MAX / 2;
    assert_eq!(completions(&setup, vec![read(late, 0)]), [late + TR + XFER]);
}

#[test]
fn a_request_at_the_last_moment_of_time_is_refused_and_not_lost() {
    let mut setup = setup(device(1, 1, 1, 1));
    let told = |setup: &Setup, time| {
        run(setup, &mut Listed(vec![read(0, 0), read(time, 1)]))
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    for time in [u64::MAX, u64::MAX / 2 + 1] {
        assert!(told(&setup, time).is_err_and(|told| told.contains(&time.to_string())), "{time}");
    }
    setup.host.time_scale = 1e9;
    assert!(told(&setup, u64::MAX / 1_000_000).is_err_and(|told| told.contains("time_scale 1000000000")));
}
