//! Everything counted during the measured window.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::batches::{Batches, Milestone};
use super::blame::{Part, Parts};
use super::disturb::DisturbCounters;
use super::energy::EnergyRecorder;
use super::evidence::Collected;
use super::latency::DirectionRecorder;
use super::mapping::MappingCounters;
use super::reclaim::{BackgroundReport, ReclaimCounters};
use super::redundancy::RedundancyReport;
use super::report::{
    ChannelReport, ClassReport, DieReport, EraseReport, FlashReport, GcReport, MoveReport, WindowReport,
};
use super::seldom::SeldomRecorder;
use super::slc_cache::SlcCacheCounters;
use super::tenants::Tenants;
use wordline_base::class::{ByClass, CAUSES, CLASSES, Cause, Class, FlashOp};
use wordline_base::request::HostOp;
use wordline_base::time::Ns;

/// Commands waiting or running on a die, integrated over time.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
struct Load {
    area: u128,
    since: Ns,
    max: u32,
}

/// Counters of one run; without blame, unless made by one of its functions.
#[derive(Default, Clone, Debug, Serialize, Deserialize)]
pub struct Recorder {
    /// Start of the window.
    pub start: Ns,
    /// Requests before it.
    pub warmup_requests: u64,
    /// Read requests.
    pub read: DirectionRecorder,
    /// Write requests.
    pub write: DirectionRecorder,
    /// The window in batches.
    pub batches: Batches,
    /// Collections of each domain, up to the last one that had any.
    pub collected: Vec<Collected>,
    /// Superblocks that were being collected when the window opened.
    pub collecting_before: u64,
    /// Logical pages that held data then.
    pub mapped_before: u64,
    /// TRIM requests.
    pub trim: SeldomRecorder,
    /// Flush requests.
    pub flush: SeldomRecorder,
    /// Flash pages and blocks by class.
    pub operations: ByClass<u64>,
    /// Commands by class.
    pub transactions: ByClass<u64>,
    /// Suspended programs and erases.
    pub suspensions: u64,
    /// Commands of several planes.
    pub multi_plane: u64,
    /// Reads and programs that overlapped the command before them.
    pub cache_reads: u64,
    /// See `cache_reads`.
    pub cache_programs: u64,
    /// Flash pages moved inside a die.
    pub copybacks: u64,
    /// Garbage collection.
    pub gc: GcReport,
    /// Blocks emptied and mapping units moved, by cause.
    pub moves: [MoveReport; CAUSES],
    /// Reads sent to another die because their page had moved.
    pub rerouted_reads: u64,
    /// Reads of pages without data.
    pub unmapped_reads: u64,
    /// Rebuilt reads.
    pub redundancy: RedundancyReport,
    /// Read counts and bit errors.
    pub disturb: DisturbCounters,
    /// The SLC cache.
    pub slc: SlcCacheCounters,
    /// Address translation.
    pub mapping: MappingCounters,
    /// Read reclaim.
    pub reclaim: ReclaimCounters,
    /// Garbage collection at idle time.
    pub background: BackgroundReport,
    /// Units of the host that waited for what paced collection wins.
    pub held_units: u64,
    /// Streams of which writes were answered, a bit each; those from the 64th on share the last.
    pub streams_written: u64,
    /// Figures by flow and stream, where there are several flows.
    pub tenants: Option<Box<Tenants>>,
    /// Energy of the operations begun.
    pub energy: EnergyRecorder,
    /// Time of the cell array of each die, ns.
    pub array_ns: Vec<u64>,
    loads: Vec<Load>,
    die_base: Vec<ByClass<u64>>,
    channel_base: Vec<ByClass<u64>>,
}

impl Recorder {
    /// Before the first window.
    pub fn new() -> Self {
        let [read, write] = [(); 2].map(|()| DirectionRecorder::with_blame());
        Self { read, write, ..Self::default() }
    }

    /// Counts from `start` on. The clocks are those of dies and channels at that time. `before` is what counted until then.
    pub fn begin(
        before: &mut Self,
        start: Ns,
        warmup_requests: u64,
        outstanding: &[u32],
        die_clocks: Vec<ByClass<u64>>,
        channel_clocks: Vec<ByClass<u64>>,
    ) -> Self {
        let loads = outstanding.iter().map(|&max| Load { area: 0, since: start, max }).collect();
        Self {
            start,
            warmup_requests,
            array_ns: vec![0; die_clocks.len()],
            loads,
            die_base: die_clocks,
            channel_base: channel_clocks,
            read: before.read.begin_anew(),
            write: before.write.begin_anew(),
            ..Self::default()
        }
    }

