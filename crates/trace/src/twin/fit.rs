//! From a trace to its profile, in several passes.

use wordline_engine::host::request::{HostOp, HostRequest, SourceError};

use super::calibrate::Tables;
use super::codes::{Place, Token};
use super::gaps::{GapCounts, GapTable};
use super::library::{Budget, keep};
use super::load::Load;
use super::locate::Locator;
use super::pieces::Cutter;
use super::profile::{FitFor, PROFILE_BYTES, Profile};
use super::reference::{Waits, waits};
use super::shapes::{ShapeCounts, ShapeTable};
use super::source::TwinSource;
use super::space::Regions;
use super::summary::Summing;
use crate::open::{OpenError, Opened};

/// Bytes that are left for what is rounded up.
const SLACK: usize = 2048;

/// Most phases, and longest piece: one of each kind in every phase must fit a profile.
const MOST_PHASES: u64 = 16;
const MOST_PIECE: usize = 128;

/// How a trace is fitted. What is left open is tried in several ways, and the way is taken whose twin waits most like the trace on a
/// reference queue.
#[derive(Clone, Copy, Debug)]
pub struct FitOptions {
    /// A gap of this length, ns, ends a burst: what comes after meets a drive that has done its work. Tried: 0.5, 2 and 8 ms.
    pub idle_ns: Option<u64>,
    /// Stretches that the trace is divided into, at most; 16 at most.
    pub phases: u64,
    /// Requests that a stretch has at least.
    pub phase_requests: u64,
    /// Requests of a piece, at most; 128 at most. Tried: 32 and 128.
    pub piece: Option<usize>,
    /// Pieces come in the order in which they came first. Tried: no and yes.
    pub in_order: Option<bool>,
    /// Requests that the profile may hold, as a share of the trace's.
    pub held: f64,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { idle_ns: None, phases: 16, phase_requests: 125, piece: None, in_order: None, held: 1.0 }
    }
}

/// Seeds of the twins that are tried.
const SEEDS: [u64; 2] = [101, 102];

/// Fits a profile to a trace. `open` opens it from its start and is called several times.
///
/// # Errors
/// Those of opening and reading the trace, and a trace without a request.
pub fn fit(
    name: &str,
    options: &FitOptions,
    open: &mut dyn FnMut() -> Result<Opened, OpenError>,
) -> Result<Profile, OpenError> {
    let mut first = FirstPass::default();
    each(&mut open()?, |request, gap| first.add(request, gap))?;
    let FirstPass { summing, gaps, shapes, regions } = first;
    let requests = summing.requests();
    if requests == 0 {
        return Err(SourceError(format!("{name}: a trace without a request has no profile")).into());
    }
    let (gaps, shapes) = (gaps.table(), shapes.table());
    let empty = Profile {
        form: 1,
        name: name.to_owned(),
        fit_for: FitFor::Schemes,
        source: String::new(),
        trace_files: Vec::new(),
        space_bytes: regions.bytes(),
        summary: summing.finish(),
        gaps_ns: gaps.0.clone(),
        shapes: shapes.shapes.iter().map(|&(length, alignment)| [length, alignment]).collect(),
        phase: Vec::new(),
        model: None,
    };
    let phase_requests =
        requests.div_ceil(options.phases.clamp(1, MOST_PHASES)).max(options.phase_requests).max(1);
    let target = waits(&mut *open()?.source)?;
    let mut best: Option<(f64, Profile)> = None;
    for idle_ns in options.idle_ns.map_or(vec![500_000, 2_000_000, 8_000_000], |idle| vec![idle]) {
        for piece in options.piece.map_or(vec![32, 128], |piece| vec![piece]) {
            let mut second = SecondPass {
                gaps: &gaps,
                shapes: &shapes,
                locator: Locator::default(),
                load: Load::default(),
                cutter: Cutter::new(piece.min(MOST_PIECE)),
                idle_ns,
                phase_requests,
                count: 0,
                sequential: 0,
                reused: 0,
            };
            each(&mut open()?, |request, gap| second.add(request, gap))?;
            second.cutter.end_burst();
            for in_order in options.in_order.map_or(vec![false, true], |in_order| vec![in_order]) {
                let mut profile = filled(empty.clone(), &second.cutter, options.held, in_order);
                profile.summary.sequential = second.sequential as f64 / requests as f64;
                profile.summary.reused = second.reused as f64 / requests as f64;
                let distance = distance(&profile, &target)?;
                if best.as_ref().is_none_or(|best| distance < best.0) {
                    best = Some((distance, profile));
                }
            }
        }
    }
    Ok(best.map_or(empty, |best| best.1))
}

