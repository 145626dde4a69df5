//! The pass over a source.

use hdrhistogram::Histogram;
use wordline_engine::host::request::{HostOp, HostRequest, SourceError};

use super::pages::PageSets;
use super::{AlignmentShares, OpInfo, SizeInfo, TraceInfo};
use crate::open::Opened;

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
                return Ok(Self { notes: opened.notes.lines(), ..collector.finish() });
            }
            batch.iter().for_each(|request| collector.add(request));
        }
    }
}

struct Collector {
    reads: OpSums,
    writes: OpSums,
    trims: OpSums,
    flushes: u64,
    last_ns: u64,
    end_bytes: u64,
    pages: PageSets,
    /// Reads and writes on multiples of 512, 4 Ki and 16 Ki bytes.
    aligned: [u64; 3],
    flows: Vec<u64>,
    flow_count: u64,
}

impl Collector {
    fn new() -> Result<Self, SourceError> {
        Ok(Self {
            reads: OpSums::new()?,
            writes: OpSums::new()?,
            trims: OpSums::new()?,
            flushes: 0,
            last_ns: 0,
            end_bytes: 0,
            pages: PageSets::default(),
            aligned: [0; 3],
            flows: vec![0; 1024],
            flow_count: 0,
        })
    }

    fn add(&mut self, request: &HostRequest) {
        self.last_ns = self.last_ns.max(request.time.0);
        let flow = u64::from(request.flow);
        self.flow_count += crate::bits::set_range(&mut self.flows, flow, flow);
        match request.op {
            HostOp::Read => self.reads.add(request.length),
            HostOp::Write | HostOp::WriteFua => self.writes.add(request.length),
            HostOp::Trim => return self.trims.add(request.length),
            HostOp::Flush => {
                self.flushes += 1;
                return;
            }
        }
        self.end_bytes = self.end_bytes.max(request.offset.saturating_add(request.length));
        self.pages.mark(request.offset, request.length, request.op.is_write());
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
            span_ns: self.last_ns,
            end_bytes: self.end_bytes,
            footprint: self.pages.counts(),
            alignment: AlignmentShares { sectors_512, pages_4k, pages_16k },
            flows: self.flow_count,
            notes: Vec::new(),
            reads,
            writes,
            trims,
        }
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

struct OpSums {
    requests: u64,
    bytes: u64,
    sizes: Histogram<u64>,
    min: u64,
    max: u64,
}

impl OpSums {
    fn new() -> Result<Self, SourceError> {
        let sizes = Histogram::new_with_bounds(1, 1 << 40, 3)
            .map_err(|error| SourceError(format!("histogram of sizes: {error}")))?;
        Ok(Self { requests: 0, bytes: 0, sizes, min: u64::MAX, max: 0 })
    }

    fn add(&mut self, length: u64) {
        self.requests += 1;
        self.bytes = self.bytes.saturating_add(length);
        self.sizes.saturating_record(length);
        self.min = self.min.min(length);
        self.max = self.max.max(length);
    }

    fn finish(self) -> OpInfo {
        if self.requests == 0 {
            return OpInfo::default();
        }
        let at = |quantile| self.sizes.value_at_quantile(quantile).clamp(self.min, self.max);
        OpInfo {
            requests: self.requests,
            bytes: self.bytes,
            size_bytes: SizeInfo {
                mean: self.bytes as f64 / self.requests as f64,
                min: self.min,
                p50: at(0.5),
                p90: at(0.9),
                p99: at(0.99),
                max: self.max,
            },
        }
    }
}
