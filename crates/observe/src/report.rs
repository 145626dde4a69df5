//! The result of a run as plain data: what `result.json` holds. Names are stable: tools rely on them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::copies::{CopiesReport, ReservedReport, SystemReport};
use super::disturb::{ErrorsReport, ReadDisturbReport};
use super::energy::EnergyReport;
use super::evidence::Evidence;
use super::intervals::IntervalsReport;
use super::mapping::MappingReport;
use super::measured::{EraseSpan, SampleReport, SeriesReport, Tables};
use super::reclaim::{BackgroundReport, PaceReport, ReadReclaimReport};
use super::redundancy::RedundancyReport;
use super::slc_cache::SlcCacheReport;
use crate::end_of_life::EndOfLife;
use wordline_base::time::Ns;
use wordline_config::left_out::is_default;
use wordline_ftl::blocks::bad::BadBlocksReport;

/// Everything measured in one run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The measured window.
    pub window: WindowReport,
    /// How the drive came to the state in which its first request found it.
    pub start: super::settled::Settled,
    /// Read requests of the host.
    pub read: DirectionReport,
    /// Write requests of the host.
    pub write: DirectionReport,
    /// Response times of reads and writes together; left out without either.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_ns: Option<LatencyReport>,
    /// Each flow, where there are several; together they are the figures above.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<FlowReport>,
    /// Each group of flows, as fio reports jobs with `group_reporting`: all requests of its flows together, rates from the begin of its
    /// first flow to the end of its last. They are among the figures of `flows`, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<FlowReport>,
    /// How many requests of each flow that looks for it may be outstanding while answers come in time; left out without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub latency_targets: Vec<LatencyTargetReport>,
    /// When flows were steady that end then; left out without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steady_ends: Vec<SteadyEndReport>,
    /// Each stream, where flows are of several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub streams: Vec<StreamReport>,
    /// How certain these figures are.
    pub intervals: IntervalsReport,
    /// TRIM requests of the host.
    pub trim: DirectionReport,
    /// Flush requests of the host.
    pub flush: DirectionReport,
    /// Flash operations in the window.
    pub flash: FlashReport,
    /// Bytes programmed in the window for each byte of the writes answered in it; `None` without such writes.
    pub waf: Option<f64>,
    /// The same by cause (`host`, `gc`, …); the values add up to `waf`.
    pub waf_by_cause: BTreeMap<String, f64>,
    /// Garbage collection in the window.
    pub gc: GcReport,
    /// What else moved pages in the window: cause (`read_reclaim`, `wear_levelling`, `migration`) → how much.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub other_moves: BTreeMap<String, MoveReport>,
    /// Erase counts of the blocks at the end of the run, since the start of the drive's life.
    pub erase_counts: EraseReport,
    /// Each die, in order of number (channel-major).
    pub dies: Vec<DieReport>,
    /// Each channel.
    pub channels: Vec<ChannelReport>,
    /// The controller's processor; left out where the firmware's work takes no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<CpuReport>,
    /// Address translation; left out where the whole map is in DRAM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapping: Option<MappingReport>,
    /// What the drive's tables hold at the end.
    pub drive: DriveReport,
    /// Read reclaim; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_reclaim: Option<ReadReclaimReport>,
    /// Garbage collection at idle time; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background_gc: Option<BackgroundReport>,
    /// Paced collection; left out where collection isn't paced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paced_gc: Option<PaceReport>,
    /// Read counts; `None` when nothing counts reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_disturb: Option<ReadDisturbReport>,
    /// Bit errors; `None` for a device without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<ErrorsReport>,
    /// The SLC cache; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slc_cache: Option<SlcCacheReport>,
    /// Bad blocks, over the drive's life; left out where no block is ever bad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bad_blocks: Option<BadBlocksReport>,
    /// The end of the drive's life, with which the run ended; left out for a drive that lives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_of_life: Option<EndOfLife>,
    /// Reads rebuilt from parity; left out without redundancy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redundancy: Option<RedundancyReport>,
    /// Further copies of pages; `None` on a drive whose systems make none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<CopiesReport>,
    /// What the drive's systems say of themselves, by name; left out where none says anything.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub systems: BTreeMap<String, SystemReport>,
    /// Who uses the controller's DRAM.
    pub dram: crate::dram::DramReport,
    /// The data cache in the window; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<crate::data_cache::CacheReport>,
    /// Checked mode's findings; `None` when it was off.
    pub checked: Option<CheckedReport>,
    /// Energy of the flash operations; `None` when the drive's description knows none.
    pub energy: Option<EnergyReport>,
    /// The time series' extent; `None` without one.
    pub series: Option<SeriesReport>,
    /// Distributions of the sampled state; `None` without samples.
    pub samples: Option<SampleReport>,
    /// Each chip, in order of number (channel-major), where `measure.chips` asks for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chips: Vec<super::chips::ChipReport>,
    /// Each drive of an array, in order of number: its requests are the parts that it got. Empty for a drive alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Report>,
    /// Read collisions, where `measure.collisions` asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collisions: Option<super::collisions::CollisionReport>,
    /// Tables that were asked for.
    #[serde(skip)]
    pub tables: Tables,
    /// What notes are made from, beside the figures.
    #[serde(skip)]
    pub evidence: Evidence,
}

