//! The pass over a source.

use wordline_base::request::{HostOp, HostRequest, SourceError};

use super::arrivals::ArrivalTally;
use super::pages::{PageSets, pages_of};
use super::popularity::PageTally;
use super::reuse::ReuseTracker;
use super::sequence::SequenceTally;
use super::sizes::Sizes;
use super::{AlignmentShares, OpInfo, TraceInfo};
use crate::opened::Opened;

impl TraceInfo {
    /// Takes an opened source to its end and sums it up.
    ///
    /// # Errors
    /// Those of the source.
    pub fn collect(opened: &mut Opened) -> Result<Self, SourceError> {
        let mut collector = Collector::new()?;
        let mut batch = Vec::new();
        loop {
            batch.clear();
            opened.source.next_batch(&mut batch)?;
            if batch.is_empty() {
                let (notes, traces) = (opened.notes.lines(), opened.notes.traces());
                return Ok(Self { notes, traces, ..collector.finish() });
            }
            // Known with the first batch.
            collector.separate_devices = opened.notes.overlaid();
            batch.iter().for_each(|request| collector.add(request));
        }
    }
}

struct Collector {
    reads: Sizes,
    writes: Sizes,
    trims: Sizes,
    flushes: u64,
    end_bytes: u64,
    /// Devices have address spaces of their own, and lie over one another.
    separate_devices: bool,
    pages: PageSets,
    tally: PageTally,
    reuse: ReuseTracker,
    sequence: SequenceTally,
    arrivals: ArrivalTally,
    /// Reads and writes on multiples of 512, 4 Ki and 16 Ki bytes.
    aligned: [u64; 3],
    flows: Vec<u64>,
    flow_count: u64,
}

impl Collector {
    fn new() -> Result<Self, SourceError> {
        Ok(Self {
            reads: Sizes::default(),
            writes: Sizes::default(),
            trims: Sizes::default(),
            flushes: 0,
            end_bytes: 0,
            separate_devices: false,
            pages: PageSets::default(),
            tally: PageTally::new(),
            reuse: ReuseTracker::new(),
            sequence: SequenceTally::default(),
            arrivals: ArrivalTally::new()?,
            aligned: [0; 3],
            flows: vec![0; 1024],
            flow_count: 0,
        })
    }

    fn add(&mut self, request: &HostRequest) {
        self.arrivals.add(request);
        let flow = u64::from(request.flow);
        self.flow_count += crate::bits::set_range(&mut self.flows, flow, flow);
        match request.op {
            HostOp::Read => self.reads.add(request.length),
            HostOp::Write | HostOp::WriteFua => self.writes.add(request.length),
            HostOp::Trim => self.trims.add(request.length),
            HostOp::Flush => {
                self.flushes += 1;
                return;
            }
        }
        self.end_bytes = self.end_bytes.max(request.offset.saturating_add(request.length));
        if request.op == HostOp::Trim {
            return;
        }
        let (device, write) = (if self.separate_devices { request.flow } else { 0 }, request.op.is_write());
        let (first, last) = pages_of(request.offset, request.length);
        self.pages.mark(device, first, last, write);
        self.tally.add(device, first, last, write);
        self.reuse.add(device, first, last, write);
        self.sequence.add(device, request.offset, request.length, write);
        for (count, bytes) in self.aligned.iter_mut().zip([512, 4096, 16_384]) {
            *count += u64::from((request.offset | request.length).is_multiple_of(bytes));
        }
    }

    fn finish(self) -> TraceInfo {
        let (reads, writes, trims) = (self.reads.finish(), self.writes.finish(), self.trims.finish());
        let data = reads.requests + writes.requests;
        let [sectors_512, pages_4k, pages_16k] = self.aligned.map(|count| share(count, data));
        TraceInfo {
            requests: data + trims.requests + self.flushes,
            read_share: share(reads.requests, data),
            flushes: self.flushes,
            span_ns: self.arrivals.span_ns(),
            end_bytes: self.end_bytes,
            footprint: self.pages.counts(),
            alignment: AlignmentShares { sectors_512, pages_4k, pages_16k },
            flows: self.flow_count,
            hot_share: self.tally.hot_share(),
            page_classes: self.tally.classes(),
            succession: self.tally.succession(),
            read_popularity: self.tally.popularity(false),
            write_popularity: self.tally.popularity(true),
            page_sample_rate: self.tally.rate(),
            reuse: self.reuse.finish(),
            sequence: self.sequence.finish(),
            arrivals: self.arrivals.finish(),
            notes: Vec::new(),
            traces: Vec::new(),
            reads,
            writes,
            trims,
        }
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Sizes {
    fn finish(&self) -> OpInfo {
        OpInfo {
            requests: self.requests(),
            bytes: self.bytes(),
            size_bins: self.bins(),
            size_bytes: self.info(),
        }
    }
}
