//! What a trace holds, from one pass over it.
//!
//! Memory: the footprint takes about 300 bytes for each 2 MiB of addresses that are touched (1.2 GB for random accesses
//! all over 8 TiB), the counts of pages at most 300 MB, reuse distances 20 MB, everything else less than 2 MB.

mod arrivals;
mod collect;
pub(crate) mod hash;
mod pages;
mod popularity;
mod reuse;
pub(crate) mod sample;
mod sequence;
mod sizes;
pub(crate) mod zipf;

use serde::{Deserialize, Serialize};

use crate::seen::TraceFacts;

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
    /// Largest offset + length of a read, write or TRIM, bytes: the smallest drive that holds the trace as it is.
    pub end_bytes: u64,
    /// Different pages of 4 KiB that are touched.
    pub footprint: PageCounts,
    /// How reads and writes lie on round addresses.
    pub alignment: AlignmentShares,
    /// Different flows (devices).
    pub flows: u64,
    /// Pages that are read more than once, among all pages that are read or written.
    #[serde(default)]
    pub hot_share: f64,
    /// Pages by the kind of access that they get.
    #[serde(default)]
    pub page_classes: PageClasses,
    /// What comes after what on a page.
    #[serde(default)]
    pub succession: Succession,
    /// How reads spread over pages.
    #[serde(default)]
    pub read_popularity: Popularity,
    /// How writes spread over pages.
    #[serde(default)]
    pub write_popularity: Popularity,
    /// Share of the pages from which the figures on single pages come; 1 = all, so the figures are exact.
    #[serde(default)]
    pub page_sample_rate: f64,
    /// How soon pages are accessed again.
    #[serde(default)]
    pub reuse: ReuseInfo,
    /// How far requests go on where others ended.
    #[serde(default)]
    pub sequence: SequenceInfo,
    /// When requests arrive.
    #[serde(default)]
    pub arrivals: ArrivalInfo,
    /// When it began, and how long its requests took where it was recorded.
    #[serde(default)]
    pub traces: Vec<TraceFacts>,
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
    /// Their lengths by powers of two, from the smallest that occurs.
    #[serde(default)]
    pub size_bins: Vec<SizeBin>,
}

/// Requests longer than half of a power of two, up to the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SizeBin {
    /// The power of two, bytes; the first bin is of all up to 512.
    pub up_to_bytes: u64,
    /// Share of the requests, from 0 to 1.
    pub share: f64,
}

/// Distribution of lengths, bytes; all 0 when there is no request. A percentile is the smallest length that so many requests
/// don't exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SizeInfo {
    /// Mean.
    pub mean: f64,
    /// Smallest.
    pub min: u64,
    /// 25th percentile.
    #[serde(default)]
    pub p25: u64,
    /// Median.
    pub p50: u64,
    /// 75th percentile.
    #[serde(default)]
    pub p75: u64,
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

/// Pages by the kind of access that makes up more than 90% of what they get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageClasses {
    /// More than 90% reads.
    pub read_intensive: ClassInfo,
    /// More than 90% writes.
    pub write_intensive: ClassInfo,
    /// All others.
    pub mixed: ClassInfo,
}

/// Shares that a class of pages has, from 0 to 1. A request accesses each page that it touches once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClassInfo {
    /// Of the pages that are read or written.
    pub pages: f64,
    /// Of all read accesses.
    pub reads: f64,
    /// Of all write accesses.
    pub writes: f64,
    /// Of all accesses.
    pub accesses: f64,
}

/// What comes after what on one page, as shares of all reads or of all writes of pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Succession {
    /// Reads of a page whose access before was a write, among reads of pages.
    pub read_after_write_share: f64,
    /// Reads of a page whose access before was a read, among reads of pages.
    pub read_after_read_share: f64,
    /// Writes of a page whose access before was a read, among writes of pages.
    pub write_after_read_share: f64,
    /// Writes of a page whose access before was a write, among writes of pages.
    pub write_after_write_share: f64,
}

