//! The traces of the field, where they are at hand: counts as their manifest has them, and originals against their
//! normalised forms.

use std::path::PathBuf;

use wordline_base::request::{HostOp, HostRequest};
use wordline_trace::config::{BlockEvent, ColumnRef, ColumnsConfig, TimeUnit, TraceFormat};
use wordline_trace::{SourceConfig, TraceConfig, TraceInfo};

use crate::support::{opened, read};

/// The folder of traces, which lies beside the repository. Without it the test is passed over, but not under CI.
pub fn traces() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/traces");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "under CI the traces must be there");
    println!("SKIPPED: no shared traces beside the repository");
    None
}

fn all(config: TraceConfig) -> Vec<HostRequest> {
    read(config, u64::MAX).unwrap().0
}

/// Original, its normalised form, and how the original is read: as its author describes it where it isn't a form of
/// its own.
fn pairs() -> Vec<(&'static str, &'static str, TraceConfig)> {
    let plain = || TraceConfig::of_file("");
    let sorted = || TraceConfig { sort_window: 4096, ..plain() };
    let pages = || TraceConfig { length_unit_bytes: Some(4096), ..plain() };
    let columns = |time, op, offset, length| ColumnsConfig {
        time: Some(ColumnRef::Number(time)),
        op: Some(ColumnRef::Number(op)),
        offset: Some(ColumnRef::Number(offset)),
        length: Some(ColumnRef::Number(length)),
        ..ColumnsConfig::default()
    };
    let table = |columns, time_unit| TraceConfig {
        format: TraceFormat::Columns,
        columns,
        time_unit: Some(time_unit),
        ..plain()
    };
    // The times that the trace had, not those at which it was replayed.
    let replayed = || TraceConfig { event: Some(BlockEvent::Queue), ..plain() };
    let events = || {
        let events = ColumnsConfig { event: Some(ColumnRef::Number(2)), ..columns(6, 3, 4, 5) };
        table(events, TimeUnit::Seconds)
    };
    let fiu = || TraceConfig {
        offset_unit_bytes: Some(512),
        length_unit_bytes: Some(512),
        ..table(columns(1, 5, 3, 4), TimeUnit::Nanoseconds)
    };
    let queued = || TraceConfig { event: Some(BlockEvent::Queue), ..plain() };
    vec![
        ("msr_cambridge/rsrch_1.csv.gz", "msr_rsrch_1", plain()),
        ("msr_cambridge/wdev_1.csv", "msr_wdev_1", plain()),
        ("msr_cambridge/wdev_3.csv", "msr_wdev_3", plain()),
        ("msr_cambridge/hm_0.part-7016-rw.csv.gz", "msr_hm_0_rw7016", plain()),
        ("msr_cambridge/hm_0.part-1000-writes.csv", "msr_hm_0_w1000", plain()),
        ("msr_cambridge/hm_0.part-816-writes.csv", "msr_hm_0_w816", plain()),
        ("msr_cambridge/hm_1.part-13069-writes.csv.gz", "msr_hm_1_w13069", plain()),
        ("msr_cambridge/mds_0.part-1000-writes.csv", "msr_mds_0_w1000", plain()),
        ("msr_cambridge/proj_0.part-1000-writes.csv", "msr_proj_0_w1000", plain()),
        ("msr_cambridge/rsrch_2.part-1000-writes.csv", "msr_rsrch_2_w1000", plain()),
        ("msr_cambridge/heimdall.msr.cut.per_10k.rw_20_80.105.trace.gz", "msr_hm_0_cut105", plain()),
        (
            "msr_cambridge/heimdall.msr.cut.per_10k.most_thpt_rand_iops.1006.trace.gz",
            "msr_burst_cut1006",
            plain(),
        ),
        ("ms_tpcc/mqsim-tpcc-small.trace", "ms_tpcc_small", plain()),
        ("llm_ssd/opt7b_512tok_cache_drop.mqsim.txt.gz", "llm_opt7b_offload", plain()),
        ("spc_umass/Financial1.first9999.ssdsim-example.ascii.gz", "spc_fin1_9999", plain()),
        ("spc_umass/Financial1.first50000.flashsim-fin1.trace.gz", "spc_fin1_50000", pages()),
        ("flashsim_desktop/desktop.trace.gz", "flashsim_desktop", pages()),
        ("fiu_homes/home-sample.ascii.gz", "fiu_homes_sample", fiu()),
        ("disksim_hp/ssd-postmark-aligned2.trace.gz", "disksim_ssd_postmark", plain()),
        ("disksim_hp/ssd-iozone-aligned2-100K.trace.gz", "disksim_ssd_iozone", plain()),
        ("disksim_hp/hplajw.1week.srt.gz", "hp_hplajw_week", sorted()),
        ("cloudphysics/cloudPhysicsIO.vscsi.gz", "cloudphysics_vscsi", sorted()),
        ("diskmon_desktop/mayun.txt.gz", "diskmon_mayun", plain()),
        ("diskmon_desktop/mayun2.txt.gz", "diskmon_mayun2", plain()),
        ("diskmon_desktop/mayun4.txt.gz", "diskmon_mayun4", plain()),
        ("diskmon_desktop/systemdisk1.gz", "diskmon_systemdisk1", plain()),
        ("nexus5_biotracer/Booting_log176.txt.gz", "nexus5_booting", sorted()),
        ("nexus5_biotracer/Installing_log181.txt.gz", "nexus5_installing", sorted()),
        ("nexus5_biotracer/calout_log147.txt", "nexus5_callout", sorted()),
        ("hadoop_apress/blktrace.txt.gz", "apress_hadoop_blk", queued()),
        ("wiscsee_sqlite/sqlitewal-update.blkparse-events.txt.gz", "wiscsee_sqlite_update", events()),
        ("wiscsee_sqlite/sqlitewal-inserts.blkparse-events.txt.gz", "wiscsee_sqlite_insert", events()),
        (
            "tencent_cbs/tencent.cut.per_50k.most_size_thpt.222.replayed.csv.gz",
            "tencent_most_size_thpt_222",
            replayed(),
        ),
        ("tencent_cbs/tencent.cut.per_50k.rw_60_40.490.replayed.csv.gz", "tencent_rw_60_40_490", replayed()),
        ("tencent_cbs/tencent.cut.per_50k.rw_65_35.211.replayed.csv.gz", "tencent_rw_65_35_211", replayed()),
        ("tencent_cbs/tencent.cut.per_50k.rw_75_25.379.replayed.csv.gz", "tencent_rw_75_25_379", replayed()),
        (
            "tencent_cbs/tencent.cut.per_50k.most_rand_iops.537.replayed.csv.gz",
            "tencent_most_rand_iops_537",
            replayed(),
        ),
        ("msr_cambridge/web3-trace.rounded.txt.gz", "msr_web_3", table(columns(1, 2, 3, 4), TimeUnit::Ticks)),
    ]
}

