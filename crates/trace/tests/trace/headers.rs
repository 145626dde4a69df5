//! The first line of a text decides what its columns hold, and remarks are none of them.

use proptest::prelude::*;
use wordline_trace::TraceConfig;
use wordline_trace::config::{ColumnRef, ColumnsConfig, TraceFormat};

use crate::support::{Folder, read, short};

type Made = (u64, char, u64, u64);

/// Names of a column, and its unit.
type Named = &'static [(&'static str, u64)];

const TIMES: Named = &[
    ("time_ns", 1),
    ("timestamp_us", 1_000),
    ("Time (ms)", 1_000_000),
    ("tsNs", 1),
    ("arrival_time[us]", 1_000),
    ("Arrival Time (seconds)", 1_000_000_000),
];

const OPS: &[(&str, &str, &str)] = &[
    ("op", "R", "W"),
    ("rwbs", "RA", "WS"),
    ("IOType", "DiskRead", "DiskWrite"),
    ("request", "read", "WRITE"),
    ("is_write", "0", "1"),
];

const OFFSETS: Named =
    &[("offset_bytes", 1), ("lba", 512), ("startSector", 512), ("sector", 512), ("address (KB)", 1024)];

const LENGTHS: Named = &[
    ("length_bytes", 1),
    ("nr_sector", 512),
    ("nblocks", 512),
    ("Size (KiB)", 1024),
    ("bytes", 1),
    ("nsectors", 512),
];

