//! Arrays: several drives on one clock.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::config::MeasureConfig;
use wordline_engine::config::array::{ArrayConfig, ArrayLayout, ArrayMember, MirrorServe};
use wordline_engine::config::bad_blocks::BadBlocksConfig;
use wordline_engine::config::cache::{CacheBytes, CacheKind};
use wordline_engine::config::device::{CapacityConfig, LinkData};
use wordline_engine::config::errors::{ErrorsConfig, RberConfig};
use wordline_engine::config::host::{FlowRules, HostSchedulerKind};
use wordline_engine::config::run::{Occupancy, StartConfig, StartLayout};
use wordline_engine::host::{Flow, HostOp, HostRequest, RequestSource};
use wordline_engine::ids::Lpa;
use wordline_engine::stats::report::Report;
use wordline_engine::stats::table::{Column, Table};
use wordline_engine::{
    Ending, RunError, Setup, Split, Stop, Unobserved, replay_flows, replay_in_parts, simulate,
};

fn array(members: u32, layout: ArrayLayout, serve: MirrorServe) -> ArrayConfig {
    let of = ArrayMember::Drives;
    ArrayConfig { members, layout, of, chunk_bytes: 4096, serve, read_window_ns: 0 }
}

/// The setup with an array of its drives.
fn with(setup: &Setup, config: &ArrayConfig) -> Setup {
    let mut setup = setup.clone();
    setup.scheme.array = Some(config.clone());
    setup
}

fn run(setup: &Setup, config: &ArrayConfig, source: &mut dyn RequestSource) -> Result<Report, RunError> {
    simulate(&with(setup, config), source, &[], &mut Unobserved).map(|outcome| outcome.report)
}

fn replayed(setup: &Setup, config: &ArrayConfig, requests: Vec<HostRequest>) -> Report {
    run(setup, config, &mut Listed(requests)).unwrap()
}

#[test]
fn a_striped_read_takes_as_long_as_its_slowest_part() {
    let setup = setup(device(1, 1, 1, 1));
    let config = array(4, ArrayLayout::Striped, MirrorServe::First);
    // Six pages over four drives: two drives read two pages each, one after the other.
    let report = replayed(&setup, &config, vec![request(0, HostOp::Read, 0, 6)]);
    assert_eq!(report.read.latency_ns.max, 2 * (TR + XFER));
    let reads: Vec<u64> = report.members.iter().map(|member| member.flash.reads).collect();
    assert_eq!(reads, [2, 2, 1, 1]);
    let alone = completions(&setup, vec![request(0, HostOp::Read, 0, 6)]);
    assert_eq!(alone, [6 * (TR + XFER)]);
}

#[test]
fn a_mirrored_write_is_answered_when_every_drive_has_it() {
    let setup = setup(device(1, 1, 1, 1));
    let config = array(2, ArrayLayout::Mirrored, MirrorServe::First);
    // A read keeps the first drive busy; the write waits for it there, and the array for the write there.
    let report = replayed(&setup, &config, vec![read(0, 0), write(10, 7)]);
    assert_eq!(report.write.latency_ns.max, TR + XFER - 10 + XFER + TPROG);
    assert_eq!(report.members[1].write.latency_ns.max, XFER + TPROG);
    assert_eq!(report.members.iter().map(|member| member.flash.programs).sum::<u64>(), 2);
}

#[test]
fn a_mirrored_read_goes_where_fewer_wait() {
    let setup = setup(device(1, 1, 1, 1));
    let shortest = array(2, ArrayLayout::Mirrored, MirrorServe::ShortestQueue);
    let report = replayed(&setup, &shortest, vec![read(0, 0), read(1, 1), read(2, 2)]);
    let reads: Vec<u64> = report.members.iter().map(|member| member.read.requests).collect();
    assert_eq!(reads, [2, 1]);
    let first = array(2, ArrayLayout::Mirrored, MirrorServe::First);
    let report = replayed(&setup, &first, vec![read(0, 0), read(1, 1), read(2, 2)]);
    assert_eq!(report.members[1].read.requests, 0);
    let turns = array(3, ArrayLayout::Mirrored, MirrorServe::RoundRobin);
    let report = replayed(&setup, &turns, (0..6).map(|page| read(page, page)).collect());
    assert!(report.members.iter().all(|member| member.read.requests == 2));
}

