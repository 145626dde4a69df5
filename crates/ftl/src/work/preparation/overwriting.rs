//! Which pages are overwritten while a drive is prepared.

use crate::work::ftl::Ftl;
use std::ops::Range;

use wordline_base::ids::Lpa;
use wordline_base::request::{HostOp, HostRequest, MOST_IN_VAIN, RequestSource, SourceError};
use wordline_base::rng::{self, Xoshiro256PlusPlus};

/// A page that is overwritten, or given up.
#[derive(Clone, Copy)]
pub(crate) struct Drawn {
    pub(crate) lpa: Lpa,
    /// Of its write.
    pub(crate) stream: u16,
    /// Whether it is given up by a TRIM.
    pub(crate) trims: bool,
}

impl Drawn {
    fn written(lpa: Lpa) -> Self {
        Self { lpa, stream: 0, trims: false }
    }
}

/// The pages that are overwritten, one after the other.
pub struct Overwriting<'a> {
    choice: Choice<'a>,
}

enum Choice<'a> {
    /// The first so many logical pages, each with the same chance.
    First(u32, Xoshiro256PlusPlus),
    /// These runs of logical pages, so many together, each page with the same chance.
    Runs(Vec<Range<u32>>, u32, Xoshiro256PlusPlus),
    /// These, each with the same chance.
    Listed(&'a [Lpa], Xoshiro256PlusPlus),
    /// Those that a workload writes.
    Written(Box<Written<'a>>),
}

/// Pages that a workload writes.
struct Written<'a> {
    source: &'a mut dyn RequestSource,
    batch: Vec<HostRequest>,
    next: usize,
    /// Requests since the last that had a page.
    in_vain: usize,
    units: Range<u32>,
    /// Of the request whose units these are.
    stream: u16,
    /// Whether that is a TRIM.
    trims: bool,
    /// Whether none ever is.
    never_trims: bool,
    /// Streams that the drive offers, if it offers any.
    streams: Option<u16>,
    unit_bytes: u64,
    occupied: u32,
    /// The pages that hold data, where those aren't the first ones.
    runs: Option<Vec<Range<u32>>>,
    error: Option<SourceError>,
}

impl<'a> Overwriting<'a> {
    /// The same from here on a second time; `None` for what comes only once.
    pub(crate) fn again(&self) -> Option<Self> {
        let choice = match &self.choice {
            Choice::First(occupied, random) => Choice::First(*occupied, random.clone()),
            Choice::Runs(runs, all, random) => Choice::Runs(runs.clone(), *all, random.clone()),
            Choice::Listed(pages, random) => Choice::Listed(pages, random.clone()),
            Choice::Written(_) => return None,
        };
        Some(Self { choice })
    }

    /// Whether the pages are of streams that the drive keeps apart.
    pub(crate) fn has_streams(&self) -> bool {
        matches!(&self.choice, Choice::Written(written) if written.streams.is_some())
    }

    /// Whether some pages may be given up in between.
    pub(crate) fn may_trim(&self) -> bool {
        matches!(&self.choice, Choice::Written(written) if !written.never_trims)
    }

    /// The next one; `None` when there is none.
    #[inline]
    pub(crate) fn draw(&mut self) -> Option<Drawn> {
        match &mut self.choice {
            Choice::First(occupied, random) => {
                (*occupied > 0).then(|| Drawn::written(Lpa(rng::below(random, *occupied))))
            }
            Choice::Runs(runs, all, random) => {
                let number = (*all > 0).then(|| rng::below(random, *all))?;
                nth_of(runs, number).map(Drawn::written)
            }
            Choice::Listed(pages, random) => {
                let page = pages.get(rng::below(random, pages.len() as u32) as usize);
                page.copied().map(Drawn::written)
            }
            Choice::Written(written) => written.draw(),
        }
    }

    /// Why the workload could not go on.
    pub fn error(&mut self) -> Option<SourceError> {
        match &mut self.choice {
            Choice::Written(written) => written.error.take(),
            Choice::First(..) | Choice::Runs(..) | Choice::Listed(..) => None,
        }
    }
}

/// A page of runs by its number.
fn nth_of(runs: &[Range<u32>], mut number: u32) -> Option<Lpa> {
    for run in runs {
        let length = run.len() as u32;
        if number < length {
            return Some(Lpa(run.start + number));
        }
        number -= length;
    }
    None
}