/// The measured window in simulated time.
#[derive(Clone, Debug, Default, Serialize)]
pub struct WindowReport {
    /// Its start, ns since the start of the run.
    pub start_ns: u64,
    /// The last completion, ns since the start of the run.
    pub end_ns: u64,
    /// Requests that arrived before it.
    pub warmup_requests: u64,
}

/// Requests of one kind.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DirectionReport {
    /// Requests that arrived in the window and were completed.
    pub requests: u64,
    /// Their bytes; a flush has none.
    pub bytes: u64,
    /// Requests answered in the window, whenever they arrived, a second.
    pub iops: f64,
    /// Their bytes a second.
    pub bandwidth_bytes_per_s: f64,
    /// Response times.
    pub latency_ns: LatencyReport,
    /// Where the response times went.
    pub blame: BlameReport,
}

/// Distribution of response times, ns. Mean, deviation, minimum and maximum are exact; percentiles have three
/// significant digits.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LatencyReport {
    /// Mean.
    pub mean: f64,
    /// Standard deviation of the population.
    pub std: f64,
    /// Smallest.
    pub min: u64,
    /// Largest.
    pub max: u64,
    /// Median.
    pub p50: u64,
    /// 90th percentile.
    pub p90: u64,
    /// 95th percentile.
    pub p95: u64,
    /// 97th percentile.
    pub p97: u64,
    /// 98th percentile.
    pub p98: u64,
    /// 99th percentile.
    pub p99: u64,
    /// 99.5th percentile.
    pub p99_5: u64,
    /// 99.9th percentile.
    pub p99_9: u64,
    /// 99.99th percentile.
    pub p99_99: u64,
    /// Non-empty bins: (largest value of the bin, requests).
    #[serde(skip)]
    pub histogram: Vec<(u64, u64)>,
}

/// Parts of the response time, mean ns of a request. The parts' total is the mean response time exactly.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BlameReport {
    /// Over all requests.
    pub mean: BlameParts,
    /// Over the requests at and above the 99th percentile.
    pub tail: BlameParts,
}

/// Sums of the parts over a set of requests, and their means.
#[derive(Clone, Debug, Default, Serialize)]
pub struct BlameParts {
    /// Requests in the set.
    pub requests: u64,
    /// Sum of their response times, ns: equals the sum of `total_ns`.
    pub response_total_ns: u128,
    /// Part → sum over the set, ns. Parts: `link`, `admission`, `space`, `command`, `cell`, `transfer`, `suspend`,
    /// `conflict`, `die_wait.<class>`, `channel_wait.<class>`; where they are something also `retry`, `decode`, `cpu`, `cpu_wait`,
    /// `buffer`, `cache`, `write_back`, `gate`, `xor`, `translation`,
    /// `misprediction`.
    pub total_ns: BTreeMap<String, u128>,
    /// Part → mean of a request, ns.
    pub mean_ns: BTreeMap<String, f64>,
}

/// Requests of one flow. The parts of response times are given for the mean only.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FlowReport {
    /// Its name.
    pub name: String,
    /// The group that it belongs to; left out where it is in none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The time of which its rates are: the window, or what of it lies between the flow's begin and its end.
    pub window: FlowWindow,
    /// Read requests.
    pub read: DirectionReport,
    /// Write requests.
    pub write: DirectionReport,
    /// TRIM requests.
    pub trim: DirectionReport,
    /// Flush requests.
    pub flush: DirectionReport,
}

/// When flows were steady that end then.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SteadyEndReport {
    /// Their names.
    pub flows: Vec<String>,
    /// Whether they were; else they ended by themselves.
    pub attained: bool,
    /// When, ns since the start of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_ns: Option<u64>,
    /// Mean of the figure in the last whole window: requests a second, bytes a second, or ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// How far from steady that was, in the terms of the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// Below which it is steady: a share of the mean, or in its unit.
    pub limit: f64,
}

