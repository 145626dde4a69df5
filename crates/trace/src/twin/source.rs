//! The requests of a twin.

use wordline_engine::config::error::ConfigError;
use wordline_engine::host::request::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_engine::time::Ns;

use super::codes::{Place, Token};
use super::history::{History, Wanted};
use super::locate::NO_TURN;
use super::model_source::ModelSource;
use super::play::{Deck, Round};
use super::profile::Profile;
use super::shapes::ALIGNMENT;
use super::space::FreshSpace;
use crate::config::TwinConfig;
use crate::notes::Notes;
use crate::open::{OpenContext, OpenError, Opened};
use crate::rng::{Xoshiro256PlusPlus, stream};

/// Latest arrival, ns: leaves the simulation room to go on from there.
pub(super) const LATEST: u64 = u64::MAX / 2;

/// Opens the profile that a source names.
pub(crate) fn open_twin(config: &TwinConfig, context: &OpenContext<'_>) -> Result<Opened, OpenError> {
    let path = context.base_dir.join(&config.path);
    let profile = Profile::read(&path)?;
    let space = config.space_bytes.unwrap_or(profile.space_bytes);
    if space > context.drive_bytes {
        let allowed = format!(
            "at most the drive's {} bytes; space_bytes lays the twin out in less",
            context.drive_bytes
        );
        return Err(ConfigError::new("source.space_bytes", space, allowed).into());
    }
    let requests = config.requests.unwrap_or(profile.summary.requests);
    let source: Box<dyn RequestSource + Send> = match &profile.model {
        Some(model) => Box::new(
            ModelSource::new(model, requests, space, profile.space_bytes, context.seed)
                .map_err(|what| SourceError(format!("{}: {what}", path.display())))?,
        ),
        None => Box::new(
            TwinSource::new(&profile, requests, space, context.seed)
                .map_err(|what| SourceError(format!("{}: {what}", path.display())))?,
        ),
    };
    Ok(Opened { source, notes: Notes::default() })
}

/// Plays a profile: its phases in order, again from the first when more requests are asked for than the trace had.
pub(super) struct TwinSource {
    decks: Vec<Deck>,
    gaps: Vec<u64>,
    shapes: Vec<[u64; 2]>,
    /// Requests still to come, in all, and of the phase.
    left: u64,
    total: u64,
    phase: usize,
    phase_left: u64,
    /// Requests of each phase are multiplied by this: below 1 when less than the trace is asked for.
    scale: f64,
    carry: f64,
    round: Option<Round>,
    now: u64,
    history: History,
    fresh: FreshSpace,
    order: Xoshiro256PlusPlus,
}

impl TwinSource {
    /// A twin of so many requests in `space` bytes.
    pub(super) fn new(profile: &Profile, requests: u64, space: u64, seed: u64) -> Result<Self, String> {
        let decks =
            profile.phase.iter().map(|phase| Deck::new(profile, phase)).collect::<Result<Vec<_>, _>>()?;
        let of_profile: u64 = decks.iter().map(|deck| deck.requests).sum();
        let fresh = FreshSpace::new(space, stream(seed, "twin.places")).ok_or("space_bytes: too large")?;
        let mut source = Self {
            decks,
            gaps: profile.gaps_ns.clone(),
            shapes: profile.shapes.clone(),
            left: requests,
            total: requests,
            phase: 0,
            phase_left: 0,
            scale: (requests as f64 / of_profile.max(1) as f64).min(1.0),
            carry: 0.0,
            round: None,
            now: 0,
            history: History::new(stream(seed, "twin.history")),
            fresh,
            order: stream(seed, "twin.order"),
        };
        source.enter_phase();
        Ok(source)
    }

    /// Sets out how many requests of the phase are to come.
    fn enter_phase(&mut self) {
        let requests = self.decks.get(self.phase).map_or(0, |deck| deck.requests);
        let wanted = requests as f64 * self.scale + self.carry;
        self.phase_left = wanted.round().max(0.0) as u64;
        self.carry = wanted - self.phase_left as f64;
        self.round = None;
    }

    /// Appends the requests of the next piece.
    fn piece(&mut self, batch: &mut Vec<HostRequest>) {
        while self.phase_left == 0 {
            self.phase = (self.phase + 1) % self.decks.len().max(1);
            self.enter_phase();
            if self.phase == 0 && self.phase_left == 0 {
                // Fewer requests than phases: what is left goes to the first.
                self.phase_left = self.left;
            }
        }
        let Some(deck) = self.decks.get(self.phase) else { return };
        let wanted = self.phase_left;
        let (tokens, gap) = loop {
            let round = self.round.get_or_insert_with(|| Round::new(deck, wanted, &mut self.order));
            match round.next(deck) {
                Some(found) => break found,
                None => self.round = None,
            }
        };
        let mut first_gap = gap;
        for token in tokens {
            if self.left == 0 || self.phase_left == 0 {
                break;
            }
            let code = first_gap.take().unwrap_or(token.gap);
            let gap = self.gaps.get(usize::from(code)).copied().unwrap_or_default();
            // The first request of all arrives at 0.
            if self.left < self.total {
                self.now = self.now.saturating_add(gap).min(LATEST);
            }
            self.left -= 1;
            self.phase_left -= 1;
            let now = Ns(self.now);
            let (offset, length) = placed(token, &self.shapes, &mut self.history, &mut self.fresh);
            batch.push(HostRequest { time: now, op: token.op, offset, length, flow: 0, stream: 0 });
        }
    }
}

/// Where the request of a token goes, and its length.
fn placed(token: &Token, shapes: &[[u64; 2]], history: &mut History, fresh: &mut FreshSpace) -> (u64, u64) {
    if token.op == HostOp::Flush {
        return (0, 0);
    }
    let [length, alignment] = shapes.get(usize::from(token.shape)).copied().unwrap_or([512, 0]);
    let length = length.clamp(1, fresh.bytes());
    let fits = |offset: &u64| offset.saturating_add(length) <= fresh.bytes();
    let told = history.offset(token.place, Wanted { length, alignment, space: fresh }).filter(fits);
    let turn =
        if let Place::Fresh(turn) = token.place { Some(turn).filter(|turn| *turn != NO_TURN) } else { None };
    let slot = turn.map(|turn| history.last() / ALIGNMENT + u64::from(turn));
    let offset = told.unwrap_or_else(|| fresh.draw(length, alignment, slot).min(fresh.bytes() - length));
    if token.op != HostOp::Trim {
        fresh.touch(offset, length);
    }
    history.add(offset, length, token.op.is_write(), told.is_some());
    (offset, length)
}

impl RequestSource for TwinSource {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let before = batch.len();
        while self.left > 0 && batch.len() - before < 512 {
            self.piece(batch);
        }
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        Some(self.total)
    }
}
