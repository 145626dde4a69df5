//! Keys of a trace that its form doesn't read: noted where they have no effect, and nowhere else.

use wordline_trace::config::{BlockEvent, ColumnRef, ColumnsConfig, TimeUnit, TraceFormat};
use wordline_trace::{SourceConfig, TraceConfig};

use crate::support::{Folder, drain, opened, short};

/// Lines of each form, of a read and a write or more, with whatever their keys tell apart.
const LINES: [(TraceFormat, &str); 20] = [
    (
        TraceFormat::Msr,
        "128166385295514663,hm,0,Write,4096,2048,2833\n128166385295514763,hm,0,Read,8192,2048,2833\n",
    ),
    (TraceFormat::Wordline, "5,R,0,4096,0\n7,W,8192,4096,1\n"),
    (TraceFormat::Mqsim, "938513000 4 264719034 16 0\n938514000 4 264719134 16 1\n"),
    (TraceFormat::Ssdsim, "938513000 4 264719034 16 0\n938514000 4 264719134 16 1\n"),
    (TraceFormat::Disksim, "5265.313 0 6357144 8 0\n5266.313 0 6357244 8 1\n"),
    (TraceFormat::Replayer, "0.000 0 3242508288 4096 0\n223.412 0 3159347200 36864 1\n"),
    (TraceFormat::Spc, "0,303567,3584,w,0.000000\n0,303667,3584,r,1.000000\n"),
    (
        TraceFormat::Systor,
        "1455592511.559981,0.000226,R,2,31457280,16384\n1455592512.559981,0.000326,W,2,0,16384\n",
    ),
    (TraceFormat::Alibaba, "64,W,8739680256,12288,1577808144360413\n64,R,0,12288,1577808144360513\n"),
    (TraceFormat::Tencent, "1538323200,12910952,128,0,1063\n1538323201,12910952,64,1,1063\n"),
    (
        TraceFormat::Diskmon,
        "0\t4.65\t0.00003\t0\tWrite\t6194591\t32\n1\t4.75\t0.00004\t0\tRead\t6194691\t32\n",
    ),
    (
        TraceFormat::Biotracer,
        "96\t\t8\t\t4096\t\t5\t\t1.5\t\t1.6\t\t1.75\t\t2\n99\t\t8\t\t4096\t\t4\t\t1.7\t\t2.6\t\t2.75\t\t3\n",
    ),
    (
        TraceFormat::Blkparse,
        "8,16 5 2 0.000001850 18615  Q   R 1444645666 + 256 [java]\n8,16 5 3 0.000002850 18615  D   R 1444645666 + 256 [java]\n\
         8,16 5 4 0.000003850 18615  Q   R 1444645922 + 256 [java]\n8,16 5 5 0.000007850 18615  D   R 1444645922 + 256 [java]\n",
    ),
    (
        TraceFormat::Ftrace,
        "x-7 [001] d..1. 5.25: block_bio_queue: 8,0 R 8 + 1 [x]\nx-7 [001] ..... 5.5: block_rq_issue: 8,0 R 512 () 8 + 1 [x]\n\
         x-7 [001] d..1. 6.25: block_bio_queue: 8,0 R 9 + 1 [x]\nx-7 [001] ..... 7.5: block_rq_issue: 8,0 R 512 () 9 + 1 [x]\n",
    ),
    (
        TraceFormat::Biosnoop,
        "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n1.5 a 77 sda R 8 4096 0.25\n1.9 a 77 sda W 9 4096 0.35\n",
    ),
    (TraceFormat::Fiu, "5000 42 nfsd 800 8 W 6 0 3f4f\n6000 42 nfsd 900 8 R 6 0 3f4f\n"),
    (TraceFormat::Libcachesim, "1,33,2a,512,800\n2,34,28,512,900\n"),
    (TraceFormat::Replayed, "5.000,134,0,4096,409600,7.250,4096\n6.000,134,1,4096,819200,7.250,4096\n"),
    (
        TraceFormat::FioIolog,
        "fio version 3 iolog\n0 /dev/x add\n0 /dev/x open\n10 /dev/x write 4096 8192\n30 /dev/x read 0 4096\n",
    ),
    (TraceFormat::Columns, "time_us,op,offset,length,event,response\n0,0,0,512,Q,5\n1,1,512,512,D,6\n"),
];

