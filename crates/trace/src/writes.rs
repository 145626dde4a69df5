//! What a workload writes, as far as the start of its drive follows from it: the same for one load however it is written, as a
//! source, as a flow, or as a fio job.

use serde::Serialize;
use wordline_base::draws::Overwrites;
use wordline_base::request::RequestSource;
use wordline_config::host::{Arrivals, FlowRules};

use crate::config::{
    FioSourceConfig, FlowConfig, InterarrivalConfig, PatternConfig, SizeWeight, Sizes, SourceConfig,
    SyntheticConfig, WorkloadConfig,
};
use crate::fio::{Access, Direction, FioConfig};
use crate::flows::flows_before;
use crate::interleaved::Interleaved;
use crate::opened::{OpenContext, OpenError};
use crate::settle::before;

/// What a workload writes.
#[derive(Clone, Debug, PartialEq)]
pub struct Writes {
    /// Bytes for each request of any kind.
    pub bytes_per_request: f64,
    /// What it overwrites; of one that writes nothing, what wrote as it reads.
    pub overwrites: Overwrites,
    /// Whether it gives pages up, too.
    pub trims: bool,
    /// Whether its writes come in sequence; of one that writes nothing, its reads.
    pub in_sequence: bool,
    /// What its writes depend on beside drive and seed, as text: not how many follow, nor when.
    pub pattern: String,
    /// Of all requests the share of each flow, in their order; one for a single source.
    pub shares: Vec<f64>,
}

/// What one generator writes.
#[derive(Clone, Debug, PartialEq)]
struct Written {
    /// Share of its requests that write.
    share: f64,
    /// Sizes of its writes; of its reads, if it only reads.
    sizes: Vec<SizeWeight>,
    /// Whether all lie at multiples of their size, anywhere in its part of the drive with the same chance.
    evenly: bool,
    /// Whether each follows the one before it.
    in_sequence: bool,
    /// Whether that is the whole drive.
    whole: bool,
    /// Whether some requests are TRIMs.
    trims: bool,
}

impl Writes {
    /// Of a workload on a drive of so many bytes; `None` where a source is no generator of which that is known.
    pub fn of(workload: &WorkloadConfig, drive_bytes: u64) -> Option<Self> {
        let (each, shares, pattern) = match &workload.source {
            Some(source) => {
                let written = written(source, (0, drive_bytes), drive_bytes)?;
                (vec![written], vec![1.0], text(&pattern_of(source)))
            }
            None => {
                let of_flow = |flow: &FlowConfig| {
                    let range = flow.range_on(drive_bytes).ok()?;
                    let written = written(&flow.source, range, drive_bytes)?;
                    // The drive is as what begins with the workload leaves it.
                    let share = if flow.begins_later() { 0.0 } else { written.share };
                    Some(Written { share, ..written })
                };
                let each = workload.flow.iter().map(of_flow).collect::<Option<Vec<_>>>()?;
                let shares = shares(workload);
                let pattern = pattern_of_flows(workload, &each, &shares);
                (each, shares, pattern)
            }
        };
        let bytes = |(written, share): (&Written, &f64)| share * written.share * written.mean_bytes();
        let bytes_per_request = each.iter().zip(&shares).map(bytes).sum();
        let trims = each.iter().zip(&shares).any(|(written, share)| written.trims && *share > 0.0);
        let overwrites = overwrites(&each, &shares, trims);
        let writes = bytes_per_request > 0.0;
        let in_sequence = |written: &Written| written.in_sequence || (writes && written.share == 0.0);
        let in_sequence = !trims && each.iter().all(in_sequence);
        Some(Self { bytes_per_request, overwrites, trims, in_sequence, pattern, shares })
    }

    /// Whether it writes at all.
    pub fn any(&self) -> bool {
        self.bytes_per_request > 0.0
    }
}

/// Requests that go before those of a workload, without end: of flows so mixed as they write beside one another. `None` where
/// nobody knows what came before.
///
/// # Errors
/// Those of [`crate::open`] and [`crate::open_flows`].
pub fn requests_before(
    workload: &WorkloadConfig,
    context: &OpenContext,
) -> Result<Option<Box<dyn RequestSource + Send>>, OpenError> {
    if let Some(source) = &workload.source {
        return before(source, context);
    }
    let Some(flows) = flows_before(workload, context)? else { return Ok(None) };
    let rules = workload.flow.iter().enumerate().map(|(number, flow)| flow.rules(number, &workload.host));
    let each = flows.into_iter().zip(shares(workload)).zip(rules);
    let strands = each.map(|((source, share), rules)| (source, share, rules.stream));
    Ok(Some(Box::new(Interleaved::new(strands))))
}