#[test]
fn in_its_window_a_drive_only_reads_and_its_writes_wait_for_the_end() {
    let setup = setup(device(1, 1, 1, 1));
    let window = 5_000_000;
    let config =
        ArrayConfig { read_window_ns: window, ..array(2, ArrayLayout::Mirrored, MirrorServe::First) };
    // Two writes keep the second drive busy for a millisecond; the reads go to the first, where nothing is programmed.
    let mut requests = vec![write(0, 7), write(1, 8)];
    requests.extend((0..10).map(|number| read(10 + number * 100_000, number)));
    // In the next window the second drive reads, while the first makes up for its writes.
    requests.push(read(window + 10, 3));
    let report = replayed(&setup, &config, requests);
    assert_eq!((report.read.latency_ns.min, report.read.latency_ns.max), (TR + XFER, TR + XFER));
    assert_eq!(report.members[0].read.requests, 10);
    assert_eq!(report.members[1].read.requests, 1);
    assert_eq!(report.write.latency_ns.max, window - 1 + 2 * (XFER + TPROG));
    // The gate is to blame while the die rests, the ten reads while it serves them.
    let (gate, reads) = (window + window - 1, 2 * 10 * (TR + XFER));
    assert_eq!(report.write.blame.mean.total_ns["gate"], u128::from(gate - reads));
    assert_eq!(report.write.blame.mean.total_ns["die_wait.host_read"], u128::from(reads));
}

#[test]
fn windows_that_pass_at_rest_take_no_time_and_keep_their_turns() {
    let setup = setup(device(1, 1, 1, 1));
    let window = 1_000;
    let config =
        ArrayConfig { read_window_ns: window, ..array(2, ArrayLayout::Mirrored, MirrorServe::First) };
    for passed in [2_000_000_000_000, 2_000_000_000_001] {
        let report = replayed(&setup, &config, vec![read(0, 3), read(passed * window, 3)]);
        let reads: Vec<u64> = report.members.iter().map(|member| member.read.requests).collect();
        assert_eq!(reads, if passed % 2 == 0 { [2, 0] } else { [1, 1] });
    }
}

#[test]
fn the_blame_of_an_array_adds_up_and_names_the_last_part() {
    let setup = setup(device(1, 1, 1, 1));
    let config = array(2, ArrayLayout::Mirrored, MirrorServe::First);
    let report = replayed(&setup, &config, vec![read(0, 0), write(10, 7)]);
    let blame = &report.write.blame.mean;
    assert_eq!(blame.total_ns.values().sum::<u128>(), blame.response_total_ns);
    assert_eq!(blame.total_ns["die_wait.host_read"], u128::from(TR + XFER - 10));
}

#[test]
fn a_trim_that_waited_at_the_host_of_an_array_has_that_in_its_blame() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.scheme.cache.policy = CacheKind::WriteBuffer;
    setup.scheme.cache.bytes = CacheBytes::Bytes(64 << 10);
    setup.scheme.cache.max_writes = 1;
    for layout in [ArrayLayout::Striped, ArrayLayout::Mirrored] {
        let config = array(2, layout, MirrorServe::First);
        let commands = (0..200).map(|number| match number % 3 {
            0 => request(0, HostOp::Trim, number, 2),
            1 => request(0, HostOp::Flush, 0, 0),
            _ => request(0, HostOp::Write, number, 2),
        });
        let report = replayed(&setup, &config, commands.collect());
        let blame = &report.trim.blame.mean;
        assert_eq!(blame.total_ns.values().sum::<u128>(), blame.response_total_ns, "{layout:?}");
        assert!(blame.total_ns["admission"] > 0, "{layout:?}");
    }
}

#[test]
fn bit_errors_of_an_array_are_those_of_its_drives_and_tell_of_lost_pages() {
    let mut setup = setup(device(1, 1, 1, 1));
    let rber = RberConfig { base: Some(0.05), ..RberConfig::default() };
    setup.device.errors = Some(ErrorsConfig { rber, max_retries: 0, ..ErrorsConfig::default() });
    let config = array(2, ArrayLayout::Striped, MirrorServe::First);
    let report = replayed(&setup, &config, (0..20).map(|page| read(page * 1_000_000, page)).collect());
    let lost = report.errors.as_ref().unwrap().uncorrectable_pages;
    let of_members = |member: &Report| member.errors.as_ref().unwrap().uncorrectable_pages;
    assert!(lost > 0 && lost == report.members.iter().map(of_members).sum::<u64>());
    assert!(report.notes().iter().any(|note| note.kind == "uncorrectable"));
}

