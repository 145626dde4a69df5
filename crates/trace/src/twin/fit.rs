//! From a trace to its profile, in several passes.

use std::collections::{BTreeMap, HashMap};

use wordline_base::request::{HostOp, HostRequest, SourceError};

use super::codes::{Place, Token};
use super::cut::{Cutter, Piece};
use super::gaps::{GapCounts, GapTable};
use super::likeness::Groups;
use super::locate::Locator;
use super::model::Model;
use super::pack::{Pieces, packed};
use super::patterns::FirstLook;
use super::profile::{FitFor, PROFILE_BYTES, Packed, Profile, Summary};
use super::reference::{Queue, Waits, waits};
use super::shapes::{ShapeCounts, ShapeTable};
use super::source::{TwinSource, roomy};
use super::space::Regions;
use super::summary::Summing;
use crate::opened::{OpenError, Opened};

/// Longest piece.
const MOST_PIECE: usize = 128;

/// A profile that is as full as this is not filled further.
const NEARLY_FULL: f64 = 0.97;

/// Lengths of pieces that are tried.
const TRIED: [usize; 3] = [16, 48, 128];

/// Seed of the twins that are compared: one that no run uses by default.
const SEED: u64 = 101;

/// How a trace is fitted.
#[derive(Clone, Copy, Debug)]
pub struct FitOptions {
    /// Requests of a piece, at most; 128 at most. When left out, 16, 48 and 128 are tried, and what is taken is the twin that waits
    /// most like the trace on a reference queue.
    pub piece: Option<usize>,
    /// Requests that the profile may hold, as a share of the trace's.
    pub held: f64,
    /// The profile holds a model of the trace's patterns in the place of pieces.
    pub model: bool,
}

impl Default for FitOptions {
    fn default() -> Self {
        Self { piece: None, held: 1.0, model: false }
    }
}

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
    let FirstPass { summing, gaps, shapes, regions, look } = first;
    let (requests, of_data) = (summing.requests(), summing.of_data());
    if requests == 0 {
        return Err(SourceError(format!("{name}: a trace without a request has no profile")).into());
    }
    let (gaps, shapes) = (gaps.table(), shapes.table());
    let mut empty = Profile {
        form: 2,
        name: name.to_owned(),
        fit_for: FitFor::Schemes,
        source: String::new(),
        trace_files: Vec::new(),
        space_bytes: regions.bytes(),
        summary: summing.finish(),
        patterns: None,
        gaps_ns: gaps.0.clone(),
        pieces: None,
        phase: None,
        model: None,
    };
    let lengths = options.piece.map_or(TRIED.to_vec(), |piece| vec![piece.min(MOST_PIECE)]);
    let target = if options.model { None } else { Some(waits(&mut *open()?.source)?) };
    let mut second = SecondPass {
        gaps: &gaps,
        shapes: &shapes,
        queue: Queue::default(),
        ways: [false, true].map(|wide| Way {
            locator: Locator::new(wide),
            cutters: lengths.iter().map(|length| Cutter::new(*length)).collect(),
        }),
        sequential: 0,
        reused: 0,
    };
    let mut look = look.second(summing.pages());
    each(&mut open()?, |request, gap| {
        second.add(request, gap);
        look.add(request);
    })?;
    let (patterns, model) = look.finish();
    empty.patterns = Some(patterns);
    empty.summary.sequential = second.sequential as f64 / requests as f64;
    empty.summary.reused = second.reused as f64 / requests as f64;
    let Some(target) = target else {
        if model.class.is_empty() {
            return Err(SourceError(format!("{name}: a trace without reads and writes has no model")).into());
        }
        empty.summary.left_out = requests - of_data;
        empty.summary.requests = of_data;
        return Ok(of_patterns(empty, model));
    };
    let mut best: Option<(f64, Profile)> = None;
    for mut cutter in second.ways.into_iter().flat_map(|way| way.cutters) {
        cutter.end();
        let profile = filled(empty.clone(), &cutter, &shapes, options.held).map_err(SourceError)?;
        let distance = distance(&profile, &target)?;
        if best.as_ref().is_none_or(|best| distance < best.0) {
            best = Some((distance, profile));
        }
    }
    Ok(best.map_or(empty, |best| best.1))
}

/// The same with a model in the place of pieces.
fn of_patterns(mut profile: Profile, model: Model) -> Profile {
    profile.space_bytes = model.class.iter().map(|class| class.bytes).sum();
    (profile.form, profile.fit_for) = (1, FitFor::Patterns);
    (profile.gaps_ns, profile.model) = (Vec::new(), Some(model));
    profile
}

/// How far the waits of a profile's twin are from the trace's.
fn distance(profile: &Profile, target: &Waits) -> Result<f64, SourceError> {
    let mut twin =
        TwinSource::new(profile, profile.summary.requests, roomy(profile), SEED).map_err(SourceError)?;
    Ok(target.distance(&waits(&mut twin)?))
}

