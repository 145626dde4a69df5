//! What is done with requests that don't fit, and the other choices of a reader.

use wordline_trace::config::OutOfRange;
use wordline_trace::{OpenContext, SourceConfig, TraceConfig, footprint, open};

use crate::support::{Folder, drain, opened, read, short};

const MIB: u64 = 1 << 20;

fn with(path: &std::path::Path, out_of_range: OutOfRange) -> TraceConfig {
    TraceConfig { out_of_range, ..TraceConfig::of_file(path) }
}

#[test]
fn beyond_the_drive_is_an_error_with_file_line_offset_and_size() {
    let folder = Folder::new();
    let path = folder.file("t.csv", "0,R,0,4096\n1,W,1044480,4097\n");
    let error = read(TraceConfig::of_file(&path), MIB).unwrap_err();
    assert!(error.starts_with(&format!("{}:2: 4097 bytes at offset 1044480", path.display())), "{error}");
    assert!(error.contains("1048576 bytes"), "{error}");
    assert!(read(TraceConfig::of_file(&path), MIB + 1).is_ok());
}

#[test]
fn wrapping_keeps_number_and_length_of_requests() {
    let folder = Folder::new();
    let path = folder.file(
        "t.csv",
        "time_ns,op,offset_bytes,length_bytes\n0,R,0,4096\n1,W,1048576,4096\n2,R,1046528,4096\n",
    );
    let (requests, notes) = read(with(&path, OutOfRange::Wrap), MIB).unwrap();
    let found: Vec<_> = requests.iter().map(short).collect();
    assert_eq!(found, [(0, 'R', 0, 4096), (1, 'W', 0, 4096), (2, 'R', 1_044_480, 4096)]);
    assert_eq!(notes, ["2 requests beyond the 1048576 bytes that may be used wrapped around"]);
}

#[test]
fn compacting_lays_devices_side_by_side() {
    let folder = Folder::new();
    let text = "0 0 1000000000 8 1\n1 1 1000000000 8 0\n2 0 1000000008 8 1\n";
    let path = folder.file("t", text);
    let (requests, notes) = read(with(&path, OutOfRange::Compact), 2 * MIB).unwrap();
    let inside = 1_000_000_000 * 512 % MIB;
    let offsets: Vec<u64> = requests.iter().map(|request| request.offset).collect();
    assert_eq!(offsets, [inside, MIB + inside, inside + 4096]);
    assert_eq!(requests.iter().map(|request| request.flow).collect::<Vec<_>>(), [0, 1, 0]);
    assert!(notes.iter().any(|note| note.contains("first 2097152 bytes")), "{notes:?}");
    let error = read(with(&path, OutOfRange::Compact), 2 * MIB - 1).unwrap_err();
    assert!(error.contains(":2: ") && error.contains("don't fit"), "{error}");
}

#[test]
fn one_device_can_be_picked_and_several_are_noted() {
    let folder = Folder::new();
    let path = folder.file("t", "0 0 0 8 1\n1 5 8 8 0\n2 0 16 8 1\n");
    let (_, notes) = read(TraceConfig::of_file(&path), MIB).unwrap();
    assert!(notes.iter().any(|note| note.contains("2 devices share one address space")), "{notes:?}");
    let picked = TraceConfig { device: Some(5), ..TraceConfig::of_file(&path) };
    let (requests, notes) = read(picked, MIB).unwrap();
    assert_eq!(requests.iter().map(short).collect::<Vec<_>>(), [(0, 'W', 4096, 4096)]);
    assert!(notes.iter().any(|note| note.contains("2 requests of other devices")), "{notes:?}");
    let none = TraceConfig { device: Some(9), repeat: 3, ..TraceConfig::of_file(&path) };
    assert!(read(none, MIB).unwrap_err().ends_with("no request of device 9"));
}

#[test]
fn requests_of_length_0_are_left_out_and_flushes_kept() {
    let folder = Folder::new();
    let path = folder.file("t", "0,R,0,0\n1,F,0,0\n2,W,512,0\n3,W,512,512\n");
    let (requests, notes) = read(TraceConfig::of_file(&path), MIB).unwrap();
    assert_eq!(requests.iter().map(short).collect::<Vec<_>>(), [(0, 'F', 0, 0), (2, 'W', 512, 512)]);
    assert_eq!(notes, ["2 requests of length 0 left out"]);
}

#[test]
fn a_trace_is_repeated_and_cut_off_as_asked() {
    let folder = Folder::new();
    let path = folder.file("t", "7,R,0,512\n17,R,512,512\n");
    let config = TraceConfig { repeat: 3, max_requests: Some(5), ..TraceConfig::of_file(&path) };
    let (requests, _) = read(config, MIB).unwrap();
    assert_eq!(requests.iter().map(|request| request.time.0).collect::<Vec<_>>(), [0, 10, 10, 20, 20]);
}

#[test]
fn paths_are_taken_from_the_folder_of_the_description() {
    let folder = Folder::new();
    folder.file("t.csv", "0,R,0,512\n");
    let config = SourceConfig::Trace(TraceConfig::of_file("t.csv"));
    let context = OpenContext { drive_bytes: MIB, seed: 1, base_dir: &folder.0 };
    assert_eq!(drain(&mut *open(&config, &context).unwrap().source).unwrap().len(), 1);
}

#[test]
fn a_footprint_is_what_reads_and_writes_touch() {
    let folder = Folder::new();
    let path = folder.file("t", "0,R,4095,2\n1,W,40960,4096\n2,T,0,1048576\n3,F,0,0\n4,R,1048575,1\n");
    let config = SourceConfig::Trace(TraceConfig::of_file(&path));
    let found = footprint(&mut *opened(&config, MIB).unwrap().source, 4096, MIB).unwrap();
    assert_eq!(found.iter().collect::<Vec<_>>(), [0, 1, 10, 255]);
    assert_eq!((found.count(), found.units()), (4, 256));
}

#[test]
fn remarks_can_be_read_after_the_source_was_handed_on() {
    let folder = Folder::new();
    let path = folder.file("t", "time_ns,op,offset_bytes,length_bytes\n0,R,0,0\n1,R,0,512\n");
    let opened = opened(&SourceConfig::Trace(TraceConfig::of_file(&path)), MIB).unwrap();
    let (mut source, notes) = (opened.source, opened.notes);
    std::thread::spawn(move || drain(&mut *source).unwrap()).join().unwrap();
    assert_eq!(notes.lines().len(), 1);
}