#[test]
fn arrays_stay_consistent_under_collection_and_trim() {
    for (layout, members) in [(ArrayLayout::Striped, 3), (ArrayLayout::Mirrored, 2)] {
        let mut setup = setup(device(1, 1, 2, 1));
        setup.host = closed(12);
        setup.start = start(Occupancy::All, 0.5);
        let config = array(members, layout, MirrorServe::ShortestQueue);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut random = Random(3);
        let mut source = made(4_000, |_| any_request(&mut random, pages));
        let report = run(&setup, &config, &mut source).unwrap();
        assert!(report.checked.is_some_and(|checked| checked.pages_audited == u64::from(members) * pages));
        assert!(report.members.iter().all(|member| member.gc.victims > 0), "{layout:?}");
        assert!(report.read.requests > 900 && report.write.requests > 1_800, "{layout:?}");
    }
}

#[test]
fn two_runs_of_an_array_are_the_same() {
    let setup = setup(device(1, 1, 2, 1));
    let config = array(2, ArrayLayout::Mirrored, MirrorServe::ShortestQueue);
    let text = || {
        format!("{:?}", replayed(&setup, &config, (0..200).map(|n| read(n * 7_000, n * 37 % 300)).collect()))
    };
    assert_eq!(text(), text());
}

#[test]
fn what_is_no_array_is_refused_by_its_key() {
    let setup = setup(device(1, 1, 1, 1));
    let mut source = Listed(vec![]);
    let mut wrong = array(1, ArrayLayout::Striped, MirrorServe::First);
    let error = run(&setup, &wrong, &mut source).unwrap_err().to_string();
    assert!(error.starts_with("scheme.array.members = 1"), "{error}");
    (wrong.members, wrong.chunk_bytes) = (2, 1000);
    let error = run(&setup, &wrong, &mut source).unwrap_err().to_string();
    assert!(error.contains("scheme.array.chunk_bytes = 1000"), "{error}");
    let beyond = vec![read(0, 1 << 40)];
    let config = array(2, ArrayLayout::Mirrored, MirrorServe::First);
    let error = run(&setup, &config, &mut Listed(beyond)).unwrap_err().to_string();
    assert!(error.contains("beyond the drive's"), "{error}");
    let mut setup = setup;
    setup.host.max_inside = 4;
    for (kind, name) in [(HostSchedulerKind::Paq, "paq"), (HostSchedulerKind::Piq, "piq")] {
        setup.host.scheduler.kind = kind;
        let error = run(&setup, &config, &mut Listed(vec![])).unwrap_err().to_string();
        assert!(error.starts_with(&format!("workload.host.scheduler.kind = {name}: allowed: ")), "{error}");
    }
    setup.host = closed(1);
    let large = ArrayConfig { chunk_bytes: 1 << 30, ..array(2, ArrayLayout::Striped, MirrorServe::First) };
    let error = run(&setup, &large, &mut Listed(vec![])).unwrap_err().to_string();
    assert!(error.starts_with("scheme.array.chunk_bytes = 1073741824: allowed: 512 to the "), "{error}");
    setup.measure.collisions = true;
    let error = run(&setup, &config, &mut Listed(vec![])).unwrap_err().to_string();
    assert!(error.starts_with("workload.measure.collisions"), "{error}");
}

#[test]
fn an_array_has_settled_if_all_of_its_drives_have() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.start = StartConfig { layout: StartLayout::Steady, ..start(Occupancy::All, 0.0) };
    let report = replayed(&setup, &array(2, ArrayLayout::Striped, MirrorServe::First), vec![read(0, 0)]);
    assert!(report.members.iter().all(|member| member.start.formula));
    assert!(report.start.formula && report.start.agrees);
}

