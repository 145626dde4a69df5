//! The time series, the samples, energy and erase counts: exact against closed forms and against the totals.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::random::cases;
use crate::common::*;
use proptest::prelude::*;
use wordline_engine::config::MeasureConfig;
use wordline_engine::config::background::BackgroundConfig;
use wordline_engine::config::device::*;
use wordline_engine::config::energy::EnergyConfig;
use wordline_engine::config::measure::Until;
use wordline_engine::config::rated::RatedConfig;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{PlacementKind, SchedulerKind};
use wordline_engine::host::HostOp;
use wordline_engine::stats::measured::SampleReport;
use wordline_engine::stats::report::Report;
use wordline_engine::stats::table::{Column, Table};
use wordline_engine::{RunError, Setup};

const ONE: u64 = TR + XFER;

fn whole(table: &Table, name: &str) -> Vec<u64> {
    match table.column(name) {
        Some(Column::U64(values)) => values.clone(),
        Some(Column::U32(values)) => values.iter().map(|&value| u64::from(value)).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

fn real(table: &Table, name: &str) -> Vec<f64> {
    let Some(Column::F64(values)) = table.column(name) else { panic!("{name}") };
    values.clone()
}

fn with(measure: MeasureConfig, device: DeviceConfig) -> Setup {
    Setup { measure, ..setup(device) }
}

fn every(interval_ns: u64) -> MeasureConfig {
    MeasureConfig { interval_ns, ..MeasureConfig::default() }
}

fn sampled(sample_ns: u64) -> MeasureConfig {
    MeasureConfig { sample_ns, ..MeasureConfig::default() }
}

/// Reads and overwrites of a full drive, under collection.
fn busy(measure: MeasureConfig) -> (Setup, Report) {
    let mut setup = with(measure, device(2, 2, 1, 2));
    setup.device.suspend.program_ns = Some(10_000);
    setup.scheme.scheduler.policy = wordline_engine::config::scheme::SchedulerKind::ReadFirstSuspend;
    setup.start = start(Occupancy::All, 1.0);
    setup.host = closed(12);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(7);
    let mut source = made(3_000, |number| match random.below(8) {
        0 => request(number, HostOp::Trim, random.below(pages), 1),
        1..=3 => read(number, random.below(pages)),
        _ => write(number, random.below(pages)),
    });
    let report = run(&setup, &mut source).unwrap();
    (setup, report)
}

fn series_of(report: &Report) -> &Table {
    report.tables.series.as_ref().unwrap()
}

#[test]
fn each_interval_holds_the_requests_answered_in_it() {
    let setup = with(every(100_000), device(1, 1, 1, 1));
    let (report, _) = record(&setup, vec![read(0, 0), read(100_000, 1), read(200_000, 2), read(200_000, 3)]);
    let series = series_of(&report);
    assert_eq!(whole(series, "start_ns"), [0, 100_000, 200_000, 300_000]);
    assert_eq!(whole(series, "duration_ns"), [100_000, 100_000, 100_000, 2 * ONE - 100_000]);
    assert_eq!(whole(series, "read_requests"), [1, 1, 1, 1]);
    assert_eq!(whole(series, "read_bytes"), [4096; 4]);
    assert_eq!(whole(series, "read_latency_max_ns"), [ONE, ONE, ONE, 2 * ONE]);
    for column in ["read_latency_mean_ns", "read_latency_p50_ns", "read_latency_p99_ns"] {
        assert_eq!(real(series, column), [ONE, ONE, ONE, 2 * ONE].map(|ns| ns as f64), "{column}");
    }
    let outstanding = [ONE as f64 / 1e5, ONE as f64 / 1e5, (2e5 - (1e5 - ONE as f64)) / 1e5, 1.0];
    assert_eq!(real(series, "requests_outstanding_mean"), outstanding);
    assert_eq!(real(series, "commands_outstanding_mean"), outstanding);
    assert_eq!(whole(series, "host_read_operations"), [1, 1, 1, 1]);
    assert!(real(series, "waf").iter().all(|waf| waf.is_nan()), "no writes");
    assert!(real(series, "write_latency_p99_ns").iter().all(|p99| p99.is_nan()));
}

#[test]
fn what_happens_at_the_end_of_an_interval_belongs_to_it() {
    let (report, _) = record(&with(every(ONE), device(1, 1, 1, 1)), vec![read(0, 0)]);
    assert_eq!(whole(series_of(&report), "duration_ns"), [ONE]);
    assert_eq!(whole(series_of(&report), "read_requests"), [1]);
}

#[test]
fn what_begins_in_a_silent_stretch_is_seen_from_then_on_only() {
    let interval = 100_000;
    let measure = MeasureConfig { interval_ns: interval, sample_ns: interval, ..MeasureConfig::default() };
    let mut setup = with(measure, device(1, 1, 1, 1));
    setup.start = start(Occupancy::All, 2.0);
    setup.scheme.gc.background = Some(BackgroundConfig { stop: 0.25, preemptible: true });
    let burst = |at, count: u64| (0..count).map(move |number| write(at, number * 37 % 350));
    let (report, _) = record(&setup, burst(0, 50).chain(burst(1_000_000_000, 1)).collect());
    assert!(report.background_gc.is_some_and(|background| background.victims > 0));
    let series = series_of(&report);
    let means = real(series, "commands_outstanding_mean");
    let area: f64 = means.iter().zip(whole(series, "duration_ns")).map(|(mean, ns)| mean * ns as f64).sum();
    let outstanding = report.dies[0].mean_outstanding;
    let of_series = area / report.window.end_ns as f64;
    assert!((of_series - outstanding).abs() < 1e-9 * outstanding, "{of_series} {outstanding}");
    let samples = report.samples.as_ref().unwrap();
    let pages: u64 = samples.outstanding_by_die.iter().map(|(&pages, times)| u64::from(pages) * times).sum();
    let sampled = pages as f64 / samples.samples as f64;
    assert!((sampled - outstanding).abs() < 0.01 * outstanding, "{sampled} {outstanding}");
}

#[test]
fn an_idle_gap_has_empty_intervals() {
    let (report, _) = record(&with(every(ONE), device(1, 1, 1, 1)), vec![read(0, 0), read(5 * ONE, 0)]);
    assert_eq!(whole(series_of(&report), "read_requests"), [1, 0, 0, 0, 0, 1]);
    assert_eq!(real(series_of(&report), "requests_outstanding_mean"), [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn the_intervals_add_up_to_the_totals() {
    let (_, report) = busy(every(1_000_000));
    let series = series_of(&report);
    let sum = |name: &str| whole(series, name).iter().sum::<u64>();
    assert!(whole(series, "start_ns").len() > 20);
    assert_eq!(sum("duration_ns"), report.window.end_ns);
    assert_eq!((sum("read_requests"), sum("read_bytes")), (report.read.requests, report.read.bytes));
    assert_eq!((sum("write_requests"), sum("write_bytes")), (report.write.requests, report.write.bytes));
    assert_eq!(sum("other_requests"), report.trim.requests);
    for (class, figures) in &report.flash.by_class {
        assert_eq!(sum(&format!("{class}_operations")), figures.operations, "{class}");
    }
    assert!(report.gc.moved_units > 0);
    assert_eq!(sum("gc_moved_units"), report.gc.moved_units);
    assert_eq!(whole(series, "read_latency_max_ns").into_iter().max(), Some(report.read.latency_ns.max));
    let weighted = |name: &str, weight: &str| {
        real(series, name)
            .iter()
            .zip(whole(series, weight))
            .filter(|(_, weight)| *weight > 0)
            .map(|(value, weight)| value * weight as f64)
            .sum::<f64>()
    };
    let close =
        |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    close(
        weighted("read_latency_mean_ns", "read_requests"),
        report.read.latency_ns.mean * report.read.requests as f64,
    );
    let programs =
        whole(series, "host_program_operations").into_iter().zip(whole(series, "gc_program_operations"));
    let written = whole(series, "write_bytes");
    for ((waf, written), (host, gc)) in real(series, "waf").into_iter().zip(written).zip(programs) {
        assert!(written == 0 || waf == ((host + gc) * 4096) as f64 / written as f64);
        assert_eq!(written == 0, waf.is_nan());
    }
    let commands: f64 = report.dies.iter().map(|die| die.mean_outstanding).sum();
    close(weighted("commands_outstanding_mean", "duration_ns"), commands * report.window.end_ns as f64);
    let free = whole(series, "free_superblocks_min");
    assert!(free.iter().min() < free.iter().max() && free.iter().all(|&free| free > 0));
}

#[test]
fn the_series_covers_the_warm_up_as_well() {
    let mut setup = with(every(100_000), device(1, 1, 1, 1));
    setup.window.warmup_requests = 2;
    let requests = (0..4).map(|number| read(number * 150_000, number)).collect();
    let (report, _) = record(&setup, requests);
    assert_eq!(report.read.requests, 2);
    assert_eq!(whole(series_of(&report), "read_requests"), [1, 0, 1, 1, 0, 1]);
    assert_eq!(whole(series_of(&report), "host_read_operations"), [1, 0, 1, 1, 0, 1]);
    let commands: f64 = real(series_of(&report), "commands_outstanding_mean")
        .iter()
        .zip(whole(series_of(&report), "duration_ns"))
        .map(|(mean, duration)| mean * duration as f64)
        .sum();
    assert!((commands - 4.0 * ONE as f64).abs() < 1e-6, "{commands}");
}

#[test]
fn a_series_that_grows_too_long_is_merged_in_pairs() {
    let (_, fine) = busy(every(1_000_000));
    let (_, coarse) = busy(MeasureConfig { max_rows: 8, ..every(1_000_000) });
    let rows = fine.series.as_ref().unwrap().rows;
    let summary = coarse.series.as_ref().unwrap();
    assert!(rows > 16 && summary.rows <= 8 && summary.rows > 4, "{rows} {summary:?}");
    let factor = 1 << summary.merges;
    assert_eq!(summary.interval_ns, 1_000_000 * factor);
    for name in ["read_requests", "gc_program_operations", "gc_moved_units", "duration_ns"] {
        let (fine, coarse) = (whole(series_of(&fine), name), whole(series_of(&coarse), name));
        let merged: Vec<u64> = fine.chunks(factor as usize).map(|rows| rows.iter().sum()).collect();
        assert_eq!(coarse, merged, "{name}");
    }
    let lowest: Vec<u64> = whole(series_of(&fine), "free_superblocks_min")
        .chunks(factor as usize)
        .map(|rows| *rows.iter().min().unwrap())
        .collect();
    assert_eq!(whole(series_of(&coarse), "free_superblocks_min"), lowest);
    let p99 = real(series_of(&coarse), "write_latency_p99_ns");
    assert!(p99[0].is_nan(), "unknown where rows were merged");
    assert!(!p99[p99.len() - 1].is_nan(), "known in the last");
}

#[test]
fn recording_changes_nothing_else() {
    let (_, plain) = busy(MeasureConfig::default());
    let (_, mut recorded) =
        busy(MeasureConfig { sample_table: true, block_table: true, sample_ns: 10_000, ..every(50_000) });
    assert!(plain.series.is_none() && plain.samples.is_none() && plain.tables.blocks.is_none());
    (recorded.series, recorded.samples) = (None, None);
    assert_eq!(serde_json::to_string(&plain).unwrap(), serde_json::to_string(&recorded).unwrap());
}

fn samples(setup: &Setup, requests: Vec<wordline_engine::host::HostRequest>) -> SampleReport {
    record(setup, requests).0.samples.unwrap()
}

fn counts<const N: usize>(pairs: [(u32, u64); N]) -> std::collections::BTreeMap<u32, u64> {
    pairs.into_iter().collect()
}

#[test]
fn samples_see_what_waits_and_what_runs() {
    let setup = with(sampled(10_000), device(1, 1, 1, 1));
    let samples = samples(&setup, vec![read(0, 0), read(0, 1)]);
    // Instants 0 to 50 µs see both reads, 60 to 100 µs the second; at 50 µs the first one's data leaves.
    assert_eq!(samples.samples, 11);
    assert_eq!(samples.outstanding_by_die, counts([(1, 5), (2, 6)]));
    assert_eq!(samples.reads_by_die, samples.outstanding_by_die);
    assert_eq!(samples.outstanding, samples.outstanding_by_die);
    assert_eq!(samples.imbalance, counts([(0, 11)]));
    assert_eq!(samples.busy_dies, counts([(1, 11)]));
    assert_eq!(samples.busy_channels, counts([(0, 10), (1, 1)]));
}

#[test]
fn imbalance_is_the_most_minus_the_fewest_commands_of_a_die() {
    let setup = with(sampled(10_000), device(1, 2, 1, 1));
    let samples = samples(&setup, vec![read(0, 0), read(0, 2), write(0, 3)]);
    // Die 0 has two reads until 54,096 ns and one until 108,192; die 1 a program until 4,096 + 500,000.
    assert_eq!(samples.samples, 51);
    assert_eq!(samples.outstanding_by_die, counts([(0, 40), (1, 5 + 51), (2, 6)]));
    assert_eq!(samples.reads_by_die, counts([(0, 40 + 51), (1, 5), (2, 6)]));
    assert_eq!(samples.imbalance, counts([(0, 5), (1, 6 + 40)]));
    assert_eq!(samples.busy_dies, counts([(1, 40), (2, 11)]));
}

#[test]
fn a_channel_that_falls_free_between_events_is_seen_free() {
    // Data of the write moves until 4,096 ns; the next event is the end of the program.
    let samples = samples(&with(sampled(1_000), device(1, 1, 1, 1)), vec![write(0, 0)]);
    assert_eq!(samples.busy_channels, counts([(0, 500), (1, 5)]));
}

#[test]
fn samples_of_every_nanosecond_are_the_integrals() {
    let (_, report) = busy(sampled(1));
    let samples = report.samples.as_ref().unwrap();
    let window = report.window.end_ns - report.window.start_ns;
    assert_eq!(samples.samples, window);
    let integral = |counts: &std::collections::BTreeMap<u32, u64>| -> u64 {
        counts.iter().map(|(&value, &times)| u64::from(value) * times).sum()
    };
    let busy_ns = |busy: &std::collections::BTreeMap<String, u64>| busy.values().sum::<u64>();
    let commands: f64 = report.dies.iter().map(|die| die.mean_outstanding * window as f64).sum();
    assert_eq!(integral(&samples.outstanding), commands.round() as u64);
    assert_eq!(integral(&samples.outstanding_by_die), integral(&samples.outstanding));
    assert!(integral(&samples.reads_by_die) < integral(&samples.outstanding));
    let channels: u64 = report.channels.iter().map(|channel| busy_ns(&channel.busy_ns)).sum();
    assert_eq!(integral(&samples.busy_channels), channels);
    let dies: u64 = report.dies.iter().map(|die| busy_ns(&die.busy_ns)).sum();
    assert_eq!(integral(&samples.busy_dies), dies);
    let most = report.dies.iter().map(|die| die.max_outstanding).max();
    assert_eq!(samples.outstanding_by_die.keys().copied().max(), most);
}

#[test]
fn samples_begin_with_the_window() {
    let mut setup = with(sampled(1_000), device(1, 1, 1, 1));
    setup.window.warmup_requests = 1;
    let samples = samples(&setup, vec![read(0, 0), read(100_000, 1)]);
    assert_eq!(samples.samples, ONE.div_ceil(1_000));
}

#[test]
fn rows_of_samples_hold_each_die() {
    let setup = with(MeasureConfig { sample_table: true, ..sampled(10_000) }, device(1, 2, 1, 1));
    let (report, _) = record(&setup, vec![read(0, 0), read(0, 2), read(1, 1)]);
    let table = report.tables.samples.as_ref().unwrap();
    let Some(Column::U16List { width, values }) = table.column("outstanding") else { panic!() };
    let times = whole(table, "samples");
    assert_eq!((*width, values.len()), (2, 2 * times.len()));
    assert_eq!(times.iter().sum::<u64>(), report.samples.as_ref().unwrap().samples);
    assert_eq!(
        (&values[..2], &values[values.len() - 2..]),
        (&[2, 0][..], &[1, 0][..]),
        "at 0 and at the end"
    );
    assert!(times.iter().any(|&samples| samples > 1), "equal ones share a row");
}

fn energetic(device: DeviceConfig) -> DeviceConfig {
    let energy = EnergyConfig {
        read_nj: vec![2_000],
        program_nj: vec![30_000],
        erase_nj: 900_000,
        channel_pj_per_byte: 25,
        ..EnergyConfig::default()
    };
    DeviceConfig { energy, ..device }
}

#[test]
fn energy_is_the_sum_over_operations() {
    let setup = setup(energetic(device(1, 1, 1, 1)));
    let (report, _) = record(&setup, vec![read(0, 0), write(0, 1), read(0, 2)]);
    let energy = report.energy.unwrap();
    let bus = 4096 * 25;
    assert_eq!(energy.by_operation_pj["read"], 2 * 2_000_000);
    assert_eq!(energy.by_operation_pj["program"], 30_000_000);
    assert_eq!(energy.by_operation_pj["transfer"], 3 * bus);
    assert_eq!(energy.by_cause_pj["host"], energy.total_pj);
    assert_eq!(energy.total_pj, 4_000_000 + 30_000_000 + 3 * bus);
}

#[test]
fn energy_follows_the_page_type_and_the_bytes_that_move() {
    let mut drive = energetic(device(1, 1, 1, 1));
    drive.cell.technology = CellTechnology::Mlc;
    drive.energy.read_nj = vec![1_000, 3_000];
    drive.geometry.spare_bytes = 512;
    drive.channel.transfer_spare = true;
    let energy = record(&setup(drive), vec![read(0, 0), read(0, 1)]).0.energy.unwrap();
    assert_eq!(energy.by_operation_pj["read"], 4_000_000);
    assert_eq!(energy.by_operation_pj["transfer"], 2 * (4096 + 512) * 25);
}

#[test]
fn a_program_unit_takes_the_energy_of_all_its_pages_and_moves_those_that_are_filled() {
    let mut drive = energetic(device(1, 1, 1, 1));
    drive.geometry.pages_per_program = 2;
    let one = record(&setup(drive.clone()), vec![write(0, 0)]).0.energy.unwrap();
    assert_eq!((one.by_operation_pj["program"], one.by_operation_pj["transfer"]), (60_000_000, 4096 * 25));
    let two = record(&setup(drive), vec![request(0, HostOp::Write, 0, 2)]).0.energy.unwrap();
    assert_eq!(
        (two.by_operation_pj["program"], two.by_operation_pj["transfer"]),
        (60_000_000, 2 * 4096 * 25)
    );
}

#[test]
fn energy_by_cause_and_by_operation_both_add_up() {
    let mut setup = with(every(1_000_000), energetic(device(2, 2, 1, 2)));
    setup.start = start(Occupancy::All, 1.0);
    setup.host = closed(12);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(7);
    let report = run(&setup, &mut made(2_000, |_| write(0, random.below(pages)))).unwrap();
    let energy = report.energy.as_ref().unwrap();
    assert!(energy.by_cause_pj["gc"] > 0 && energy.by_operation_pj["erase"] > 0);
    assert_eq!(energy.by_cause_pj.values().sum::<u128>(), energy.total_pj);
    assert_eq!(energy.by_operation_pj.values().sum::<u128>(), energy.total_pj);
    let series: u64 = whole(series_of(&report), "energy_pj").iter().sum();
    assert_eq!(u128::from(series), energy.total_pj);
    let programmed = energy.by_operation_pj["program"] / 30_000_000;
    assert!(programmed >= u128::from(report.flash.programs), "those under way count too");
    assert!(programmed <= u128::from(report.flash.programs) + 8);
}

#[test]
fn a_drive_takes_energy_beside_its_flash_for_being_on_for_requests_and_for_their_bytes() {
    let mut drive = device(1, 1, 1, 1);
    drive.energy =
        EnergyConfig { rest_mw: 1_500, request_nj: 40, host_pj_per_byte: 100, ..EnergyConfig::default() };
    let (report, _) = record(&setup(drive), vec![read(0, 0), write(0, 1), request(0, HostOp::Trim, 2, 4)]);
    let (energy, window) = (report.energy.unwrap(), report.window.end_ns - report.window.start_ns);
    assert!(window >= 2 * ONE, "{window}");
    let beside = energy.beside_flash;
    assert_eq!(beside.rest_pj, 1_500 * u128::from(window));
    assert_eq!((beside.requests_pj, beside.bytes_pj), (3 * 40_000, 2 * 4096 * 100));
    assert_eq!((energy.total_pj, energy.drive_pj), (0, beside.sum()));
}

#[test]
fn energy_that_nobody_knows_is_not_reported() {
    assert_eq!(record(&setup(device(1, 1, 1, 1)), vec![read(0, 0)]).0.energy, None);
}

#[test]
fn erases_by_die_and_channel_add_up_to_those_of_the_blocks() {
    let (setup, report) = busy(MeasureConfig { block_table: true, ..MeasureConfig::default() });
    let total: u64 =
        report.erase_counts.distribution.iter().map(|(&erases, &blocks)| u64::from(erases) * blocks).sum();
    assert!(total > 0);
    assert_eq!(report.dies.iter().map(|die| die.erases.total).sum::<u64>(), total);
    assert_eq!(report.channels.iter().map(|channel| channel.erases.total).sum::<u64>(), total);
    assert_eq!(report.dies.iter().map(|die| die.erases.max).max(), Some(report.erase_counts.max));
    assert_eq!(report.dies.iter().map(|die| die.erases.min).min(), Some(report.erase_counts.min));
    let blocks = u64::from(setup.device.geometry.blocks);
    assert!(report.dies.iter().all(|die| die.erases.blocks == 2 * blocks), "two planes");
    assert!(report.channels.iter().all(|channel| channel.erases.blocks == 4 * blocks));
    let die = &report.dies[1].erases;
    assert_eq!(die.mean, die.total as f64 / die.blocks as f64);
    let table = report.tables.blocks.as_ref().unwrap();
    assert_eq!(whole(table, "erases").iter().sum::<u64>(), total);
    assert!(whole(table, "valid_units").iter().sum::<u64>() >= report.drive.mapped_units);
    let Some(Column::Text(states)) = table.column("state") else { panic!() };
    assert!(states.iter().any(|state| state == "full") && states.iter().any(|state| state == "free"));
}

#[test]
fn impossible_measurements_are_refused_by_name() {
    type Change = fn(&mut DeviceConfig);
    let refused = |measure: MeasureConfig| match run(&with(measure, device(1, 1, 1, 1)), &mut Listed(vec![]))
    {
        Err(RunError::Config(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let told = refused(MeasureConfig { max_rows: 1, ..every(10) });
    assert_eq!(told, "workload.measure.max_rows = 1: allowed: 2 to 10000000");
    let told = refused(MeasureConfig { sample_table: true, ..MeasureConfig::default() });
    assert!(told.starts_with("workload.measure.sample_table = true"), "{told}");
    let changes: [(&str, Change); 4] = [
        ("device.energy.read_nj", |drive| drive.energy.read_nj = vec![1, 2, 3]),
        ("device.energy.rest_mw", |drive| drive.energy.rest_mw = 1_000_001),
        ("device.rated.drive_writes_per_day", |drive| {
            drive.rated = Some(RatedConfig { drive_writes_per_day: 0.0, years: 5 });
        }),
        ("device.rated.years", |drive| {
            drive.rated = Some(RatedConfig { drive_writes_per_day: 1.0, years: 0 });
        }),
    ];
    for (path, change) in changes {
        let mut drive = energetic(device(1, 1, 1, 1));
        change(&mut drive);
        let Err(RunError::Config(error)) = run(&setup(drive), &mut Listed(vec![])) else { panic!() };
        assert_eq!(error.path, path);
    }
}

#[test]
fn long_idle_times_and_short_intervals_end() {
    let measure = MeasureConfig { interval_ns: 1, max_rows: 100, sample_ns: 1, ..MeasureConfig::default() };
    let (report, _) = record(&with(measure, device(1, 1, 1, 1)), vec![read(0, 0), read(1 << 60, 1)]);
    assert_eq!(whole(series_of(&report), "read_requests").iter().sum::<u64>(), 2);
    assert_eq!(report.samples.unwrap().samples, (1 << 60) + ONE);
}

fn lengths() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 1u64..100, 1_000u64..10_000_000, Just(1_000_000_000_000_000)]
}

proptest! {
    #![proptest_config(cases())]
    #[test]
    fn any_measurement_counts_everything_once_and_changes_nothing(
        (interval_ns, sample_ns, max_rows) in (lengths(), lengths(), 2u32..60),
        (sample_table, block_table, chips, collisions) in any::<(bool, bool, bool, bool)>(),
        (seed, start_at, warmup_requests) in (any::<u64>(), prop_oneof![Just(0), Just(1u64 << 59)], 0u64..5),
    ) {
        let measure =
            MeasureConfig { interval_ns, sample_ns, max_rows, sample_table: sample_table && sample_ns > 0, block_table, chips, collisions, ..MeasureConfig::default() };
        let mut setup = with(measure, energetic(device(2, 1, 1, 2)));
        setup.device.link.bytes_per_s = Some(3_000_000_000);
        setup.start = start(Occupancy::All, 0.5);
        setup.window.warmup_requests = warmup_requests;
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut random = Random(seed);
        let requests: Vec<_> = (0..60)
            .map(|number| {
                let op = [HostOp::Write, HostOp::Read, HostOp::Trim, HostOp::Flush][random.below(4) as usize];
                request(start_at + number * random.below(300_000), op, random.below(pages - 4), 1 + random.below(4))
            })
            .collect();
        let plain = run(&Setup { measure: MeasureConfig::default(), ..setup.clone() }, &mut Listed(requests.clone()));
        let mut report = run(&setup, &mut Listed(requests)).unwrap();
        if let Some(series) = &report.tables.series {
            let sum = |name: &str| whole(series, name).iter().sum::<u64>();
            prop_assert_eq!(sum("read_requests") + sum("write_requests") + sum("other_requests"), 60);
            prop_assert_eq!(sum("duration_ns"), report.window.end_ns);
            prop_assert!(whole(series, "start_ns").len() <= max_rows as usize);
        }
        if let Some(samples) = &report.samples {
            let window = report.window.end_ns - report.window.start_ns;
            prop_assert_eq!(samples.samples, window.div_ceil(sample_ns));
            for counts in [&samples.outstanding, &samples.imbalance, &samples.busy_dies, &samples.busy_channels] {
                prop_assert_eq!(counts.values().sum::<u64>(), samples.samples);
            }
        }
        prop_assert_eq!(report.chips.is_empty(), !chips);
        prop_assert_eq!(report.collisions.is_some(), collisions);
        (report.series, report.samples, report.chips, report.collisions) = (None, None, Vec::new(), None);
        prop_assert_eq!(serde_json::to_string(&plain.unwrap()).unwrap(), serde_json::to_string(&report).unwrap());
    }
}

#[test]
fn collisions_of_long_queues_are_the_same_when_a_run_is_split() {
    let mut setup = setup(device(2, 1, 1, 2));
    setup.start = start(Occupancy::All, 0.0);
    setup.measure.collisions = true;
    setup.measure.sample_ns = 10_000;
    let mut random = Random(1);
    // All on one of the two dies.
    let requests: Vec<_> = (0..300).map(|number| read(number * 9_000, 2 * random.below(512))).collect();
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    let dropped =
        whole.split("\"dropped\":").skip(1).filter_map(|rest| rest.split([',', '}']).next()?.parse().ok());
    assert!(dropped.max() > Some(0u64), "queues are longer than what is told apart");
    for stop in (100..300).step_by(10) {
        assert!(in_parts(&setup, &requests, &[after(stop)]).unwrap() == whole, "{stop}");
    }
}

/// A queue is as long on average as its commands wait together (Little's law), reads that were sent on to another place included.
#[test]
fn what_waits_at_chips_makes_up_the_lengths_of_their_queues() {
    let mut setup = setup(device(2, 2, 1, 1));
    setup.device.capacity.overprovisioning = Some(0.3);
    setup.scheme.placement.policy = PlacementKind::Dynamic;
    setup.scheme.scheduler.policy = SchedulerKind::Fifo;
    setup.start = start(Occupancy::All, 1.0);
    setup.host = closed(32);
    setup.measure.chips = true;
    setup.measure.until = Until::Idle;
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(3);
    let mut load = made(6_000, move |_| {
        let op = if random.below(2) == 0 { HostOp::Read } else { HostOp::Write };
        request(0, op, random.below(pages / 8), 1)
    });
    let report = run(&setup, &mut load).unwrap();
    assert!(report.drive.rerouted_reads > 10, "{}", report.drive.rerouted_reads);
    for chip in &report.chips {
        for (class, queue) in &chip.queues {
            let (lengths, waits) =
                (queue.mean_length * report.window.end_ns as f64, queue.mean_wait_ns * queue.left as f64);
            assert!((lengths - waits).abs() <= 1e-6 * lengths + 1.0, "{class} {lengths} {waits}");
        }
    }
}