    /// A request was answered, whenever it arrived. Returns whether a batch ends with it: then [`Self::end_batch`] comes next.
    #[inline]
    pub fn answered(&mut self, op: HostOp, bytes: u64, stream: u16) -> bool {
        match op {
            HostOp::Read => self.read.answered(bytes),
            HostOp::Write | HostOp::WriteFua => {
                self.streams_written |= 1 << stream.min(63);
                self.write.answered(bytes);
            }
            HostOp::Trim => self.trim.answered(bytes),
            HostOp::Flush => self.flush.answered(0),
        }
        self.batches.answered()
    }

    /// A batch ends; `programs` are the flash pages programmed in the window.
    #[cold]
    pub fn end_batch(&mut self, now: Ns, programs: u64) {
        self.batches.end_batch(Milestone {
            time: now.since(self.start).0,
            read: self.read.side(),
            write: self.write.side(),
            trim: self.trim.side(),
            flush: self.flush.side(),
            programs,
        });
    }

    /// Flash pages programmed.
    pub fn programs(&self) -> u64 {
        let programs = Class::ALL.iter().filter(|class| class.op() == FlashOp::Program);
        programs.map(|class| self.operations[class.index()]).sum()
    }

    /// Takes a request in. `inside` are the parts of its time in the drive, `outside` those before and after.
    #[inline]
    pub fn request(
        &mut self,
        op: HostOp,
        latency: Ns,
        bytes: u64,
        inside: [Option<&Parts>; 2],
        outside: &[(Part, u64)],
    ) {
        match op {
            HostOp::Read => self.read.record(latency, bytes, inside, outside),
            HostOp::Write | HostOp::WriteFua => self.write.record(latency, bytes, inside, outside),
            HostOp::Trim => self.trim.record(latency, bytes, inside, outside),
            HostOp::Flush => self.flush.record(latency, 0, inside, outside),
        }
    }

    /// Adds what the flash of another drive did.
    pub fn count_work_of(&mut self, other: &Self) {
        let sum = |sums: &mut ByClass<u64>, counts: &ByClass<u64>| {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        };
        sum(&mut self.operations, &other.operations);
        sum(&mut self.transactions, &other.transactions);
        self.suspensions += other.suspensions;
        self.multi_plane += other.multi_plane;
        self.cache_reads += other.cache_reads;
        self.cache_programs += other.cache_programs;
        self.copybacks += other.copybacks;
        self.gc.stalled_units += other.gc.stalled_units;
        self.held_units += other.held_units;
        for (sum, moves) in self.moves.iter_mut().zip(&other.moves) {
            sum.victims += moves.victims;
            sum.moved_units += moves.moved_units;
        }
    }

    /// A block or superblock begins to be emptied.
    pub fn emptied(&mut self, cause: Cause) {
        self.moves[cause.index()].victims += 1;
    }

    /// A domain begins to collect a superblock with so many valid units.
    pub fn collects(&mut self, domain: usize, valid: u32) {
        if domain >= self.collected.len() {
            self.collected.resize(domain + 1, Collected::default());
        }
        if let Some(collected) = self.collected.get_mut(domain) {
            collected.victims += 1;
            collected.valid += u64::from(valid);
        }
    }

    /// A unit was moved to another place.
    #[inline]
    pub fn moved(&mut self, cause: Cause) {
        self.moves[cause.index()].moved_units += 1;
    }

    /// Garbage collection.
    pub fn gc(&self) -> GcReport {
        let MoveReport { victims, moved_units } = self.moves[Cause::Gc.index()];
        GcReport { victims, moved_units, stalled_units: self.gc.stalled_units }
    }

    /// What was moved for other causes.
    pub fn other_moves(&self) -> BTreeMap<String, MoveReport> {
        let moved = |cause: &&Cause| {
            **cause != Cause::Gc
                && self.moves[cause.index()].victims + self.moves[cause.index()].moved_units > 0
        };
        Cause::ALL
            .iter()
            .filter(moved)
            .map(|cause| (cause.name().to_owned(), self.moves[cause.index()]))
            .collect()
    }

    /// The number of commands on a die changes from `old` to `new`.
    #[inline(always)]
    pub fn load_changes(&mut self, die: usize, old: u32, new: u32, now: Ns) {
        let load = &mut self.loads[die];
        if old > 0 {
            load.area += u128::from(old) * u128::from(now.since(load.since).0);
        }
        load.since = now;
        load.max = load.max.max(new);
    }