#[test]
fn what_a_mirror_overwrote_is_counted_as_on_one_drive() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.start = start(Occupancy::None, 0.0);
    // Ten pages are new, and five of them are written again.
    let writes: Vec<_> = (0..15).map(|number| write(number * 10_000_000, number % 10)).collect();
    for layout in [ArrayLayout::Mirrored, ArrayLayout::Striped] {
        let notes = replayed(&setup, &array(2, layout, MirrorServe::First), writes.clone()).notes();
        let told = notes.iter().any(|note| note.found.contains("although 5 pages were overwritten"));
        assert!(told, "{layout:?}: {notes:?}");
    }
}

#[test]
fn the_work_of_an_array_is_that_of_its_drives_and_its_requests_are_the_hosts() {
    let setup = setup(device(1, 1, 1, 1));
    let config = array(2, ArrayLayout::Mirrored, MirrorServe::RoundRobin);
    let report = replayed(&setup, &config, vec![write(0, 7), write(0, 8), read(10_000_000, 7)]);
    assert_eq!((report.write.requests, report.read.requests), (2, 1));
    assert_eq!((report.flash.programs, report.flash.reads), (4, 1));
    // All data is written twice.
    assert_eq!(report.waf, Some(2.0));
    assert_eq!((report.dies.len(), report.channels.len(), report.members.len()), (2, 2, 2));
    assert_eq!(report.dies.iter().map(|die| die.channel).collect::<Vec<_>>(), [0, 1]);
}

