//! Files of every form: packing, headers, line ends, bad lines, and files that are none.

use wordline_trace::TraceConfig;
use wordline_trace::config::{TimeUnit, TraceFormat};

use crate::support::{Folder, PACKINGS, gzip, read, read_file, short};

/// The same three requests in every form: 4 KiB written at 8 KiB, then 512 bytes read at 1 KiB after 2.5 ms, then
/// the first again after 3 ms.
pub const FORMS: [(TraceFormat, &str); 16] = [
    (
        TraceFormat::Msr,
        "128166385295514663,hm,0,Write,8192,4096,2833\n128166385295539663,hm,0,Read,1024,512,1\n\
         128166385295544663,hm,0,Write,8192,4096,9\n",
    ),
    (TraceFormat::Mqsim, "1000 0 16 8 0\n2501000 0 2 1 1\n3001000 0 16 8 0\n"),
    (TraceFormat::Ssdsim, "1000 0 16 8 0\n2501000 0 2 1 1\n3001000 0 16 8 0\n"),
    (TraceFormat::Disksim, "7.5 0 16 8 0\n10.000 0 2 1 1\n10.5 0 16 8 0\n"),
    (TraceFormat::Replayer, "7.5 0 8192 4096 0\n10.000 0 1024 512 1\n10.5 0 8192 4096 0\n"),
    (TraceFormat::Wordline, "5,W,8192,4096\n2500005,R,1024,512\n3000005,W,8192,4096\n"),
    (TraceFormat::Spc, "0,16,4096,w,1.000000\n0,2,512,R,1.002500\n0,16,4096,W,1.003000\n"),
    (
        TraceFormat::Systor,
        "Timestamp,Response,IOType,LUN,Offset,Size\n1455592511.559981000,0.1,W,0,8192,4096\n\
         1455592511.561000000,,,0,0,0\n1455592511.562481000,0.1,R,0,1024,512\n1455592511.562981000,,W,0,8192,4096\n",
    ),
    (
        TraceFormat::Alibaba,
        "0,W,8192,4096,1577808144360413\n0,R,1024,512,1577808144362913\n0,W,8192,4096,1577808144363413\n",
    ),
    (TraceFormat::Tencent, "1.5000,16,8,1,0\n1.5025,2,1,0,0\n1.5030,16,8,1,0\n"),
    (
        TraceFormat::Diskmon,
        "0\t1.5\t0.1\t0\tWrite\t16\t8\n1\t1.5025\t0.1\t0\tRead\t2\t1\n2\t1.503\t0.1\t0\tWrite\t16\t8\n",
    ),
    (
        TraceFormat::Biotracer,
        "16\t\t8\t\t4096\t\t5\t\t1.5\t\t1.6\t\t1.7\t\t1.8\n2\t\t1\t\t512\t\t4\t\t1.5025\t\t1.6\t\t1.7\t\t1.8\n\
         16\t\t8\t\t4096\t\t1\t\t1.503\t\t1.6\t\t1.7\t\t1.8\n",
    ),
    (
        TraceFormat::Blkparse,
        "  8,16   5        1     0.000000000 18615  Q   W 16 + 8 [a]\n\
         8,16   5        2     0.100000000 18615  D   W 16 + 8 [a]\n\
         8,16   5        3     0.102500000 18615  D   R 2 + 1 [a]\n\
         8,16   5        4     0.103000000 18615  D  WS 16 + 8 [a]\nCPU5 (8,16):\n Reads Queued:  1,  128KiB\n",
    ),
    (
        TraceFormat::FioIolog,
        "fio version 3 iolog\n0 /dev/sda add\n1 /dev/sda open\n5 /dev/sda write 8192 4096\n\
         2505 /dev/sda read 1024 512\n3005 /dev/sda write 8192 4096\n",
    ),
    (
        TraceFormat::Columns,
        "host;Time (us);op;lba;sectors\nx;5;write;16;8\ny;2505;read;2;1\n\"z;\";3005;write;16;8\n",
    ),
    (
        TraceFormat::Columns,
        "ts_ms length_bytes offset_bytes is_write\n0.005 4096 8192 1\n2.505 512 1024 0\n3.005 4096 8192 1\n",
    ),
];

pub const EXPECTED: [(u64, char, u64, u64); 3] =
    [(0, 'W', 8192, 4096), (2_500_000, 'R', 1024, 512), (3_000_000, 'W', 8192, 4096)];