impl Written<'_> {
    #[inline]
    fn draw(&mut self) -> Option<Drawn> {
        loop {
            if let Some(unit) = self.units.next() {
                if self.runs.as_ref().is_some_and(|runs| !runs.iter().any(|run| run.contains(&unit))) {
                    continue;
                }
                self.in_vain = 0;
                return Some(Drawn { lpa: Lpa(unit), stream: self.stream, trims: self.trims });
            }
            let Some(request) = self.batch.get(self.next) else {
                self.refill()?;
                continue;
            };
            self.next += 1;
            if request.op.is_write() && request.length > 0 {
                if let Some(error) = no_such_stream(request.stream, self.streams) {
                    self.error = Some(error);
                    return None;
                }
                (self.stream, self.trims) = (request.stream, false);
                let end = request.offset.saturating_add(request.length).div_ceil(self.unit_bytes);
                self.units = self.within(request.offset / self.unit_bytes)..self.within(end);
            } else if request.op == HostOp::Trim && !self.never_trims {
                self.trims = true;
                // Only what it covers whole.
                let end = request.offset.saturating_add(request.length) / self.unit_bytes;
                self.units = self.within(request.offset.div_ceil(self.unit_bytes))..self.within(end);
            }
        }
    }

    /// A mapping unit, or the first one that isn't overwritten.
    fn within(&self, unit: u64) -> u32 {
        unit.min(u64::from(self.occupied)) as u32
    }

    #[cold]
    fn refill(&mut self) -> Option<()> {
        if self.in_vain >= MOST_IN_VAIN {
            return None;
        }
        self.batch.clear();
        self.next = 0;
        if let Err(error) = self.source.next_batch(&mut self.batch) {
            self.error = Some(error);
            return None;
        }
        self.in_vain += self.batch.len();
        (!self.batch.is_empty()).then_some(())
    }
}

/// Why a write of this stream can't be carried out.
#[inline]
fn no_such_stream(stream: u16, streams: Option<u16>) -> Option<SourceError> {
    let streams = streams.filter(|&streams| stream >= streams)?;
    let allowed = format!("0 to {}, as the drive offers {streams} streams", streams.saturating_sub(1));
    Some(SourceError(format!(
        "a write of stream {stream} before the first request: allowed: {allowed} (scheme.blocks.host_write_points)"
    )))
}

/// Each of `pages` with the same chance, or of the first `occupied` logical pages when `pages` is empty: on a drive with sets of planes,
/// of those of each set that are laid out.
pub fn overwriting<'a>(ftl: &Ftl, occupied: u32, pages: &'a [Lpa], seed: u64) -> Overwriting<'a> {
    let random = rng::stream(seed, "precondition");
    let choice = if !pages.is_empty() {
        Choice::Listed(pages, random)
    } else if ftl.sets.is_some() {
        let runs = ftl.layout.runs();
        let all = runs.iter().map(|run| run.len() as u32).sum();
        Choice::Runs(runs, all, random)
    } else {
        Choice::First(occupied, random)
    };
    Overwriting { choice }
}

/// What a workload writes of the first `occupied` logical pages, and gives up unless it `never_trims`.
pub fn overwriting_as<'a>(
    ftl: &Ftl,
    occupied: u32,
    source: &'a mut dyn RequestSource,
    never_trims: bool,
) -> Overwriting<'a> {
    let written = Written {
        source,
        batch: Vec::new(),
        next: 0,
        in_vain: 0,
        units: 0..0,
        stream: 0,
        trims: false,
        never_trims,
        streams: ftl.streams(),
        unit_bytes: u64::from(ftl.geometry.unit_bytes),
        occupied: if ftl.sets.is_some() { ftl.logical_units } else { occupied },
        runs: ftl.sets.is_some().then(|| ftl.layout.runs()),
        error: None,
    };
    Overwriting { choice: Choice::Written(Box::new(written)) }
}

impl Ftl {
    /// Mapping units that its layout has side by side, as one request writes them; 0 where it is none of overwrites.
    pub fn units_laid_together(&self) -> u32 {
        self.layout.steady().map_or(0, |plan| plan.together)
    }

    /// Units programmed by the superblocks that were erased so far, without simulated time or with it.
    pub fn units_erased(&self) -> u64 {
        let erases: u64 = self.blocks.erase_counts().iter().map(|&count| u64::from(count)).sum();
        erases * u64::from(self.blocks.capacity())
    }
}
