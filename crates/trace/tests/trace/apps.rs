//! Applications: what their models ask of a drive.

use wordline_base::request::HostOp;
use wordline_trace::apps::filebench::{FilebenchConfig, Personality};
use wordline_trace::apps::ycsb::{YcsbConfig, YcsbWorkload};
use wordline_trace::config::{FilebenchSourceConfig, YcsbSourceConfig};
use wordline_trace::{SourceConfig, TraceInfo};

use crate::support::{drain, opened};

const DRIVE: u64 = 1 << 33;

fn ycsb(change: impl FnOnce(&mut YcsbConfig), workload: YcsbWorkload) -> SourceConfig {
    let mut ycsb = YcsbConfig {
        records: 100_000,
        memtable_bytes: 2 << 20,
        level1_bytes: 8 << 20,
        file_bytes: 2 << 20,
        block_cache_bytes: 2 << 20,
        ..YcsbConfig::of(workload)
    };
    change(&mut ycsb);
    SourceConfig::Ycsb(Box::new(YcsbSourceConfig { requests: Some(20_000), ycsb }))
}

fn filebench(personality: Personality, change: impl FnOnce(&mut FilebenchConfig)) -> SourceConfig {
    let mut filebench = FilebenchConfig {
        files: 4_000,
        page_cache_bytes: 8 << 20,
        journal_bytes: 8 << 20,
        ..FilebenchConfig::of(personality)
    };
    change(&mut filebench);
    SourceConfig::Filebench(Box::new(FilebenchSourceConfig { requests: Some(20_000), filebench }))
}

fn info(config: &SourceConfig) -> TraceInfo {
    TraceInfo::collect(&mut opened(config, DRIVE).unwrap()).unwrap()
}

#[test]
fn a_point_read_is_a_block_of_two_pages_mostly() {
    let found = info(&ycsb(|_| {}, YcsbWorkload::C));
    assert_eq!((found.requests, found.writes.requests), (20_000, 0));
    // Four records of 1,150 bytes at any place of a file: 1 + 4,599 / 4,096 pages on average, less at the ends of extents.
    let pages = found.reads.size_bytes.mean / 4096.0;
    assert!((1.95..2.2).contains(&pages), "{pages}");
}

#[test]
fn inserts_that_find_the_database_full_are_told() {
    let told = |operations| {
        let mut config = ycsb(|config| config.records = 1_000, YcsbWorkload::D);
        if let SourceConfig::Ycsb(run) = &mut config {
            (run.requests, run.ycsb.operations) = (None, Some(operations));
        }
        info(&config).notes
    };
    // One of twenty operations inserts, and 250 find room.
    assert!(told(4_000).is_empty());
    let notes = told(20_000);
    let count: u64 = notes[0].strip_prefix("YCSB: ").unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((680..820).contains(&count), "{notes:?}");
}

#[test]
fn filters_and_a_larger_cache_save_reads() {
    let operations = |change: fn(&mut YcsbConfig)| {
        let mut config = ycsb(change, YcsbWorkload::C);
        if let SourceConfig::Ycsb(run) = &mut config {
            (run.requests, run.ycsb.operations) = (None, Some(10_000));
        }
        info(&config).reads.requests as f64 / 10_000.0
    };
    let plain = operations(|config| config.block_cache_bytes = 0);
    let filtered = operations(|config| (config.block_cache_bytes, config.bloom_bits) = (0, 10));
    let cached = operations(|config| config.block_cache_bytes = 64 << 20);
    // Without a filter every level above is asked in vain; with one the record's own level remains.
    assert!(plain > 1.3 && (1.0..1.05).contains(&filtered) && cached < 0.7, "{plain} {filtered} {cached}");
}

#[test]
fn updates_are_merged_down_and_space_is_used_again() {
    for workload in [YcsbWorkload::A, YcsbWorkload::F, YcsbWorkload::D] {
        let mut config = ycsb(|config| config.operations = Some(60_000), workload);
        if let SourceConfig::Ycsb(run) = &mut config {
            run.requests = None;
        }
        let found = info(&config);
        // At least every update is written to the log, to level 0 and below.
        let share = if workload == YcsbWorkload::D { 0.05 } else { 0.5 };
        let written = found.writes.bytes as f64 / (60_000.0 * share * 1_150.0);
        assert!((1.0..30.0).contains(&written), "{workload:?} {written}");
        assert!(found.trims.requests > 0, "{workload:?}");
        assert!(found.end_bytes < 100_000 * 1_150 * 6, "{}", found.end_bytes);
    }
}

#[test]
fn a_log_that_is_synced_writes_and_flushes_after_each_update() {
    let requests = drain(
        &mut *opened(&ycsb(|config| config.wal_sync_bytes = 0, YcsbWorkload::A), DRIVE).unwrap().source,
    )
    .unwrap();
    let flushes = requests.iter().filter(|request| request.op == HostOp::Flush).count();
    let writes = requests.iter().filter(|request| request.op == HostOp::Write).count();
    assert!(flushes > 4_000 && writes >= flushes, "{flushes} {writes}");
}

#[test]
fn scans_read_on() {
    let found = info(&ycsb(|_| {}, YcsbWorkload::E));
    assert!(found.reads.size_bytes.mean > 9_000.0 && found.reads.size_bytes.max > 16_384);
}

#[test]
fn each_personality_has_its_mix() {
    let share = |personality| info(&filebench(personality, |_| {})).read_share;
    let [file, web, proxy, mail] =
        [Personality::Fileserver, Personality::Webserver, Personality::Webproxy, Personality::Varmail]
            .map(share);
    assert!(web > 0.95 && (0.6..0.95).contains(&proxy), "{web} {proxy}");
    assert!((0.3..0.7).contains(&file) && (0.1..0.4).contains(&mail), "{file} {mail}");
}

#[test]
fn mail_is_flushed_and_deleted_files_are_trimmed() {
    let found = info(&filebench(Personality::Varmail, |_| {}));
    assert!(found.flushes * 4 > found.writes.requests && found.trims.requests > 1000, "{found:?}");
    let kept = info(&filebench(Personality::Varmail, |config| config.discard = false));
    assert_eq!(kept.trims.requests, 0);
}

#[test]
fn a_page_cache_that_holds_all_leaves_nothing_to_read() {
    let mut config = filebench(Personality::Webserver, |config| {
        (config.files, config.page_cache_bytes, config.loops) = (500, 1 << 30, Some(3_000));
    });
    if let SourceConfig::Filebench(run) = &mut config {
        run.requests = None;
    }
    let found = info(&config);
    // 400 files of 16 KiB, each read once from the drive.
    assert!(found.reads.bytes < 500 * 3 * 16_384, "{}", found.reads.bytes);
}

#[test]
fn a_drive_that_is_too_small_is_named() {
    for config in [ycsb(|_| {}, YcsbWorkload::A), filebench(Personality::Webproxy, |_| {})] {
        let error = opened(&config, 1 << 24).err().unwrap();
        assert!(error.contains("drive: 16777216 bytes"), "{error}");
    }
}
