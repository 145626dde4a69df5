//! Summaries of traces, and traces written and read again.

use wordline_trace::{SourceConfig, TraceConfig, TraceInfo, write_csv};

use crate::support::{Folder, opened, read_file};

const TRACE: &str = "0,R,0,4096\n10,W,4096,8192\n20,R,8192,4096\n30,T,0,65536\n40,F,0,0\n50,W,512,512,3\n";

#[test]
fn a_summary_counts_bytes_sizes_pages_and_alignment() {
    let folder = Folder::new();
    let config = SourceConfig::Trace(TraceConfig::of_file(folder.file("t", TRACE)));
    let info = TraceInfo::collect(&mut opened(&config, u64::MAX).unwrap()).unwrap();
    assert_eq!((info.requests, info.flushes, info.trims.bytes), (6, 1, 65_536));
    assert_eq!((info.reads.requests, info.reads.bytes), (2, 8192));
    assert_eq!((info.writes.requests, info.writes.bytes), (2, 8704));
    assert_eq!((info.writes.size_bytes.min, info.writes.size_bytes.max), (512, 8192));
    assert!((info.read_share - 0.5).abs() < 1e-12 && (info.writes.size_bytes.mean - 4352.0).abs() < 1e-9);
    assert_eq!((info.span_ns, info.end_bytes, info.flows), (50, 65_536, 2));
    let pages = info.footprint;
    assert_eq!((pages.read, pages.written, pages.both, pages.touched), (2, 3, 2, 3));
    assert!(
        (info.alignment.pages_4k - 0.75).abs() < 1e-12 && (info.alignment.sectors_512 - 1.0).abs() < 1e-12
    );
}

#[test]
fn the_span_is_from_the_first_request_to_the_last() {
    let folder = Folder::new();
    let late = "time_ns,op,offset_bytes,length_bytes\n2000,W,0,512\n2500,R,0,512\n3000,R,0,512\n";
    let config = SourceConfig::Trace(TraceConfig::of_file(folder.file("late.csv", late)));
    let info = TraceInfo::collect(&mut opened(&config, u64::MAX).unwrap()).unwrap();
    assert_eq!((info.span_ns, info.arrivals.gaps_ns.mean as u64), (1000, 500));
}

#[test]
fn a_summary_is_json() {
    let folder = Folder::new();
    let text = "time_ns,op,offset_bytes,length_bytes\n0,W,0,0\n5,R,0,512\n";
    let config = SourceConfig::Trace(TraceConfig::of_file(folder.file("t", text)));
    let info = TraceInfo::collect(&mut opened(&config, u64::MAX).unwrap()).unwrap();
    let json = serde_json::to_value(&info).unwrap();
    assert_eq!(json["reads"]["size_bytes"]["p50"], 512);
    assert_eq!(json["notes"][0], "1 request of length 0 left out");
    assert_eq!(serde_json::from_value::<TraceInfo>(json).unwrap(), info);
}

#[test]
fn what_is_written_is_read_back_the_same_in_every_packing() {
    let folder = Folder::new();
    let path = folder.file("t", TRACE);
    let original = read_file(&path).unwrap();
    let config = SourceConfig::Trace(TraceConfig::of_file(&path));
    for (name, magic) in
        [("a.csv", b"time"), ("a.csv.gz", b"\x1f\x8b\x08\0"), ("a.csv.zst", b"\x28\xb5\x2f\xfd")]
    {
        let target = folder.0.join(name);
        let count = write_csv(&mut *opened(&config, u64::MAX).unwrap().source, &target).unwrap();
        assert_eq!(count, 6);
        assert!(std::fs::read(&target).unwrap().starts_with(magic), "{name}");
        assert_eq!(read_file(&target).unwrap(), original);
    }
}

#[test]
fn a_write_that_fails_leaves_nothing_behind() {
    let folder = Folder::new();
    let config = SourceConfig::Trace(TraceConfig::of_file(folder.file("t", "0,R,0,512\nbad\n")));
    let target = folder.0.join("out.csv");
    let error = write_csv(&mut *opened(&config, u64::MAX).unwrap().source, &target).unwrap_err();
    assert!(error.0.contains(":2: "), "{error}");
    let nowhere = folder.0.join("missing/out.csv");
    let error = write_csv(&mut *opened(&config, u64::MAX).unwrap().source, &nowhere).unwrap_err();
    assert!(error.0.contains("can't be written"), "{error}");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1);
}