/// How far the waits of a profile's twins are from the trace's, on average over some seeds.
fn distance(profile: &Profile, target: &Waits) -> Result<f64, SourceError> {
    let mut sum = 0.0;
    for seed in SEEDS {
        let mut twin = TwinSource::new(profile, profile.summary.requests, profile.space_bytes, seed)
            .map_err(SourceError)?;
        sum += target.distance(&waits(&mut twin)?);
    }
    Ok(sum / SEEDS.len() as f64)
}

/// Fills the profile with as many pieces as it may hold.
fn filled(mut profile: Profile, cutter: &Cutter, share: f64, in_order: bool) -> Profile {
    let shape_digits = profile.shape_digits();
    let share = share.clamp(0.0, 1.0);
    let (gaps, shapes) = (profile.gaps_ns.clone(), profile.shapes.clone());
    let tables = Tables { gaps: &gaps, shapes: &shapes };
    let mut room = PROFILE_BYTES as f64;
    loop {
        let requests = profile.summary.requests as f64;
        let phases = cutter.phases.iter().map(|phase| {
            let part = phase.requests as f64 / requests;
            let characters = (room * part).min(share * phase.requests as f64 * 6.0);
            keep(phase, Budget { characters, shape_digits, in_order, tables: &tables })
        });
        profile.phase = phases.collect();
        profile.summary.held = (held(&profile, shape_digits) / requests).min(1.0);
        let size = profile.to_toml().len();
        if size + SLACK <= PROFILE_BYTES || room < 256.0 {
            return profile;
        }
        // What overflows is taken from the pieces, and a little more.
        room = (room - (size + SLACK - PROFILE_BYTES) as f64 - 512.0).min(room * 0.97);
    }
}

/// Requests in the pieces that are kept, about: a request takes five characters.
fn held(profile: &Profile, shape_digits: u32) -> f64 {
    let tokens = |text: &String| {
        let tokens = text.split_once(':').map_or("", |(_, tokens)| tokens);
        super::codes::read_tokens(tokens, shape_digits).map_or(0, |tokens| tokens.len())
    };
    let pieces = profile.phase.iter().flat_map(|phase| [&phase.whole, &phase.start, &phase.rest]);
    pieces.flatten().map(tokens).sum::<usize>() as f64
}

/// Calls `work` with every request and the gap before it, ns.
fn each(opened: &mut Opened, mut work: impl FnMut(&HostRequest, u64)) -> Result<(), SourceError> {
    let (mut batch, mut last) = (Vec::new(), 0);
    loop {
        batch.clear();
        opened.source.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(());
        }
        for request in &batch {
            work(request, request.time.0.saturating_sub(last));
            last = request.time.0.max(last);
        }
    }
}

#[derive(Default)]
struct FirstPass {
    summing: Summing,
    gaps: GapCounts,
    shapes: ShapeCounts,
    regions: Regions,
}

impl FirstPass {
    fn add(&mut self, request: &HostRequest, gap: u64) {
        self.gaps.add(gap);
        self.summing.add(request);
        if request.op != HostOp::Flush {
            self.shapes.add(request.offset, request.length);
            self.regions.touch(request.offset, request.length);
        }
    }
}

struct SecondPass<'a> {
    gaps: &'a GapTable,
    shapes: &'a ShapeTable,
    locator: Locator,
    load: Load,
    cutter: Cutter,
    idle_ns: u64,
    phase_requests: u64,
    count: u64,
    sequential: u64,
    reused: u64,
}

impl SecondPass<'_> {
    fn add(&mut self, request: &HostRequest, gap: u64) {
        let new_phase = self.count.is_multiple_of(self.phase_requests);
        if new_phase {
            self.cutter.begin_phase();
        }
        let begins = new_phase || gap >= self.idle_ns;
        let load = self.load.next(request, gap);
        let gap = self.gaps.code(gap);
        let token = if request.op == HostOp::Flush {
            Token { op: request.op, shape: 0, gap, place: Place::Fresh(0) }
        } else {
            let place = self.locator.place(request, !begins);
            Token { op: request.op, shape: self.shapes.code(request.offset, request.length), gap, place }
        };
        match token.place {
            Place::Sequential(..) | Place::Continue(..) => self.sequential += 1,
            Place::Same(_) | Place::Follow(_) | Place::Reread(..) | Place::Rewritten(..) => self.reused += 1,
            _ => {}
        }
        self.cutter.add(token, load, begins);
        self.count += 1;
    }
}
