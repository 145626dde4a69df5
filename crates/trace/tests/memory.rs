//! Reading takes no more memory for a longer trace. A program of its own, for it counts every allocation.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use wordline_trace::config::TransformConfig;
use wordline_trace::{OpenContext, SourceConfig, TraceConfig, WriteFormat, open, write_trace};

/// The system's allocator, with a count of the bytes in use and the most there were.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes on to the system's allocator as it came; the counters don't touch the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        MOST.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller keeps the promises of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the promises of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Most bytes in use at once while a trace of this form and so many requests is read, sorted and sliced.
fn most_while_reading(folder: &Path, name: &str, requests: u64) -> usize {
    let text = folder.join("source.csv");
    let rows =
        (0..requests).map(|index| format!("{},R,{},4096\n", index * 1000, index * 7919 % 99_991 * 4096));
    std::fs::write(&text, rows.collect::<String>()).unwrap();
    let context = OpenContext { drive_bytes: u64::MAX, seed: 1, base_dir: folder };
    let path = folder.join(name);
    let plain = SourceConfig::Trace(TraceConfig::of_file(&text));
    let mut source = open(&plain, &context).unwrap().source;
    write_trace(source.as_mut(), &path, WriteFormat::of_name(&path)).unwrap();
    drop(source);
    let steps =
        vec![TransformConfig::SliceTime { from_ns: 1000, to_ns: None }, TransformConfig::Repeat { times: 2 }];
    let config = TraceConfig { sort_window: 1000, transform: steps, ..TraceConfig::of_file(&path) };
    let before = IN_USE.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let mut source = open(&SourceConfig::Trace(config), &context).unwrap().source;
    let (mut batch, mut count) = (Vec::new(), 0);
    loop {
        batch.clear();
        source.next_batch(&mut batch).unwrap();
        if batch.is_empty() {
            break;
        }
        count += batch.len() as u64;
    }
    assert_eq!(count, 2 * (requests - 1));
    MOST.load(Ordering::Relaxed) - before
}

#[test]
fn memory_does_not_grow_with_the_trace() {
    let folder = std::env::temp_dir().join(format!("wordline-trace-memory-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["a.csv", "a.csv.gz", "a.csv.zst", "a.trace.xz", "a.iolog.bz2", "a.parquet"] {
        let short = most_while_reading(&folder, name, 10_000);
        let long = most_while_reading(&folder, name, 100_000);
        // What decoders and the pages of Parquet hold differs a little from file to file.
        assert!(long < short + short / 2 + (8 << 20) && long < 64 << 20, "{name}: {short} and {long} bytes");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
