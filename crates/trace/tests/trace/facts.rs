//! What a trace tells beside its requests: its start by the wall clock, and measured response times.

use wordline_trace::config::{BlockEvent, TimeUnit, TransformConfig};
use wordline_trace::{SourceConfig, TraceConfig, TraceFacts};

use crate::support::{Folder, drain, opened, read, short};

/// The facts of a trace once all its requests were read.
fn facts(config: TraceConfig) -> TraceFacts {
    let mut opened = opened(&SourceConfig::Trace(config), u64::MAX).unwrap();
    assert_eq!(opened.notes.traces(), [], "nothing was read");
    drain(&mut *opened.source).unwrap();
    opened.notes.traces().pop().unwrap()
}

fn steps(text: &str) -> Vec<TransformConfig> {
    let table: toml::Table = text.parse().unwrap();
    table["transform"].clone().try_into().unwrap()
}

const SYSTOR: &str = "Timestamp,Response,IOType,LUN,Offset,Size
1456135200.5,0.0001,R,0,0,512
1456135201.5,0.0003,R,0,512,512
1456135202.5,,W,0,1024,512
1456135203.5,0.25,W,0,0,512
";

#[test]
fn the_start_of_each_clock_is_told_and_none_is_made_up() {
    let folder = Folder::new();
    for (text, start) in [
        (SYSTOR, Some("2016-02-22T10:00:00.500Z")),
        ("128166385295514663,hm,0,Write,0,2048,2833\n", Some("2007-02-22T17:22:09.551466300Z")),
        ("64,W,8739680256,12288,1577808144360413\n", Some("2019-12-31T16:02:24.360413Z")),
        ("time,op,offset,length\n2016-02-22T19:00:00+09:00,R,0,512\n", Some("2016-02-22T10:00:00Z")),
        ("time_ns,op,offset_bytes,length_bytes\n5,R,0,512\n", None),
        ("0.000 0 3242508288 4096 0\n223.412 0 3159347200 36864 1\n", None),
    ] {
        let found = facts(TraceConfig::of_file(folder.file("t", text)));
        assert_eq!(found.start.as_deref(), start, "{text}");
        assert_eq!(found.start_unix_ns.is_some(), start.is_some());
        assert!(found.keeps_pace && found.path.ends_with("t"));
    }
}

#[test]
fn time_0_follows_the_steps_and_what_changes_the_pace_is_told() {
    let folder = Folder::new();
    let path = folder.file("t", SYSTOR);
    for (text, start, keeps_pace) in [
        ("[{ kind = 'slice_time', from_ns = 1_000_000_000 }]", "2016-02-22T10:00:01.500Z", true),
        ("[{ kind = 'slice_count', skip = 2 }]", "2016-02-22T10:00:02.500Z", true),
        (
            "[{ kind = 'slice_time', from_ns = 1_000_000_000 }, { kind = 'slice_count', skip = 1 }]",
            "2016-02-22T10:00:02.500Z",
            true,
        ),
        ("[{ kind = 'filter', ops = ['write'] }, { kind = 'compact' }]", "2016-02-22T10:00:00.500Z", true),
        (
            "[{ kind = 'slice_count', skip = 2 }, { kind = 'target_iops', iops = 9.0 }]",
            "2016-02-22T10:00:00.500Z",
            false,
        ),
        ("[{ kind = 'repeat', times = 2 }]", "2016-02-22T10:00:00.500Z", false),
    ] {
        let transform = steps(&format!("transform = {text}"));
        let found = facts(TraceConfig { transform, ..TraceConfig::of_file(&path) });
        assert_eq!((found.start.as_deref(), found.keeps_pace), (Some(start), keeps_pace), "{text}");
    }
}

#[test]
fn response_times_are_summed_up_by_direction() {
    let folder = Folder::new();
    let found = facts(TraceConfig::of_file(folder.file("t", SYSTOR))).measured.unwrap();
    let read = found.read.latency_ns.unwrap();
    assert_eq!((found.read.requests, read.mean, read.min, read.max), (2, 200_000.0, 100_000, 300_000));
    assert!((100_000..=100_100).contains(&read.p50) && read.p99 == 300_000, "{read:?}");
    // One line has none.
    assert_eq!((found.write.requests, found.write.latency_ns.map(|write| write.max)), (1, Some(250_000_000)));
    assert_eq!((found.trim.requests, found.flush.latency_ns), (0, None));
}

#[test]
fn only_requests_that_are_replayed_count() {
    let folder = Folder::new();
    let text: String =
        (0..9).map(|line| format!("{line},h,{},Read,0,512,{}\n", line % 2, 10 * line)).collect();
    let config = TraceConfig {
        device: Some(1),
        max_requests: Some(3),
        ..TraceConfig::of_file(folder.file("t", text))
    };
    let read = facts(config).measured.unwrap().read;
    assert_eq!((read.requests, read.latency_ns.unwrap().mean), (3, 3_000.0));
}

