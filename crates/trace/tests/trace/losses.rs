//! What is lost of a trace is told.

use wordline_trace::TraceConfig;
use wordline_trace::config::BlockEvent;

use crate::support::{Folder, read};

/// A record of blktrace: an issued read of 4 KiB, or of nothing.
fn record(time: u64, sector: u64, bytes: u32, action: u32) -> Vec<u8> {
    let mut record = Vec::new();
    record.extend(0x6561_7407_u32.to_le_bytes());
    record.extend(1_u32.to_le_bytes());
    record.extend(time.to_le_bytes());
    record.extend(sector.to_le_bytes());
    for word in [bytes, action, 99, (8 << 20) | 16, 0] {
        record.extend(word.to_le_bytes());
    }
    record.extend([0; 4]);
    record
}

const READ: u32 = 1 << 16;
const ISSUE: u32 = 7;

#[test]
fn a_missing_file_of_one_processor_is_told() {
    for missing in 0..8_u64 {
        let folder = Folder::new();
        for cpu in (0..8).filter(|cpu| *cpu != missing) {
            folder.file(&format!("sdb.blktrace.{cpu}"), record(cpu, cpu * 8, 4096, READ | ISSUE));
        }
        let any = if missing == 3 { 4 } else { 3 };
        let path = folder.0.join(format!("sdb.blktrace.{any}"));
        let (found, notes) = read(TraceConfig::of_file(path), u64::MAX).unwrap();
        assert_eq!(found.len(), 7);
        let told = notes.iter().any(|note| note.contains(&format!("of processor {missing}:")));
        // Nothing tells how many there were.
        assert_eq!(told, missing < 7, "{missing}: {notes:?}");
    }
}

#[test]
fn a_processor_that_did_nothing_is_not_missing() {
    let folder = Folder::new();
    folder.file("sdb.blktrace.1", "");
    folder.file("sdb.blktrace.2", record(0, 8, 4096, READ | ISSUE));
    let path = folder.file("sdb.blktrace.0", record(0, 8, 4096, READ | ISSUE));
    let (_, notes) = read(TraceConfig::of_file(path), u64::MAX).unwrap();
    assert!(!notes.iter().any(|note| note.contains("missing")), "{notes:?}");
}

#[test]
fn events_that_vanish_are_counted() {
    let folder = Folder::new();
    let records = [
        record(0, 8, 4096, READ | ISSUE),
        record(1, 8, 0, READ | ISSUE),
        record(2, 0, 6, READ | (1 << 25) | ISSUE),
    ];
    let (found, notes) = read(TraceConfig::of_file(folder.file("t", records.concat())), u64::MAX).unwrap();
    assert_eq!(found.len(), 1);
    assert!(notes.iter().any(|note| note.starts_with("1 event left out that move no data")), "{notes:?}");
    assert!(notes.iter().any(|note| note.starts_with("1 command left out")), "{notes:?}");

    let text = "  8,16 5 1 0.1 7 D R 8 + 8 [a]\n  8,16 5 2 0.2 7 D N [a]\n  8,16 5 3 0.3 7 D R 8 + 0 [a]\n";
    let (found, notes) = read(TraceConfig::of_file(folder.file("t", text)), u64::MAX).unwrap();
    assert_eq!(found.len(), 1);
    assert!(notes.iter().any(|note| note.starts_with("2 events left out that move no data")), "{notes:?}");

    let text = "1455592511.5,0.1,W,0,8192,4096\n1455592511.6,,,0,0,0\n1455592511.7,,,0,0,0\n";
    let (found, notes) = read(TraceConfig::of_file(folder.file("t", text)), u64::MAX).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(notes, ["2 lines without a type of request left out"]);
}

#[test]
fn many_more_events_of_another_kind_are_told() {
    let folder = Folder::new();
    let line = |number: u32, event: &str| {
        format!("  8,16 5 {number} 0.{number:03} 7 {event} R {} + 8 [a]\n", number * 8)
    };
    let text: String = (0..9).map(|number| line(number, if number == 4 { "D" } else { "Q" })).collect();
    let path = folder.file("t", text);
    let (found, notes) = read(TraceConfig::of_file(&path), u64::MAX).unwrap();
    assert_eq!(found.len(), 1);
    let note = "1 events `issue` are read, but 8 are `queue`: `event = \"queue\"` reads those";
    assert_eq!(notes.last().map(String::as_str), Some(note));
    let queued = TraceConfig { event: Some(BlockEvent::Queue), ..TraceConfig::of_file(&path) };
    let (found, notes) = read(queued, u64::MAX).unwrap();
    assert!(found.len() == 8 && !notes.iter().any(|note| note.contains("event")), "{notes:?}");
    let completed = TraceConfig { event: Some(BlockEvent::Complete), ..TraceConfig::of_file(&path) };
    assert!(read(completed, u64::MAX).unwrap_err().contains("`event = \"queue\"` reads those"));
}

#[test]
fn outputs_of_blkparse_one_behind_the_other_are_read_to_the_end() {
    let folder = Folder::new();
    let one = |time: u32| {
        format!(
            "  8,16 5 1 {time}.5 7 D R 8 + 8 [a]\nCPU5 (8,16):\n Reads Queued:  1,  128KiB\nTotal (8,16):\n"
        )
    };
    let (found, _) = read(TraceConfig::of_file(folder.file("t", one(0) + &one(1))), u64::MAX).unwrap();
    assert_eq!(found.len(), 2);
}
