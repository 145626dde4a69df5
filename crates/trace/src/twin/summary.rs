//! The summary of a trace that its profile shows.

use wordline_base::request::{HostOp, HostRequest};

use super::page_counts::{PageCounts, PageKind};
use super::profile::Summary;

/// Sums over a trace.
#[derive(Default)]
pub(super) struct Summing {
    requests: u64,
    first_ns: Option<u64>,
    last_ns: u64,
    reads: u64,
    writes: u64,
    read_bytes: u64,
    written_bytes: u64,
    pages: PageCounts,
}

impl Summing {
    pub(super) fn requests(&self) -> u64 {
        self.requests
    }

    /// Reads and writes.
    pub(super) fn of_data(&self) -> u64 {
        self.reads + self.writes
    }

    pub(super) fn add(&mut self, request: &HostRequest) {
        self.requests += 1;
        self.first_ns.get_or_insert(request.time.0);
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
        self.pages.add(request.offset, request.length, request.op == HostOp::Read);
    }

    /// The pages of the trace.
    pub(super) fn pages(self) -> PageCounts {
        self.pages
    }

    pub(super) fn finish(&self) -> Summary {
        let (mut pages, mut read, mut written, mut reread) = (0_u64, 0, 0, 0);
        for (reads, writes) in self.pages.touched() {
            pages += 1;
            read += u64::from(reads > 0);
            written += u64::from(writes > 0);
            reread += u64::from(reads > 1);
        }
        let by_kind = self.pages.by_kind();
        let of_kind = |kind: PageKind| by_kind.get(kind as usize).copied().unwrap_or(0);
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        Summary {
            requests: self.requests,
            span_ns: self.last_ns - self.first_ns.unwrap_or(self.last_ns),
            read_share: share(self.reads, self.reads + self.writes),
            mean_read_bytes: share(self.read_bytes, self.reads),
            mean_write_bytes: share(self.written_bytes, self.writes),
            pages,
            pages_read: read,
            pages_written: written,
            reread_share: share(reread, pages),
            read_intensive: share(of_kind(PageKind::Read), pages),
            write_intensive: share(of_kind(PageKind::Written), pages),
            ..Summary::default()
        }
    }
}