#[test]
fn a_unit_that_nobody_tells_is_none() {
    let folder = Folder::new();
    let text = "time_us,op,offset,length,latency\n0,R,0,512,7\n5,W,0,512,9\n";
    let config = TraceConfig::of_file(folder.file("t", text));
    assert_eq!(facts(config.clone()).measured, None);
    let (_, notes) = read(config.clone(), u64::MAX).unwrap();
    assert!(notes.iter().any(|note| note.contains("column 5") && note.contains("latency_unit")), "{notes:?}");
    let given = TraceConfig { latency_unit: Some(TimeUnit::Microseconds), ..config };
    let measured = facts(given).measured.unwrap();
    assert_eq!(measured.write.latency_ns.map(|write| write.max), Some(9_000));
    let named = text.replace("latency", "latency_ms");
    let measured = facts(TraceConfig::of_file(folder.file("n", named))).measured.unwrap();
    assert_eq!(measured.read.latency_ns.map(|read| read.max), Some(7_000_000));
    // Times in another unit than the form's leave that of response times open.
    let msr = folder.file("m", "5,h,0,Read,0,512,7\n9,h,0,Read,0,512,7\n");
    let config = TraceConfig { time_unit: Some(TimeUnit::Microseconds), ..TraceConfig::of_file(msr) };
    assert_eq!(facts(config).measured, None);
}

const ANSWERS: &str = "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)
0.000000 a 7 sda R 0 512 1.00
0.000500 b 7 sda R 1 512 2.00
0.010000 c 7 sda W 2 512 0.25
";

#[test]
fn lines_of_answers_are_put_in_the_order_of_the_requests() {
    let folder = Folder::new();
    let config = TraceConfig::of_file(folder.file("t", ANSWERS));
    let (requests, notes) = read(config.clone(), u64::MAX).unwrap();
    let found: Vec<_> = requests.iter().map(short).collect();
    assert_eq!(found, [(0, 'R', 512, 512), (500_000, 'R', 0, 512), (11_250_000, 'W', 1024, 512)]);
    assert!(notes.is_empty(), "{notes:?}");
    let answered = TraceConfig { event: Some(BlockEvent::Complete), ..config };
    let (requests, _) = read(answered, u64::MAX).unwrap();
    assert_eq!(requests.iter().map(|request| request.time.0).collect::<Vec<_>>(), [0, 500_000, 10_000_000]);
}

#[test]
fn dates_need_no_unit_and_no_note() {
    let folder = Folder::new();
    let text = "2016-02-22 10:00:00.5;R;0;512\n2016-02-22 10:00:01;W;512;512\n";
    let text = format!("time;op;offset_bytes;length_bytes\n{text}");
    let (requests, notes) = read(TraceConfig::of_file(folder.file("t", text)), u64::MAX).unwrap();
    assert_eq!(requests.iter().map(|request| request.time.0).collect::<Vec<_>>(), [0, 500_000_000]);
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn scsi_s_codes_are_operations_of_columns() {
    let folder = Folder::new();
    let text = "time_s,cmd,offset_bytes,length_bytes\n0,28,0,512\n1,2a,512,512\n";
    let (requests, notes) = read(TraceConfig::of_file(folder.file("t", text)), u64::MAX).unwrap();
    assert_eq!(requests.iter().map(short).map(|request| request.1).collect::<Vec<_>>(), ['R', 'W']);
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn a_pointer_of_git_lfs_is_called_that() {
    let folder = Folder::new();
    let text = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n";
    let path = folder.file("trace.csv", text);
    let error = read(TraceConfig::of_file(&path), u64::MAX).unwrap_err();
    assert_eq!(error, format!("{}: a Git LFS pointer, not the trace: git lfs pull", path.display()));
}

#[test]
fn what_the_tracer_lost_and_what_is_assumed_is_told() {
    let folder = Folder::new();
    let text = "CPU:1 [LOST 5 EVENTS]\n x-7 [001] ..... 5.5: block_rq_issue: 8,0 R 512 () 8 + 1 [x]\n";
    let (_, notes) = read(TraceConfig::of_file(folder.file("t", text)), u64::MAX).unwrap();
    assert!(notes.iter().any(|note| note.contains("lost 5 events")), "{notes:?}");
    let mut objects = 5_u32.to_le_bytes().to_vec();
    objects.extend(8_u64.to_le_bytes());
    objects.extend(4096_u32.to_le_bytes());
    objects.extend((-1_i64).to_le_bytes());
    let (requests, notes) = read(TraceConfig::of_file(folder.file("o", objects)), u64::MAX).unwrap();
    assert_eq!(requests.iter().map(short).collect::<Vec<_>>(), [(0, 'R', 4096, 4096)]);
    assert!(notes.iter().any(|note| note.contains("taken for reads")), "{notes:?}");
}
