//! The traces of the field, where they are at hand: counts as their manifest has them, and originals against their
//! normalised forms.

use std::path::PathBuf;

use wordline_engine::host::request::{HostOp, HostRequest};
use wordline_trace::config::{OutOfRange, TimeUnit, TraceFormat};
use wordline_trace::{SourceConfig, TraceConfig, TraceInfo};

use crate::support::{opened, read};

/// The folder of traces, which lies beside the repository. Without it the test is passed over, but not under CI.
fn traces() -> Option<PathBuf> {
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

/// Original, its normalised form, and how the original is read.
fn pairs() -> Vec<(&'static str, &'static str, TraceConfig)> {
    let plain = || TraceConfig::of_file("");
    let heimdall = || TraceConfig { sector_bytes: 1, ..plain() };
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
        ("msr_cambridge/heimdall.msr.cut.per_10k.rw_20_80.105.trace.gz", "msr_hm_0_cut105", heimdall()),
        (
            "msr_cambridge/heimdall.msr.cut.per_10k.most_thpt_rand_iops.1006.trace.gz",
            "msr_burst_cut1006",
            heimdall(),
        ),
        ("ms_tpcc/mqsim-tpcc-small.trace", "ms_tpcc_small", plain()),
        ("spc_umass/Financial1.first9999.ssdsim-example.ascii.gz", "spc_fin1_9999", plain()),
        ("disksim_hp/ssd-postmark-aligned2.trace.gz", "disksim_ssd_postmark", plain()),
        ("disksim_hp/ssd-iozone-aligned2-100K.trace.gz", "disksim_ssd_iozone", plain()),
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

#[test]
fn originals_and_normalised_traces_agree() {
    let Some(folder) = traces() else { return };
    for (original, name, config) in pairs() {
        let original = all(TraceConfig { path: folder.join(original), ..config });
        let norm = all(TraceConfig::of_file(folder.join(format!("norm/{name}.trace.gz"))));
        assert_eq!(original.len(), norm.len(), "{name}");
        let (mut a, mut b) = (in_sectors(&original), in_sectors(&norm));
        // The normalised form is sorted by time, so requests may change places.
        a.sort_unstable_by_key(|row| (row.0 == HostOp::Read, row.1, row.2));
        b.sort_unstable_by_key(|row| (row.0 == HostOp::Read, row.1, row.2));
        assert!(a == b, "{name}");
        let span = |requests: &[HostRequest]| requests.last().map_or(0, |request| request.time.0);
        assert_eq!(span(&original), span(&norm), "{name}");
    }
}

/// Rows of the manifest's table whose first cell names a trace: name, lines, read share in percent, footprint MiB.
fn manifest(folder: &std::path::Path) -> Vec<(String, u64, f64, f64)> {
    let text = std::fs::read_to_string(folder.join("MANIFEST.md")).unwrap();
    text.lines()
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let lines = cells.get(4)?.parse().ok()?;
            let footprint = cells.get(8)?.split(' ').next()?.parse().ok()?;
            Some((cells.get(1)?.to_string(), lines, cells.get(6)?.parse().ok()?, footprint))
        })
        .collect()
}

#[test]
fn normalised_traces_have_the_counts_of_their_manifest() {
    let Some(folder) = traces() else { return };
    let rows = manifest(&folder);
    assert!(rows.len() > 40, "{}", rows.len());
    for (name, lines, read_percent, footprint) in rows {
        let config = TraceConfig {
            format: TraceFormat::Mqsim,
            // Devices keep their own addresses, as the manifest counts them.
            out_of_range: OutOfRange::Compact,
            ..TraceConfig::of_file(folder.join(format!("norm/{name}.trace.gz")))
        };
        let info = TraceInfo::collect(&mut opened(&SourceConfig::Trace(config), u64::MAX).unwrap()).unwrap();
        let parts: u64 = info.notes.iter().filter(|note| note.contains("cut where")).count() as u64;
        assert!(info.requests == lines || (parts > 0 && info.requests > lines), "{name}: {}", info.requests);
        if parts == 0 {
            assert!((info.read_share * 100.0 - read_percent).abs() < 0.051, "{name}: {}", info.read_share);
        }
        let found = info.footprint.touched as f64 * 4096.0 / f64::from(1 << 20);
        assert!((found - footprint).abs() < 0.051, "{name}: {found} {footprint}");
    }
}

#[test]
fn traces_with_another_unit_or_form_are_read_with_the_right_keys() {
    let Some(folder) = traces() else { return };
    let fin1 = folder.join("spc_umass/Financial1.first50000.flashsim-fin1.trace.gz");
    assert_eq!(all(TraceConfig::of_file(fin1)).len(), 50_000);
    let web = TraceConfig {
        time_unit: Some(TimeUnit::Seconds),
        ..TraceConfig::of_file(folder.join("msr_cambridge/web.first1000-each.pre-processed.csv"))
    };
    let (requests, notes) = read(web, u64::MAX).unwrap();
    assert!(requests.len() >= 3000, "{} {notes:?}", requests.len());
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