fn made() -> impl Strategy<Value = Vec<Made>> {
    let one = (0..9_u64, any::<bool>(), 0..1_000_000_u64, 1..64_u64);
    prop::collection::vec(one, 1..30).prop_map(|rows| {
        let mut time = 0;
        let row = |(gap, reads, page, pages)| {
            let now = time;
            time += gap * 1_000_000_000;
            (now, if reads { 'R' } else { 'W' }, page * 4096, pages * 4096)
        };
        rows.into_iter().map(row).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn names_and_units_of_a_header_hold(
        rows in made(),
        (time, time_unit) in prop::sample::select(TIMES),
        (op, read_word, write_word) in prop::sample::select(OPS),
        (offset, offset_unit) in prop::sample::select(OFFSETS),
        (length, length_unit) in prop::sample::select(LENGTHS),
        order in Just((0..5_usize).collect::<Vec<_>>()).prop_shuffle(),
        separator in prop::sample::select(&[",", ";", "\t"][..]),
        (remarks, in_remark) in any::<(bool, bool)>(),
    ) {
        let names = [time, op, offset, length, "disk"];
        let arranged = |fields: [&str; 5]| order.iter().map(|at| fields[*at]).collect::<Vec<_>>().join(separator);
        let mut text = if remarks { "# recorded by hand\n\n".to_owned() } else { String::new() };
        if in_remark {
            text += "# ";
        }
        text += &arranged(names);
        text.push('\n');
        for (ns, word, bytes, long) in &rows {
            let word = if *word == 'R' { read_word } else { write_word };
            let (ns, bytes, long) = (ns / time_unit, bytes / offset_unit, long / length_unit);
            text += &arranged([&ns.to_string(), word, &bytes.to_string(), &long.to_string(), "sdb"]);
            text.push('\n');
            if remarks {
                text += "#nothing here\n";
            }
        }
        let folder = Folder::new();
        for skip_bad_lines in [false, true] {
            let config = TraceConfig { skip_bad_lines, ..TraceConfig::of_file(folder.file("t", &text)) };
            let (found, notes) = read(config, u64::MAX).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
            prop_assert_eq!(found.iter().map(short).collect::<Vec<_>>(), rows.clone(), "{}\n{:?}", text, notes);
        }
    }

    #[test]
    fn columns_by_number_begin_with_the_first_line(rows in made(), header: bool) {
        let mut text = if header { "when,what,where,how much\n".to_owned() } else { String::new() };
        for (ns, word, bytes, long) in &rows {
            text += &format!("{ns},{word},{bytes},{long}\n");
        }
        let folder = Folder::new();
        let [time, op, offset, length] = [1, 2, 3, 4].map(|number| Some(ColumnRef::Number(number)));
        let columns = ColumnsConfig { time, op, offset, length, ..ColumnsConfig::default() };
        let config = TraceConfig { format: TraceFormat::Columns, columns, ..TraceConfig::of_file(folder.file("t", &text)) };
        let (found, _) = read(config, u64::MAX).unwrap();
        prop_assert_eq!(found.iter().map(short).collect::<Vec<_>>(), rows);
    }
}

#[test]
fn the_first_request_of_numbered_columns_is_never_passed_over() {
    let folder = Folder::new();
    let [time, op, offset, length] = [1, 2, 3, 4].map(|number| Some(ColumnRef::Number(number)));
    let columns = ColumnsConfig { time, op, offset, length, ..ColumnsConfig::default() };
    let path = folder.file("t", "0,verify,0,512\n5,R,0,512\n");
    let config = TraceConfig { format: TraceFormat::Columns, columns, ..TraceConfig::of_file(path) };
    let error = read(config.clone(), u64::MAX).unwrap_err();
    assert!(error.contains(":1: `0,verify,0,512`") && error.contains("column of the op"), "{error}");
    let (found, notes) = read(TraceConfig { skip_bad_lines: true, ..config }, u64::MAX).unwrap();
    assert!(found.len() == 1 && notes.iter().any(|note| note.starts_with("1 bad line skipped")), "{notes:?}");
}

#[test]
fn named_columns_are_read_though_the_lines_look_like_a_known_form() {
    let folder = Folder::new();
    // MQSim's columns: time, device, first sector, sectors, whether it reads.
    let path = folder.file("t", "1000 0 8 16 1\n2000 0 24 16 1\n");
    let [time, op, offset, length] = [1, 5, 4, 3].map(|number| Some(ColumnRef::Number(number)));
    let columns = ColumnsConfig { time, op, offset, length, ..ColumnsConfig::default() };
    let plain = TraceConfig::of_file(path);
    let of = |config: TraceConfig| read(config, u64::MAX).map(|(found, _)| found);
    assert_eq!(of(plain.clone()).unwrap()[0].length, 16 * 512);
    let named = of(TraceConfig { columns: columns.clone(), ..plain.clone() });
    let chosen = of(TraceConfig { columns, format: TraceFormat::Columns, ..plain });
    assert_eq!(named, chosen);
}

#[test]
fn remarks_are_passed_over_in_every_form_that_is_text() {
    let folder = Folder::new();
    for (format, text) in crate::files::FORMS {
        // The names of columns may stand above the first remark, and a version stands in the first line.
        let lines: Vec<String> =
            text.lines().map(|line| format!("{line}\n # remark, of 4, words, R\n")).collect();
        for text in [format!("# first\n#\n{}", lines.concat()), lines.concat()] {
            for format in [format, TraceFormat::Auto] {
                let config = TraceConfig { format, ..TraceConfig::of_file(folder.file("t", &text)) };
                let (found, _) = read(config, u64::MAX).unwrap();
                assert_eq!(found.iter().map(short).collect::<Vec<_>>(), crate::files::EXPECTED, "{format:?}");
            }
        }
    }
}

#[test]
fn a_header_of_other_units_is_no_line_to_skip() {
    let folder = Folder::new();
    let path = folder.file("t", "time_us,op,offset,length\n0,R,0,512\n5,R,0,512\n");
    for skip_bad_lines in [false, true] {
        let auto = TraceConfig { skip_bad_lines, ..TraceConfig::of_file(&path) };
        let (found, _) = read(auto.clone(), u64::MAX).unwrap();
        assert_eq!(found[1].time.0, 5_000);
        let error = read(TraceConfig { format: TraceFormat::Wordline, ..auto }, u64::MAX).unwrap_err();
        assert!(error.contains("names columns or units that the form `wordline` hasn't"), "{error}");
        assert!(error.contains("`format = \"columns\"`"), "{error}");
    }
    // One that says nothing else is passed over.
    let path = folder.file("t", "timestamp,op,offset,length\n0,R,0,512\n5,R,0,512\n");
    let (found, notes) =
        read(TraceConfig { format: TraceFormat::Wordline, ..TraceConfig::of_file(&path) }, u64::MAX).unwrap();
    assert_eq!(found[1].time.0, 5, "{notes:?}");
    assert!(notes[0].contains("first line is passed over"), "{notes:?}");
}

#[test]
fn a_header_without_usual_names_says_what_is_missing() {
    let folder = Folder::new();
    let error = read(TraceConfig::of_file(folder.file("t", "when,op,offset,length\n0,R,0,512\n")), u64::MAX)
        .unwrap_err();
    assert!(error.contains("known as the time") && error.contains("columns.time names one"), "{error}");
}

#[test]
fn times_without_a_unit_are_taken_by_what_they_look_like() {
    let folder = Folder::new();
    for (first, second, ns, said) in [
        ("128166385295514663", "128166385295514673", 1_000, "units of 100 ns"),
        ("1577808144360413", "1577808144360423", 10_000, "µs, as counted from 1970"),
        ("1577808144.5", "1577808145.0", 500_000_000, "s, as counted from 1970"),
        ("0.000", "0.250", 250_000_000, "s, since they have a fraction"),
        ("1.0", "3.0", 2_000_000_000, "s, since they have a fraction"),
        ("\"0\"", "\"2.0\"", 2_000_000_000, "s, since they have a fraction"),
        ("1.0E+3", "3.0E+3", 2_000, "taken for ns"),
        ("0", "250", 250, "taken for ns"),
    ] {
        let text = format!("timestamp,op,offset,length\n{first},R,0,512\n{second},R,512,512\n");
        let (found, notes) = read(TraceConfig::of_file(folder.file("t", text)), u64::MAX).unwrap();
        assert_eq!(found[1].time.0, ns, "{first}");
        assert!(notes.iter().any(|note| note.contains(said)), "{first}: {notes:?}");
    }
}

#[test]
fn lengths_beside_offsets_in_sectors_are_no_odd_bytes() {
    let folder = Folder::new();
    let text = "time_us,rw,lba,size\n0,R,64,8\n5,W,72,16\n";
    let (found, notes) = read(TraceConfig::of_file(folder.file("t", text)), u64::MAX).unwrap();
    assert_eq!((found[0].offset, found[0].length), (32_768, 4096));
    assert!(
        notes.iter().any(|note| note.contains("lengths are taken for sectors of 512 bytes")),
        "{notes:?}"
    );
    let text = "time_us,rw,lba,size\n0,R,64,4096\n5,W,72,8192\n";
    let (found, notes) = read(TraceConfig::of_file(folder.file("t", text)), u64::MAX).unwrap();
    assert_eq!((found[0].offset, found[0].length), (32_768, 4096));
    assert!(notes.iter().any(|note| note.contains("lengths (`size`) are taken for bytes")), "{notes:?}");
}

#[test]
fn devices_by_name_are_numbered_and_told() {
    let folder = Folder::new();
    let text = "time_us,dev,rw,sector,nr_sectors\n0,sdb,R,0,8\n1,sdc,R,0,8\n2,sdb,W,8,8\n";
    let path = folder.file("t", text);
    let (found, notes) = read(TraceConfig::of_file(&path), u64::MAX).unwrap();
    assert_eq!(found.iter().map(|request| request.flow).collect::<Vec<_>>(), [0, 1, 0]);
    assert!(notes.iter().any(|note| note == "devices by name: 0 = `sdb`, 1 = `sdc`"), "{notes:?}");
    let one = TraceConfig { device: Some(1), repeat: 3, ..TraceConfig::of_file(&path) };
    let (found, notes) = read(one, u64::MAX).unwrap();
    assert_eq!(
        (found.len(), notes.iter().filter(|note| note.starts_with("devices by name")).count()),
        (3, 1)
    );
}

#[test]
fn a_name_that_two_columns_have_is_refused_where_a_request_needs_it() {
    let folder = Folder::new();
    let found = |header: &str, columns: ColumnsConfig| {
        let path = folder.file("trace.csv", format!("{header}\n1,R,0,512,4096\n2,W,512,512,8192\n"));
        read(TraceConfig { columns, ..TraceConfig::of_file(&path) }, u64::MAX)
            .map(|(requests, _)| requests.iter().map(|request| short(request).2).collect::<Vec<_>>())
    };
    let refused = |header: &str, columns: ColumnsConfig| {
        let error = found(header, columns).unwrap_err();
        let parts = ["trace.csv:1:", "offset", "columns 3 and 5", "columns.offset"];
        assert!(parts.iter().all(|part| error.contains(part)), "{header}: {error}");
    };
    let named = |name: ColumnRef| ColumnsConfig { offset: Some(name), ..ColumnsConfig::default() };
    refused("time_us,op,offset,length,offset", ColumnsConfig::default());
    refused("time_us,op,offset,length,Offset", ColumnsConfig::default());
    refused("time_us,op,offset,length,offset", named(ColumnRef::Name("offset".into())));
    refused("time_us,op,Offset,length,OFFSET", named(ColumnRef::Name("offset".into())));
    // A number says which; so does a name as it is written; and what no request needs may be there twice.
    assert_eq!(found("time_us,op,offset,length,offset", named(ColumnRef::Number(5))), Ok(vec![4096, 8192]));
    let written = named(ColumnRef::Name("Offset".into()));
    assert_eq!(found("time_us,op,offset,length,Offset", written), Ok(vec![4096, 8192]));
    let path = folder.file("more.csv", "time_us,op,offset,length,x,x\n1,R,0,512,1,2\n");
    assert!(read(TraceConfig::of_file(&path), u64::MAX).is_ok());
}