/// What both forms keep: the normalised one widens partial sectors outwards.
fn in_sectors(requests: &[HostRequest]) -> Vec<(HostOp, u64, u64, u16)> {
    let sectors = |request: &HostRequest| {
        let (first, end) = (request.offset / 512, (request.offset + request.length).div_ceil(512));
        (request.op, first, end, 0)
    };
    requests.iter().map(sectors).collect()
}

/// Normalised traces in which single addresses are repaired: the manifest says so.
const REPAIRED: [&str; 1] = ["msr_web_3"];

/// Normalised traces with other times: whole seconds were spread evenly (Tencent), or the log has two clocks.
const RETIMED: [&str; 6] = [
    "tencent_most_size_thpt_222",
    "tencent_rw_60_40_490",
    "tencent_rw_65_35_211",
    "tencent_rw_75_25_379",
    "tencent_most_rand_iops_537",
    "nexus5_booting",
];

#[test]
fn originals_and_normalised_traces_agree() {
    let Some(folder) = traces() else { return };
    for (original, name, config) in pairs() {
        let mut original = all(TraceConfig { path: folder.join(original), ..config });
        let norm = all(TraceConfig::of_file(folder.join(format!("norm/{name}.trace.gz"))));
        // The normalised form has reads and writes only.
        original.retain(|request| request.op == HostOp::Read || request.op.is_write());
        assert_eq!(original.len(), norm.len(), "{name}");
        let (mut a, mut b) = (in_sectors(&original), in_sectors(&norm));
        // The normalised form is sorted by time, so requests may change places.
        a.sort_unstable_by_key(|row| (row.0 == HostOp::Read, row.1, row.2));
        b.sort_unstable_by_key(|row| (row.0 == HostOp::Read, row.1, row.2));
        assert!(a == b || REPAIRED.contains(&name), "{name}");
        let span = |requests: &[HostRequest]| requests.last().map_or(0, |request| request.time.0);
        // Times in other units end in other digits.
        let apart = span(&original).abs_diff(span(&norm));
        assert!(apart <= 1000 || RETIMED.contains(&name), "{name}: {apart} ns");
    }
}

/// A row of the manifest's table.
struct Listed {
    name: String,
    requests: u64,
    read_percent: f64,
    /// Of all requests, and of the writes.
    mean_kib: (f64, f64),
    /// Touched, and written.
    footprint_mib: (f64, f64),
}

/// `12.2 (12.1)`
fn pair(cell: &str) -> Option<(f64, f64)> {
    let (first, second) = cell.split_once(" (")?;
    Some((first.parse().ok()?, second.strip_suffix(')')?.parse().ok()?))
}

fn manifest(folder: &std::path::Path) -> Vec<Listed> {
    let text = std::fs::read_to_string(folder.join("MANIFEST.md")).unwrap();
    text.lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            Some(Listed {
                name: cells.get(1)?.to_string(),
                requests: cells.get(4)?.parse().ok()?,
                read_percent: cells.get(6)?.parse().ok()?,
                mean_kib: pair(cells.get(7)?)?,
                footprint_mib: pair(cells.get(8)?)?,
            })
        })
        .collect()
}

fn info_of(config: TraceConfig) -> TraceInfo {
    TraceInfo::collect(&mut opened(&SourceConfig::Trace(config), u64::MAX).unwrap()).unwrap()
}