/// How accesses spread over the pages that get any.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Popularity {
    /// Mean accesses of a page.
    pub mean_accesses: f64,
    /// Accesses of the most popular page.
    pub max_accesses: u64,
    /// The Zipf law that comes closest; nothing where too few pages are popular.
    pub zipf: Option<ZipfFit>,
    /// Pages in falling order of popularity, at ranks spaced evenly in the logarithm.
    pub curve: Vec<PopularityPoint>,
}

/// A law count ~ rank^-theta.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ZipfFit {
    /// The exponent.
    pub theta: f64,
    /// Share of the variance of ln(count) that the law explains.
    pub r_squared: f64,
    /// Pages that the fit is through: those with at least four accesses.
    pub pages: u64,
}

/// A point of a popularity curve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PopularityPoint {
    /// Rank, from 1 (of the pages that are counted).
    pub rank: u64,
    /// Accesses of the page of this rank.
    pub accesses: u64,
    /// Share of the pages up to this rank.
    pub page_share: f64,
    /// Share of the accesses that they get.
    pub access_share: f64,
}

/// How many other pages are accessed between two accesses of a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReuseInfo {
    /// Share of the pages from which distances are taken; 1 = all, so distances are exact.
    pub sample_rate: f64,
    /// Share of the accesses that are a page's first.
    pub first_access_share: f64,
    /// Median distance of those that aren't, pages, rounded up by less than 19%.
    pub p50_pages: Option<u64>,
    /// 90th percentile.
    pub p90_pages: Option<u64>,
    /// 99th percentile.
    pub p99_pages: Option<u64>,
    /// Hits of LRU caches by size.
    pub curve: Vec<ReusePoint>,
}

/// Hits of an LRU cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReusePoint {
    /// Size of the cache, pages.
    pub cache_pages: u64,
    /// Share of all accesses that hit.
    pub hit_share: f64,
    /// Share of the reads that hit.
    pub read_hit_share: f64,
}

/// How far requests go on where others ended. Shares of reads and writes, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SequenceInfo {
    /// Requests that begin where the one directly before of the same device ended.
    pub share: f64,
    /// Of the reads.
    pub read_share: f64,
    /// Of the writes.
    pub write_share: f64,
    /// Requests that begin where one of the 32 latest streams of the same device ended.
    pub stream_share: f64,
    /// Of the reads.
    pub read_stream_share: f64,
    /// Of the writes.
    pub write_stream_share: f64,
    /// Mean bytes of a run of requests each of which begins where the one before ended.
    pub mean_run_bytes: f64,
}

/// When requests (of all kinds) arrive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArrivalInfo {
    /// Mean rate, 1 / mean gap, requests a second.
    pub iops: f64,
    /// Gaps between successive arrivals, ns.
    pub gaps_ns: Quantiles,
    /// Share of the gaps that are 0.
    pub simultaneous_share: f64,
    /// Standard deviation of the gaps divided by their mean: 0 for equal gaps, 1 for a Poisson process.
    pub variation: f64,
    /// (deviation - mean) / (deviation + mean) of the gaps (Goh and Barabasi 2008): -1 for equal gaps, 0 for a Poisson
    /// process, towards 1 for bursts.
    pub burstiness: f64,
    /// How requests spread over windows of time, for lengths of which the trace has at least ten.
    pub dispersion: Vec<Dispersion>,
    /// Load over time, in at most 512 spans of equal length.
    pub load: Vec<LoadPoint>,
}

/// Mean and percentiles; percentiles keep three significant digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 99th percentile.
    pub p99: u64,
    /// Largest.
    pub max: u64,
}

/// Requests in windows of one length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Dispersion {
    /// Length of a window, ns.
    pub window_ns: u64,
    /// Variance divided by mean of the requests in a window: 1 for a Poisson process.
    pub index: f64,
    /// Requests in the fullest window divided by the mean.
    pub peak_to_mean: f64,
}

/// Load in a span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoadPoint {
    /// Where it begins, ns.
    pub from_ns: u64,
    /// How long it is, ns.
    pub ns: u64,
    /// Requests of all kinds.
    pub requests: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
}