fn config(path: &std::path::Path, format: TraceFormat) -> TraceConfig {
    TraceConfig { format, ..TraceConfig::of_file(path) }
}

#[test]
fn every_form_gives_the_same_requests_in_every_packing() {
    let folder = Folder::new();
    for (format, text) in FORMS {
        let crlf = text.replace('\n', "\r\n");
        let packed = PACKINGS.iter().map(|(_, pack)| pack(text.as_bytes()));
        for content in packed.chain([text.as_bytes().to_vec(), crlf.into_bytes()]) {
            let path = folder.file("trace", content);
            for format in [format, TraceFormat::Auto] {
                let (requests, _) = read(config(&path, format), u64::MAX).unwrap();
                assert_eq!(requests.iter().map(short).collect::<Vec<_>>(), EXPECTED, "{format:?}");
            }
        }
    }
}

#[test]
fn headers_blank_lines_and_a_missing_last_line_end_do_no_harm() {
    let folder = Folder::new();
    let wordline = "time_ns,op,offset_bytes,length_bytes,flow\n\n5,W,8192,4096,3\n\n2500005,R,1024,512,3\n3000005,W,8192,4096,4";
    let requests = read_file(&folder.file("a", wordline)).unwrap();
    assert_eq!(requests.iter().map(short).collect::<Vec<_>>(), EXPECTED);
    assert_eq!(requests.iter().map(|request| request.flow).collect::<Vec<_>>(), [3, 3, 4]);
    let msr = format!("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n{}", FORMS[0].1);
    assert_eq!(read_file(&folder.file("b", msr)).unwrap().len(), 3);
}

#[test]
fn several_members_of_an_archive_are_one_trace() {
    let folder = Folder::new();
    let (first, second) = ("0,R,0,512\n", "1,R,512,512\n");
    for (_, pack) in PACKINGS {
        let content = [pack(first.as_bytes()), pack(second.as_bytes())].concat();
        assert_eq!(read_file(&folder.file("parts", content)).unwrap().len(), 2);
    }
}

#[test]
fn truncated_and_damaged_archives_are_named() {
    let folder = Folder::new();
    let text: String =
        (0..50_000).map(|time| format!("{time},R,{},4096\n", (time * 7919 % 1000) * 4096)).collect();
    for (name, content) in PACKINGS.map(|(name, pack)| (name, pack(text.as_bytes()))) {
        for length in [6, 20, content.len() / 2, content.len() - 1] {
            let path = folder.file("cut", &content[..length]);
            let error = read_file(&path).unwrap_err();
            assert!(error.contains("cut"), "{error}");
            assert!(
                error.ends_with(&format!("the {name} data is truncated or damaged")),
                "{length}: {error}"
            );
        }
        let mut damaged = content.clone();
        damaged.iter_mut().skip(1000).take(200).for_each(|byte| *byte ^= 0x5a);
        let error = read_file(&folder.file("damaged", damaged)).unwrap_err();
        assert!(error.contains("damaged") && !error.contains('\n'), "{error}");
    }
}

#[test]
fn files_that_are_no_traces_are_refused_in_one_line() {
    let folder = Folder::new();
    let wrong = |path: std::path::PathBuf, part: &str| {
        let error = read_file(&path).unwrap_err();
        assert!(error.contains(part) && !error.contains('\n'), "{error}");
        assert!(error.starts_with(&path.display().to_string()), "{error}");
    };
    wrong(folder.file("empty", ""), "the file is empty");
    wrong(folder.file("empty.gz", gzip(b"")), "no request in this file");
    wrong(folder.file("blank", "\n\n"), "no request in this file");
    wrong(folder.file("header", "time_ns,op,offset_bytes,length_bytes\n"), "no request in this file");
    wrong(folder.0.join("missing"), "there is no such file");
    wrong(folder.0.clone(), "a directory");
    wrong(folder.file("text", "\nhello, world\n"), ":2: `hello, world`: expected a trace of a known form");
}

#[test]
fn a_bad_line_is_an_error_with_file_line_text_and_what_was_expected() {
    let folder = Folder::new();
    let path = folder.file("bad.csv", "0,R,0,512\n1,X,0,512\n2,R,0,512\n");
    let error = read_file(&path).unwrap_err();
    assert_eq!(
        error,
        format!("{}:2: `1,X,0,512`: expected R, W, WF, T or F in the second field", path.display())
    );
    let path = folder.file("long.csv", format!("0,R,0,512\n1,{},0,512\n", "x".repeat(5000)));
    assert!(read_file(&path).unwrap_err().len() < 300);
    let endless = folder.file("endless.csv", format!("0,R,0,512\n{}", "9".repeat(1 << 19)));
    assert!(read_file(&endless).unwrap_err().contains(":2: expected a line of at most 128 KiB"));
}