    /// Flash pages waiting or running on all dies, integrated over time up to `now`.
    pub fn outstanding_area(&self, now: Ns, outstanding: &[u32]) -> u128 {
        let die = |(load, &count): (&Load, &u32)| {
            load.area + u128::from(count) * u128::from(now.since(load.since).0)
        };
        self.loads.iter().zip(outstanding).map(die).sum()
    }

    /// The window.
    pub fn window(&self, end: Ns) -> WindowReport {
        WindowReport {
            start_ns: self.start.0,
            end_ns: end.0.max(self.start.0),
            warmup_requests: self.warmup_requests,
        }
    }

    /// Flash operations.
    pub fn flash(&self) -> FlashReport {
        let sum = |op| {
            Class::ALL
                .iter()
                .filter(|class| class.op() == op)
                .map(|class| self.operations[class.index()])
                .sum()
        };
        let told = |class: &&Class| self.transactions[class.index()] > 0 || class.is_common();
        let by_class = Class::ALL.iter().filter(told).map(|class| {
            let operations = self.operations[class.index()];
            (
                class.name().to_owned(),
                ClassReport { operations, transactions: self.transactions[class.index()] },
            )
        });
        FlashReport {
            operations: self.operations.iter().sum(),
            reads: sum(FlashOp::Read),
            programs: sum(FlashOp::Program),
            erases: sum(FlashOp::Erase),
            transactions: self.transactions.iter().sum(),
            suspensions: self.suspensions,
            multi_plane: self.multi_plane,
            cache_reads: self.cache_reads,
            cache_programs: self.cache_programs,
            copybacks: self.copybacks,
            by_class: by_class.collect(),
        }
    }

    /// Bytes programmed by cause for each byte that the host wrote; `None` without host writes.
    pub fn waf_by_cause(&self, page_bytes: u32, written: u64) -> Option<BTreeMap<String, f64>> {
        if written == 0 {
            return None;
        }
        let mut waf = BTreeMap::new();
        for class in Class::ALL.iter().filter(|class| class.op() == FlashOp::Program) {
            let bytes = self.operations[class.index()] * u64::from(page_bytes);
            if bytes == 0 && !class.is_common() {
                continue;
            }
            *waf.entry(class.cause().name().to_owned()).or_insert(0.0) += bytes as f64 / written as f64;
        }
        debug_assert!(waf.contains_key(Cause::Host.name()));
        Some(waf)
    }

    /// The dies at the end of the window; `channel_of` gives a die's channel.
    pub fn dies(
        &self,
        end: Ns,
        clocks: &[ByClass<u64>],
        outstanding: &[u32],
        channel_of: impl Fn(usize) -> u32,
    ) -> Vec<DieReport> {
        let window = end.since(self.start).0;
        let die = |(number, (load, clock)): (usize, (&Load, &ByClass<u64>))| {
            let rest = u128::from(outstanding.get(number).copied().unwrap_or(0))
                * u128::from(end.since(load.since).0);
            DieReport {
                channel: channel_of(number),
                busy_ns: by_name(clock, self.die_base.get(number)),
                array_ns: self.array_ns.get(number).copied().unwrap_or(0),
                mean_outstanding: if window == 0 { 0.0 } else { (load.area + rest) as f64 / window as f64 },
                max_outstanding: load.max,
                ..DieReport::default()
            }
        };
        self.loads.iter().zip(clocks).enumerate().map(die).collect()
    }

    /// Time that a server of dies or planes was occupied in the window, ns, by class.
    pub fn server_busy(&self, server: usize, clock: &ByClass<u64>) -> BTreeMap<String, u64> {
        by_name(clock, self.die_base.get(server))
    }

    /// Time that a die, or the second server of one, was occupied by a class in the window, ns.
    pub fn die_busy(&self, die: usize, clock: &ByClass<u64>, class: Class) -> u64 {
        let base = self.die_base.get(die).map_or(0, |base| base[class.index()]);
        clock[class.index()].saturating_sub(base)
    }

    /// The channels at the end of the window.
    pub fn channels(&self, clocks: &[ByClass<u64>]) -> Vec<ChannelReport> {
        let channel = |(number, clock)| ChannelReport {
            busy_ns: by_name(clock, self.channel_base.get(number)),
            ..ChannelReport::default()
        };
        clocks.iter().enumerate().map(channel).collect()
    }
}