fn whole(table: &Table, name: &str) -> Vec<u64> {
    match table.column(name) {
        Some(Column::U64(values)) => values.clone(),
        Some(Column::U32(values)) => values.iter().map(|&value| u64::from(value)).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn an_array_records_series_and_samples_of_all_its_drives_and_runs_as_without() {
    for (layout, members) in [(ArrayLayout::Striped, 3), (ArrayLayout::Mirrored, 2)] {
        let mut setup = setup(device(1, 2, 2, 1));
        setup.host = closed(12);
        setup.start = start(Occupancy::All, 0.5);
        let config = array(members, layout, MirrorServe::ShortestQueue);
        let pages = with(&setup, &config).logical_bytes().unwrap() / 4096;
        let busy = |setup: &Setup| {
            let mut random = Random(3);
            run(setup, &config, &mut made(4_000, |_| any_request(&mut random, pages))).unwrap()
        };
        let plain = busy(&setup);
        setup.measure = MeasureConfig {
            interval_ns: 1_000_000,
            sample_ns: 70_001,
            sample_table: true,
            block_table: true,
            chips: true,
            ..MeasureConfig::default()
        };
        let report = busy(&setup);
        assert_eq!(format!("{:?}", report.latency_ns), format!("{:?}", plain.latency_ns));
        assert_eq!(format!("{:?}", report.flash), format!("{:?}", plain.flash));

        let series = report.tables.series.as_ref().unwrap();
        let sum = |name: &str| whole(series, name).iter().sum::<u64>();
        assert!(series.rows() > 20);
        assert_eq!(sum("duration_ns"), report.window.end_ns);
        assert_eq!((sum("read_requests"), sum("read_bytes")), (report.read.requests, report.read.bytes));
        assert_eq!((sum("write_requests"), sum("write_bytes")), (report.write.requests, report.write.bytes));
        for (class, figures) in &report.flash.by_class {
            assert_eq!(sum(&format!("{class}_operations")), figures.operations, "{class}");
        }
        assert!(report.gc.moved_units > 0 && sum("gc_moved_units") == report.gc.moved_units);

        let [dies, chips] = [4, 2].map(|of_drive| of_drive * members as usize);
        let samples = report.samples.as_ref().unwrap();
        assert_eq!(samples.samples, report.window.end_ns.div_ceil(70_001));
        let rows = report.tables.samples.as_ref().unwrap();
        assert!(matches!(rows.column("outstanding"), Some(Column::U16List { width, .. }) if *width == dies));
        assert_eq!(report.chips.len(), chips);
        let blocks = report.tables.blocks.as_ref().unwrap();
        let of_first = report.members[0].tables.blocks.as_ref().unwrap();
        assert_eq!(blocks.rows(), of_first.rows() * members as usize);
        assert_eq!(whole(blocks, "drive").last(), Some(&u64::from(members - 1)));
        assert!(report.members.iter().all(|member| member.series.is_none() && member.samples.is_none()));
    }
}

#[test]
fn flows_of_an_array_have_figures_of_their_own() {
    let mut setup = with(&setup(device(1, 1, 1, 1)), &array(2, ArrayLayout::Striped, MirrorServe::First));
    setup.host = closed(1);
    let rules = |name: &str| FlowRules { name: name.to_owned(), ..FlowRules::of_host("", &closed(1)) };
    let (mut reads, mut writes) = (Listed(vec![read(0, 0), read(0, 1)]), Listed(vec![write(0, 5)]));
    let flows = vec![Flow::new(rules("reader"), &mut reads), Flow::new(rules("writer"), &mut writes)];
    let config = setup.scheme.array.clone().unwrap();
    let mut drives = setup.prepare_array(&config, &[], &mut Unobserved).unwrap();
    let report = replay_flows(&setup, &mut drives, flows, None, &mut Unobserved).unwrap().report;
    let figures: Vec<_> = report
        .flows
        .iter()
        .map(|flow| (flow.name.as_str(), flow.read.requests, flow.write.requests))
        .collect();
    assert_eq!(figures, [("reader", 2, 0), ("writer", 0, 1)]);
}

#[test]
fn a_run_on_an_array_in_two_parts_is_the_same_as_in_one() {
    let mut setup = setup(device(1, 1, 2, 1));
    setup.host = closed(6);
    setup.start = start(Occupancy::All, 0.3);
    setup.measure = MeasureConfig { interval_ns: 500_000, sample_ns: 30_000, ..MeasureConfig::default() };
    let windows = ArrayConfig {
        read_window_ns: 2_000_000,
        ..array(2, ArrayLayout::Mirrored, MirrorServe::ShortestQueue)
    };
    for config in [windows, array(3, ArrayLayout::Striped, MirrorServe::First)] {
        let setup = with(&setup, &config);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let requests: Vec<HostRequest> = (0..600)
            .map(|number| {
                let op = if number % 3 == 0 { HostOp::Read } else { HostOp::Write };
                request(0, op, number * 7919 % (pages - 2), 2)
            })
            .collect();
        let whole = simulate(&setup, &mut Listed(requests.clone()), &[], &mut Unobserved).unwrap();
        let mut saved = Vec::new();
        let mut drives = setup.prepare_array(&config, &[], &mut Unobserved).unwrap();
        let stop = Stop { after_requests: 300, ..Stop::default() };
        let first = Split { stop, save: Some(&mut saved), ..Split::default() };
        let mut source = Listed(requests.clone());
        replay_in_parts(&setup, &mut drives, &mut source, &mut Unobserved, first).unwrap();
        let mut drives = setup.empty_array(&config).unwrap();
        let mut input = saved.as_slice();
        let second = Split { resume: Some(&mut input), ..Split::default() };
        let mut source = Listed(requests);
        let ending = replay_in_parts(&setup, &mut drives, &mut source, &mut Unobserved, second).unwrap();
        let Ending::Finished(outcome) = ending else { panic!("it ends") };
        assert_eq!(format!("{:?}", outcome.report), format!("{:?}", whole.report));
    }
}

#[test]
fn the_pages_that_a_workload_touches_lie_on_the_drives_that_it_finds_them_on() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.start = start(Occupancy::Footprint, 0.0);
    let pages: Vec<Lpa> = [1, 2, 5, 6].map(Lpa).to_vec();
    // Chunks of one page: pages 1 and 5 are the second drive's, 2 and 6 the third's.
    for (layout, mapped) in
        [(ArrayLayout::Striped, vec![0, 2, 2, 0]), (ArrayLayout::Mirrored, vec![4, 4, 4, 4])]
    {
        let setup = with(&setup, &array(4, layout, MirrorServe::First));
        let reads = pages.iter().map(|page| read(0, u64::from(page.0))).collect();
        let report = simulate(&setup, &mut Listed(reads), &pages, &mut Unobserved).unwrap().report;
        let found: Vec<u64> = report.members.iter().map(|member| member.drive.mapped_units).collect();
        assert_eq!((found, report.drive.unmapped_reads), (mapped, 0), "{layout:?}");
    }
}

#[test]
fn a_span_is_every_page_up_to_the_last_that_is_touched_laid_out_as_a_share() {
    let mut setup = setup(device(2, 1, 1, 2));
    let pages = [2, 9].map(Lpa);
    let touched = |setup: &Setup| {
        let reads = (0..12).map(|page| read(0, page)).collect();
        simulate(setup, &mut Listed(reads), &pages, &mut Unobserved).unwrap().report
    };
    setup.start = start(Occupancy::Span, 0.0);
    let span = touched(&setup);
    assert_eq!((span.drive.mapped_units, span.drive.unmapped_reads), (10, 2));
    let logical = setup.logical_bytes().unwrap() / 4096;
    setup.start = start(Occupancy::Share(10.5 / logical as f64), 0.0);
    assert_eq!(format!("{span:?}"), format!("{:?}", touched(&setup)));
    setup.start = start(Occupancy::Footprint, 0.0);
    assert_eq!(touched(&setup).drive.mapped_units, 2);
    setup.start = start(Occupancy::Span, 0.0);
    let members = with(&setup, &array(4, ArrayLayout::Striped, MirrorServe::First));
    let held = touched(&members).members.iter().map(|member| member.drive.mapped_units).collect::<Vec<_>>();
    // Pages 2 and 9, chunks of one page: the third drive's first, the second drive's third.
    assert_eq!(held, [0, 3, 1, 0]);
}

/// Halves of one drive of two channels.
fn halves(layout: ArrayLayout) -> ArrayConfig {
    ArrayConfig { of: ArrayMember::Channels, ..array(2, layout, MirrorServe::First) }
}

/// The bytes of a page take 1 µs on the link in each direction.
fn linked(channels: u32) -> Setup {
    let mut device = device(channels, 1, 1, 1);
    device.link.bytes_per_s = Some(4_096_000_000);
    setup(device)
}

#[test]
fn halves_of_a_drive_have_channels_of_their_own_and_one_link() {
    const LINK: u64 = 1_000;
    let requests = || vec![request(0, HostOp::Read, 0, 2)];
    // Both halves read a page at the same time; the second one's waits for the link. Two drives have a link each.
    let one = replayed(&linked(2), &halves(ArrayLayout::Striped), requests());
    assert_eq!(one.read.latency_ns.max, TR + XFER + 2 * LINK);
    assert_eq!(one.read.blame.mean.total_ns["link"], u128::from(2 * LINK));
    let two = replayed(&linked(1), &array(2, ArrayLayout::Striped, MirrorServe::First), requests());
    assert_eq!(two.read.latency_ns.max, TR + XFER + LINK);
    assert_eq!((one.dies.len(), one.channels.len(), one.flash.reads), (2, 2, 2));
}

#[test]
fn halves_rest_and_serve_the_host_as_one_drive_and_drives_each_by_itself() {
    let mut setup = linked(2);
    setup.device.energy.program_nj = vec![30_000];
    setup.device.energy.rest_mw = 1_500;
    setup.device.energy.request_nj = 40;
    setup.device.energy.host_pj_per_byte = 100;
    let energy = |config: &ArrayConfig| {
        let report = replayed(&setup, config, vec![write(0, 3), write(0, 4)]);
        let energy = report.energy.unwrap();
        assert_eq!((energy.total_pj, energy.by_operation_pj["program"]), (4 * 30_000_000, 4 * 30_000_000));
        assert_eq!(energy.drive_pj, energy.total_pj + energy.beside_flash.sum());
        let of_members = report.members.iter().filter_map(|member| member.energy.as_ref());
        let of_members: u128 = of_members.map(|energy| energy.drive_pj).sum();
        let parts = config.of == ArrayMember::Channels;
        assert_eq!(of_members, if parts { energy.total_pj } else { energy.drive_pj }, "in no sum twice");
        (energy.beside_flash, u128::from(report.window.end_ns - report.window.start_ns))
    };
    let (one, window) = energy(&halves(ArrayLayout::Mirrored));
    assert_eq!((one.rest_pj, one.requests_pj, one.bytes_pj), (1_500 * window, 2 * 40_000, 2 * 4096 * 100));
    let (two, window) = energy(&array(2, ArrayLayout::Mirrored, MirrorServe::First));
    assert_eq!((two.rest_pj, two.requests_pj, two.bytes_pj), (3_000 * window, 4 * 40_000, 4 * 4096 * 100));
}

#[test]
fn the_window_of_every_drive_ends_with_that_of_the_array() {
    let mut setup = linked(1);
    setup.device.energy.rest_mw = 1_000;
    // Stripes of a page: all but the first request go to the first drive.
    let requests = [1, 0, 2, 4, 6].into_iter().enumerate();
    let spread = requests.map(|(number, page)| read(number as u64 * 1_000_000, page)).collect();
    let report = replayed(&setup, &array(2, ArrayLayout::Striped, MirrorServe::First), spread);
    let ends: Vec<u64> = report.members.iter().map(|member| member.window.end_ns).collect();
    assert_eq!(ends, [report.window.end_ns; 2]);
    let window = report.window.end_ns - report.window.start_ns;
    assert_eq!(report.energy.unwrap().beside_flash.rest_pj, 2 * 1_000 * u128::from(window));
    let outstanding = report.dies[1].mean_outstanding;
    assert!(outstanding < 0.1, "one read of five milliseconds: {outstanding}");
}

#[test]
fn what_both_halves_write_crosses_the_link_once() {
    const LINK: u64 = 1_000;
    let report = replayed(&linked(2), &halves(ArrayLayout::Mirrored), vec![write(0, 3), write(0, 4)]);
    assert_eq!(report.write.latency_ns.min, LINK + XFER + TPROG);
    // The second write comes a link time later, and waits for the first one's program on both halves.
    assert_eq!(report.write.latency_ns.max, LINK + 2 * XFER + 2 * TPROG);
    for member in &report.members {
        let links: u128 = member.write.blame.mean.total_ns["link"];
        assert_eq!((member.write.requests, links), (2, u128::from(3 * LINK)));
    }
}

#[test]
fn each_drive_has_the_commands_of_its_part() {
    const LINK: u64 = 1_000;
    let mut setup = linked(2);
    setup.device.link.max_transfer_bytes = Some(4096);
    // Both halves get both commands, the second a link time later; each has them on one channel.
    let both = replayed(&setup, &halves(ArrayLayout::Mirrored), vec![request(0, HostOp::Write, 3, 2)]);
    assert_eq!(both.write.latency_ns.max, LINK + 2 * (XFER + TPROG));
    assert!(both.members.iter().all(|member| member.write.requests == 1));
    // One drive has one page of the three, the other two.
    let striped = array(2, ArrayLayout::Striped, MirrorServe::First);
    let report = replayed(&setup, &striped, vec![request(0, HostOp::Read, 0, 3)]);
    assert_eq!(report.read.latency_ns.max, TR + XFER + 2 * LINK);
    assert_eq!((report.read.requests, report.flash.reads), (1, 3));
}

#[test]
fn halves_have_the_drives_flash_between_them() {
    let setup = linked(2);
    let whole = setup.logical_bytes().unwrap();
    for (layout, share) in [(ArrayLayout::Mirrored, 2), (ArrayLayout::Striped, 1)] {
        let half = with(&setup, &halves(layout)).logical_bytes().unwrap();
        assert!(half.abs_diff(whole / share) <= 2 * 4096, "{half} of {whole}");
    }
    let mut sized = setup.clone();
    sized.device.capacity = CapacityConfig { overprovisioning: None, user_bytes: Some(400 * 4096) };
    assert_eq!(with(&sized, &halves(ArrayLayout::Mirrored)).logical_bytes().unwrap(), 200 * 4096);
}

#[test]
fn halves_stay_consistent_under_collection_in_read_windows_and_through_a_snapshot() {
    let mut setup = linked(2);
    setup.host = closed(8);
    setup.start = start(Occupancy::All, 0.5);
    let config = ArrayConfig { read_window_ns: 3_000_000, ..halves(ArrayLayout::Mirrored) };
    let setup = with(&setup, &config);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(5);
    let requests: Vec<HostRequest> = (0..1_500).map(|_| any_request(&mut random, pages)).collect();
    let whole = simulate(&setup, &mut Listed(requests.clone()), &[], &mut Unobserved).unwrap().report;
    assert!(whole.members.iter().all(|member| member.gc.victims > 0));
    assert!(whole.checked.as_ref().is_some_and(|checked| checked.pages_audited == 2 * pages));
    let mut saved = Vec::new();
    let mut drives = setup.prepare_array(&config, &[], &mut Unobserved).unwrap();
    let stop = Stop { after_requests: 700, ..Stop::default() };
    let first = Split { stop, save: Some(&mut saved), ..Split::default() };
    replay_in_parts(&setup, &mut drives, &mut Listed(requests.clone()), &mut Unobserved, first).unwrap();
    let mut drives = setup.empty_array(&config).unwrap();
    let mut input = saved.as_slice();
    let second = Split { resume: Some(&mut input), ..Split::default() };
    let ending =
        replay_in_parts(&setup, &mut drives, &mut Listed(requests), &mut Unobserved, second).unwrap();
    let Ending::Finished(outcome) = ending else { panic!("it ends") };
    assert_eq!(format!("{:?}", outcome.report), format!("{whole:?}"));
}

#[test]
fn halves_that_there_are_not_are_refused_by_their_key() {
    let error = run(&linked(3), &halves(ArrayLayout::Mirrored), &mut Listed(vec![])).unwrap_err().to_string();
    assert!(error.starts_with("scheme.array.members = 2"), "{error}");
    assert!(error.contains("a divisor of the 3 channels"), "{error}");
    let mut setup = linked(2);
    setup.scheme.firmware.lookup_ns = 100;
    let error = run(&setup, &halves(ArrayLayout::Mirrored), &mut Listed(vec![])).unwrap_err().to_string();
    assert!(error.starts_with("scheme.array.of = channels"), "{error}");
    let mut setup = linked(2);
    setup.device.link.write_data = LinkData::Page;
    let error = run(&setup, &halves(ArrayLayout::Mirrored), &mut Listed(vec![])).unwrap_err().to_string();
    assert!(error.starts_with("device.link.write_data = \"page\": allowed: \"request\""), "{error}");
}

#[test]
fn each_half_has_the_bad_blocks_of_its_own_planes() {
    let mut setup = linked(2);
    setup.device.capacity = CapacityConfig { overprovisioning: Some(0.5), user_bytes: None };
    setup.device.bad_blocks =
        Some(BadBlocksConfig { factory: vec![[0, 3], [1, 5], [1, 6]], ..BadBlocksConfig::default() });
    let report = replayed(&setup, &halves(ArrayLayout::Striped), vec![read(0, 0)]);
    let bad = |member: &Report| member.bad_blocks.map(|counts| counts.factory);
    assert_eq!(report.members.iter().map(bad).collect::<Vec<_>>(), [Some(1), Some(2)]);
}

#[test]
fn each_drive_fetches_the_pages_of_its_part() {
    const LINK: u64 = 1_000;
    let mut setup = linked(2);
    setup.device.link.write_data = LinkData::Page;
    let both = array(2, ArrayLayout::Mirrored, MirrorServe::First);
    let report = replayed(&setup, &both, vec![request(0, HostOp::Write, 3, 2)]);
    // Two pages on two channels of each drive, the second a link time later.
    assert_eq!(report.write.latency_ns.max, 2 * LINK + XFER + TPROG);
    assert_eq!((report.write.requests, report.flash.programs), (1, 4));
}

#[test]
fn a_part_of_a_drive_has_its_part_of_the_dram() {
    let mut setup = linked(2);
    (setup.scheme.cache.policy, setup.scheme.cache.bytes) =
        (CacheKind::WriteBuffer, CacheBytes::Bytes(65_536));
    let of = |dram: u64| {
        let mut setup = setup.clone();
        setup.device.dram.bytes = Some(dram);
        run(&setup, &halves(ArrayLayout::Mirrored), &mut Listed(vec![]))
    };
    let error = of(100_000).unwrap_err().to_string();
    assert!(error.starts_with("device.dram.bytes = 50000"), "{error}");
    assert!(error.ends_with("in each of 2 parts of the drive (scheme.array.of = \"channels\")"), "{error}");
    let dram = of(200_000).unwrap().dram;
    assert_eq!((dram.total_bytes, dram.bytes_by_user["data_cache"]), (Some(200_000), 2 * 65_536));
    assert_eq!(dram.used_bytes, dram.bytes_by_user.values().sum::<u64>());
}