/// Checks requests, read share, mean sizes and footprint; `slack_kib` for sizes that the other form rounds.
fn agrees(info: &TraceInfo, listed: &Listed, slack_kib: f64) {
    let name = &listed.name;
    let near = |found: f64, wanted: f64, slack: f64, what: &str| {
        assert!((found - wanted).abs() < 0.051 + slack, "{name}: {what} {found}, not {wanted}");
    };
    assert_eq!(info.reads.requests + info.writes.requests, listed.requests, "{name}");
    near(info.read_share * 100.0, listed.read_percent, 0.0, "% reads");
    let bytes = (info.reads.bytes + info.writes.bytes) as f64;
    near(bytes / listed.requests as f64 / 1024.0, listed.mean_kib.0, slack_kib, "KiB");
    near(info.writes.size_bytes.mean / 1024.0, listed.mean_kib.1, slack_kib, "KiB of writes");
    let mib = |pages: u64| pages as f64 * 4096.0 / f64::from(1 << 20);
    near(mib(info.footprint.touched), listed.footprint_mib.0, 0.0, "MiB touched");
    near(mib(info.footprint.written), listed.footprint_mib.1, 0.0, "MiB written");
}

#[test]
fn normalised_traces_have_the_figures_of_their_manifest() {
    let Some(folder) = traces() else { return };
    let rows = manifest(&folder);
    assert!(rows.len() > 40, "{}", rows.len());
    for listed in rows {
        let path = folder.join(format!("norm/{}.trace.gz", listed.name));
        let config = TraceConfig { format: TraceFormat::Mqsim, ..TraceConfig::of_file(path) };
        agrees(&info_of(config), &listed, 0.0);
    }
}

#[test]
fn originals_have_the_figures_of_the_manifest() {
    let Some(folder) = traces() else { return };
    let rows = manifest(&folder);
    for (original, name, config) in pairs() {
        let listed = rows.iter().find(|listed| listed.name == name).unwrap();
        if REPAIRED.contains(&name) {
            continue;
        }
        let info = info_of(TraceConfig { path: folder.join(original), ..config });
        // The manifest's sizes are those of whole sectors.
        agrees(&info, listed, if info.alignment.sectors_512 < 1.0 { 0.5 } else { 0.0 });
    }
}

#[test]
fn traces_with_another_unit_or_form_are_read_with_the_right_keys() {
    let Some(folder) = traces() else { return };
    let web = TraceConfig {
        time_unit: Some(TimeUnit::Seconds),
        ..TraceConfig::of_file(folder.join("msr_cambridge/web.first1000-each.pre-processed.csv"))
    };
    let (requests, notes) = read(web, u64::MAX).unwrap();
    assert!(requests.len() >= 3000, "{} {notes:?}", requests.len());
}

#[test]
fn what_the_numbers_of_traces_leave_open_is_told() {
    let Some(folder) = traces() else { return };
    for (name, parts) in [
        (
            "flashsim_desktop/desktop.trace.gz",
            &["taken for DiskSim ASCII", "`length_unit_bytes = 4096` takes them so"][..],
        ),
        ("spc_umass/Financial1.first50000.flashsim-fin1.trace.gz", &["FlashSim's lines look alike"]),
        ("msr_cambridge/web.first1000-each.pre-processed.csv", &["none of Windows file times"]),
        ("hadoop_apress/blktrace.txt.gz", &["`event = \"queue\"` reads those"]),
    ] {
        let (_, notes) = read(TraceConfig::of_file(folder.join(name)), u64::MAX).unwrap();
        for part in parts {
            assert!(notes.iter().any(|note| note.contains(part)), "{name}: {part}: {notes:?}");
        }
    }
}

#[test]
fn numbers_of_traces_in_their_own_units_are_in_no_doubt() {
    let Some(folder) = traces() else { return };
    for listed in manifest(&folder) {
        let path = folder.join(format!("norm/{}.trace.gz", listed.name));
        let config = TraceConfig { format: TraceFormat::Mqsim, ..TraceConfig::of_file(path) };
        let notes = opened(&SourceConfig::Trace(config), u64::MAX).unwrap().notes.lines();
        assert!(notes.is_empty(), "{}: {notes:?}", listed.name);
    }
}

#[test]
fn recordings_of_applications_have_the_counts_of_their_manifest() {
    let Some(folder) = traces() else { return };
    for (name, requests, reads, trims, flushes) in
        [("gitbuild", 476_315, 433_188, 22_996, 124), ("sqlite-prep", 17_029, 8_344, 59, 2_399)]
    {
        let config = TraceConfig::of_file(folder.join(format!("apps/{name}.csv.zst")));
        let info = TraceInfo::collect(&mut opened(&SourceConfig::Trace(config), u64::MAX).unwrap()).unwrap();
        assert_eq!((info.requests, info.reads.requests), (requests, reads), "{name}");
        assert_eq!((info.trims.requests, info.flushes), (trims, flushes), "{name}");
        assert!(info.notes.is_empty(), "{name}: {:?}", info.notes);
    }
}