fn by_name(clock: &ByClass<u64>, base: Option<&ByClass<u64>>) -> BTreeMap<String, u64> {
    let base = base.copied().unwrap_or([0; CLASSES]);
    Class::ALL
        .iter()
        .map(|&class| (class, clock[class.index()].saturating_sub(base[class.index()])))
        .filter(|&(class, busy)| busy > 0 || class.is_common())
        .map(|(class, busy)| (class.name().to_owned(), busy))
        .collect()
}

/// Summary of the erase counts of superblocks of `width` blocks each.
pub fn erase_report(counts: &[u32], width: u32) -> EraseReport {
    erase_report_of_runs(&runs(counts), width)
}

/// Equal counts that follow one another: the count and how many there are.
fn runs(counts: &[u32]) -> Vec<(u32, u64)> {
    /// Compared in one piece.
    const PIECE: usize = 64;
    let mut runs: Vec<(u32, u64)> = Vec::new();
    let mut add = |count: u32, times: u64| match runs.last_mut().filter(|(last, _)| *last == count) {
        Some((_, before)) => *before += times,
        None => runs.push((count, times)),
    };
    for piece in counts.chunks(PIECE) {
        let first = piece[0];
        // Nearly all of a drive that was used little are equal.
        if piece.iter().fold(0, |different, &count| different | (count ^ first)) == 0 {
            add(first, piece.len() as u64);
        } else {
            piece.iter().for_each(|&count| add(count, 1));
        }
    }
    runs
}

/// The same of runs of equal counts: the count and how many superblocks follow one another that have it.
pub fn erase_report_of_runs(runs: &[(u32, u64)], width: u32) -> EraseReport {
    let mut distribution = BTreeMap::new();
    for &(count, times) in runs {
        *distribution.entry(count).or_insert(0u64) += times * u64::from(width);
    }
    let blocks = runs.iter().map(|&(_, times)| times).sum::<u64>().max(1) as f64;
    let [min, max] = [distribution.keys().next(), distribution.keys().next_back()];
    let [min, max] = [min, max].map(|count| count.copied().unwrap_or(0));
    let (mut mean, mut variance) = (f64::from(min), 0.0);
    if min < max {
        // A sum of whole numbers, whatever their order; the squares are added one by one, as their order is what the sum's
        // last digit depends on.
        mean = runs.iter().map(|&(count, times)| f64::from(count) * times as f64).sum::<f64>() / blocks;
        let mut squares = 0.0;
        for &(count, times) in runs {
            let square = (f64::from(count) - mean).powi(2);
            (0..times).for_each(|_| squares += square);
        }
        variance = squares / blocks;
    }
    EraseReport { min, max, mean, std: variance.sqrt(), distribution }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erase_counts_are_summed_up_alike_whether_they_differ_or_not() {
        let report = erase_report(&[2, 2, 2], 4);
        assert_eq!((report.min, report.max, report.mean, report.std), (2, 2, 2.0, 0.0));
        assert_eq!(report.distribution, [(2, 12)].into());
        let report = erase_report(&[1, 1, 5, 1, 5, 5], 1);
        assert_eq!((report.min, report.max, report.mean, report.std), (1, 5, 3.0, 2.0));
        assert_eq!(report.distribution, [(1, 3), (5, 3)].into());
        assert_eq!(format!("{:?}", erase_report(&[], 1)), format!("{:?}", EraseReport::default()));
        // Pieces that are all equal, the one with a change, and the rest.
        let counts: Vec<u32> = [7; 200].into_iter().chain([8; 30]).collect();
        assert_eq!(runs(&counts), [(7, 200), (8, 30)]);
        assert_eq!(erase_report(&counts, 2).distribution, [(7, 400), (8, 60)].into());
    }

    #[test]
    fn a_window_begins_without_what_counted_before() {
        let report = |recorder: &Recorder| format!("{:?}", recorder.read.report(Ns(1_000)));
        let begin = |before: &mut Recorder| Recorder::begin(before, Ns(5), 0, &[], Vec::new(), Vec::new());
        let record = |recorder: &mut Recorder| {
            recorder.answered(HostOp::Read, 512, 0);
            recorder.request(HostOp::Read, Ns(100), 512, [None, None], &[(Part::Link, 100)]);
        };
        let mut unused = Recorder::new();
        unused.answered(HostOp::Read, 4096, 0);
        let mut first = begin(&mut unused);
        record(&mut first);
        let told = report(&first);
        let mut second = begin(&mut first);
        assert_eq!(report(&second), report(&Recorder::new()));
        record(&mut second);
        assert_eq!(report(&second), told);
        assert_eq!(first.read.answered_bytes(), 512);
    }
}
