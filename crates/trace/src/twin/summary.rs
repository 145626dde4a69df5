//! The summary of a trace that its profile shows.

use std::collections::BTreeMap;

use wordline_engine::host::request::{HostOp, HostRequest};

use super::profile::Summary;

const PAGE: u64 = 4096;

/// Pages of a chunk: memory grows with the 2 MiB chunks that are touched.
const CHUNK: u64 = 512;

/// Pages of one request that are looked at: 1 GiB.
const MOST_PAGES: u64 = 1 << 18;

type Chunk = Vec<(u16, u16)>;

/// Sums over a trace.
#[derive(Default)]
pub(super) struct Summing {
    requests: u64,
    last_ns: u64,
    reads: u64,
    writes: u64,
    read_bytes: u64,
    written_bytes: u64,
    /// Reads and writes of each page.
    chunks: BTreeMap<u64, Chunk>,
}

impl Summing {
    pub(super) fn requests(&self) -> u64 {
        self.requests
    }

    pub(super) fn add(&mut self, request: &HostRequest) {
        self.requests += 1;
        self.last_ns = self.last_ns.max(request.time.0);
        match request.op {
            HostOp::Read => {
                self.reads += 1;
                self.read_bytes += request.length;
            }
            HostOp::Write | HostOp::WriteFua => {
                self.writes += 1;
                self.written_bytes += request.length;
            }
            HostOp::Trim | HostOp::Flush => return,
        }
        let first = request.offset / PAGE;
        let last = request.offset.saturating_add(request.length.saturating_sub(1)) / PAGE;
        for page in (first..=last).take(MOST_PAGES as usize) {
            let chunk = self.chunks.entry(page / CHUNK).or_insert_with(|| vec![(0, 0); CHUNK as usize]);
            if let Some((reads, writes)) = chunk.get_mut((page % CHUNK) as usize) {
                let count = if request.op.is_write() { writes } else { reads };
                *count = count.saturating_add(1);
            }
        }
    }

    pub(super) fn finish(&self) -> Summary {
        let (mut pages, mut read, mut written) = (0_u64, 0, 0);
        let (mut reread, mut read_intensive, mut write_intensive) = (0_u64, 0, 0);
        let touched = self.chunks.values().flatten().filter(|(reads, writes)| reads | writes != 0);
        for &(reads, writes) in touched {
            let (reads, writes) = (u64::from(reads), u64::from(writes));
            pages += 1;
            read += u64::from(reads > 0);
            written += u64::from(writes > 0);
            reread += u64::from(reads > 1);
            read_intensive += u64::from(reads * 10 >= (reads + writes) * 9);
            write_intensive += u64::from(writes * 10 >= (reads + writes) * 9);
        }
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        Summary {
            requests: self.requests,
            span_ns: self.last_ns,
            read_share: share(self.reads, self.reads + self.writes),
            mean_read_bytes: share(self.read_bytes, self.reads),
            mean_write_bytes: share(self.written_bytes, self.writes),
            pages,
            pages_read: read,
            pages_written: written,
            reread_share: share(reread, pages),
            read_intensive: share(read_intensive, pages),
            write_intensive: share(write_intensive, pages),
            ..Summary::default()
        }
    }
}