/// How many requests of a flow may be outstanding while answers come in time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LatencyTargetReport {
    /// Name of the flow.
    pub flow: String,
    /// What an answer in time takes at most, ns.
    pub ns: u64,
    /// Percentage of the answers that must be in time.
    pub percentile: f64,
    /// The number: of the last window that was in time; left out if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u32>,
    /// The least number that was too many; left out if none was, and of a flow that went on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub too_many: Option<u32>,
    /// Whether the search came to its end; else the flow ended before.
    pub is_found: bool,
    /// Whether the flow went on behind the search.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// Windows that were tried.
    pub windows: u32,
    /// Answers of that window, or of the last one if none was in time.
    pub answers: u64,
    /// Share of them that were in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_time: Option<f64>,
    /// Answers a second in that window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
}

/// A flow's part of the window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FlowWindow {
    /// Its start, ns since the start of the run.
    pub start_ns: u64,
    /// Its end.
    pub end_ns: u64,
}

impl Report {
    /// Tells each flow when it began, if later than others, and when it ended, where others went on behind that: its rates are of the
    /// time between.
    pub fn bound_flows(&mut self, began: &[Option<Ns>], ended: &[Option<Ns>]) {
        let WindowReport { start_ns, end_ns, .. } = self.window;
        for (number, flow) in self.flows.iter_mut().enumerate() {
            let of = |times: &[Option<Ns>]| times.get(number).copied().flatten();
            let within = |time: Option<Ns>, other: u64| time.map_or(other, |at| at.0.clamp(start_ns, end_ns));
            let end = within(of(ended), end_ns);
            flow.bound(within(of(began), start_ns).min(end), end, end_ns - start_ns);
        }
        for group in &mut self.groups {
            let windows =
                || self.flows.iter().filter(|flow| flow.group == group.name).map(|flow| &flow.window);
            let start = windows().map(|window| window.start_ns).min().unwrap_or(start_ns);
            let end = windows().map(|window| window.end_ns).max().unwrap_or(end_ns);
            group.bound(start, end, end_ns - start_ns);
        }
    }
}

impl FlowReport {
    /// Its rates, so far over the `whole` window, ns, are of this time.
    fn bound(&mut self, start_ns: u64, end_ns: u64, whole: u64) {
        self.window = FlowWindow { start_ns, end_ns };
        let own = end_ns - start_ns;
        if own < whole && own > 0 {
            let factor = whole as f64 / own as f64;
            for direction in [&mut self.read, &mut self.write, &mut self.trim, &mut self.flush] {
                direction.iops *= factor;
                direction.bandwidth_bytes_per_s *= factor;
            }
        }
    }
}

/// Requests of one stream. The parts of response times are given for the mean only.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StreamReport {
    /// Its number.
    pub stream: u16,
    /// Read requests.
    pub read: DirectionReport,
    /// Write requests.
    pub write: DirectionReport,
    /// TRIM requests.
    pub trim: DirectionReport,
    /// Flush requests.
    pub flush: DirectionReport,
}

/// Flash operations that ended in the window.
#[derive(Clone, Debug, Default, Serialize)]
pub struct FlashReport {
    /// All of them: `reads`, `programs` and `erases`.
    pub operations: u64,
    /// Flash pages read.
    pub reads: u64,
    /// Flash pages programmed.
    pub programs: u64,
    /// Blocks erased.
    pub erases: u64,
    /// Commands: a multi-plane operation counts once.
    pub transactions: u64,
    /// Suspensions of programs and erases.
    pub suspensions: u64,
    /// Commands of two and more planes.
    pub multi_plane: u64,
    /// Read commands whose array time overlapped the data-out of the read before; left out when there is none.
    #[serde(skip_serializing_if = "is_default")]
    pub cache_reads: u64,
    /// Program commands whose data came in while the array programmed the page before; left out when there is none.
    #[serde(skip_serializing_if = "is_default")]
    pub cache_programs: u64,
    /// Flash pages that were read and programmed inside a die; among `programs`, not among `reads`; left out when there
    /// is none.
    #[serde(skip_serializing_if = "is_default")]
    pub copybacks: u64,
    /// Class (`host_read`, `gc_program`, …) → pages or blocks, and commands.
    pub by_class: BTreeMap<String, ClassReport>,
}

/// Flash operations of one class.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ClassReport {
    /// Flash pages read or programmed, or blocks erased.
    pub operations: u64,
    /// Commands: a multi-plane operation counts once.
    pub transactions: u64,
}

/// Garbage collection.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GcReport {
    /// Blocks or superblocks collected.
    pub victims: u64,
    /// Mapping units moved.
    pub moved_units: u64,
    /// Host write units that had to wait for a free block; with a map of blocks, for a log block or a merge.
    pub stalled_units: u64,
}

/// Blocks emptied for one cause.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct MoveReport {
    /// Blocks or superblocks emptied.
    pub victims: u64,
    /// Mapping units moved.
    pub moved_units: u64,
}