type Change = (&'static str, fn(TraceConfig) -> TraceConfig);

const CHANGES: [Change; 8] = [
    ("latency_unit", |config| TraceConfig { latency_unit: Some(TimeUnit::Nanoseconds), ..config }),
    ("sector_bytes", |config| TraceConfig { sector_bytes: 4096, ..config }),
    ("offset_unit_bytes", |config| TraceConfig { offset_unit_bytes: Some(16), ..config }),
    ("length_unit_bytes", |config| TraceConfig { length_unit_bytes: Some(16), ..config }),
    // One of both is the form's own, which changes nothing either; the test takes the other.
    ("read_is", |config| TraceConfig { read_is: Some(0), ..config }),
    ("read_is", |config| TraceConfig { read_is: Some(1), ..config }),
    ("event", |config| TraceConfig { event: Some(BlockEvent::Queue), ..config }),
    ("event", |config| TraceConfig { event: Some(BlockEvent::Issue), ..config }),
];

/// What comes of a trace: requests and response times, or its error; and the notes.
fn outcome(config: TraceConfig) -> (String, Vec<String>) {
    let mut opened = opened(&SourceConfig::Trace(config), u64::MAX).unwrap();
    let found = drain(&mut *opened.source).map(|all| all.iter().map(short).collect::<Vec<_>>());
    let measured: Vec<_> = opened.notes.traces().into_iter().map(|facts| facts.measured).collect();
    (format!("{found:?} {measured:?}"), opened.notes.lines())
}

fn is_noted(notes: &[String], key: &str) -> bool {
    notes
        .iter()
        .any(|note| note.contains(&format!(": {key} = ")) && note.contains(" has no effect in the form"))
}

#[test]
fn a_key_is_noted_where_its_form_does_not_read_it_and_where_it_does_it_has_an_effect() {
    let folder = Folder::new();
    for (format, lines) in LINES {
        let plain = TraceConfig { format, ..TraceConfig::of_file(folder.file("trace", lines)) };
        let (expected, notes) = outcome(plain.clone());
        assert!(expected.starts_with("Ok([(") && !is_noted(&notes, ""), "{format:?}: {expected} {notes:?}");
        for key in
            ["latency_unit", "sector_bytes", "offset_unit_bytes", "length_unit_bytes", "read_is", "event"]
        {
            let changes = CHANGES.iter().filter(|(name, _)| *name == key);
            let outcomes: Vec<_> = changes.map(|(_, change)| outcome(change(plain.clone()))).collect();
            let (differs, noted) = (
                outcomes.iter().any(|(found, _)| *found != expected),
                outcomes.iter().all(|(_, notes)| is_noted(notes, key)),
            );
            // What a form of columns reads depends on their names.
            let is_open = format == TraceFormat::Columns;
            assert!(differs != noted || (is_open && !differs), "{format:?} {key}: {outcomes:?}");
        }
    }
}

#[test]
fn a_device_beside_flows_and_columns_beside_a_form_are_noted_however_the_form_is_known() {
    let folder = Folder::new();
    let own =
        TraceConfig::of_file(folder.file("own", "time_ns,op,offset_bytes,length_bytes,flow\n5,R,0,512,1\n"));
    let (_, notes) = outcome(TraceConfig { device: Some(1), read_is: Some(1), ..own });
    assert!(is_noted(&notes, "device") && is_noted(&notes, "read_is"), "{notes:?}");
    let columns = ColumnsConfig { op: Some(ColumnRef::Number(2)), ..ColumnsConfig::default() };
    let msr = folder.file("msr", LINES[0].1);
    let named = TraceConfig { format: TraceFormat::Msr, columns, ..TraceConfig::of_file(&msr) };
    assert!(is_noted(&outcome(named).1, "columns"));
    let (_, notes) = outcome(TraceConfig { device: Some(0), ..TraceConfig::of_file(&msr) });
    assert!(!is_noted(&notes, "device"), "{notes:?}");
}