impl Written {
    fn mean_bytes(&self) -> f64 {
        let all: f64 = self.sizes.iter().map(|size| size.weight).sum();
        self.sizes.iter().map(|size| size.bytes as f64 * size.weight / all).sum()
    }
}

/// What all of them overwrite together, of which some may be given up.
fn overwrites(each: &[Written], shares: &[f64], trims: bool) -> Overwrites {
    let writes = each.iter().any(|written| written.share > 0.0);
    let counted = || each.iter().zip(shares).filter(|(written, _)| written.share > 0.0 || !writes);
    // The bytes that are written with each size.
    let mut sizes: Vec<(u64, f64)> = counted()
        .flat_map(|(written, share)| {
            let weight = if writes { share * written.share } else { *share };
            let all: f64 = written.sizes.iter().map(|size| size.weight).sum();
            written.sizes.iter().map(move |size| (size.bytes, weight * size.weight / all * size.bytes as f64))
        })
        .filter(|(_, bytes)| *bytes > 0.0)
        .collect();
    sizes.sort_by_key(|&(size, _)| size);
    let sums = sizes.chunk_by(|one, next| one.0 == next.0).map(|equal| {
        let bytes: f64 = equal.iter().map(|(_, bytes)| bytes).sum();
        (equal.first().map_or(1, |&(size, _)| size), bytes)
    });
    let sums: Vec<(u64, f64)> = sums.collect();
    let most = sums.iter().max_by(|one, other| one.1.total_cmp(&other.1)).map_or(1, |&(size, _)| size);
    // What is given up leaves room: by no formula.
    let evenly = sums.len() == 1 && !trims && counted().all(|(written, _)| written.evenly && written.whole);
    // What only reads leaves its drive as it is.
    Overwrites { bytes: most, evenly: evenly || !writes }
}

/// What a generator writes that uses a part of the drive: its first byte, and its length.
fn written(source: &SourceConfig, (start, bytes): (u64, u64), drive_bytes: u64) -> Option<Written> {
    match source {
        SourceConfig::Synthetic(config) => {
            let (first, end) = config.region.bounds(bytes).ok()?;
            let range = (start + first, start + end);
            Some(of_synthetic(config, range, drive_bytes))
        }
        SourceConfig::Fio(job) => {
            let first = start + job.fio.offset_bytes;
            let end = job.fio.size_bytes.map_or(start + bytes, |bytes| first + bytes);
            let written = of_job(&job.fio, (first, end), drive_bytes);
            let in_parts = !job.fio.files.is_empty() || job.fio.is_in_zones();
            let evenly = written.evenly && !in_parts && job.fio.run_requests <= 1;
            Some(Written { evenly, whole: written.whole && !in_parts, ..written })
        }
        _ => None,
    }
}

/// Whether a part of the drive is all of it, but for an end that holds no request of this size.
fn is_whole((start, end): (u64, u64), size: u64, drive_bytes: u64) -> bool {
    start == 0 && end / size.max(1) >= drive_bytes / size.max(1)
}

fn of_synthetic(config: &SyntheticConfig, range: (u64, u64), drive_bytes: u64) -> Written {
    let sizes = match &config.sizes {
        Sizes::Fixed(bytes) => vec![SizeWeight { bytes: *bytes, weight: 1.0 }],
        Sizes::Weighted(list) => list.clone(),
    };
    let only = SizeWeight::only(&sizes);
    Written {
        share: (1.0 - config.read_share - config.trim_share).max(0.0),
        evenly: config.pattern == PatternConfig::Uniform && only == Some(config.alignment()),
        in_sequence: matches!(config.pattern, PatternConfig::Sequential { .. }),
        whole: is_whole(range, only.unwrap_or(1), drive_bytes),
        trims: config.trim_share > 0.0,
        sizes,
    }
}

fn of_job(job: &FioConfig, range: (u64, u64), drive_bytes: u64) -> Written {
    let (share, way) = match job.writing() {
        Some((share, way)) => (share, Some(way)),
        None => (0.0, job.read.as_ref().or(job.trim.as_ref())),
    };
    let sizes = way.map_or_else(Vec::new, |way| way.sizes.clone());
    let only = SizeWeight::only(&sizes);
    // A map that takes each place once before any comes again is no even chance.
    let anywhere = |way: &Direction| way.random_share >= 1.0 && way.access == Access::Random;
    Written {
        share,
        evenly: job.with_replacement
            && way.is_some_and(|way| anywhere(way) && only == Some(way.align_bytes.max(1))),
        in_sequence: way.is_some_and(|way| way.random_share <= 0.0),
        whole: is_whole(range, only.unwrap_or(1), drive_bytes),
        trims: job.trim.is_some(),
        sizes,
    }
}