/// Fills the profile with as many pieces as it may hold.
fn filled(profile: Profile, cutter: &Cutter, shapes: &ShapeTable, share: f64) -> Result<Profile, String> {
    let pieces = &cutter.pieces;
    let most = share * profile.summary.requests as f64;
    // The profile with these pieces, and how large it is, in units of what is allowed.
    let with = |stand_ins: &[u32]| -> Result<(Profile, f64), String> {
        let chosen = chosen(pieces, stand_ins, shapes);
        let held: u64 = chosen.pieces.iter().map(|piece| piece.len() as u64).sum();
        let mut filled = profile.clone();
        filled.pieces = Some(Packed { every: cutter.every, packed: packed(&chosen)? });
        filled.summary.held = (held as f64 / profile.summary.requests as f64).min(1.0);
        let room = filled.to_toml().len() as f64 / PROFILE_BYTES as f64;
        let share = if chosen.pieces.len() > 1 { held as f64 / most } else { 0.0 };
        Ok((filled, room.max(share)))
    };
    let all: Vec<u32> = (0..pieces.len() as u32).collect();
    let (whole, mut high_size) = with(&all)?;
    if high_size <= 1.0 {
        return Ok(whole);
    }
    let mut groups = Groups::new(pieces.iter().map(|piece| piece.features).collect());
    let (mut best, mut low_size) = with(&groups.stand_ins())?;
    if low_size > 1.0 {
        return Err("a profile has no room for one piece".into());
    }
    let (mut low, mut high) = (1, pieces.len());
    // Between the two where the size would be right if it grew evenly, and a little below; each third time in the middle.
    for turn in 0.. {
        if low + 1 >= high || low_size >= NEARLY_FULL {
            break;
        }
        let part = if turn % 3 == 2 { 0.5 } else { (0.99 - low_size) / (high_size - low_size) };
        let middle = (low as f64 + part * (high - low) as f64) as usize;
        let middle = middle.clamp(low + 1, high - 1);
        let mut further = groups.clone();
        further.divide(middle);
        match with(&further.stand_ins())? {
            (filled, size) if size <= 1.0 => (low, low_size, best, groups) = (middle, size, filled, further),
            (_, size) => (high, high_size) = (middle, size),
        }
    }
    Ok(best)
}

/// The pieces that stand for all, numbered as they come; equal ones are one. Of the shapes those that they have, the most frequent first.
fn chosen(pieces: &[Piece], stand_ins: &[u32], shapes: &ShapeTable) -> Pieces {
    let mut numbers: HashMap<&[Token], u16> = HashMap::new();
    let mut chosen = Pieces::default();
    for (piece, stand_in) in pieces.iter().zip(stand_ins) {
        let Some(tokens) = pieces.get(*stand_in as usize).map(|piece| piece.tokens.as_slice()) else {
            continue;
        };
        let next = chosen.pieces.len() as u16;
        let number = *numbers.entry(tokens).or_insert(next);
        if number == next {
            chosen.pieces.push(tokens.to_vec());
        }
        chosen.order.push((number, piece.gap));
    }
    let data = |token: &&mut Token| token.op != HostOp::Flush;
    let mut entries: BTreeMap<u16, u16> = BTreeMap::new();
    for token in chosen.pieces.iter_mut().flatten().filter(data) {
        entries.insert(token.shape, 0);
    }
    for (entry, (shape, number)) in (0..).zip(&mut entries) {
        *number = entry;
        chosen.shapes.push(shapes.shapes.get(usize::from(*shape)).copied().unwrap_or_default());
    }
    for token in chosen.pieces.iter_mut().flatten().filter(data) {
        token.shape = entries.get(&token.shape).copied().unwrap_or_default();
    }
    chosen
}

/// What requests are like, without a profile. Takes the source to its end.
///
/// # Errors
/// Those of the source.
pub fn summarise(opened: &mut Opened) -> Result<Summary, SourceError> {
    let mut summing = Summing::default();
    each(opened, |request, _| summing.add(request))?;
    Ok(summing.finish())
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
    look: FirstLook,
}

impl FirstPass {
    fn add(&mut self, request: &HostRequest, gap: u64) {
        self.gaps.add(gap);
        self.summing.add(request);
        self.look.add(request);
        if request.op != HostOp::Flush {
            self.shapes.add(request.offset, request.length);
            self.regions.touch(request.offset, request.length);
        }
    }
}

struct SecondPass<'a> {
    gaps: &'a GapTable,
    shapes: &'a ShapeTable,
    /// Says whether the drive has rested before a request.
    queue: Queue,
    ways: [Way; 2],
    sequential: u64,
    reused: u64,
}

/// A way of telling places, and the pieces of each length.
struct Way {
    locator: Locator,
    cutters: Vec<Cutter>,
}

impl SecondPass<'_> {
    fn add(&mut self, request: &HostRequest, gap_ns: u64) {
        let rested = self.queue.is_idle(request.time.0);
        self.queue.serve(request);
        let gap = self.gaps.code(gap_ns);
        let flush = request.op == HostOp::Flush;
        let shape = if flush { 0 } else { self.shapes.code(request.offset, request.length) };
        let mut place = Place::Fresh(0);
        for way in &mut self.ways {
            if !flush {
                place = way.locator.place(request, !rested);
            }
            for cutter in &mut way.cutters {
                cutter.add(Token { op: request.op, shape, gap, place }, request, gap_ns, rested);
            }
        }
        match place {
            Place::Sequential { .. } => self.sequential += 1,
            Place::Same(_) | Place::Follow(_) | Place::Again { .. } => self.reused += 1,
            _ => {}
        }
    }
}