#[test]
fn a_line_of_another_form_is_recognised_in_the_error() {
    let folder = Folder::new();
    let path = folder.file("x", FORMS[3].1);
    let error = read(config(&path, TraceFormat::Msr), u64::MAX).unwrap_err();
    assert!(error.contains("(it is a line of the form `mqsim`)"), "{error}");
}

#[test]
fn bad_lines_are_counted_when_they_are_to_be_skipped() {
    let folder = Folder::new();
    let path = folder.file("bad.csv", format!("0,R,0,512\nx\n1,R,0,512\n{}\n", "y".repeat(300_000)));
    let skipping = TraceConfig { skip_bad_lines: true, ..TraceConfig::of_file(&path) };
    let (requests, notes) = read(skipping.clone(), u64::MAX).unwrap();
    assert_eq!(requests.len(), 2);
    let told =
        |note: &String| note.starts_with("2 bad lines skipped; the first: ") && note.contains(":2: `x`");
    assert!(notes.iter().any(told), "{notes:?}");
    let all_bad = TraceConfig { path: folder.file("all", "x\ny\n"), format: TraceFormat::Msr, ..skipping };
    assert!(read(all_bad, u64::MAX).unwrap_err().contains("all 2 lines are bad; the first: "));
}

#[test]
fn numbers_too_large_for_any_drive_are_bad_lines() {
    let folder = Folder::new();
    for line in [
        "0,R,18446744073709551615,1",
        "0,R,18446744073709551616,1",
        "0,R,0,4294967297",
        "99999999999999999999,R,0,1",
    ] {
        let path = folder.file("big", format!("0,R,0,512\n{line}\n"));
        assert!(read_file(&path).unwrap_err().contains(":2: `"), "{line}");
    }
    let late = folder.file("late", "0,R,0,512\n18446744073709551615,R,0,512\n");
    assert!(read_file(&late).unwrap_err().ends_with(":2: expected a time within 292 years of the first"));
    let skipping = TraceConfig { skip_bad_lines: true, ..TraceConfig::of_file(&late) };
    let (requests, notes) = read(skipping, u64::MAX).unwrap();
    assert!(requests.len() == 1 && notes.iter().any(|note| note.contains("1 bad line skipped")), "{notes:?}");
}

#[test]
fn times_never_decrease_and_the_first_is_0() {
    let folder = Folder::new();
    let path = folder.file(
        "t",
        "time_ns,op,offset_bytes,length_bytes\n100,R,0,1\n150,R,0,1\n120,R,0,1\n90,R,0,1\n160,R,0,1\n",
    );
    let (requests, notes) = read(TraceConfig::of_file(&path), u64::MAX).unwrap();
    assert_eq!(requests.iter().map(|request| request.time.0).collect::<Vec<_>>(), [0, 50, 50, 50, 60]);
    assert_eq!(notes, ["2 arrivals before the one in the line above (by up to 60 ns), moved to its time"]);
}

#[test]
fn units_of_time_and_sectors_can_be_given() {
    let folder = Folder::new();
    let path = folder.file("t", "1 0 4096 8192 1\n3 0 0 4096 0\n");
    let config = TraceConfig {
        format: TraceFormat::Mqsim,
        time_unit: Some(TimeUnit::Microseconds),
        sector_bytes: 1,
        ..TraceConfig::of_file(&path)
    };
    let (requests, _) = read(config, u64::MAX).unwrap();
    assert_eq!(requests.iter().map(short).collect::<Vec<_>>(), [(0, 'R', 4096, 8192), (2000, 'W', 0, 4096)]);
}

#[test]
fn a_guess_between_two_forms_is_noted() {
    let folder = Folder::new();
    let path = folder.file("t", FORMS[1].1);
    let (_, notes) = read(TraceConfig::of_file(&path), u64::MAX).unwrap();
    assert!(notes[0].contains("taken for MQSim"), "{notes:?}");
    assert!(read(config(&path, TraceFormat::Mqsim), u64::MAX).unwrap().1.is_empty());
}