/// Of all requests of a workload the share of each flow: by their rates where all have one, by the depths of their queues where
/// all are closed loops, else by their numbers.
fn shares(workload: &WorkloadConfig) -> Vec<f64> {
    let flows = &workload.flow;
    let rules = || flows.iter().enumerate().map(|(number, flow)| flow.rules(number, &workload.host));
    let rates = || flows.iter().zip(rules()).map(|(flow, rules)| rate(flow, &rules));
    let depth = |rules: FlowRules| (rules.arrivals == Arrivals::Closed).then(|| f64::from(rules.queue_depth));
    let weights = (rates().collect::<Option<Vec<_>>>())
        .or_else(|| rules().map(depth).collect())
        .or_else(|| flows.iter().map(number).collect())
        .unwrap_or_else(|| vec![1.0; flows.len()]);
    let at_once = |(weight, flow): (f64, &FlowConfig)| if flow.begins_later() { 0.0 } else { weight };
    let weights: Vec<f64> = weights.into_iter().zip(flows).map(at_once).collect();
    let all: f64 = weights.iter().sum();
    weights
        .into_iter()
        .map(|weight| if all > 0.0 { weight / all } else { 1.0 / flows.len() as f64 })
        .collect()
}

/// Requests a second of a flow whose requests come at times of their own.
fn rate(flow: &FlowConfig, rules: &FlowRules) -> Option<f64> {
    if rules.arrivals != Arrivals::Open || rules.time_scale <= 0.0 {
        return None;
    }
    let rate = match &flow.source {
        SourceConfig::Synthetic(config) => match config.interarrival.as_ref()? {
            InterarrivalConfig::Poisson { iops } | InterarrivalConfig::Fixed { iops } => *iops,
            InterarrivalConfig::Burst { iops, burst_requests, gap_ns } => {
                let requests = *burst_requests as f64;
                requests / ((requests - 1.0) / iops + *gap_ns as f64 / 1e9)
            }
        },
        SourceConfig::Fio(job) => {
            let ways = [&job.fio.read, &job.fio.write, &job.fio.trim];
            ways.into_iter().flatten().filter_map(|way| way.iops).sum()
        }
        _ => return None,
    };
    Some(rate / rules.time_scale).filter(|rate| rate.is_finite())
}

/// Requests of a flow, where that is known.
fn number(flow: &FlowConfig) -> Option<f64> {
    match &flow.source {
        SourceConfig::Synthetic(config) => Some(config.requests as f64),
        SourceConfig::Fio(job) => {
            let of_place = if job.fio.write_after_trim { 2 } else { 1 };
            let places = job.fio.number_ios.map(|places| places.saturating_mul(of_place));
            job.requests.or(places).map(|requests| requests as f64)
        }
        _ => None,
    }
}

/// A source but for how many requests it has, and when.
fn pattern_of(source: &SourceConfig) -> SourceConfig {
    match source {
        SourceConfig::Synthetic(config) => {
            SourceConfig::Synthetic(SyntheticConfig { requests: 0, interarrival: None, ..config.clone() })
        }
        SourceConfig::Fio(job) => {
            let fio = FioConfig { runtime_s: None, ..job.fio.clone().without_end() };
            SourceConfig::Fio(Box::new(FioSourceConfig { requests: None, fio }))
        }
        other => other.clone(),
    }
}

/// A flow that writes, as far as its writes depend on it.
#[derive(Serialize)]
struct FlowPattern<'a> {
    /// Its random streams are named after it.
    name: String,
    share: f64,
    stream: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    nvm_set: Option<&'a String>,
    range: &'a crate::config::RegionConfig,
    source: SourceConfig,
}

/// Of several flows those that write, of one that one.
fn pattern_of_flows(workload: &WorkloadConfig, each: &[Written], shares: &[f64]) -> String {
    let flows = workload.flow.iter().enumerate().zip(each.iter().zip(shares));
    let patterns = flows.filter(|(_, (written, _))| written.share > 0.0 || each.len() == 1).map(
        |((number, flow), (_, share))| {
            let rules = flow.rules(number, &workload.host);
            FlowPattern {
                name: rules.name,
                share: *share,
                stream: rules.stream,
                nvm_set: flow.nvm_set.as_ref(),
                range: &flow.range,
                source: pattern_of(&flow.source),
            }
        },
    );
    text(&patterns.collect::<Vec<_>>())
}

fn text(pattern: &impl Serialize) -> String {
    serde_json::to_string(pattern).unwrap_or_default()
}