/// Erase counts of the blocks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct EraseReport {
    /// Smallest.
    pub min: u32,
    /// Largest.
    pub max: u32,
    /// Mean.
    pub mean: f64,
    /// Standard deviation over the blocks.
    pub std: f64,
    /// Erase count → blocks.
    pub distribution: BTreeMap<u32, u64>,
}

/// One die.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DieReport {
    /// Its channel.
    pub channel: u32,
    /// Time that it was occupied, ns, by class: waiting for the channel with a command or with data included.
    pub busy_ns: BTreeMap<String, u64>,
    /// Time of its cell array alone, ns, of the commands begun in the window, without what a suspension makes it repeat and what `planes`
    /// and `second_server` have.
    pub array_ns: u64,
    /// Flash pages waiting or running, mean over the window's time.
    pub mean_outstanding: f64,
    /// Most flash pages waiting or running at once.
    pub max_outstanding: u32,
    /// Erase counts of its blocks.
    pub erases: EraseSpan,
    /// The ideal second server that read for the host; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_server: Option<SecondServerReport>,
    /// What its planes did by themselves; left out where they do nothing alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub planes: Vec<PlaneReport>,
}

/// A plane that collects, or reads, beside what its die does.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PlaneReport {
    /// Time that these commands occupied it, ns, by class; where planes read apart also those of the whole die.
    pub busy_ns: BTreeMap<String, u64>,
    /// Time of its cell array in them, ns, of the commands begun in the window.
    pub array_ns: u64,
}

/// The ideal second server of a die or of a channel.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SecondServerReport {
    /// Time that it was occupied by reads of the host, ns.
    pub busy_ns: u64,
    /// A die's: time of reading cells alone, ns, of the commands begun in the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub array_ns: Option<u64>,
}

/// One channel.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ChannelReport {
    /// Time that it moved commands or data, ns, by class.
    pub busy_ns: BTreeMap<String, u64>,
    /// Erase counts of its blocks.
    pub erases: EraseSpan,
    /// The ideal second bus for reads of the host; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_server: Option<SecondServerReport>,
}

/// The controller's processor.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CpuReport {
    /// Each core, in order of number.
    pub cores: Vec<CoreReport>,
    /// Kind of work (`read_request`, `lookup`, …) → what was taken on in the window, of kinds that take time.
    pub by_cost: BTreeMap<String, CostReport>,
}

/// One core.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CoreReport {
    /// Time that it worked in the window, ns.
    pub busy_ns: u64,
}

/// Work of one kind.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CostReport {
    /// How often it came in the window.
    pub count: u64,
    /// The time that it takes in all, ns, within the window or behind it.
    pub total_ns: u64,
}

/// The drive's tables at the end; of an array, the sums of its drives'.
#[derive(Clone, Debug, Default, Serialize)]
pub struct DriveReport {
    /// Logical pages (mapping units).
    pub logical_units: u64,
    /// Physical mapping units.
    pub physical_units: u64,
    /// Logical pages that hold data in flash.
    pub mapped_units: u64,
    /// Bytes of a mapping unit.
    pub mapping_unit_bytes: u32,
    /// Flash page reads that were sent to another die because the page had moved while they waited.
    pub rerouted_reads: u64,
    /// Reads of pages that hold no data.
    pub unmapped_reads: u64,
    /// What no drive can be built with, as `key = value`; left out for a drive that could be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_physical: Vec<String>,
    /// Space reserved, and for whom; left out where there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reserved: Vec<ReservedReport>,
}

/// What checked mode verified.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckedReport {
    /// Page reads whose OOB was compared with the newest version.
    pub reads_verified: u64,
    /// Logical pages audited at the end.
    pub pages_audited: u64,
    /// Further copies audited at the end; left out where there are none.
    #[serde(skip_serializing_if = "is_default")]
    pub copies_audited: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rates_of_a_flow_are_of_its_own_time() {
        let rates =
            || DirectionReport { iops: 10.0, bandwidth_bytes_per_s: 40.0, ..DirectionReport::default() };
        let flow = FlowReport {
            read: rates(),
            write: rates(),
            trim: rates(),
            flush: rates(),
            ..FlowReport::default()
        };
        let mut report = Report { flows: vec![flow], ..Report::default() };
        (report.window.start_ns, report.window.end_ns) = (1_000, 5_000);
        report.bound_flows(&[Some(Ns(2_000))], &[Some(Ns(3_000))]);
        for found in &report.flows {
            for direction in [&found.read, &found.write, &found.trim, &found.flush] {
                assert!((direction.iops - 40.0).abs() < 1e-9, "{direction:?}");
                assert!((direction.bandwidth_bytes_per_s - 160.0).abs() < 1e-9, "{direction:?}");
            }
        }
    }
}
