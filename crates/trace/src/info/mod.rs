//! What a trace holds, from one pass over it in little memory.

mod collect;
mod pages;

use serde::{Deserialize, Serialize};

/// Features of a workload. Fields are added over time, none is taken away.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceInfo {
    /// Requests of all kinds.
    pub requests: u64,
    /// Reads.
    pub reads: OpInfo,
    /// Writes.
    pub writes: OpInfo,
    /// Trims.
    pub trims: OpInfo,
    /// Flushes.
    pub flushes: u64,
    /// Reads among reads and writes, from 0 to 1; 0 when there are neither.
    pub read_share: f64,
    /// From the first arrival to the last, ns.
    pub span_ns: u64,
    /// Largest offset + length of a read or write, bytes: the smallest drive that holds the trace as it is.
    pub end_bytes: u64,
    /// Different pages of 4 KiB that are touched.
    pub footprint: PageCounts,
    /// How reads and writes lie on round addresses.
    pub alignment: AlignmentShares,
    /// Different flows (devices).
    pub flows: u64,
    /// What the reader had to do to the trace.
    pub notes: Vec<String>,
}

/// Requests of one kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OpInfo {
    /// How many.
    pub requests: u64,
    /// Their lengths together, bytes.
    pub bytes: u64,
    /// Their lengths.
    pub size_bytes: SizeInfo,
}

/// Distribution of lengths, bytes; all 0 when there is no request. Percentiles keep three significant digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SizeInfo {
    /// Mean.
    pub mean: f64,
    /// Smallest.
    pub min: u64,
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Largest.
    pub max: u64,
}

/// Numbers of different pages of 4 KiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageCounts {
    /// Size of a page, bytes.
    pub page_bytes: u64,
    /// Read at least once.
    pub read: u64,
    /// Written at least once.
    pub written: u64,
    /// Read and written.
    pub both: u64,
    /// Read or written.
    pub touched: u64,
}

/// Shares of reads and writes, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AlignmentShares {
    /// Offset and length are multiples of 512 bytes.
    pub sectors_512: f64,
    /// Offset and length are multiples of 4 KiB.
    pub pages_4k: f64,
    /// Offset and length are multiples of 16 KiB.
    pub pages_16k: f64,
}
